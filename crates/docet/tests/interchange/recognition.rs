//! Which format a text is taken for.

use docet::Code;
use docet::interchange::{Document, FieldMap, Format, ReadOptions, read};

use super::samples;

fn format_of(text: &str, options: &ReadOptions) -> Result<Format, (Code, String)> {
    match read(text.as_bytes(), options) {
        Ok(Document::Library(_)) => Ok(Format::Docet),
        Ok(Document::Lessons(lessons)) => Ok(lessons.format),
        Err(failure) => Err((failure.code, failure.message)),
    }
}

#[test]
fn every_sample_is_recognised_and_read_as_it_is_called() {
    for (name, sample) in samples::ALL.into_iter().chain([("cass", samples::CASS)]) {
        let format = Format::named(name).unwrap();
        assert_eq!(format_of(sample, &ReadOptions::default()), Ok(format), "{name}");
        let with_mark = format!("\u{feff}\n{}", sample.replace('\n', "\r\n"));
        let told = ReadOptions { from: Some(format), ..ReadOptions::default() };
        assert_eq!(format_of(&with_mark, &told), Ok(format), "{name}");
    }
    assert_eq!(Format::ALL.map(|format| Format::named(format.name())), Format::ALL.map(Some));
}

#[test]
fn formats_are_told_apart() {
    let table = [
        ("just a line", Format::Text),
        ("- a bullet", Format::Markdown),
        ("# Only a heading", Format::Markdown),
        ("a, b and text, too", Format::Text),
        ("domain,text", Format::Csv),
        ("\"content\";\"a\"\n", Format::Csv),
        ("[1, 2]", Format::Json),
        ("[]", Format::Json),
        ("{\"text\": \"a\"}\n{\"text\": \"b\"}", Format::Jsonl),
        ("{broken\n{\"text\": \"b\"}", Format::Jsonl),
        ("{\"text\": \"a\"}", Format::Json),
        ("[{\"operation\": \"ADD\", \"content\": \"a\"}]", Format::Grpo),
        ("[{\"option\": \"add\"}]", Format::Grpo),
        ("[{\"option\": \"a\", \"text\": \"b\"}]", Format::Json),
        ("{\"G0\": \"a\", \"other\": [\"b\"]}", Format::Json),
        ("[G0] the best\n[G1] the next", Format::Grpo),
        ("{\"bullets\": []}", Format::Cass),
        ("bullets:\n- content: a", Format::Cass),
        ("{\"skills\": []}", Format::Kayba),
        ("Here you are:\nADD | | a\nADD | | b", Format::Paper),
        ("Operations are written so:\n    ADD | | a\nand more follow.", Format::Text),
        ("| ADD | | a |", Format::Text),
        ("intro\n\n## A\n[a-1] helpful=0 harmful=0 :: b", Format::Ace),
        ("- a\n- b\n```\n[a-1] helpful=0 harmful=0 :: c\n```", Format::Markdown),
        ("[G0]. labels a guideline\n- a\n- b", Format::Markdown),
        ("Here they are:\n[G0]. a\n[G1]. b", Format::Grpo),
        ("[the docs](a.md)\n- a", Format::Markdown),
        ("[![a badge](b.svg)](c)\n- a", Format::Markdown),
        ("Prose.\n<!-- docet:begin -->\n- a\n<!-- docet:end -->", Format::Markdown),
        ("{\"bullets\": {\"a-1\": {\"content\": \"b\"}}}", Format::Kayba),
    ];
    for (text, format) in table {
        assert_eq!(format_of(text, &ReadOptions::default()), Ok(format), "{text}");
    }
    let map = FieldMap::parse("text=Note").unwrap();
    assert_eq!(format_of("Note,By\na,b", &ReadOptions { map, ..ReadOptions::default() }), Ok(Format::Csv));
    let lines = ReadOptions { from: Some(Format::Text), ..ReadOptions::default() };
    assert_eq!(format_of("- a bullet", &lines), Ok(Format::Text));
}

#[test]
fn what_is_no_source_is_refused_with_what_to_do() {
    let table: [(&[u8], Code, &str); 15] = [
        (b"", Code::BadDocument, "empty"),
        (b" \r\n\t\n", Code::BadDocument, "--from"),
        (b"a\0b", Code::BadDocument, "NUL"),
        (b"<?xml version=\"1.0\"?>", Code::BadDocument, "docet, markdown, text, csv"),
        (b"<!DOCTYPE html><p>a", Code::BadDocument, "HTML"),
        (b"\xff\xfea\0", Code::NotUtf8, "UTF-16"),
        (b"- a\n- \xff", Code::NotUtf8, "line 2 column 3"),
        (b"[{\"text\": \"a\"},", Code::BadJson, "column 15"),
        (b"{\"a\": 1, \"a\": 2}", Code::BadDocument, "stands twice"),
        (b"{\"name\": \"a\", \"version\": 1}", Code::BadDocument, "--map text="),
        (b"{}", Code::BadDocument, "--map text="),
        (br#"{"operations": [{"op": "add", "text": "a"}]}"#, Code::BadDocument, "docet update"),
        (br#"[{"op": "delete", "id": 1}]"#, Code::BadDocument, "docet update"),
        (b"bullets: [", Code::BadDocument, "not YAML at line 2"),
        (b"bullets:\n- a\n---\nbullets:\n- b", Code::BadDocument, "line 3: a second document"),
    ];
    for (source, code, words) in table {
        let failure = read(source, &ReadOptions::default()).unwrap_err();
        assert_eq!(failure.code, code, "{}", failure.message);
        assert!(failure.message.contains(words), "{}", failure.message);
    }
}

#[test]
fn an_export_needs_a_header_that_this_version_reads() {
    let header = |from: &str, to: &str| samples::DOCET.replace(from, to);
    let table = [
        (header("\"docet_export\":1", "\"docet_export\":2"), Code::BadDocument, "version 2"),
        (header("\"docet_export\":1", "\"docet_export\":\"1\""), Code::BadDocument, "no version"),
        (header("\"next_id\":9,", ""), Code::BadDocument, "missing field"),
        (header("\"next_id\":9", "\"next_id\":9,\"colour\":1"), Code::BadDocument, "unknown field"),
        (header("\"next_id\":9", "\"next_id\":0"), Code::BadValue, "next_id is 0"),
        (header("\"capacity\":300", "\"capacity\":0"), Code::BadSetting, "capacity cannot be 0"),
        (header("\"capacity\":300", "\"colour\":0"), Code::BadSetting, "no setting"),
    ];
    for (text, code, words) in table {
        let failure = read(text.as_bytes(), &ReadOptions::default()).unwrap_err();
        assert_eq!(failure.code, code, "{}", failure.message);
        assert!(failure.message.contains(words), "{}", failure.message);
    }
    let told = ReadOptions { from: Some(Format::Docet), ..ReadOptions::default() };
    let failure = read(samples::JSONL.as_bytes(), &told).unwrap_err();
    assert!(failure.message.contains("no header"), "{}", failure.message);
}
