use std::collections::BTreeSet;

use docet_core::experience::{Experience, ExperienceId, Timestamp};
use docet_core::history::{
    Archived, Change, Record, Revision, RevisionKind, RevisionQuery, Reward, RewardChanged, SettingsChanged,
};
use docet_core::ports::{Store, Traces};
use docet_core::settings::{Preset, Settings};
use docet_core::text::{ExperienceText, FreeText};

use super::{read, write};
use crate::random::Random;
use crate::sample::{came, ended_session, experience, left, library, open_session, remembered, revision, reward};

fn put(store: &dyn Store, revisions: &[Revision]) {
    write(store, |change| {
        change.put_library(&library())?;
        Ok(revisions.iter().try_for_each(|revision| change.put_revision(revision))?)
    });
}

fn all(store: &dyn Store) -> Vec<Revision> {
    found(store, &RevisionQuery::default())
}

fn found(store: &dyn Store, query: &RevisionQuery) -> Vec<Revision> {
    read(store, |snapshot| Ok(snapshot.revisions(query)?))
}

fn numbers(store: &dyn Store, query: &RevisionQuery) -> Vec<u64> {
    found(store, query).iter().map(|revision| revision.number).collect()
}

fn archived(store: &dyn Store, id: Option<ExperienceId>) -> Vec<Archived> {
    read(store, |snapshot| Ok(snapshot.archived(id)?))
}

fn became(id: ExperienceId, before: &Record, after: &Record) -> Change {
    Change { id, before: Some(before.clone()), after: Some(after.clone()) }
}

/// Revisions in which every field says something, with the edges of every number.
fn revisions() -> Vec<Revision> {
    let largest = (1_u64 << 53) - 1;
    let group = Some(FreeText::parse("group", "na\u{ef}ve \u{1f680}").unwrap());
    let reward = Reward { session_epoch: largest, group, revision: 3, reward: 0.1 + 0.2 };
    let other = Reward { session_epoch: 0, group: None, revision: largest, reward: -5e-324 };
    let edges = Experience {
        last_improved: None,
        source: None,
        usage_count: largest,
        created_at: Timestamp(i64::MIN),
        updated_at: Timestamp(i64::MAX),
        text: ExperienceText::parse("caf\u{e9} \u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}").unwrap(),
        ..experience(largest)
    };
    let settings = SettingsChanged {
        before: Settings::default(),
        after: Settings { min_score: Some(-1.0 / 3.0), ..Settings::preset(Preset::Paper) },
    };
    let now = Record::from(&Experience { id: 1, ..experience(11) });
    let edge = Record::from(&edges);
    let changes = vec![became(1, &Record::from(&experience(1)), &now), left(2), came(4)];
    vec![
        revision(1, vec![came(1), came(2), came(3), Change { id: largest, before: None, after: Some(edge) }]),
        Revision { settings: Some(settings), kind: RevisionKind::Settings, ..revision(2, vec![]) },
        Revision {
            reward: Some(RewardChanged { before: None, after: Some(reward.clone()) }),
            kind: RevisionKind::End,
            ..revision(3, changes)
        },
        Revision {
            reward: Some(RewardChanged { before: Some(reward), after: None }),
            kind: RevisionKind::Undo,
            ..revision(4, vec![came(2)])
        },
        Revision { reward: Some(RewardChanged { before: Some(other), after: None }), ..revision(5, vec![]) },
        Revision { kind: RevisionKind::Compress, at: Timestamp(i64::MIN), ..revision(6, vec![left(4)]) },
        Revision { kind: RevisionKind::Import, ..revision(7, vec![came(5)]) },
        Revision { kind: RevisionKind::Restore, ..revision(8, vec![came(4)]) },
        Revision { kind: RevisionKind::Purge, reason: None, ..revision(9, vec![]) },
        Revision { kind: RevisionKind::Reembed, at: Timestamp(i64::MAX), ..revision(largest, vec![]) },
    ]
}

/// Every kind, by its number and in the list.
pub fn revisions_come_back_whole(store: &dyn Store) {
    let mut put_in = revisions();
    put(store, &put_in);
    for revision in &put_in {
        assert_eq!(read(store, |snapshot| Ok(snapshot.revision(revision.number)?)).as_ref(), Some(revision));
    }
    put_in.reverse();
    assert_eq!(all(store), put_in);
    for absent in [0, 10, u64::MAX] {
        assert_eq!(read(store, |snapshot| Ok(snapshot.revision(absent)?)), None);
    }
}

