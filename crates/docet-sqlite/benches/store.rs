//! What the store costs: opening it, loading a library of 500, searching it, one small change.
//!
//! `cargo bench -p docet-sqlite`

#![allow(clippy::unwrap_used, missing_docs, reason = "a bench")]

use std::hint::black_box;

use criterion::{BatchSize, Criterion, criterion_group, criterion_main};
use docet_conformance::{Random, ended_session, experience, library, unit_vector};
use docet_core::library::LibraryName;
use docet_core::ports::{Snapshot, Store, Transaction};
use docet_core::retrieval::{DomainChoice, Search};
use docet_sqlite::SqliteStore;

const ENTRIES: u64 = 500;

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

criterion_group!(store, benches);
criterion_main!(store);
