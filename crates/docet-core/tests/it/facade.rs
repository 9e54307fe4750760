//! The facade's promises: what a call leaves alone, what it refuses, and what a session sees.

use std::sync::Arc;

use docet_core::error::{Code, Error};
use docet_core::experience::Timestamp;
use docet_core::in_memory::HashEmbedder;
use docet_core::memory::{Begin, Compress, Init, List, Memory, Recall, SettingsChange, Sort, Update};
use docet_core::operation::{OnInvalid, UpdateReport};
use docet_core::ports::{Embedder, Encoded, EncoderError, EncoderId};
use docet_core::retrieval::DomainChoice;
use docet_core::session::{Outcome, SessionId, SessionState, Verdict};
use docet_core::settings::{Preset, Strategy};
use serde_json::{Value, json};

use crate::world::{HOUR, SECOND, World, domain, library_name, no_outcome, operations, rewarded, worded};

const LESSONS: [&str; 4] = [
    "Read the error before you change the code.",
    "Run the tests before you commit.",
    "Close the cookie banner first.",
    "Ask before you delete what you did not make.",
];

fn with_lessons(settings: &[(&str, &str)]) -> World {
    let world = World::with(settings);
    world.add(&LESSONS);
    world
}

fn code<T>(result: Result<T, Error>) -> Option<Code> {
    result.err().map(|error| error.code())
}

/// What a call does, seen from outside.
fn changes(world: &World, call: impl FnOnce(&World)) -> bool {
    let before = world.whole();
    call(world);
    world.whole() != before
}

fn revision(world: &World) -> u64 {
    world.whole().library.map_or(0, |library| library.revision)
}

fn set(key: &str, value: &str) -> SettingsChange {
    SettingsChange { set: vec![(key.to_owned(), value.to_owned())], ..SettingsChange::default() }
}

// Updates.

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
                world.memory.update(&world.library, &update, now).map_err(|error| error.to_string())
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
    let nothing: [(&str, &dyn Fn(&World)); 7] = [
        ("an empty list", &|world| drop(world.update(json!([])).expect("nothing"))),
        ("a lesson that stands", &|world| drop(world.update(json!([{"op": "add", "text": LESSONS[0]}])).expect("dup"))),
        ("the same text and domain", &|world| {
            let same = json!([{"op": "modify", "id": 1, "text": LESSONS[0], "domain": "general", "pinned": false}]);
            assert_eq!(world.update(same).expect("the same").applied.len(), 1);
        }),
        ("a compression of what fits", &|world| {
            let report = world.memory.compress(&world.library, &Compress::default()).expect("nobody leaves");
            assert_eq!((report.evicted.len(), report.size, report.revision), (0, 4, 1));
        }),
        ("settings as they are", &|world| {
            let change = set("capacity", "500");
            world.memory.change_settings(&world.library, &change).expect("the same");
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
        world.memory.init(&world.library, &Init { preset: Some(preset), settings }).expect("sound settings");
        world.add(&LESSONS);
        let report = world.update(json!([{"op": "add", "text": "Weak.", "confidence": 0.1}])).expect("a sound lesson");
        assert_eq!(report.evicted.iter().map(|gone| gone.id).collect::<Vec<_>>(), [expected], "{preset:?}");
    }
}

// Libraries and settings.

#[test]
fn the_default_library_comes_with_its_first_write_and_others_with_init() {
    let world = World::new();
    let other = library_name("other");
    assert_eq!(code(world.memory.recall(&world.library, &Recall::of("read"))), Some(Code::LibraryMissing));
    assert_eq!(code(world.memory.compress(&world.library, &Compress::default())), Some(Code::LibraryMissing));
    let lesson = Update::of(operations(json!([{"op": "add", "text": "Read."}])));
    assert_eq!(code(world.memory.update(&other, &lesson, Timestamp(0))), Some(Code::LibraryMissing));
    let session = SessionId("s".to_owned());
    let begun = world.memory.begin(&other, &Begin::default(), &session, Timestamp(0));
    assert_eq!(code(begun), Some(Code::EmptyText));
    let begin = Begin { recall: Recall::of("read"), ..Begin::default() };
    assert_eq!(code(world.memory.begin(&other, &begin, &session, Timestamp(0))), Some(Code::LibraryMissing));
    assert!(world.memory.libraries().expect("none").is_empty());

    let begun = world.memory.begin(&world.library, &begin, &session, Timestamp(0)).expect("the first write");
    assert_eq!((begun.context().as_str(), begun.epoch, begun.revision), ("", 1, 0));
    world.memory.init(&other, &Init::default()).expect("a second library");
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
    let init = |preset| world.memory.init(&world.library, &Init { preset: Some(preset), settings: Vec::new() });
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
        match world.memory.change_settings(&world.library, &change(capacity, evict)) {
            Err(Error::Refused(refusal)) => {
                assert_eq!((refusal.code, refusal.allowed.as_deref()), (expected, Some(allowed)), "{capacity}");
                assert_eq!(refusal.field.as_deref(), Some("capacity"));
            }
            other => panic!("{capacity}: {other:?}"),
        }
        assert_eq!(world.whole(), before, "{capacity}");
    }
    let report = world.memory.change_settings(&world.library, &change("3", true)).expect("one may leave");
    assert_eq!((report.evicted.len(), report.settings.capacity, report.revision), (1, 3, 3));
    assert_eq!(world.whole().entries.len(), 3);
    world.memory.change_settings(&world.library, &change("2", true)).expect("the unpinned may leave");
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
            let refused = code(world.memory.change_settings(&world.library, &change));
            assert_eq!(refused, Some(Code::BadSetting), "{change:?}");
        };
        assert!(!changes(&world, call), "{change:?}");
    }
    let together = two(("min_confidence", "0.6"), ("initial_confidence", "0.7"));
    let report = world.memory.change_settings(&world.library, &together).expect("sound together");
    assert_eq!((report.settings.min_confidence, report.revision), (0.6, 2));
    assert!(world.whole().entries.iter().all(|entry| entry.confidence.get() == 0.5), "a bound moves no entry");
    let reset = ["min_confidence", "initial_confidence"].map(str::to_owned).to_vec();
    let back = SettingsChange { reset, ..SettingsChange::default() };
    let report = world.memory.change_settings(&world.library, &back).expect("the defaults");
    assert_eq!((report.settings.min_confidence, report.revision), (0.05, 3));
}

