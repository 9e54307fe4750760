//! Hybrid compression: the least useful leaves, one after another (`eq:hybrid-utility`).
//!
//! `U = a c^b w^g d^e`, d the distance to the nearest other entry still in the library. Utilities are compared as
//! logarithms, so that nothing underflows, and without the scale `a`, so that its rounding decides nothing.

use super::{Compression, Evicted, evicted, weaker_first};
use crate::experience::Experience;
use crate::settings::{Rescore, Settings};

/// The distance of an entry that is alone: the largest that two unit vectors can have.
const ALONE: f64 = 2.0;

/// The lowest utilities leave, until the library is at its capacity.
pub(super) fn evict(compression: &Compression<'_>) -> Vec<Evicted> {
    let mut field = Field::new(compression);
    let mut leaving = Vec::with_capacity(compression.excess());
    while leaving.len() < compression.excess() {
        let Some(lowest) = field.lowest() else { break };
        leaving.push(field.figures(lowest));
        field.remove(lowest);
    }
    leaving
}

/// All entries with their nearest neighbours, kept current as entries leave.
struct Field<'a> {
    compression: &'a Compression<'a>,
    present: Vec<bool>,
    nearest: Vec<Nearest>,
    /// `ln (U / a)`; of those that must stay it is not read.
    utility: Vec<f64>,
}

#[derive(Clone, Copy)]
struct Nearest {
    distance: f64,
    neighbour: Option<usize>,
}

impl<'a> Field<'a> {
    fn new(compression: &'a Compression<'a>) -> Self {
        let count = compression.entries.len();
        let alone = Nearest { distance: ALONE, neighbour: None };
        let mut field =
            Self { compression, present: vec![true; count], nearest: vec![alone; count], utility: vec![0.0; count] };
        if compression.settings.diversity_exponent > 0.0 {
            field.meet_all();
        }
        for place in 0..count {
            field.score(place);
        }
        field
    }

    /// Each pair once.
    fn meet_all(&mut self) {
        let entries = self.compression.entries;
        for a in 0..entries.len() {
            for b in a + 1..entries.len() {
                let distance = distance(&entries[a], &entries[b]);
                self.meet(a, b, distance);
                self.meet(b, a, distance);
            }
        }
    }

    fn meet(&mut self, place: usize, other: usize, distance: f64) {
        let nearest = &mut self.nearest[place];
        if nearest.neighbour.is_none() || distance < nearest.distance {
            *nearest = Nearest { distance, neighbour: Some(other) };
        }
    }

    fn score(&mut self, place: usize) {
        let entry = &self.compression.entries[place];
        let ageing = self.compression.settings.decay_rate * self.compression.age(entry) as f64;
        self.utility[place] =
            log_utility(entry.confidence.get(), ageing, self.nearest[place].distance, self.compression.settings);
    }

    /// The unpinned entry of the lowest utility; of equals the weaker.
    fn lowest(&self) -> Option<usize> {
        let entries = self.compression.entries;
        (0..entries.len()).filter(|&place| self.present[place] && !self.compression.is_kept(&entries[place])).min_by(
            |&a, &b| {
                let by_utility = self.utility[a].total_cmp(&self.utility[b]);
                by_utility.then_with(|| weaker_first(&entries[a], &entries[b]))
            },
        )
    }

    fn remove(&mut self, place: usize) {
        self.present[place] = false;
        if self.compression.settings.rescore == Rescore::Once || self.compression.settings.diversity_exponent == 0.0 {
            return;
        }
        for bereft in 0..self.present.len() {
            if self.present[bereft] && self.nearest[bereft].neighbour == Some(place) {
                self.find_nearest(bereft);
                self.score(bereft);
            }
        }
    }

    fn find_nearest(&mut self, place: usize) {
        let entries = self.compression.entries;
        self.nearest[place] = Nearest { distance: ALONE, neighbour: None };
        for other in 0..entries.len() {
            if other != place && self.present[other] {
                self.meet(place, other, distance(&entries[place], &entries[other]));
            }
        }
    }

    fn figures(&self, place: usize) -> Evicted {
        let entry = &self.compression.entries[place];
        let settings = self.compression.settings;
        let distance = (settings.diversity_exponent > 0.0).then_some(self.nearest[place].distance);
        Evicted {
            time_weight: Some(self.compression.time_weight(entry)),
            distance,
            utility: Some(settings.utility_scale * self.utility[place].exp()),
            ..evicted(entry)
        }
    }
}

