use docet_core::error::Code;
use docet_core::memory::{Begin, Candidate, End, Import, Init, Lessons, LibraryFile, Recall};
use docet_core::operation::Operation;
use docet_core::session::{Outcome, SessionId};

use super::{Make, World};

fn candidate(line: usize, text: &str) -> Candidate {
    Candidate { line, text: text.to_owned(), ..Candidate::default() }
}

fn exported(world: &World) -> LibraryFile {
    world.memory.export(&world.library).unwrap()
}

/// Ids, next id, epoch, settings, evidence and times; into a library that has held an entry only on demand.
pub fn a_library_comes_back_as_it_was_exported(make: Make<'_>) {
    let world = World::with(make(), &[("capacity", "7"), ("tie", "not_improved")]);
    world.update(["Read first.", "Run first.", "Ask first."].map(Operation::add).to_vec());
    let session = SessionId("s".to_owned());
    let begin = Begin { recall: Recall::of("read"), ..Begin::default() };
    world.memory.begin(&world.library, &begin, &session, &world.call()).unwrap();
    let outcome = Outcome { reward: Some(1.0), baseline: Some(0.0), ..Outcome::default() };
    world.memory.end(&session, None, &End { outcome, ..End::default() }, &world.call()).unwrap();
    world.update(vec![Operation::Delete { id: 2 }]);
    let file = exported(&world);

    let other = world.other();
    world.memory.init(&other, &Init::default(), &world.call()).unwrap();
    let import = Import::of(Lessons::Library(Box::new(file.clone())));
    let report = world.memory.import(&other, &import, &world.call()).unwrap();
    assert_eq!((report.imported, report.size, report.revision), (2, 2, 1));
    assert_eq!(world.memory.export(&other).unwrap(), file);

    let refused = world.memory.import(&other, &import, &world.call()).unwrap_err();
    assert_eq!(refused.code(), Code::LibraryExists);
    world
        .memory
        .update(&other, &docet_core::memory::Update::of(vec![Operation::Delete { id: 1 }]), &world.call())
        .unwrap();
    let merged = world.memory.import(&other, &Import { merge: true, ..import }, &world.call()).unwrap();
    assert_eq!((merged.imported, merged.equal.len(), merged.size), (1, 1, 2));
    assert_eq!(world.memory.export(&other).unwrap().entries[1].id, 4);
}

/// In the library and within the file, in their domain.
pub fn equal_lessons_become_one_with_the_larger_counts(make: Make<'_>) {
    let world = World::new(make());
    world.add("Read first.");
    let lines = vec![
        Candidate { successes: 4, usage_count: 5, confidence: Some(0.7), ..candidate(1, "Run first.") },
        Candidate { successes: 2, usage_count: 2, ..candidate(2, " Read  first. ") },
        Candidate { failures: 3, usage_count: 3, ..candidate(3, "Run first.") },
        Candidate { domain: Some("web".to_owned()), ..candidate(4, "Run first.") },
        candidate(
            5,
            "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen \
            seventeen eighteen nineteen twenty 21 22 23 24 25 26 27 28 29 30 31 32 33",
        ),
        Candidate { domain: Some("no domain".to_owned()), ..candidate(6, "Stop first.") },
    ];
    let import = Import::of(Lessons::Candidates(lines));
    let dry = Import { dry_run: true, ..import.clone() };
    let dry = world.memory.import(&world.library, &dry, &world.call()).unwrap();
    let report = world.memory.import(&world.library, &import, &world.call()).unwrap();
    assert_eq!((dry.imported, dry.size, dry.revision, dry.dry_run), (2, 3, 1, true));
    let equal: Vec<_> = report.equal.iter().map(|equal| (equal.line, equal.id)).collect();
    assert_eq!((report.imported, report.revision, equal), (2, 2, vec![(2, 1), (3, 2)]));
    let refused: Vec<_> = report.refused.iter().map(|line| (line.line, line.code)).collect();
    assert_eq!(refused, [(5, Code::TooManyWords), (6, Code::BadDomain)]);
    let entries = world.state().entries;
    let counts: Vec<_> =
        entries.iter().map(|entry| (entry.id, entry.usage_count, entry.successes, entry.failures)).collect();
    assert_eq!(counts, [(1, 2, 2, 0), (2, 5, 4, 3), (3, 0, 0, 0)]);
    assert_eq!(entries[1].confidence.get(), 0.7);
    let shortened = Import { shorten: true, ..import };
    let report = world.memory.import(&world.library, &shortened, &world.call()).unwrap();
    assert_eq!((report.imported, report.shortened[0].line, report.shortened[0].id), (1, 5, 4));
}

/// Unless others may leave; then what was brought in stays.
pub fn an_import_beyond_the_capacity_is_refused_with_the_number(make: Make<'_>) {
    let world = World::with(make(), &[("capacity", "3")]);
    world.update(["Read first.", "Run first."].map(Operation::add).to_vec());
    let lines = ["Ask first.", "Stop first."].into_iter().zip(1..).map(|(text, line)| candidate(line, text)).collect();
    let import = Import::of(Lessons::Candidates(lines));
    let before = world.state();
    let refused = world.memory.import(&world.library, &import, &world.call()).unwrap_err();
    assert!(refused.code() == Code::OverCapacity && refused.to_string().contains("4 entries"), "{refused}");
    assert_eq!(world.state(), before);
    let report = world.memory.import(&world.library, &Import { evict: true, ..import }, &world.call()).unwrap();
    assert_eq!((report.imported, report.size, report.evicted.len()), (2, 3, 1));
    assert!(report.evicted[0].id <= 2);
}
