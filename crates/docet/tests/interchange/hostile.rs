//! Sources that mean harm: every one ends in an answer, soon and within bounded memory.

use docet::Code;
use docet::interchange::{Document, Format, MAX_LESSONS, ReadOptions, read};

use super::{data, samples};

/// Reads as each format, and as what it is taken for; only that nothing panics is asked.
pub(crate) fn read_as_everything(source: &[u8]) {
    for from in Format::ALL.map(Some).into_iter().chain([None]) {
        let _ = read(source, &ReadOptions { from, min_words: Some(1), ..ReadOptions::default() });
    }
}

fn code_of(source: &str, from: Format) -> Option<Code> {
    read(source.as_bytes(), &ReadOptions { from: Some(from), ..ReadOptions::default() })
        .err()
        .map(|failure| failure.code)
}

#[test]
fn a_source_has_an_end() {
    let line = "- one two three four five\n";
    let lines = line.repeat(MAX_LESSONS);
    assert_eq!(code_of(&lines, Format::Markdown), None);
    assert_eq!(code_of(&(lines + line), Format::Markdown), Some(Code::TooLarge));
    let many = 10_000_000;
    assert_eq!(code_of(&"a\n".repeat(many), Format::Text), Some(Code::TooLarge));
    assert_eq!(code_of(&"\n".repeat(many), Format::Text), None);
    assert_eq!(code_of(&"{}\n".repeat(many), Format::Jsonl), Some(Code::TooLarge));
    assert_eq!(code_of(&format!("text,b\n{}", "a,b\n".repeat(many)), Format::Csv), Some(Code::TooLarge));
    assert_eq!(code_of(&"ADD | | a\n".repeat(200_000), Format::Paper), Some(Code::TooLarge));
    assert_eq!(code_of(&"[a] b\n".repeat(200_000), Format::Ace), Some(Code::TooLarge));
    assert_eq!(code_of(&format!("bullets:\n{}", "- a\n".repeat(200_000)), Format::Cass), Some(Code::TooLarge));
    assert_eq!(code_of(&format!("[{}0]", "0,".repeat(many)), Format::Json), Some(Code::TooLarge));
    let entry = samples::DOCET.lines().nth(1).unwrap();
    let export =
        format!("{}\n{}", samples::DOCET.lines().next().unwrap(), format!("{entry}\n").repeat(MAX_LESSONS + 1));
    assert_eq!(code_of(&export, Format::Docet), Some(Code::TooLarge));
    assert_eq!(read(&vec![b'a'; (64 << 20) + 1], &ReadOptions::default()).unwrap_err().code, Code::TooLarge);
}

#[test]
fn nothing_unfolds() {
    let laughs = "a: &a [x, x, x, x]\nb: &b [*a, *a, *a, *a]\nbullets:\n- content: *b\n";
    let failure = read(laughs.as_bytes(), &ReadOptions::default()).unwrap_err();
    assert!(failure.message.contains("line 1: anchors and aliases are not read"), "{}", failure.message);
    let merge = "bullets:\n- <<: *defaults\n  content: a\n";
    assert_eq!(code_of(merge, Format::Cass), Some(Code::BadDocument));
    assert_eq!(code_of("bullets:\n- content: a\n  content: b\n", Format::Cass), Some(Code::BadDocument));
    let wide = format!("wide: [{}]\nbullets: []\n", "0,".repeat(2_000_000));
    assert_eq!(code_of(&wide, Format::Cass), Some(Code::TooLarge));
    // A list in brackets is held by the parser until it ends.
    assert_eq!(code_of(&format!("bullets: [ {}", "[]".repeat(8 << 20)), Format::Cass), Some(Code::TooLarge));
    let family = |children: usize| {
        format!("- {}\n{}", "word ".repeat(100_000), "  - a child that repeats its parent\n".repeat(children))
    };
    let Ok(Document::Lessons(lessons)) = read(family(50_000).as_bytes(), &ReadOptions::default()) else { panic!() };
    assert!(lessons.candidates.iter().skip(1).all(|candidate| candidate.text.len() < 2_000));
    assert_eq!(code_of(&family(99_000), Format::Markdown), Some(Code::TooLarge));
}

#[test]
fn depth_has_an_end() {
    let depth = 1_000_000;
    for (open, close) in [("[", "]"), ("{\"a\":", "}"), ("[{\"a\":", "}]")] {
        let deep = format!("{}0{}", open.repeat(depth), close.repeat(depth));
        for from in [Format::Json, Format::Kayba, Format::Grpo] {
            assert_eq!(code_of(&deep, from), Some(Code::BadDocument), "{open}");
        }
        let Ok(Document::Lessons(lessons)) =
            read(deep.as_bytes(), &ReadOptions { from: Some(Format::Jsonl), ..ReadOptions::default() })
        else {
            panic!()
        };
        assert_eq!(lessons.refused.len(), 1);
        read_as_everything(deep.as_bytes());
    }
    for yaml in ["[", "{a: ", "- ", "? ", "a: [", "!a "] {
        let deep = format!("bullets:\n {}", yaml.repeat(100_000));
        assert_eq!(code_of(&deep, Format::Cass), Some(Code::BadDocument), "{yaml}");
    }
    let mut nested = String::new();
    (0..3_000).for_each(|depth| nested.push_str(&format!("{}- a b c d e\n", "  ".repeat(depth))));
    assert_eq!(code_of(&nested, Format::Markdown), None);
}

