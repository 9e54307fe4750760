use docet_core::confidence::Confidence;
use docet_core::embedding::{DIMENSION, Embedding};
use docet_core::experience::{Domain, Experience, Timestamp};
use docet_core::ports::Store;
use docet_core::text::{ExperienceText, FreeText};

use super::{read, write};
use crate::random::Random;
use crate::sample::{experience, library, unit_vector};

fn put(store: &dyn Store, entries: &[Experience]) {
    write(store, |change| {
        change.put_library(&library())?;
        Ok(entries.iter().try_for_each(|entry| change.put_experience(entry))?)
    });
}

fn bits(embedding: &Embedding) -> Vec<u32> {
    embedding.as_slice().iter().map(|value| value.to_bits()).collect()
}

fn with_text(id: u64, text: &str) -> Experience {
    Experience { text: ExperienceText::parse(text).unwrap(), ..experience(id) }
}

/// The edges of every field: no bit of a number and no character of a text is lost.
pub fn entries_come_back_bit_for_bit(store: &dyn Store) {
    let largest = (1_u64 << 53) - 1;
    let mut axis = [0.0; DIMENSION];
    (axis[0], axis[1], axis[2], axis[383]) = (-1.0, -0.0, f32::from_bits(1), f32::MIN_POSITIVE);
    let confidence = |value| Confidence::parse(value).unwrap();
    let source = |text: &str| Some(FreeText::parse("source", text).unwrap());
    let mut entries = vec![
        Experience {
            usage_count: largest,
            epoch: largest,
            successes: largest,
            failures: largest,
            last_improved: Some(largest),
            created_at: Timestamp(i64::MAX),
            updated_at: Timestamp(i64::MIN),
            confidence: confidence(5e-324),
            domain: Domain::parse(&"x".repeat(64)).unwrap(),
            ..experience(largest)
        },
        Experience {
            usage_count: 0,
            epoch: 0,
            successes: 0,
            failures: 0,
            last_improved: None,
            source: None,
            created_at: Timestamp(0),
            updated_at: Timestamp(-1),
            confidence: confidence(1.0 - f64::EPSILON / 2.0),
            embedding: Embedding::new(&axis).unwrap(),
            ..experience(1)
        },
        Experience { last_improved: Some(0), confidence: confidence(0.1 + 0.2), ..experience(2) },
        Experience { source: source("  kept as it came, e\u{301} and \u{1f468}\u{200d}\u{1f469} "), ..experience(3) },
        with_text(
            4,
            "caf\u{e9} \u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467} \u{645}\u{6cc}\u{200c}\u{62e}\u{648}\u{627}",
        ),
        with_text(5, "\u{8bf7}\u{5148}\u{8fd0}\u{884c}\u{6d4b}\u{8bd5}\u{3002}"),
        with_text(6, "'; DROP TABLE experiences; -- \" \\ %s {} ?1 :a @b $c"),
        with_text(7, "null"),
        with_text(8, "1e3"),
        with_text(9, &"x".repeat(1_000)),
    ];
    let mut random = Random::new(7);
    entries.extend((10..40).map(|id| Experience { embedding: unit_vector(&mut random), ..experience(id) }));
    put(store, &entries);

    for expected in &entries {
        let found = read(store, |snapshot| Ok(snapshot.experience(expected.id)?)).unwrap();
        assert_eq!(found, *expected);
        assert_eq!(bits(&found.embedding), bits(&expected.embedding), "{}", expected.id);
        assert_eq!(found.confidence.get().to_bits(), expected.confidence.get().to_bits(), "{}", expected.id);
    }
    entries.sort_by_key(|entry| entry.id);
    assert_eq!(read(store, |snapshot| Ok(snapshot.experiences()?)), entries);
}

/// By number, in whatever order they came.
pub fn entries_come_by_id(store: &dyn Store) {
    put(store, &[10, 9, 100, 1, 2].map(experience));
    assert_eq!(read(store, |snapshot| Ok(snapshot.experiences()?)), [1, 2, 9, 10, 100].map(experience));
    for absent in [0, 3, 101, (1 << 53) - 1, u64::MAX] {
        assert_eq!(read(store, |snapshot| Ok(snapshot.experience(absent)?)), None, "{absent}");
    }
}

/// Nothing of the former state stays, a source that is gone included.
pub fn an_entry_is_replaced_as_a_whole(store: &dyn Store) {
    let replaced = Experience { id: 1, source: None, last_improved: None, ..experience(2) };
    put(store, &[1, 3].map(experience));
    put(store, std::slice::from_ref(&replaced));
    assert_eq!(read(store, |snapshot| Ok(snapshot.experiences()?)), [replaced, experience(3)]);
}

/// Removing what is not there is no error; an id may be put again.
pub fn a_removed_entry_is_gone(store: &dyn Store) {
    put(store, &[1, 2, 3].map(experience));
    write(store, |change| Ok([2, 2, 9, u64::MAX].iter().try_for_each(|id| change.remove_experience(*id))?));
    assert_eq!(read(store, |snapshot| Ok(snapshot.experiences()?)), [1, 3].map(experience));
    assert_eq!(store.libraries().unwrap()[0].size, 2);
    put(store, &[experience(2)]);
    assert_eq!(read(store, |snapshot| Ok(snapshot.experiences()?)), [1, 2, 3].map(experience));
}
