use docet_core::experience::Timestamp;
use docet_core::history::Reward;
use docet_core::ports::Store;
use docet_core::session::{EndReport, Receipt, Session, SessionEnd, SessionId};
use docet_core::text::FreeText;

use super::{library_name, read, write};
use crate::sample::{ended_session, full_report, library, open_session, operations, reward};

/// Far enough in the future of every sample.
const END_OF_TIME: Timestamp = Timestamp(i64::MAX);

fn put(store: &dyn Store, sessions: &[Session]) {
    write(store, |change| {
        change.put_library(&library())?;
        sessions.iter().try_for_each(|session| change.put_session(session))?;
        Ok(sessions.iter().filter_map(reward).try_for_each(|reward| change.put_reward(&reward))?)
    });
}

fn epochs(store: &dyn Store, open_at: Option<i64>, limit: usize) -> Vec<u64> {
    let sessions = read(store, |snapshot| Ok(snapshot.sessions(open_at.map(Timestamp), limit)?));
    sessions.iter().map(|session| session.epoch).collect()
}

fn rewards(store: &dyn Store, group: Option<&str>, window: usize) -> Vec<f64> {
    let group = group.map(|group| FreeText::parse("group", group).unwrap());
    read(store, |snapshot| Ok(snapshot.rewards(group.as_ref(), window)?))
}

fn forget(store: &dyn Store, moment: Timestamp, rewards: usize) {
    write(store, |change| Ok(change.forget_sessions(moment, rewards)?));
}

/// Every kind of operation, every list of the report, labels beyond ten, an empty receipt, and neither group nor
/// reference.
pub fn sessions_come_back_whole(store: &dyn Store) {
    let group = || Some(FreeText::parse("group", "na\u{ef}ve \u{1f680}").unwrap());
    let end = |id: &SessionId| SessionEnd { at: Timestamp(5), report: full_report(id), operations: operations() };
    let receipt = |number| Receipt { id: 1_u64 << number, text: format!("caf\u{e9} \u{1f980} number {number}") };
    let plain = Session { reference: None, receipt: Vec::new(), ..open_session(1) };
    let long = Session { receipt: (0..53).map(receipt).collect(), group: group(), ..open_session(2) };
    let ended = Session { end: Some(end(&open_session(3).id)), ..open_session(3) };
    let name = SessionId("\u{3042}".repeat(64));
    let extreme = Session {
        epoch: (1 << 53) - 1,
        begun_at: Timestamp(i64::MIN),
        expires_at: END_OF_TIME,
        end: Some(end(&name)),
        id: name,
        ..open_session(4)
    };
    let all = [extreme, ended, long, plain];
    put(store, &all);
    for session in &all {
        assert_eq!(read(store, |snapshot| Ok(snapshot.session(&session.id)?)).as_ref(), Some(session));
    }
    assert_eq!(read(store, |snapshot| Ok(snapshot.sessions(None, 10)?)), all);
}

/// Its receipt grows, then it ends; another session stays as it is.
pub fn a_session_is_replaced_as_a_whole(store: &dyn Store) {
    let other = open_session(2);
    let mut session = open_session(1);
    put(store, &[session.clone(), other.clone()]);
    session.receipt.push(Receipt { id: 9, text: "one more".to_owned() });
    put(store, std::slice::from_ref(&session));
    assert_eq!(read(store, |snapshot| Ok(snapshot.session(&session.id)?)).as_ref(), Some(&session));
    session.end = ended_session(1, None, Some(1.0)).end;
    session.receipt.truncate(1);
    put(store, std::slice::from_ref(&session));
    assert_eq!(read(store, |snapshot| Ok(snapshot.sessions(None, 10)?)), [other, session]);
}

/// Open, ended, and no longer once it is forgotten.
pub fn a_session_is_found_by_its_id_alone(store: &dyn Store) {
    let sessions = [open_session(1), ended_session(2, None, None)];
    put(store, &sessions);
    for session in &sessions {
        assert_eq!(store.library_of(&session.id).unwrap(), Some(library_name()));
    }
    forget(store, END_OF_TIME, 10);
    for session in &sessions {
        assert_eq!(store.library_of(&session.id).unwrap(), None);
    }
    assert_eq!(store.library_of(&SessionId("session-1' OR 1=1 --".to_owned())).unwrap(), None);
}

/// By epoch, in whatever order they came, at most as many as asked for.
pub fn the_newest_sessions_come_first(store: &dyn Store) {
    put(store, &[10, 2, 9, 1].map(open_session));
    put(store, &[ended_session(10, None, Some(1.0))]);
    assert_eq!(epochs(store, None, usize::MAX), [10, 9, 2, 1]);
    assert_eq!(epochs(store, None, 2), [10, 9]);
    assert_eq!(epochs(store, None, 0), [0; 0]);
}

/// A session is open until the moment at which it expires, that moment not included; an ended one never.
pub fn open_sessions_are_those_open_at_that_moment(store: &dyn Store) {
    put(store, &[open_session(1), ended_session(2, None, None), open_session(3), open_session(4)]);
    let expiry_of_third = open_session(3).expires_at.0;
    assert_eq!(epochs(store, Some(i64::MIN), 10), [4, 3, 1]);
    assert_eq!(epochs(store, Some(expiry_of_third - 1), 10), [4, 3]);
    assert_eq!(epochs(store, Some(expiry_of_third), 10), [4]);
    assert_eq!(epochs(store, Some(i64::MAX), 10), [0; 0]);
    assert_eq!(epochs(store, Some(i64::MIN), 2), [4, 3]);
}

