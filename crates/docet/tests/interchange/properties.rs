//! What holds for every source. The body of each property is a plain call, so that a fuzzer can make it too.

use docet::interchange::{Entry, LibraryFile, ReadOptions, splice_into, write_csv, write_markdown};
use docet_core::confidence::Confidence;
use docet_core::experience::{Domain, Timestamp};
use docet_core::settings::{Baseline, Settings};
use docet_core::text::{ExperienceText, FreeText};
use proptest::prelude::*;

use super::hostile::read_as_everything;
use super::writing::jsonl;
use super::{lessons, library, samples};

/// A sample with one piece of it replaced by another text.
fn mutated() -> impl Strategy<Value = String> {
    let pieces = prop_oneof![
        "\\PC{0,8}",
        prop::sample::select(vec![
            "[", "]", "{", "}", "\"", ":", ",", "\n", "\r\n", "\t", "- ", "|", "#", "`", "```", "<!--", "-->", "\\",
            "\0", "&a", "*a", "null", "-1", "1e99", "\u{feff}", "'", "=",
        ])
        .prop_map(str::to_owned),
    ];
    let changes = prop::collection::vec((any::<prop::sample::Index>(), 0..20_usize, pieces), 1..6);
    let all: Vec<&str> = samples::ALL.iter().map(|(_, sample)| *sample).chain([samples::CASS]).collect();
    (prop::sample::select(all), changes).prop_map(|(sample, changes)| {
        let mut text: Vec<char> = sample.chars().collect();
        for (place, length, piece) in changes {
            let begin = place.index(text.len() + 1);
            let end = (begin + length).min(text.len());
            text.splice(begin..end, piece.chars());
        }
        text.into_iter().collect()
    })
}

fn text() -> impl Strategy<Value = ExperienceText> {
    let words = prop_oneof!["\\PC{1,60}", "[-*_`<>\\[\\]()!#|&;\\\\~=+@'\" a-c.0-9:]{1,30}"];
    words.prop_filter_map("no lesson", |raw| ExperienceText::parse(&raw).ok())
}

fn entry() -> impl Strategy<Value = Entry> {
    let counts = (0..1_u64 << 53, 0..1_u64 << 52, 0..1_u64 << 52, prop::option::of(0..1_u64 << 53), any::<bool>());
    let confidence = prop_oneof![0.0..1.0_f64, Just(f64::MIN_POSITIVE), Just(5e-324), Just(1.0 - f64::EPSILON / 2.0)];
    let confidence = confidence.prop_filter_map("at a bound", |value| Confidence::parse(value).ok());
    let domain = "[a-z0-9._/-]{1,64}".prop_map(|label| Domain::parse(&label).unwrap());
    let source =
        prop::option::of("\\PC{1,50}".prop_filter_map("no source", |raw| FreeText::parse("source", &raw).ok()));
    let moments = (-62_135_596_800_000..253_402_207_200_000_i64, -1_000_000..2_000_000_000_000_i64);
    (text(), confidence, domain, source, counts, 0..1_u64 << 53, moments).prop_map(
        |(text, confidence, domain, source, counts, epoch, (created_at, updated_at))| Entry {
            line: 0,
            id: 0,
            text,
            confidence,
            domain,
            usage_count: counts.0,
            epoch,
            successes: counts.1,
            failures: counts.2,
            last_improved: counts.3,
            pinned: counts.4,
            source,
            created_at: Timestamp(created_at),
            updated_at: Timestamp(updated_at),
        },
    )
}

fn entries() -> impl Strategy<Value = Vec<Entry>> {
    prop::collection::vec(entry(), 0..8).prop_map(|mut entries| {
        entries.iter_mut().zip(1..).for_each(|(entry, id)| entry.id = id);
        entries
    })
}

fn settings() -> impl Strategy<Value = Settings> {
    (any::<f64>(), 0.0..1.0_f64, 1e-9..10.0_f64, 0..1_u64 << 53, prop::option::of(-1.0..1.0_f64)).prop_map(
        |(baseline, weight, decay, seed, min_score)| Settings {
            baseline: if baseline.is_finite() { Baseline::Fixed(baseline) } else { Baseline::Running },
            confidence_weight: weight,
            decay_rate: decay,
            seed,
            min_score,
            ..Settings::default()
        },
    )
}

proptest! {
    #[test]
    fn nothing_panics(source in prop::collection::vec(any::<u8>(), 0..200)) {
        read_as_everything(&source);
    }

    #[test]
    fn no_text_panics(source in "(\\PC|[\n\r\t\"'`*_:|#\\[\\]{}<>,&-]){0,200}") {
        read_as_everything(source.as_bytes());
    }

    #[test]
    fn no_changed_sample_panics(source in mutated()) {
        read_as_everything(source.as_bytes());
    }

    #[test]
    fn an_export_comes_back_byte_for_byte(entries in entries(), settings in settings(), epoch in 0..1_u64 << 53) {
        let next_id = entries.len() as u64 + 1;
        let written = jsonl(&LibraryFile { settings, next_id, epoch, entries, refused: Vec::new() });
        let back = library(&written);
        prop_assert!(back.refused.is_empty(), "{:?}", back.refused);
        prop_assert_eq!(jsonl(&back), written);
    }

    #[test]
    fn a_table_comes_back(entries in entries()) {
        let mut written = Vec::new();
        write_csv(&entries, &mut written).unwrap();
        let back = lessons(std::str::from_utf8(&written).unwrap(), &ReadOptions::default());
        prop_assert!(back.refused.is_empty(), "{:?}", back.refused);
        prop_assert_eq!(back.candidates.len(), entries.len());
        for (candidate, entry) in back.candidates.iter().zip(&entries) {
            prop_assert_eq!(&candidate.text, entry.text.as_str());
            prop_assert_eq!(candidate.domain.as_deref(), Some(entry.domain.as_str()));
            prop_assert_eq!(candidate.confidence.map(f64::to_bits), Some(entry.confidence.get().to_bits()));
            let counts = (candidate.successes, candidate.failures, candidate.usage_count, candidate.pinned);
            prop_assert_eq!(counts, (entry.successes, entry.failures, entry.usage_count, entry.pinned));
            prop_assert_eq!(candidate.source.as_deref(), entry.source.as_ref().map(|source| source.as_str()));
        }
    }

    #[test]
    fn a_list_comes_back(entries in entries()) {
        let mut written = Vec::new();
        write_markdown(&entries, &mut written).unwrap();
        let written = String::from_utf8(written).unwrap();
        let options = ReadOptions { min_words: Some(1), ..ReadOptions::default() };
        let mut back: Vec<_> = if entries.is_empty() {
            Vec::new()
        } else {
            let candidates = lessons(&written, &options).candidates.into_iter();
            candidates.map(|candidate| (candidate.domain.unwrap(), candidate.text)).collect()
        };
        let mut expected: Vec<_> =
            entries.iter().map(|entry| (entry.domain.to_string(), entry.text.to_string())).collect();
        back.sort();
        expected.sort();
        prop_assert_eq!(back, expected, "{}", written);
    }

    #[test]
    fn splicing_twice_changes_nothing(existing in "(\\PC|\r?\n){0,80}", entries in entries()) {
        let lessons: Vec<&Entry> = entries.iter().collect();
        let once = splice_into(&existing, &lessons).unwrap();
        prop_assert!(once.starts_with(&existing));
        prop_assert_eq!(splice_into(&once, &lessons).unwrap(), once);
    }
}
