use std::cell::RefCell;
use std::sync::{Arc, Mutex};
use std::thread;

use docet_core::error::Error;
use docet_core::in_memory::InMemoryStore;
use docet_core::library::{LibraryName, LibrarySummary};
use docet_core::memory::Call;
use docet_core::ports::{Snapshot, Store, StoreError, Transaction};
use docet_core::session::SessionId;

use super::command::is_expected;
use super::{Command, Make, State, World};
use crate::random::Random;

const THREADS: u64 = 4;
const COMMANDS: u64 = 60;

/// One committed call, with what it left.
struct Committed {
    command: Command,
    call: Call,
    answer: String,
    /// What the library had counted then: each commit that changes anything raises its revision, its epoch or its next id.
    position: u64,
    state: State,
}

/// Threads call at random, on what they last saw. In the order of revisions, epochs and ids, the reference store goes through
/// the same states and gives the same answers.
pub fn what_threads_did_at_once_is_what_they_would_have_done_in_turn(make: Make<'_>) {
    let watched = Arc::new(Watched(make()));
    let world = World::with(Arc::clone(&watched) as Arc<dyn Store>, &[("capacity", "9"), ("baseline_min", "1")]);
    let start = world.state();
    let (log, sessions) = (Mutex::new(Vec::new()), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for number in 0..THREADS {
            let (world, log, sessions) = (&world, &log, &sessions);
            scope.spawn(move || act(world, number, log, sessions));
        }
    });
    let mut log: Vec<Committed> = log.into_inner().unwrap();
    log.sort_by_key(|committed| committed.position);
    assert!(log.windows(2).all(|pair| pair[0].position < pair[1].position), "two commits at one position");
    assert!(log.len() as u64 > THREADS * COMMANDS / 4, "only {} calls changed anything", log.len());

    let replayed = World::with(Arc::new(InMemoryStore::new()), &[("capacity", "9"), ("baseline_min", "1")]);
    assert_eq!(replayed.state(), start);
    for committed in &log {
        let Committed { command, call, answer, position, state } = committed;
        let again = command.run(&replayed.memory, &replayed.library, call);
        assert_eq!(again.as_ref().ok(), Some(answer), "{command:?} at {position}: {again:?}");
        let differing = replayed.state().differing(state);
        assert!(differing.is_empty(), "other {differing:?} after {command:?} at {position}");
    }
    assert!(world.state() == replayed.state());
}

fn act(world: &World, number: u64, log: &Mutex<Vec<Committed>>, sessions: &Mutex<Vec<SessionId>>) {
    let mut random = Random::new(number);
    for step in 0..COMMANDS {
        let (ids, revisions) = world.state().library.map_or((0, 0), |library| (library.next_id - 1, library.revision));
        let name = format!("s{number}-{step}");
        let open = sessions.lock().unwrap().clone();
        let command = Command::draw(&mut random, ids, &open, revisions, &name);
        let call = world.call();
        LAST.take();
        match command.run(&world.memory, &world.library, &call) {
            Ok(answer) => {
                if matches!(command, Command::Begin(..)) {
                    sessions.lock().unwrap().push(SessionId(name));
                }
                // A call that changed nothing has no place in the order.
                if let Some((position, state)) = LAST.take() {
                    log.lock().unwrap().push(Committed { command, call, answer, position, state });
                }
            }
            Err(error) => assert!(is_expected(&error), "{command:?}: {error:?}"),
        }
    }
}

thread_local! {
    /// What this thread's last change left, where it changed anything.
    static LAST: RefCell<Option<(u64, State)>> = const { RefCell::new(None) };
}

/// A store that notes what each committed change leaves.
struct Watched(Arc<dyn Store>);

fn position(snapshot: &dyn Snapshot) -> Result<u64, Error> {
    Ok(snapshot.library()?.map_or(0, |library| library.revision + library.epoch + library.next_id))
}

impl Store for Watched {
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
        let mut left = None;
        self.0.write(library, &mut |transaction| {
            let before = position(&*transaction)?;
            change(transaction)?;
            let after = position(&*transaction)?;
            left = if after > before { Some((after, State::of(&*transaction)?)) } else { None };
            Ok(())
        })?;
        if left.is_some() {
            LAST.set(left);
        }
        Ok(())
    }

    fn scrub(&self) -> Result<Vec<String>, StoreError> {
        self.0.scrub()
    }
}
