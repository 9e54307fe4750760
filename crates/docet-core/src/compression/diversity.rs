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
