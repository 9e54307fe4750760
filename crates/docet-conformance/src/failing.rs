//! A store that breaks on purpose.

use std::cell::Cell;
use std::collections::BTreeSet;

use docet_core::answers::Remembered;
use docet_core::error::Error;
use docet_core::experience::{Experience, ExperienceId, Timestamp};
use docet_core::history::{Archived, Revision, RevisionQuery, Reward};
use docet_core::library::{Library, LibraryName, LibrarySummary};
use docet_core::ports::{Snapshot, Store, StoreError, Traces, Transaction};
use docet_core::retrieval::{Ranking, Search};
use docet_core::session::{Session, SessionId};
use docet_core::text::FreeText;

/// Any store, but of each [`Store::write`] one call of its transaction fails: the one with number `fails_at`, from 0,
/// reading calls counted. A write with fewer calls succeeds.
pub struct FailingStore<'a> {
    store: &'a dyn Store,
    fails_at: usize,
}

impl<'a> FailingStore<'a> {
    /// Wraps `store`.
    pub fn new(store: &'a dyn Store, fails_at: usize) -> Self {
        Self { store, fails_at }
    }
}

impl Store for FailingStore<'_> {
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
        self.store.write(library, &mut |transaction| {
            change(&mut FailingTransaction { transaction, calls_left: Cell::new(self.fails_at) })
        })
    }

    fn scrub(&self) -> Result<Vec<String>, StoreError> {
        self.store.scrub()
    }
}

struct FailingTransaction<'a> {
    transaction: &'a mut dyn Transaction,
    calls_left: Cell<usize>,
}

impl FailingTransaction<'_> {
    fn count(&self) -> Result<(), StoreError> {
        match self.calls_left.get().checked_sub(1) {
            Some(left) => {
                self.calls_left.set(left);
                Ok(())
            }
            None => {
                let source = std::io::Error::other("as the test wants it").into();
                Err(StoreError::Io { context: "this call fails".to_owned(), source })
            }
        }
    }
}

impl Snapshot for FailingTransaction<'_> {
    fn library(&self) -> Result<Option<Library>, StoreError> {
        self.count()?;
        self.transaction.library()
    }

    fn traces(&self) -> Result<Traces, StoreError> {
        self.count()?;
        self.transaction.traces()
    }

    fn size(&self) -> Result<usize, StoreError> {
        self.count()?;
        self.transaction.size()
    }

    fn experiences(&self) -> Result<Vec<Experience>, StoreError> {
        self.count()?;
        self.transaction.experiences()
    }

    fn experience(&self, id: ExperienceId) -> Result<Option<Experience>, StoreError> {
        self.count()?;
        self.transaction.experience(id)
    }

    fn search(&self, search: &Search) -> Result<Ranking, StoreError> {
        self.count()?;
        self.transaction.search(search)
    }

    fn session(&self, id: &SessionId) -> Result<Option<Session>, StoreError> {
        self.count()?;
        self.transaction.session(id)
    }

    fn sessions(&self, open_at: Option<Timestamp>, limit: usize) -> Result<Vec<Session>, StoreError> {
        self.count()?;
        self.transaction.sessions(open_at, limit)
    }

    fn rewards(&self, group: Option<&FreeText>, window: usize) -> Result<Vec<f64>, StoreError> {
        self.count()?;
        self.transaction.rewards(group, window)
    }

    fn revisions(&self, query: &RevisionQuery) -> Result<Vec<Revision>, StoreError> {
        self.count()?;
        self.transaction.revisions(query)
    }

    fn revision(&self, number: u64) -> Result<Option<Revision>, StoreError> {
        self.count()?;
        self.transaction.revision(number)
    }

    fn changed_after(&self, number: u64, id: ExperienceId) -> Result<Vec<u64>, StoreError> {
        self.count()?;
        self.transaction.changed_after(number, id)
    }

    fn archived(&self, id: Option<ExperienceId>) -> Result<Vec<Archived>, StoreError> {
        self.count()?;
        self.transaction.archived(id)
    }

    fn recorded_texts(&self) -> Result<BTreeSet<String>, StoreError> {
        self.count()?;
        self.transaction.recorded_texts()
    }

    fn remembered(&self, key: &str) -> Result<Option<Remembered>, StoreError> {
        self.count()?;
        self.transaction.remembered(key)
    }

    fn all_remembered(&self) -> Result<Vec<Remembered>, StoreError> {
        self.count()?;
        self.transaction.all_remembered()
    }
}

impl Transaction for FailingTransaction<'_> {
    fn put_library(&mut self, library: &Library) -> Result<(), StoreError> {
        self.count()?;
        self.transaction.put_library(library)
    }

    fn put_experience(&mut self, experience: &Experience) -> Result<(), StoreError> {
        self.count()?;
        self.transaction.put_experience(experience)
    }

    fn remove_experience(&mut self, id: ExperienceId) -> Result<(), StoreError> {
        self.count()?;
        self.transaction.remove_experience(id)
    }

    fn put_session(&mut self, session: &Session) -> Result<(), StoreError> {
        self.count()?;
        self.transaction.put_session(session)
    }

    fn forget_sessions(&mut self, moment: Timestamp, rewards: usize) -> Result<(), StoreError> {
        self.count()?;
        self.transaction.forget_sessions(moment, rewards)
    }

    fn put_reward(&mut self, reward: &Reward) -> Result<(), StoreError> {
        self.count()?;
        self.transaction.put_reward(reward)
    }

    fn remove_reward(&mut self, session_epoch: u64) -> Result<(), StoreError> {
        self.count()?;
        self.transaction.remove_reward(session_epoch)
    }

    fn put_revision(&mut self, revision: &Revision) -> Result<(), StoreError> {
        self.count()?;
        self.transaction.put_revision(revision)
    }

    fn erase_records(&mut self, kept: &BTreeSet<String>) -> Result<(), StoreError> {
        self.count()?;
        self.transaction.erase_records(kept)
    }

    fn remember(&mut self, remembered: &Remembered) -> Result<(), StoreError> {
        self.count()?;
        self.transaction.remember(remembered)
    }

    fn forget_answers(&mut self, moment: Timestamp) -> Result<(), StoreError> {
        self.count()?;
        self.transaction.forget_answers(moment)
    }
}
