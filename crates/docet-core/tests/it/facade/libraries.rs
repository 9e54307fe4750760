//! Libraries and their settings, compression on demand, and lists.

use docet_core::error::{Code, Error};
use docet_core::experience::Timestamp;
use docet_core::memory::{Begin, Call, Compress, Init, List, Recall, SettingsChange, Sort, Update};
use docet_core::session::{Outcome, SessionId};
use docet_core::settings::{Preset, Strategy};
use serde_json::json;

use super::{changes, code, set, with_lessons};
use crate::world::{World, domain, library_name, operations, worded};

#[test]
fn the_default_library_comes_with_its_first_write_and_others_with_init() {
    let world = World::new();
    let other = library_name("other");
    assert_eq!(code(world.memory.recall(&world.library, &Recall::of("read"))), Some(Code::LibraryMissing));
    assert_eq!(
        code(world.memory.compress(&world.library, &Compress::default(), &world.call())),
        Some(Code::LibraryMissing)
    );
    let lesson = Update::of(operations(json!([{"op": "add", "text": "Read."}])));
    assert_eq!(code(world.memory.update(&other, &lesson, &Call::at(Timestamp(0)))), Some(Code::LibraryMissing));
    let session = SessionId("s".to_owned());
    let begun = world.memory.begin(&other, &Begin::default(), &session, &Call::at(Timestamp(0)));
    assert_eq!(code(begun), Some(Code::EmptyText));
    let begin = Begin { recall: Recall::of("read"), ..Begin::default() };
    assert_eq!(code(world.memory.begin(&other, &begin, &session, &Call::at(Timestamp(0)))), Some(Code::LibraryMissing));
    assert!(world.memory.libraries().expect("none").is_empty());

    let begun = world.memory.begin(&world.library, &begin, &session, &Call::at(Timestamp(0))).expect("the first write");
    assert_eq!((begun.context().as_str(), begun.epoch, begun.revision), ("", 1, 0));
    world.memory.init(&other, &Init::default(), &world.call()).expect("a second library");
    let names: Vec<String> =
        world.memory.libraries().expect("two").iter().map(|summary| summary.name.to_string()).collect();
    assert_eq!(names, ["default", "other"]);
}

#[test]
fn init_again_compares_only_what_is_said() {
    let world = World::with(&[("capacity", "7"), ("strategy", "temporal")]);
    assert_eq!(code(world.init(&[])), None);
    assert_eq!(code(world.init(&[("capacity", "7")])), None);
    assert_eq!(code(world.init(&[("capacity", "8")])), Some(Code::LibraryExists));
    assert_eq!(code(world.init(&[("capacity", "0")])), Some(Code::BadSetting));
    let init =
        |preset| world.memory.init(&world.library, &Init { preset: Some(preset), settings: Vec::new() }, &world.call());
    assert_eq!(code(init(Preset::Recommended)), None);
    assert_eq!(code(init(Preset::Paper)), Some(Code::LibraryExists));
    let settings = world.whole().library.expect("a library").settings;
    assert_eq!((settings.capacity, settings.strategy), (7, Strategy::Temporal));
}

#[test]
fn a_lower_capacity_is_refused_with_the_number_unless_entries_may_leave() {
    let world = with_lessons(&[]);
    world
        .update(json!([{"op": "modify", "id": 1, "pinned": true}, {"op": "modify", "id": 2, "pinned": true}]))
        .expect("sound operations");
    let change = |capacity: &str, evict| SettingsChange { evict, ..set("capacity", capacity) };
    let table = [
        ("3", false, Code::OverCapacity, "4 or more, or --evict"),
        ("1", false, Code::CapacityPinned, "2 or more"),
        ("1", true, Code::CapacityPinned, "2 or more"),
    ];
    for (capacity, evict, expected, allowed) in table {
        let before = world.whole();
        match world.memory.change_settings(&world.library, &change(capacity, evict), &world.call()) {
            Err(Error::Refused(refusal)) => {
                assert_eq!((refusal.code, refusal.allowed.as_deref()), (expected, Some(allowed)), "{capacity}");
                assert_eq!(refusal.field.as_deref(), Some("capacity"));
            }
            other => panic!("{capacity}: {other:?}"),
        }
        assert_eq!(world.whole(), before, "{capacity}");
    }
    let report =
        world.memory.change_settings(&world.library, &change("3", true), &world.call()).expect("one may leave");
    assert_eq!((report.evicted.len(), report.settings.capacity, report.revision), (1, 3, 3));
    assert_eq!(world.whole().entries.len(), 3);
    world.memory.change_settings(&world.library, &change("2", true), &world.call()).expect("the unpinned may leave");
    assert!(world.whole().entries.iter().all(|entry| entry.pinned));
}

