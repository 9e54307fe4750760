//! What can be put right without losing anything.

use docet_core::library::LibraryName;
use docet_core::ports::StoreError;
use rusqlite::{Connection, params};

use crate::connection::has_content;
use crate::examine::low_counters;
use crate::failure::{Failure, Result};
use crate::scrub;
use crate::store::SqliteStore;
use crate::view::{View, all};

impl SqliteStore {
    /// Raises counters that are below what their rows need, so that no id is given twice, and folds the log into the
    /// file. Says what it did.
    ///
    /// # Errors
    /// [`StoreError`] where the store cannot be read or written.
    pub fn mend(&self) -> std::result::Result<Vec<String>, StoreError> {
        self.lend(|connection| {
            let failed = |failure: Failure| failure.at(self.path());
            let transaction = self.location.begin_writing(connection).map_err(|error| failed(error.into()))?;
            self.location.check_version(&transaction)?;
            let mut done = self.raise_counters(&transaction).map_err(failed)?;
            self.location.commit(transaction, connection).map_err(|error| failed(error.into()))?;
            // Where others still read the log it stays, which is no fault.
            if has_content(self.path(), "-wal") && scrub::empty_log(connection).is_ok() {
                done.push("the log was folded into the file".to_owned());
            }
            Ok(done)
        })
    }

    fn raise_counters(&self, connection: &Connection) -> Result<Vec<String>> {
        let mut done = Vec::new();
        let names: Vec<String> = all(connection, "SELECT library FROM libraries", (), |row| Ok(row.get(0)?))?;
        for library in names.iter().filter_map(|name| LibraryName::parse(name).ok()) {
            let traces = View::new(connection, &library, self.path()).read_traces()?;
            for (column, stood, needed) in low_counters(connection, library.as_str(), traces)? {
                let sql = format!("UPDATE libraries SET {column} = ?2 WHERE library = ?1");
                connection.execute(&sql, params![library.as_str(), needed])?;
                done.push(format!("{column} of library {library} was raised from {stood} to {needed}"));
            }
        }
        Ok(done)
    }
}
