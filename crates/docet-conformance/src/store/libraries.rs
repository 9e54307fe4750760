use std::collections::BTreeSet;

use docet_core::experience::{Experience, Timestamp};
use docet_core::history::RevisionQuery;
use docet_core::library::{Library, LibrarySummary};
use docet_core::ports::{Store, Traces};
use docet_core::session::SessionId;
use docet_core::settings::{AgeFrom, Baseline, Preset, Rescore, Settings, Strategy, Tie};

use super::{read, read_in, write, write_in};
use crate::sample::{came, ended_session, experience, left, library, name, open_session, remembered, revision, reward};

/// Asking a store without a library is no error, and makes none.
pub fn an_empty_store_holds_nothing(store: &dyn Store) {
    read(store, |snapshot| {
        assert_eq!(snapshot.library()?, None);
        assert_eq!(snapshot.experiences()?, []);
        assert_eq!(snapshot.experience(1)?, None);
        assert_eq!(snapshot.session(&SessionId("none".to_owned()))?, None);
        assert_eq!(snapshot.sessions(None, 10)?, []);
        assert_eq!(snapshot.rewards(None, 10)?, []);
        assert_eq!((snapshot.size()?, snapshot.traces()?), (0, Traces::default()));
        assert_eq!(snapshot.revisions(&RevisionQuery::default())?, []);
        assert_eq!((snapshot.revision(1)?, snapshot.changed_after(0, 1)?), (None, vec![]));
        assert_eq!((snapshot.archived(None)?, snapshot.archived(Some(1))?), (vec![], vec![]));
        assert!(snapshot.recorded_texts()?.is_empty());
        assert_eq!((snapshot.remembered("key")?, snapshot.all_remembered()?), (None, vec![]));
        Ok(())
    });
    assert_eq!(store.library_of(&SessionId("none".to_owned())).unwrap(), None);
    assert_eq!(store.libraries().unwrap(), []);
}

/// Numbers up to 2^53, and an encoder or none.
pub fn a_library_comes_back_as_it_was_put(store: &dyn Store) {
    let largest = (1 << 53) - 1;
    let extreme = Library { next_id: largest, epoch: largest, revision: largest, ..library() };
    for put in [Library::new(Settings::default()), library(), extreme, Library::new(Settings::default())] {
        write(store, |change| Ok(change.put_library(&put)?));
        assert_eq!(read(store, |snapshot| Ok(snapshot.library()?)), Some(put));
    }
}

/// Every setting, none at its default, with numbers that have no short decimal form.
pub fn settings_come_back_bit_for_bit(store: &dyn Store) {
    let odd = Settings {
        capacity: 100_000,
        strategy: Strategy::Temporal,
        top_k: 100,
        confidence_weight: 0.1 + 0.2,
        min_score: Some(-1.0 / 3.0),
        domain_floor: 1.0 - f64::EPSILON,
        domain_margin: f64::MIN_POSITIVE,
        domain_min_entries: 1_000,
        initial_confidence: 0.7_f64.sqrt(),
        min_confidence: 5e-324,
        max_confidence: 1.0 - f64::EPSILON / 2.0,
        learning_rate: std::f64::consts::FRAC_1_PI,
        tie: Tie::NotImproved,
        baseline: Baseline::Fixed(-1.234_567_890_123_456_7e300),
        baseline_window: 10_000,
        baseline_min: 9_999,
        similar_at: 2.0 / 3.0,
        session_ttl_hours: 8_760,
        receipt_days: 3_650,
        idempotency_hours: 8_760,
        discard_fraction: 0.3 - 0.1,
        max_discard: 1e-7,
        decay_rate: 9.999_999_999_999_998,
        min_time_weight: 4.35,
        age_from: AgeFrom::Created,
        utility_scale: f64::MAX,
        confidence_exponent: 1.1 + 2.2,
        recency_exponent: 1e22,
        diversity_exponent: 9e-21,
        rescore: Rescore::Once,
        spare_new: false,
        seed: (1 << 53) - 1,
        refuse_secrets: false,
    };
    let whole = Settings { baseline: Baseline::Fixed(1.0), ..Settings::default() };
    for settings in [odd, whole, Settings::preset(Preset::Paper), Settings::preset(Preset::Recommended)] {
        let put = Library { settings, ..library() };
        write(store, |change| Ok(change.put_library(&put)?));
        assert_eq!(read(store, |snapshot| Ok(snapshot.library()?)), Some(put));
    }
}

