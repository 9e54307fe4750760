//! Stores that are no stores, or not any more.

use std::fs;
use std::path::PathBuf;

use crate::sandbox::Sandbox;

/// Where SQLite keeps the version of a schema and the id of its program.
const USER_VERSION: usize = 60;
const APPLICATION_ID: usize = 68;

fn with_store() -> (Sandbox, PathBuf) {
    let mut sandbox = Sandbox::blank();
    let store = sandbox.path("memory.db");
    sandbox.set("DOCET_STORE", &store);
    sandbox.add("Quote every path.");
    (sandbox, store)
}

#[track_caller]
fn assert_refused(sandbox: &Sandbox, code: &str) {
    for words in [&["list"][..], &["libraries"], &["recall", "x"], &["add", "x"], &["begin", "x"], &["init"]] {
        let error = sandbox.refused(words);
        assert_eq!(error["code"], code, "{words:?}: {error}");
        assert_eq!(sandbox.run(words).err.lines().count(), 1);
    }
}

#[test]
fn a_store_that_is_not_there_is_made_by_writing_alone() {
    let sandbox = Sandbox::blank();
    for words in [
        &["list"][..],
        &["libraries"],
        &["recall", "x"],
        &["sessions"],
        &["show", "1"],
        &["settings"],
        &["compress"],
        &["delete", "1"],
    ] {
        let error = sandbox.refused(words);
        assert_eq!(error["code"], "store_missing", "{words:?}");
        assert!(error["message"].as_str().unwrap().contains("docet add"), "{error}");
    }
    let dry = sandbox.feed(["update", "-", "--dry-run", "--json"], br#"[{"op": "add", "text": "Maybe."}]"#).answer();
    assert_eq!(dry["size"], 1);
    assert!(!sandbox.path("data").join("docet.db").exists());
    sandbox.add("Now it is there.");
    assert!(sandbox.path("data").join("docet.db").exists());
}

#[test]
fn what_is_refused_makes_no_store() {
    let mut sandbox = Sandbox::blank();
    let codes = [
        (&["add", "[G0] obey"][..], "guideline_label"),
        (&["--library", "web", "add", "Quote every path."], "library_missing"),
        (&["begin", " "], "empty_text"),
        (&["--library", "web", "begin", "quote"], "library_missing"),
        (&["--library", "web", "settings", "top_k=3"], "library_missing"),
        (&["settings", "min_confidence=0.7"], "bad_setting"),
        (&["init", "--capacity", "30000"], "bad_setting"),
    ];
    for (words, code) in codes {
        assert_eq!(sandbox.refused(words)["code"], code);
    }
    sandbox.set("DOCET_MODEL_DIR", sandbox.path("nothing"));
    for words in [&["add", "Quote every path."][..], &["begin", "quote"]] {
        assert_eq!(sandbox.refused(words)["code"], "encoder_missing");
    }
    assert!(!sandbox.path("data").join("docet.db").exists());
}

#[test]
fn a_folder() {
    let mut sandbox = Sandbox::blank();
    let folder = sandbox.path("folder");
    fs::create_dir(&folder).unwrap();
    sandbox.set("DOCET_STORE", &folder);
    assert_refused(&sandbox, "store_damaged");
}

#[test]
fn another_kind_of_file() {
    let mut sandbox = Sandbox::blank();
    let file = sandbox.file("notes.txt", "not a database, only words\n".repeat(300));
    let before = fs::read(&file).unwrap();
    sandbox.set("DOCET_STORE", &file);
    assert_refused(&sandbox, "store_damaged");
    assert_eq!(fs::read(&file).unwrap(), before);
}

#[test]
fn an_empty_file_is_a_store_to_be() {
    let mut sandbox = Sandbox::blank();
    sandbox.set("DOCET_STORE", sandbox.file("empty.db", ""));
    assert_eq!(sandbox.refused(["list"])["code"], "store_missing");
    sandbox.add("Now it is one.");
    assert_eq!(sandbox.json(["list"])["total"], 1);
}

#[test]
fn a_database_of_another_program() {
    let (sandbox, store) = with_store();
    patch(&store, APPLICATION_ID, [1, 2, 3, 4]);
    assert_refused(&sandbox, "store_damaged");
}

#[test]
fn a_store_of_a_newer_docet() {
    let (sandbox, store) = with_store();
    patch(&store, USER_VERSION, [0, 0, 3, 231]);
    let before = fs::read(&store).unwrap();
    assert_refused(&sandbox, "store_newer");
    assert_eq!(fs::read(&store).unwrap(), before);
}

#[test]
fn a_truncated_store() {
    let (sandbox, store) = with_store();
    let bytes = fs::read(&store).unwrap();
    for length in [2, 99, 4_000, bytes.len() / 2 + 1] {
        fs::write(&store, &bytes[..length]).unwrap();
        let error = sandbox.refused(["list"]);
        assert_eq!(error["code"], "store_damaged", "{length} bytes: {error}");
        assert_eq!(sandbox.run(["add", "x"]).code, 1, "{length} bytes");
    }
    fs::write(&store, bytes).unwrap();
    assert_eq!(sandbox.json(["list"])["total"], 1);
}

#[test]
fn a_read_only_store_is_read() {
    let (sandbox, store) = with_store();
    let mut permissions = fs::metadata(&store).unwrap().permissions();
    permissions.set_readonly(true);
    fs::set_permissions(&store, permissions).unwrap();
    assert_eq!(sandbox.run(["recall", "paths"]).out, "[G0] Quote every path.\n");
    assert_eq!(sandbox.json(["list"])["total"], 1);
    // Whoever may write everywhere may write here too; nobody else.
    let added = sandbox.run(["add", "Two.", "--json"]);
    assert!(added.code == 0 || added.error(1)["code"] == "io", "{}", added.err);
}

#[test]
fn vectors_of_another_encoder() {
    let (sandbox, store) = with_store();
    let mut bytes = fs::read(&store).unwrap();
    let name = b"all-MiniLM-L6-v2 53aa";
    let at = bytes.windows(name.len()).position(|window| window == name).unwrap();
    bytes[at + name.len() - 1] = b'b';
    fs::write(&store, bytes).unwrap();
    for words in [["recall", "x"], ["add", "x"], ["begin", "x"]] {
        assert_eq!(sandbox.refused(words)["code"], "encoder_differs", "{words:?}");
    }
    assert_eq!(sandbox.json(["list"])["total"], 1, "what needs no vector still works");
}

fn patch(store: &PathBuf, at: usize, with: [u8; 4]) {
    let mut bytes = fs::read(store).unwrap();
    bytes[at..at + 4].copy_from_slice(&with);
    fs::write(store, bytes).unwrap();
}
