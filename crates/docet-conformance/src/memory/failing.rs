use std::sync::Arc;

use docet_core::error::{Code, Error};
use docet_core::in_memory::HashEmbedder;
use docet_core::library::{LibraryName, LibrarySummary};
use docet_core::memory::{
    Begin, Candidate, Compress, End, Import, Init, Lessons, Memory, Purge, Recall, SettingsChange, Update,
};
use docet_core::operation::Operation;
use docet_core::ports::{Snapshot, Store, StoreError, Transaction};
use docet_core::session::{Outcome, SessionId};

use super::{Make, World};
use crate::failing::FailingStore;

/// A call that answers with its report, as text.
type Write = fn(&World, &Memory) -> Result<String, Error>;

fn words<T: std::fmt::Debug>(answer: T) -> String {
    format!("{answer:?}")
}

fn session() -> SessionId {
    SessionId("s".to_owned())
}

/// The calls of the facade that write, over a library of capacity 5 with four entries, of which the third has left,
/// and one open session.
const WRITES: [(&str, Write); 12] = [
    ("init", |world, memory| memory.init(&world.other(), &Init::default(), &world.call()).map(words)),
    ("update", |world, memory| {
        let list = vec![
            Operation::add("Wait until the page has loaded."),
            Operation::Merge { ids: vec![1, 2], text: "Read, then run.".to_owned(), domain: None, source: None },
            Operation::Modify { id: 4, text: None, domain: None, source: None, pinned: Some(true) },
        ];
        memory.update(&world.library, &Update::of(list), &world.call()).map(words)
    }),
    ("update over capacity", |world, memory| {
        let list = ["One.", "Two.", "Three."].map(Operation::add).to_vec();
        memory.update(&world.library, &Update::of(list), &world.call()).map(words)
    }),
    ("begin", |world, memory| {
        let begin = Begin { recall: Recall::of("close the banner"), ..Begin::default() };
        memory.begin(&world.library, &begin, &SessionId("new".to_owned()), &world.call()).map(words)
    }),
    ("recall within", |world, memory| {
        memory.recall_in(&session(), None, &Recall::of("ask before you delete"), world.call().now).map(words)
    }),
    ("end", |world, memory| {
        let outcome = Outcome { reward: Some(1.0), ..Outcome::default() };
        let operations = vec![Operation::add("Wait until the page has loaded."), Operation::Delete { id: 1 }];
        memory.end(&session(), None, &End { outcome, operations }, &world.call()).map(words)
    }),
    ("compress", |world, memory| {
        memory.compress(&world.library, &Compress { to: Some(1), ..Compress::default() }, &world.call()).map(words)
    }),
    ("settings", |world, memory| {
        let set = vec![("capacity".to_owned(), "2".to_owned())];
        let change = SettingsChange { set, evict: true, ..SettingsChange::default() };
        memory.change_settings(&world.library, &change, &world.call()).map(words)
    }),
    ("undo", |world, memory| memory.undo(&world.library, 2, false, &world.call()).map(words)),
    ("restore", |world, memory| memory.restore(&world.library, 3, false, &world.call()).map(words)),
    ("import", |world, memory| {
        let candidate = Candidate { line: 1, text: "Stop first.".to_owned(), ..Candidate::default() };
        memory.import(&world.library, &Import::of(Lessons::Candidates(vec![candidate])), &world.call()).map(words)
    }),
    ("purge", |world, memory| memory.purge(&world.library, Purge::default(), &world.call()).map(words)),
];

fn start(make: Make<'_>) -> World {
    let world = World::with(make(), &[("capacity", "5"), ("top_k", "2")]);
    let texts = [
        "Read the error before you change the code.",
        "Run the tests before you commit.",
        "Close the cookie banner first.",
        "Ask before you delete what you did not make.",
    ];
    world.update(texts.map(Operation::add).to_vec());
    world.update(vec![Operation::Delete { id: 3 }]);
    let begin = Begin { recall: Recall::of("read the error"), ..Begin::default() };
    world.memory.begin(&world.library, &begin, &session(), &world.call()).unwrap();
    world
}

/// Whichever call of its transaction fails: everything is as before, and the call can be made again.
pub fn a_call_that_fails_at_any_step_leaves_nothing(make: Make<'_>) {
    for (name, write) in WRITES {
        let world = start(make);
        let before = world.state();
        let mut fails_at = 0;
        loop {
            let store = Failing { store: Arc::clone(&world.store), fails_at };
            let memory = Memory::new(Arc::new(store), Arc::new(HashEmbedder));
            match write(&world, &memory) {
                Ok(_) => break,
                Err(error) => assert_eq!(error.code(), Code::Io, "{name} at call {fails_at}: {error}"),
            }
            assert_eq!(world.state(), before, "{name} at call {fails_at}");
            fails_at += 1;
        }
        assert!(fails_at >= 2, "{name}: {fails_at}");
        assert!(world.state() != before || name == "init", "{name}");
    }
}

/// [`FailingStore`], kept by a memory.
struct Failing {
    store: Arc<dyn Store>,
    fails_at: usize,
}

impl Store for Failing {
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
        FailingStore::new(&*self.store, self.fails_at).write(library, change)
    }

    fn scrub(&self) -> Result<Vec<String>, StoreError> {
        self.store.scrub()
    }
}
