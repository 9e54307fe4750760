//! Files that are no store, or no longer one.

use std::fs;
use std::path::{Path, PathBuf};

use docet_core::ports::{Store, StoreError};
use docet_sqlite::SqliteStore;
use tempfile::TempDir;

use crate::folder::{filled, meddle, names, path_in, size};

type Open = fn(&Path) -> Result<SqliteStore, StoreError>;

const WAYS: [(&str, Open); 3] = [
    ("open", SqliteStore::open),
    ("open_existing", SqliteStore::open_existing),
    ("open_read_only", SqliteStore::open_read_only),
];

fn refused(open: Open, path: &Path) -> StoreError {
    let error = open(path).expect_err("it opened");
    let message = error.to_string();
    assert!(message.contains(&path.display().to_string()), "{message}");
    assert!(!message.contains(['{', '}', '\n']) && !message.contains("Some("), "{message}");
    error
}

/// Every way to open `path` is refused as damaged, and not a byte of it changes.
fn assert_left_alone(path: &Path, says: &str) {
    let before = fs::read(path).ok();
    for (way, open) in WAYS {
        let error = refused(open, path);
        assert!(matches!(&error, StoreError::Damaged(message) if message.contains(says)), "{way}: {error}");
        assert!(fs::read(path).ok() == before, "{way} changed {}", path.display());
    }
}

#[test]
fn where_nothing_is_only_open_makes_a_store() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("not/yet/there/docet.db");
    for open in [SqliteStore::open_existing as Open, SqliteStore::open_read_only] {
        let error = refused(open, &path);
        assert!(matches!(&error, StoreError::Missing(message) if message.contains("`docet add`")), "{error}");
    }
    assert_eq!(names(folder.path()), [""; 0]);
    assert_eq!(SqliteStore::open(&path).unwrap().libraries().unwrap(), []);
    assert_eq!(names(path.parent().unwrap()), ["docet.db"]);
    assert_eq!(SqliteStore::open_existing(&path).unwrap().path(), path);
}

#[test]
fn an_empty_file_becomes_a_store_where_one_may_be_made() {
    let folder = tempfile::tempdir().unwrap();
    let path = path_in(&folder);
    fs::write(&path, "").unwrap();
    for open in [SqliteStore::open_existing as Open, SqliteStore::open_read_only] {
        assert!(matches!(refused(open, &path), StoreError::Missing(_)));
        assert_eq!(fs::read(&path).unwrap(), b"");
    }
    assert_eq!(names(folder.path()), ["docet.db"]);
    SqliteStore::open(&path).unwrap();
    SqliteStore::open_read_only(&path).unwrap();
}

#[test]
fn names_that_sqlite_treats_specially_are_plain_files() {
    let folder = tempfile::tempdir().unwrap();
    for name in [":memory:", "file:x?mode=memory", "a b%41#?&", "caf\u{e9} \u{1f980}"] {
        let path = folder.path().join(name);
        SqliteStore::open(&path).unwrap();
        assert!(path.is_file(), "{name}");
    }
    assert!(SqliteStore::open(Path::new("")).is_err());
}

#[test]
fn a_folder_is_no_store() {
    let folder = tempfile::tempdir().unwrap();
    assert_left_alone(folder.path(), "a folder");
    let below_a_file = path_in(&folder).join("docet.db");
    fs::write(path_in(&folder), "text").unwrap();
    for (_, open) in WAYS {
        assert!(matches!(refused(open, &below_a_file), StoreError::Io { .. }));
    }
}

#[test]
fn a_file_of_another_program_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = path_in(&folder);
    let random: Vec<u8> = (0..8_192_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
    let contents: [&[u8]; 6] = [b"x", b"short\n", &b"text ".repeat(5_000), &random, &[0; 4096], b"SQLite format 3\0"];
    for content in contents {
        fs::write(&path, content).unwrap();
        assert_left_alone(&path, "");
        assert_eq!(names(folder.path()), ["docet.db"]);
    }
}

