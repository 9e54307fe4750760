use docet_core::answers::IdempotencyKey;
use docet_core::error::Code;
use docet_core::memory::{Begin, Call, End, Purge, Recall, Update};
use docet_core::operation::Operation;
use docet_core::session::{Outcome, SessionId};

use super::{Make, World};

const GONE: [&str; 3] = ["The aubergine opens at dawn.", "The bassoon hides the key.", "The cormorant knows the code."];

/// A library in which each of [`GONE`] was said, handed out and remembered, and none stands any more.
fn with_a_past(make: Make<'_>) -> World {
    let world = World::new(make());
    let key = |name: &str| IdempotencyKey { key: name.to_owned(), content: name.to_owned() };
    let keyed = |name: &str| Call { key: Some(key(name)), ..world.call() };
    let (memory, library) = (&world.memory, &world.library);
    memory
        .update(library, &Update::of(vec![Operation::add(GONE[0]), Operation::add("Ask first.")]), &keyed("a"))
        .unwrap();
    let session = SessionId("s".to_owned());
    let begin = Begin { recall: Recall::of("the aubergine"), ..Begin::default() };
    memory.begin(library, &begin, &session, &keyed("b")).unwrap();
    let operations = vec![Operation::add(GONE[1])];
    let outcome = Outcome { reward: Some(1.0), ..Outcome::default() };
    memory.end(&session, None, &End { outcome, operations }, &keyed("c")).unwrap();
    let modify = Operation::Modify {
        id: 1,
        text: Some(GONE[2].to_owned()),
        domain: None,
        source: Some("the cormorant".to_owned()),
        pinned: None,
    };
    world.update(vec![modify]);
    world.update(vec![Operation::Delete { id: 1 }, Operation::Delete { id: 3 }]);
    memory.undo(library, world.state().library.unwrap().revision, false, &keyed("d")).unwrap();
    world.update(vec![Operation::Delete { id: 1 }, Operation::Delete { id: 3 }]);
    world
}

/// Everything that the store can be asked for.
fn told(world: &World) -> String {
    format!("{:?} {:?}", world.state(), world.remembered())
}

/// Not in history, archive, receipts, reports, operations or remembered answers. What an entry says now stays.
pub fn what_is_purged_stands_nowhere(make: Make<'_>) {
    let world = with_a_past(make);
    let before = told(&world);
    assert!(GONE.iter().all(|text| before.contains(text)), "{before}");
    let purge = |dry_run| Purge { dry_run, ..Purge::default() };
    let (dry, _) = world.memory.purge(&world.library, purge(true), &world.call()).unwrap();
    assert_eq!((dry.archived.clone(), dry.texts, dry.made.clone()), (vec![1, 3], 3, None));
    assert_eq!(told(&world), before);

    let (report, _) = world.memory.purge(&world.library, purge(false), &world.call()).unwrap();
    assert_eq!((report.archived, report.texts), (dry.archived, 3));
    let after = told(&world);
    for word in ["aubergine", "bassoon", "cormorant"] {
        assert!(!after.contains(word), "{word}: {after}");
    }
    assert!(after.contains("Ask first."));
    assert_eq!(world.state().revisions[0].number, report.made.unwrap().number);
    let (again, _) = world.memory.purge(&world.library, purge(false), &world.call()).unwrap();
    assert_eq!((again.texts, again.made), (0, None));
}

/// Neither by undo nor by restore; a repeated end still gets its first answer.
pub fn what_was_purged_does_not_come_back(make: Make<'_>) {
    let world = with_a_past(make);
    let newest = world.state().library.unwrap().revision;
    let (report, _) = world.memory.purge(&world.library, Purge::default(), &world.call()).unwrap();
    let (memory, library) = (&world.memory, &world.library);
    assert_eq!(memory.restore(library, 1, false, &world.call()).unwrap_err().code(), Code::Purged);
    assert_eq!(memory.show(library, 1).unwrap_err().code(), Code::Purged);
    for number in [newest, report.made.unwrap().number] {
        assert_eq!(memory.undo(library, number, false, &world.call()).unwrap_err().code(), Code::Purged);
    }
    let outcome = Outcome { reward: Some(1.0), ..Outcome::default() };
    let again = End { outcome, operations: vec![Operation::add(GONE[1])] };
    let session = SessionId("s".to_owned());
    assert_eq!(memory.end(&session, None, &again, &world.call()).unwrap().reward, Some(1.0));
}

/// What left or was replaced before the days named goes, the rest stays and comes back.
pub fn what_left_lately_may_be_kept(make: Make<'_>) {
    let world = World::new(make());
    world.update(GONE.map(Operation::add).to_vec());
    world.update(vec![Operation::Delete { id: 1 }]);
    world.call_after(3 * 24 * 3_600_000);
    world.update(vec![Operation::Delete { id: 2 }]);
    let purge = Purge { older_than_days: Some(2), dry_run: false };
    let (report, _) = world.memory.purge(&world.library, purge, &world.call()).unwrap();
    assert_eq!((report.archived, report.texts), (vec![1], 1));
    let after = told(&world);
    assert!(!after.contains(GONE[0]) && after.contains(GONE[1]) && after.contains(GONE[2]), "{after}");
    world.memory.restore(&world.library, 2, false, &world.call()).unwrap();
}
