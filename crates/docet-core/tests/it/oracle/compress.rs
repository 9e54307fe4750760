//! Compression by each strategy (`eq:diversity-compression`, `eq:importance-compression`, `eq:temporal-decay`,
//! `eq:hybrid-utility`), in both presets and under odd settings.

use std::collections::{BTreeMap, BTreeSet};

use docet_core::compression::{Compression, Evicted, compress};
use docet_core::error::Refusal;
use docet_core::experience::Experience;
use docet_core::settings::{AgeFrom, Preset, Rescore, Settings, Strategy};
use serde::Deserialize;
use serde_json::{Value, json};

use super::draw::{self, Drawn, RANK, Random};
use super::{Compared, Oracle, ROUNDING, Tally, close_in_ratio, entries_on_the_wire, same, vector_on_the_wire};
use crate::world::{entry, towards};

/// How far figures may differ, as a share: logarithms and sums of another order.
const FIGURES: f64 = 1e-9;

#[derive(Debug, Deserialize)]
struct Answer {
    evicted: Vec<OracleEvicted>,
    #[serde(default)]
    inertia: Option<f64>,
}

/// One that leaves, as the oracle says it: with every figure of its strategy, also where it counts for nothing.
#[derive(Debug, Deserialize)]
pub(super) struct OracleEvicted {
    id: u64,
    time_weight: Option<f64>,
    distance: Option<f64>,
    utility: Option<f64>,
    cluster: Option<usize>,
    kept_instead: Option<u64>,
}

/// A library with what it is compressed to.
struct Case {
    library: Drawn,
    settings: Settings,
}

impl Case {
    fn draw(strategy: Strategy, preset: Preset, size: usize, random: &mut Random) -> Self {
        let library = draw::library(random, size);
        let mut settings = Settings { strategy, ..Settings::preset(preset) };
        if random.chance(0.5) {
            make_odd(&mut settings, random);
        }
        settings.capacity = draw_capacity(&library.entries, random);
        Self { library, settings }
    }

    fn ours(&self) -> Result<Vec<Evicted>, Refusal> {
        compress(&Compression {
            entries: &self.library.entries,
            spared: &BTreeSet::new(),
            capacity: self.settings.capacity,
            epoch: self.library.now,
            settings: &self.settings,
        })
    }

    fn question(&self) -> Value {
        json!({
            "do": "compress",
            "strategy": self.settings.strategy,
            "capacity": self.settings.capacity,
            "now": self.library.now,
            "settings": self.settings,
            "entries": entries_on_the_wire(&self.library.entries),
        })
    }
}

/// The edges: one, as many as are pinned, one fewer, one less than the library holds; else anything.
fn draw_capacity(entries: &[Experience], random: &mut Random) -> usize {
    let pinned = entries.iter().filter(|entry| entry.pinned).count();
    let edges = [1, pinned, pinned.saturating_sub(1), entries.len().saturating_sub(1), entries.len()];
    if random.chance(0.5) { random.pick(&edges).max(1) } else { 1 + random.below(entries.len().max(1)) }
}

/// Factors switched off, no least weight, bounds of nothing and of everything, shares that come out whole but for
/// rounding (0.28 of 25).
pub(super) fn make_odd(settings: &mut Settings, random: &mut Random) {
    settings.confidence_exponent = random.pick(&[0.0, 1.0, 2.5]);
    settings.recency_exponent = random.pick(&[0.0, 0.5, 10.0]);
    settings.diversity_exponent = random.pick(&[0.0, 0.3, 1.0, 10.0]);
    settings.utility_scale = random.pick(&[1.0, 1e-300, 1e290]);
    settings.min_time_weight = random.pick(&[0.0, 0.1, 0.5, 0.999]);
    settings.discard_fraction = random.pick(&[0.0, 0.1, 0.2, 0.25, 0.28, 0.28, 0.5, 0.56, 0.999]);
    settings.max_discard = random.pick(&[0.0, 0.1, 0.2, 0.28, 0.28, 0.56, 1.0]);
    settings.decay_rate = random.pick(&[0.05, 0.001, 10.0]);
    settings.age_from = random.pick(&[AgeFrom::Improved, AgeFrom::Created]);
    settings.rescore = random.pick(&[Rescore::Each, Rescore::Once]);
}

