use docet_core::history::{RevisionKind, RevisionQuery};
use docet_core::memory::{Begin, Call, Compress, End, List, Recall, SettingsChange, Update};
use docet_core::operation::Operation;
use docet_core::session::{Outcome, SessionId};
use docet_core::text::FreeText;

use super::{Make, World};

fn set(key: &str, value: &str) -> SettingsChange {
    SettingsChange { set: vec![(key.to_owned(), value.to_owned())], ..SettingsChange::default() }
}

fn rewarded(reward: f64) -> End {
    End { outcome: Outcome { reward: Some(reward), baseline: Some(0.5), ..Outcome::default() }, operations: Vec::new() }
}

/// Operations, ends, compressions and settings, each with what it changed, before and after.
pub fn every_change_is_a_revision_with_its_actor_and_reason(make: Make<'_>) {
    let world = World::new(make());
    let free = |text: &str| FreeText::parse("reason", text).unwrap();
    let by = |reason: &str| Call { actor: free("ci"), reason: Some(free(reason)), ..world.call() };
    let (memory, library) = (&world.memory, &world.library);
    let adds = ["Read the error first.", "Run the tests first."].map(Operation::add).to_vec();
    memory.update(library, &Update::of(adds), &by("lessons")).unwrap();
    let session = SessionId("s".to_owned());
    let begin = Begin { recall: Recall::of("read the error"), ..Begin::default() };
    memory.begin(library, &begin, &session, &by("no revision")).unwrap();
    memory.end(&session, None, &rewarded(1.0), &by("it helped")).unwrap();
    memory.change_settings(library, &set("top_k", "3"), &by("fewer")).unwrap();
    memory.compress(library, &Compress { to: Some(1), ..Compress::default() }, &by("smaller")).unwrap();

    let history = memory.history(library, &RevisionQuery::default()).unwrap();
    let told: Vec<_> = history
        .iter()
        .map(|revision| (revision.number, revision.kind, revision.reason.clone(), revision.changes.len()))
        .collect();
    let expected = [
        (4, RevisionKind::Compress, "smaller", 1),
        (3, RevisionKind::Settings, "fewer", 0),
        (2, RevisionKind::End, "it helped", 2),
        (1, RevisionKind::Update, "lessons", 2),
    ];
    assert_eq!(told, expected.map(|(number, kind, reason, changes)| (number, kind, Some(free(reason)), changes)));
    assert!(history.iter().all(|revision| revision.actor == free("ci")));
    assert!(history.windows(2).all(|pair| pair[0].at > pair[1].at));
    let [left, settings, end, add] = &history[..] else { panic!("{history:?}") };
    assert!(left.changes[0].after.is_none() && left.changes[0].before.is_some());
    let changed = settings.settings.as_ref().unwrap();
    assert_eq!((changed.before.top_k, changed.after.top_k), (5, 3));
    assert_eq!(end.reward.as_ref().unwrap().after.as_ref().unwrap().reward, 1.0);
    assert_eq!(end.changes[0].before, add.changes[0].after);
    assert_eq!(end.changes[0].after.as_ref().unwrap().usage_count, 1);
}

/// What is refused, repeated, or there already.
pub fn what_changes_nothing_is_no_revision(make: Make<'_>) {
    let world = World::new(make());
    world.add("Read the error first.");
    let before = world.state().revisions;
    assert_eq!(world.update(vec![Operation::add("Read the error first.")]).revision, 1);
    let (memory, library) = (&world.memory, &world.library);
    memory.update(library, &Update::of(vec![Operation::Delete { id: 9 }]), &world.call()).unwrap_err();
    memory.change_settings(library, &set("top_k", "5"), &world.call()).unwrap();
    memory.compress(library, &Compress::default(), &world.call()).unwrap();
    let session = SessionId("s".to_owned());
    let begin = Begin { recall: Recall::of("read the error"), ..Begin::default() };
    memory.begin(library, &begin, &session, &world.call()).unwrap();
    memory.reembed(library, &world.call()).unwrap();
    assert_eq!(world.state().revisions, before);
}

/// The newest first, each with what it did to that entry alone.
pub fn an_entry_shows_its_own_history(make: Make<'_>) {
    let world = World::new(make());
    world.update(["Read the error first.", "Run the tests first."].map(Operation::add).to_vec());
    world.update(vec![Operation::Delete { id: 2 }]);
    let modify = Operation::Modify { id: 1, text: None, domain: None, source: None, pinned: Some(true) };
    world.update(vec![modify]);
    let shown = world.memory.show(&world.library, 1).unwrap();
    let numbers: Vec<u64> = shown.history.iter().map(|revision| revision.number).collect();
    assert_eq!((numbers, shown.archived), (vec![3, 1], None));
    assert!(shown.history.iter().all(|revision| revision.changes.iter().all(|change| change.id == 1)));
    let gone = world.memory.show(&world.library, 2).unwrap();
    assert_eq!(gone.record.text.unwrap().as_str(), "Run the tests first.");
    assert_eq!(gone.archived.unwrap().revision, 2);
}

/// By id, with when and in which revision they left; one that came back is there no more.
pub fn entries_that_left_are_in_the_archive(make: Make<'_>) {
    let world = World::new(make());
    world.update(["Read the error first.", "Run the tests first.", "Ask first."].map(Operation::add).to_vec());
    world.update(vec![Operation::Delete { id: 3 }]);
    world.update(vec![Operation::Delete { id: 1 }]);
    let archived = |world: &World| {
        let archive = world.memory.archive(&world.library, &List::default()).unwrap();
        archive.archived.iter().map(|left| (left.record.id, left.revision)).collect::<Vec<_>>()
    };
    assert_eq!(archived(&world), [(1, 3), (3, 2)]);
    world.memory.restore(&world.library, 3, false, &world.call()).unwrap();
    assert_eq!(archived(&world), [(1, 3)]);
    world.update(vec![Operation::Delete { id: 3 }]);
    assert_eq!(archived(&world), [(1, 3), (3, 5)]);
}
