//! Importance compression: the least trusted leave (`eq:importance-compression`).
//!
//! The source's prose discards the lowest share, its formula keeps the highest; this follows the prose. It is a cut by
//! rank, since a threshold drops nobody where confidences are equal, which is every fresh library.

use super::{Compression, Evicted, evicted, share, weaker_first};
use crate::experience::Experience;

/// The weakest `max(ceil(p m), n - capacity)` of the m unpinned.
pub(super) fn evict(compression: &Compression<'_>) -> Vec<Evicted> {
    let mut unpinned: Vec<&Experience> = compression.unpinned().collect();
    unpinned.sort_unstable_by(|a, b| weaker_first(a, b));
    let leaving = share(compression.settings.discard_fraction, unpinned.len()).max(compression.excess());
    unpinned.into_iter().take(leaving).map(evicted).collect()
}
