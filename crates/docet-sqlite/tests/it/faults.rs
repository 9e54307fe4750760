//! Disks that are full, and disks whose flush fails.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use docet_core::ports::Store;
use docet_sqlite::SqliteStore;

use crate::child;
use crate::folder::{filled, names, path_in, size};

/// What a child says that `wrapper` starts.
fn wrapped(wrapper: &[&str], task: &str, path: &Path) -> String {
    let child = child::command(task, path);
    let mut command = Command::new(wrapper[0]);
    command.args(&wrapper[1..]).arg(child.get_program()).args(child.get_args());
    command.envs(child.get_envs().filter_map(|(key, value)| Some((key, value?))));
    let output = command.stdout(Stdio::piped()).stderr(Stdio::null()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let answers: Vec<&str> = text.lines().filter_map(child::answer).collect();
    assert_eq!(answers.len(), 1, "{output:?}");
    answers[0].replace(&path.display().to_string(), "FILE")
}

/// No file of the child's may become larger than so many blocks of 512 bytes.
fn limited(blocks: u64, task: &str, path: &Path) -> String {
    wrapped(&["sh", "-c", &format!("ulimit -f {blocks}; trap '' XFSZ; exec \"$@\""), "sh"], task, path)
}

fn has_strace() -> bool {
    Command::new("strace").args(["-qq", "true"]).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// Every flush of the child's from the one of that number on fails.
fn without_flush(from: usize, task: &str, path: &Path) -> String {
    let inject = format!("inject=fsync,fdatasync:error=EIO:when={from}+");
    wrapped(&["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fsync,fdatasync", "-e", &inject], task, path)
}

#[test]
fn a_full_disk_is_an_error_and_the_last_change_stands() {
    let folder = tempfile::tempdir().unwrap();
    let path = filled(&folder);
    for task in ["write", "write and be killed"] {
        let outcome = limited(4, task, &path);
        assert!(outcome.starts_with("FILE") || outcome.starts_with("no space for FILE"), "{outcome}");
        let store = SqliteStore::open(&path).unwrap();
        assert_eq!((size(&store), store.examine().unwrap()), (3, vec![]), "{task}");
    }
}

#[test]
fn a_copy_that_finds_no_space_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = path_in(&folder);
    fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/schema-1.db"), &path).unwrap();
    let before = fs::read(&path).unwrap();
    let outcome = limited(100, "create", &path);
    assert!(outcome.contains("FILE.schema-1.partial"), "{outcome}");
    assert!(fs::read(&path).unwrap() == before);
    assert!(!names(folder.path()).iter().any(|name| name.contains("schema")), "{:?}", names(folder.path()));

    SqliteStore::open(&path).unwrap();
    let outcome = limited(100, "back up", &path);
    assert!(outcome.contains(".partial"), "{outcome}");
    assert!(!names(folder.path()).iter().any(|name| name.contains("backup")), "{:?}", names(folder.path()));
}

/// SQLite has written the whole change to its log by then, so that who reads the log anew could take it for committed.
#[test]
fn a_change_whose_flush_failed_does_not_come_back() {
    if !has_strace() {
        eprintln!("skipped: needs strace, and the right to use it");
        return;
    }
    // The first flush is that of the log's head, the second that of the change.
    for (from, task) in [(1, "write"), (1, "write and be killed"), (2, "write"), (2, "write and be killed")] {
        let folder = tempfile::tempdir().unwrap();
        let path = filled(&folder);
        let outcome = without_flush(from, task, &path);
        assert!(outcome.starts_with("FILE could not be read or written; check its disk"), "{outcome}");
        let store = SqliteStore::open(&path).unwrap();
        assert_eq!((size(&store), store.examine().unwrap()), (3, vec![]), "{from} {task}");
    }
}

#[test]
fn a_migration_or_a_backup_whose_flush_fails_is_an_error() {
    if !has_strace() {
        eprintln!("skipped: needs strace, and the right to use it");
        return;
    }
    for from in 1..=6 {
        let folder = tempfile::tempdir().unwrap();
        let path = path_in(&folder);
        fs::copy(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/schema-1.db"), &path).unwrap();
        let outcome = without_flush(from, "create", &path);
        let store = SqliteStore::open(&path).unwrap();
        assert_eq!((store.libraries().unwrap().len(), store.examine().unwrap()), (3, vec![]), "{from}: {outcome}");
        assert!(PathBuf::from(format!("{}.schema-1", path.display())).exists(), "{from}: {outcome}");

        let outcome = without_flush(from, "back up", &path);
        let is_there = child::backup_of(&path).exists();
        assert_eq!(is_there, outcome == "8" || outcome.contains("backup.db cannot be written"), "{from}: {outcome}");
    }
}
