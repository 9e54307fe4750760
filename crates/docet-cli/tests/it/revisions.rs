//! History, undo, restore and purge from outside, with the names that others rely on.

use std::path::Path;

use serde_json::{Value, json};

use crate::sandbox::{Sandbox, has};

const REVISION: [&str; 6] = ["revision", "at", "actor", "reason", "kind", "changes"];

fn has_all(value: &Value, names: &[&str]) {
    for name in names {
        assert!(has(value, name), "no {name} in {value}");
    }
}

/// Every changing command takes the three flags, and what it did bears them.
#[test]
fn every_changing_command_says_who_and_why() {
    let mut sandbox = Sandbox::new();
    sandbox.set("DOCET_ACTOR", "the environment");
    let lessons = sandbox.file("lessons.md", "- Read the whole error message first.\n");
    let operations = sandbox.file("operations.json", r#"[{"op": "add", "text": "From a list."}]"#);
    let (lessons, operations) = (lessons.display().to_string(), operations.display().to_string());
    let calls: [&[&str]; 15] = [
        &["init"],
        &["add", "Run the tests first.", "Ask first.", "Wait first."],
        &["modify", "1", "Run the failing test first."],
        &["pin", "1"],
        &["unpin", "1"],
        &["merge", "2", "3", "Ask and wait first."],
        &["delete", "4"],
        &["restore", "4"],
        &["undo", "7"],
        &["update", &operations],
        &["import", &lessons],
        &["settings", "top_k=3"],
        &["compress", "--to", "2"],
        &["purge", "--yes"],
        &["reembed"],
    ];
    for (number, call) in calls.iter().enumerate() {
        let (key, reason) = (format!("key {number}"), format!("why {number}"));
        let flags = ["--actor", "ci", "--reason", &reason, "--idempotency-key", &key];
        let words = || call.iter().chain(&flags).copied();
        let answer = sandbox.json(words());
        assert_eq!(sandbox.json(words()), answer, "{call:?} again");
        let newest = sandbox.json(["history", "--limit", "1"])["revisions"][0].clone();
        if !["init", "reembed"].contains(&call[0]) {
            has_all(&newest, &REVISION);
            assert_eq!((&newest["actor"], &newest["reason"]), (&json!("ci"), &json!(reason)), "{call:?}");
        }
    }
    let begun = sandbox.json(["begin", "a task", "--idempotency-key", "b", "--reason", "no revision"]);
    assert_eq!(sandbox.json(["begin", "a task", "--idempotency-key", "b", "--reason", "no revision"]), begun);
    sandbox.json(["end", begun["session"].as_str().unwrap(), "--improved"]);
    let newest = sandbox.json(["history", "--limit", "1"])["revisions"][0].clone();
    assert_eq!((newest["actor"].as_str(), newest["kind"].as_str()), (Some("the environment"), Some("end")));
    assert_eq!(newest["reason"], Value::Null);
    let other = sandbox.refused(["add", "Another.", "--idempotency-key", "key 1"]);
    assert_eq!(other["code"], "key_reused");
    assert_eq!(sandbox.json(["history", "--actor", "the environment"])["revisions"].as_array().unwrap().len(), 1);
}

#[test]
fn what_was_changed_is_told_and_taken_back() {
    let sandbox = Sandbox::new();
    sandbox.json(["add", "Run the tests first.", "Ask first."]);
    sandbox.json(["modify", "1", "Run the failing test first."]);
    sandbox.json(["delete", "2", "--reason", "stale"]);
    let history = sandbox.json(["history"]);
    let revisions = history["revisions"].as_array().unwrap();
    assert_eq!(revisions.iter().map(|revision| revision["revision"].clone()).collect::<Vec<_>>(), [3, 2, 1]);
    let change = &revisions[1]["changes"][0];
    assert_eq!(change["id"], 1);
    assert_eq!(change["before"]["text"], "Run the tests first.");
    assert_eq!(change["after"]["text"], "Run the failing test first.");
    assert_eq!(revisions[0]["changes"][0]["after"], Value::Null);

    let archived = sandbox.json(["list", "--archived"]);
    let left = &archived["experiences"][0];
    has_all(left, &["id", "text", "confidence", "archived_at", "reason"]);
    assert_eq!((&left["reason"], &archived["total"]), (&json!("stale"), &json!(1)));
    let shown = sandbox.json(["show", "2"]);
    assert_eq!((&shown["archived"], shown["history"].as_array().unwrap().len()), (&json!(true), 2));
    assert_eq!(sandbox.json(["show", "1"])["archived"], false);

    let conflict = sandbox.refused(["undo", "1"]);
    assert_eq!(conflict["code"], "undo_conflict");
    assert!(conflict["message"].as_str().unwrap().contains("2, 3"), "{conflict}");
    assert_eq!(sandbox.refused(["undo", "9"])["code"], "unknown_revision");
    let undone = sandbox.json(["undo", "2"]);
    has_all(&undone, &REVISION);
    assert_eq!((undone["revision"].clone(), undone["kind"].clone()), (json!(4), json!("undo")));
    let restored = sandbox.json(["restore", "2"]);
    assert_eq!(restored["changes"][0]["after"]["text"], "Ask first.");
    assert_eq!(sandbox.state(), (5, vec!["Run the tests first.".to_owned(), "Ask first.".to_owned()]));
    assert_eq!(sandbox.refused(["restore", "7"])["code"], "unknown_id");
}

/// The bytes of the store's file and of those beside it.
fn bytes_of(store: &Path) -> Vec<u8> {
    let beside = ["", "-wal", "-shm"].map(|ending| format!("{}{ending}", store.display()));
    beside.iter().flat_map(|file| std::fs::read(file).unwrap_or_default()).collect()
}

fn stands(bytes: &[u8], word: &str) -> bool {
    bytes.windows(word.len()).any(|window| window == word.as_bytes())
}

#[test]
fn what_is_purged_is_in_no_byte_of_the_store() {
    let sandbox = Sandbox::blank();
    let store = sandbox.path("data").join("docet.db");
    let lessons: Vec<String> = (0..60).map(|number| format!("Gone{number}x: an aubergine opens at dawn.")).collect();
    sandbox.json(["add", "Keep this one.", "--pin", "--idempotency-key", "k"].into_iter().map(str::to_owned));
    sandbox.json(["add"].into_iter().chain(lessons.iter().map(String::as_str)));
    let session = sandbox.begin("the aubergine");
    sandbox.json(["end", &session, "--improved"]);
    for step in 0..20 {
        sandbox.json(["modify", &(2 + step).to_string(), &format!("Stays{step}x: read the error first.")]);
    }
    sandbox.json(["compress", "--to", "21", "--strategy", "importance"]);
    sandbox.json(["delete", "5"]);
    assert!(stands(&bytes_of(&store), "aubergine"));
    let dry = sandbox.json(["purge"]);
    assert!(dry["texts"].as_u64() > Some(20) && dry["dry_run"] == true && stands(&bytes_of(&store), "aubergine"));
    let purged = sandbox.json(["purge", "--yes"]);
    has_all(&purged, &REVISION);
    let (bytes, standing) = (bytes_of(&store), sandbox.state().1);
    let gone = lessons.iter().filter(|lesson| !standing.contains(lesson));
    for lesson in gone.map(|lesson| lesson.split(':').next().unwrap()) {
        assert!(!stands(&bytes, &format!("{lesson}:")), "{lesson}");
    }
    assert!(stands(&bytes, "Keep this one.") && standing.iter().all(|text| stands(&bytes, text)));
    assert_eq!(sandbox.refused(["restore", "5"])["code"], "purged");
    assert_eq!(sandbox.refused(["undo", &purged["revision"].to_string()])["code"], "purged");
}

#[test]
fn lessons_go_out_and_come_in() {
    let sandbox = Sandbox::new();
    sandbox.json(["add", "Run the tests first.", "Ask first.", "--domain", "code", "--confidence", "0.3"]);
    sandbox.json(["delete", "1"]);
    let file = sandbox.path("library.jsonl").display().to_string();
    assert_eq!(sandbox.json(["export", &file]), json!({"exported": 1}));
    let lines = sandbox.run(["export", "--json"]);
    assert_eq!(std::fs::read(&file).unwrap(), lines.bytes);
    assert_eq!(sandbox.refused(["import", &file])["code"], "library_exists");
    let other = Sandbox::blank();
    let imported = other.json(["import", &file]);
    assert_eq!((&imported["imported"], &imported["size"], &imported["revision"]), (&json!(1), &json!(1), &json!(1)));
    assert_eq!(other.run(["export"]).bytes, lines.bytes);
    assert_eq!(other.add("Another."), 3);

    let notes = sandbox.file("notes.md", "# Code\n- Quote every path that may hold spaces.\n- Short.\n- Ask first.\n");
    let (notes, rejects) = (notes.display().to_string(), sandbox.path("rejects.jsonl").display().to_string());
    let before = sandbox.state();
    let dry = sandbox.json(["import", &notes, "--dry-run"]);
    assert_eq!((&dry["imported"], &dry["dry_run"], sandbox.state()), (&json!(1), &json!(true), before));
    let report = sandbox.json(["import", &notes, "--rejects", &rejects]);
    for name in ["imported", "equal", "refused", "shortened", "unmapped", "evicted", "size", "revision"] {
        assert!(has(&report, name), "no {name} in {report}");
    }
    has_all(&report["refused"][0], &["line", "code", "message", "text"]);
    assert_eq!((&report["refused"][0]["line"], &report["imported"]), (&json!(3), &json!(1)));
    let again = sandbox.json(["import", &rejects, "--min-words", "1"]);
    assert_eq!((&again["imported"], &again["equal"]), (&json!(1), &json!([{"line": 2, "id": 2}])), "{again}");

    sandbox.json(["settings", "capacity=3"]);
    let lines =
        sandbox.file("lines.txt", "Stop before the last step of a plan.\nGo on after the first step of a plan.\n");
    let full = sandbox.refused(["import", &lines.display().to_string()]);
    assert!(full["code"] == "over_capacity" && full["message"].as_str().unwrap().contains("5 entries"), "{full}");
    assert_eq!(sandbox.refused(["import", "no such file"])["code"], "io");
    let unknown = sandbox.file("unknown", "<html><body>no lessons</body></html>").display().to_string();
    assert_eq!(sandbox.refused(["import", &unknown])["code"], "bad_document");

    let agents = sandbox.file("AGENTS.md", "# Ours\r\n\r\nKeep this.\r\n");
    let splice = || sandbox.json(["export", "--into", &agents.display().to_string(), "--top", "1"]);
    assert_eq!(splice(), json!({"exported": 1}));
    let once = std::fs::read(&agents).unwrap();
    splice();
    assert_eq!(std::fs::read(&agents).unwrap(), once);
    assert!(once.starts_with(b"# Ours\r\n\r\nKeep this.\r\n"));
}

#[test]
fn the_machine_is_looked_after() {
    let sandbox = Sandbox::new();
    sandbox.json(["add", "Run the tests first."]);
    let doctor = sandbox.json(["doctor", "--all"]);
    assert_eq!((&doctor["ok"], &doctor["findings"]), (&json!(true), &json!([])), "{doctor}");
    let copy = sandbox.path("copy.db").display().to_string();
    assert_eq!(sandbox.json(["backup", &copy])["verified"], true);
    assert_eq!(sandbox.refused(["backup", &copy])["code"], "io");
    assert_eq!(sandbox.json(["--store", &copy, "list"])["total"], 1);
    assert_eq!(sandbox.json(["reembed"])["changed"], 0);
    assert_eq!(Sandbox::blank().refused(["doctor"])["code"], "store_missing");
}
