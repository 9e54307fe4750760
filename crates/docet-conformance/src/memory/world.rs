//! A memory over a store that is to be tested, and everything that it keeps.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};

use docet_core::answers::Remembered;
use docet_core::error::Error;
use docet_core::experience::{Experience, ExperienceId, Timestamp};
use docet_core::history::{Archived, Revision, RevisionQuery};
use docet_core::in_memory::HashEmbedder;
use docet_core::library::{Library, LibraryName};
use docet_core::memory::{Call, Init, Memory, Update};
use docet_core::operation::{Operation, UpdateReport};
use docet_core::ports::{Snapshot, Store};
use docet_core::session::Session;
use docet_core::text::FreeText;

use crate::sample;

/// Groups of sessions that the properties use.
pub(super) const GROUPS: [&str; 2] = ["a", "b"];

/// One library of a memory, with a clock that moves by a second a call.
pub struct World {
    /// The store that is tested.
    pub store: Arc<dyn Store>,
    /// The memory over it.
    pub memory: Memory,
    /// The library that is used.
    pub library: LibraryName,
    clock: AtomicI64,
}

/// Everything that a store keeps of one library, but for remembered answers.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// The library itself.
    pub library: Option<Library>,
    /// Its entries.
    pub entries: Vec<Experience>,
    /// Its sessions.
    pub sessions: Vec<Session>,
    /// The rewards of each group, then of none.
    pub rewards: Vec<Vec<f64>>,
    /// Its history.
    pub revisions: Vec<Revision>,
    /// Entries that left.
    pub archived: Vec<Archived>,
}

impl State {
    /// What a snapshot holds.
    ///
    /// # Errors
    /// Failures of the store.
    pub fn of(snapshot: &dyn Snapshot) -> Result<Self, Error> {
        let groups = GROUPS.iter().map(|group| FreeText::parse("group", group).ok()).chain([None]);
        let rewards = groups.map(|group| snapshot.rewards(group.as_ref(), usize::MAX)).collect::<Result<_, _>>()?;
        Ok(Self {
            library: snapshot.library()?,
            entries: snapshot.experiences()?,
            sessions: snapshot.sessions(None, usize::MAX)?,
            rewards,
            revisions: snapshot.revisions(&RevisionQuery::default())?,
            archived: snapshot.archived(None)?,
        })
    }
}

impl State {
    /// What differs between two, by name.
    pub fn differing(&self, other: &Self) -> Vec<&'static str> {
        let parts = [
            ("library", self.library == other.library),
            ("entries", self.entries == other.entries),
            ("sessions", self.sessions == other.sessions),
            ("rewards", self.rewards == other.rewards),
            ("revisions", self.revisions == other.revisions),
            ("archived", self.archived == other.archived),
        ];
        parts.into_iter().filter(|(_, equal)| !equal).map(|(name, _)| name).collect()
    }
}

impl World {
    /// A memory over `store`, with the library `default` as yet unmade.
    pub fn new(store: Arc<dyn Store>) -> Self {
        let memory = Memory::new(Arc::clone(&store), Arc::new(HashEmbedder));
        Self { store, memory, library: LibraryName::default(), clock: AtomicI64::new(1_790_000_000_000) }
    }

    /// The same with settings.
    pub fn with(store: Arc<dyn Store>, settings: &[(&str, &str)]) -> Self {
        let world = Self::new(store);
        let settings = settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        world.memory.init(&world.library, &Init { preset: None, settings }, &world.call()).unwrap();
        world
    }

    /// A call a second later.
    pub fn call(&self) -> Call {
        self.call_after(1_000)
    }

    /// A call so many milliseconds later.
    pub fn call_after(&self, milliseconds: i64) -> Call {
        Call::at(Timestamp(self.clock.fetch_add(milliseconds, Ordering::Relaxed) + milliseconds))
    }

    /// Carries out operations, which must be sound.
    pub fn update(&self, operations: Vec<Operation>) -> UpdateReport {
        self.memory.update(&self.library, &Update::of(operations), &self.call()).unwrap()
    }

    /// Adds a lesson and returns its id.
    pub fn add(&self, text: &str) -> ExperienceId {
        self.update(vec![Operation::add(text)]).applied[0].id
    }

    /// Everything that the store keeps.
    pub fn state(&self) -> State {
        self.look(State::of)
    }

    /// The answers that are remembered.
    pub fn remembered(&self) -> Vec<Remembered> {
        self.look(|snapshot| Ok(snapshot.all_remembered()?))
    }

    fn look<T>(&self, look: impl Fn(&dyn Snapshot) -> Result<T, Error>) -> T {
        let mut found = None;
        self.store
            .read(&self.library, &mut |snapshot| {
                found = Some(look(snapshot)?);
                Ok(())
            })
            .unwrap();
        found.unwrap()
    }

    /// The name of a library beside the usual one.
    pub fn other(&self) -> LibraryName {
        sample::name("other")
    }
}
