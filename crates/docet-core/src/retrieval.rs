//! Retrieval: filter by domain, blend similarity with confidence, take the best (`eq:retrieval-score`,
//! `eq:conf-weighted-score`).

use std::cmp::Ordering;
use std::collections::HashMap;

use serde::Serialize;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
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
#[derive(Clone, Debug, PartialEq)]
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
#[derive(Clone, Debug, PartialEq)]
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