/// Compares a strategy in both presets on small libraries, and on some that are not.
fn compare_strategy(strategy: Strategy, small: usize, large: usize, seed: u64) {
    let name = format!("compressions by {}", strategy.name());
    let Some(mut oracle) = Oracle::start(&name) else { return };
    let mut random = Random::new(seed);
    let (mut tally, mut left) = (Tally::default(), 0);
    for preset in [Preset::Recommended, Preset::Paper] {
        for round in 0..small + large {
            let size = if round < small { draw::size(&mut random) } else { random.pick(&[25, 50, 63]) };
            let case = Case::draw(strategy, preset, size, &mut random);
            let question = case.question();
            let theirs: Result<Answer, String> = oracle.ask(&question);
            let ours = case.ours();
            let compared = compare_answers(&ours, &theirs, &case);
            left += ours.as_ref().map_or(0, Vec::len);
            tally.note(compared, || format!("{question}\n{ours:?}\n{theirs:?}"));
        }
    }
    assert!(left > 2 * small, "too few entries left to compare: {left}");
    tally.finish(&name);
}

#[test]
fn eq_importance_compression_drops_whom_the_oracle_drops() {
    compare_strategy(Strategy::Importance, 800, 100, 11);
}

#[test]
fn eq_temporal_decay_drops_whom_the_oracle_drops() {
    compare_strategy(Strategy::Temporal, 800, 100, 12);
}

#[test]
fn eq_hybrid_utility_drops_whom_the_oracle_drops() {
    compare_strategy(Strategy::Hybrid, 800, 10, 13);
}

#[test]
fn eq_diversity_compression_drops_whom_the_oracle_drops() {
    compare_strategy(Strategy::Diversity, 500, 3, 14);
}

fn compare_answers(ours: &Result<Vec<Evicted>, Refusal>, theirs: &Result<Answer, String>, case: &Case) -> Compared {
    match (ours, theirs) {
        (Ok(ours), Ok(theirs)) => match compare_evicted(ours, &theirs.evicted) {
            Compared::Equal => compare_inertia(ours, theirs, &case.library.entries),
            different => different,
        },
        (ours, theirs) => {
            let ours = ours.as_ref().err().map(|refusal| json!(refusal.code));
            same!(ours, theirs.as_ref().err().map(|code| json!(code)), "refusal");
            Compared::Equal
        }
    }
}

/// Who leaves, in which order, by which figures.
pub(super) fn compare_evicted(ours: &[Evicted], theirs: &[OracleEvicted]) -> Compared {
    for (ours, theirs) in ours.iter().zip(theirs) {
        let level =
            |a: Option<f64>, b: Option<f64>| a.zip(b).is_some_and(|(a, b)| a != b && close_in_ratio(a, b, ROUNDING));
        if ours.id != theirs.id && level(ours.utility, theirs.utility) {
            return Compared::WithinRounding;
        }
        same!(ours.id, theirs.id, "who leaves");
        same!(ours.cluster, theirs.cluster, format!("cluster of {}", ours.id));
        same!(ours.kept_instead, theirs.kept_instead, format!("who stays instead of {}", ours.id));
        let figures =
            [(ours.time_weight, theirs.time_weight), (ours.distance, theirs.distance), (ours.utility, theirs.utility)];
        for (own, other) in figures {
            if own.is_some_and(|own| other.is_none_or(|other| !close_in_ratio(own, other, FIGURES))) {
                return Compared::Different(format!("figures: ours {ours:?}, the oracle's {theirs:?}"));
            }
        }
    }
    same!(ours.len(), theirs.len(), "how many leave");
    Compared::Equal
}