/// Latest by revision, not by epoch; sessions without a reward don't count; no group is a group.
pub fn rewards_are_those_of_the_group_latest_first(store: &dyn Store) {
    let at_revision = |epoch: u64, revision, group, reward| {
        let mut session = ended_session(epoch, group, Some(reward));
        let end = session.end.as_mut().unwrap();
        end.report = EndReport { revision, ..end.report.clone() };
        session
    };
    put(
        store,
        &[
            at_revision(1, 30, None, 0.1 + 0.2),
            at_revision(2, 10, None, -1e300),
            at_revision(3, 20, None, 5e-324),
            at_revision(4, 40, Some("a"), 4.0),
            at_revision(5, 50, Some("A"), 5.0),
            at_revision(6, 60, Some("a"), 6.0),
            ended_session(7, None, None),
            ended_session(8, Some("a"), None),
            open_session(9),
        ],
    );
    let bits = |rewards: Vec<f64>| rewards.into_iter().map(f64::to_bits).collect::<Vec<_>>();
    assert_eq!(bits(rewards(store, None, 100)), bits(vec![0.1 + 0.2, 5e-324, -1e300]));
    assert_eq!(rewards(store, None, 2).len(), 2);
    assert_eq!(rewards(store, None, 0), [0.0; 0]);
    assert_eq!(rewards(store, Some("a"), usize::MAX), [6.0, 4.0]);
    assert_eq!(rewards(store, Some("a"), 1), [6.0]);
    assert_eq!(rewards(store, Some("A"), 10), [5.0]);
    assert_eq!(rewards(store, Some("b"), 10), [0.0; 0]);
}

/// A session's reward counts once, with what was put last; taken away, it counts no more, while its session stands.
pub fn a_reward_is_replaced_and_taken_away(store: &dyn Store) {
    put(store, &[ended_session(1, None, Some(1.0)), ended_session(2, None, Some(2.0))]);
    put(store, &[ended_session(1, None, Some(3.0))]);
    assert_eq!(rewards(store, None, 10), [2.0, 3.0]);
    let elsewhere = Reward { revision: 5, ..reward(&ended_session(1, Some("a"), Some(4.0))).unwrap() };
    write(store, |change| Ok(change.put_reward(&elsewhere)?));
    assert_eq!((rewards(store, None, 10), rewards(store, Some("a"), 10)), (vec![2.0], vec![4.0]));
    write(store, |change| {
        change.remove_reward(2)?;
        Ok(change.remove_reward(77)?)
    });
    assert_eq!((rewards(store, None, 10), rewards(store, Some("a"), 10)), (vec![], vec![4.0]));
    assert_eq!(epochs(store, None, 10), [2, 1]);
}

/// The moment itself is not before it. An open session is over when it expires.
pub fn forgotten_are_the_sessions_that_were_over_before(store: &dyn Store) {
    let all = [open_session(1), ended_session(2, None, None), open_session(3), ended_session(4, None, Some(1.0))];
    let over = |session: &Session| session.end.as_ref().map_or(session.expires_at, |end| end.at);
    for moment in all.iter().map(over) {
        for instant in [moment, Timestamp(moment.0 + 1)] {
            put(store, &all);
            forget(store, instant, 10);
            let left: Vec<Session> = all.iter().rev().filter(|session| over(session) >= instant).cloned().collect();
            assert_eq!(read(store, |snapshot| Ok(snapshot.sessions(None, 10)?)), left, "{instant:?}");
        }
    }
    forget(store, END_OF_TIME, 10);
    assert_eq!(epochs(store, None, 10), [0; 0]);
}

/// Of each group the latest as many as asked for, whichever of their sessions are still there.
pub fn rewards_outlive_their_sessions(store: &dyn Store) {
    let session = |epoch: u64| ended_session(epoch, [None, Some("a")][epoch as usize % 2], Some(epoch as f64));
    put(store, &(1..=20).map(session).collect::<Vec<_>>());
    let over_before = |epoch| session(epoch).end.unwrap().at;

    forget(store, over_before(9), 100);
    assert_eq!(epochs(store, None, 100), (9..=20).rev().collect::<Vec<_>>());
    assert_eq!(rewards(store, None, 100), [20.0, 18.0, 16.0, 14.0, 12.0, 10.0, 8.0, 6.0, 4.0, 2.0]);

    // Also those whose session still stands.
    forget(store, over_before(13), 3);
    assert_eq!(epochs(store, None, 100), (13..=20).rev().collect::<Vec<_>>());
    assert_eq!(rewards(store, None, 100), [20.0, 18.0, 16.0]);
    assert_eq!(rewards(store, Some("a"), 100), [19.0, 17.0, 15.0]);
    put(store, &(1..=20).map(session).collect::<Vec<_>>());

    forget(store, over_before(17), 7);
    assert_eq!(rewards(store, None, 7), [20.0, 18.0, 16.0, 14.0, 12.0, 10.0, 8.0]);
    assert_eq!(rewards(store, Some("a"), 7), [19.0, 17.0, 15.0, 13.0, 11.0, 9.0, 7.0]);

    forget(store, END_OF_TIME, 2);
    assert_eq!(rewards(store, None, 100), [20.0, 18.0]);
    assert_eq!(rewards(store, Some("a"), 100), [19.0, 17.0]);

    put(store, &[session(22)]);
    assert_eq!(rewards(store, None, 2), [22.0, 20.0]);
}
