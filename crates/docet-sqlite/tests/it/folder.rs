//! A store in a folder of its own that goes when the store does.

use std::path::{Path, PathBuf};

use docet_core::error::Error;
use docet_core::library::{Library, LibraryName, LibrarySummary};
use docet_core::ports::{Snapshot, Store, StoreError, Transaction};
use docet_core::session::SessionId;
use docet_core::settings::Settings;
use docet_sqlite::SqliteStore;
use rusqlite::Connection;
use tempfile::TempDir;

/// A [`SqliteStore`] with its folder.
pub(crate) struct Temporary {
    store: SqliteStore,
    _folder: TempDir,
}

impl Temporary {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { store: SqliteStore::open(&path_in(&folder)).unwrap(), _folder: folder }
    }
}

impl Store for Temporary {
    fn libraries(&self) -> Result<Vec<LibrarySummary>, StoreError> {
        self.store.libraries()
    }

    fn library_of(&self, session: &SessionId) -> Result<Option<LibraryName>, StoreError> {
        self.store.library_of(session)
    }

    fn read(
        &self,
        library: &LibraryName,
        look: &mut dyn FnMut(&dyn Snapshot) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.store.read(library, look)
    }

    fn write(
        &self,
        library: &LibraryName,
        change: &mut dyn FnMut(&mut dyn Transaction) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.store.write(library, change)
    }

    fn scrub(&self) -> Result<Vec<String>, StoreError> {
        self.store.scrub()
    }
}

pub(crate) fn path_in(folder: &TempDir) -> PathBuf {
    folder.path().join("docet.db")
}

/// A closed store with one library and three entries.
pub(crate) fn filled(folder: &TempDir) -> PathBuf {
    let path = path_in(folder);
    fill(&SqliteStore::open(&path).unwrap());
    path
}

pub(crate) fn fill(store: &dyn Store) {
    let put = &mut |change: &mut dyn Transaction| {
        change.put_library(&Library { next_id: 4, epoch: 1, revision: 1, ..Library::new(Settings::default()) })?;
        let session = docet_conformance::ended_session(1, None, Some(0.5));
        change.put_session(&session)?;
        change.put_reward(&docet_conformance::reward(&session).unwrap())?;
        change.put_revision(&docet_conformance::revision(1, (1..=3).map(docet_conformance::came).collect()))?;
        Ok((1..=3).try_for_each(|id| change.put_experience(&docet_conformance::experience(id)))?)
    };
    store.write(&LibraryName::default(), put).unwrap();
}

/// How many entries the default library holds.
pub(crate) fn size(store: &dyn Store) -> usize {
    let mut size = 0;
    let look = &mut |snapshot: &dyn Snapshot| {
        size = snapshot.experiences()?.len();
        Ok(())
    };
    store.read(&LibraryName::default(), look).unwrap();
    size
}

/// Changes a file behind Docet's back.
pub(crate) fn meddle(path: &Path, sql: &str) {
    Connection::open(path).unwrap().execute_batch(sql).unwrap();
}

/// The names in a folder, sorted.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
