//! What is written, and what of it comes back.

use docet::Code;
use docet::interchange::{
    BEGIN, END, Entry, LibraryFile, ReadOptions, Refused, best, splice_into, write_csv, write_jsonl, write_markdown,
    write_rejects,
};
use docet_core::text::ExperienceText;

use super::samples;
use super::{lessons, library};

/// Texts that a format could take for its own.
pub(crate) const TEXTS: &[&str] = &[
    "Read *all* of it, then `a * b`.",
    "- a bullet in a bullet",
    "1. first things first",
    "# not a heading",
    "> not a quotation",
    "---",
    "***",
    "| a | b |",
    "``` not a fence",
    "~~~",
    "[ ] not a task",
    "[x](y) [z]: w",
    "snake_case and __dunder__ and *args",
    "src/*.rs and **/*.ts",
    "a <!-- comment --> b <!-- docet:end -->",
    "<!-- docet:end -->",
    "`<!-- docet:end -->` --> done",
    "<b>bold</b> & &lt;i&gt; &amp;",
    "C:\\temp\\*.log and \\d+",
    "=1+1",
    "+1",
    "-1 is a number",
    "@SUM(A1)",
    "'=quoted",
    "'' -x",
    "'tis, a text; with \"quotes\", commas",
    "\u{2022} a dot",
    "ends with a colon:",
    "\u{e1} 日本語のレッスン \u{1f44d}",
    "`",
    "``",
    "\\",
    "_",
    "*",
    "&lt;",
    "text",
];

pub(crate) fn entry(id: u64, text: &str) -> Entry {
    let mut entry = library(samples::DOCET.as_bytes()).entries.remove(1);
    (entry.id, entry.text, entry.line) = (id, ExperienceText::parse(text).unwrap(), 0);
    entry
}

pub(crate) fn entries(texts: &[&str]) -> Vec<Entry> {
    texts.iter().zip(1..).map(|(text, id)| entry(id, text)).collect()
}

pub(crate) fn jsonl(library: &LibraryFile) -> Vec<u8> {
    let mut written = Vec::new();
    write_jsonl(library, &mut written).unwrap();
    written
}

fn text_of(write: impl FnOnce(&mut Vec<u8>)) -> String {
    let mut written = Vec::new();
    write(&mut written);
    String::from_utf8(written).unwrap()
}

