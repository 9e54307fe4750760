//! Erasing for good: after this, what was erased stands neither in the file, nor in its log, nor in free pages.

use std::path::Path;

use rusqlite::{Connection, ffi};

use crate::connection::{Access, Location, has_content};
use crate::copy::PARTIAL;
use crate::failure::Result;
use crate::schema::{self, Identity};

/// Folds the log into the file, writes the file anew without its free space, and folds that in as well.
pub(crate) fn scrub(connection: &Connection) -> Result<()> {
    // First, so that a reader who stays too long is found out before the long work.
    empty_log(connection)?;
    connection.execute_batch("VACUUM")?;
    empty_log(connection)
}

/// Waits for readers, who may still need the log.
pub(crate) fn empty_log(connection: &Connection) -> Result<()> {
    let is_busy: bool = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", (), |row| row.get(0))?;
    if is_busy {
        return Err(rusqlite::Error::SqliteFailure(ffi::Error::new(ffi::SQLITE_BUSY), None).into());
    }
    Ok(())
}

/// Files in the same folder that may still hold what was erased: copies that migrations made, copies that were cut
/// off, and other stores, which may be backups of this one.
pub(crate) fn copies_of(file: &Path) -> Vec<String> {
    let (Some(folder), Some(own)) = (file.parent(), file.file_name()) else { return Vec::new() };
    let own = own.to_string_lossy();
    let is_copy = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let is_named_so = name.strip_prefix(&*own).is_some_and(|rest| rest.starts_with(".schema-"));
        name != own && (is_named_so || name.ends_with(PARTIAL) || is_store(path))
    };
    let files = std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut copies: Vec<String> =
        files.filter(|path| path.is_file() && is_copy(path)).map(|path| path.display().to_string()).collect();
    copies.sort();
    copies
}

/// Asked through SQLite alone, since this process may have that file open; and where nobody else uses it, so that
/// nothing is left beside it.
fn is_store(path: &Path) -> bool {
    let is_in_use = has_content(path, "-shm") || has_content(path, "-wal");
    let access = if is_in_use { Access::Read } else { Access::ReadImmutable };
    let connection = Location::new(path, access).ok().and_then(|location| location.connect().ok());
    connection.is_some_and(|connection| matches!(schema::identify(&connection), Ok(Identity::Store(_))))
}
