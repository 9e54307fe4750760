//! Looking at what is there.

use super::{Error, Memory, library};
use crate::experience::{Domain, Experience, ExperienceId, Timestamp};
use crate::library::{Library, LibraryName, LibrarySummary};
use crate::session::Session;
use crate::update::unknown_id;

/// Which entries to list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct List {
    /// Of this domain alone.
    pub domain: Option<Domain>,
    /// In this order.
    pub sort: Sort,
    /// At most so many.
    pub limit: Option<usize>,
    /// Without the first so many.
    pub offset: usize,
}

/// The order of a list. Ties are by id.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sort {
    /// The oldest entry first.
    #[default]
    Id,
    /// The most trusted first.
    Confidence,
    /// The most used first.
    Usage,
    /// The latest written first.
    Epoch,
}

/// A list of entries.
#[derive(Clone, Debug, PartialEq)]
pub struct Listing {
    /// The entries asked for.
    pub experiences: Vec<Experience>,
    /// How many there are without limit and offset.
    pub total: usize,
    /// The library's epoch.
    pub epoch: u64,
    /// The library's revision.
    pub revision: u64,
}

impl Memory {
    /// All libraries, by name.
    ///
    /// ```
    /// # use docet_core::{experience::Timestamp, library::LibraryName, operation::Operation, session::SessionId};
    /// # use docet_core::memory::*;
    /// let (memory, library, now) = (Memory::in_memory(), LibraryName::default(), Timestamp(0));
    /// memory.update(&library, &Update::of(vec![Operation::add("Run the tests first.")]), now)?;
    /// assert_eq!(memory.libraries()?[0].size, 1);
    /// # Ok::<(), docet_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// Failures of the store.
    pub fn libraries(&self) -> Result<Vec<LibrarySummary>, Error> {
        Ok(self.store.libraries()?)
    }

    /// Entries of a library.
    ///
    /// ```
    /// # use docet_core::{experience::Timestamp, library::LibraryName, operation::Operation, session::SessionId};
    /// # use docet_core::memory::*;
    /// let (memory, library, now) = (Memory::in_memory(), LibraryName::default(), Timestamp(0));
    /// memory.update(&library, &Update::of(vec![Operation::add("Run the tests first.")]), now)?;
    /// let listing = memory.list(&library, &List { sort: Sort::Confidence, ..List::default() })?;
    /// assert_eq!(listing.total, 1);
    /// # Ok::<(), docet_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// `library_missing`, and failures of the store.
    pub fn list(&self, name: &LibraryName, list: &List) -> Result<Listing, Error> {
        self.look(name, |snapshot| {
            let Library { epoch, revision, .. } = library(snapshot, name)?;
            let mut experiences = snapshot.experiences()?;
            experiences.retain(|entry| list.domain.as_ref().is_none_or(|domain| entry.domain == *domain));
            let total = experiences.len();
            match list.sort {
                Sort::Id => {}
                Sort::Confidence => experiences.sort_by(|a, b| b.confidence.get().total_cmp(&a.confidence.get())),
                Sort::Usage => experiences.sort_by_key(|entry| std::cmp::Reverse(entry.usage_count)),
                Sort::Epoch => experiences.sort_by_key(|entry| std::cmp::Reverse(entry.epoch)),
            }
            let limit = list.limit.unwrap_or(usize::MAX);
            let experiences = experiences.into_iter().skip(list.offset).take(limit).collect();
            Ok(Listing { experiences, total, epoch, revision })
        })
    }

    /// One entry.
    ///
    /// ```
    /// # use docet_core::{experience::Timestamp, library::LibraryName, operation::Operation, session::SessionId};
    /// # use docet_core::memory::*;
    /// let (memory, library, now) = (Memory::in_memory(), LibraryName::default(), Timestamp(0));
    /// memory.update(&library, &Update::of(vec![Operation::add("Run the tests first.")]), now)?;
    /// assert_eq!(memory.show(&library, 1)?.text.as_str(), "Run the tests first.");
    /// # Ok::<(), docet_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// `unknown_id`, `library_missing`, and failures of the store.
    pub fn show(&self, name: &LibraryName, id: ExperienceId) -> Result<Experience, Error> {
        self.look(name, |snapshot| {
            library(snapshot, name)?;
            Ok(snapshot.experience(id)?.ok_or_else(|| unknown_id(id))?)
        })
    }

    /// Sessions of a library, the newest first; with `open_at` only those that are open then.
    ///
    /// ```
    /// # use docet_core::{experience::Timestamp, library::LibraryName, operation::Operation, session::SessionId};
    /// # use docet_core::memory::*;
    /// let (memory, library, now) = (Memory::in_memory(), LibraryName::default(), Timestamp(0));
    /// memory.update(&library, &Update::of(vec![Operation::add("Run the tests first.")]), now)?;
    /// assert!(memory.sessions(&library, Some(now), 10)?.is_empty());
    /// # Ok::<(), docet_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// `library_missing`, and failures of the store.
    pub fn sessions(
        &self,
        name: &LibraryName,
        open_at: Option<Timestamp>,
        limit: usize,
    ) -> Result<Vec<Session>, Error> {
        self.look(name, |snapshot| {
            library(snapshot, name)?;
            Ok(snapshot.sessions(open_at, limit)?)
        })
    }
}
