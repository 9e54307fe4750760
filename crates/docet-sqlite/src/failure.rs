//! Every way in which SQLite or a stored row can fail, turned into the port's error in one place.

use std::fmt;
use std::path::Path;

use docet_core::ports::StoreError;
use rusqlite::ErrorCode;
use rusqlite::ffi::{SQLITE_READONLY_RECOVERY, SQLITE_READONLY_ROLLBACK};

/// What went wrong, before the file is named.
#[derive(Debug)]
pub(crate) enum Failure {
    /// SQLite refused.
    Sqlite(rusqlite::Error),
    /// A row that Docet never wrote so: which one, and what is wrong with it.
    Row(String),
    /// A value that the store cannot hold.
    Value(String),
}

pub(crate) type Result<T> = std::result::Result<T, Failure>;

impl From<rusqlite::Error> for Failure {
    fn from(error: rusqlite::Error) -> Self {
        Self::Sqlite(error)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Sqlite(error) => error.fmt(formatter),
            Self::Row(what) | Self::Value(what) => formatter.write_str(what),
        }
    }
}

impl Failure {
    /// The message for a person: names `file` and says what to do.
    pub(crate) fn at(self, file: &Path) -> StoreError {
        match self {
            Self::Sqlite(error) => sqlite(error, file),
            Self::Row(what) => damaged(file, &what),
            Self::Value(what) => io(format!("{} cannot hold the change", file.display()), what),
        }
    }
}

/// A store that cannot be read any more.
pub(crate) fn damaged(file: &Path, what: &str) -> StoreError {
    let file = file.display();
    StoreError::Damaged(format!(
        "the store {file} is damaged: {what}; put a backup in its place, or save what can be read with \
         `sqlite3 {file} .recover`"
    ))
}

/// A file that is none of ours.
pub(crate) fn foreign(file: &Path, what: &str) -> StoreError {
    let file = file.display();
    StoreError::Damaged(format!(
        "{file} is no store of Docet's but {what}; it was left alone: name another with --store"
    ))
}

pub(crate) fn io(context: String, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> StoreError {
    StoreError::Io { context, source: source.into() }
}

fn sqlite(error: rusqlite::Error, file: &Path) -> StoreError {
    let name = file.display();
    let extended = error.sqlite_error().map_or(0, |error| error.extended_code);
    let context = match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            return StoreError::Busy(format!(
                "another process holds the store {name}; `fuser {name}` names it; try again when it is done"
            ));
        }
        Some(ErrorCode::NotADatabase) => return foreign(file, "a file of another kind"),
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::Unknown) => return damaged(file, &error.to_string()),
        Some(ErrorCode::ReadOnly) if [SQLITE_READONLY_ROLLBACK, SQLITE_READONLY_RECOVERY].contains(&extended) => {
            format!("a change of {name} was cut off; any command that writes, such as `docet init`, mends it")
        }
        Some(ErrorCode::ReadOnly) => {
            format!("{name} is read-only; make the file and its folder writable, or name another store with --store")
        }
        Some(ErrorCode::DiskFull) => format!("no space for {name}, so nothing was changed; free some and try again"),
        Some(ErrorCode::CannotOpen) => {
            format!(
                "{name}, or the -wal and -shm beside it, cannot be opened; check the rights of the file and its folder \
                 (a -wal left by a process that was killed needs one command with the right to write there)"
            )
        }
        Some(ErrorCode::SystemIoFailure) => {
            format!("{name} could not be read or written; check its disk, what was acknowledged before stands")
        }
        Some(ErrorCode::ConstraintViolation) => format!("{name} refused the change, so nothing was changed"),
        Some(_) => format!("{name} cannot be used"),
        // No answer of SQLite's: a column that does not hold what its row must.
        None => return damaged(file, &error.to_string()),
    };
    io(context, error)
}

#[cfg(test)]
mod tests {
    use rusqlite::ffi;

    use super::*;

    #[test]
    fn every_error_names_the_file_and_says_what_to_do() {
        // (SQLite's code, the port's error, what the message says)
        let table: &[(i32, &str, &str)] = &[
            (ffi::SQLITE_BUSY, "Busy", "`fuser /some/docet.db`"),
            (ffi::SQLITE_BUSY_SNAPSHOT, "Busy", "try again"),
            (ffi::SQLITE_LOCKED, "Busy", "try again"),
            (ffi::SQLITE_CORRUPT, "Damaged", "backup"),
            (ffi::SQLITE_ERROR, "Damaged", "backup"),
            (ffi::SQLITE_NOTADB, "Damaged", "left alone"),
            (ffi::SQLITE_READONLY, "Io", "make the file and its folder writable"),
            (ffi::SQLITE_READONLY_ROLLBACK, "Io", "`docet init`"),
            (ffi::SQLITE_READONLY_RECOVERY, "Io", "`docet init`"),
            (ffi::SQLITE_FULL, "Io", "free some"),
            (ffi::SQLITE_CANTOPEN, "Io", "check the rights"),
            (ffi::SQLITE_IOERR_FSYNC, "Io", "check its disk"),
            (ffi::SQLITE_CONSTRAINT_UNIQUE, "Io", "nothing was changed"),
            (ffi::SQLITE_NOMEM, "Io", "cannot be used"),
        ];
        for &(code, kind, says) in table {
            let error = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
            let error = Failure::Sqlite(error).at(Path::new("/some/docet.db"));
            let message = error.to_string();
            assert!(format!("{error:?}").starts_with(kind), "{code}: {error:?}");
            assert!(message.contains("/some/docet.db") && message.contains(says), "{code}: {message}");
        }
    }
}
