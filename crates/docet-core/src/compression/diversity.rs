//! Diversity compression: one entry a cluster stays (`eq:diversity-compression`).

use super::{Compression, Evicted, evicted, weaker_first};
use crate::experience::Experience;
use crate::kmeans;

/// The most points that start from Ward's merging, whose memory grows with their square.
const MAX_WARD: usize = 5_000;

/// Of each cluster of the unpinned the one of highest confidence stays, of equals the stronger; the others leave, by
/// cluster and the weaker first. Entries that must stay take their places beforehand and are in no cluster.
pub(super) fn evict(compression: &Compression<'_>) -> Vec<Evicted> {
    let unpinned: Vec<&Experience> = compression.unpinned().collect();
    let places = compression.capacity - compression.kept().count();
    let points: Vec<&[f32]> = unpinned.iter().map(|entry| entry.embedding.as_slice()).collect();
    let start = if points.len() <= MAX_WARD {
        kmeans::ward_start(&points, places)
    } else {
        kmeans::plus_plus_start(&points, places, compression.settings.seed)
    };
    let cluster_of = kmeans::lloyd(&points, start);

    let mut members: Vec<Vec<&Experience>> = vec![Vec::new(); places.max(1)];
    for (entry, cluster) in unpinned.into_iter().zip(cluster_of) {
        members[cluster].push(entry);
    }
    members.into_iter().enumerate().flat_map(|(cluster, entries)| all_but_best(cluster, entries, places > 0)).collect()
}

fn all_but_best(cluster: usize, mut entries: Vec<&Experience>, keeps_one: bool) -> Vec<Evicted> {
    entries.sort_unstable_by(|a, b| weaker_first(a, b));
    let kept = if keeps_one { entries.pop() } else { None };
    let figures = |entry: &Experience| Evicted {
        cluster: keeps_one.then_some(cluster),
        kept_instead: kept.map(|best| best.id),
        ..evicted(entry)
    };
    entries.into_iter().map(figures).collect()
}

#[cfg(test)]
mod tests {
    use super::super::tests::{evicted, leaving};
    use crate::embedding::Embedding;
    use crate::experience::Experience;
    use crate::settings::{Settings, Strategy};

    fn settings(capacity: usize) -> Settings {
        Settings { strategy: Strategy::Diversity, capacity, ..Settings::default() }
    }

    fn at(id: u64, degrees: f32, confidence: f64) -> Experience {
        let (sine, cosine) = degrees.to_radians().sin_cos();
        Experience { embedding: Embedding::towards(&[cosine, sine]), ..Experience::plain(id) }
            .with_confidence(confidence)
    }

    #[test]
    fn eq_diversity_compression_by_hand() {
        // `eq:diversity-compression`: two bundles on the circle, around 0 and 90 degrees, numbered by their lowest id.
        // Cluster 0 is {1, 3, 5}: 3 is the most trusted. Cluster 1 is {2, 4}: 2 is.
        let entries = [at(1, 0.0, 0.3), at(2, 90.0, 0.8), at(3, 4.0, 0.9), at(4, 87.0, 0.7), at(5, -3.0, 0.2)];
        let gone = evicted(&entries, &settings(2), 0);
        let figures: Vec<_> = gone.iter().map(|gone| (gone.id, gone.cluster, gone.kept_instead)).collect();
        assert_eq!(figures, [(5, Some(0), Some(3)), (1, Some(0), Some(3)), (4, Some(1), Some(2))]);
    }

    #[test]
    fn of_equally_trusted_ones_the_stronger_stays() {
        let entries = [at(1, 0.0, 0.5), Experience { usage_count: 1, ..at(2, 0.0, 0.5) }, at(3, 0.0, 0.5)];
        assert_eq!(leaving(&entries, &settings(1), 0), [1, 3]);
    }

    #[test]
    fn the_pinned_take_their_places_first() {
        let pinned = |entry| Experience { pinned: true, ..entry };
        let entries = [pinned(at(1, 0.0, 0.1)), at(2, 0.0, 0.9), at(3, 90.0, 0.2), at(4, 88.0, 0.3)];
        assert_eq!(leaving(&entries, &settings(3), 0), [3]);
        assert_eq!(leaving(&entries, &settings(2), 0), [3, 4]);
        let gone = evicted(&entries, &settings(1), 0);
        assert_eq!(
            gone.iter().map(|gone| (gone.id, gone.cluster)).collect::<Vec<_>>(),
            [(3, None), (4, None), (2, None)]
        );
    }

    #[test]
    fn beyond_five_thousand_entries_the_seed_decides_the_start() {
        let spread = |id: u64| at(id, (id % 3) as f32 * 120.0 + (id % 7) as f32 * 0.1, 0.5);
        let entries: Vec<Experience> = (1..=5_001).map(spread).collect();
        let of_seed = |seed| leaving(&entries, &Settings { seed, ..settings(3) }, 0);
        let gone = of_seed(1);
        assert_eq!(gone, of_seed(1));
        assert!((4_998..5_001).contains(&gone.len()), "{}", gone.len());
    }
}