#[test]
fn a_database_of_another_program_is_left_alone() {
    let tables = [
        "CREATE TABLE notes (text); INSERT INTO notes VALUES ('mine')",
        "PRAGMA journal_mode = WAL; CREATE TABLE notes (text)",
        "PRAGMA application_id = 1; CREATE TABLE libraries (library)",
        "PRAGMA application_id = 7",
        "PRAGMA user_version = 1; CREATE TABLE libraries (library)",
    ];
    for sql in tables {
        let folder = tempfile::tempdir().unwrap();
        let path = path_in(&folder);
        meddle(&path, sql);
        assert_left_alone(&path, "another program");
    }
}

#[test]
fn a_log_of_another_program_is_not_tidied_away() {
    let folder = tempfile::tempdir().unwrap();
    let (path, copy) = (path_in(&folder), folder.path().join("copy.db"));
    let log = |path: &Path| PathBuf::from(format!("{}-wal", path.display()));
    let theirs = rusqlite::Connection::open(&path).unwrap();
    theirs.execute_batch("PRAGMA journal_mode = WAL; CREATE TABLE notes (text)").unwrap();
    // As after a kill: file and log without anyone who has them open.
    fs::copy(&path, &copy).unwrap();
    fs::copy(log(&path), log(&copy)).unwrap();
    let before = fs::read(log(&copy)).unwrap();
    assert!(!before.is_empty());
    assert_left_alone(&copy, "another program");
    assert!(fs::read(log(&copy)).unwrap() == before);
}

#[test]
fn a_newer_store_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = filled(&folder);
    meddle(&path, "PRAGMA user_version = 1000; ALTER TABLE experiences ADD COLUMN mood TEXT");
    let before = fs::read(&path).unwrap();
    for (way, open) in WAYS {
        let error = refused(open, &path);
        assert!(matches!(&error, StoreError::Newer(message) if message.contains("update Docet")), "{way}: {error}");
        assert!(fs::read(&path).unwrap() == before, "{way}");
    }
}

#[test]
fn a_store_cut_short_is_damaged_wherever_it_was_cut() {
    let folder = tempfile::tempdir().unwrap();
    let path = filled(&folder);
    let whole = fs::read(&path).unwrap();
    for length in [1, 15, 16, 99, 100, 511, 512, 4_095, 4_096, 4_097, 8_192, whole.len() - 4_096, whole.len() - 1] {
        fs::write(&path, &whole[..length]).unwrap();
        assert_left_alone(&path, "");
    }
}

/// Any page overwritten: the store opens or not, what it returns is what was stored or an error, and nothing panics.
#[test]
fn a_broken_page_is_an_error_and_no_panic() {
    let folder = tempfile::tempdir().unwrap();
    let path = filled(&folder);
    let whole = fs::read(&path).unwrap();
    let mut found = 0;
    for page in 0..whole.len() / 4_096 {
        for filling in [0x00, 0xFF, 0x5A] {
            let mut broken = whole.clone();
            broken[page * 4_096 + 100..(page + 1) * 4_096].fill(filling);
            fs::write(&path, broken).unwrap();
            found += usize::from(everything(&path).is_err_and(|error| matches!(error, StoreError::Damaged(_))));
            remove_side_files(&folder);
        }
    }
    assert!(found > 10, "{found}");
}

/// Opens and reads all there is.
fn everything(path: &Path) -> Result<(), StoreError> {
    let store = SqliteStore::open(path)?;
    store.libraries()?;
    let looked = store.read(&docet_core::library::LibraryName::default(), &mut |snapshot| {
        snapshot.library()?;
        snapshot.sessions(None, usize::MAX)?;
        snapshot.rewards(None, usize::MAX)?;
        let entries = snapshot.experiences()?;
        assert!(entries.iter().all(|entry| *entry == docet_conformance::experience(entry.id)));
        Ok(())
    });
    match looked {
        Err(docet_core::error::Error::Store(error)) => Err(error),
        other => {
            other.unwrap();
            Ok(())
        }
    }
}

fn remove_side_files(folder: &TempDir) {
    for name in names(folder.path()).iter().filter(|name| *name != "docet.db") {
        fs::remove_file(folder.path().join(name)).unwrap();
    }
}

#[test]
fn a_store_that_is_opened_again_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = filled(&folder);
    let before = fs::read(&path).unwrap();
    for (way, open) in WAYS {
        assert_eq!(size(&open(&path).unwrap()), 3);
        assert!(fs::read(&path).unwrap() == before, "{way}");
    }
}
