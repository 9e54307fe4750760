//! Stores that break their word: one whose n-th call fails, and one that runs every change twice.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use docet_core::error::{Code, Error};
use docet_core::experience::{Experience, ExperienceId, Timestamp};
use docet_core::in_memory::InMemoryStore;
use docet_core::library::{Library, LibraryName, LibrarySummary};
use docet_core::memory::{Compress, Init, Recall, SettingsChange};
use docet_core::ports::{Snapshot, Store, StoreError, Transaction};
use docet_core::session::{Session, SessionId};
use docet_core::text::FreeText;
use serde_json::json;

use crate::world::{World, worded};

/// A call that answers with its report, as text.
type Write = fn(&World) -> Result<String, Error>;

/// The calls of the facade that write, over a library with one open session `s1`.
const WRITES: [(&str, Write); 8] = [
    ("update", |world| {
        let list = json!([
            {"op": "add", "text": "Wait until the page has loaded."},
            {"op": "merge", "ids": [1, 2], "text": "Read, then run."},
            {"op": "modify", "id": 3, "pinned": true},
        ]);
        world.update(list).map(|report| format!("{report:?}"))
    }),
    ("update over capacity", |world| {
        let list = json!([
            {"op": "add", "text": "Wait until the page has loaded."},
            {"op": "add", "text": "Scroll before you search."},
        ]);
        world.update(list).map(|report| format!("{report:?}"))
    }),
    ("begin", |world| {
        let begin = docet_core::memory::Begin { recall: Recall::of("close the banner"), ..Default::default() };
        let session = SessionId("new".to_owned());
        world.memory.begin(&world.library, &begin, &session, world.tick()).map(|recalled| format!("{recalled:?}"))
    }),
    ("recall within", |world| {
        let recall = Recall::of("ask before you delete");
        world.memory.recall_in(&s1(), None, &recall, world.tick()).map(|recalled| format!("{recalled:?}"))
    }),
    ("end", |world| {
        let list = json!([{"op": "add", "text": "Wait until the page has loaded."}, {"op": "delete", "id": 1}]);
        world.end_with(&s1(), worded(true), list).map(|report| format!("{report:?}"))
    }),
    ("compress", |world| {
        let compress = Compress { to: Some(1), ..Compress::default() };
        world.memory.compress(&world.library, &compress).map(|report| format!("{report:?}"))
    }),
    ("settings", |world| {
        let set = vec![("capacity".to_owned(), "2".to_owned())];
        let change = SettingsChange { set, evict: true, ..SettingsChange::default() };
        world.memory.change_settings(&world.library, &change).map(|report| format!("{report:?}"))
    }),
    ("init", |world| {
        let other = LibraryName::parse("other").expect("a name");
        world.memory.init(&other, &Init::default()).map(|library| format!("{library:?}"))
    }),
];

fn s1() -> SessionId {
    SessionId("s1".to_owned())
}

fn start(store: Arc<dyn Store>) -> World {
    let world = World::on(store);
    world.init(&[("capacity", "5"), ("top_k", "2")]).expect("sound settings");
    world.add(&[
        "Read the error before you change the code.",
        "Run the tests before you commit.",
        "Close the cookie banner first.",
        "Ask before you delete what you did not make.",
    ]);
    assert_eq!(world.begin("read the error").0, s1());
    world
}

#[test]
fn a_call_that_fails_at_any_step_leaves_nothing() {
    for (name, write) in WRITES {
        let store = Arc::new(Failing::default());
        let world = start(store.clone());
        let libraries = world.memory.libraries().expect("libraries");
        let before = world.whole();
        let mut steps = 0;
        let answer = loop {
            store.fail_after(steps);
            let answer = write(&world);
            if !store.failed() {
                break answer;
            }
            assert_eq!(answer.expect_err(name).code(), Code::Io, "{name} at step {steps}");
            store.never_fail();
            assert_eq!(world.whole(), before, "{name} at step {steps}");
            assert_eq!(world.memory.libraries().expect("libraries"), libraries, "{name} at step {steps}");
            steps += 1;
        };
        assert!(answer.is_ok() && steps >= 2, "{name}: {answer:?} after {steps} steps");
        store.never_fail();
        assert!(world.whole() != before || name == "init", "{name}");
    }
}

#[test]
fn a_change_may_be_run_again() {
    for (name, write) in WRITES {
        let (once, twice) = (start(Arc::new(InMemoryStore::new())), start(Arc::new(Twice::default())));
        let (expected, answer) = (write(&once).expect(name), write(&twice).expect(name));
        assert_eq!(answer, expected, "{name}");
        assert_eq!(twice.whole(), once.whole(), "{name}");
    }
}

