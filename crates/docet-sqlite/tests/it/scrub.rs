//! Erased texts stand nowhere any more: not in the file, not in its log, not in free pages.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::Duration;

use docet_conformance::{experience, revision};
use docet_core::experience::Experience;
use docet_core::history::{Change, Record};
use docet_core::library::{Library, LibraryName};
use docet_core::ports::{Store, StoreError};
use docet_core::settings::Settings;
use docet_core::text::ExperienceText;
use docet_sqlite::SqliteStore;
use rusqlite::Connection;

use crate::folder::{filled, names, path_in};

const SECRET: &str = "xyzzy";
const ENTRIES: u64 = 60;

fn secret(id: u64) -> Experience {
    // One that fills a page and more, some that share one.
    let text = if id == 7 { SECRET.repeat(190) } else { format!("the word of entry {id} is {SECRET}") };
    Experience { text: ExperienceText::parse(&text).unwrap(), ..experience(id) }
}

/// Entries that say the secret, are changed or removed again, and are erased; the store and how often it says it.
fn erased(path: &Path) -> SqliteStore {
    let store = SqliteStore::open(path).unwrap();
    let library = Library { next_id: ENTRIES + 1, revision: 2, ..Library::new(Settings::default()) };
    let write = |number, change: &dyn Fn(u64) -> (Option<Experience>, Change)| {
        store
            .write(&LibraryName::default(), &mut |transaction| {
                let changes: Vec<_> = (1..=ENTRIES).map(change).collect();
                for (entry, change) in &changes {
                    match entry {
                        Some(entry) => transaction.put_experience(entry)?,
                        None => transaction.remove_experience(change.id)?,
                    }
                }
                transaction.put_library(&Library { revision: number, ..library.clone() })?;
                let changes = changes.into_iter().map(|(_, change)| change).collect();
                Ok(transaction.put_revision(&revision(number, changes))?)
            })
            .unwrap();
    };
    write(1, &|id| {
        let after = Some(Record::from(&secret(id)));
        (Some(secret(id)), Change { id, before: None, after })
    });
    write(2, &|id| {
        let (before, now) = (Some(Record::from(&secret(id))), (id % 3 != 0).then(|| experience(id)));
        let after = now.as_ref().map(Record::from);
        (now, Change { id, before, after })
    });
    assert!(said(path) > 100, "{}", said(path));
    store
        .write(&LibraryName::default(), &mut |transaction| {
            let kept: BTreeSet<String> =
                transaction.experiences()?.iter().map(|entry| entry.text.to_string()).collect();
            Ok(transaction.erase_records(&kept)?)
        })
        .unwrap();
    store
}

/// How often the secret stands in the bytes of the store's files.
fn said(path: &Path) -> usize {
    let files = [path.to_owned(), path.with_extension("db-wal"), path.with_extension("db-shm")];
    let bytes: Vec<u8> = files.iter().filter_map(|file| fs::read(file).ok()).flatten().collect();
    bytes.windows(SECRET.len()).filter(|window| *window == SECRET.as_bytes()).count()
}

#[test]
fn after_a_scrub_no_byte_of_an_erased_text_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let path = path_in(&folder);
    let store = erased(&path);
    assert!(said(&path) > 0);
    assert_eq!(store.scrub().unwrap(), [""; 0]);
    assert_eq!(said(&path), 0);
    assert_eq!(store.examine().unwrap(), []);
    drop(store);
    assert_eq!((said(&path), names(folder.path())), (0, vec!["docet.db".to_owned()]));
}

#[test]
fn a_scrub_waits_for_readers_and_can_be_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let path = path_in(&folder);
    let store = erased(&path).with_time_out(Duration::from_millis(100)).unwrap();
    let reader = Connection::open(&path).unwrap();
    reader.execute_batch("BEGIN; SELECT count(*) FROM experiences").unwrap();
    let error = store.scrub().unwrap_err();
    assert!(matches!(&error, StoreError::Busy(message) if message.contains("`fuser")), "{error}");
    assert!(said(&path) > 0);
    reader.execute_batch("COMMIT").unwrap();
    store.scrub().unwrap();
    assert_eq!(said(&path), 0);
}

#[test]
fn a_scrub_names_the_copies_that_it_leaves_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = filled(&folder);
    let store = SqliteStore::open(&path).unwrap();
    let beside = |name: &str| folder.path().join(name);
    store.back_up(&beside("monday")).unwrap();
    fs::copy(beside("monday"), beside("docet.db.schema-1-2")).unwrap();
    fs::write(beside("sunday.partial"), "half a copy").unwrap();
    fs::write(beside("notes.txt"), "no store").unwrap();
    fs::write(beside("empty.db"), "").unwrap();
    fs::create_dir(beside("folder.partial")).unwrap();
    Connection::open(beside("other.db")).unwrap().execute_batch("CREATE TABLE t (x)").unwrap();
    let all = names(folder.path());
    let copies = ["docet.db.schema-1-2", "monday", "sunday.partial"].map(|name| beside(name).display().to_string());
    assert_eq!(store.scrub().unwrap(), copies);
    assert_eq!(names(folder.path()), all);
}
