use std::collections::BTreeMap;

use docet_core::error::Code;
use docet_core::experience::ExperienceId;
use docet_core::history::{Record, RevisionKind};
use docet_core::memory::{Begin, Compress, End, Recall, SettingsChange};
use docet_core::operation::Operation;
use docet_core::session::{Outcome, SessionId};
use docet_core::settings::Settings;

use super::command::is_expected;
use super::{Command, Make, State, World};
use crate::random::Random;

/// What an undo is about: entries without their vectors, settings, rewards.
fn substance(state: &State) -> (Vec<Record>, Option<Settings>, Vec<Vec<f64>>) {
    let settings = state.library.as_ref().map(|library| library.settings.clone());
    (state.entries.iter().map(Record::from).collect(), settings, state.rewards.clone())
}

fn by_id(state: &State) -> BTreeMap<ExperienceId, Record> {
    state.entries.iter().map(|entry| (entry.id, entry.into())).collect()
}

/// A library with a random past, call by call.
struct Past {
    world: World,
    random: Random,
    sessions: Vec<SessionId>,
}

impl Past {
    fn new(make: Make<'_>, seed: u64) -> Self {
        let world = World::with(make(), &[("capacity", "9"), ("baseline_min", "1")]);
        Self { world, random: Random::new(seed), sessions: Vec::new() }
    }

    /// One more call, whatever comes of it.
    fn go_on(&mut self) -> State {
        let state = self.world.state();
        let library = state.library.as_ref().unwrap();
        let name = format!("s{}", self.sessions.len());
        let command = Command::draw(&mut self.random, library.next_id - 1, &self.sessions, library.revision, &name);
        match command.run(&self.world.memory, &self.world.library, &self.world.call()) {
            Ok(_) if matches!(command, Command::Begin(..)) => self.sessions.push(SessionId(name)),
            Ok(_) => {}
            Err(error) => assert!(is_expected(&error), "{command:?}: {error:?}"),
        }
        self.world.state()
    }
}

/// Entries, settings and rewards are what they were; numbers go on; and the undo can be undone.
pub fn the_newest_revision_of_each_kind_is_undone(make: Make<'_>) {
    let mut undone = BTreeMap::new();
    for seed in 0..6 {
        let mut past = Past::new(make, seed);
        for _ in 0..60 {
            let before = past.world.state();
            let after = past.go_on();
            let (was, is) = (before.library.clone().unwrap(), after.library.clone().unwrap());
            let Some(newest) = after.revisions.first().filter(|_| is.revision > was.revision) else { continue };
            if matches!(newest.kind, RevisionKind::Purge | RevisionKind::Reembed) {
                continue;
            }
            let world = &past.world;
            let undo = |number| world.memory.undo(&world.library, number, false, &world.call());
            if let Err(error) = undo(is.revision) {
                assert_eq!(error.code(), Code::Purged, "{newest:?}: {error:?}");
                continue;
            }
            let back = world.state();
            assert_eq!(substance(&back), substance(&before), "{newest:?}");
            let library = back.library.clone().unwrap();
            assert_eq!((library.revision, library.epoch), (is.revision + 1, is.epoch));
            assert_eq!((library.next_id, &back.sessions), (is.next_id, &after.sessions));
            undo(library.revision).unwrap();
            assert_eq!(substance(&world.state()), substance(&after), "again: {newest:?}");
            *undone.entry(newest.kind.name()).or_insert(0) += 1;
        }
    }
    let kinds = ["update", "end", "compress", "settings", "import", "undo", "restore"];
    assert!(kinds.iter().all(|kind| undone.contains_key(kind)), "{undone:?}");
}

/// Or it is refused because a later revision touched the same, which it names.
pub fn an_older_revision_changes_back_exactly_what_it_touched(make: Make<'_>) {
    let (mut undone, mut conflicts) = (0, 0);
    for seed in 10..15 {
        let mut past = Past::new(make, seed);
        for step in 0..70 {
            let before = past.go_on();
            if before.revisions.is_empty() || step % 2 == 0 {
                continue;
            }
            let old = past.random.pick(&before.revisions);
            let world = &past.world;
            let later = before.revisions.iter().filter(|later| later.number > old.number);
            let touched = |id| later.clone().any(|later| later.changes.iter().any(|change| change.id == id));
            let is_touched = old.changes.iter().any(|change| touched(change.id));
            match world.memory.undo(&world.library, old.number, false, &world.call()) {
                Ok(_) => {
                    assert!(!is_touched, "{old:?}");
                    let mut expected = by_id(&before);
                    for change in &old.changes {
                        expected.remove(&change.id);
                        expected.extend(change.before.clone().map(|record| (change.id, record)));
                    }
                    assert_eq!(by_id(&world.state()), expected, "{old:?}");
                    undone += 1;
                }
                Err(error) => {
                    assert!(is_expected(&error), "{old:?}: {error:?}");
                    assert_eq!(world.state(), before);
                    let is_final = matches!(old.kind, RevisionKind::Purge | RevisionKind::Reembed);
                    assert!(!is_touched || is_final || error.code() == Code::UndoConflict, "{old:?}: {error:?}");
                    conflicts += usize::from(error.code() == Code::UndoConflict);
                }
            }
        }
    }
    assert!(undone >= 20 && conflicts >= 20, "{undone} undone, {conflicts} in conflict");
}

