//! Stores of earlier schemas. `tests/fixtures/schema-1.db` was written by the last Docet that had no history: three
//! libraries, one with sessions of every state, rewards, a pinned entry and one that left, one with other settings, one
//! empty.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use docet_conformance::{Random, name, revision};
use docet_core::experience::Experience;
use docet_core::history::{Change, Record, RevisionQuery};
use docet_core::library::LibraryName;
use docet_core::ports::{Snapshot, Store, StoreError, Traces};
use docet_core::session::SessionState;
use docet_sqlite::SqliteStore;
use rusqlite::{Connection, OpenFlags};
use tempfile::TempDir;

use crate::child;
use crate::folder::{meddle, names, path_in, size};

const FIXTURE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/schema-1.db");

/// The fixture's file and everything that the schema of its day shows of it.
fn old(folder: &TempDir) -> PathBuf {
    let path = path_in(folder);
    fs::copy(FIXTURE, &path).unwrap();
    path
}

fn copy_of(path: &Path, ending: &str) -> PathBuf {
    PathBuf::from(format!("{}.schema-1{ending}", path.display()))
}

/// Every row of every table of schema 1.
fn dump(path: &Path) -> Vec<String> {
    let file = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY).unwrap();
    let mut rows = Vec::new();
    for table in ["libraries", "experiences", "sessions", "receipts", "rewards", "lessons", "session_log"] {
        let mut statement = file.prepare(&format!("SELECT * FROM {table} ORDER BY 1, 2")).unwrap();
        let columns = statement.column_count();
        let row = |row: &rusqlite::Row<'_>| {
            Ok((0..columns).map(|column| format!("{:?} ", row.get_ref(column).unwrap())).collect::<String>())
        };
        rows.extend(statement.query_map((), row).unwrap().map(|row| format!("{table}: {}", row.unwrap())));
    }
    rows
}

fn version(path: &Path) -> i64 {
    Connection::open(path).unwrap().pragma_query_value(None, "user_version", |row| row.get(0)).unwrap()
}

fn look(store: &SqliteStore, library: &LibraryName, look: impl Fn(&dyn Snapshot) -> Result<(), StoreError>) {
    store.read(library, &mut |snapshot| Ok(look(snapshot)?)).unwrap();
}

#[test]
fn a_store_without_history_keeps_everything_and_a_copy_of_it_is_made() {
    let folder = tempfile::tempdir().unwrap();
    let path = old(&folder);
    let before = dump(&path);
    let store = SqliteStore::open_existing(&path).unwrap();
    let sizes = store.libraries().unwrap().into_iter().map(|library| (library.name.to_string(), library.size));
    assert_eq!(
        sizes.collect::<Vec<_>>(),
        [("default".to_owned(), 6), ("empty".to_owned(), 0), ("team.a".to_owned(), 2)]
    );
    assert_eq!(dump(&path), before);
    assert_eq!(store.examine().unwrap(), []);
    look(&store, &LibraryName::default(), |snapshot| {
        let library = snapshot.library()?.unwrap();
        assert_eq!((library.settings.capacity, library.settings.min_score), (50, Some(0.1)));
        assert_eq!(snapshot.traces()?, Traces { id: 9, epoch: 4, revision: 0 });
        let sessions = snapshot.sessions(None, 10)?;
        let state = |state| sessions.iter().filter(|session| session.state(sessions[0].begun_at) == state).count();
        assert_eq!((state(SessionState::Open), state(SessionState::Ended)), (1, 3));
        assert_eq!(sessions.iter().filter_map(|session| session.end.as_ref()?.report.reward).sum::<f64>(), 1.1);
        let group = sessions[3].group.clone();
        assert_eq!(snapshot.rewards(group.as_ref(), 10)?, [0.2, 0.9]);

        assert_eq!(snapshot.revisions(&RevisionQuery::default())?, []);
        assert_eq!((snapshot.archived(None)?, snapshot.changed_after(0, 3)?), (vec![], vec![]));
        Ok(())
    });
    drop(store);

    let copy = copy_of(&path, "");
    assert_eq!(names(folder.path()), ["docet.db", "docet.db.schema-1"]);
    assert_eq!((version(&copy), version(&path)), (1, 2));
    assert_eq!(dump(&copy), before);
    // It is a store like any other, and is brought up to date where somebody opens it.
    assert_eq!(size(&SqliteStore::open_existing(&copy).unwrap()), 6);
}

