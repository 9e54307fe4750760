//! What each format's sample gives.

use docet::Code;
use docet::interchange::{Candidate, FieldMap, Format, Lessons, ReadOptions};

use super::samples;
use super::{lessons, library};

/// Line, domain and text of each lesson.
fn taken(lessons: &Lessons) -> Vec<(usize, &str, &str)> {
    lessons.candidates.iter().map(|c| (c.line, c.domain.as_deref().unwrap_or("-"), c.text.as_str())).collect()
}

fn refused(lessons: &Lessons) -> Vec<(usize, Code)> {
    lessons.refused.iter().map(|refused| (refused.line, refused.code)).collect()
}

fn unmapped(lessons: &Lessons) -> Vec<(&str, usize)> {
    lessons.unmapped.iter().map(|unmapped| (unmapped.field.as_str(), unmapped.count)).collect()
}

/// Confidence, successes, failures and usage.
fn evidence(candidate: &Candidate) -> (Option<f64>, u64, u64, u64) {
    (candidate.confidence, candidate.successes, candidate.failures, candidate.usage_count)
}

fn plain(text: &str) -> Lessons {
    lessons(text, &ReadOptions::default())
}

#[test]
fn docet_gives_a_library() {
    let library = library(samples::DOCET.as_bytes());
    assert_eq!((library.settings.capacity, library.next_id, library.epoch), (300, 9, 12));
    assert_eq!(library.entries.iter().map(|entry| (entry.line, entry.id)).collect::<Vec<_>>(), [(2, 3), (3, 8)]);
    let first = &library.entries[0];
    assert_eq!((first.created_at.0, first.updated_at.0), (1_796_133_600_000, 1_796_200_200_125));
    assert_eq!((first.last_improved, first.pinned), (Some(11), true));
    assert!(library.refused.is_empty());
}

#[test]
fn one_bad_entry_of_an_export_never_stops_the_rest() {
    let line = samples::DOCET.lines().nth(1).unwrap();
    let table = [
        ("{", Code::BadJson),
        ("[]", Code::BadDocument),
        (&line.replace("\"id\":3,", ""), Code::BadDocument),
        (&line.replace("\"id\":3", "\"id\":3,\"id\":4"), Code::BadDocument),
        (&line.replace("\"id\":3", "\"id\":3,\"colour\":4"), Code::BadDocument),
        (&line.replace("\"id\":3", "\"id\":9"), Code::BadValue),
        (&line.replace("\"id\":3", "\"id\":0"), Code::BadValue),
        (&line.replace("\"id\":3", "\"id\":8"), Code::EqualIds),
        (&line.replace("\"epoch\":2", "\"epoch\":9007199254740992"), Code::BadValue),
        (&line.replace("0.7", "1.5"), Code::BadConfidence),
        (&line.replace("Read the", "[G0]"), Code::GuidelineLabel),
        (&line.replace("testing", "two words"), Code::BadDomain),
        (&line.replace("review 7", " "), Code::EmptyText),
        (&line.replace("2026-12-01T14:00:00.000Z", "yesterday"), Code::BadDocument),
    ];
    for (bad, code) in table {
        let mut lines: Vec<&str> = samples::DOCET.lines().collect();
        lines.insert(3, bad);
        let library = library(lines.join("\n").as_bytes());
        assert_eq!(library.entries.len(), 2, "{bad}");
        assert_eq!(
            (library.refused[0].line, library.refused[0].code),
            (4, code),
            "{bad}: {}",
            library.refused[0].message
        );
    }
}

#[test]
fn markdown_gives_its_bullets_under_their_headings() {
    let lessons = plain(samples::MARKDOWN);
    assert_eq!(lessons.format, Format::Markdown);
    let expected = [
        (10, "code-style-naming", "Never shorten a name that the glossary spells out."),
        (11, "code-style-naming", "Keep `snake_case` in Python files and in the database."),
        (14, "code-style-naming", "Errors: name the file that could not be read"),
        (15, "code-style-naming", "Errors: say what to do about it next"),
        (24, "testing", "Run the whole suite before you push anything."),
        (25, "testing", "Give each bug a test that fails without the mend."),
    ];
    assert_eq!(taken(&lessons), expected);
    assert_eq!(refused(&lessons), [(16, Code::BadValue)]);
    let Candidate { text, domain, .. } = lessons.refused[0].candidate.clone().unwrap();
    assert_eq!((text.as_str(), domain.as_deref()), ("Short one", Some("code-style-naming")));
    let message = &lessons.refused[0].message;
    assert!(message.contains("2 words") && message.contains("--min-words 2"), "{message}");
    let left = [("block of code", 1), ("front matter", 1), ("paragraph", 1), ("row of a table", 2)];
    assert_eq!(unmapped(&lessons), left);
}