/// The sum of squares within clusters, where the oracle clustered.
fn compare_inertia(ours: &[Evicted], theirs: &Answer, entries: &[Experience]) -> Compared {
    let Some(inertia) = theirs.inertia else { return Compared::Equal };
    let own = inertia_of(&clusters(ours, entries));
    if (own - inertia).abs() > FIGURES {
        return Compared::Different(format!("inertia: ours {own}, the oracle's {inertia}"));
    }
    Compared::Equal
}

/// The clusters of the unpinned, read off the answer: who stays is in the cluster of those who left for it.
fn clusters<'a>(evicted: &[Evicted], entries: &'a [Experience]) -> Vec<Vec<&'a Experience>> {
    let kept_instead: BTreeMap<u64, Option<u64>> = evicted.iter().map(|gone| (gone.id, gone.kept_instead)).collect();
    let mut clusters: BTreeMap<u64, Vec<&Experience>> = BTreeMap::new();
    for entry in entries.iter().filter(|entry| !entry.pinned) {
        let kept = kept_instead.get(&entry.id).copied().flatten().unwrap_or(entry.id);
        clusters.entry(kept).or_default().push(entry);
    }
    clusters.into_values().collect()
}

fn inertia_of(clusters: &[Vec<&Experience>]) -> f64 {
    clusters.iter().map(|members| sum_of_squares(members)).sum()
}

/// About the mean: the pairwise squared distances, shared out over the members.
fn sum_of_squares(members: &[&Experience]) -> f64 {
    let squares = members.iter().flat_map(|a| members.iter().map(|b| a.embedding.distance(&b.embedding).powi(2)));
    squares.sum::<f64>() / (2.0 * members.len() as f64)
}

/// k-means against every partition there is: never better, seldom worse, and exact where the clusters are plain.
#[test]
fn eq_diversity_compression_is_near_the_best_of_all_partitions() {
    #[derive(Deserialize)]
    struct Best {
        inertia: f64,
    }
    let Some(mut oracle) = Oracle::start("k-means") else { return };
    let mut random = Random::new(15);
    let (mut optimal, mut all) = (0, 0);
    for round in 0..150 {
        let plain = round % 3 == 0;
        let (places, size) = (2 + random.below(2), 5 + random.below(3));
        let entries: Vec<Experience> = (0..size).map(|place| point(place, places, plain, &mut random)).collect();
        let settings = Settings { strategy: Strategy::Diversity, capacity: places, ..Settings::default() };
        let case = Case { library: Drawn { entries, now: 0, vectors: draw::Vectors::default() }, settings };
        let points: Vec<Vec<f64>> =
            case.library.entries.iter().map(|entry| vector_on_the_wire(&entry.embedding)).collect();
        let question = json!({"do": "kmeans_best", "points": points, "clusters": places});
        let best: Best = oracle.ask(&question).expect("a clustering");
        let found = inertia_of(&clusters(&case.ours().expect("nothing is pinned"), &case.library.entries));
        let is_best = found <= best.inertia + FIGURES;
        assert!(found >= best.inertia - FIGURES, "better than the best: {found} against {}", best.inertia);
        assert!(found <= best.inertia * 1.5 + FIGURES, "far from the best: {found} against {}", best.inertia);
        assert!(is_best || !plain, "plain clusters missed: {found} against {}", best.inertia);
        optimal += usize::from(is_best);
        all += 1;
    }
    assert!(optimal * 10 >= all * 8, "only {optimal} of {all} clusterings are the best there is");
}

/// Anywhere, or close to the axis of one of the `places`.
fn point(place: usize, places: usize, plain: bool, random: &mut Random) -> Experience {
    let mut coordinates: [f64; RANK] = std::array::from_fn(|_| 0.2 * (random.unit() - 0.5));
    coordinates[place % places] += 1.0;
    let embedding = if plain { towards(&coordinates) } else { draw::direction(random) };
    Experience { embedding, ..entry(place as u64 + 1) }
}