/// A random history of a few entries that come, change, leave and come back, several in one revision.
pub fn what_an_entry_was_is_what_it_last_became(store: &dyn Store) {
    let mut random = Random::new(7);
    let mut now: Vec<Option<Record>> = vec![None; 5];
    let mut put_in = Vec::new();
    for number in 1..=60 {
        let mut changes = Vec::new();
        for (id, state) in (1_u64..).zip(&mut now) {
            if random.one_in(2) {
                let usage_count = number;
                let next = Record { id, usage_count, ..Record::from(&experience(1 + random.below(9) as u64)) };
                let after = (state.is_none() || !random.one_in(3)).then_some(next);
                changes.push(Change { id, before: state.take(), after: after.clone() });
                *state = after;
            }
        }
        put_in.push(revision(number, changes));
        put(store, &put_in[put_in.len() - 1..]);
    }
    put_in.reverse();
    assert_eq!(all(store), put_in);

    let gone: Vec<ExperienceId> = (1..).zip(&now).filter(|(_, state)| state.is_none()).map(|(id, _)| id).collect();
    let last = |id: &ExperienceId| {
        put_in.iter().find_map(|revision| Some((revision, revision.changes.iter().find(|change| change.id == *id)?)))
    };
    let expected: Vec<Archived> = gone.iter().filter_map(last).map(leaving).collect();
    assert_eq!(archived(store, None), expected);
}

fn leaving((revision, change): (&Revision, &Change)) -> Archived {
    let Revision { number, at, reason, kind, .. } = revision.clone();
    Archived { record: change.before.clone().unwrap(), revision: number, at, reason, kind }
}

/// Each condition alone and all together; the newest first, at most as many as asked for.
pub fn revisions_are_found_by_entry_actor_and_number(store: &dyn Store) {
    // Entry 1 changes in each, entry 2 in every third; ada and grace take turns.
    let steps: Vec<Record> = (0..=12).map(|usage_count| record(1, usage_count)).collect();
    let made = |number: u64| {
        let [before, after] = [&steps[number as usize - 1], &steps[number as usize]];
        let mut changes = vec![became(1, before, after)];
        if number.is_multiple_of(3) {
            changes.push(if number == 3 { came(2) } else { became(2, &record(2, number - 3), &record(2, number)) });
        }
        revision(number, changes)
    };
    let first = revision(1, vec![Change { id: 1, before: None, after: Some(steps[1].clone()) }]);
    put(store, &[vec![first], (2..=12).map(made).collect()].concat());

    let grace = FreeText::parse("actor", "grace").unwrap();
    let query = RevisionQuery::default;
    let table = [
        (query(), vec![12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1]),
        (RevisionQuery { limit: 3, ..query() }, vec![12, 11, 10]),
        (RevisionQuery { limit: 0, ..query() }, vec![]),
        (RevisionQuery { after: 9, ..query() }, vec![12, 11, 10]),
        (RevisionQuery { after: 12, ..query() }, vec![]),
        (RevisionQuery { after: u64::MAX, ..query() }, vec![]),
        (RevisionQuery { id: Some(2), ..query() }, vec![12, 9, 6, 3]),
        (RevisionQuery { id: Some(3), ..query() }, vec![]),
        (RevisionQuery { id: Some(u64::MAX), ..query() }, vec![]),
        (RevisionQuery { actor: Some(grace.clone()), ..query() }, vec![11, 9, 7, 5, 3, 1]),
        (RevisionQuery { actor: Some(grace.clone()), limit: 2, after: 3, ..query() }, vec![11, 9]),
        (RevisionQuery { actor: Some(FreeText::parse("actor", "gr%").unwrap()), ..query() }, vec![]),
        (RevisionQuery { id: Some(2), actor: Some(grace), after: 3, limit: 5 }, vec![9]),
    ];
    for (query, expected) in table {
        assert_eq!(numbers(store, &query), expected, "{query:?}");
    }
    // Found by one entry, a revision still shows all that it changed.
    let shown = found(store, &RevisionQuery { id: Some(2), limit: 1, ..query() });
    assert_eq!(shown[0].changes, [became(1, &steps[11], &steps[12]), became(2, &record(2, 9), &record(2, 12))]);
}

fn record(id: ExperienceId, usage_count: u64) -> Record {
    let first = if id == 2 && usage_count <= 3 { experience(2).usage_count } else { usage_count };
    Record { usage_count: first, ..Record::from(&experience(id)) }
}

/// Also the one in which it left.
pub fn later_changes_of_an_entry_are_named(store: &dyn Store) {
    let first = Record::from(&experience(1));
    let second = Record { pinned: true, ..first.clone() };
    put(
        store,
        &[
            revision(1, vec![came(1), came(2)]),
            revision(2, vec![left(2)]),
            revision(3, vec![became(1, &first, &second)]),
            revision(4, vec![]),
            revision(5, vec![became(1, &second, &first), came(2)]),
            revision(6, vec![left(1)]),
        ],
    );
    let table: [(u64, ExperienceId, &[u64]); 8] = [
        (0, 1, &[1, 3, 5, 6]),
        (1, 1, &[3, 5, 6]),
        (3, 1, &[5, 6]),
        (6, 1, &[]),
        (0, 2, &[1, 2, 5]),
        (4, 2, &[5]),
        (0, 3, &[]),
        (u64::MAX, u64::MAX, &[]),
    ];
    for (number, id, expected) in table {
        assert_eq!(read(store, |snapshot| Ok(snapshot.changed_after(number, id)?)), expected, "{number} {id}");
    }
}