#[test]
fn an_export_of_an_import_is_the_same() {
    let first = jsonl(&library(samples::DOCET.as_bytes()));
    assert_eq!(jsonl(&library(&first)), first);
    let text = String::from_utf8(first).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(
        lines[0].starts_with(r#"{"docet_export":1,"settings":{"capacity":300,"strategy":"hybrid""#),
        "{}",
        lines[0]
    );
    assert!(lines[0].ends_with(r#"},"next_id":9,"epoch":12}"#), "{}", lines[0]);
    assert_eq!(&lines[1..], &samples::DOCET.lines().skip(1).collect::<Vec<_>>()[..]);
    assert!(text.ends_with("}\n"));
}

#[test]
fn markdown_is_written_for_people_and_read_back() {
    let mut entries = entries(&["Less trusted of the two.", "More trusted of the two.", "Of another domain."]);
    entries[0].domain = docet_core::experience::Domain::parse("web").unwrap();
    entries[1].domain = entries[0].domain.clone();
    entries[1].confidence = docet_core::confidence::Confidence::parse(0.9).unwrap();
    let text = text_of(|out| write_markdown(&entries, out).unwrap());
    let expected =
        "## general\n\n- Of another domain.\n\n## web\n\n- More trusted of the two.\n- Less trusted of the two.\n";
    assert_eq!(text, expected);
}

#[test]
fn no_text_means_anything_to_markdown() {
    let options = ReadOptions { min_words: Some(1), ..ReadOptions::default() };
    for text in TEXTS {
        let written = text_of(|out| write_markdown(&entries(&[text, "the next"]), out).unwrap());
        let back = lessons(&written, &options);
        let texts: Vec<&str> = back.candidates.iter().map(|candidate| candidate.text.as_str()).collect();
        assert_eq!(texts, [*text, "the next"], "{written}");
        assert!(!written.contains("<!--") && !written.contains("-->"), "{written}");
    }
    let written = text_of(|out| write_markdown(&entries(&["Keep `snake_case` & <T>."]), out).unwrap());
    assert!(written.ends_with("- Keep `snake_case` & <T>.\n"), "{written}");
}

#[test]
fn csv_comes_back_and_starts_no_formula() {
    let mut entries = entries(TEXTS);
    for entry in entries.iter_mut().step_by(2) {
        (entry.successes, entry.failures, entry.usage_count, entry.pinned) = (3, 1, 9, true);
        entry.source = Some(docet_core::text::FreeText::parse("source", "=cmd, \"x\"").unwrap());
    }
    let written = text_of(|out| write_csv(&entries, out).unwrap());
    assert!(written.starts_with("id,text,domain,confidence,usage_count,epoch,successes,failures,last_improved,pinned,source,created_at,updated_at\n"));
    let mut cells = csv_cells(&written);
    assert!(!cells.any(|cell| cell.starts_with(['=', '+', '-', '@'])), "{written}");
    let back = lessons(&written, &ReadOptions::default());
    assert!(back.refused.is_empty(), "{:?}", back.refused);
    assert_eq!(back.candidates.len(), entries.len());
    for (candidate, entry) in back.candidates.iter().zip(&entries) {
        assert_eq!(candidate.text, entry.text.as_str());
        assert_eq!(candidate.domain.as_deref(), Some(entry.domain.as_str()));
        assert_eq!(candidate.confidence, Some(entry.confidence.get()));
        let counts = (candidate.successes, candidate.failures, candidate.usage_count, candidate.pinned);
        assert_eq!(counts, (entry.successes, entry.failures, entry.usage_count, entry.pinned));
        assert_eq!(candidate.source.as_deref(), entry.source.as_ref().map(|source| source.as_str()));
    }
}

fn csv_cells(written: &str) -> impl Iterator<Item = String> {
    let mut reader = csv::Reader::from_reader(written.as_bytes());
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    rows.into_iter().flat_map(|row| row.iter().map(str::to_owned).collect::<Vec<_>>())
}

#[test]
fn rejects_can_be_mended_and_imported() {
    let options = ReadOptions { source: Some("team".to_owned()), ..ReadOptions::default() };
    let mut read = lessons(samples::ACE, &options);
    let broken = docet::Refusal::new(Code::TooManyWords, "too long");
    let refused: Vec<Refused> = read
        .candidates
        .drain(..2)
        .map(|candidate| Refused::of(candidate, broken.clone()))
        .chain(read.refused)
        .collect();
    let written = text_of(|out| write_rejects(&refused, out).unwrap());
    let back = lessons(&written, &ReadOptions::default());
    assert_eq!(back.candidates.len(), 2);
    let originals = lessons(samples::ACE, &options).candidates;
    for (mended, original) in back.candidates.iter().zip(originals) {
        assert_eq!(mended, &docet::interchange::Candidate { line: mended.line, ..original });
    }
    assert_eq!(back.refused[0].text, "[cal-00005] helpful=many harmful=0 :: Broken counts.");
}

#[test]
fn the_best_stand_between_their_markers() {
    let mut all = entries(&["One.", "Two.", "Three."]);
    all[2].confidence = docet_core::confidence::Confidence::parse(0.9).unwrap();
    let top = best(&all, 2);
    assert_eq!(top.iter().map(|entry| entry.id).collect::<Vec<_>>(), [3, 1]);
    let block = format!("{BEGIN}\n- Three.\n- One.\n{END}\n");
    let table = [
        ("", block.clone()),
        ("# A\n", format!("# A\n\n{block}")),
        ("# A", format!("# A\n\n{block}")),
        ("# A\r\nb\r\n", format!("# A\r\nb\r\n\r\n{}", block.replace('\n', "\r\n"))),
    ];
    for (existing, expected) in table {
        let spliced = splice_into(existing, &top).unwrap();
        assert_eq!(spliced, expected);
        assert_eq!(splice_into(&spliced, &top).unwrap(), spliced);
    }
    let existing = format!("a\r\n  {BEGIN} \r\n- old\r\nkept no longer\r\n{END}\r\n\r\nb  \n\tc");
    let spliced = splice_into(&existing, &top).unwrap();
    assert_eq!(spliced, format!("a\r\n  {BEGIN} \r\n- Three.\r\n- One.\r\n{END}\r\n\r\nb  \n\tc"));
    assert_eq!(splice_into(&spliced, &[]).unwrap(), format!("a\r\n  {BEGIN} \r\n{END}\r\n\r\nb  \n\tc"));
    assert_eq!(splice_into(&format!("{BEGIN}\n{END}"), &top).unwrap(), block.trim_end());
    assert_eq!(
        splice_into(&format!("see `{BEGIN}` here"), &[]).unwrap(),
        format!("see `{BEGIN}` here\n\n{BEGIN}\n{END}\n")
    );
}

#[test]
fn broken_markers_are_refused() {
    let table = [
        (format!("{BEGIN}\na\n"), "without an end"),
        (format!("a\n{END}\n"), "without a begin"),
        (format!("{END}\n{BEGIN}\n"), "before the begin"),
        (format!("{BEGIN}\n{BEGIN}\n{END}\n"), "twice"),
        (format!("{BEGIN}\n{END}\n{END}\n"), "twice"),
    ];
    for (existing, words) in table {
        let failure = splice_into(&existing, &[]).unwrap_err();
        assert_eq!(failure.code, Code::BadDocument);
        assert!(failure.message.contains(words), "{}", failure.message);
    }
}

#[test]
fn no_lesson_closes_its_block() {
    let all = entries(TEXTS);
    let lessons: Vec<&Entry> = all.iter().collect();
    let once = splice_into("# A\n", &lessons).unwrap();
    assert_eq!(splice_into(&once, &lessons).unwrap(), once);
    assert_eq!((once.matches("<!--").count(), once.matches("-->").count()), (2, 2), "{once}");
}
