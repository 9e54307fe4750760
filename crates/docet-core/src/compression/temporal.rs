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

#[cfg(test)]
mod tests {
    use super::super::tests::{evicted, leaving};
    use crate::experience::Experience;
    use crate::settings::{AgeFrom, Settings, Strategy};

    const NOW: u64 = 1_000;

    fn settings(capacity: usize) -> Settings {
        Settings { strategy: Strategy::Temporal, capacity, max_discard: 1.0, ..Settings::default() }
    }

    fn aged(id: u64, age: u64) -> Experience {
        Experience { epoch: NOW - age, ..Experience::plain(id) }
    }

    #[test]
    fn eq_temporal_decay_by_hand() {
        // `eq:temporal-decay`, r = 0.05: exp(-0.5) = 0.606530660, exp(-2.3) = 0.100258844, exp(-2.35) = 0.095369162
        let table = [(0, 1.0), (10, 0.606_530_660), (46, 0.100_258_844), (47, 0.095_369_162)];
        for (age, weight) in table {
            let figure = evicted(&[aged(1, age)], &settings(0), NOW)[0].time_weight.unwrap();
            assert!((figure - weight).abs() < 1e-9, "{age}: {figure}");
        }
    }

    #[test]
    fn what_weighs_less_than_the_least_leaves_and_the_oldest_first() {
        // 46 epochs still weigh more than 0.1, 47 do not.
        let entries = [aged(1, 47), aged(2, 46), aged(3, 900), aged(4, 0), aged(5, 48)];
        let off = Settings { min_time_weight: 0.0, ..settings(4) };
        // max(ceil(0.2 * 5), 5 - 4) = 1
        let bounded = Settings { max_discard: 0.2, ..settings(4) };
        let table = [(settings(4), vec![3, 5, 1]), (bounded, vec![3]), (off, vec![3]), (settings(1), vec![3, 5, 1, 2])];
        for (settings, expected) in table {
            assert_eq!(leaving(&entries, &settings, NOW), expected, "{settings:?}");
        }
    }

    #[test]
    fn age_is_never_negative_and_may_start_anew() {
        let helped = Experience { last_improved: Some(NOW - 1), ..aged(1, 900) };
        let helped_before_it_was_rewritten = Experience { last_improved: Some(1), ..aged(2, 20) };
        let ahead = Experience { epoch: NOW + 7, ..Experience::plain(3) };
        let entries = [helped, helped_before_it_was_rewritten, ahead];
        assert_eq!(leaving(&entries, &settings(1), NOW), [2, 1]);
        let by_the_letter = Settings { age_from: AgeFrom::Created, ..settings(1) };
        assert_eq!(leaving(&entries, &by_the_letter, NOW), [1, 2]);
        assert_eq!(evicted(&entries[2..], &settings(0), NOW)[0].time_weight, Some(1.0));
    }

    #[test]
    fn weights_that_underflow_still_differ() {
        let now = 2_000_000;
        let old = |id, epoch| Experience { epoch, ..Experience::plain(id) };
        let gone = evicted(&[old(1, 1), old(2, 0), old(3, now)], &settings(1), now);
        assert_eq!(
            gone.iter().map(|entry| (entry.id, entry.time_weight)).collect::<Vec<_>>(),
            [(2, Some(0.0)), (1, Some(0.0))]
        );
    }
}
