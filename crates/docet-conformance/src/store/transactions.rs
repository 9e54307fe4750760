use std::collections::BTreeSet;
use std::panic::{self, AssertUnwindSafe};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use docet_core::answers::Remembered;
use docet_core::error::{Code, Error, Refusal};
use docet_core::experience::{Experience, Timestamp};
use docet_core::history::{Archived, Revision, RevisionQuery};
use docet_core::library::Library;
use docet_core::ports::{Snapshot, Store, Traces, Transaction};
use docet_core::session::Session;
use docet_core::settings::{Preset, Settings};

use super::{library_name, read, write};
use crate::failing::FailingStore;
use crate::sample::{came, ended_session, experience, left, library, open_session, remembered, revision, reward};

/// Everything that a library holds.
#[derive(Debug, PartialEq)]
struct Whole {
    library: Option<Library>,
    traces: Traces,
    entries: Vec<Experience>,
    sessions: Vec<Session>,
    rewards: Vec<f64>,
    revisions: Vec<Revision>,
    archived: Vec<Archived>,
    remembered: Vec<Remembered>,
}

fn whole(store: &dyn Store) -> Whole {
    read(store, |snapshot| whole_of(snapshot))
}

fn whole_of(snapshot: &dyn Snapshot) -> Result<Whole, Error> {
    Ok(Whole {
        library: snapshot.library()?,
        traces: snapshot.traces()?,
        entries: snapshot.experiences()?,
        sessions: snapshot.sessions(None, usize::MAX)?,
        rewards: snapshot.rewards(None, usize::MAX)?,
        revisions: snapshot.revisions(&RevisionQuery::default())?,
        archived: snapshot.archived(None)?,
        remembered: snapshot.all_remembered()?,
    })
}

fn fill(store: &dyn Store) {
    write(store, |change| {
        change.put_library(&library())?;
        [1, 2, 3].iter().try_for_each(|id| change.put_experience(&experience(*id)))?;
        change.put_session(&ended_session(1, None, Some(0.5)))?;
        change.put_reward(&reward(&ended_session(1, None, Some(0.5))).unwrap())?;
        if change.revision(1)?.is_none() {
            change.put_revision(&revision(1, vec![came(1), came(2), came(3), came(9)]))?;
            change.put_revision(&revision(2, vec![left(9)]))?;
        }
        change.remember(&remembered("kept", 1))?;
        Ok(change.put_session(&open_session(2))?)
    });
}

/// A change that touches everything, each call of [`CALLS`] of its own.
fn change_everything(change: &mut dyn Transaction) -> Result<(), Error> {
    let entries = change.experiences()?;
    assert_eq!(entries.len(), 3);
    change.remove_experience(1)?;
    change.put_experience(&Experience { id: 2, ..experience(12) })?;
    change.put_experience(&experience(4))?;
    change.forget_sessions(Timestamp(i64::MAX), 0)?;
    change.put_session(&ended_session(3, None, Some(0.75)))?;
    change.put_session(&open_session(4))?;
    change.remove_reward(1)?;
    change.put_reward(&reward(&ended_session(3, None, Some(0.75))).unwrap())?;
    change.put_revision(&revision(3, vec![left(1)]))?;
    change.erase_records(&BTreeSet::from([experience(3).text.to_string()]))?;
    change.forget_answers(Timestamp(i64::MAX))?;
    change.remember(&remembered("new", 2))?;
    change.put_library(&Library::new(Settings::preset(Preset::Paper)))?;
    change.library()?;
    change.traces()?;
    assert_eq!(change.size()?, 3);
    change.experience(1)?;
    change.session(&open_session(4).id)?;
    change.sessions(None, 1)?;
    change.rewards(None, 1)?;
    change.revisions(&RevisionQuery::default())?;
    change.revision(3)?;
    change.changed_after(0, 1)?;
    change.archived(None)?;
    change.recorded_texts()?;
    change.remembered("new")?;
    change.all_remembered()?;
    Ok(())
}

const CALLS: usize = 28;

/// The closure's own error comes back, in a library that stands and in one that the change began.
pub fn a_change_that_fails_leaves_nothing(store: &dyn Store) {
    let refused = |store: &dyn Store, change: &dyn Fn(&mut dyn Transaction) -> Result<(), Error>| {
        let outcome = store.write(&library_name(), &mut |transaction| {
            change(transaction)?;
            Err(Refusal::new(Code::OverCapacity, "no more").into())
        });
        assert_eq!(outcome.unwrap_err().code(), Code::OverCapacity);
    };
    refused(store, &|change| {
        change.put_library(&library())?;
        Ok(change.put_experience(&experience(1))?)
    });
    assert_eq!(store.libraries().unwrap(), []);
    fill(store);
    let before = whole(store);
    refused(store, &|change| change_everything(change));
    assert_eq!(whole(store), before);
}

/// Whichever call of the transaction fails.
pub fn a_change_that_fails_at_any_call_leaves_nothing(store: &dyn Store) {
    fill(store);
    let before = whole(store);
    for fails_at in 0..CALLS {
        let failing = FailingStore::new(store, fails_at);
        let outcome = failing.write(&library_name(), &mut |change| change_everything(change));
        assert_eq!(outcome.unwrap_err().code(), Code::Io, "call {fails_at}");
        assert_eq!(whole(store), before, "call {fails_at}");
    }
    FailingStore::new(store, CALLS).write(&library_name(), &mut |change| change_everything(change)).unwrap();
    assert_ne!(whole(store), before);
}

