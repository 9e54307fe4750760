//! Temporal decay compression: what nobody renewed leaves (`eq:temporal-decay`).

use super::{Compression, Evicted, evicted, share, weaker_first};
use crate::experience::Experience;

/// The oldest leave: those whose time weight `exp(-r age)` is below the least one, at most
/// `max(ceil(max_discard m), n - capacity)` of them, and as many more as the capacity demands.
///
/// Weights are compared as ages, so that nothing underflows.
pub(super) fn evict(compression: &Compression<'_>) -> Vec<Evicted> {
    let mut unpinned: Vec<&Experience> = compression.unpinned().collect();
    unpinned.sort_unstable_by(|a, b| compression.age(b).cmp(&compression.age(a)).then_with(|| weaker_first(a, b)));
    let excess = compression.excess();
    let bound = share(compression.settings.max_discard, unpinned.len()).max(excess);
    let stale = unpinned.iter().take_while(|entry| is_stale(compression, entry)).count();
    let leaving = stale.min(bound).max(excess);
    unpinned.into_iter().take(leaving).map(|entry| figures(compression, entry)).collect()
}

/// Whether `exp(-r age) < w_min`.
fn is_stale(compression: &Compression<'_>, entry: &Experience) -> bool {
    let settings = compression.settings;
    settings.decay_rate * compression.age(entry) as f64 > -settings.min_time_weight.ln()
}

fn figures(compression: &Compression<'_>, entry: &Experience) -> Evicted {
    Evicted { time_weight: Some(compression.time_weight(entry)), ..evicted(entry) }
}
