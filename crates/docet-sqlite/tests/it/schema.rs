//! The schema as the world knows it.

use docet_sqlite::SqliteStore;
use rusqlite::Connection;

use crate::folder::{filled, path_in};

/// A released schema is never changed: a change is a new version, with a file of its own and a line in `STEPS`.
#[test]
fn the_schema_is_the_released_one() {
    let folder = tempfile::tempdir().unwrap();
    drop(SqliteStore::open(&path_in(&folder)).unwrap());
    let file = Connection::open(path_in(&folder)).unwrap();
    let mut statement = file.prepare("SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name").unwrap();
    let sql: Vec<String> = statement.query_map((), |row| row.get(0)).unwrap().map(Result::unwrap).collect();
    let pragma = |name| file.pragma_query_value(None, name, |row| row.get::<_, i64>(0)).unwrap();
    let head = format!("application_id {:#x}, user_version {}", pragma("application_id"), pragma("user_version"));
    insta::assert_snapshot!(format!("{head}\n\n{}", sql.join(";\n\n")));
}

#[test]
fn the_file_is_as_the_decision_says() {
    let folder = tempfile::tempdir().unwrap();
    let file = Connection::open(filled(&folder)).unwrap();
    let word = |sql: &str| file.query_row(sql, (), |row| row.get::<_, String>(0)).unwrap();
    assert_eq!(word("PRAGMA journal_mode"), "wal");
    assert_eq!(word("PRAGMA integrity_check"), "ok");
    let strict = "SELECT count(*) FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND NOT strict \
                  AND name NOT LIKE 'sqlite_%'";
    assert_eq!(file.query_row(strict, (), |row| row.get::<_, i64>(0)).unwrap(), 0);
}

#[test]
fn people_read_times_and_labels_in_the_views() {
    let folder = tempfile::tempdir().unwrap();
    let file = Connection::open(filled(&folder)).unwrap();
    file.execute_batch("UPDATE experiences SET created_at = 1790000000007, pinned = 1 WHERE id = 2").unwrap();
    let row =
        |sql: &str| file.query_row(sql, (), |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))).unwrap();
    let lesson = row("SELECT created_at, pinned FROM lessons WHERE library = 'default' AND id = 2");
    assert_eq!(lesson, ("2026-09-21T14:13:20.007Z".to_owned(), "yes".to_owned()));
    let session = row("SELECT verdict || ' ' || ended_at, labels FROM session_log");
    assert_eq!(session, ("mixed 1970-01-01T00:00:02.000Z".to_owned(), "G0=2 G1=1".to_owned()));
}
