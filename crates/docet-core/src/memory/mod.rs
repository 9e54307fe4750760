//! The facade: the only place where ports and policies meet.
//!
//! Every call names its library and, where it needs one, the present moment; texts are embedded before anything is
//! locked, and each change is one transaction of the store.

mod begin;
mod end;
mod look;
mod upkeep;

use std::sync::Arc;

pub use begin::{Begin, Recall, Recalled};
pub use end::End;
pub use look::{List, Listing, Sort};
pub use upkeep::{Compress, CompressReport, Init, SettingsChange, SettingsReport};

use crate::error::{Code, Error, Refusal};
use crate::experience::{Experience, Timestamp};
use crate::in_memory::{HashEmbedder, InMemoryStore};
use crate::library::{Library, LibraryName};
use crate::operation::{self, OnInvalid, Operation, Prepared, UpdateReport};
use crate::ports::{Embedder, Encoded, Snapshot, Store, StoreError, Transaction};
use crate::settings::Settings;
use crate::update;

/// A memory for agents: libraries of lessons in a store, found by an encoder.
///
/// ```
/// use docet_core::experience::Timestamp;
/// use docet_core::library::LibraryName;
/// use docet_core::memory::{Memory, Recall, Update};
/// use docet_core::operation::Operation;
///
/// let memory = Memory::in_memory();
/// let library = LibraryName::default();
/// let lesson = Operation::add("Run the tests before you commit.");
/// memory.update(&library, &Update::of(vec![lesson]), Timestamp(0))?;
/// let recalled = memory.recall(&library, &Recall::of("commit a change"))?;
/// assert_eq!(recalled.context(), "[G0] Run the tests before you commit.");
/// # Ok::<(), docet_core::error::Error>(())
/// ```
#[derive(Clone)]
pub struct Memory {
    store: Arc<dyn Store>,
    embedder: Arc<dyn Embedder>,
}

/// A list of operations.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Update {
    /// Applied in this order.
    pub operations: Vec<Operation>,
    /// What a faulty one does to the others.
    pub on_invalid: OnInvalid,
    /// Whether only to say what would happen.
    pub dry_run: bool,
}

impl Update {
    /// These operations, all or nothing.
    pub fn of(operations: Vec<Operation>) -> Self {
        Self { operations, ..Self::default() }
    }
}

impl Memory {
    /// A memory over a store and an encoder.
    pub fn new(store: Arc<dyn Store>, embedder: Arc<dyn Embedder>) -> Self {
        Self { store, embedder }
    }

    /// A memory that is gone with its last clone, over the reference adapters: for tests and examples.
    pub fn in_memory() -> Self {
        Self::new(Arc::new(InMemoryStore::new()), Arc::new(HashEmbedder))
    }

    /// Applies operations in order, all or nothing, then compresses what is over capacity (`alg:memory-update`).
    ///
    /// ```
    /// # use docet_core::{experience::Timestamp, library::LibraryName, operation::Operation, session::SessionId};
    /// # use docet_core::memory::*;
    /// let (memory, library, now) = (Memory::in_memory(), LibraryName::default(), Timestamp(0));
    /// memory.update(&library, &Update::of(vec![Operation::add("Run the tests first.")]), now)?;
    /// let list = Update::of(vec![Operation::add("Read the error."), Operation::Delete { id: 1 }]);
    /// let report = memory.update(&library, &list, now)?;
    /// assert_eq!((report.size, report.revision), (1, 2));
    /// # Ok::<(), docet_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Faults`] where an operation cannot be applied and the list rejects; `capacity_pinned`,
    /// `library_missing`, `encoder_differs`, and failures of store and encoder.
    pub fn update(&self, name: &LibraryName, update: &Update, now: Timestamp) -> Result<UpdateReport, Error> {
        let prepared = self.prepare(name, &update.operations)?;
        if update.dry_run {
            return self.look(name, |snapshot| {
                let library = library_to_write(snapshot, name)?;
                let updated = update::apply(&library, snapshot.experiences()?, &prepared, update.on_invalid, now)?;
                Ok(UpdateReport { revision: library.revision, dry_run: true, ..updated.report })
            });
        }
        self.change(name, |transaction| {
            let mut library = library_to_write(transaction, name)?;
            let (report, changed) = self.apply(transaction, &mut library, &prepared, update.on_invalid, now)?;
            library.revision += u64::from(changed);
            transaction.put_library(&library)?;
            Ok(UpdateReport { revision: library.revision, ..report })
        })
    }

    /// Vectors of texts as they stand; nothing is normalised or refused.
    ///
    /// ```
    /// # use docet_core::{experience::Timestamp, library::LibraryName, operation::Operation, session::SessionId};
    /// # use docet_core::memory::*;
    /// let (memory, library, now) = (Memory::in_memory(), LibraryName::default(), Timestamp(0));
    /// memory.update(&library, &Update::of(vec![Operation::add("Run the tests first.")]), now)?;
    /// let encoded = memory.embed(&["one text", ""])?;
    /// assert_eq!((encoded.len(), encoded[0].embedding.as_slice().len()), (2, 384));
    /// # Ok::<(), docet_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// Failures of the encoder.
    pub fn embed(&self, texts: &[&str]) -> Result<Vec<Encoded>, Error> {
        Ok(self.embedder.embed(texts)?)
    }

