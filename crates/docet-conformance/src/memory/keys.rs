use docet_core::answers::IdempotencyKey;
use docet_core::error::{Code, Error};
use docet_core::memory::{Begin, Call, Compress, End, Import, Init, Lessons, Purge, Recall, SettingsChange, Update};
use docet_core::operation::Operation;
use docet_core::session::{Outcome, SessionId};

use super::{Make, World};

fn keyed(key: &str, content: &str, call: Call) -> Call {
    Call { key: Some(IdempotencyKey { key: key.to_owned(), content: content.to_owned() }), ..call }
}

/// A call with its answer as text.
type Step = fn(&World, &Call) -> Result<String, Error>;

fn words<T: std::fmt::Debug>(answer: T) -> String {
    format!("{answer:?}")
}

/// Every changing call of the facade, in an order in which each succeeds once and would fail, or do something else, if
/// it were done again.
const STEPS: [(&str, Step); 11] = [
    ("init", |world, call| world.memory.init(&world.library, &Init::default(), call).map(words)),
    ("update", |world, call| {
        let adds = ["Read first.", "Run first.", "Ask first.", "Wait first."].map(Operation::add).to_vec();
        world.memory.update(&world.library, &Update::of(adds), call).map(words)
    }),
    ("begin", |world, call| {
        // A second session of that name would be refused by its store.
        let begin = Begin { recall: Recall::of("read"), ..Begin::default() };
        world.memory.begin(&world.library, &begin, &SessionId("s".to_owned()), call).map(words)
    }),
    ("end", |world, call| {
        let outcome = Outcome { reward: Some(1.0), ..Outcome::default() };
        let operations = vec![Operation::Delete { id: 1 }];
        world.memory.end(&SessionId("s".to_owned()), None, &End { outcome, operations }, call).map(words)
    }),
    ("delete", |world, call| {
        world.memory.update(&world.library, &Update::of(vec![Operation::Delete { id: 2 }]), call).map(words)
    }),
    ("restore", |world, call| world.memory.restore(&world.library, 2, false, call).map(words)),
    ("undo", |world, call| world.memory.undo(&world.library, 4, false, call).map(words)),
    ("settings", |world, call| {
        let set = vec![("top_k".to_owned(), "4".to_owned())];
        let change = SettingsChange { set, ..SettingsChange::default() };
        world.memory.change_settings(&world.library, &change, call).map(words)
    }),
    ("compress", |world, call| {
        let compress = Compress { to: Some(2), ..Compress::default() };
        world.memory.compress(&world.library, &compress, call).map(words)
    }),
    ("import", |world, call| {
        let import = Import::of(Lessons::Candidates(vec![docet_core::memory::Candidate {
            line: 1,
            text: "Stop first.".to_owned(),
            ..Default::default()
        }]));
        world.memory.import(&world.library, &import, call).map(words)
    }),
    ("reembed", |world, call| world.memory.reembed(&world.library, call).map(words)),
];

/// Each changing call, repeated at once and at the end: the same answer, and nothing changes.
pub fn a_repeated_call_returns_the_first_answer(make: Make<'_>) {
    let world = World::new(make());
    let mut first = Vec::new();
    for (name, step) in STEPS {
        // An undo of revision 4, which `restore` has touched, is refused: it needs one of its own.
        if name == "undo" {
            continue;
        }
        let answer = step(&world, &keyed(name, name, world.call())).unwrap_or_else(|error| panic!("{name}: {error}"));
        let state = world.state();
        assert_eq!(step(&world, &keyed(name, name, world.call())).unwrap(), answer, "{name}");
        assert_eq!(world.state(), state, "{name}");
        first.push((name, step, answer));
    }
    let state = world.state();
    for (name, step, answer) in first {
        assert_eq!(step(&world, &keyed(name, name, world.call())).unwrap(), answer, "{name} again");
    }
    assert_eq!(world.state(), state);
    let newest = state.revisions[0].number;
    let undo = |call: Call| world.memory.undo(&world.library, newest, false, &call);
    let undone = undo(keyed("undo", "undo", world.call())).unwrap();
    assert_eq!(undo(keyed("undo", "undo", world.call())).unwrap(), undone);
    let purge = |call: Call| world.memory.purge(&world.library, Purge::default(), &call).unwrap().0;
    let purged = purge(keyed("purge", "purge", world.call()));
    assert!(purged.texts > 0);
    assert_eq!(purge(keyed("purge", "purge", world.call())), purged);
}

/// Another content under the same key is refused; after its hours a key is free.
pub fn a_key_is_not_for_another_call_and_is_forgotten(make: Make<'_>) {
    let world = World::with(make(), &[("idempotency_hours", "2")]);
    let add = |text: &str, content: &str, call: Call| {
        let update = Update::of(vec![Operation::add(text)]);
        world.memory.update(&world.library, &update, &keyed("k", content, call))
    };
    add("Read first.", "one", world.call()).unwrap();
    let state = world.state();
    assert_eq!(add("Run first.", "two", world.call()).unwrap_err().code(), Code::KeyReused);
    let compress = world.memory.compress(&world.library, &Compress::default(), &keyed("k", "one", world.call()));
    assert_eq!(compress.unwrap_err().code(), Code::KeyReused);
    assert_eq!(world.state(), state);
    let later = world.call_after(2 * 3_600_000);
    assert_eq!(add("Run first.", "two", later).unwrap().size, 2);
    assert_eq!(world.remembered().len(), 1);
}

/// Only committed answers are: what is refused may be tried again under its key.
pub fn a_refused_call_is_not_remembered(make: Make<'_>) {
    let world = World::new(make());
    world.add("Read first.");
    let delete = |call: Call| {
        let update = Update::of(vec![Operation::Delete { id: 2 }]);
        world.memory.update(&world.library, &update, &keyed("k", "delete 2", call))
    };
    assert_eq!(delete(world.call()).unwrap_err().code(), Code::UnknownId);
    world.add("Run first.");
    assert_eq!(delete(world.call()).unwrap().size, 1);
}
