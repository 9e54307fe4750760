//! Sessions: how they end, and when they are over.

use docet_core::error::Code;
use docet_core::experience::Timestamp;
use docet_core::memory::{End, Init, Recall};
use docet_core::session::{Outcome, SessionId, SessionState, Verdict};
use serde_json::json;

use super::{changes, code, revision, with_lessons};
use crate::world::{HOUR, SECOND, World, library_name, no_outcome, rewarded, worded};

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
    world.memory.init(&other, &Init::default(), &world.call()).expect("a second library");
    let (session, _) = world.begin("read the error");
    let end = End { outcome: worded(true), operations: Vec::new() };
    let recall = Recall::of("read");
    assert_eq!(code(world.memory.end(&session, Some(&other), &end, &world.call())), Some(Code::UnknownSession));
    assert_eq!(code(world.memory.recall_in(&session, Some(&other), &recall, world.tick())), Some(Code::UnknownSession));
    let nobody = SessionId("nobody".to_owned());
    assert_eq!(code(world.memory.end(&nobody, None, &end, &world.call())), Some(Code::UnknownSession));
    assert_eq!(code(world.memory.end(&session, Some(&world.library), &end, &world.call())), None);
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
