//! The schema's versions, kept in the file's own `user_version`, and the way from each to the next.

use rusqlite::Connection;

use crate::failure::Result;

/// Marks a file as ours: "Doce" in ASCII.
pub(crate) const APPLICATION_ID: i32 = 0x446F_6365;

/// The statements that lead from version `index` to `index + 1`.
const STEPS: &[&str] = &[include_str!("schema/1.sql"), include_str!("schema/2.sql")];

/// The version that this build reads and writes.
pub(crate) const VERSION: usize = STEPS.len();

/// What a file is.
pub(crate) enum Identity {
    /// Nothing yet.
    Blank,
    /// A store of that version.
    Store(usize),
    /// A database of another program.
    Foreign,
}

/// Looks at a file without changing it.
pub(crate) fn identify(connection: &Connection) -> Result<Identity> {
    let pragma = |name| connection.pragma_query_value(None, name, |row| row.get::<_, i32>(0));
    match (pragma("application_id")?, pragma("user_version")?) {
        (APPLICATION_ID, version) => Ok(Identity::Store(usize::try_from(version).unwrap_or(usize::MAX))),
        (0, 0) if is_empty(connection)? => Ok(Identity::Blank),
        _ => Ok(Identity::Foreign),
    }
}

fn is_empty(connection: &Connection) -> Result<bool> {
    Ok(connection.query_row("SELECT NOT EXISTS (SELECT 1 FROM sqlite_schema)", (), |row| row.get(0))?)
}

/// Carries out the steps from version `from` on, and marks the file as ours.
pub(crate) fn bring_up(connection: &Connection, from: usize) -> Result<()> {
    for step in STEPS.iter().skip(from) {
        connection.execute_batch(step)?;
    }
    connection.pragma_update(None, "application_id", APPLICATION_ID)?;
    Ok(connection.pragma_update(None, "user_version", VERSION as i64)?)
}

/// Writes the version once more, which changes nothing.
pub(crate) fn confirm(connection: &Connection) -> Result<()> {
    Ok(connection.pragma_update(None, "user_version", version(connection)? as i64)?)
}

/// The version of a file that was ours when it was opened.
pub(crate) fn version(connection: &Connection) -> Result<usize> {
    let version: i32 = connection.prepare_cached("PRAGMA user_version")?.query_row((), |row| row.get(0))?;
    Ok(usize::try_from(version).unwrap_or(usize::MAX))
}
