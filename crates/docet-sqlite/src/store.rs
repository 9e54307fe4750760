//! [`SqliteStore`]: a few connections to one file, lent to one reader or writer at a time.

use std::path::Path;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use docet_core::error::Error;
use docet_core::library::{LibraryName, LibrarySummary};
use docet_core::ports::{Snapshot, Store, StoreError, Transaction};
use docet_core::session::SessionId;
use rusqlite::{Connection, TransactionBehavior};

use crate::connection::{Access, Location};
use crate::failure::Failure;
use crate::scrub;
use crate::view::{self, View};

/// Connections that are kept open while nobody uses them.
const IDLE: usize = 8;

/// A store in one SQLite file. Readers never wait for a writer, writers wait for each other.
#[derive(Debug)]
pub struct SqliteStore {
    pub(crate) location: Location,
    idle: Mutex<Vec<Connection>>,
    /// Held by the one writer of this process, so that the others queue here instead of polling the file's lock.
    writing: Mutex<()>,
}

impl SqliteStore {
    /// Opens the store at `path` and makes it, with its folder, where there is none yet. An empty file becomes a store.
    ///
    /// # Errors
    /// `Damaged` where `path` is a folder, a file of another program, or a store that cannot be read; `Newer` where a
    /// newer Docet wrote it; `Busy` where a migration waits for longer than the time-out; `Io` where the operating
    /// system refuses. None of those files is changed.
    pub fn open(path: &Path) -> Result<Self, StoreError> {
        Self::new(path, Access::Create)
    }

    /// Opens the store at `path` for reading and writing.
    ///
    /// # Errors
    /// `Missing` where there is no file or an empty one, otherwise as [`Self::open`].
    pub fn open_existing(path: &Path) -> Result<Self, StoreError> {
        Self::new(path, Access::Write)
    }

    /// Opens the store at `path` for reading, which needs no right to write the file or its folder.
    ///
    /// Where the folder can be written, SQLite leaves an empty `-wal` and a `-shm` beside the file. Where it cannot and
    /// they are not there, the file is taken to be one that nobody changes meanwhile.
    ///
    /// # Errors
    /// As [`Self::open_existing`]; `Io` too where an older Docet wrote it, or a cut-off change needs a writer first.
    pub fn open_read_only(path: &Path) -> Result<Self, StoreError> {
        Self::new(path, Access::Read)
    }

    /// Waits at most `patience`, instead of 30 seconds, for the lock of another process.
    ///
    /// # Errors
    /// [`StoreError`] where a connection refuses.
    pub fn with_time_out(mut self, patience: Duration) -> Result<Self, StoreError> {
        self.location.patience = patience;
        for connection in unpoisoned(&self.idle).iter() {
            connection.busy_timeout(patience).map_err(|error| self.failed(error))?;
        }
        Ok(self)
    }

    /// The absolute path of the file.
    pub fn path(&self) -> &Path {
        &self.location.file
    }

    fn new(path: &Path, access: Access) -> Result<Self, StoreError> {
        let mut location = Location::new(path, access)?;
        let first = location.first()?;
        Ok(Self { location, idle: Mutex::new(vec![first]), writing: Mutex::new(()) })
    }

    /// Runs `work` with a connection of its own. Where `work` panics the connection is closed, which rolls back.
    pub(crate) fn lend<T, E: From<StoreError>>(
        &self,
        work: impl FnOnce(&mut Connection) -> Result<T, E>,
    ) -> Result<T, E> {
        let idle = unpoisoned(&self.idle).pop();
        let mut connection = match idle {
            Some(connection) => connection,
            None => self.location.connect().map_err(|failure| failure.at(self.path()))?,
        };
        let outcome = work(&mut connection);
        let mut idle = unpoisoned(&self.idle);
        if idle.len() < IDLE {
            idle.push(connection);
        }
        outcome
    }

    pub(crate) fn failed(&self, error: impl Into<Failure>) -> StoreError {
        error.into().at(self.path())
    }
}

impl Store for SqliteStore {
    fn libraries(&self) -> Result<Vec<LibrarySummary>, StoreError> {
        self.lend(|connection| view::libraries(connection).map_err(|failure| self.failed(failure)))
    }

    fn library_of(&self, session: &SessionId) -> Result<Option<LibraryName>, StoreError> {
        self.lend(|connection| view::library_of(connection, session).map_err(|failure| self.failed(failure)))
    }

    fn read(
        &self,
        library: &LibraryName,
        look: &mut dyn FnMut(&dyn Snapshot) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.lend(|connection| {
            let begun = connection.transaction_with_behavior(TransactionBehavior::Deferred);
            let transaction = begun.map_err(|error| self.failed(error))?;
            self.location.check_version(&transaction)?;
            look(&View::new(&transaction, library, self.path()))
        })
    }

    fn write(
        &self,
        library: &LibraryName,
        change: &mut dyn FnMut(&mut dyn Transaction) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let _only_writer = unpoisoned(&self.writing);
        self.lend(|connection| {
            let transaction = self.location.begin_writing(connection).map_err(|error| self.failed(error))?;
            self.location.check_version(&transaction)?;
            change(&mut View::new(&transaction, library, self.path()))?;
            Ok(self.location.commit(transaction, connection).map_err(|error| self.failed(error))?)
        })
    }

    fn scrub(&self) -> Result<Vec<String>, StoreError> {
        let _only_writer = unpoisoned(&self.writing);
        self.lend(|connection| scrub::scrub(connection).map_err(|failure| self.failed(failure)))?;
        Ok(scrub::copies_of(self.path()))
    }
}

/// What these locks guard is whole at every moment, so a panic elsewhere is no reason to stop.
fn unpoisoned<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
