//! A copy of the whole store under a name of the user's choice, read again before it gets that name.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use docet_core::ports::StoreError;

use crate::connection::{Access, Location};
use crate::copy::{PARTIAL, Partial, with_ending};
use crate::examine::{dangling, integrity};
use crate::failure::{self, Failure, Result};
use crate::store::SqliteStore;
use crate::view::{self, Counts};

/// What a backup holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Backup {
    /// Where it is, absolute.
    pub path: PathBuf,
    /// Its size.
    pub bytes: u64,
    /// Libraries in it.
    pub libraries: usize,
    /// Entries of all of them.
    pub entries: usize,
}

impl SqliteStore {
    /// Copies the whole store to the new file `to`, of one state, while others read and write. The copy is flushed,
    /// read again and compared before it gets its name; a kill leaves at most a file that ends in `.partial`.
    ///
    /// ```
    /// # let folder = tempfile::tempdir()?;
    /// use docet_sqlite::SqliteStore;
    ///
    /// let store = SqliteStore::open(&folder.path().join("docet.db"))?;
    /// let copy = folder.path().join("copy.db");
    /// assert_eq!(store.back_up(&copy)?.libraries, 0);
    /// SqliteStore::open_existing(&copy)?;
    /// assert!(store.back_up(&copy).is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// `Io` where a file of that name is there, which stays as it is, or the copy cannot be written; `Damaged` where
    /// the store is, since a damaged copy is no backup; `Busy`.
    pub fn back_up(&self, to: &Path) -> std::result::Result<Backup, StoreError> {
        let to = std::path::absolute(to)
            .map_err(|error| failure::io(format!("no path of a backup: {}", to.display()), error))?;
        if to.symlink_metadata().is_ok() {
            return Err(taken(&to));
        }
        let (partial, counts) = self.lend(|connection| {
            let failed = |failure: Failure| failure.at(self.path());
            let state = connection.unchecked_transaction().map_err(|error| failed(error.into()))?;
            let counts = view::count(&state).map_err(failed)?;
            Ok::<_, StoreError>((Partial::write(&state, self.path(), partial_name(&to))?, counts))
        })?;
        verify(partial.path(), &counts, self.path())?;
        let bytes = partial.path().metadata().map_or(0, |file| file.len());
        let backup = Backup { bytes, libraries: counts.libraries.len(), entries: counts.entries(), path: to };
        match partial.place(&backup.path)? {
            true => Ok(backup),
            false => Err(taken(&backup.path)),
        }
    }
}

/// A name of its own, since others may make the same backup at the same moment.
fn partial_name(to: &Path) -> PathBuf {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let (process, number) = (std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
    with_ending(to, &format!(".{process}-{number}{PARTIAL}"))
}

/// Reads the copy again: it must be a sound store that holds what was copied.
fn verify(copy: &Path, counts: &Counts, store: &Path) -> std::result::Result<(), StoreError> {
    // Nobody else knows the copy yet.
    let connection = Location::new(copy, Access::ReadImmutable)?.first()?;
    let unsound = || -> Result<Option<String>> {
        let faults = [integrity(&connection)?, dangling(&connection)?].concat();
        let differs = (view::count(&connection)? != *counts).then(|| "its copy holds something else".to_owned());
        Ok(faults.into_iter().next().or(differs))
    };
    match unsound().map_err(|failure| failure.at(copy))? {
        None => Ok(()),
        Some(what) => Err(failure::damaged(store, &what)),
    }
}

fn taken(to: &Path) -> StoreError {
    let context = format!("{} is there already and was left alone; name a new file", to.display());
    failure::io(context, std::io::Error::from(std::io::ErrorKind::AlreadyExists))
}