/// With what they were, and the revision of the last time that they left.
pub fn archived_are_the_entries_that_left_and_did_not_come_back(store: &dyn Store) {
    let leave = |number, ids: &[u64]| {
        let kind = RevisionKind::Compress;
        Revision { kind, ..revision(number, ids.iter().map(|id| left(*id)).collect()) }
    };
    let expect = |revision: &Revision| -> Vec<Archived> {
        revision.changes.iter().map(|change| leaving((revision, change))).collect()
    };
    put(store, &[revision(1, [1, 2, 3].map(came).to_vec())]);
    assert_eq!(archived(store, None), []);
    put(store, &[leave(2, &[1, 2, 3])]);
    assert_eq!(archived(store, None), expect(&leave(2, &[1, 2, 3])));
    put(store, &[revision(3, vec![came(1), came(2)])]);
    assert_eq!(archived(store, None), expect(&leave(2, &[3])));
    put(store, &[leave(4, &[1])]);
    assert_eq!(archived(store, None), [expect(&leave(4, &[1])), expect(&leave(2, &[3]))].concat());
    assert_eq!(archived(store, Some(3)), expect(&leave(2, &[3])));
    for absent in [2, 4, u64::MAX] {
        assert_eq!(archived(store, Some(absent)), []);
    }
}

/// An id that left counts, and so does that of an entry without a history; a reward whose session is gone does not.
pub fn traces_are_the_highest_numbers_of_all_rows(store: &dyn Store) {
    let traces = || read(store, |snapshot| Ok(snapshot.traces()?));
    assert_eq!(traces(), Traces::default());
    put(store, &[revision(1, [3, 7].map(came).to_vec()), revision(2, vec![left(7)])]);
    assert_eq!(traces(), Traces { id: 7, epoch: 0, revision: 2 });
    write(store, |change| {
        change.put_experience(&experience(8))?;
        change.put_session(&open_session(4))?;
        change.put_reward(&reward(&ended_session(9, None, Some(1.0))).unwrap())?;
        Ok(change.put_session(&ended_session(2, None, None))?)
    });
    assert_eq!(traces(), Traces { id: 8, epoch: 4, revision: 2 });
    assert_eq!(read(store, |snapshot| Ok(snapshot.size()?)), 1);
}

/// Before and after, in every revision; the rest of the record stays. What is kept keeps its source.
pub fn erased_records_have_neither_text_nor_source(store: &dyn Store) {
    let (old, new) = (Record::from(&experience(1)), Record::from(&Experience { id: 1, ..experience(11) }));
    let blank = |record: &Record| Record { text: None, source: None, ..record.clone() };
    let texts = |texts: &[&Record]| -> BTreeSet<String> {
        texts.iter().filter_map(|record| record.text.as_ref()).map(ToString::to_string).collect()
    };
    let whole = [revision(1, vec![came(1), came(2)]), revision(2, vec![became(1, &old, &new), left(2)])];
    put(store, &whole);
    let second = Record::from(&experience(2));
    let recorded = || read(store, |snapshot| Ok(snapshot.recorded_texts()?));
    assert_eq!(recorded(), texts(&[&old, &new, &second]));

    write(store, |change| Ok(change.erase_records(&texts(&[&old, &new, &second]))?));
    assert_eq!(all(store), [whole[1].clone(), whole[0].clone()]);
    write(store, |change| Ok(change.erase_records(&texts(&[&new]))?));
    assert_eq!(recorded(), texts(&[&new]));
    let gone = |id, record: &Record| Change { id, before: Some(blank(record)), after: None };
    let first = vec![
        Change { id: 1, before: None, after: Some(blank(&old)) },
        Change { id: 2, before: None, after: Some(blank(&second)) },
    ];
    let then = vec![became(1, &blank(&old), &new), gone(2, &second)];
    assert_eq!(all(store), [revision(2, then), revision(1, first)]);
    assert_eq!(archived(store, Some(2))[0].record, blank(&second));
}

/// Nothing that was not erased is lost by it, and the store goes on.
pub fn a_scrub_leaves_everything_readable(store: &dyn Store) {
    put(store, &revisions());
    write(store, |change| {
        (1..=40).try_for_each(|id| change.put_experience(&experience(id)))?;
        change.put_session(&ended_session(1, None, Some(0.5)))?;
        change.put_reward(&reward(&ended_session(1, None, Some(0.5))).unwrap())?;
        Ok(change.remember(&remembered("key", 1))?)
    });
    write(store, |change| Ok((1..=40).step_by(2).try_for_each(|id| change.remove_experience(id))?));
    let look = || {
        read(store, |snapshot| {
            let sessions = (snapshot.sessions(None, 10)?, snapshot.rewards(None, 10)?);
            Ok((snapshot.library()?, snapshot.experiences()?, sessions, snapshot.all_remembered()?))
        })
    };
    let before = (look(), all(store), archived(store, None));
    for _ in 0..2 {
        store.scrub().unwrap();
        assert_eq!((look(), all(store), archived(store, None)), before);
    }
    write(store, |change| Ok(change.put_experience(&experience(1))?));
    assert_eq!(read(store, |snapshot| Ok(snapshot.size()?)), 21);
}
