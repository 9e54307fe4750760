//! Exit codes: 2 for a command line that does not parse, 1 for what is refused.

use serde_json::json;

use crate::sandbox::Sandbox;

const COMMANDS: [&str; 21] = [
    "init",
    "libraries",
    "add",
    "modify",
    "delete",
    "merge",
    "update",
    "recall",
    "begin",
    "end",
    "sessions",
    "list",
    "show",
    "pin",
    "unpin",
    "compress",
    "embed",
    "settings",
    "model",
    "quickstart",
    "completions",
];

/// Command lines that do not parse, each with the field that the error names, if any.
const UNPARSED: [(&[&str], &str); 66] = [
    (&[], ""),
    (&["lsit"], ""),
    (&["purgee"], ""),
    (&["recall", "x", "--actor", "me"], ""),
    (&["list", "--proposed"], ""),
    (&["undo"], "rev"),
    (&["undo", "last"], "rev"),
    (&["restore"], "id"),
    (&["purge", "--older-than", "long"], "older_than"),
    (&["import"], "file"),
    (&["import", "x", "--overlong", "maybe"], "overlong"),
    (&["export", "--top", "3"], "into"),
    (&["export", "x", "--into", "y", "--top", "3"], "file"),
    (&["backup"], "file"),
    (&["list", "more"], ""),
    (&["list", "--sort", "size"], "sort"),
    (&["list", "--limit", "many"], "limit"),
    (&["list", "--limit"], "limit"),
    (&["list", "--offset", "nan"], "offset"),
    (&["sessions", "--limit", "inf"], "limit"),
    (&["init", "--capacity", "much"], "capacity"),
    (&["add"], "text"),
    (&["add", "x", "--confidence", "high"], "confidence"),
    (&["add", "x", "--confidence", "nan"], "confidence"),
    (&["add", "x", "--confidence", "1e400"], "confidence"),
    (&["add", "- an item"], ""),
    (&["modify"], "id"),
    (&["modify", "abc", "x"], "id"),
    (&["modify", "1"], "text"),
    (&["modify", "1", "2"], "text"),
    (&["delete"], "id"),
    (&["delete", "1", "two"], "id"),
    (&["merge"], "id"),
    (&["merge", "text"], "id"),
    (&["merge", "1", "2"], "text"),
    (&["merge", "1", "2", "3"], "text"),
    (&["merge", "one", "2", "text"], "id"),
    (&["update"], "file"),
    (&["update", "-", "--on-invalid", "ignore"], "on_invalid"),
    (&["recall"], "task"),
    (&["recall", "x", "-k", "five"], "k"),
    (&["recall", "x", "-k", "-inf"], "k"),
    (&["recall", "x", "-k"], "k"),
    (&["recall", "x", "--min-score", "1e400"], "min_score"),
    (&["recall", "x", "--confidence-weight", ""], "confidence_weight"),
    (&["recall", "x", "--domain", "a", "--all-domains"], "domain"),
    (&["recall", "x", "--domian", "a"], ""),
    (&["recall", "x", "--group", "g"], ""),
    (&["begin"], "task"),
    (&["begin", "x", "--session", "s"], ""),
    (&["begin", "x", "y"], ""),
    (&["end"], "session"),
    (&["end", "s", "--reward", "good"], "reward"),
    (&["end", "s", "--reward", "-inf"], "reward"),
    (&["end", "s", "--baseline", "1"], "reward"),
    (&["end", "s", "--improved", "--not-improved"], "improved"),
    (&["end", "s", "--no-outcome", "--improved"], "no_outcome"),
    (&["end", "s", "--no-outcome", "--reward", "1"], "no_outcome"),
    (&["show", "abc"], "id"),
    (&["pin"], "id"),
    (&["unpin", "x"], "id"),
    (&["compress", "--to", "few"], "to"),
    (&["compress", "--seed", "-nan"], "seed"),
    (&["embed"], "text"),
    (&["embed", "x", "--lines", "f"], "text"),
    (&["settings", "capacity"], "key"),
];

#[test]
fn what_does_not_parse_ends_with_2() {
    let sandbox = Sandbox::bare();
    for (words, field) in UNPARSED {
        let error = sandbox.run(words.iter().chain(&["--json"])).error(2);
        assert_eq!(error["code"], "bad_arguments", "{words:?}");
        assert_eq!(error["field"].as_str().unwrap_or_default(), field, "{words:?}: {error}");
        let plain = sandbox.run(words);
        assert_eq!((plain.code, plain.out.as_str()), (2, ""), "{words:?}");
    }
    assert!(!sandbox.path("data").exists(), "nothing was made");
}

