//! What the store costs: opening it, loading a library of 500, searching it, one small change; the same with a long
//! history behind it, and what that history weighs.
//!
//! `cargo bench -p docet-sqlite`

#![allow(clippy::unwrap_used, missing_docs, reason = "a bench")]

use std::hint::black_box;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use docet_conformance::{Random, came, ended_session, experience, library, revision, unit_vector};
use docet_core::experience::Experience;
use docet_core::history::{Change, Record, Revision, RevisionQuery};
use docet_core::library::{Library, LibraryName};
use docet_core::ports::{Snapshot, Store, Transaction};
use docet_core::retrieval::{DomainChoice, Search};
use docet_core::text::FreeText;
use docet_sqlite::SqliteStore;

const ENTRIES: u64 = 500;
const HISTORY: u64 = 100_000;

fn benches(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("docet.db");
    let name = LibraryName::default();
    let store = SqliteStore::open(&path).unwrap();
    let fill = &mut |change: &mut dyn Transaction| {
        change.put_library(&library())?;
        Ok((1..=ENTRIES).try_for_each(|id| change.put_experience(&experience(id)))?)
    };
    store.write(&name, fill).unwrap();

    let look = |store: &SqliteStore, look: &dyn Fn(&dyn Snapshot)| {
        let mut looked = |snapshot: &dyn Snapshot| {
            look(snapshot);
            Ok(())
        };
        store.read(&name, &mut looked).unwrap();
    };
    criterion.bench_function("load 500", |bencher| {
        bencher.iter(|| look(&store, &|snapshot| drop(black_box(snapshot.experiences().unwrap()))));
    });
    let search = Search {
        query: unit_vector(&mut Random::new(1)),
        top_k: 5,
        confidence_weight: 0.2,
        min_score: None,
        domains: DomainChoice::All,
        given: Vec::new(),
    };
    criterion.bench_function("search 500", |bencher| {
        bencher.iter(|| look(&store, &|snapshot| drop(black_box(snapshot.search(&search).unwrap()))));
    });
    let mut id = ENTRIES;
    criterion.bench_function("add one", |bencher| {
        bencher.iter(|| {
            id += 1;
            store.write(&name, &mut |change| Ok(change.put_experience(&experience(id))?)).unwrap();
        });
    });
    let mut epoch = 0;
    criterion.bench_function("end a session", |bencher| {
        bencher.iter(|| {
            epoch += 1;
            store.write(&name, &mut |change| Ok(change.put_session(&ended_session(epoch, None, Some(1.0)))?)).unwrap();
        });
    });
    drop(store);
    with_history(criterion, &name);
    criterion.bench_function("open", |bencher| bencher.iter(|| SqliteStore::open(&path).unwrap()));
    criterion
        .bench_function("open for reading", |bencher| bencher.iter(|| SqliteStore::open_read_only(&path).unwrap()));
    criterion.bench_function("make", |bencher| {
        let folder = || tempfile::tempdir().unwrap();
        bencher.iter_batched_ref(
            folder,
            |folder| SqliteStore::open(&folder.path().join("s.db")).unwrap(),
            BatchSize::PerIteration,
        );
    });
}

/// One change of the history: entry after entry changes its usage, as at the end of a session.
struct Changes {
    entries: Vec<Experience>,
    revision: u64,
}

impl Changes {
    fn next(&mut self) -> (Experience, Revision) {
        self.revision += 1;
        let at = (self.revision % ENTRIES) as usize;
        let before = Some(Record::from(&self.entries[at]));
        self.entries[at].usage_count += 1;
        let entry = self.entries[at].clone();
        let change = Change { id: entry.id, before, after: Some(Record::from(&entry)) };
        (entry, revision(self.revision, vec![change]))
    }
}

fn update_one(criterion: &mut Criterion, store: &SqliteStore, name: &LibraryName, changes: &mut Changes, with: &str) {
    let mut epoch = 0;
    criterion.bench_function(&format!("commit alone, {with}"), |bencher| {
        bencher.iter(|| {
            // Something else each time, since SQLite writes nothing where nothing differs.
            epoch += 1;
            let library = Library { epoch, ..library() };
            store.write(name, &mut |change| Ok(change.put_library(&library)?)).unwrap();
        });
    });
    criterion.bench_function(&format!("update one, {with}"), |bencher| {
        bencher.iter(|| {
            let (entry, revision) = changes.next();
            let change = &mut |change: &mut dyn Transaction| {
                let library = Library { revision: revision.number, ..change.library()?.unwrap() };
                black_box((change.traces()?, change.experiences()?));
                change.put_experience(&entry)?;
                change.put_revision(&revision)?;
                Ok(change.put_library(&library)?)
            };
            store.write(name, change).unwrap();
        });
    });
}

#[allow(clippy::print_stderr, reason = "what a bench measures is for people")]
fn with_history(criterion: &mut Criterion, name: &LibraryName) {
    let folder = tempfile::tempdir().unwrap();
    let store = SqliteStore::open(&folder.path().join("docet.db")).unwrap();
    let fill = &mut |change: &mut dyn Transaction| {
        change.put_library(&library())?;
        let came = (1..=ENTRIES).map(came).collect();
        (1..=ENTRIES).try_for_each(|id| change.put_experience(&experience(id)))?;
        Ok(change.put_revision(&revision(1, came))?)
    };
    store.write(name, fill).unwrap();
    let size = || {
        store.mend().unwrap();
        store.path().metadata().unwrap().len()
    };
    let mut changes = Changes { entries: (1..=ENTRIES).map(experience).collect(), revision: 1 };
    update_one(criterion, &store, name, &mut changes, "no history");
    let before = size();
    let fill =
        &mut |change: &mut dyn Transaction| Ok((1..HISTORY).try_for_each(|_| change.put_revision(&changes.next().1))?);
    store.write(name, fill).unwrap();
    eprintln!("history: {} bytes a changed entry", (size() - before) / (HISTORY - 1));

    update_one(criterion, &store, name, &mut changes, "100,000 revisions behind it");
    let mut look = |of: &str, look: &dyn Fn(&dyn Snapshot)| {
        criterion.bench_function(&format!("{of}, 100,000 revisions behind it"), |bencher| {
            bencher.iter(|| {
                let look = &mut |snapshot: &dyn Snapshot| {
                    look(snapshot);
                    Ok(())
                };
                store.read(name, look).unwrap();
            });
        });
    };
    let by = |actor: &str| Some(FreeText::parse("actor", actor).unwrap());
    let newest = RevisionQuery { limit: 50, ..RevisionQuery::default() };
    look("load", &|snapshot| drop(black_box(snapshot.experiences().unwrap())));
    look("traces", &|snapshot| {
        black_box(snapshot.traces().unwrap());
    });
    look("history of all", &|snapshot| drop(black_box(snapshot.revisions(&newest).unwrap())));
    let of_one = RevisionQuery { id: Some(7), ..newest.clone() };
    look("history of one", &|snapshot| drop(black_box(snapshot.revisions(&of_one).unwrap())));
    let of_nobody = RevisionQuery { actor: by("nobody"), ..newest.clone() };
    look("history of an actor", &|snapshot| drop(black_box(snapshot.revisions(&of_nobody).unwrap())));
    look("changed after", &|snapshot| drop(black_box(snapshot.changed_after(HISTORY - 1_000, 7).unwrap())));
    look("archive", &|snapshot| drop(black_box(snapshot.archived(None).unwrap())));
}

criterion_group!(store, benches);
criterion_main!(store);
