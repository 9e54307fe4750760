//! The facade: the only place where ports and policies meet.
//!
//! Every call names its library and, where it needs one, the present moment; texts are embedded before anything is
//! locked, and each change is one transaction of the store.

mod begin;
mod call;
mod end;
mod import;
mod look;
mod plan;
mod purge;
mod reembed;
mod undo;
mod upkeep;

use std::sync::Arc;

pub use crate::answers::{
    CompressReport, EqualLine, IdempotencyKey, ImportReport, PurgeReport, Recalled, ReembedReport, RefusedLine,
    Revised, SettingsReport,
};
pub use begin::{Begin, Recall};
pub use call::Call;
pub use end::End;
pub use import::{Candidate, Import, Lessons, LibraryFile};
pub use look::{Archive, List, Listing, Shown, Sort};
pub use purge::Purge;
pub use reembed::{Mismatch, SAME_TEXT};
pub use upkeep::{Compress, Init, SettingsChange};

use crate::error::{Code, Error, Refusal};
use crate::experience::{Experience, Timestamp};
use crate::history::RevisionKind;
use crate::in_memory::{HashEmbedder, InMemoryStore};
use crate::library::{Library, LibraryName};
use crate::operation::{self, OnInvalid, Operation, Prepared, UpdateReport};
use crate::ports::{Embedder, Encoded, Snapshot, Store, StoreError, Traces, Transaction};
use crate::settings::Settings;
use crate::update;
use plan::{Effort, Plan};

/// A memory for agents: libraries of lessons in a store, found by an encoder.
///
/// ```
/// use docet_core::experience::Timestamp;
/// use docet_core::library::LibraryName;
/// use docet_core::memory::{Call, Memory, Recall, Update};
/// use docet_core::operation::Operation;
///
/// let memory = Memory::in_memory();
/// let library = LibraryName::default();
/// let lesson = Operation::add("Run the tests before you commit.");
/// memory.update(&library, &Update::of(vec![lesson]), &Call::at(Timestamp(0)))?;
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

/// More operations than this are planned before the library is locked.
const MANY_OPERATIONS: usize = 100;