/// The message names the later revisions.
pub fn an_undo_of_what_was_touched_again_names_who_touched_it(make: Make<'_>) {
    let world = World::new(make());
    let id = world.add("Read the error first.");
    let pin = |pinned| Operation::Modify { id, text: None, domain: None, source: None, pinned: Some(pinned) };
    world.update(vec![pin(true)]);
    world.add("Run the tests first.");
    world.update(vec![pin(false)]);
    let undo = |number| world.memory.undo(&world.library, number, false, &world.call());
    let error = undo(1).unwrap_err();
    assert_eq!(error.code(), Code::UndoConflict);
    assert!(error.to_string().starts_with("revisions 2, 4 "), "{error}");
    let set =
        |value: &str| SettingsChange { set: vec![("top_k".to_owned(), value.to_owned())], ..SettingsChange::default() };
    world.memory.change_settings(&world.library, &set("3"), &world.call()).unwrap();
    world.memory.change_settings(&world.library, &set("4"), &world.call()).unwrap();
    let error = undo(5).unwrap_err();
    assert!(error.code() == Code::UndoConflict && error.to_string().starts_with("revision 6 "), "{error}");
    assert_eq!(undo(99).unwrap_err().code(), Code::UnknownRevision);
    undo(6).unwrap();
    assert_eq!(world.state().library.unwrap().settings.top_k, 3);
}

/// Its entries change back, its reward counts no more; a second end still gets the first answer.
pub fn an_undone_end_takes_its_reward_along_and_stays_ended(make: Make<'_>) {
    let world = World::with(make(), &[("baseline_min", "1")]);
    world.add("Read the error first.");
    let end = |name: &str, reward: f64| {
        let session = SessionId(name.to_owned());
        let begin = Begin { recall: Recall::of("read the error"), ..Begin::default() };
        world.memory.begin(&world.library, &begin, &session, &world.call()).unwrap();
        let outcome = Outcome { reward: Some(reward), ..Outcome::default() };
        let end = End { outcome, operations: Vec::new() };
        (world.memory.end(&session, None, &end, &world.call()).unwrap(), session, end)
    };
    end("one", 0.2);
    let before = world.state();
    let (first, session, again) = end("two", 0.9);
    assert_eq!(first.baseline, Some(0.2));
    world.memory.undo(&world.library, first.revision, false, &world.call()).unwrap();
    assert_eq!(substance(&world.state()), substance(&before));
    assert_eq!(world.memory.end(&session, None, &again, &world.call()).unwrap(), first);
    let (third, ..) = end("three", 0.4);
    assert_eq!(third.baseline, Some(0.2), "the reward that was taken back no longer counts");
    let twice = world.memory.undo(&world.library, first.revision, false, &world.call()).unwrap_err();
    assert_eq!(twice.code(), Code::UndoConflict);
}

/// Restored and undone entries: their ids, no equal twice in a domain, and the capacity.
pub fn what_comes_back_has_its_id_and_must_fit(make: Make<'_>) {
    let world = World::with(make(), &[("capacity", "3")]);
    world.update(["Read first.", "Run first.", "Ask first."].map(Operation::add).to_vec());
    let before = world.state();
    world.memory.compress(&world.library, &Compress { to: Some(2), ..Compress::default() }, &world.call()).unwrap();
    let gone = world.state().archived[0].record.clone();
    let restore = |id, evict| world.memory.restore(&world.library, id, evict, &world.call());
    assert_eq!(restore(gone.id, false).unwrap().revision.changes[0].after, Some(gone.clone()));
    assert_eq!(substance(&world.state()), substance(&before));
    assert_eq!(restore(gone.id, false).unwrap_err().code(), Code::BadValue);
    assert_eq!(restore(99, false).unwrap_err().code(), Code::UnknownId);

    world.update(vec![Operation::Delete { id: gone.id }]);
    let again = world.add(gone.text.as_ref().unwrap().as_str());
    assert_eq!(restore(gone.id, false).unwrap_err().code(), Code::DuplicateText);
    world.update(vec![Operation::Delete { id: again }]);
    world.add("Wait first.");
    let full = restore(gone.id, false).unwrap_err();
    assert!(full.code() == Code::OverCapacity && full.to_string().contains('4'), "{full}");
    let evicted = restore(gone.id, true).unwrap();
    assert_eq!((evicted.size, evicted.evicted.len()), (3, 1));
    assert!(evicted.evicted[0].id != gone.id && world.state().entries.iter().any(|entry| entry.id == gone.id));
}
