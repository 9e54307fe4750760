//! What `examine` finds, and what `mend` puts right.

use docet_core::library::LibraryName;
use docet_core::ports::{Store, StoreError};
use docet_sqlite::SqliteStore;

use crate::folder::{filled, meddle};

/// What is found after `sql` was done to a filled store.
fn found(sql: &str) -> Vec<(&'static str, String)> {
    let folder = tempfile::tempdir().unwrap();
    let path = filled(&folder);
    meddle(&path, &format!("PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF; {sql}"));
    let damages = SqliteStore::open_read_only(&path).unwrap().examine().unwrap();
    assert!(damages.iter().all(|damage| !damage.remedy.is_empty() && !damage.remedy.contains("FILE")), "{damages:?}");
    damages.into_iter().map(|damage| (damage.name, damage.what)).collect()
}

#[test]
fn a_store_of_docets_own_is_sound() {
    assert_eq!(found(""), []);
    assert_eq!(found("CREATE VIEW mine AS SELECT text FROM experiences; CREATE INDEX ours ON versions (source)"), []);
}

#[test]
fn whatever_was_changed_from_outside_is_named() {
    let table = [
        (
            "UPDATE experiences SET vector = x'00' WHERE id = 2",
            "row_damaged",
            "vector in entry 2 of library default: 1 bytes",
        ),
        ("UPDATE experiences SET vector = zeroblob(1536) WHERE id = 3", "row_damaged", "vector in entry 3"),
        ("UPDATE experiences SET text = ' not  normal '", "row_damaged", "text in entry 1 of library default"),
        (
            "UPDATE experiences SET text = 'other' WHERE id = 1",
            "history_damaged",
            "entry 1 of library default was changed",
        ),
        ("UPDATE experiences SET usage_count = 7 + usage_count WHERE id = 3", "history_damaged", "entry 3 "),
        ("DELETE FROM versions WHERE id = 2", "history_damaged", "entry 2 of library default was changed"),
        ("DELETE FROM experiences WHERE id = 2", "history_damaged", "entry 2 of library default was removed"),
        ("UPDATE libraries SET settings = '{\"capacity\": -1}'", "row_damaged", "settings in library default"),
        ("UPDATE libraries SET next_id = 2", "counter_low", "next_id of library default is 2, and its rows reach 4"),
        ("UPDATE libraries SET epoch = 0", "counter_low", "epoch of library default is 0, and its rows reach 1"),
        ("UPDATE libraries SET revision = 0", "counter_low", "revision of library default is 0, and its rows reach 1"),
        ("UPDATE libraries SET revision = 4", "history_damaged", "lacks revisions 2 to 4"),
        ("UPDATE libraries SET library = 'No name'", "library_damaged", "No name"),
        ("DELETE FROM libraries", "library_damaged", "library default has no row of its own, but experiences"),
        ("UPDATE sessions SET report = '{}'", "row_damaged", "report in session session-1"),
        ("DELETE FROM receipts WHERE label = 0", "row_damaged", "label G0 of session session-1"),
        ("DELETE FROM sessions", "row_missing", "2 rows of receipts name rows of sessions"),
        ("UPDATE rewards SET reward = 9e999", "row_damaged", "the reward of session 1"),
        ("UPDATE revisions SET kind = 'dance'", "row_damaged", "kind in revision 1 of library default"),
        ("UPDATE revisions SET actor = ''", "row_damaged", "actor in revision 1 of library default"),
        ("UPDATE versions SET confidence = 2 WHERE id = 2", "row_damaged", "revision 1 of entry 2 of library default"),
        ("INSERT INTO answers VALUES ('default', 'k', 'c', 1, '{}')", "row_damaged", "answer kept under key k"),
        ("DROP VIEW lessons", "schema_differs", "view lessons is missing"),
        ("DROP INDEX versions_gone", "schema_differs", "index versions_gone is missing"),
        ("ALTER TABLE answers ADD COLUMN mood TEXT", "schema_differs", "table answers is not as Docet makes it"),
        (
            "CREATE TRIGGER t AFTER DELETE ON sessions BEGIN SELECT 1; END",
            "schema_differs",
            "trigger t is none of Docet's",
        ),
        ("DROP TABLE answers", "file_damaged", "no such table: answers"),
    ];
    for (sql, name, says) in table {
        let found = found(sql);
        let is_named = found.iter().any(|(code, what)| *code == name && what.contains(says));
        assert!(is_named, "{sql}: {found:#?}");
    }
}

#[test]
fn every_bad_row_is_named_and_not_only_the_first() {
    let bad = found("UPDATE experiences SET vector = x'00'");
    assert_eq!(bad.iter().filter(|(code, what)| *code == "row_damaged" && what.contains("vector")).count(), 3);
}

#[test]
fn broken_pages_are_found_or_harmless() {
    let folder = tempfile::tempdir().unwrap();
    let path = filled(&folder);
    let whole = std::fs::read(&path).unwrap();
    let mut found = 0;
    for page in 1..whole.len() / 4_096 {
        let mut broken = whole.clone();
        broken[page * 4_096..(page + 1) * 4_096].fill(0x5A);
        std::fs::write(&path, broken).unwrap();
        // A store that does not open says so itself.
        found += SqliteStore::open_read_only(&path).and_then(|store| store.examine()).map_or(1, |all| all.len().min(1));
    }
    assert_eq!(found, whole.len() / 4_096 - 1);
}

#[test]
fn what_a_library_left_without_a_row_is_not_hidden() {
    let folder = tempfile::tempdir().unwrap();
    let path = filled(&folder);
    meddle(&path, "PRAGMA foreign_keys = OFF; DELETE FROM libraries");
    let error = SqliteStore::open(&path).unwrap().libraries().unwrap_err();
    assert!(matches!(&error, StoreError::Damaged(message) if message.contains("library default")), "{error}");
}

#[test]
fn counters_are_raised_and_the_log_is_folded_in() {
    let folder = tempfile::tempdir().unwrap();
    let path = filled(&folder);
    let store = SqliteStore::open(&path).unwrap();
    assert_eq!(store.mend().unwrap(), [""; 0]);
    meddle(&path, "UPDATE libraries SET next_id = 2, epoch = 0, revision = 0");
    let done = store.mend().unwrap();
    let raised = [
        "next_id of library default was raised from 2 to 4",
        "epoch of library default was raised from 0 to 1",
        "revision of library default was raised from 0 to 1",
    ];
    assert_eq!(done[..3], raised);
    assert_eq!(store.examine().unwrap(), []);
    store.write(&LibraryName::default(), &mut |change| Ok(change.remove_reward(1)?)).unwrap();
    assert_eq!(store.mend().unwrap(), ["the log was folded into the file"]);
    assert_eq!(store.mend().unwrap(), [""; 0]);
    assert_eq!(path.with_extension("db-wal").metadata().unwrap().len(), 0);
}
