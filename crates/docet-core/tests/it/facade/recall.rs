//! Looking lessons up, with and without a session.

use docet_core::error::Code;
use docet_core::memory::{Begin, Recall, Recalled};
use docet_core::retrieval::DomainChoice;
use serde_json::json;

use super::{code, revision, with_lessons};
use crate::world::{Whole, World};

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
    let given = |recalled: &Recalled| -> Vec<u64> { recalled.ranking.best.iter().map(|best| best.id).collect() };
    let last = go_on("read the error").expect("nothing is left");
    assert_eq!((last.context().as_str(), last.ranking.shortfall, last.ranking.already_given), ("", 2, 4));
    let receipt = |whole: Whole| -> Vec<u64> {
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
