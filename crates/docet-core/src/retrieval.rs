//! Retrieval: filter by domain, blend similarity with confidence, take the best (`eq:retrieval-score`,
//! `eq:conf-weighted-score`).

use std::cmp::Ordering;
use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use crate::domains::{self, DomainThresholds};
use crate::embedding::Embedding;
use crate::experience::{Domain, Experience, ExperienceId};
use crate::session::Receipt;

/// One look-up.
#[derive(Clone, Debug, PartialEq)]
pub struct Search {
    /// The task's vector.
    pub query: Embedding,
    /// How many to return at most, `K`.
    pub top_k: usize,
    /// The weight of confidence, 0 to 1.
    pub confidence_weight: f64,
    /// The least score that is returned.
    pub min_score: Option<f64>,
    /// Which domains are eligible.
    pub domains: DomainChoice,
    /// What the session was already given.
    pub given: Vec<Receipt>,
}

/// Which domains are eligible, `D_x`.
#[derive(Clone, Debug, PartialEq)]
pub enum DomainChoice {
    /// These, taken literally.
    Named(Vec<Domain>),
    /// Every one.
    All,
    /// Those that the query itself points to; every one where that is not clear.
    Infer(DomainThresholds),
}

/// Where the eligible domains came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DomainsFrom {
    /// Named by the caller.
    Caller,
    /// Inferred from the query.
    Inferred,
    /// The caller said all.
    All,
}

/// The answer to a [`Search`], with what it left out.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ranking {
    /// The best first.
    pub best: Vec<Ranked>,
    /// The eligible domains; empty where all are.
    pub domains: Vec<Domain>,
    /// Where they came from.
    pub domains_from: DomainsFrom,
    /// Entries of those domains. With `filtered_by_domain` it makes up the library.
    pub eligible: usize,
    /// Entries of other domains.
    pub filtered_by_domain: usize,
    /// Eligible entries that the session already has, they or their text.
    pub already_given: usize,
    /// Of the rest, those below the floor.
    pub below_min_score: usize,
    /// How many fewer than `top_k` were found.
    pub shortfall: usize,
}

/// One entry with its scores.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ranked {
    /// The entry.
    pub id: ExperienceId,
    /// Its text.
    pub text: String,
    /// Its domain.
    pub domain: Domain,
    /// Cosine to the query, [-1, 1].
    pub similarity: f64,
    /// Its confidence.
    pub confidence: f64,
    /// The blend of both, by which entries are ranked.
    pub score: f64,
    /// Entries of equal text that rank lower and are not returned themselves, in rank order.
    pub same_as: Vec<ExperienceId>,
}

/// Ranks `entries` for a search: the specification of every store's own search.
pub fn rank(entries: &[Experience], search: &Search) -> Ranking {
    let (domains, domains_from) = eligible_domains(entries, search);
    let is_eligible = |entry: &&Experience| domains.is_empty() || domains.contains(&entry.domain);
    let eligible: Vec<&Experience> = entries.iter().filter(is_eligible).collect();
    let fresh: Vec<&Experience> = eligible.iter().copied().filter(|entry| !is_given(entry, &search.given)).collect();
    let mut scored: Vec<Scored<'_>> = fresh
        .iter()
        .map(|entry| score(entry, search))
        .filter(|scored| search.min_score.is_none_or(|floor| scored.score >= floor))
        .collect();
    let passed = scored.len();
    scored.sort_unstable_by(better_first);
    let best = take_best(&scored, search.top_k);
    Ranking {
        domains_from,
        eligible: eligible.len(),
        filtered_by_domain: entries.len() - eligible.len(),
        already_given: eligible.len() - fresh.len(),
        below_min_score: fresh.len() - passed,
        shortfall: search.top_k - best.len(),
        domains,
        best,
    }
}

/// `(1 - w) similarity + w c`, the blend of `eq:conf-weighted-score`.
pub fn blend(similarity: f64, confidence: f64, confidence_weight: f64) -> f64 {
    (1.0 - confidence_weight) * similarity + confidence_weight * confidence
}

fn eligible_domains(entries: &[Experience], search: &Search) -> (Vec<Domain>, DomainsFrom) {
    match &search.domains {
        DomainChoice::Named(domains) => (domains.clone(), DomainsFrom::Caller),
        DomainChoice::All => (Vec::new(), DomainsFrom::All),
        DomainChoice::Infer(thresholds) => {
            let labelled = entries.iter().map(|entry| (&entry.domain, &entry.embedding));
            (domains::infer(&search.query, labelled, thresholds), DomainsFrom::Inferred)
        }
    }
}

fn is_given(entry: &Experience, given: &[Receipt]) -> bool {
    given.iter().any(|receipt| receipt.id == entry.id || receipt.text == entry.text.as_str())
}

struct Scored<'a> {
    entry: &'a Experience,
    similarity: f64,
    score: f64,
}

fn score<'a>(entry: &'a Experience, search: &Search) -> Scored<'a> {
    let similarity = entry.embedding.cosine(&search.query);
    Scored { entry, similarity, score: blend(similarity, entry.confidence.get(), search.confidence_weight) }
}

/// The rank order: score, then confidence, usage and epoch, each higher first, then the lower id. It is total.
fn better_first(a: &Scored<'_>, b: &Scored<'_>) -> Ordering {
    let by = |a: f64, b: f64| b.total_cmp(&a);
    by(a.score, b.score)
        .then_with(|| by(a.entry.confidence.get(), b.entry.confidence.get()))
        .then_with(|| b.entry.usage_count.cmp(&a.entry.usage_count))
        .then_with(|| b.entry.epoch.cmp(&a.entry.epoch))
        .then_with(|| a.entry.id.cmp(&b.entry.id))
}