    /// Checks and embeds operations, once it is sure that the library is there to take them.
    fn prepare<'a>(&self, name: &LibraryName, operations: &'a [Operation]) -> Result<Vec<Prepared<'a>>, Error> {
        let library = self.look(name, |snapshot| library_to_write(snapshot, name))?;
        operation::prepare(operations, |texts| {
            self.check_encoder(&library)?;
            self.embed(texts)
        })
    }

    /// Applies prepared operations within a transaction. The library's row is left to the caller, who knows what else
    /// belongs to the same revision; the answer says whether any entry changed.
    fn apply(
        &self,
        transaction: &mut dyn Transaction,
        library: &mut Library,
        operations: &[Prepared<'_>],
        on_invalid: OnInvalid,
        now: Timestamp,
    ) -> Result<(UpdateReport, bool), Error> {
        if operations.iter().any(Prepared::is_embedded) {
            self.check_encoder(library)?;
            library.encoder.get_or_insert_with(|| self.embedder.encoder());
        }
        let before = transaction.experiences()?;
        check_ids(library, &before)?;
        let updated = update::apply(library, before.clone(), operations, on_invalid, now)?;
        let changed = store_difference(transaction, &before, &updated.entries)?;
        library.next_id = updated.next_id;
        Ok((updated.report, changed))
    }

    /// Runs `look` over one state of a library and returns what it found.
    fn look<T>(&self, name: &LibraryName, mut look: impl FnMut(&dyn Snapshot) -> Result<T, Error>) -> Result<T, Error> {
        let mut found = None;
        self.store.read(name, &mut |snapshot| {
            found = Some(look(snapshot)?);
            Ok(())
        })?;
        Ok(found.expect("a read that succeeded ran"))
    }

    /// Runs `change` in a transaction and returns what it made, once that is committed.
    fn change<T>(
        &self,
        name: &LibraryName,
        mut change: impl FnMut(&mut dyn Transaction) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let mut made = None;
        self.store.write(name, &mut |transaction| {
            made = Some(change(transaction)?);
            Ok(())
        })?;
        Ok(made.expect("a write that succeeded ran"))
    }

    /// Refuses a library whose vectors another encoder made.
    fn check_encoder(&self, library: &Library) -> Result<(), Refusal> {
        let ours = self.embedder.encoder();
        match &library.encoder {
            Some(theirs) if *theirs != ours => {
                let message = format!(
                    "the library's vectors were made by another encoder ({}), which this Docet does not have; use the \
                     Docet that made them",
                    theirs.0
                );
                Err(Refusal::new(Code::EncoderDiffers, message).field("library").value(&theirs.0).allowed(ours.0))
            }
            _ => Ok(()),
        }
    }
}

/// The library of that name.
fn library(snapshot: &(impl Snapshot + ?Sized), name: &LibraryName) -> Result<Library, Error> {
    Ok(standing(snapshot, name)?.ok_or_else(|| library_missing(name))?)
}

/// The same, but the default library comes into being with its first write.
fn library_to_write(snapshot: &(impl Snapshot + ?Sized), name: &LibraryName) -> Result<Library, Error> {
    match standing(snapshot, name)? {
        None if name.is_default() => Ok(Library::new(Settings::default())),
        standing => Ok(standing.ok_or_else(|| library_missing(name))?),
    }
}

/// The library, where there is one. Entries without it would be overwritten by what comes next.
fn standing(snapshot: &(impl Snapshot + ?Sized), name: &LibraryName) -> Result<Option<Library>, StoreError> {
    let library = snapshot.library()?;
    if library.is_none() && !snapshot.experiences()?.is_empty() {
        return Err(damaged(&format!("library \"{name}\" has entries and is not there itself")));
    }
    Ok(library)
}

/// A next id that is taken already would overwrite a lesson.
fn check_ids(library: &Library, entries: &[Experience]) -> Result<(), StoreError> {
    match entries.last() {
        Some(last) if last.id >= library.next_id => {
            Err(damaged(&format!("entry {} has an id that is still to be given, {}", last.id, library.next_id)))
        }
        _ => Ok(()),
    }
}

fn damaged(what: &str) -> StoreError {
    StoreError::Damaged(format!("the store is damaged: {what}; nothing was changed, put a backup in its place"))
}

/// Writes what differs between two states of a library's entries, both by id, and says whether anything did.
fn store_difference(
    transaction: &mut dyn Transaction,
    before: &[Experience],
    after: &[Experience],
) -> Result<bool, Error> {
    let mut changed = false;
    let mut old = before.iter().peekable();
    for entry in after {
        while let Some(gone) = old.next_if(|earlier| earlier.id < entry.id) {
            transaction.remove_experience(gone.id)?;
            changed = true;
        }
        if old.next_if(|earlier| earlier.id == entry.id) != Some(entry) {
            transaction.put_experience(entry)?;
            changed = true;
        }
    }
    for gone in old {
        transaction.remove_experience(gone.id)?;
        changed = true;
    }
    Ok(changed)
}

fn library_missing(name: &LibraryName) -> Refusal {
    let message = match name.is_default() {
        true => "library \"default\" is still empty; `docet add` or `docet begin` makes it".to_owned(),
        false => format!("there is no library \"{name}\"; `docet --library {name} init` makes it"),
    };
    Refusal::new(Code::LibraryMissing, message).field("library").value(name)
}
