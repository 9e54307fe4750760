//! Compression: which entries leave a library that is over its capacity (`sec:compression`).
//!
//! A strategy is pure: it names those who leave, in order, with the figures that decided it. Whether they really leave
//! is the caller's business, which is why a dry run is the same call.

mod diversity;
mod hybrid;
mod importance;
mod temporal;

use std::cmp::Ordering;
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::error::{Code, Refusal};
use crate::experience::{Experience, ExperienceId};
use crate::settings::{AgeFrom, Settings, Strategy};

/// What a compression is asked.
#[derive(Clone, Copy, Debug)]
pub struct Compression<'a> {
    /// The whole library, by id.
    pub entries: &'a [Experience],
    /// Entries that stay beside the pinned ones.
    pub spared: &'a BTreeSet<ExperienceId>,
    /// The most entries afterwards.
    pub capacity: usize,
    /// The library's epoch, `k_now`.
    pub epoch: u64,
    /// Strategy, seed and constants.
    pub settings: &'a Settings,
}

/// One entry that leaves, with the figures that decided it. Those that its strategy does not use are absent.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Evicted {
    /// The entry.
    pub id: ExperienceId,
    /// Its text.
    pub text: String,
    /// Its confidence, `c`.
    pub confidence: f64,
    /// How often it was applied, `u`.
    pub usage_count: u64,
    /// When its text was written, `k`.
    pub epoch: u64,
    /// `w` of `eq:temporal-decay`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_weight: Option<f64>,
    /// The distance to its nearest neighbour when it left, of `eq:hybrid-utility`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub distance: Option<f64>,
    /// `U` of `eq:hybrid-utility` when it left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub utility: Option<f64>,
    /// The number of its cluster, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cluster: Option<usize>,
    /// The entry of that cluster that stays.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_instead: Option<ExperienceId>,
}

/// Names the entries that leave, in the order of leaving; none where the library is within its capacity.
///
/// # Errors
/// `capacity_pinned` where the entries that must stay are more than the capacity.
pub fn compress(compression: &Compression<'_>) -> Result<Vec<Evicted>, Refusal> {
    let kept = compression.kept().count();
    if kept > compression.capacity {
        return Err(capacity_pinned(compression.capacity, kept));
    }
    if compression.entries.len() <= compression.capacity {
        return Ok(Vec::new());
    }
    Ok(match compression.settings.strategy {
        Strategy::Diversity => diversity::evict(compression),
        Strategy::Importance => importance::evict(compression),
        Strategy::Temporal => temporal::evict(compression),
        Strategy::Hybrid => hybrid::evict(compression),
    })
}

/// The refusal of a capacity below the number of entries that must stay.
pub fn capacity_pinned(capacity: usize, kept: usize) -> Refusal {
    let message =
        format!("capacity {capacity} is below the {kept} pinned entries; unpin some, or allow {kept} or more");
    Refusal::new(Code::CapacityPinned, message).field("capacity").value(capacity).allowed(format!("{kept} or more"))
}

impl<'a> Compression<'a> {
    fn is_kept(&self, entry: &Experience) -> bool {
        entry.pinned || self.spared.contains(&entry.id)
    }

    fn kept(&self) -> impl Iterator<Item = &'a Experience> {
        let this = *self;
        self.entries.iter().filter(move |entry| this.is_kept(entry))
    }

    fn unpinned(&self) -> impl Iterator<Item = &'a Experience> {
        let this = *self;
        self.entries.iter().filter(move |entry| !this.is_kept(entry))
    }

    /// How many entries the library holds too many.
    fn excess(&self) -> usize {
        self.entries.len().saturating_sub(self.capacity)
    }

    /// How old an entry is where age counts: `k_now - k`, never below 0.
    fn age(&self, entry: &Experience) -> u64 {
        let improved = match self.settings.age_from {
            AgeFrom::Improved => entry.last_improved.unwrap_or(0),
            AgeFrom::Created => 0,
        };
        self.epoch.saturating_sub(entry.epoch.max(improved))
    }

    /// `exp(-r age)` of `eq:temporal-decay`.
    fn time_weight(&self, entry: &Experience) -> f64 {
        (-self.settings.decay_rate * self.age(entry) as f64).exp()
    }
}

/// A share of `count`, rounded up; a product that is whole but for rounding counts as whole.
fn share(fraction: f64, count: usize) -> usize {
    (fraction * count as f64 - 1e-9).ceil().max(0.0) as usize
}

/// The weaker first: lower confidence, then lower usage, then older text, then lower id. It is total.
fn weaker_first(a: &Experience, b: &Experience) -> Ordering {
    a.confidence
        .get()
        .total_cmp(&b.confidence.get())
        .then_with(|| a.usage_count.cmp(&b.usage_count))
        .then_with(|| a.epoch.cmp(&b.epoch))
        .then_with(|| a.id.cmp(&b.id))
}

/// An entry that leaves, without any strategy's figures.
fn evicted(entry: &Experience) -> Evicted {
    Evicted {
        id: entry.id,
        text: entry.text.as_str().to_owned(),
        confidence: entry.confidence.get(),
        usage_count: entry.usage_count,
        epoch: entry.epoch,
        time_weight: None,
        distance: None,
        utility: None,
        cluster: None,
        kept_instead: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Who leaves, with figures.
    pub(super) fn evicted(entries: &[Experience], settings: &Settings, epoch: u64) -> Vec<Evicted> {
        let (spared, capacity) = (BTreeSet::new(), settings.capacity);
        compress(&Compression { entries, spared: &spared, capacity, epoch, settings }).unwrap()
    }

    /// The ids of those who leave, in order.
    pub(super) fn leaving(entries: &[Experience], settings: &Settings, epoch: u64) -> Vec<ExperienceId> {
        evicted(entries, settings, epoch).into_iter().map(|gone| gone.id).collect()
    }

    #[test]
    fn shares_are_rounded_up_but_for_rounding() {
        // 0.2 * 7 = 1.4; 0.28 * 25 = 7.000000000000001 and 0.55 * 100 = 55.00000000000001 in doubles
        let table = [(0.2, 5, 1), (0.2, 7, 2), (0.28, 25, 7), (0.55, 100, 55), (0.0, 9, 0), (1.0, 9, 9), (0.5, 0, 0)];
        for (fraction, count, expected) in table {
            assert_eq!(share(fraction, count), expected, "{fraction} of {count}");
        }
    }

    #[test]
    fn whatever_the_strategy_the_spared_stay_and_too_many_of_them_are_refused() {
        let entries: Vec<Experience> =
            (1..=6).map(|id| Experience { pinned: id == 2, ..Experience::plain(id) }).collect();
        let spared = BTreeSet::from([1, 3]);
        for strategy in [Strategy::Diversity, Strategy::Importance, Strategy::Temporal, Strategy::Hybrid] {
            let settings = Settings { strategy, ..Settings::default() };
            let to = |capacity| {
                compress(&Compression { entries: &entries, spared: &spared, capacity, epoch: 0, settings: &settings })
            };
            let gone: BTreeSet<ExperienceId> = to(3).unwrap().iter().map(|gone| gone.id).collect();
            assert_eq!(gone, BTreeSet::from([4, 5, 6]), "{strategy:?}");
            assert_eq!(to(6).unwrap(), [], "{strategy:?}");
            let refusal = to(2).unwrap_err();
            assert_eq!((refusal.code, refusal.allowed.as_deref()), (Code::CapacityPinned, Some("3 or more")));
        }
    }
}