// A store whose n-th call within a write fails.

#[derive(Default)]
struct Failing {
    inner: InMemoryStore,
    /// Calls until the failure, from 1; 0 is never.
    left: AtomicUsize,
    has_failed: AtomicUsize,
}

impl Failing {
    fn fail_after(&self, steps: usize) {
        self.has_failed.store(0, Ordering::Relaxed);
        self.left.store(steps + 1, Ordering::Relaxed);
    }

    fn never_fail(&self) {
        self.left.store(0, Ordering::Relaxed);
    }

    fn failed(&self) -> bool {
        self.has_failed.load(Ordering::Relaxed) > 0
    }
}

impl Store for Failing {
    fn libraries(&self) -> Result<Vec<LibrarySummary>, StoreError> {
        self.inner.libraries()
    }

    fn library_of(&self, session: &SessionId) -> Result<Option<LibraryName>, StoreError> {
        self.inner.library_of(session)
    }

    fn read(
        &self,
        library: &LibraryName,
        look: &mut dyn FnMut(&dyn Snapshot) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.inner.read(library, look)
    }

    fn write(
        &self,
        library: &LibraryName,
        change: &mut dyn FnMut(&mut dyn Transaction) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let left = Cell::new(self.left.load(Ordering::Relaxed));
        self.inner.write(library, &mut |transaction| {
            let done = change(&mut Counted { transaction, left: &left, store: self });
            // The commit is a step too.
            done.and_then(|()| Ok(count(&left, self)?))
        })
    }
}

fn count(left: &Cell<usize>, store: &Failing) -> Result<(), StoreError> {
    match left.get() {
        0 => Ok(()),
        1 => {
            store.has_failed.store(1, Ordering::Relaxed);
            let source = Box::from("the disk is full");
            Err(StoreError::Io { context: "writing the store".to_owned(), source })
        }
        steps => {
            left.set(steps - 1);
            Ok(())
        }
    }
}

struct Counted<'a> {
    transaction: &'a mut dyn Transaction,
    left: &'a Cell<usize>,
    store: &'a Failing,
}

/// Passes each call on after counting it.
macro_rules! counted {
    ($($name:ident($($argument:ident: $kind:ty),*) -> $answer:ty;)+) => {
        $(fn $name(&self, $($argument: $kind),*) -> Result<$answer, StoreError> {
            count(self.left, self.store)?;
            self.transaction.$name($($argument),*)
        })+
    };
    (mut: $($name:ident($($argument:ident: $kind:ty),*);)+) => {
        $(fn $name(&mut self, $($argument: $kind),*) -> Result<(), StoreError> {
            count(self.left, self.store)?;
            self.transaction.$name($($argument),*)
        })+
    };
}

impl Snapshot for Counted<'_> {
    counted! {
        library() -> Option<Library>;
        experiences() -> Vec<Experience>;
        experience(id: ExperienceId) -> Option<Experience>;
        session(id: &SessionId) -> Option<Session>;
        sessions(open_at: Option<Timestamp>, limit: usize) -> Vec<Session>;
        rewards(group: Option<&FreeText>, window: usize) -> Vec<f64>;
    }
}

impl Transaction for Counted<'_> {
    counted! {
        mut:
        put_library(library: &Library);
        put_experience(experience: &Experience);
        remove_experience(id: ExperienceId);
        put_session(session: &Session);
        forget_sessions(moment: Timestamp, rewards: usize);
    }
}

// A store that runs each change first in a transaction that it drops.

#[derive(Default)]
struct Twice(InMemoryStore);

impl Store for Twice {
    fn libraries(&self) -> Result<Vec<LibrarySummary>, StoreError> {
        self.0.libraries()
    }

    fn library_of(&self, session: &SessionId) -> Result<Option<LibraryName>, StoreError> {
        self.0.library_of(session)
    }

    fn read(
        &self,
        library: &LibraryName,
        look: &mut dyn FnMut(&dyn Snapshot) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.0.read(library, look)
    }

    fn write(
        &self,
        library: &LibraryName,
        change: &mut dyn FnMut(&mut dyn Transaction) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let dropped = self.0.write(library, &mut |transaction| {
            change(transaction)?;
            Err(StoreError::Busy("dropped, to be run again".to_owned()).into())
        });
        assert!(dropped.is_err());
        self.0.write(library, change)
    }
}