/// Each with its own size, epoch and revision, in the order of their bytes.
pub fn libraries_are_listed_by_name(store: &dyn Store) {
    let names = ["zoo", "a.b", "a-b", "0", "a_b", "default"];
    for (size, raw) in names.iter().enumerate() {
        write_in(store, &name(raw), |change| {
            change.put_library(&Library { epoch: size as u64, revision: 10 * size as u64, ..library() })?;
            Ok((1..=size as u64).try_for_each(|id| change.put_experience(&experience(id)))?)
        });
    }
    let summary = |(raw, size): (&str, usize)| LibrarySummary {
        name: name(raw),
        size,
        epoch: size as u64,
        revision: 10 * size as u64,
    };
    let expected = [("0", 3), ("a-b", 2), ("a.b", 1), ("a_b", 4), ("default", 5), ("zoo", 0)].map(summary);
    assert_eq!(store.libraries().unwrap(), expected);
}

/// Two libraries with the same ids and epochs: what is changed, removed and forgotten in one stays in the other.
pub fn nothing_crosses_between_libraries(store: &dyn Store) {
    let (ours, theirs) = (name("ours"), name("theirs"));
    let mut foreign = ended_session(1, None, Some(0.25));
    foreign.id = SessionId("theirs".to_owned());
    let history = [revision(2, vec![left(1)]), revision(1, vec![came(1), came(2)])];
    write_in(store, &theirs, |change| {
        change.put_library(&library())?;
        change.put_experience(&experience(1))?;
        change.put_reward(&reward(&foreign).unwrap())?;
        history.iter().rev().try_for_each(|revision| change.put_revision(revision))?;
        change.remember(&remembered("key", 1))?;
        Ok(change.put_session(&foreign)?)
    });

    write_in(store, &ours, |change| {
        assert_eq!(change.library()?, None);
        assert_eq!(change.experiences()?, []);
        assert_eq!(change.session(&foreign.id)?, None);
        assert_eq!(change.sessions(None, 10)?, []);
        assert_eq!(change.rewards(None, 10)?, []);
        change.put_library(&Library::new(Settings::preset(Preset::Paper)))?;
        change.put_experience(&Experience { id: 1, ..experience(2) })?;
        change.put_session(&ended_session(1, None, Some(0.75)))?;
        change.put_reward(&reward(&ended_session(1, None, Some(0.75))).unwrap())?;
        change.put_revision(&revision(1, vec![came(1)]))?;
        change.put_revision(&revision(2, vec![came(5)]))?;
        change.remember(&remembered("key", 2))?;
        Ok(change.put_session(&open_session(2))?)
    });
    write_in(store, &ours, |change| {
        assert_eq!(change.traces()?, Traces { id: 5, epoch: 2, revision: 2 });
        assert_eq!((change.archived(None)?, change.changed_after(0, 1)?), (vec![], vec![1]));
        change.remove_experience(1)?;
        change.remove_reward(1)?;
        change.erase_records(&BTreeSet::new())?;
        change.forget_answers(Timestamp(i64::MAX))?;
        Ok(change.forget_sessions(Timestamp(i64::MAX), 0)?)
    });

    read_in(store, &theirs, |snapshot| {
        assert_eq!(snapshot.library()?, Some(library()));
        assert_eq!(snapshot.experiences()?, [experience(1)]);
        assert_eq!(snapshot.sessions(None, 10)?, std::slice::from_ref(&foreign));
        assert_eq!(snapshot.rewards(None, 10)?, [0.25]);
        assert_eq!(snapshot.traces()?, Traces { id: 2, epoch: 1, revision: 2 });
        assert_eq!(snapshot.revisions(&RevisionQuery::default())?, history);
        assert_eq!((snapshot.changed_after(0, 1)?, snapshot.changed_after(0, 5)?), (vec![1, 2], vec![]));
        assert_eq!(snapshot.all_remembered()?, [remembered("key", 1)]);
        Ok(())
    });
    assert_eq!(store.library_of(&foreign.id).unwrap(), Some(theirs));
}
