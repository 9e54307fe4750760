use docet_core::confidence::Confidence;
use docet_core::domains::DomainThresholds;
use docet_core::embedding::Embedding;
use docet_core::experience::{Domain, Experience};
use docet_core::ports::Store;
use docet_core::retrieval::{self, DomainChoice, Search};
use docet_core::session::Receipt;
use docet_core::text::ExperienceText;

use super::{read_in, write_in};
use crate::oracle;
use crate::random::Random;
use crate::sample::{experience, library, name, unit_vector};

const LIBRARIES: u64 = 300;
const SEARCHES: usize = 4;
const DOMAINS: [&str; 5] = ["general", "web", "web/forms", "code", "zoo"];

/// Hundreds of small libraries full of ties: equal texts in several domains, equal and opposite vectors, equal
/// confidences; one entry and none; every way to choose domains; floors, and labels already given.
pub fn search_equals_rank_and_the_oracle(store: &dyn Store) {
    for seed in 0..LIBRARIES {
        let mut random = Random::new(seed);
        let pool: Vec<Embedding> = vectors(&mut random);
        let entries = entries(&mut random, &pool);
        let library_name = name(&format!("l{seed}"));
        write_in(store, &library_name, |change| {
            change.put_library(&library())?;
            Ok(entries.iter().rev().try_for_each(|entry| change.put_experience(entry))?)
        });
        for _ in 0..SEARCHES {
            let search = search(&mut random, &pool, &entries);
            let found = read_in(store, &library_name, |snapshot| Ok(snapshot.search(&search)?));
            assert_eq!(found, retrieval::rank(&entries, &search), "rank, seed {seed}: {search:?}");
            assert_eq!(found, oracle::search(&entries, &search), "oracle, seed {seed}: {search:?}");
        }
    }
}

/// A few directions, each with its opposite.
fn vectors(random: &mut Random) -> Vec<Embedding> {
    let mut pool = Vec::new();
    for _ in 0..=random.below(12) {
        let vector = unit_vector(random);
        let opposite: Vec<f32> = vector.as_slice().iter().map(|value| -value).collect();
        pool.extend([vector, Embedding::new(&opposite).unwrap()]);
    }
    pool
}

fn entries(random: &mut Random, pool: &[Embedding]) -> Vec<Experience> {
    let size = if random.one_in(8) { random.below(2) } else { random.below(40) };
    let mut entries: Vec<Experience> = Vec::new();
    for id in 1..=size as u64 {
        let entry = Experience {
            text: ExperienceText::parse(&format!("lesson {}", random.below(25))).unwrap(),
            domain: Domain::parse(random.pick(&DOMAINS)).unwrap(),
            embedding: if random.one_in(3) { unit_vector(random) } else { random.pick(pool) },
            confidence: Confidence::parse(random.pick(&[0.05, 0.5, 0.5, 0.95])).unwrap(),
            usage_count: random.below(2) as u64,
            epoch: random.below(2) as u64,
            ..experience(id * 3)
        };
        // No library holds a text twice in one domain.
        if !entries.iter().any(|other| other.text == entry.text && other.domain == entry.domain) {
            entries.push(entry);
        }
    }
    entries
}

fn search(random: &mut Random, pool: &[Embedding], entries: &[Experience]) -> Search {
    Search {
        query: if random.one_in(3) { unit_vector(random) } else { random.pick(pool) },
        top_k: random.pick(&[1, 2, 5, 100]),
        confidence_weight: random.pick(&[0.0, 0.2, 0.5, 1.0]),
        min_score: random.pick(&[None, None, Some(-1.0), Some(0.0), Some(0.1), Some(0.5), Some(1.0)]),
        domains: domains(random),
        given: entries.iter().filter(|_| random.one_in(6)).enumerate().map(given).collect(),
    }
}

/// Given by its id under another text, or by its text under another id.
fn given((place, entry): (usize, &Experience)) -> Receipt {
    if place % 2 == 0 {
        Receipt { id: entry.id, text: "what it said then".to_owned() }
    } else {
        Receipt { id: 1_000_000, text: entry.text.as_str().to_owned() }
    }
}

fn domains(random: &mut Random) -> DomainChoice {
    let thresholds = DomainThresholds { floor: 0.0, margin: random.fraction(), min_entries: 1 + random.below(3) };
    match random.below(5) {
        0 => DomainChoice::All,
        1 => DomainChoice::Infer(DomainThresholds::default()),
        2 => DomainChoice::Infer(thresholds),
        _ => {
            let named = 1 + random.below(3);
            let any = [DOMAINS.as_slice(), &["nobody"]].concat();
            DomainChoice::Named((0..named).map(|_| Domain::parse(random.pick(&any)).unwrap()).collect())
        }
    }
}