#[test]
fn long_lines_take_no_longer_than_their_length() {
    let units = [
        ",",
        "\"",
        "\",\"\n",
        "'",
        "[",
        "[]",
        "](",
        "`",
        "` ``",
        "*a ",
        "**a**",
        "_",
        "<!--",
        "-->",
        "<",
        "|",
        "#",
        "\\",
        "- ",
        ": ",
        "? ",
        "&a ",
        "*a\n",
        "\t",
        "\r",
        "\u{feff}",
        "\u{301}",
        "{\"a\":1}",
        "0",
        "-",
        "ADD|",
        "::",
        "[G0]",
    ];
    for unit in units {
        let source = unit.repeat((1 << 20) / unit.len());
        for from in Format::ALL {
            let began = std::time::Instant::now();
            let _ = read(source.as_bytes(), &ReadOptions { from: Some(from), ..ReadOptions::default() });
            let taken = began.elapsed();
            assert!(taken.as_secs() < 10, "{unit:?} as {}: {taken:?}", from.name());
        }
    }
}

#[test]
fn a_table_is_as_wide_as_its_header() {
    assert_eq!(code_of(&format!("text,a\n{}", ",".repeat(1 << 20)), Format::Csv), Some(Code::TooLarge));
    assert_eq!(code_of(&format!("text{}\n", ",a".repeat(2_000)), Format::Csv), Some(Code::TooLarge));
    assert_eq!(code_of(&format!("text,{}\n", "a".repeat(1_000)), Format::Csv), Some(Code::BadDocument));
    assert_eq!(code_of("text,a,a\n", Format::Csv), Some(Code::BadDocument));
    assert_eq!(code_of("note,by\na,b\n", Format::Csv), Some(Code::BadDocument));
    assert_eq!(code_of("text,a\n\"never closed,\n\n", Format::Csv), None);
}

#[test]
fn naughty_strings_are_taken_or_refused_by_every_reader() {
    let Some(rows) = data::rows("naughty_strings_are_taken_or_refused_by_every_reader", "hostile/blns.jsonl") else {
        return;
    };
    for row in &rows {
        let text = row["text"].as_str().unwrap();
        read_as_everything(text.as_bytes());
        let shapes = [
            serde_json::json!([{"text": text, "domain": text, "source": text, "id": text}]).to_string(),
            serde_json::json!({"skills": {text: {"content": text}}}).to_string(),
            serde_json::json!({"bullets": [{"content": text, "helpfulCount": text}]}).to_string(),
            serde_json::json!([{"operation": text, "id": text, "content": text}]).to_string(),
            format!("# {text}\n- {text}\n  - {text}\n"),
            format!("ADD | {text} | {text}\n"),
            format!("[{text}] helpful=1 harmful=0 :: {text}"),
            format!("bullets:\n- content: {text}\n"),
            format!("text,domain\n{text},{text}\n"),
        ];
        shapes.iter().for_each(|source| read_as_everything(source.as_bytes()));
        // JSON carries any text as it is.
        let Ok(Document::Lessons(lessons)) = read(shapes[0].as_bytes(), &ReadOptions::default()) else {
            panic!("{text}")
        };
        assert_eq!(lessons.candidates[0].text, text);
    }
}

#[test]
fn every_way_to_write_json_ends_in_an_answer() {
    use base64::Engine as _;
    let Some(rows) = data::rows("every_way_to_write_json_ends_in_an_answer", "hostile/json_parsing.jsonl") else {
        return;
    };
    for row in rows {
        let bytes = base64::engine::general_purpose::STANDARD.decode(row["base64"].as_str().unwrap()).unwrap();
        read_as_everything(&bytes);
        let name = row["name"].as_str().unwrap();
        let as_json = read(&bytes, &ReadOptions { from: Some(Format::Json), ..ReadOptions::default() });
        if row["expect"] == "reject" {
            assert!(as_json.is_err(), "{name}: {as_json:?}");
        }
        for before in ["{\"bullets\": ", "{\"skills\": ", "{\"docet_export\": 1, \"settings\": ", "[{\"text\": "] {
            read_as_everything(&[before.as_bytes(), &bytes, b"}"].concat());
        }
    }
}