#[test]
fn help_is_everywhere_and_no_failure() {
    let sandbox = Sandbox::bare();
    for command in COMMANDS {
        let help = sandbox.run([command, "--help"]);
        assert_eq!((help.code, help.err.as_str()), (0, ""), "{command}");
        let (_, examples) = help.out.split_once("Examples:\n").unwrap();
        assert_eq!(examples.lines().filter(|line| line.contains("docet ")).count(), 2, "{command}: {examples}");
    }
    let nothing = sandbox.run([""; 0]);
    assert!(nothing.code == 2 && nothing.err.contains("Start here:"), "{}", nothing.err);
    assert_eq!(sandbox.run(["--version"]).out, format!("docet {}\n", env!("CARGO_PKG_VERSION")));
    for words in [&["help", "--json"][..], &["--json", "help"], &["--help", "--json"], &["help", "end", "--json"]] {
        let help = sandbox.run(words);
        assert_eq!((help.code, help.err.as_str()), (0, ""), "{words:?}");
        let document: serde_json::Value = serde_json::from_str(&help.out).unwrap();
        assert!(document["help"].as_str().unwrap().contains("Usage: docet"), "{words:?}");
    }
    assert!(sandbox.run(["settings", "--help"]).out.contains("Default: hybrid."));
}

#[test]
fn slips_are_answered_with_a_suggestion() {
    let sandbox = Sandbox::bare();
    for (words, suggestion) in [
        (&["lsit"][..], "'list'"),
        (&["recal", "x"], "'recall'"),
        (&["recall", "x", "--domian", "a"], "'--domain'"),
        (&["list", "--sort", "confidense"], "'confidence'"),
        (&["settings", "top-k=3"], "\"top_k\""),
        (&["end", "s", "--improved", "G0,G2"], "--improved=G0,G2"),
        (&["end", "s", "--not-improved", "G1"], "--not-improved=G1"),
    ] {
        let run = sandbox.run(words);
        assert!(run.err.contains(suggestion), "{words:?}: {}", run.err);
    }
}

#[test]
fn a_number_outside_of_its_range_is_refused_with_the_range() {
    let sandbox = Sandbox::new();
    let id = sandbox.add("One.").to_string();
    let session = sandbox.begin("x");
    let two_to_64 = "18446744073709551616";
    let table: [(&[&str], &str); 19] = [
        (&["recall", "x", "-k", "-3"], "k"),
        (&["recall", "x", "-k", "0"], "k"),
        (&["recall", "x", "-k", "2.5"], "k"),
        (&["recall", "x", "-k", two_to_64], "k"),
        (&["recall", "x", "--min-score", "-1.5"], "min_score"),
        (&["recall", "x", "--confidence-weight", "1e300"], "confidence_weight"),
        (&["begin", "x", "-k", "101"], "k"),
        (&["list", "--limit", "0"], "limit"),
        (&["list", "--offset", "-1"], "offset"),
        (&["sessions", "--limit", "0.5"], "limit"),
        (&["show", "1.5"], "id"),
        (&["show", "-1"], "id"),
        (&["show", two_to_64], "id"),
        (&["delete", &id, "9007199254740993"], "id"),
        (&["modify", "-1", "x"], "id"),
        (&["pin", "1e40"], "id"),
        (&["merge", "1.5", "2", "text"], "id"),
        (&["compress", "--to", "0"], "to"),
        (&["compress", "--seed", two_to_64], "seed"),
    ];
    for (words, field) in table {
        let error = sandbox.refused(words);
        assert_eq!(json!([error["code"], error["field"]]), json!(["bad_value", field]), "{words:?}");
        assert!(error["value"].is_string() && error["allowed"].is_string(), "{error}");
    }
    for (field, words) in [
        ("strategy", ["compress", "--strategy", "age"]),
        ("rescore", ["compress", "--rescore", "twice"]),
        ("age_from", ["compress", "--age-from", "birth"]),
        ("preset", ["settings", "--preset", "papers"]),
    ] {
        let error = sandbox.refused(words);
        assert_eq!(json!([error["code"], error["field"]]), json!(["bad_value", field]), "{error}");
        assert!(error["allowed"].as_str().unwrap().contains(", "), "{error}");
    }
    assert_eq!(sandbox.refused(["recall", "x", "-k", "-0"])["code"], "bad_value");
    assert_eq!(sandbox.json(["recall", "x", "--min-score", "-0"])["truncated"], false);
    sandbox.json(["end", &session, "--reward", "-0", "--baseline", "1e308"]);
}
