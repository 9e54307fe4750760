//! Lists of operations: dry and real, refused, and without effect.

use docet_core::error::Code;
use docet_core::memory::{Call, Compress, Init, Recall, Update};
use docet_core::operation::{OnInvalid, UpdateReport};
use docet_core::settings::Preset;
use serde_json::json;

use super::{LESSONS, Step, changes, code, revision, set, with_lessons};
use crate::world::{World, operations};

#[test]
fn a_dry_run_answers_as_the_real_call_and_changes_nothing() {
    let lists = [
        json!([{"op": "add", "text": "Wait for the page."}, {"op": "add", "text": LESSONS[0]}]),
        json!([{"op": "merge", "ids": [1, 2], "text": "Read, then run."}, {"op": "delete", "id": 3}]),
        json!([{"op": "add", "text": "Wait for the page."}, {"op": "add", "text": "Scroll to the end of the page."}]),
        json!([{"op": "modify", "id": 9, "text": "Nobody."}, {"op": "add", "text": "Sound."}, {"op": "add", "text": ""}]),
        json!([]),
    ];
    for list in lists {
        for on_invalid in [OnInvalid::Reject, OnInvalid::Skip] {
            let world = with_lessons(&[("capacity", "5")]);
            let now = world.tick();
            let run = |dry_run| {
                let update = Update { operations: operations(list.clone()), on_invalid, dry_run };
                world.memory.update(&world.library, &update, &Call::at(now)).map_err(|error| error.to_string())
            };
            let (before, revision) = (world.whole(), revision(&world));
            let dry = run(true);
            assert_eq!(world.whole(), before, "{list}");
            let real = run(false);
            let as_dry = real.map(|report| UpdateReport { revision, dry_run: true, ..report });
            assert_eq!(dry, as_dry, "{list}");
        }
    }
}

#[test]
fn a_refused_list_uses_up_no_id_and_leaves_everything() {
    let world = with_lessons(&[("capacity", "5")]);
    let pinned = json!([1, 2, 3, 4].map(|id| json!({"op": "modify", "id": id, "pinned": true})));
    world.update(pinned).expect("sound operations");
    world.update(json!([{"op": "add", "text": "One pinned more.", "pinned": true}])).expect("a place");
    let refused = [
        (json!([{"op": "add", "text": "New."}, {"op": "delete", "id": 99}]), Code::UnknownId),
        (json!([{"op": "add", "text": "New."}, {"op": "add", "text": "[G0] no"}]), Code::GuidelineLabel),
        (json!([{"op": "add", "text": "New, but there is no place."}]), Code::CapacityPinned),
        (json!([{"op": "add", "text": "Pinned, but there is no place.", "pinned": true}]), Code::CapacityPinned),
    ];
    for (list, expected) in refused {
        let refuse = |world: &World| assert_eq!(code(world.update(list.clone())), Some(expected), "{list}");
        assert!(!changes(&world, refuse), "{list}");
    }
    let free = json!([{"op": "delete", "id": 1}, {"op": "add", "text": "New."}]);
    let report = world.update(free).expect("a place again");
    assert_eq!(report.applied[1].id, 6);
}

#[test]
fn what_changes_nothing_makes_no_revision() {
    let world = with_lessons(&[]);
    let nothing: [Step<'_>; 7] = [
        ("an empty list", &|world| drop(world.update(json!([])).expect("nothing"))),
        ("a lesson that stands", &|world| drop(world.update(json!([{"op": "add", "text": LESSONS[0]}])).expect("dup"))),
        ("the same text and domain", &|world| {
            let same = json!([{"op": "modify", "id": 1, "text": LESSONS[0], "domain": "general", "pinned": false}]);
            assert_eq!(world.update(same).expect("the same").applied.len(), 1);
        }),
        ("a compression of what fits", &|world| {
            let report =
                world.memory.compress(&world.library, &Compress::default(), &world.call()).expect("nobody leaves");
            assert_eq!((report.evicted.len(), report.size, report.revision), (0, 4, 1));
        }),
        ("settings as they are", &|world| {
            let change = set("capacity", "500");
            world.memory.change_settings(&world.library, &change, &world.call()).expect("the same");
        }),
        ("init again", &|world| drop(world.init(&[("capacity", "500")]).expect("the same"))),
        ("a look", &|world| drop(world.memory.recall(&world.library, &Recall::of("read")).expect("found"))),
    ];
    for (what, call) in nothing {
        assert!(!changes(&world, call), "{what}");
    }
    assert_eq!(revision(&world), 1);
}

#[test]
fn a_list_that_only_passes_through_makes_no_revision_but_uses_its_ids() {
    let world = with_lessons(&[]);
    let through = json!([{"op": "add", "text": "Here and gone."}, {"op": "delete", "id": 5}]);
    let report = world.update(through).expect("sound operations");
    assert_eq!((report.revision, report.size), (1, 4));
    assert_eq!(world.add(&["Next."]), [6]);
}

#[test]
fn presets_differ_in_what_a_list_just_added() {
    // The new lesson is the weakest: spared, the next weakest leaves; by the letter it leaves itself.
    for (preset, expected) in [(Preset::Recommended, 1), (Preset::Paper, 5)] {
        let world = World::new();
        let settings = vec![("capacity".to_owned(), "4".to_owned()), ("strategy".to_owned(), "importance".to_owned())];
        world
            .memory
            .init(&world.library, &Init { preset: Some(preset), settings }, &world.call())
            .expect("sound settings");
        world.add(&LESSONS);
        let report = world.update(json!([{"op": "add", "text": "Weak.", "confidence": 0.1}])).expect("a sound lesson");
        assert_eq!(report.evicted.iter().map(|gone| gone.id).collect::<Vec<_>>(), [expected], "{preset:?}");
    }
}

#[test]
fn a_next_id_that_is_taken_overwrites_nothing() {
    let world = with_lessons(&[]);
    let mut before = world.whole();
    let library = before.library.as_mut().expect("it is there");
    library.next_id = 1;
    world.put(&library.clone(), &[], &[]);
    let refused = world.update(json!([{"op": "add", "text": "A brand new lesson."}]));
    assert_eq!(code(refused), Some(Code::StoreDamaged));
    assert_eq!(world.whole(), before);
}