#[test]
fn the_first_change_after_a_migration_knows_what_was_before() {
    let folder = tempfile::tempdir().unwrap();
    let path = old(&folder);
    let store = SqliteStore::open(&path).unwrap();
    let mut made = Vec::new();
    let change = |entry: &Experience| {
        let after = Record { pinned: !entry.pinned, ..Record::from(entry) };
        Change { id: entry.id, before: Some(Record::from(entry)), after: (entry.id != 3).then_some(after) }
    };
    store
        .write(&LibraryName::default(), &mut |transaction| {
            let entries = transaction.experiences()?;
            made = vec![revision(14, entries.iter().map(change).collect())];
            Ok(transaction.put_revision(&made[0])?)
        })
        .unwrap();
    look(&store, &LibraryName::default(), |snapshot| {
        assert_eq!(made[0].changes.len(), 6);
        assert_eq!(snapshot.revisions(&RevisionQuery::default())?, made);
        assert_eq!(snapshot.revisions(&RevisionQuery { id: Some(8), ..RevisionQuery::default() })?, made);
        assert_eq!((snapshot.changed_after(0, 8)?, snapshot.changed_after(14, 8)?), (vec![14], vec![]));
        let archived = snapshot.archived(None)?;
        assert_eq!(
            archived.iter().map(|left| &left.record).collect::<Vec<_>>(),
            [made[0].changes[0].before.as_ref().unwrap()]
        );
        assert_eq!(snapshot.traces()?.revision, 14);
        Ok(())
    });
    look(&store, &name("team.a"), |snapshot| {
        assert_eq!(snapshot.revisions(&RevisionQuery::default())?, []);
        Ok(())
    });
}

#[test]
fn a_copy_never_takes_the_place_of_another_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = old(&folder);
    fs::write(copy_of(&path, ""), "mine").unwrap();
    fs::write(copy_of(&path, "-2"), "mine too").unwrap();
    // As a killed migration leaves it.
    fs::write(copy_of(&path, ".partial"), "half of it").unwrap();
    SqliteStore::open(&path).unwrap();
    assert_eq!(names(folder.path()), ["docet.db", "docet.db.schema-1", "docet.db.schema-1-2", "docet.db.schema-1-3"]);
    assert_eq!(fs::read(copy_of(&path, "")).unwrap(), b"mine");
    assert_eq!(fs::read(copy_of(&path, "-2")).unwrap(), b"mine too");
    assert_eq!(version(&copy_of(&path, "-3")), 1);
}

#[test]
fn reading_migrates_too() {
    let folder = tempfile::tempdir().unwrap();
    let path = old(&folder);
    let store = SqliteStore::open_read_only(&path).unwrap();
    assert_eq!(size(&store), 6);
    assert!(store.write(&LibraryName::default(), &mut |change| Ok(change.remove_experience(3)?)).is_err());
    assert!(copy_of(&path, "").exists());
}

#[test]
fn a_migration_that_fails_leaves_the_store_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = old(&folder);
    // A step of the migration finds its name taken.
    meddle(&path, "CREATE TABLE versions (text)");
    let before = dump(&path);
    for open in [SqliteStore::open, SqliteStore::open_existing, SqliteStore::open_read_only] {
        let error = open(&path).unwrap_err();
        assert!(matches!(error, StoreError::Damaged(_)), "{error}");
        assert_eq!((version(&path), dump(&path)), (1, before.clone()));
        assert_eq!(names(folder.path()).iter().filter(|name| name.contains("schema")).count(), 0);
    }
}

#[test]
fn many_may_migrate_at_the_same_moment() {
    for round in 0..10 {
        let folder = tempfile::tempdir().unwrap();
        let path = old(&folder);
        let children: Vec<_> =
            ["create", "count", "create", "count"].map(|task| child::command(task, &path).spawn().unwrap()).into();
        let opened = || SqliteStore::open_read_only(&path).map(|store| size(&store));
        let opened: Vec<Result<usize, StoreError>> = thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(opened)).collect();
            threads.into_iter().map(|thread| thread.join().unwrap()).collect()
        });
        for outcome in opened {
            assert_eq!(outcome.unwrap(), 6, "round {round}");
        }
        for child in children {
            let output = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
            assert!(matches!(output.lines().find_map(child::answer), Some("3" | "6")), "round {round}: {output}");
        }
        let copies: Vec<String> = names(folder.path()).into_iter().filter(|name| name.contains("schema")).collect();
        assert_eq!(copies, ["docet.db.schema-1"], "round {round}");
    }
}

#[test]
fn a_kill_in_the_middle_leaves_the_old_store_or_the_new_one() {
    let before = {
        let folder = tempfile::tempdir().unwrap();
        dump(&old(&folder))
    };
    let mut random = Random::new(3);
    let mut migrated = 0;
    const KILLS: usize = 40;
    for _ in 0..KILLS {
        let folder = tempfile::tempdir().unwrap();
        let path = old(&folder);
        let mut child = child::command("create", &path).spawn().unwrap();
        thread::sleep(Duration::from_micros(2_000 + random.below(14_000) as u64));
        child.kill().unwrap();
        child.wait().unwrap();

        let left = names(folder.path());
        let is_migrated = version(&path) == 2;
        migrated += usize::from(is_migrated);
        assert!(!is_migrated || left.contains(&"docet.db.schema-1".to_owned()), "{left:?}");
        let store = SqliteStore::open(&path).unwrap();
        assert_eq!((store.examine().unwrap(), dump(&path)), (vec![], before.clone()));
        drop(store);
        for copy in names(folder.path()).iter().filter(|name| name.contains("schema")) {
            let copy = folder.path().join(copy);
            assert_eq!((version(&copy), dump(&copy)), (1, before.clone()), "{copy:?}");
        }
    }
    eprintln!("{migrated} of {KILLS} were killed after their migration");
}