#[test]
fn settings_are_changed_as_a_whole_or_not_at_all() {
    let world = with_lessons(&[]);
    let two = |a: (&str, &str), b: (&str, &str)| SettingsChange {
        set: [a, b].map(|(key, value)| (key.to_owned(), value.to_owned())).to_vec(),
        ..SettingsChange::default()
    };
    let wrong = [
        two(("top_k", "3"), ("top_k", "0")),
        two(("top_k", "3"), ("min_confidence", "0.6")),
        two(("top_k", "3"), ("no_such_key", "1")),
    ];
    for change in wrong {
        let call = |world: &World| {
            let refused = code(world.memory.change_settings(&world.library, &change, &world.call()));
            assert_eq!(refused, Some(Code::BadSetting), "{change:?}");
        };
        assert!(!changes(&world, call), "{change:?}");
    }
    let together = two(("min_confidence", "0.6"), ("initial_confidence", "0.7"));
    let report = world.memory.change_settings(&world.library, &together, &world.call()).expect("sound together");
    assert_eq!((report.settings.min_confidence, report.revision), (0.6, 2));
    assert!(world.whole().entries.iter().all(|entry| entry.confidence.get() == 0.5), "a bound moves no entry");
    let reset = ["min_confidence", "initial_confidence"].map(str::to_owned).to_vec();
    let back = SettingsChange { reset, ..SettingsChange::default() };
    let report = world.memory.change_settings(&world.library, &back, &world.call()).expect("the defaults");
    assert_eq!((report.settings.min_confidence, report.revision), (0.05, 3));
}

#[test]
fn a_compression_on_demand_does_what_its_dry_run_says() {
    for strategy in [Strategy::Diversity, Strategy::Importance, Strategy::Temporal, Strategy::Hybrid] {
        let world = with_lessons(&[]);
        let ask = |dry_run| Compress { strategy: Some(strategy), to: Some(2), dry_run, ..Compress::default() };
        let before = world.whole();
        let dry = world.memory.compress(&world.library, &ask(true), &world.call()).expect("a plan");
        assert_eq!(world.whole(), before);
        let real = world.memory.compress(&world.library, &ask(false), &world.call()).expect("the plan carried out");
        assert_eq!((&dry.evicted, dry.size, dry.strategy), (&real.evicted, real.size, strategy));
        assert_eq!((dry.revision, real.revision, dry.dry_run, real.dry_run), (1, 2, true, false));
        assert_eq!(world.whole().entries.len(), 2);
        assert_eq!(world.whole().library.expect("a library").settings.capacity, 500, "the setting stands");
    }
    let world = with_lessons(&[]);
    for to in [0, 100_001] {
        let asked = Compress { to: Some(to), ..Compress::default() };
        assert_eq!(code(world.memory.compress(&world.library, &asked, &world.call())), Some(Code::BadValue), "{to}");
    }
}

#[test]
fn lists_are_sorted_cut_and_counted() {
    let world = with_lessons(&[]);
    world
        .update(json!([{"op": "modify", "id": 2, "domain": "code"}, {"op": "modify", "id": 3, "domain": "code"}]))
        .expect("sound operations");
    let (session, _) = world.begin("close the cookie banner");
    let first = Outcome { applied: Some(vec!["G0".to_owned()]), ..worded(true) };
    world.end(&session, first).expect("an end");
    world.update(json!([{"op": "modify", "id": 1, "text": "Read all of the error first."}])).expect("a new text");
    let ids = |list: &List| {
        let listing = world.memory.list(&world.library, list).expect("a list");
        (listing.experiences.iter().map(|entry| entry.id).collect::<Vec<_>>(), listing.total)
    };
    let sorted = |sort| List { sort, ..List::default() };
    assert_eq!(ids(&sorted(Sort::Id)), (vec![1, 2, 3, 4], 4));
    assert_eq!(ids(&sorted(Sort::Confidence)), (vec![3, 1, 2, 4], 4));
    assert_eq!(ids(&sorted(Sort::Usage)), (vec![3, 1, 2, 4], 4));
    assert_eq!(ids(&sorted(Sort::Epoch)), (vec![1, 2, 3, 4], 4));
    assert_eq!(ids(&List { domain: Some(domain("code")), ..List::default() }), (vec![2, 3], 2));
    assert_eq!(ids(&List { limit: Some(2), offset: 1, ..List::default() }), (vec![2, 3], 4));
    assert_eq!(world.memory.show(&world.library, 3).expect("it is there").record.usage_count, 1);
    assert_eq!(code(world.memory.show(&world.library, 9)), Some(Code::UnknownId));
}
