//! Every way in which SQLite or a stored row can fail, turned into the port's error in one place.

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
                "{name}, or the -wal and -shm beside it, cannot be opened; check the rights of the file and its folder"
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
