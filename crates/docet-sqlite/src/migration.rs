//! Bringing an older store up to date, once a copy of it is safe beside it.

use std::path::PathBuf;

use docet_core::ports::StoreError;
use rusqlite::Connection;

use crate::connection::Location;
use crate::copy::{PARTIAL, Partial, with_ending};
use crate::failure::Failure;
use crate::schema::{self, Identity};

/// Makes a store of a blank file, and brings an older one up to date, in one transaction. Others may do so at the same
/// moment: what the file is gets asked again under its lock.
pub(crate) fn migrate(connection: &Connection, location: &Location) -> Result<(), StoreError> {
    let failed = |failure: Failure| failure.at(&location.file);
    let transaction = location.begin_writing(connection).map_err(|error| failed(error.into()))?;
    let version = match schema::identify(&transaction).map_err(failed)? {
        Identity::Blank => 0,
        Identity::Store(version) if version < schema::VERSION => version,
        Identity::Store(_) | Identity::Foreign => return Ok(()),
    };
    let copy = if version > 0 { Some(set_aside(location, version)?) } else { None };
    if let Err(failure) = schema::bring_up(&transaction, version) {
        // The store is what it was, and the next attempt makes a copy of its own.
        let _ = copy.map(std::fs::remove_file);
        return Err(failed(failure));
    }
    // Where this fails the copy stays: a change whose flush failed may yet be found in the log, and then it is needed.
    location.commit(transaction, connection).map_err(|error| failed(error.into()))
}

/// Copies the store as it is to a file beside it. Whoever calls this holds the writer's lock, so nobody changes the
/// store meanwhile, and nobody else makes such a copy.
fn set_aside(location: &Location, version: usize) -> Result<PathBuf, StoreError> {
    let failed = |failure: Failure| failure.at(&location.file);
    let name = with_ending(&location.file, &format!(".schema-{version}"));
    let partial = with_ending(&name, PARTIAL);
    // What a killed migration left.
    let _ = std::fs::remove_file(&partial);
    // Another connection, since SQLite copies from none that writes.
    let reader = location.connect().map_err(failed)?;
    let state = reader.unchecked_transaction().map_err(|error| failed(error.into()))?;
    Partial::write(&state, &location.file, partial)?.place_beside(&name)
}
