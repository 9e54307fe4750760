//! Processes that are killed at any instant: what they had acknowledged is there, and nothing of theirs by half.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Child, Stdio};
use std::thread;
use std::time::Duration;

use serde_json::Value;

use crate::sandbox::Sandbox;

/// A store with a history, and a generator of instants and calls.
struct Victim {
    sandbox: Sandbox,
    random: u64,
    added: u64,
}

/// What became of a call.
#[derive(Default, Debug)]
struct Count {
    acknowledged: usize,
    committed: usize,
    nothing: usize,
}

impl Victim {
    fn new() -> Self {
        let sandbox = Sandbox::new();
        sandbox.json(["settings", "capacity=40"]);
        let lessons: Vec<String> = (0..30).map(|number| format!("Lesson {number} from the start.")).collect();
        sandbox.json(["add"].into_iter().chain(lessons.iter().map(String::as_str)));
        Self { sandbox, random: 7, added: 0 }
    }

    fn below(&mut self, end: u64) -> u64 {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) % end
    }

    /// A call that changes something, as its words.
    fn call(&mut self, revision: u64, session: &str) -> Vec<String> {
        self.added += 1;
        let number = self.added;
        let words = |words: &[&str]| words.iter().map(|word| (*word).to_owned()).collect::<Vec<_>>();
        match self.below(8) {
            0 | 1 => words(&["add", &format!("Lesson {number} that was added."), &format!("And {number} again.")]),
            2 => words(&["end", session, "--reward", "1", "--baseline", "0"]),
            3 => words(&["compress", "--to", "20", "--strategy", "importance"]),
            4 => {
                let lines: String =
                    (0..12).map(|line| format!("- Imported lesson {number} of line {line}\n")).collect();
                let file = self.sandbox.file("lessons.md", lines);
                words(&["import", &file.display().to_string(), "--min-words", "1", "--evict"])
            }
            5 => words(&["undo", &revision.to_string(), "--evict"]),
            6 => words(&["reembed"]),
            _ => words(&["purge", "--yes"]),
        }
    }

    fn spawn(&self, words: &[String]) -> Child {
        let mut command = self.sandbox.command();
        command.arg("--json").args(words).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        command.spawn().unwrap()
    }

    /// Kills so many processes, looks at the store after each, and says what had become of their calls.
    fn die(&mut self, kills: usize) -> Count {
        let mut count = Count::default();
        for kill in 0..kills {
            let before = self.revision();
            let session = self.sandbox.begin("a task");
            let call = self.call(before, &session);
            let mut child = self.spawn(&call);
            thread::sleep(Duration::from_micros(self.below(160_000)));
            // SIGKILL: nothing of the process runs after it.
            child.kill().unwrap();
            let output = child.wait_with_output().unwrap();
            let after = self.revision();
            let answered = serde_json::from_slice::<Value>(&output.stdout).ok();
            match answered.and_then(|answer| answer["revision"].as_u64()) {
                Some(revision) => {
                    assert_eq!(after, revision, "kill {kill}: {call:?} was acknowledged");
                    count.acknowledged += 1;
                }
                None if after > before => count.committed += 1,
                None => count.nothing += 1,
            }
            assert!(after <= before + 1, "kill {kill}: {call:?} left {before} at {after}");
            self.check(&format!("kill {kill}: {call:?}"));
        }
        count
    }

    fn revision(&self) -> u64 {
        self.sandbox.json(["list", "--limit", "1"])["revision"].as_u64().unwrap()
    }

    /// The history, replayed from its start, gives exactly the entries; the doctor finds nothing.
    fn check(&self, what: &str) {
        let listed = self.sandbox.json(["list"]);
        let history = self.sandbox.json(["history", "--limit", "1000000"]);
        let revisions = history["revisions"].as_array().unwrap();
        let numbers: Vec<u64> = revisions.iter().map(|revision| revision["revision"].as_u64().unwrap()).collect();
        assert_eq!(numbers, (1..=listed["revision"].as_u64().unwrap()).rev().collect::<Vec<_>>(), "{what}");
        let mut entries = BTreeMap::new();
        for change in revisions.iter().rev().flat_map(|revision| revision["changes"].as_array().unwrap()) {
            let id = change["id"].as_u64().unwrap();
            let before = entries.remove(&id).unwrap_or(Value::Null);
            assert_eq!(before, change["before"], "{what}: entry {id}");
            if !change["after"].is_null() {
                entries.insert(id, change["after"].clone());
            }
        }
        let found = listed["experiences"].as_array().unwrap();
        assert_eq!(*found, entries.into_values().collect::<Vec<_>>(), "{what}");
        let doctor = self.sandbox.json(["doctor"]);
        assert_eq!(doctor["findings"], Value::Array(Vec::new()), "{what}");
    }
}

fn survive(kills: usize) {
    let count = Victim::new().die(kills);
    println!("of {kills} kills: {count:?}");
    assert!(count.acknowledged + count.committed + count.nothing == kills);
}

#[test]
fn a_kill_leaves_all_or_nothing() {
    survive(24);
}

#[test]
#[ignore = "500 kills take minutes"]
fn five_hundred_kills_leave_all_or_nothing() {
    survive(500);
}

/// A store of the first schema, as the code before there was a history left it.
fn of_the_first_schema() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../docet-sqlite/tests/fixtures/schema-1.db"))
}

/// Kills so many migrations: afterwards the store opens and holds what it held.
fn migrate(kills: u64) {
    let mut sandbox = Sandbox::blank();
    let mut migrated = 0;
    for kill in 0..kills {
        let folder = sandbox.path(&format!("store-{kill}"));
        std::fs::create_dir(&folder).unwrap();
        let store = folder.join("docet.db");
        std::fs::copy(of_the_first_schema(), &store).unwrap();
        sandbox.set("DOCET_STORE", &store);
        let mut child =
            sandbox.command().args(["libraries"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        thread::sleep(Duration::from_micros(kill * 30_000 / kills));
        child.kill().unwrap();
        child.wait().unwrap();
        let has_copy = || folder.join("docet.db.schema-1").exists();
        migrated += usize::from(has_copy());
        let listed = sandbox.json(["libraries"]);
        assert_eq!(listed["libraries"].as_array().unwrap().len(), 3, "kill {kill}: {listed}");
        assert!(has_copy(), "kill {kill}: no copy beside the store");
        assert_eq!(sandbox.json(["doctor"])["findings"], Value::Array(Vec::new()), "kill {kill}");
    }
    println!("of {kills} kills {migrated} came after the copy");
}

#[test]
fn a_killed_migration_leaves_the_old_store_or_the_new_one() {
    migrate(12);
}

#[test]
#[ignore = "a hundred migrations take a minute"]
fn a_hundred_killed_migrations_leave_the_old_store_or_the_new_one() {
    migrate(100);
}