/// A panic is no commit either, and the store goes on.
pub fn a_change_that_panics_leaves_nothing(store: &dyn Store) {
    fill(store);
    let before = whole(store);
    let panicked = panic::catch_unwind(AssertUnwindSafe(|| {
        store.write(&library_name(), &mut |change| {
            change_everything(change)?;
            panic::resume_unwind(Box::new("on purpose"))
        })
    }));
    assert!(panicked.is_err());
    assert_eq!(whole(store), before);
    write(store, |change| change_everything(change));
    assert_ne!(whole(store), before);
}

/// Since a store may run a change again, and a caller may repeat it: puts replace, and nothing doubles.
pub fn a_change_made_again_changes_nothing(store: &dyn Store) {
    fill(store);
    let once = whole(store);
    fill(store);
    assert_eq!(whole(store), once);
}

/// Before anything is committed.
pub fn a_change_sees_itself(store: &dyn Store) {
    fill(store);
    let mut seen = None;
    write(store, |change| {
        change_everything(change)?;
        seen = Some(whole_of(change)?);
        assert_eq!(change.experience(1)?, None);
        assert_eq!(change.experience(4)?, Some(experience(4)));
        assert_eq!(change.session(&open_session(2).id)?, None);
        assert_eq!(change.session(&open_session(4).id)?, Some(open_session(4)));
        Ok(())
    });
    let seen = seen.unwrap();
    assert_eq!(seen.library.as_ref().unwrap().settings, Settings::preset(Preset::Paper));
    assert_eq!(seen.traces, Traces { id: 9, epoch: 4, revision: 3 });
    assert_eq!(seen.entries, [Experience { id: 2, ..experience(12) }, experience(3), experience(4)]);
    assert_eq!(seen.sessions, [open_session(4), ended_session(3, None, Some(0.75))]);
    assert_eq!(seen.rewards, [0.75]);
    assert_eq!(seen.revisions.iter().map(|revision| revision.number).collect::<Vec<_>>(), [3, 2, 1]);
    assert_eq!(seen.archived.iter().map(|left| left.record.id).collect::<Vec<_>>(), [1, 9]);
    assert_eq!(seen.remembered, [remembered("new", 2)]);
    assert_eq!(seen, whole(store));
}

/// What a read found first stays what it sees, though another thread changes everything in between.
pub fn a_read_sees_one_state_though_a_change_is_committed(store: &dyn Store) {
    fill(store);
    let before = whole(store);
    let seen = thread::scope(|scope| {
        let (begin, begun) = mpsc::channel();
        let (commit, committed) = mpsc::channel();
        scope.spawn(move || {
            begun.recv().unwrap();
            write(store, |change| change_everything(change));
            // A store whose writers wait for its readers lets the reader go on after a moment.
            let _ = commit.send(());
        });
        read(store, |snapshot| {
            let library = snapshot.library()?;
            begin.send(()).unwrap();
            let _ = committed.recv_timeout(Duration::from_millis(500));
            Ok(Whole { library, ..whole_of(snapshot)? })
        })
    });
    assert_eq!(seen, before);
    assert_ne!(whole(store), before);
}

/// Each change adds an entry and counts it in the library; no reader ever finds the one without the other.
pub fn readers_never_see_half_a_change(store: &dyn Store) {
    const CHANGES: u64 = 60;
    write(store, |change| Ok(change.put_library(&Library { revision: 0, ..library() })?));
    thread::scope(|scope| {
        scope.spawn(|| {
            for id in 1..=CHANGES {
                write(store, |change| {
                    change.put_library(&Library { revision: id, ..library() })?;
                    Ok(change.put_experience(&experience(id))?)
                });
            }
        });
        for _ in 0..2 {
            scope.spawn(|| {
                let mut seen = 0;
                while seen < CHANGES {
                    let Whole { library, entries, .. } = whole(store);
                    let revision = library.unwrap().revision;
                    assert_eq!(revision, entries.len() as u64);
                    assert!(revision >= seen, "{revision} after {seen}");
                    seen = revision;
                }
            });
        }
    });
}

/// Threads that take the next id and count it up, each many times: every id is given once.
pub fn no_concurrent_change_is_lost(store: &dyn Store) {
    const THREADS: u64 = 4;
    const CHANGES: u64 = 25;
    write(store, |change| Ok(change.put_library(&Library { next_id: 1, ..library() })?));
    thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for _ in 0..CHANGES {
                    write(store, |change| {
                        let mut library = change.library()?.unwrap();
                        assert_eq!(change.experience(library.next_id)?, None);
                        change.put_experience(&experience(library.next_id))?;
                        library.next_id += 1;
                        Ok(change.put_library(&library)?)
                    });
                }
            });
        }
    });
    let Whole { library, entries, .. } = whole(store);
    assert_eq!(library.unwrap().next_id, THREADS * CHANGES + 1);
    assert_eq!(entries.len() as u64, THREADS * CHANGES);
}
