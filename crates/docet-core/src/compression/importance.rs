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
        // `eq:importance-compression`: m = 25, confidences 0.1, 0.13 and so on by id.
        // (p, capacity): max(ceil(p m), n - capacity) leave
        let table = [
            (0.2, 24, 5),  // max(5, 1)
            (0.2, 10, 15), // max(5, 15)
            (0.25, 24, 7), // ceil(6.25)
            (0.28, 24, 7), // 0.28 * 25 is 7.000000000000001 in doubles, and still 7
            (0.0, 24, 1),  // exactly to capacity
            (0.99, 24, 25),
        ];
        let entries: Vec<Experience> =
            (1..=25_u8).map(|id| Experience::plain(id.into()).with_confidence(0.07 + 0.03 * f64::from(id))).collect();
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
