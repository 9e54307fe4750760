//! What holds whatever is asked: of texts, confidences, rankings, lists of operations and compressions.

use std::collections::BTreeSet;

use docet_core::compression::{Compression, compress};
use docet_core::error::Error;
use docet_core::experience::{Experience, ExperienceId, Timestamp};
use docet_core::in_memory::HashEmbedder;
use docet_core::library::Library;
use docet_core::memory::{Call, Update};
use docet_core::operation::{OnInvalid, Operation, UpdateReport, prepare};
use docet_core::ports::Embedder;
use docet_core::retrieval::{DomainChoice, Search, rank};
use docet_core::session::{Receipt, Verdict, credit};
use docet_core::settings::{AgeFrom, Preset, Rescore, Settings, Strategy as By};
use docet_core::text::{ExperienceText, MAX_CHARACTERS, MAX_WORDS, count_words, normalise};
use docet_core::update::{Updated, apply};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::world::{World, confidence, domain, entry, text, towards};

// Drawn things.

/// Any characters, with many of those that the text rules look at.
fn any_text() -> impl Strategy<Value = String> {
    let pieces = select(vec![
        "word", " ", "  ", "\n", "\t", "\u{85}", "\u{2028}", "\u{7}", "\u{200d}", "\u{200b}", "\u{fe0f}", "\u{2764}",
        "[", "]", "G", "g", "0", "\u{ff3b}", "e", "\u{301}", "\u{212b}", "\u{8bd5}", "\u{30c6}", "\u{e17}", "\u{1100}",
        "\u{1161}", "\u{2000}", "\u{3000}", "\u{202e}", "\u{feff}",
    ]);
    prop_oneof![
        vec(pieces, 0..80).prop_map(|pieces| pieces.concat()),
        any::<String>(),
        vec(any::<char>(), 0..20).prop_map(|characters| characters.into_iter().collect()),
    ]
}

/// An entry of a small world, where equal texts have equal vectors and no two lessons of a domain are equal.
fn entries(sizes: std::ops::Range<usize>) -> impl Strategy<Value = Vec<Experience>> {
    let fields =
        (0..12_usize, 0..3_usize, 1..20_u32, 0..3_u64, 0..40_u64, option::of(0..40_u64), prop::bool::weighted(0.2));
    vec(fields, sizes).prop_map(|drawn| {
        let mut entries: Vec<Experience> = Vec::new();
        for (number, place, twentieths, usage_count, epoch, last_improved, pinned) in drawn {
            let drawn = Experience {
                text: text(&format!("lesson {number}")),
                embedding: towards(&[(number as f64).cos(), (number as f64).sin(), f64::from(number as u32 % 3)]),
                domain: domain(["general", "web", "code"][place]),
                confidence: confidence(f64::from(twentieths) / 20.0),
                usage_count,
                epoch,
                last_improved,
                pinned,
                ..entry(entries.len() as ExperienceId + 1)
            };
            if entries.iter().all(|known| (&known.text, &known.domain) != (&drawn.text, &drawn.domain)) {
                entries.push(drawn);
            }
        }
        entries
    })
}

fn settings() -> impl Strategy<Value = Settings> {
    let strategies = select(vec![By::Diversity, By::Importance, By::Temporal, By::Hybrid]);
    (strategies, prop::bool::ANY, 1..8_usize, select(vec![0.0, 0.2, 0.7])).prop_map(
        |(strategy, paper, capacity, share)| {
            let preset = if paper { Preset::Paper } else { Preset::Recommended };
            Settings { strategy, capacity, discard_fraction: share, ..Settings::preset(preset) }
        },
    )
}

/// Operations on the ids from 1 to 14, of which a small world holds some.
fn list() -> impl Strategy<Value = Vec<Operation>> {
    let texts = || (0..20_u32).prop_map(|number| format!("lesson {number}"));
    let domains = || option::of(select(vec!["general".to_owned(), "web".to_owned(), "two words".to_owned()]));
    let ids = || 1..15_u64;
    let pinned = || option::weighted(0.3, prop::bool::ANY);
    let operation = prop_oneof![
        4 => (texts(), domains(), pinned()).prop_map(|(text, domain, pinned)| Operation::Add {
            text, domain, confidence: None, source: None, pinned
        }),
        2 => (ids(), option::of(texts()), domains(), pinned()).prop_map(|(id, text, domain, pinned)| Operation::Modify {
            id, text, domain, source: None, pinned
        }),
        1 => ids().prop_map(|id| Operation::Delete { id }),
        1 => (vec(ids(), 1..4), texts(), domains()).prop_map(|(ids, text, domain)| Operation::Merge {
            ids, text, domain, source: None
        }),
    ];
    vec(operation, 1..8)
}

// What is done with them.

