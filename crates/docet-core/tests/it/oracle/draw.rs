//! Random libraries: small, and full of what breaks a rule that is almost right: ties, equal vectors, one text in two
//! domains, pins, opposite vectors, ages of a million sessions, epochs ahead of the present one.

use std::collections::BTreeMap;

use docet_core::embedding::Embedding;
use docet_core::experience::{Experience, ExperienceId};

use crate::world::{confidence, domain, entry, text, towards};

/// The coordinates in which drawn vectors lie; all others are 0.
pub(crate) const RANK: usize = 8;

/// A stream of numbers fixed by its seed (SplitMix64).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// In [0, 1).
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.unit() * bound as f64) as usize
    }

    pub(crate) fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }

    pub(crate) fn pick<T: Clone>(&mut self, choices: &[T]) -> T {
        choices[self.below(choices.len())].clone()
    }

    /// Something, with that probability.
    pub(crate) fn maybe<T>(&mut self, probability: f64, make: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.chance(probability).then(|| make(self))
    }
}

/// A vector for each text, as an encoder would have it; different texts may share one.
#[derive(Default)]
pub(crate) struct Vectors {
    of_text: BTreeMap<String, Embedding>,
    /// Whether all texts share one.
    one: bool,
}

impl Vectors {
    pub(crate) fn of(&mut self, text: &str, random: &mut Random) -> Embedding {
        if let Some(known) = self.of_text.get(text) {
            return known.clone();
        }
        let known: Vec<&Embedding> = self.of_text.values().collect();
        let fresh = match known.len() {
            0 => direction(random),
            _ if self.one => known[0].clone(),
            _ if random.chance(0.15) => random.pick(&known).clone(),
            _ if random.chance(0.05) => opposite(random.pick(&known)),
            _ if random.chance(0.15) => beside(random.pick(&known), random),
            _ => direction(random),
        };
        self.of_text.insert(text.to_owned(), fresh.clone());
        fresh
    }
}

/// Any direction, sometimes along few axes, so that cosines of exactly 0, 1 and -1 are among them.
pub(crate) fn direction(random: &mut Random) -> Embedding {
    let mut coordinates = [0.0; RANK];
    for _ in 0..random.pick(&[1, 2, 20, 20, 20, 20]) {
        coordinates[random.below(RANK)] += random.unit() * 2.0 - 1.0;
    }
    towards(&coordinates)
}

fn opposite(of: &Embedding) -> Embedding {
    let negative: Vec<f32> = of.as_slice().iter().map(|value| -value).collect();
    Embedding::new(&negative).expect("a turned vector keeps its length")
}

/// A near copy.
fn beside(of: &Embedding, random: &mut Random) -> Embedding {
    let coordinates = of.as_slice()[..RANK].iter().map(|value| f64::from(*value) + 0.2 * (random.unit() - 0.5));
    towards(&coordinates.collect::<Vec<_>>())
}

/// A library at a moment.
pub(crate) struct Drawn {
    pub(crate) entries: Vec<Experience>,
    pub(crate) now: u64,
    pub(crate) vectors: Vectors,
}

/// The domains that libraries are drawn with.
pub(crate) const DOMAINS: [&str; 3] = ["general", "web", "code/rust"];

/// A library of that many entries, by id.
pub(crate) fn library(random: &mut Random, size: usize) -> Drawn {
    let shape = Shape::draw(random);
    let mut vectors = Vectors { one: random.chance(0.05), ..Vectors::default() };
    let mut entries: Vec<Experience> = Vec::new();
    let mut id = 0;
    while entries.len() < size {
        id += 1 + u64::from(random.chance(0.3));
        let drawn = shape.entry(id, size, &mut vectors, random);
        if entries.iter().all(|known| known.text != drawn.text || known.domain != drawn.domain) {
            entries.push(drawn);
        }
    }
    Drawn { entries, now: shape.now, vectors }
}

/// What the entries of one library have in common.
struct Shape {
    now: u64,
    /// The confidence of all, where they have one.
    confidence: Option<f64>,
    pinned: f64,
    span: usize,
}

impl Shape {
    fn draw(random: &mut Random) -> Self {
        Self {
            now: random.pick(&[0, 1, 30, 60, 200, 1_000_000]),
            confidence: random.maybe(0.2, |random| random.pick(&[0.5, 0.05, 0.95])),
            pinned: random.pick(&[0.0, 0.0, 0.2, 0.5]),
            span: random.pick(&[1, 5, 100, 1_000_001]),
        }
    }

    fn entry(&self, id: ExperienceId, size: usize, vectors: &mut Vectors, random: &mut Random) -> Experience {
        let text = text(&format!("lesson {}", random.below(size * 2)));
        let near_one = |random: &mut Random| random.pick(&[0.45, 0.5, 0.5, 0.55]);
        let own = if random.chance(0.5) { near_one(random) } else { 0.05 + 0.9 * random.unit() };
        let embedding = vectors.of(text.as_str(), random);
        Experience {
            // Another kernel may have made the vector of an equal text.
            embedding: if random.chance(0.05) { beside(&embedding, random) } else { embedding },
            text,
            confidence: confidence(self.confidence.unwrap_or(own)),
            domain: domain(random.pick(&DOMAINS)),
            usage_count: random.below(3) as u64,
            epoch: self.epoch(random),
            successes: random.below(4) as u64,
            failures: random.below(4) as u64,
            last_improved: random.maybe(0.4, |random| self.epoch(random)),
            pinned: random.chance(self.pinned),
            ..entry(id)
        }
    }

    /// Mostly in the past, now and then ahead of now.
    fn epoch(&self, random: &mut Random) -> u64 {
        match random.chance(0.05) {
            true => self.now + 1 + random.below(5) as u64,
            false => self.now.saturating_sub(random.below(self.span) as u64),
        }
    }
}

/// Mostly the small sizes, where every case is an edge.
pub(crate) fn size(random: &mut Random) -> usize {
    random.below(13)
}