/// The first `top_k` different texts, each with the entries of equal text behind it.
fn take_best(scored: &[Scored<'_>], top_k: usize) -> Vec<Ranked> {
    let mut best: Vec<Ranked> = Vec::new();
    let mut place_of: HashMap<&str, usize> = HashMap::new();
    for candidate in scored {
        let text = candidate.entry.text.as_str();
        match place_of.get(text) {
            Some(&place) => best[place].same_as.push(candidate.entry.id),
            None if best.len() < top_k => {
                place_of.insert(text, best.len());
                best.push(ranked(candidate));
            }
            None => {}
        }
    }
    best
}

fn ranked(scored: &Scored<'_>) -> Ranked {
    let entry = scored.entry;
    Ranked {
        id: entry.id,
        text: entry.text.as_str().to_owned(),
        domain: entry.domain.clone(),
        similarity: scored.similarity,
        confidence: entry.confidence.get(),
        score: scored.score,
        same_as: Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(id: ExperienceId, coordinates: &[f32]) -> Experience {
        Experience { embedding: Embedding::towards(coordinates), ..Experience::plain(id) }
    }

    fn search() -> Search {
        Search {
            query: Embedding::towards(&[1.0, 0.0]),
            top_k: 5,
            confidence_weight: 0.0,
            min_score: None,
            domains: DomainChoice::All,
            given: Vec::new(),
        }
    }

    fn ids(ranking: &Ranking) -> Vec<ExperienceId> {
        ranking.best.iter().map(|best| best.id).collect()
    }

    #[test]
    fn eq_conf_weighted_score_by_hand() {
        // `eq:conf-weighted-score`, (similarity, c, w, score):
        // 0.8 * 0.6 + 0.2 * 0.9 = 0.48 + 0.18;  0.8 * -0.5 + 0.2 * 0.5 = -0.4 + 0.1
        let table = [(0.6, 0.9, 0.2, 0.66), (-0.5, 0.5, 0.2, -0.3), (0.6, 0.9, 0.0, 0.6), (0.6, 0.9, 1.0, 0.9)];
        for (similarity, confidence, weight, score) in table {
            assert!((blend(similarity, confidence, weight) - score).abs() < 1e-12, "{score}");
        }
    }

    #[test]
    fn eq_retrieval_score_by_hand() {
        // `eq:retrieval-score`, q = (1, 0): the cosine is the first coordinate of the unit vector.
        // (3, 4) / 5 -> 0.6;  (1, 0) -> 1;  (0, 1) -> 0;  (-1, 0) -> -1
        let entries = [at(1, &[3.0, 4.0]), at(2, &[1.0, 0.0]), at(3, &[0.0, 1.0]), at(4, &[-1.0, 0.0])];
        let ranking = rank(&entries, &search());
        assert_eq!(ids(&ranking), [2, 1, 3, 4]);
        for (best, expected) in ranking.best.iter().zip([1.0, 0.6, 0.0, -1.0]) {
            assert!((best.similarity - expected).abs() < 1e-7 && best.score == best.similarity, "{best:?}");
        }
        // By w = 0.2, trust turns the first two: 0.8 * 0.6 + 0.2 * 0.95 = 0.67 against 0.8 * 0.7 + 0.2 * 0.5 = 0.66.
        let trusted = [at(1, &[0.6, 0.8]).with_confidence(0.95), at(2, &[0.7, 0.714_142_8])];
        assert_eq!(ids(&rank(&trusted, &search())), [2, 1]);
        assert_eq!(ids(&rank(&trusted, &Search { confidence_weight: 0.2, ..search() })), [1, 2]);
    }

    #[test]
    fn ties_go_by_confidence_usage_epoch_and_id() {
        let plain = Experience::plain;
        let entries = [
            plain(1),
            plain(2),
            Experience { epoch: 1, ..plain(3) },
            Experience { usage_count: 1, ..plain(4) },
            plain(5).with_confidence(0.6),
        ];
        assert_eq!(ids(&rank(&entries, &search())), [5, 4, 3, 1, 2]);
    }

    #[test]
    fn what_is_left_out_is_counted_in_order() {
        let web = |entry| Experience { domain: Domain::parse("web").unwrap(), ..entry };
        let twin = |id| Experience { text: Experience::plain(3).text, ..Experience::plain(id) };
        // 1 is of another domain, 2 was given, 3 is the best, 4 says the same, 5 is under the floor, 6 and 7 compete.
        let entries = [
            Experience::plain(1),
            web(Experience::plain(2)),
            web(Experience::plain(3)),
            web(twin(4)),
            web(at(5, &[0.1, 0.9])),
            web(at(6, &[0.9, 0.1])),
            web(at(7, &[0.8, 0.2])),
        ];
        let narrow = Search {
            top_k: 2,
            min_score: Some(0.5),
            domains: DomainChoice::Named(vec![Domain::parse("web").unwrap()]),
            given: vec![Receipt { id: 2, text: "as it was".to_owned() }],
            ..search()
        };
        let ranking = rank(&entries, &narrow);
        assert_eq!((ids(&ranking), &ranking.best[0].same_as[..]), (vec![3, 6], &[4][..]));
        assert_eq!((ranking.eligible, ranking.filtered_by_domain), (6, 1));
        assert_eq!((ranking.already_given, ranking.below_min_score, ranking.shortfall), (1, 1, 0));
        let wide = rank(&entries, &Search { top_k: 9, ..narrow });
        assert_eq!((ids(&wide), wide.shortfall), (vec![3, 6, 7], 6));
    }
}
