//! Libraries: those of the file, and the one of a view.

use docet_core::library::{Library, LibraryName, LibrarySummary};
use docet_core::ports::Traces;
use docet_core::session::SessionId;
use rusqlite::{Connection, params};

use super::{View, all, json, one};
use crate::failure::{Failure, Result};
use crate::rows;

/// Tables whose rows belong to a library.
pub(crate) const OWNED: [&str; 6] = ["experiences", "sessions", "rewards", "revisions", "versions", "answers"];

/// Every library. One that is missing while something of it stands would be hidden, so that is damage.
pub(crate) fn libraries(connection: &Connection) -> Result<Vec<LibrarySummary>> {
    if let Some((table, library)) = orphans(connection)?.into_iter().next() {
        return Err(Failure::Row(format!("library {library} has no row of its own, but {table}")));
    }
    let sql = "SELECT library, (SELECT count(*) FROM experiences WHERE experiences.library = libraries.library), \
               epoch, revision FROM libraries ORDER BY library";
    all(connection, sql, (), rows::summary)
}

/// Tables with libraries that have no row of their own: each table steps from name to name in its index.
pub(crate) fn orphans(connection: &Connection) -> Result<Vec<(&'static str, String)>> {
    let mut found = Vec::new();
    for table in OWNED {
        let sql = format!(
            "WITH RECURSIVE names (name) AS (SELECT min(library) FROM {table} UNION ALL \
             SELECT (SELECT min(library) FROM {table} WHERE library > name) FROM names WHERE name IS NOT NULL) \
             SELECT name FROM names WHERE name IS NOT NULL AND name NOT IN (SELECT library FROM libraries)"
        );
        found.extend(all(connection, &sql, (), |row| Ok((table, row.get(0)?)))?);
    }
    Ok(found)
}

/// What can be counted of a whole store.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) libraries: Vec<LibrarySummary>,
    /// Rows of each table of [`OWNED`], then receipts.
    rows: Vec<u32>,
}

impl Counts {
    pub(crate) fn entries(&self) -> usize {
        self.libraries.iter().map(|library| library.size).sum()
    }
}

pub(crate) fn count(connection: &Connection) -> Result<Counts> {
    let rows = |table: &&str| {
        Ok(connection.query_row(&format!("SELECT count(*) FROM {table}"), (), |row| row.get::<_, u32>(0))?)
    };
    let rows = OWNED.iter().chain(&["receipts"]).map(rows).collect::<Result<_>>()?;
    Ok(Counts { libraries: libraries(connection)?, rows })
}

pub(crate) fn library_of(connection: &Connection, session: &SessionId) -> Result<Option<LibraryName>> {
    one(connection, "SELECT library FROM sessions WHERE session = ?1", [&session.0], rows::library_name)
}

impl View<'_> {
    pub(super) fn read_library(&self) -> Result<Option<Library>> {
        let sql = format!("SELECT {} FROM libraries WHERE library = ?1", rows::LIBRARY);
        one(self.connection, &sql, [self.library], |row| rows::library(row, self.library))
    }

    /// Each number is the last of an index.
    pub(crate) fn read_traces(&self) -> Result<Traces> {
        let highest = |column: &str, table: &str| {
            let sql = format!("SELECT max({column}) FROM {table} WHERE library = ?1");
            Ok::<_, Failure>(self.number(&sql, [self.library])?.unwrap_or(0))
        };
        Ok(Traces {
            id: highest("id", "experiences")?.max(highest("id", "versions")?),
            epoch: highest("epoch", "sessions")?,
            revision: highest("revision", "revisions")?,
        })
    }

    pub(super) fn write_library(&self, library: &Library) -> Result<()> {
        let sql = "INSERT INTO libraries (library, settings, next_id, epoch, revision, encoder) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
                   ON CONFLICT (library) DO UPDATE SET settings = ?2, next_id = ?3, epoch = ?4, revision = ?5, \
                   encoder = ?6";
        let params = params![
            self.library,
            json(&library.settings)?,
            rows::to_sql(library.next_id)?,
            rows::to_sql(library.epoch)?,
            rows::to_sql(library.revision)?,
            library.encoder.as_ref().map(|encoder| &encoder.0),
        ];
        self.execute(sql, params)
    }
}