fn library(entries: &[Experience], settings: &Settings) -> Library {
    Library { next_id: entries.len() as ExperienceId + 1, epoch: 30, ..Library::new(settings.clone()) }
}

fn updated(library: &Library, entries: &[Experience], list: &[Operation], skip: bool) -> Result<Updated, Error> {
    let prepared = prepare(list, |texts| HashEmbedder.embed(texts)).expect("the hash embeds everything");
    let on_invalid = if skip { OnInvalid::Skip } else { OnInvalid::Reject };
    apply(library, entries.to_vec(), &prepared, on_invalid, Timestamp(1))
}

fn leaving(entries: &[Experience], settings: &Settings) -> Option<Vec<ExperienceId>> {
    let compression =
        Compression { entries, spared: &BTreeSet::new(), capacity: settings.capacity, epoch: 30, settings };
    Some(compress(&compression).ok()?.into_iter().map(|gone| gone.id).collect())
}

fn ids<'a>(entries: impl IntoIterator<Item = &'a Experience>) -> Vec<ExperienceId> {
    entries.into_iter().map(|entry| entry.id).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn normalising_twice_is_normalising_once(raw in any_text()) {
        let once = normalise(&raw);
        prop_assert_eq!(normalise(&once), once);
    }

    /// `def:experience`: at most 32 words, whatever comes.
    #[test]
    fn a_text_is_refused_or_sound_and_stays_as_it_is(raw in any_text()) {
        if let Ok(text) = ExperienceText::parse(&raw) {
            let line = text.as_str();
            prop_assert_eq!(ExperienceText::parse(line), Ok(text.clone()));
            prop_assert!((1..=MAX_WORDS).contains(&count_words(line)));
            prop_assert!(line.chars().count() <= MAX_CHARACTERS);
            prop_assert!(!line.chars().any(char::is_control));
            let hidden = regex::Regex::new(r"\p{Default_Ignorable_Code_Point}").expect("a class");
            let stripped = line.replace(['\u{200c}', '\u{200d}', '\u{fe0e}', '\u{fe0f}'], "");
            prop_assert!(!hidden.is_match(&stripped));
        }
    }

    /// `eq:confidence-update`: within its bounds after any history, and never moved against its verdict.
    #[test]
    fn confidence_stays_within_its_bounds(
        start in 0.05..0.95_f64,
        rate in 0.001..0.999_f64,
        verdicts in vec(select(vec![Verdict::Improved, Verdict::NotImproved, Verdict::NoEvidence]), 0..60),
    ) {
        let settings = Settings { learning_rate: rate, ..Settings::default() };
        let mut lesson = Experience { confidence: confidence(start), ..entry(1) };
        for (place, verdict) in verdicts.iter().enumerate() {
            let before = lesson.confidence.get();
            credit(&mut lesson, *verdict, place as u64, &settings);
            let after = lesson.confidence.get();
            prop_assert!((0.05..=0.95).contains(&after));
            prop_assert!(*verdict != Verdict::Improved || after >= before);
            prop_assert!(*verdict != Verdict::NotImproved || after <= before);
            prop_assert!(*verdict != Verdict::NoEvidence || after == before);
        }
        prop_assert_eq!(lesson.usage_count, verdicts.len() as u64);
        let judged = verdicts.iter().filter(|verdict| **verdict != Verdict::NoEvidence).count() as u64;
        prop_assert_eq!(lesson.successes + lesson.failures, judged);
    }

    #[test]
    fn a_ranking_accounts_for_every_entry(
        entries in entries(0..20),
        asked in 0..12_usize,
        top_k in 1..8_usize,
        floor in option::of(-1.0..1.0_f64),
        domains in vec(select(vec!["general", "web", "none/of/ours"]), 0..3),
        given in vec(any::<Index>(), 0..4),
    ) {
        let given: Vec<Receipt> = given.iter().filter(|_| !entries.is_empty()).map(|index| {
            let entry = index.get(&entries);
            Receipt { id: entry.id, text: entry.text.as_str().to_owned() }
        }).collect();
        let search = Search {
            query: towards(&[(asked as f64).cos(), (asked as f64).sin()]),
            top_k,
            confidence_weight: 0.2,
            min_score: floor,
            domains: DomainChoice::Named(domains.iter().map(|label| domain(label)).collect()),
            given,
        };
        let ranking = rank(&entries, &search);
        let named: usize = ranking.best.iter().map(|best| best.same_as.len()).sum();
        let told = ranking.already_given + ranking.below_min_score + ranking.best.len() + named;
        prop_assert_eq!(ranking.eligible + ranking.filtered_by_domain, entries.len());
        prop_assert!(told <= ranking.eligible);
        // Whatever is not told of stands beyond the K best, so there are K.
        prop_assert!(told == ranking.eligible || ranking.best.len() == top_k);
        prop_assert_eq!(ranking.best.len() + ranking.shortfall, top_k);
        prop_assert!(ranking.best.is_sorted_by(|a, b| a.score >= b.score));
        let texts: BTreeSet<&str> = ranking.best.iter().map(|best| best.text.as_str()).collect();
        prop_assert_eq!(texts.len(), ranking.best.len(), "a text is given once");
        prop_assert!(ranking.best.iter().all(|best| floor.is_none_or(|floor| best.score >= floor)));

        let mut turned = entries;
        turned.reverse();
        prop_assert_eq!(rank(&turned, &search), ranking, "the order of entries does not matter");
    }

    /// `alg:memory-update`: never above capacity, pinned entries stay, and ids are used once.
    #[test]
    fn an_update_ends_within_capacity_and_keeps_the_pinned(
        entries in entries(0..14), settings in settings(), list in list(), skip in prop::bool::ANY,
    ) {
        let library = library(&entries, &settings);
        let Ok(updated) = updated(&library, &entries, &list, skip) else { return Ok(()) };
        prop_assert!(updated.entries.len() <= settings.capacity);
        prop_assert_eq!(updated.report.size, updated.entries.len());
        let evicted: BTreeSet<ExperienceId> = updated.report.evicted.iter().map(|gone| gone.id).collect();
        prop_assert_eq!(evicted.len(), updated.report.evicted.len(), "one leaves once");
        for pinned in updated.entries.iter().filter(|entry| entry.pinned) {
            prop_assert!(!evicted.contains(&pinned.id));
        }
        for pinned in entries.iter().filter(|entry| entry.pinned) {
            let named = list.iter().any(|operation| match operation {
                Operation::Add { .. } => false,
                Operation::Modify { id, .. } | Operation::Delete { id } => *id == pinned.id,
                Operation::Merge { ids, .. } => ids.contains(&pinned.id),
            });
            prop_assert!(named || updated.entries.contains(pinned), "the pinned entry {} left", pinned.id);
        }
        prop_assert!(updated.entries.is_sorted_by(|a, b| a.id < b.id));
        prop_assert!(updated.entries.iter().all(|entry| entry.id < updated.next_id));
        let added = updated.report.applied.iter().filter(|applied| applied.id >= library.next_id);
        let added: BTreeSet<ExperienceId> = added.map(|applied| applied.id).collect();
        prop_assert!(added.into_iter().eq(library.next_id..updated.next_id), "ids in order, none left out");
        let lessons: BTreeSet<_> = updated.entries.iter().map(|entry| (&entry.text, &entry.domain)).collect();
        prop_assert_eq!(lessons.len(), updated.entries.len(), "no lesson stands twice in a domain");
    }

    /// One list, or its operations one by one: where nothing is compressed, the library ends the same.
    #[test]
    fn two_routes_end_equal(entries in entries(0..14), list in list()) {
        let roomy = Settings::default();
        let library = library(&entries, &roomy);
        let at_once = updated(&library, &entries, &list, true).expect("skipped, not refused");
        let (mut library, mut standing) = (library, entries);
        for operation in list {
            let step = updated(&library, &standing, &[operation], true).expect("skipped, not refused");
            (library.next_id, standing) = (step.next_id, step.entries);
        }
        prop_assert_eq!(at_once.entries, standing);
        prop_assert_eq!(at_once.next_id, library.next_id);
    }

    /// The facade writes what the pure transition says, whatever entered, changed and left.
    #[test]
    fn the_store_holds_what_the_transition_says(entries in entries(0..10), settings in settings(), list in list()) {
        let library = library(&entries, &settings);
        let world = World::new();
        world.put(&library, &entries, &[]);
        let update = Update { on_invalid: OnInvalid::Skip, ..Update::of(list.clone()) };
        let answer = world.memory.update(&world.library, &update, &Call::at(Timestamp(1)));
        let whole = world.whole();
        match updated(&library, &entries, &list, true) {
            Ok(pure) => {
                let revision = u64::from(pure.entries != entries);
                prop_assert_eq!(answer.ok(), Some(UpdateReport { revision, ..pure.report }));
                prop_assert_eq!(whole.entries, pure.entries);
                prop_assert_eq!(whole.library.map(|library| library.next_id), Some(pure.next_id));
            }
            Err(_) => {
                prop_assert!(answer.is_err());
                prop_assert_eq!((whole.entries, whole.library), (entries, Some(library)));
            }
        }
    }

    /// The two ways to treat faults name the same ones, and a list without any is the same under both.
    #[test]
    fn reject_and_skip_name_the_same_faults(entries in entries(0..14), settings in settings(), list in list()) {
        let library = library(&entries, &settings);
        let skipping = updated(&library, &entries, &list, true);
        match updated(&library, &entries, &list, false) {
            Err(Error::Faults(faults)) => {
                prop_assert!(skipping.map_or(true, |skipping| skipping.report.skipped == faults));
            }
            Ok(rejecting) => prop_assert_eq!(Some(rejecting), skipping.ok()),
            Err(_) => prop_assert!(skipping.is_err()),
        }
    }

    #[test]
    fn a_compressed_library_stays_as_it_is(entries in entries(0..20), settings in settings()) {
        let Some(gone) = leaving(&entries, &settings) else {
            let pinned = entries.iter().filter(|entry| entry.pinned).count();
            prop_assert!(pinned > settings.capacity);
            return Ok(());
        };
        let mut left = entries.clone();
        left.retain(|entry| !gone.contains(&entry.id));
        prop_assert_eq!(left.len() + gone.len(), entries.len());
        prop_assert!(left.len() <= settings.capacity);
        prop_assert!(entries.iter().all(|entry| !entry.pinned || !gone.contains(&entry.id)));
        prop_assert!(gone.is_empty() || entries.len() > settings.capacity);
        prop_assert_eq!(leaving(&left, &settings), Some(Vec::new()));
    }

    /// The strategies that take entries in any order; diversity alone asks for them by id.
    #[test]
    fn the_order_of_entries_decides_nothing(
        entries in entries(0..20), settings in settings(), shuffle in vec(any::<u16>(), 20),
    ) {
        if settings.strategy != By::Diversity {
            let mut shuffled: Vec<(u16, Experience)> = shuffle.into_iter().zip(entries.iter().cloned()).collect();
            shuffled.sort_by_key(|(place, _)| *place);
            let shuffled: Vec<Experience> = shuffled.into_iter().map(|(_, entry)| entry).collect();
            prop_assert_eq!(leaving(&shuffled, &settings), leaving(&entries, &settings));
        }
    }

    /// What the list wrote outlives what stood before, where it fits.
    #[test]
    fn what_a_list_wrote_is_spared(entries in entries(4..14), list in list()) {
        let unpinned: Vec<Experience> = entries.into_iter().map(|entry| Experience { pinned: false, ..entry }).collect();
        let settings = Settings { capacity: 8, ..Settings::default() };
        let library = library(&unpinned, &settings);
        let updated = updated(&library, &unpinned, &list, true).expect("nothing is pinned");
        let written: BTreeSet<ExperienceId> = updated.report.applied.iter().map(|applied| applied.id).collect();
        prop_assert!(written.len() <= 8);
        prop_assert!(updated.report.evicted.iter().all(|gone| !written.contains(&gone.id)));
    }
}