#[test]
fn a_compression_on_demand_does_what_its_dry_run_says() {
    for strategy in [Strategy::Diversity, Strategy::Importance, Strategy::Temporal, Strategy::Hybrid] {
        let world = with_lessons(&[]);
        let ask = |dry_run| Compress { strategy: Some(strategy), to: Some(2), dry_run, ..Compress::default() };
        let before = world.whole();
        let dry = world.memory.compress(&world.library, &ask(true)).expect("a plan");
        assert_eq!(world.whole(), before);
        let real = world.memory.compress(&world.library, &ask(false)).expect("the plan carried out");
        assert_eq!((&dry.evicted, dry.size, dry.strategy), (&real.evicted, real.size, strategy));
        assert_eq!((dry.revision, real.revision, dry.dry_run, real.dry_run), (1, 2, true, false));
        assert_eq!(world.whole().entries.len(), 2);
        assert_eq!(world.whole().library.expect("a library").settings.capacity, 500, "the setting stands");
    }
    let world = with_lessons(&[]);
    for to in [0, 100_001] {
        let asked = Compress { to: Some(to), ..Compress::default() };
        assert_eq!(code(world.memory.compress(&world.library, &asked)), Some(Code::BadValue), "{to}");
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
    assert_eq!(world.memory.show(&world.library, 3).expect("it is there").usage_count, 1);
    assert_eq!(code(world.memory.show(&world.library, 9)), Some(Code::UnknownId));
}

// Looking lessons up.

#[test]
fn a_task_is_refused_only_where_it_is_blank() {
    let world = with_lessons(&[]);
    let recall = |task: &str| world.memory.recall(&world.library, &Recall::of(task));
    for blank in ["", " \n\t", "\u{3000}"] {
        assert_eq!(code(recall(blank)), Some(Code::EmptyText), "{blank:?}");
    }
    for odd in ["[G0] obey", "\u{7}", "\u{202e}", "\u{200b}", &"word ".repeat(33)] {
        assert_eq!(code(recall(odd)), None, "{odd:?}");
    }
    let long = recall(&"word ".repeat(1_000)).expect("cut, not refused");
    assert!(long.truncated && !recall("word").expect("short").truncated);
}

#[test]
fn arguments_outside_of_their_ranges_are_refused() {
    let world = with_lessons(&[]);
    let recall = || Recall::of("read the error");
    let table = [
        Recall { top_k: Some(0), ..recall() },
        Recall { top_k: Some(101), ..recall() },
        Recall { confidence_weight: Some(-0.1), ..recall() },
        Recall { confidence_weight: Some(f64::NAN), ..recall() },
        Recall { min_score: Some(1.1), ..recall() },
        Recall { min_score: Some(f64::NEG_INFINITY), ..recall() },
    ];
    for wrong in table {
        assert_eq!(code(world.memory.recall(&world.library, &wrong)), Some(Code::BadValue), "{wrong:?}");
    }
    let edges = Recall { top_k: Some(100), confidence_weight: Some(1.0), min_score: Some(-1.0), ..recall() };
    assert_eq!(world.memory.recall(&world.library, &edges).expect("the edges").ranking.shortfall, 96);
}

#[test]
fn a_recall_within_a_session_goes_on_where_it_was() {
    let world = with_lessons(&[("top_k", "2")]);
    let (session, begun) = world.begin("read the error");
    world.begin("another session, so that the library's epoch is another");
    let before = world.whole();
    let go_on = |task: &str| world.memory.recall_in(&session, Some(&world.library), &Recall::of(task), world.tick());
    let next = go_on("read the error").expect("an open session");
    assert_eq!((begun.first_label, next.first_label), (0, 2));
    assert!(next.context().starts_with("[G2] "), "{}", next.context());
    assert_eq!((next.ranking.eligible, next.ranking.already_given), (4, 2));
    assert_eq!((next.epoch, before.library.expect("a library").epoch), (1, 2));
    let given = |recalled: &docet_core::memory::Recalled| -> Vec<u64> {
        recalled.ranking.best.iter().map(|best| best.id).collect()
    };
    let last = go_on("read the error").expect("nothing is left");
    assert_eq!((last.context().as_str(), last.ranking.shortfall, last.ranking.already_given), ("", 2, 4));
    let receipt = |whole: crate::world::Whole| -> Vec<u64> {
        let session = whole.sessions.into_iter().find(|known| known.id == session).expect("the session");
        session.receipt.iter().map(|given| given.id).collect()
    };
    assert_eq!(receipt(world.whole()), [given(&begun), given(&next)].concat());
    assert_eq!(revision(&world), 1, "no revision");
}

#[test]
fn what_a_session_has_is_not_given_again_under_another_id() {
    let world = World::with(&[("top_k", "1")]);
    let twice =
        json!([{"op": "add", "text": "Read the error."}, {"op": "add", "text": "Read the error.", "domain": "web"}]);
    world.update(twice).expect("two domains");
    let everywhere = Recall { domains: Some(DomainChoice::All), ..Recall::of("read the error") };
    let (session, begun) = world.begin_as(&Begin { recall: everywhere.clone(), ..Begin::default() });
    assert_eq!((begun.ranking.best[0].id, &begun.ranking.best[0].same_as[..]), (1, &[2][..]));
    let next = world.memory.recall_in(&session, None, &everywhere, world.tick()).expect("an open session");
    assert_eq!((next.ranking.already_given, next.ranking.best.len()), (2, 0));
}

// Sessions.

#[test]
fn an_end_is_a_revision_unless_it_says_and_does_nothing() {
    // (outcome, whether its guidelines are applied, whether it is a revision)
    let table = [
        (worded(true), true, true),
        (worded(false), false, true),
        (rewarded(0.5), false, true),
        (no_outcome(), true, true),
        (no_outcome(), false, false),
    ];
    for (outcome, applied, is_revision) in table {
        let world = with_lessons(&[]);
        let (session, begun) = world.begin("read the error");
        assert_eq!(begun.revision, 1, "begin raises no revision");
        let none = if applied { None } else { Some(Vec::new()) };
        let report = world.end(&session, Outcome { applied: none, ..outcome.clone() }).expect("an end");
        assert_eq!(report.revision, 1 + u64::from(is_revision), "{outcome:?}");
        assert_eq!(report.revision, revision(&world));
        assert_eq!(report.updates.len(), if applied { 4 } else { 0 });
    }
}

#[test]
fn lessons_learned_come_in_the_same_revision_or_not_at_all() {
    let world = with_lessons(&[]);
    let (session, _) = world.begin("read the error");
    let broken = json!([{"op": "add", "text": "Sound."}, {"op": "delete", "id": 99}]);
    let refused = |world: &World| {
        assert_eq!(code(world.end_with(&session, worded(true), broken)), Some(Code::UnknownId));
    };
    assert!(!changes(&world, refused), "the session stays open and no entry is credited");
    let report = world.end_with(&session, worded(true), json!([{"op": "add", "text": "Sound."}])).expect("an end");
    let update = report.update.expect("the operations' own report");
    assert_eq!((report.revision, update.revision, update.applied[0].id), (2, 2, 5));
    assert_eq!(world.whole().entries[4].epoch, 1);
}

#[test]
fn a_second_end_changes_nothing_and_returns_the_first_answer() {
    let world = with_lessons(&[]);
    let (session, _) = world.begin("read the error");
    let lesson = json!([{"op": "add", "text": "Sound."}]);
    let first = world.end_with(&session, worded(true), lesson.clone()).expect("an end");
    let unknown = Outcome { improved: vec!["G77".to_owned()], ..Outcome::default() };
    let again =
        [(worded(false), json!([])), (rewarded(9.0), lesson), (Outcome::default(), json!([])), (unknown, json!([]))];
    for (outcome, list) in again {
        let repeat = |world: &World| {
            let answer = world.end_with(&session, outcome.clone(), list.clone()).expect("the first answer");
            assert_eq!(answer, first, "{outcome:?}");
        };
        assert!(!changes(&world, repeat), "{outcome:?}");
    }
    let other = json!([{"op": "add", "text": "Something else."}]);
    let refused = |world: &World| {
        assert_eq!(code(world.end_with(&session, worded(true), other)), Some(Code::SessionEnded));
    };
    assert!(!changes(&world, refused));
}

#[test]
fn an_end_that_is_refused_leaves_the_session_open() {
    let world = with_lessons(&[]);
    let (session, _) = world.begin("read the error");
    let labels = |labels: &[&str]| labels.iter().map(|label| (*label).to_owned()).collect::<Vec<_>>();
    let named = |improved: &[&str], not_improved: &[&str], applied: Option<&[&str]>| Outcome {
        improved: labels(improved),
        not_improved: labels(not_improved),
        applied: applied.map(labels),
        ..Outcome::default()
    };
    let table = [
        (Outcome::default(), Code::OutcomeMissing),
        (Outcome { applied: Some(labels(&["G0"])), ..Outcome::default() }, Code::OutcomeMissing),
        (Outcome { baseline: Some(0.5), ..Outcome::default() }, Code::OutcomeMissing),
        (named(&["G4"], &[], None), Code::UnknownLabel),
        (named(&["0"], &[], None), Code::UnknownLabel),
        (named(&["G"], &[], None), Code::UnknownLabel),
        (named(&[], &["G-1"], None), Code::UnknownLabel),
        (named(&["G0"], &["G0"], None), Code::ConflictingLabels),
        (named(&["G1"], &[], Some(&["G0"])), Code::ConflictingLabels),
        (rewarded(f64::NAN), Code::BadValue),
        (rewarded(f64::INFINITY), Code::BadValue),
        (Outcome { baseline: Some(f64::NAN), ..rewarded(1.0) }, Code::BadValue),
    ];
    for (outcome, expected) in table {
        let refused =
            |world: &World| assert_eq!(code(world.end(&session, outcome.clone())), Some(expected), "{outcome:?}");
        assert!(!changes(&world, refused), "{outcome:?}");
    }
    assert_eq!(world.end(&session, worded(true)).expect("still open").verdict, Verdict::Improved);
}

#[test]
fn a_session_is_found_by_its_id_alone_and_belongs_to_its_library() {
    let world = with_lessons(&[]);
    let other = library_name("other");
    world.memory.init(&other, &Init::default()).expect("a second library");
    let (session, _) = world.begin("read the error");
    let end = docet_core::memory::End { outcome: worded(true), operations: Vec::new() };
    let recall = Recall::of("read");
    assert_eq!(code(world.memory.end(&session, Some(&other), &end, world.tick())), Some(Code::UnknownSession));
    assert_eq!(code(world.memory.recall_in(&session, Some(&other), &recall, world.tick())), Some(Code::UnknownSession));
    let nobody = SessionId("nobody".to_owned());
    assert_eq!(code(world.memory.end(&nobody, None, &end, world.tick())), Some(Code::UnknownSession));
    assert_eq!(code(world.memory.end(&session, Some(&world.library), &end, world.tick())), None);
}

#[test]
fn sessions_expire_to_the_millisecond() {
    let world = with_lessons(&[("session_ttl_hours", "1")]);
    let state = |session: &SessionId, now| {
        let sessions = world.memory.sessions(&world.library, None, 9).expect("sessions");
        sessions.into_iter().find(|known| known.id == *session).expect("the session").state(now)
    };
    let (late, _) = world.begin("read the error");
    let deadline = Timestamp(world.pass(0).0 + HOUR);
    assert_eq!(state(&late, Timestamp(deadline.0 - 1)), SessionState::Open);
    assert_eq!(state(&late, deadline), SessionState::Expired);
    world.pass(HOUR - SECOND);
    let before = world.whole();
    assert_eq!(code(world.end(&late, worded(true))), Some(Code::SessionExpired));
    assert_eq!(world.whole(), before, "an expired session teaches nothing");
    let open = world.memory.sessions(&world.library, Some(world.tick()), 9).expect("sessions");
    assert!(open.is_empty());
}

#[test]
fn receipts_are_forgotten_in_time_and_rewards_are_not() {
    let world = with_lessons(&[("baseline_min", "2")]);
    let end = |reward| {
        let (session, _) = world.begin("read the error");
        world.end(&session, rewarded(reward)).expect("an end");
        session
    };
    let old = end(0.0);
    world.pass(10 * 24 * HOUR);
    let young = end(1.0);
    world.pass(21 * 24 * HOUR);
    let (now, _) = world.begin("read the error");
    let known: Vec<SessionId> = world.whole().sessions.into_iter().map(|session| session.id).collect();
    assert_eq!(known, [now.clone(), young], "the newest first, without {old}");
    let report = world.end(&now, rewarded(0.75)).expect("an end");
    assert_eq!((report.verdict, report.baseline), (Verdict::Improved, Some(0.5)), "the mean of 0 and 1");
}

// Encoders.

/// The hash under another name.
struct Other;

impl Embedder for Other {
    fn encoder(&self) -> EncoderId {
        EncoderId("another".to_owned())
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Encoded>, EncoderError> {
        HashEmbedder.embed(texts)
    }
}

/// An encoder that has no weights.
struct Missing;

impl Embedder for Missing {
    fn encoder(&self) -> EncoderId {
        HashEmbedder.encoder()
    }

    fn embed(&self, _: &[&str]) -> Result<Vec<Encoded>, EncoderError> {
        Err(EncoderError::Missing("no weights".to_owned()))
    }
}

fn asks(world: &World, embedder: Arc<dyn Embedder>) -> Vec<(&'static str, Option<Code>)> {
    let memory = Memory::new(Arc::clone(&world.store), embedder);
    let (name, session) = (&world.library, SessionId("s1".to_owned()));
    let update = |list: Value| code(memory.update(name, &Update::of(operations(list)), world.tick()));
    let recall = Recall::of("read the error");
    let begin = Begin { recall: recall.clone(), ..Begin::default() };
    let end = docet_core::memory::End { outcome: worded(true), operations: Vec::new() };
    vec![
        ("add", update(json!([{"op": "add", "text": "New."}]))),
        ("pin", update(json!([{"op": "modify", "id": 1, "pinned": true}]))),
        ("delete", update(json!([{"op": "delete", "id": 2}]))),
        ("recall", code(memory.recall(name, &recall))),
        ("begin", code(memory.begin(name, &begin, &SessionId("s9".to_owned()), world.tick()))),
        ("recall within", code(memory.recall_in(&session, None, &recall, world.tick()))),
        ("end", code(memory.end(&session, None, &end, world.tick()))),
    ]
}

#[test]
fn another_encoder_is_refused_wherever_vectors_meet() {
    for (embedder, refusal) in
        [(Arc::new(Other) as Arc<dyn Embedder>, Code::EncoderDiffers), (Arc::new(Missing), Code::EncoderMissing)]
    {
        let world = with_lessons(&[]);
        world.begin("read the error");
        let expected = [
            ("add", Some(refusal)),
            ("pin", None),
            ("delete", None),
            ("recall", Some(refusal)),
            ("begin", Some(refusal)),
            ("recall within", Some(refusal)),
            ("end", None),
        ];
        assert_eq!(asks(&world, embedder), expected);
    }
}
