//! A process that is killed in the middle of its writing.

use std::io::{BufRead, BufReader};
use std::thread;
use std::time::Duration;

use docet_conformance::Random;
use docet_core::experience::Experience;
use docet_core::history::RevisionQuery;
use docet_core::library::LibraryName;
use docet_core::ports::Store;
use docet_sqlite::SqliteStore;

use crate::child;
use crate::folder::path_in;

const KILLS: u64 = 25;

#[test]
fn what_was_acknowledged_is_there_after_a_kill_and_nothing_by_half() {
    let folder = tempfile::tempdir().unwrap();
    let path = path_in(&folder);
    let mut random = Random::new(1);
    let mut before = 0;
    for _ in 0..KILLS {
        let mut writer = child::command("write on and on", &path).spawn().unwrap();
        let output = BufReader::new(writer.stdout.take().unwrap());
        let acknowledged = thread::scope(|scope| {
            let reader = scope.spawn(|| {
                let lines = output.lines().map_while(Result::ok);
                lines.filter_map(|line| child::answer(&line).and_then(|id| id.parse().ok())).last()
            });
            thread::sleep(Duration::from_micros(random.below(60_000) as u64));
            // SIGKILL: nothing of the writer's runs after it.
            writer.kill().unwrap();
            writer.wait().unwrap();
            reader.join().unwrap().unwrap_or(before)
        });

        let store = SqliteStore::open(&path).unwrap();
        let stored = stored(&store);
        assert!((acknowledged..=acknowledged + 1).contains(&stored), "{stored} of {acknowledged} acknowledged");
        before = stored;
    }
    assert!(before > KILLS, "{before} entries in all: the writer was killed before it could write");
}

/// How many entries are there, each whole and with all that belongs to it.
fn stored(store: &dyn Store) -> u64 {
    let mut stored = 0;
    store
        .read(&LibraryName::default(), &mut |snapshot| {
            stored = snapshot.library()?.map_or(0, |library| library.next_id - 1);
            let expected: Vec<Experience> = (1..=stored).map(docet_conformance::experience).collect();
            assert_eq!(snapshot.experiences()?, expected);
            assert_eq!(snapshot.sessions(None, usize::MAX)?.len() as u64, stored);
            assert_eq!(snapshot.rewards(None, usize::MAX)?.len() as u64, stored);
            let revisions = snapshot.revisions(&RevisionQuery::default())?;
            assert!(revisions.iter().rev().map(|revision| revision.number).eq(1..=stored));
            Ok(())
        })
        .unwrap();
    stored
}
