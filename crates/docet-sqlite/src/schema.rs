//! The schema's versions, kept in the file's own `user_version`, and the way from each to the next.

use rusqlite::{Connection, TransactionBehavior};

use crate::failure::Result;

/// Marks a file as ours: "Doce" in ASCII.
pub(crate) const APPLICATION_ID: i32 = 0x446F_6365;

/// The statements that lead from version `index` to `index + 1`.
const STEPS: &[&str] = &[include_str!("schema/1.sql")];

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

/// Makes a store of a blank file and brings an older one up to date, in one transaction. Others may do so at the same
/// moment: what the file is gets asked again under its lock.
pub(crate) fn migrate(connection: &mut Connection) -> Result<()> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let from = match identify(&transaction)? {
        Identity::Blank => 0,
        Identity::Store(version) => version,
        Identity::Foreign => return Ok(()),
    };
    for step in STEPS.iter().skip(from) {
        transaction.execute_batch(step)?;
    }
    if from < VERSION {
        transaction.pragma_update(None, "application_id", APPLICATION_ID)?;
        transaction.pragma_update(None, "user_version", VERSION as i64)?;
    }
    Ok(transaction.commit()?)
}
