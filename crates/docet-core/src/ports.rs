//! What the core needs from outside: an encoder, and a store with its transactions.
//!
//! Ports are synchronous and dyn-compatible. Every call of a [`Store`] names its library; a session alone is found by
//! its id. The pure functions are the specification: [`Snapshot::search`] must equal [`retrieval::rank`] over
//! [`Snapshot::experiences`], which `docet-conformance` tests of every adapter.

use crate::error::Error;
use crate::experience::{Experience, ExperienceId, Timestamp};
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
}

/// One consistent state of one library.
pub trait Snapshot {
    /// The library itself, where there is one of that name.
    ///
    /// # Errors
    /// [`StoreError`] where the store cannot be read; the same of every method here.
    fn library(&self) -> Result<Option<Library>, StoreError>;

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
}

/// One change of one library, not yet committed. It sees its own writes.
pub trait Transaction: Snapshot {
    /// Creates or replaces the library itself.
    fn put_library(&mut self, library: &Library) -> Result<(), StoreError>;

    /// Creates or replaces an entry of that id.
    fn put_experience(&mut self, experience: &Experience) -> Result<(), StoreError>;

    /// Removes an entry.
    fn remove_experience(&mut self, id: ExperienceId) -> Result<(), StoreError>;

    /// Creates or replaces a session of that id, with its receipt, its end and its reward.
    fn put_session(&mut self, session: &Session) -> Result<(), StoreError>;

    /// Forgets the sessions that ended, or expired without an end, before `moment`; their rewards stay, at most the
    /// `rewards` latest of each group.
    fn forget_sessions(&mut self, moment: Timestamp, rewards: usize) -> Result<(), StoreError>;
}