#[test]
fn a_nested_bullet_is_read_with_those_above_it() {
    let options = ReadOptions { min_words: Some(1), ..ReadOptions::default() };
    let read = |text: &str| {
        let lessons = lessons(text, &options);
        lessons.candidates.into_iter().map(|candidate| candidate.text).collect::<Vec<_>>()
    };
    let deep = "- Tests\n  - Units.\n    - Use factories\n  - End to end\n- Docs";
    assert_eq!(read(deep), ["Tests: Units: Use factories", "Tests: End to end", "Docs"]);
    let tabs = "* Use hooks in every new component.\n\t* Name them well\r\n\n\t\tand long.\r\n";
    assert_eq!(
        read(tabs),
        ["Use hooks in every new component.", "Use hooks in every new component: Name them well and long."]
    );
    assert_eq!(read("1) a\n   - b\n2) c\n-\n  d\n- \n"), ["a: b", "c", "d"]);
    assert_eq!(read("- a\nb\n\nc\n\n- - -\n- d\n> e"), ["a b", "d > e"]);
    assert_eq!(read("- a\n  ```\n  - b\n  ```\n- c\n~~~\n- d"), ["a", "c"]);
    assert_eq!(read("# A\n- - a"), ["- a"]);
}

#[test]
fn markdown_without_bullets_gives_its_lines() {
    let lessons = plain("## Git\nRebase before you ask for a review.\nSign each of your commits with a key.\n");
    let expected =
        [(2, "git", "Rebase before you ask for a review."), (3, "git", "Sign each of your commits with a key.")];
    assert_eq!(taken(&lessons), expected);
}

#[test]
fn text_gives_a_lesson_a_line() {
    let lessons = plain(samples::TEXT);
    assert_eq!(lessons.format, Format::Text);
    let expected = [
        (1, "-", "Ask before you delete a branch of someone else."),
        (3, "-", "Prefer one clear query over three clever ones."),
    ];
    assert_eq!(taken(&lessons), expected);
    assert_eq!(refused(&lessons), [(4, Code::BadValue)]);
}

#[test]
fn csv_gives_a_lesson_a_row() {
    let lessons = plain(samples::CSV);
    let expected = [
        (2, "shell-scripts", "Quote a path, since it may hold spaces."),
        (3, "shell", "-v prints what a build really runs."),
    ];
    assert_eq!(taken(&lessons), expected);
    assert_eq!(evidence(&lessons.candidates[0]), (Some(0.75), 5, 1, 6));
    assert_eq!(evidence(&lessons.candidates[1]), (None, 0, 0, 0));
    assert_eq!(unmapped(&lessons), [("Reviewed by", 1)]);
}

#[test]
fn csv_in_other_dress() {
    let semicolons = plain("\u{feff}text;domain\r\n\r\n\"two\r\nlines\";web\r\nmore\r\na;b;c\r\n");
    assert_eq!(taken(&semicolons), [(3, "web", "two\r\nlines"), (5, "-", "more")]);
    assert_eq!(refused(&semicolons), [(6, Code::BadDocument)]);
    assert_eq!(semicolons.refused[0].text, "a;b;c");
    let tabs = plain("id\ttext\tsource\n7\ta lesson\t\n8\tanother\tAnn\n");
    let sources: Vec<_> = tabs.candidates.iter().map(|candidate| candidate.source.as_deref()).collect();
    assert_eq!(sources, [Some("csv 7"), Some("Ann")]);
}

#[test]
fn json_gives_its_records() {
    let lessons = plain(samples::JSON);
    let expected = [
        (4, "io", "Close the file in the function that opened it."),
        (5, "-", "Log the id of a request, never its body."),
        (6, "-", "A bare text is a lesson as well."),
    ];
    assert_eq!(taken(&lessons), expected);
    assert_eq!(lessons.candidates[1].source.as_deref(), Some("ops"));
    assert!(lessons.candidates[1].pinned);
    assert_eq!(unmapped(&lessons), [("meta", 1), ("version", 1)]);

    let map = FieldMap::parse("domain=meta.tags.0,successes=meta.helpful,source=id").unwrap();
    let mapped = super::lessons(samples::JSON, &ReadOptions { map, ..ReadOptions::default() });
    assert_eq!(evidence(&mapped.candidates[0]), (Some(0.8), 3, 0, 3));
    assert_eq!(mapped.candidates[0].domain.as_deref(), Some("io"));
    assert_eq!(mapped.candidates[1].source.as_deref(), Some("17"));
    assert_eq!(unmapped(&mapped), [("author", 1), ("topic", 1), ("version", 1)]);
}