/// `ln (U / a)` of confidence, `r age` and distance; a factor whose exponent is 0 is left out, and a distance of 0 is
/// below everything.
fn log_utility(confidence: f64, ageing: f64, distance: f64, settings: &Settings) -> f64 {
    let factor = |exponent: f64, logarithm: f64| if exponent == 0.0 { 0.0 } else { exponent * logarithm };
    factor(settings.confidence_exponent, confidence.ln())
        + factor(settings.recency_exponent, -ageing)
        + factor(settings.diversity_exponent, distance.ln())
}

/// Exactly 0 for equal texts, whatever kernel made their vectors.
fn distance(a: &Experience, b: &Experience) -> f64 {
    if a.text == b.text { 0.0 } else { a.embedding.distance(&b.embedding) }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{evicted, leaving};
    use super::*;
    use crate::embedding::Embedding;

    fn at(id: u64, degrees: f32, confidence: f64) -> Experience {
        let (sine, cosine) = degrees.to_radians().sin_cos();
        Experience { embedding: Embedding::towards(&[cosine, sine]), ..Experience::plain(id) }
            .with_confidence(confidence)
    }

    #[test]
    fn the_lowest_utility_leaves_and_its_neighbours_are_scored_anew() {
        // Chords: 2 sin 5 = 0.174311 from 1 to 2, 2 sin 40 = 1.285575 from 2 to 3; to the 0.3: 0.592103 and 1.078280.
        // U: 0.5 * 0.592103 = 0.296052; 0.6 * 0.592103 = 0.355262; 0.34 * 1.078280 = 0.366615. The first leaves; then
        // the second is as far from the third as that from it: 0.6 * 1.078280 = 0.646968, so the third leaves.
        let entries = [at(1, 0.0, 0.5), at(2, 10.0, 0.6), at(3, 90.0, 0.34)];
        let settings = Settings { capacity: 1, ..Settings::default() };
        let gone = evicted(&entries, &settings, 0);
        for (gone, (id, distance, utility)) in gone.iter().zip([(1, 0.174_311, 0.296_052), (3, 1.285_575, 0.366_615)]) {
            assert_eq!(gone.id, id);
            assert!((gone.distance.unwrap() - distance).abs() < 1e-5, "{gone:?}");
            assert!((gone.utility.unwrap() - utility).abs() < 1e-5, "{gone:?}");
        }
        let by_the_letter = Settings { rescore: Rescore::Once, ..settings };
        assert_eq!(leaving(&entries, &by_the_letter, 0), [1, 2]);
    }

    #[test]
    fn equal_texts_are_no_distance_apart_and_the_last_one_is_as_far_as_can_be() {
        let twin = Experience { text: Experience::plain(1).text, ..at(2, 0.1, 0.9) };
        let entries = [at(1, 0.0, 0.5), twin, at(3, 90.0, 0.1)];
        let gone = evicted(&entries, &Settings { capacity: 0, ..Settings::default() }, 0);
        assert_eq!(gone.iter().map(|gone| gone.id).collect::<Vec<_>>(), [1, 3, 2]);
        assert_eq!((gone[0].distance, gone[0].utility, gone[2].distance), (Some(0.0), Some(0.0), Some(ALONE)));
    }

    #[test]
    fn eq_hybrid_utility_by_hand() {
        // U = 1 * 0.5^1.0 * exp(-0.05 * 10)^0.5 * 0.25^0.3
        //   = 0.5 * 0.778800783 * 0.659753955 = 0.256908699
        let utility = log_utility(0.5, 0.5, 0.25, &Settings::default()).exp();
        assert!((utility - 0.256_908_448).abs() < 1e-6, "{utility}");
    }

    #[test]
    fn a_distance_of_nought_is_below_everything_unless_it_does_not_count() {
        let settings = Settings::default();
        assert_eq!(log_utility(0.5, 0.0, 0.0, &settings), f64::NEG_INFINITY);
        let blind = Settings { diversity_exponent: 0.0, ..settings };
        assert!(log_utility(0.5, 0.0, 0.0, &blind).is_finite());
    }

    #[test]
    fn an_age_of_a_million_sessions_still_orders() {
        let settings = Settings::default();
        let older = log_utility(0.95, 0.05 * 1_000_001.0, 1.0, &settings);
        let old = log_utility(0.95, 0.05 * 1_000_000.0, 1.0, &settings);
        assert!(older < old && old.is_finite());
    }
}
