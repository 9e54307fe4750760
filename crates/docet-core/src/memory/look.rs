//! Looking at what is there.

use std::cmp::Reverse;

use super::{Error, Memory, library};
use crate::confidence::Confidence;
use crate::error::{Code, Refusal};
use crate::experience::{Domain, Experience, ExperienceId, Timestamp};
use crate::history::{Archived, Record, Revision, RevisionQuery};
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

/// A list of entries that left.
#[derive(Clone, Debug, PartialEq)]
pub struct Archive {
    /// The entries asked for.
    pub archived: Vec<Archived>,
    /// How many there are without limit and offset.
    pub total: usize,
    /// The library's epoch.
    pub epoch: u64,
    /// The library's revision.
    pub revision: u64,
}

/// One entry with its history.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    /// The entry, as it stands or as it left.
    pub record: Record,
    /// When and why it left, where it did.
    pub archived: Option<Archived>,
    /// The revisions that changed it, the newest first, each with what it did to this entry alone.
    pub history: Vec<Revision>,
}

impl Memory {
    /// All libraries, by name.
    ///
    /// ```
    /// # use docet_core::{experience::Timestamp, library::LibraryName, operation::Operation, session::SessionId};
    /// # use docet_core::memory::*;
    /// let (memory, library, call) = (Memory::in_memory(), LibraryName::default(), Call::at(Timestamp(0)));
    /// memory.update(&library, &Update::of(vec![Operation::add("Run the tests first.")]), &call)?;
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
    /// let (memory, library, call) = (Memory::in_memory(), LibraryName::default(), Call::at(Timestamp(0)));
    /// memory.update(&library, &Update::of(vec![Operation::add("Run the tests first.")]), &call)?;
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
            list.order(&mut experiences, |entry| (entry.confidence, entry.usage_count, entry.epoch));
            Ok(Listing { experiences: list.page(experiences), total, epoch, revision })
        })
    }

    /// Entries that left a library and were not purged.
    ///
    /// ```
    /// # use docet_core::{experience::Timestamp, library::LibraryName, operation::Operation, session::SessionId};
    /// # use docet_core::memory::*;
    /// let (memory, library, call) = (Memory::in_memory(), LibraryName::default(), Call::at(Timestamp(0)));
    /// memory.update(&library, &Update::of(vec![Operation::add("Run the tests first.")]), &call)?;
    /// memory.update(&library, &Update::of(vec![Operation::Delete { id: 1 }]), &call)?;
    /// assert_eq!(memory.archive(&library, &List::default())?.archived[0].record.id, 1);
    /// # Ok::<(), docet_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// `library_missing`, and failures of the store.
    pub fn archive(&self, name: &LibraryName, list: &List) -> Result<Archive, Error> {
        self.look(name, |snapshot| {
            let Library { epoch, revision, .. } = library(snapshot, name)?;
            let mut archived = snapshot.archived(None)?;
            archived.retain(|left| {
                let is_wanted = list.domain.as_ref().is_none_or(|domain| left.record.domain == *domain);
                is_wanted && left.record.text.is_some()
            });
            let total = archived.len();
            list.order(&mut archived, |left| (left.record.confidence, left.record.usage_count, left.record.epoch));
            Ok(Archive { archived: list.page(archived), total, epoch, revision })
        })
    }

    /// One entry, also one that left, with its history.
    ///
    /// ```
    /// # use docet_core::{experience::Timestamp, library::LibraryName, operation::Operation, session::SessionId};
    /// # use docet_core::memory::*;
    /// let (memory, library, call) = (Memory::in_memory(), LibraryName::default(), Call::at(Timestamp(0)));
    /// memory.update(&library, &Update::of(vec![Operation::add("Run the tests first.")]), &call)?;
    /// let shown = memory.show(&library, 1)?;
    /// assert_eq!((shown.archived, shown.history[0].number), (None, 1));
    /// # Ok::<(), docet_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// `unknown_id`, `purged`, `library_missing`, and failures of the store.
    pub fn show(&self, name: &LibraryName, id: ExperienceId) -> Result<Shown, Error> {
        self.look(name, |snapshot| {
            library(snapshot, name)?;
            let (record, archived) = match snapshot.experience(id)? {
                Some(entry) => (Record::from(&entry), None),
                None => {
                    let left = snapshot.archived(Some(id))?.pop().ok_or_else(|| unknown_id(id))?;
                    if left.record.text.is_none() {
                        return Err(purged(id).into());
                    }
                    (left.record.clone(), Some(left))
                }
            };
            let mut history = snapshot.revisions(&RevisionQuery { id: Some(id), ..RevisionQuery::default() })?;
            history.iter_mut().for_each(|revision| revision.changes.retain(|change| change.id == id));
            Ok(Shown { record, archived, history })
        })
    }

    /// Revisions of a library, the newest first.
    ///
    /// ```
    /// # use docet_core::{experience::Timestamp, library::LibraryName, operation::Operation, session::SessionId};
    /// # use docet_core::memory::*;
    /// let (memory, library, call) = (Memory::in_memory(), LibraryName::default(), Call::at(Timestamp(0)));
    /// memory.update(&library, &Update::of(vec![Operation::add("Run the tests first.")]), &call)?;
    /// let history = memory.history(&library, &RevisionQuery::default())?;
    /// assert_eq!((history[0].number, history[0].changes[0].id), (1, 1));
    /// # use docet_core::history::RevisionQuery;
    /// # Ok::<(), docet_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// `library_missing`, and failures of the store.
    pub fn history(&self, name: &LibraryName, query: &RevisionQuery) -> Result<Vec<Revision>, Error> {
        self.look(name, |snapshot| {
            library(snapshot, name)?;
            Ok(snapshot.revisions(query)?)
        })
    }

    /// Sessions of a library, the newest first; with `open_at` only those that are open then.
    ///
    /// ```
    /// # use docet_core::{experience::Timestamp, library::LibraryName, operation::Operation, session::SessionId};
    /// # use docet_core::memory::*;
    /// let (memory, library, call) = (Memory::in_memory(), LibraryName::default(), Call::at(Timestamp(0)));
    /// memory.update(&library, &Update::of(vec![Operation::add("Run the tests first.")]), &call)?;
    /// assert!(memory.sessions(&library, Some(call.now), 10)?.is_empty());
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

impl List {
    /// Sorts entries that are by id, given what they may be sorted by.
    fn order<T>(&self, entries: &mut [T], by: impl Fn(&T) -> (Confidence, u64, u64)) {
        match self.sort {
            Sort::Id => {}
            Sort::Confidence => entries.sort_by(|a, b| by(b).0.get().total_cmp(&by(a).0.get())),
            Sort::Usage => entries.sort_by_key(|entry| Reverse(by(entry).1)),
            Sort::Epoch => entries.sort_by_key(|entry| Reverse(by(entry).2)),
        }
    }

    fn page<T>(&self, entries: Vec<T>) -> Vec<T> {
        entries.into_iter().skip(self.offset).take(self.limit.unwrap_or(usize::MAX)).collect()
    }
}

/// The refusal of an entry whose text was erased.
pub(super) fn purged(id: ExperienceId) -> Refusal {
    let message = format!("the text of entry {id} was purged; nothing brings it back but a backup");
    Refusal::new(Code::Purged, message).field("id").value(id)
}