/// `eq:hybrid-utility`: the scale multiplies every utility, so it cannot change an order, not even where two utilities
/// differ in their last digits and the one of higher confidence leaves.
#[test]
fn the_scale_of_utility_changes_no_order() {
    // 0.5126575602622042 * exp(-0.05)^0.5 = 0.5 less 1e-14, against 0.5 of this epoch.
    let older = Experience { confidence: confidence(0.512_657_560_262_204_2), epoch: 29, ..entry(1) };
    let entries = [older, Experience { epoch: 30, ..entry(2) }];
    for utility_scale in [1.0, 1e-300, 1e-9, 1e300] {
        let settings = Settings { utility_scale, diversity_exponent: 0.0, capacity: 1, ..Settings::default() };
        assert_eq!(leaving(&entries, &settings), Some(vec![1]), "{utility_scale}");
    }
}

/// The two settings that a compression on demand may override decide alike for both strategies that read them.
#[test]
fn presets_differ_where_their_departures_say_so() {
    // Two equal lessons in two domains and one far from both: scored once, both of the equal ones go.
    let twin = |id, label| Experience { text: text("twin"), domain: domain(label), ..entry(id) };
    let far = Experience { embedding: towards(&[0.0, 1.0]), confidence: confidence(0.1), ..entry(3) };
    let entries = [twin(1, "web"), twin(2, "code"), far];
    let table = [(Rescore::Each, vec![1, 3]), (Rescore::Once, vec![1, 2])];
    for (rescore, expected) in table {
        let settings = Settings { rescore, capacity: 1, ..Settings::default() };
        assert_eq!(leaving(&entries, &settings), Some(expected), "{rescore:?}");
    }
    // An old lesson that keeps helping is young, unless age is that of its text.
    let helping = Experience { last_improved: Some(30), ..entry(1) };
    let entries = [helping, Experience { epoch: 20, ..entry(2) }];
    for (age_from, expected) in [(AgeFrom::Improved, 2), (AgeFrom::Created, 1)] {
        let settings = Settings { age_from, capacity: 1, strategy: By::Temporal, ..Settings::default() };
        assert_eq!(leaving(&entries, &settings), Some(vec![expected]), "{age_from:?}");
    }
    assert_eq!(ids(&entries), [1, 2]);
}
