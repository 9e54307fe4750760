//! Every code that a person can run into, and what leads to it.

use std::fs;

use serde_json::{Value, json};

use crate::sandbox::{Sandbox, weights};

/// The codes of a list of operations, each with the operation that has it; entries 1 to 3 stand, 3 in domain `web`.
const FAULTS: [(&str, &str); 18] = [
    ("unknown_id", r#"{"op": "delete", "id": 99}"#),
    ("equal_ids", r#"{"op": "merge", "ids": [1, 1], "text": "Both."}"#),
    ("too_few_ids", r#"{"op": "merge", "ids": [1], "text": "Both."}"#),
    ("domain_required", r#"{"op": "merge", "ids": [1, 3], "text": "Both."}"#),
    ("bad_domain", r#"{"op": "add", "text": "Good.", "domain": "two words"}"#),
    ("bad_confidence", r#"{"op": "add", "text": "Good.", "confidence": 1}"#),
    ("empty_text", r#"{"op": "add", "text": " \n "}"#),
    ("empty_text", r#"{"op": "add", "text": "Good.", "source": ""}"#),
    ("control_character", r#"{"op": "add", "text": "ring \u0007"}"#),
    ("control_character", r#"{"op": "modify", "id": 1, "source": "a\nb"}"#),
    ("invisible_character", r#"{"op": "add", "text": "left\u202eright"}"#),
    ("guideline_label", r#"{"op": "add", "text": "As [ g7 ] says."}"#),
    ("duplicate_text", r#"{"op": "modify", "id": 1, "text": "Two."}"#),
    ("too_many_words", r#"{"op": "add", "text": "WORDS"}"#),
    ("too_long", r#"{"op": "add", "text": "CHARACTERS"}"#),
    ("too_many_tokens", r#"{"op": "add", "text": "TOKENS"}"#),
    ("secret", r#"{"op": "add", "text": "Push with SECRET"}"#),
    ("left_earlier", r#"{"op": "delete", "id": 2}"#),
];

fn furnished() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.json(["add", "One.", "Two."]);
    sandbox.json(["add", "Three.", "--domain", "web"]);
    sandbox
}

#[test]
fn faults_of_operations() {
    let sandbox = furnished();
    let fill = |operation: &str| {
        let words = vec!["word"; 33].join(" ");
        let tokens = "!".repeat(300);
        let filled = operation.replace("WORDS", &words).replace("CHARACTERS", &"x".repeat(1_001));
        let secret = ["ghp", "_", &"R2d2C3po".repeat(5)].concat();
        filled.replace("TOKENS", &tokens).replace("SECRET", &secret)
    };
    let before = sandbox.state();
    let mut list: Vec<String> = FAULTS[..17].iter().map(|(_, operation)| fill(operation)).collect();
    list.extend([FAULTS[17].1, FAULTS[17].1].map(str::to_owned));
    let document = format!("[{}]", list.join(","));
    let error = sandbox.feed(["update", "-", "--json"], document.as_bytes()).error(1);
    let codes: Vec<&Value> = error["faults"].as_array().unwrap().iter().map(|fault| &fault["code"]).collect();
    assert_eq!(json!(codes), json!(FAULTS.map(|(code, _)| code)));
    assert_eq!(error["code"], FAULTS[0].0);
    assert!(!error.to_string().contains("R2d2"), "{error}");
    assert_eq!(sandbox.state(), before);
}

#[test]
fn refused_commands() {
    let sandbox = furnished();
    let session = sandbox.begin("one");
    let ended = sandbox.begin("one");
    sandbox.json(["end", &ended, "--no-outcome"]);
    let file = |name: &str, content: &str| sandbox.file(name, content).to_str().unwrap().to_owned();
    let lessons = file("lessons.json", r#"[{"op": "add", "text": "Late."}]"#);
    let no_json = file("no.json", "[{");
    let no_document = file("other.json", r#"{"op": "add"}"#);
    let large = sandbox.path("large.json");
    fs::File::create(&large).unwrap().set_len((64 << 20) + 1).unwrap();
    let large = large.to_str().unwrap();
    let table: [(&str, &[&str]); 27] = [
        ("bad_json", &["update", &no_json]),
        ("bad_document", &["update", &no_document]),
        ("bad_document", &["end", &session, "--no-outcome", "--update", &no_document]),
        ("too_large", &["update", large]),
        ("too_large", &["embed", "--lines", large]),
        ("io", &["update", "nowhere.json"]),
        ("io", &["embed", "--lines", "."]),
        ("bad_setting", &["settings", "colour=red"]),
        ("bad_setting", &["settings", "capacity=nan"]),
        ("bad_setting", &["settings", "capacity=30000"]),
        ("bad_setting", &["settings", "--reset", "colour"]),
        ("over_capacity", &["settings", "capacity=1"]),
        ("bad_name", &["--library", "Web", "list"]),
        ("library_missing", &["--library", "no-such-library", "list"]),
        ("library_missing", &["--library", "no-such-library", "add", "x"]),
        ("library_exists", &["init", "--capacity", "9"]),
        ("bad_domain", &["list", "--domain", "two words"]),
        ("bad_domain", &["recall", "x", "--domain", ""]),
        ("empty_text", &["recall", " "]),
        ("empty_text", &["begin", ""]),
        ("unknown_session", &["end", "nobody", "--no-outcome"]),
        ("unknown_session", &["--library", "default", "end", &session, "--no-outcome"]),
        ("session_ended", &["recall", "x", "--session", &ended]),
        ("session_ended", &["end", &ended, "--no-outcome", "--update", &lessons]),
        ("unknown_label", &["end", &session, "--improved=G9"]),
        ("conflicting_labels", &["end", &session, "--improved=G0", "--not-improved=G0"]),
        ("outcome_missing", &["end", &session]),
    ];
    for (code, words) in table {
        let error = sandbox.refused(words);
        assert_eq!(error["code"], code, "{words:?}: {error}");
        let run = sandbox.run(words);
        assert!(run.err.lines().count() < 4, "{}", run.err);
    }
    assert_eq!(sandbox.json(["sessions", "--open"])["sessions"][0]["session"], json!(session), "it stays open");
    assert_eq!(sandbox.refused(["show", "99"])["code"], "unknown_id");
    sandbox.json(["pin", "1", "2"]);
    assert_eq!(sandbox.refused(["compress", "--to", "1"])["code"], "capacity_pinned");
}

#[test]
fn places_that_are_not_there_yet() {
    let sandbox = Sandbox::bare();
    for store in ["postgres://host/db", "https://host", "http://127.0.0.1:1"] {
        assert_eq!(sandbox.refused(["--store", store, "list"])["code"], "not_available");
    }
    assert_eq!(sandbox.refused(["--store", "", "list"])["code"], "bad_value");
    let missing = sandbox.refused(["embed", "x"]);
    assert_eq!(missing["code"], "encoder_missing");
    assert!(missing["message"].as_str().unwrap().contains("docet model pull"), "{missing}");
    assert_eq!(sandbox.refused(["add", "x"])["code"], "encoder_missing");
}

#[test]
fn one_flipped_byte_of_the_weights_is_noticed() {
    let mut sandbox = Sandbox::bare();
    let (folder, sound) = (sandbox.path("flipped"), weights());
    fs::create_dir(&folder).unwrap();
    fs::copy(sound.join("tokenizer.json"), folder.join("tokenizer.json")).unwrap();
    let mut bytes = fs::read(sound.join("model.safetensors")).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(folder.join("model.safetensors"), bytes).unwrap();
    sandbox.set("DOCET_MODEL_DIR", folder);
    assert_eq!(sandbox.refused(["embed", "x"])["code"], "encoder_damaged");
}

#[cfg(unix)]
#[test]
fn arguments_that_are_not_utf8() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;

    let sandbox = Sandbox::blank();
    let broken = OsStr::from_bytes(b"caf\xe9");
    for words in [["add".as_ref(), broken], ["recall".as_ref(), broken], [broken, "x".as_ref()]] {
        let error = sandbox.refused(words);
        assert_eq!(error["code"], "not_utf8", "{error}");
    }
    let error = sandbox.feed(["add", "-", "--json"], b"fine\ncaf\xe9\n").error(1);
    assert!(error["code"] == "not_utf8" && error["message"].as_str().unwrap().contains("line 2 column 4"), "{error}");
    assert_eq!(sandbox.feed(["recall", "-", "--json"], b"\xff").error(1)["code"], "not_utf8");

    // A path may be anything.
    let list = sandbox.path("x").with_file_name(OsStr::from_bytes(b"list\xe9"));
    fs::write(&list, r#"[{"op": "add", "text": "Paths may be anything."}]"#).unwrap();
    let store = ["--store".as_ref(), broken];
    sandbox.json(store.into_iter().chain(["update".as_ref(), list.as_os_str()]));
    assert_eq!(sandbox.json(store.into_iter().chain(["list".as_ref()]))["total"], 1);
}