#[test]
fn json_in_other_shapes() {
    assert_eq!(taken(&plain(r#"{"text": "one record", "tags": ["a"]}"#)), [(1, "-", "one record")]);
    assert_eq!(taken(&plain(r#"["a", {"rule": "b"}]"#)), [(1, "-", "a"), (1, "-", "b")]);
    assert_eq!(refused(&plain(r#"[1, {"rule": 2}, {"title": "c"}, null]"#)), [(1, Code::BadDocument); 4]);
    let several = docet::interchange::read(br#"{"a": [], "b": []}"#, &ReadOptions::default()).unwrap_err();
    assert_eq!(several.code, Code::BadDocument);
    assert!(several.message.contains("\"a\", \"b\""), "{}", several.message);
}

#[test]
fn jsonl_gives_a_lesson_a_line() {
    let lessons = plain(samples::JSONL);
    assert_eq!(lessons.format, Format::Jsonl);
    assert_eq!(taken(&lessons), [(1, "-", "Bound every queue."), (4, "network-i/o", "Retry with a limit.")]);
    assert_eq!(evidence(&lessons.candidates[0]), (Some(0.8), 0, 0, 12));
    assert_eq!(evidence(&lessons.candidates[1]), (Some(0.75), 2, 0, 2));
    assert_eq!(refused(&lessons), [(2, Code::BadJson), (5, Code::BadValue)]);
    assert_eq!(lessons.refused[1].message, "failures is -1; allowed is a whole number, 0 to below 2^53");
}

#[test]
fn grpo_gives_what_its_labels_name() {
    let lessons = plain(samples::GRPO);
    let expected = [
        (2, "-", "Estimation: bound the answer before you compute it."),
        (3, "-", "Counting: enumerate the small cases first."),
    ];
    assert_eq!(taken(&lessons), expected);
    assert_eq!(refused(&lessons), [(4, Code::BadDocument)]);
    assert_eq!(lessons.candidates[1].source.as_deref(), Some("grpo G1"));
    let text = plain(samples::GRPO_TEXT);
    assert_eq!(taken(&text), [(1, "-", expected[0].2), (3, "-", expected[1].2)]);
}

#[test]
fn grpo_operations_apply_within_their_file() {
    let options = plain(samples::GRPO_OPTIONS);
    let expected = [
        (5, "-", "Check units and signs at each step."),
        (7, "-", "Draw the figure and look for a symmetry."),
        (9, "-", "Check the answer by another way."),
    ];
    assert_eq!(taken(&options), expected);
    assert_eq!(refused(&options), [(6, Code::UnknownId), (8, Code::LeftEarlier)]);
    assert_eq!(options.refused[0].text, "Try the extreme case.");

    let operations = plain(samples::GRPO_OPERATIONS);
    assert_eq!(taken(&operations), [(3, "-", "Sources: open and date the primary source.")]);
    assert_eq!(refused(&operations), [(7, Code::UnknownId)]);
    assert_eq!(unmapped(&operations), [("operation NONE", 1)]);

    let both = r#"{"operations": [{"option": "modify", "modified_from": "G1", "experience": "B."}],
        "experiences": {"G0": "a", "G1": "b"}}"#;
    assert_eq!(taken(&plain(both)), [(2, "-", "a"), (1, "-", "B.")]);
    let result = r#"{"operations": [{"option": "add", "experience": "a"}], "new_experiences": {"G0": "b"}}"#;
    assert_eq!(taken(&plain(result)), [(1, "-", "b")]);
}

#[test]
fn paper_operations_apply_within_their_file() {
    let lessons = plain(samples::PAPER);
    let expected = [
        (4, "-", "Halve the range on a time-out; stop when two tools agree."),
        (6, "-", "A pipe such as a | b stays in its text."),
    ];
    assert_eq!(taken(&lessons), expected);
    assert_eq!(refused(&lessons), [(5, Code::LeftEarlier), (7, Code::BadDocument)]);
    let table = [
        ("MODIFY | 1 | a", Code::UnknownId),
        ("MERGE | 0 | a", Code::TooFewIds),
        ("MERGE | 0, G0 | a", Code::EqualIds),
        ("ADD | 0 | a", Code::EqualIds),
        ("MODIFY | | a", Code::BadDocument),
        ("DELETE", Code::BadDocument),
    ];
    for (line, code) in table {
        assert_eq!(refused(&plain(&format!("ADD | | first\n{line}"))), [(2, code)], "{line}");
    }
}

#[test]
fn ace_gives_its_bullets_with_their_counts() {
    let lessons = plain(samples::ACE);
    let expected = [
        (4, "strategies-insights", "Convert every amount to one currency before adding."),
        (5, "strategies-insights", "Read the footnotes of a table."),
        (8, "common-mistakes-to-avoid", "A fiscal year seldom begins in January :: look it up."),
    ];
    assert_eq!(taken(&lessons), expected);
    assert_eq!(evidence(&lessons.candidates[0]), (Some(6.0 / 7.0), 5, 0, 5));
    assert_eq!(evidence(&lessons.candidates[1]), (None, 0, 0, 0));
    assert_eq!(lessons.candidates[2].source.as_deref(), Some("ace cal-00004"));
    assert_eq!(refused(&lessons), [(9, Code::BadDocument)]);
}

#[test]
fn kayba_gives_its_skills() {
    let lessons = plain(samples::KAYBA);
    assert_eq!(taken(&lessons), [(3, "ticket-triage", "Ask for the version before anything else.")]);
    assert_eq!(evidence(&lessons.candidates[0]), (Some(0.75), 5, 1, 6));
    assert_eq!(lessons.candidates[0].source.as_deref(), Some("kayba triage-00001"));
    assert_eq!(refused(&lessons), [(9, Code::BadValue)]);
    assert_eq!(unmapped(&lessons), [("created_at", 1), ("justification", 1), ("neutral", 1), ("updated_at", 1)]);
}

#[test]
fn cass_gives_its_bullets() {
    let lessons = plain(samples::CASS);
    let expected = [
        (9, "error-handling", "Wrap an error with what was being done, once, where it is known."),
        (32, "testing", "Seed every random source."),
    ];
    assert_eq!(taken(&lessons), expected);
    assert_eq!(evidence(&lessons.candidates[0]), (Some(0.8), 7, 1, 8));
    assert!(lessons.candidates[0].pinned);
    assert_eq!(lessons.candidates[0].source.as_deref(), Some("cass b-1f2e3d"));
    assert_eq!(refused(&lessons), [(24, Code::BadValue), (34, Code::BadDocument)]);
    assert!(lessons.refused[0].message.contains("retired"), "{}", lessons.refused[0].message);
}

#[test]
fn what_the_caller_says_stands_where_the_source_says_nothing() {
    let options = ReadOptions {
        domain: Some("house".to_owned()),
        source: Some("team".to_owned()),
        min_words: Some(3),
        ..ReadOptions::default()
    };
    let text = lessons("- One two three.\n# A\n- Four five six.\n- Seven.\n", &options);
    assert_eq!(taken(&text), [(1, "house", "One two three."), (3, "a", "Four five six.")]);
    assert!(text.candidates.iter().all(|candidate| candidate.source.as_deref() == Some("team")));
    let ace = lessons(samples::ACE, &options);
    assert_eq!(ace.candidates[0].source.as_deref(), Some("team: ace str-00001"));
    let long = ReadOptions { source: Some("s".repeat(199)), ..options };
    assert_eq!(lessons(samples::ACE, &long).candidates[0].source.as_ref().unwrap().chars().count(), 200);
}

#[test]
fn a_skillbook_of_the_second_version_gives_its_insights() {
    let skill = |id: &str, rest: &str| format!(r#""{id}": {{"id": "{id}", "section": "context", {rest}}}"#);
    let skills = [
        skill(
            "a-1",
            r#""issue": "Focus is lost.", "insight": "Click before you type.", "helpful_count": 3, "harmful_count": 1, "used_count": 9, "active": true"#,
        ),
        skill("a-2", r#""issue": "Long outputs are cut.", "insight": null, "used_count": 0, "active": true"#),
        skill("a-3", r#""issue": "Old.", "insight": "Gone for good.", "harmful_count": 4, "active": false"#),
    ];
    let lessons = plain(&format!(r#"{{"schema_version": "2", "skills": {{{}}}}}"#, skills.join(", ")));
    let figures = |lesson: &Candidate| (lesson.text.clone(), lesson.confidence, lesson.usage_count);
    let taken: Vec<_> = lessons.candidates.iter().map(figures).collect();
    let expected =
        [("Click before you type.".to_owned(), Some(4.0 / 6.0), 9), ("Long outputs are cut.".to_owned(), None, 0)];
    assert_eq!(taken, expected);
    assert_eq!(refused(&lessons), [(1, Code::BadValue)]);
    assert_eq!(lessons.refused[0].text, "Gone for good.");
}

#[test]
fn what_docet_wrote_into_a_file_is_not_read_back() {
    let notes = "# Team\n- Run the whole suite before each commit.\n<!-- docet:begin -->\n- A lesson of the library itself.\n<!-- docet:end -->\n- Never push to the main branch by hand.\n";
    let lessons = plain(notes);
    let expected =
        [(2, "team", "Run the whole suite before each commit."), (6, "team", "Never push to the main branch by hand.")];
    assert_eq!(taken(&lessons), expected);
    assert_eq!(unmapped(&lessons), [("lesson that Docet wrote here", 1)]);
    let broken = plain(&notes.replace("docet:end", "docet:fin"));
    assert_eq!(broken.candidates.len(), 3);
}
