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

#[cfg(test)]
mod tests {
    use super::super::tests::leaving;
    use crate::experience::Experience;
    use crate::settings::{Settings, Strategy};

    fn settings(discard_fraction: f64, capacity: usize) -> Settings {
        Settings { strategy: Strategy::Importance, discard_fraction, capacity, ..Settings::default() }
    }

    #[test]
    fn eq_importance_compression_by_hand() {
        // `eq:importance-compression`: m = 10, confidences 0.1 to 0.55 by id.
        // (p, capacity): max(ceil(p m), n - capacity) leave
        let table = [
            (0.2, 9, 2),  // max(2, 1)
            (0.2, 5, 5),  // max(2, 5)
            (0.25, 9, 3), // ceil(2.5)
            (0.7, 9, 7),  // 0.7 * 10 is 7.000000000000001 in doubles, and still 7
            (0.0, 9, 1),  // exactly to capacity
            (0.99, 9, 10),
        ];
        let entries: Vec<Experience> =
            (1..=10_u8).map(|id| Experience::plain(id.into()).with_confidence(0.05 + 0.05 * f64::from(id))).collect();
        for (share, capacity, count) in table {
            let expected: Vec<u64> = (1..=count).collect();
            assert_eq!(leaving(&entries, &settings(share, capacity), 0), expected, "{share} to {capacity}");
        }
    }

    #[test]
    fn the_weaker_leave_first_and_the_pinned_stay() {
        let plain = Experience::plain;
        let entries = [
            Experience { pinned: true, ..plain(1).with_confidence(0.1) },
            plain(2).with_confidence(0.6),
            Experience { usage_count: 1, ..plain(3) },
            Experience { epoch: 1, ..plain(4) },
            plain(5),
            plain(6),
        ];
        assert_eq!(leaving(&entries, &settings(0.0, 1), 9), [5, 6, 4, 3, 2]);
    }
}