/// The changes of a library with more entries than this are planned before it is locked.
const LARGE_LIBRARY: usize = 1_000;

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
    /// let (memory, library, call) = (Memory::in_memory(), LibraryName::default(), Call::at(Timestamp(0)));
    /// memory.update(&library, &Update::of(vec![Operation::add("Run the tests first.")]), &call)?;
    /// let list = Update::of(vec![Operation::add("Read the error."), Operation::Delete { id: 1 }]);
    /// let report = memory.update(&library, &list, &call)?;
    /// assert_eq!((report.size, report.revision), (1, 2));
    /// # Ok::<(), docet_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Faults`] where an operation cannot be applied and the list rejects; `capacity_pinned`,
    /// `library_missing`, `encoder_differs`, and failures of store and encoder.
    pub fn update(&self, name: &LibraryName, update: &Update, call: &Call) -> Result<UpdateReport, Error> {
        if let Some(first) = self.first_answer(name, call)? {
            return Ok(first);
        }
        let (prepared, effort) = self.prepare(name, &update.operations)?;
        let plan = |snapshot: &dyn Snapshot| {
            let found = standing(snapshot, name)?;
            let mut plan = Plan::new(RevisionKind::Update, found.clone(), to_write(found, name)?);
            let entries = snapshot.experiences()?;
            let report = self.apply(&mut plan, entries.clone(), entries, &prepared, update.on_invalid, call.now)?;
            let revision = plan.number();
            Ok((plan, UpdateReport { revision, ..report }))
        };
        if !update.dry_run {
            return self.carry_out(name, call, effort, plan);
        }
        let (plan, report) = self.look(name, plan)?;
        Ok(UpdateReport { revision: plan.library.revision, dry_run: true, ..report })
    }

    /// Vectors of texts as they stand; nothing is normalised or refused.
    ///
    /// ```
    /// # use docet_core::{experience::Timestamp, library::LibraryName, operation::Operation, session::SessionId};
    /// # use docet_core::memory::*;
    /// let (memory, library, call) = (Memory::in_memory(), LibraryName::default(), Call::at(Timestamp(0)));
    /// memory.update(&library, &Update::of(vec![Operation::add("Run the tests first.")]), &call)?;
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

    /// Checks and embeds operations, once it is sure that the library is there to take them; says how long they take.
    fn prepare<'a>(
        &self,
        name: &LibraryName,
        operations: &'a [Operation],
    ) -> Result<(Vec<Prepared<'a>>, Effort), Error> {
        let (library, size) = self.look(name, |snapshot| Ok((library_to_write(snapshot, name)?, snapshot.size()?)))?;
        let prepared = operation::prepare(operations, |texts| {
            self.check_encoder(&library)?;
            self.embed(texts)
        })?;
        let is_small = operations.len() <= MANY_OPERATIONS && size <= LARGE_LIBRARY;
        let fits = size + operations.len() <= library.settings.capacity;
        Ok((prepared, if is_small && fits { Effort::Small } else { Effort::Large }))
    }

    /// Plans prepared operations on `entries`, which are what stands as `before` or, where the same call has changed some
    /// of them already, what it made of that.
    fn apply(
        &self,
        plan: &mut Plan,
        before: Vec<Experience>,
        entries: Vec<Experience>,
        operations: &[Prepared<'_>],
        on_invalid: OnInvalid,
        now: Timestamp,
    ) -> Result<UpdateReport, Error> {
        if operations.iter().any(Prepared::is_embedded) {
            self.check_encoder(&plan.library)?;
            plan.library.encoder.get_or_insert_with(|| self.embedder.encoder());
        }
        let updated = update::apply(&plan.library, entries, operations, on_invalid, now)?;
        plan.library.next_id = updated.next_id;
        plan.entries = plan::differences(before, updated.entries);
        Ok(updated.report)
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
    to_write(standing(snapshot, name)?, name)
}

fn to_write(found: Option<Library>, name: &LibraryName) -> Result<Library, Error> {
    match found {
        None if name.is_default() => Ok(Library::new(Settings::default())),
        found => Ok(found.ok_or_else(|| library_missing(name))?),
    }
}

/// The library, where there is one. One that has not counted all that its rows show would be overwritten by what comes
/// next.
fn standing(snapshot: &(impl Snapshot + ?Sized), name: &LibraryName) -> Result<Option<Library>, StoreError> {
    let (library, traces) = (snapshot.library()?, snapshot.traces()?);
    match &library {
        None if traces != Traces::default() => {
            Err(damaged(format!("library \"{name}\" has rows and is not there itself")))
        }
        Some(library) if traces.id >= library.next_id => {
            let next = library.next_id;
            Err(damaged(format!(
                "entry {} of library \"{name}\" has an id that is still to be given, {next}",
                traces.id
            )))
        }
        Some(library) if traces.epoch > library.epoch || traces.revision > library.revision => {
            let counted = (library.epoch, library.revision);
            let found = (traces.epoch, traces.revision);
            Err(damaged(format!("library \"{name}\" counts epoch and revision {counted:?}, its rows {found:?}")))
        }
        _ => Ok(library),
    }
}

fn damaged(what: String) -> StoreError {
    StoreError::Damaged(format!(
        "the store is damaged: {what}; nothing was changed: `docet doctor` says what can be mended, otherwise put a \
         backup in its place"
    ))
}

fn library_missing(name: &LibraryName) -> Refusal {
    let message = match name.is_default() {
        true => "library \"default\" is still empty; `docet add` or `docet begin` makes it".to_owned(),
        false => format!("there is no library \"{name}\"; `docet --library {name} init` makes it"),
    };
    Refusal::new(Code::LibraryMissing, message).field("library").value(name)
}
