//! Several threads and processes on one file.

use std::thread;
use std::time::Duration;

use docet_core::error::{Code, Error};
use docet_core::library::LibraryName;
use docet_core::ports::{Store, StoreError, Transaction};
use docet_sqlite::SqliteStore;
use rusqlite::Connection;

use crate::child;
use crate::folder::{Temporary, fill, filled, path_in, size};

fn put(id: u64) -> impl FnMut(&mut dyn Transaction) -> Result<(), Error> {
    move |change| Ok(change.put_experience(&docet_conformance::experience(id))?)
}

#[test]
fn a_reader_does_not_wait_for_a_writer() {
    let store = Temporary::new();
    fill(&store);
    let change = &mut |change: &mut dyn Transaction| {
        put(4)(change)?;
        let read = thread::scope(|scope| scope.spawn(|| size(&store)).join().unwrap());
        assert_eq!((read, size(&store), store.libraries()?[0].size), (3, 3, 3));
        Ok(())
    };
    store.write(&LibraryName::default(), change).unwrap();
    assert_eq!(size(&store), 4);
}

#[test]
fn a_writer_that_waited_too_long_says_how_to_find_who_holds_the_store() {
    let folder = tempfile::tempdir().unwrap();
    let path = filled(&folder);
    let store = SqliteStore::open(&path).unwrap().with_time_out(Duration::from_millis(50)).unwrap();
    let holder = Connection::open(&path).unwrap();
    holder.execute_batch("BEGIN IMMEDIATE").unwrap();

    let error = store.write(&LibraryName::default(), &mut put(4)).unwrap_err();
    assert_eq!(error.code(), Code::StoreBusy);
    assert!(error.to_string().contains(&format!("`fuser {}`", path.display())), "{error}");
    assert_eq!(size(&store), 3);

    holder.execute_batch("ROLLBACK").unwrap();
    store.write(&LibraryName::default(), &mut put(4)).unwrap();
    assert_eq!(size(&store), 4);
}

#[test]
fn no_change_is_lost_between_stores_on_one_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = filled(&folder);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let store = SqliteStore::open(&path).unwrap();
                for _ in 0..20 {
                    let add = &mut |change: &mut dyn Transaction| {
                        let mut library = change.library()?.unwrap();
                        put(library.next_id)(change)?;
                        library.next_id += 1;
                        Ok(change.put_library(&library)?)
                    };
                    store.write(&LibraryName::default(), add).unwrap();
                }
            });
        }
    });
    assert_eq!(size(&SqliteStore::open(&path).unwrap()), 83);
}

#[test]
fn many_may_make_the_store_at_the_same_moment() {
    for round in 0..20 {
        let folder = tempfile::tempdir().unwrap();
        let path = path_in(&folder);
        let children: Vec<_> = (0..4).map(|_| child::command("create", &path).spawn().unwrap()).collect();
        let makers = || SqliteStore::open(&path).and_then(|store| store.libraries());
        let made: Vec<Result<_, StoreError>> = thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(makers)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        for outcome in made {
            assert_eq!(outcome.unwrap(), [], "round {round}");
        }
        for child in children {
            let output = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
            assert_eq!(output.lines().find_map(child::answer), Some("0"), "round {round}: {output}");
        }
    }
}

/// Commits of `processes` in two seconds, and the longest wait in milliseconds.
fn rate(processes: usize) -> (u64, u64) {
    let folder = tempfile::tempdir().unwrap();
    let path = filled(&folder);
    let children: Vec<_> =
        (0..processes).map(|_| child::command("write for a while", &path).spawn().unwrap()).collect();
    let outcomes = children.into_iter().map(|child| {
        let output = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
        let answer = output.lines().find_map(child::answer).expect("a writer failed").to_owned();
        let (commits, longest) = answer.split_once(' ').unwrap();
        (commits.parse::<u64>().unwrap(), longest.parse::<u64>().unwrap())
    });
    outcomes.fold((0, 0), |(commits, longest), outcome| (commits + outcome.0, longest.max(outcome.1)))
}

#[test]
#[ignore = "a measurement; other work on the machine disturbs it"]
fn eight_processes_write_about_as_much_as_one() {
    let (one, eight) = (rate(1), rate(8));
    eprintln!("commits in 2 s and longest wait in ms: one process {one:?}, eight {eight:?}");
    assert!(eight.0 * 10 >= one.0 * 6, "{one:?} {eight:?}");
}
