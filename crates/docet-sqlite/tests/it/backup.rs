//! Copies of a whole store.

use std::fs;
use std::thread;
use std::time::Duration;

use docet_conformance::Random;
use docet_core::ports::{Store, StoreError};
use docet_sqlite::SqliteStore;

use crate::child;
use crate::folder::{filled, meddle, names, path_in, size};

#[test]
fn a_backup_is_a_store_with_the_same_content() {
    let folder = tempfile::tempdir().unwrap();
    let path = filled(&folder);
    let target = folder.path().join("copy.db");
    for open in [SqliteStore::open, SqliteStore::open_read_only] {
        let store = open(&path).unwrap();
        let backup = store.back_up(&target).unwrap();
        assert_eq!((backup.path.as_path(), backup.libraries, backup.entries), (target.as_path(), 1, 3));
        assert_eq!(backup.bytes, target.metadata().unwrap().len());
        let copy = SqliteStore::open_existing(&target).unwrap();
        assert_eq!((size(&copy), copy.examine().unwrap()), (3, vec![]));
        drop(copy);
        fs::remove_file(&target).unwrap();
    }
}

#[test]
fn a_backup_never_takes_the_place_of_another_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = filled(&folder);
    let store = SqliteStore::open(&path).unwrap();
    let target = folder.path().join("copy.db");
    fs::write(&target, "mine").unwrap();
    for target in [&target, &path, &folder.path().to_owned()] {
        let error = store.back_up(target).unwrap_err().to_string();
        assert!(error.contains("is there already") && error.contains("name a new file"), "{error}");
    }
    assert_eq!(fs::read(&target).unwrap(), b"mine");
    let error = store.back_up(&folder.path().join("no/such/folder/copy.db")).unwrap_err();
    assert!(matches!(error, StoreError::Io { .. }), "{error}");
    assert_eq!(names(folder.path()).iter().filter(|name| name.contains("partial")).count(), 0);
}

#[test]
#[cfg(unix)]
fn a_backup_is_as_private_as_its_store() {
    use std::os::unix::fs::{MetadataExt, PermissionsExt};
    let folder = tempfile::tempdir().unwrap();
    let path = filled(&folder);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    let target = folder.path().join("copy.db");
    SqliteStore::open(&path).unwrap().back_up(&target).unwrap();
    assert_eq!(target.metadata().unwrap().mode() & 0o777, 0o600);
}

/// Each change adds an entry, a session and a revision: a backup has as many of each.
#[test]
fn a_backup_is_of_one_state_though_others_write() {
    let folder = tempfile::tempdir().unwrap();
    let path = path_in(&folder);
    drop(SqliteStore::open(&path).unwrap());
    let mut writer = child::command("write on and on", &path).stdout(std::process::Stdio::null()).spawn().unwrap();
    let store = SqliteStore::open(&path).unwrap();
    let mut sizes = Vec::new();
    for number in 0..10 {
        thread::sleep(Duration::from_millis(20));
        let backup = store.back_up(&folder.path().join(format!("{number}.db"))).unwrap();
        let copy = SqliteStore::open(&backup.path).unwrap();
        assert_eq!(copy.examine().unwrap(), []);
        sizes.push(backup.entries);
        if backup.entries > 0 {
            let library = copy.libraries().unwrap().remove(0);
            assert_eq!((library.size, library.revision), (backup.entries, backup.entries as u64));
        }
    }
    writer.kill().unwrap();
    writer.wait().unwrap();
    assert!(sizes.is_sorted() && sizes[9] > sizes[0], "{sizes:?}");
}

#[test]
fn a_damaged_store_is_not_backed_up() {
    let folder = tempfile::tempdir().unwrap();
    let path = filled(&folder);
    meddle(&path, "PRAGMA foreign_keys = OFF; DELETE FROM sessions");
    let store = SqliteStore::open(&path).unwrap();
    let error = store.back_up(&folder.path().join("copy.db")).unwrap_err();
    assert!(matches!(&error, StoreError::Damaged(message) if message.contains("receipts")), "{error}");
    assert_eq!(names(folder.path()).iter().filter(|name| name.contains("copy")).count(), 0);
}

#[test]
fn a_killed_backup_leaves_at_most_a_partial_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = filled(&folder);
    let target = child::backup_of(&path);
    let mut random = Random::new(5);
    for _ in 0..30 {
        let mut child = child::command("back up", &path).spawn().unwrap();
        thread::sleep(Duration::from_micros(2_000 + random.below(12_000) as u64));
        child.kill().unwrap();
        child.wait().unwrap();
        if target.exists() {
            assert_eq!(SqliteStore::open(&target).unwrap().examine().unwrap(), []);
        }
        for name in names(folder.path()).iter().filter(|name| name.contains("backup")) {
            let is_known = *name == "docet.backup.db"
                || name.ends_with(".partial")
                || name.ends_with("-shm")
                || name.ends_with("-wal");
            assert!(is_known, "{name}");
            fs::remove_file(folder.path().join(name)).unwrap();
        }
    }
    assert_eq!(SqliteStore::open(&path).unwrap().examine().unwrap(), []);
}
