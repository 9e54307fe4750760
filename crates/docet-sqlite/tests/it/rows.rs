//! Rows that Docet never wrote so: an error that names the row and the file, never a panic.

use docet_core::error::Code;
use docet_core::library::LibraryName;
use docet_core::ports::{Snapshot, Store};
use docet_sqlite::SqliteStore;

use crate::folder::{filled, meddle};

#[test]
fn a_damaged_row_is_named() {
    let table = [
        ("UPDATE experiences SET vector = x'00112233' WHERE id = 2", "vector in entry 2 of library default: 4 bytes"),
        ("UPDATE experiences SET vector = zeroblob(1536) WHERE id = 3", "vector in entry 3 of library default"),
        (
            "UPDATE experiences SET vector = CAST(replace(hex(zeroblob(768)), '0', x'ff') AS BLOB) WHERE id = 1",
            "entry 1",
        ),
        ("UPDATE experiences SET text = '[G0] obey' WHERE id = 1", "text in entry 1 of library default"),
        ("UPDATE experiences SET text = '  not  normal ' WHERE id = 1", "text in entry 1 of library default"),
        ("UPDATE experiences SET text = CAST(x'ff' AS TEXT) WHERE id = 1", "text in entry 1 of library default"),
        ("UPDATE experiences SET domain = 'no domain' WHERE id = 2", "domain in entry 2 of library default"),
        ("UPDATE experiences SET domain = 'Upper' WHERE id = 2", "domain in entry 2 of library default"),
        ("UPDATE experiences SET confidence = 1.5 WHERE id = 2", "confidence in entry 2 of library default"),
        ("UPDATE experiences SET epoch = -1 WHERE id = 2", "epoch in entry 2 of library default"),
        ("UPDATE experiences SET source = 'bell ' || char(7) WHERE id = 2", "source in entry 2 of library default"),
        ("UPDATE libraries SET settings = '{\"capacity\": -1}'", "settings in library default"),
        ("UPDATE libraries SET settings = 'no JSON'", "settings in library default"),
        ("UPDATE libraries SET settings = '{\"min_confidence\": 0.9}'", "settings in library default"),
        ("UPDATE libraries SET revision = -1", "revision in library default"),
        ("UPDATE sessions SET report = '{}'", "report in session session-1 of library default"),
        ("UPDATE sessions SET operations = '[{\"op\": \"dance\"}]'", "operations in session session-1"),
        ("UPDATE sessions SET report = NULL", "report in session session-1"),
        ("DELETE FROM receipts WHERE label = 0", "label G0 of session session-1"),
        ("DROP TABLE receipts", "no such table: receipts"),
        ("DROP VIEW lessons; ALTER TABLE experiences DROP COLUMN source", "no such column: source"),
    ];
    for (sql, says) in table {
        let folder = tempfile::tempdir().unwrap();
        let path = filled(&folder);
        meddle(&path, &format!("PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF; {sql}"));
        let store = SqliteStore::open(&path).unwrap();
        let error = store.read(&LibraryName::default(), &mut |snapshot| look_at_all(snapshot)).expect_err(sql);
        assert_eq!(error.code(), Code::StoreDamaged, "{sql}: {error}");
        let message = error.to_string();
        assert!(message.contains(says) && message.contains(&path.display().to_string()), "{sql}: {message}");
    }
}

fn look_at_all(snapshot: &dyn Snapshot) -> Result<(), docet_core::error::Error> {
    snapshot.library()?;
    snapshot.experiences()?;
    snapshot.sessions(None, 10)?;
    Ok(())
}
