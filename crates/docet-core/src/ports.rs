//! What the core needs from outside: an encoder, and a store with its transactions.
//!
//! Ports are synchronous and dyn-compatible. Every call of a [`Store`] names its library; a session alone is found by
//! its id. The pure functions are the specification: [`Snapshot::search`] must equal [`retrieval::rank`] over
//! [`Snapshot::experiences`], which `docet-conformance` tests of every adapter.

use std::collections::BTreeSet;

use crate::answers::Remembered;
use crate::error::Error;
use crate::experience::{Experience, ExperienceId, Timestamp};
use crate::history::{Archived, Revision, RevisionQuery, Reward};
use crate::library::{Library, LibraryName, LibrarySummary};
use crate::retrieval::{self, Ranking, Search};
use crate::session::{Session, SessionId};
use crate::text::FreeText;

pub use crate::embedding::{Encoded, EncoderId};
pub use crate::error::{EncoderError, StoreError};

/// Turns texts into vectors.
pub trait Embedder: Send + Sync {
    /// Which encoder this is. Answers without loading anything.
    fn encoder(&self) -> EncoderId;

    /// One [`Encoded`] a text, in order. A text has the same bits alone and in any batch.
    ///
    /// # Errors
    /// [`EncoderError`] where the weights cannot be had or read.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Encoded>, EncoderError>;
}

/// Keeps libraries. Any number of threads and processes may use one.
pub trait Store: Send + Sync {
    /// All libraries, by name.
    ///
    /// # Errors
    /// [`StoreError`] where the store cannot be read.
    fn libraries(&self) -> Result<Vec<LibrarySummary>, StoreError>;

    /// The library that a session belongs to.
    ///
    /// # Errors
    /// [`StoreError`] where the store cannot be read.
    fn library_of(&self, session: &SessionId) -> Result<Option<LibraryName>, StoreError>;

    /// Runs `look` over one consistent state of `library`.
    ///
    /// # Errors
    /// What `look` returns, or [`StoreError`] where the store cannot be read.
    fn read(
        &self,
        library: &LibraryName,
        look: &mut dyn FnMut(&dyn Snapshot) -> Result<(), Error>,
    ) -> Result<(), Error>;

    /// Runs `change` alone and commits it where it succeeds; any error drops it, and nothing happened. The store may
    /// run `change` again, so it changes nothing outside of its transaction.
    ///
    /// # Errors
    /// What `change` returns, or [`StoreError`] where the store cannot be written.
    fn write(
        &self,
        library: &LibraryName,
        change: &mut dyn FnMut(&mut dyn Transaction) -> Result<(), Error>,
    ) -> Result<(), Error>;

    /// Makes sure that nothing erased can be read anywhere in the store any more: not in its free space, not in its
    /// logs. Names the copies of the store that it knows of and that still hold it.
    ///
    /// # Errors
    /// [`StoreError::Busy`] where others read for longer than the time-out; it can be repeated.
    fn scrub(&self) -> Result<Vec<String>, StoreError>;
}

/// The highest numbers that stand in a library's rows; 0 where there is none. A library that has not counted so far is
/// damaged: the next write would overwrite something.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traces {
    /// Of its entries, also of those that left.
    pub id: ExperienceId,
    /// Of its sessions.
    pub epoch: u64,
    /// Of its revisions.
    pub revision: u64,
}

/// One consistent state of one library.
pub trait Snapshot {
    /// The library itself, where there is one of that name.
    ///
    /// # Errors
    /// [`StoreError`] where the store cannot be read; the same of every method here.
    fn library(&self) -> Result<Option<Library>, StoreError>;

    /// The highest numbers in its rows. Takes no longer in a large library.
    fn traces(&self) -> Result<Traces, StoreError>;

    /// How many entries there are.
    fn size(&self) -> Result<usize, StoreError>;

    /// Every entry, by id.
    fn experiences(&self) -> Result<Vec<Experience>, StoreError>;

    /// One entry.
    fn experience(&self, id: ExperienceId) -> Result<Option<Experience>, StoreError>;

    /// The best entries for a query. An adapter may be faster than this, never different.
    fn search(&self, search: &Search) -> Result<Ranking, StoreError> {
        Ok(retrieval::rank(&self.experiences()?, search))
    }

    /// One session of this library.
    fn session(&self, id: &SessionId) -> Result<Option<Session>, StoreError>;

    /// Sessions of this library, the newest first (by epoch), at most `limit`; with `open_at` only those that are open
    /// then (see [`Session::is_open`]).
    fn sessions(&self, open_at: Option<Timestamp>, limit: usize) -> Result<Vec<Session>, StoreError>;

    /// The rewards of the last `window` sessions of this library and `group` that ended with one, the latest end
    /// (highest revision) first. No group is a group of its own.
    fn rewards(&self, group: Option<&FreeText>, window: usize) -> Result<Vec<f64>, StoreError>;

    /// Revisions, the newest first.
    fn revisions(&self, query: &RevisionQuery) -> Result<Vec<Revision>, StoreError>;

    /// One revision.
    fn revision(&self, number: u64) -> Result<Option<Revision>, StoreError>;

    /// The numbers of the revisions after `number` that changed an entry, the oldest first.
    fn changed_after(&self, number: u64, id: ExperienceId) -> Result<Vec<u64>, StoreError>;

    /// Entries that left, by id; only that of `id` where it is given. An entry that came back is not among them.
    fn archived(&self, id: Option<ExperienceId>) -> Result<Vec<Archived>, StoreError>;

    /// Every text in the history's records.
    fn recorded_texts(&self) -> Result<BTreeSet<String>, StoreError>;

    /// The answer kept under an idempotency key.
    fn remembered(&self, key: &str) -> Result<Option<Remembered>, StoreError>;

    /// Every answer that is kept, by key.
    fn all_remembered(&self) -> Result<Vec<Remembered>, StoreError>;
}

/// One change of one library, not yet committed. It sees its own writes.
pub trait Transaction: Snapshot {
    /// Creates or replaces the library itself.
    fn put_library(&mut self, library: &Library) -> Result<(), StoreError>;

    /// Creates or replaces an entry of that id.
    fn put_experience(&mut self, experience: &Experience) -> Result<(), StoreError>;

    /// Removes an entry.
    fn remove_experience(&mut self, id: ExperienceId) -> Result<(), StoreError>;

    /// Creates or replaces a session of that id, with its receipt and its end.
    fn put_session(&mut self, session: &Session) -> Result<(), StoreError>;

    /// Forgets the sessions that ended, or expired without an end, before `moment`; their rewards stay, at most the
    /// `rewards` latest of each group.
    fn forget_sessions(&mut self, moment: Timestamp, rewards: usize) -> Result<(), StoreError>;

    /// Counts a session's reward in running baselines; replaces that of the same session.
    fn put_reward(&mut self, reward: &Reward) -> Result<(), StoreError>;

    /// Counts a session's reward no more.
    fn remove_reward(&mut self, session_epoch: u64) -> Result<(), StoreError>;

    /// Adds a revision to the history. Its number is new, and each `before` is what the history says of that entry.
    fn put_revision(&mut self, revision: &Revision) -> Result<(), StoreError>;

    /// Empties the text and the source of every record whose text `kept` does not hold.
    fn erase_records(&mut self, kept: &BTreeSet<String>) -> Result<(), StoreError>;

    /// Keeps an answer; replaces that of the same key.
    fn remember(&mut self, remembered: &Remembered) -> Result<(), StoreError>;

    /// Forgets the answers given before `moment`.
    fn forget_answers(&mut self, moment: Timestamp) -> Result<(), StoreError>;
}
