//! Retrieval a second time, from the specification, slow and obvious.

use docet_core::domains;
use docet_core::experience::Experience;
use docet_core::retrieval::{DomainChoice, DomainsFrom, Ranked, Ranking, Search};

/// What [`docet_core::retrieval::rank`] must answer.
pub(crate) fn search(entries: &[Experience], search: &Search) -> Ranking {
    let (domains, domains_from) = match &search.domains {
        DomainChoice::All => (Vec::new(), DomainsFrom::All),
        DomainChoice::Named(names) => (names.clone(), DomainsFrom::Caller),
        DomainChoice::Infer(thresholds) => {
            let labelled = entries.iter().map(|entry| (&entry.domain, &entry.embedding));
            (domains::infer(&search.query, labelled, thresholds), DomainsFrom::Inferred)
        }
    };

    let (mut eligible, mut filtered_by_domain, mut already_given, mut below_min_score) = (0, 0, 0, 0);
    let mut left: Vec<Ranked> = Vec::new();
    for entry in entries {
        if !domains.is_empty() && !domains.contains(&entry.domain) {
            filtered_by_domain += 1;
            continue;
        }
        eligible += 1;
        let similarity = entry.embedding.cosine(&search.query);
        let confidence = entry.confidence.get();
        let score = (1.0 - search.confidence_weight) * similarity + search.confidence_weight * confidence;
        let given = |id, text: &str| search.given.iter().any(|receipt| receipt.id == id || receipt.text == text);
        if given(entry.id, entry.text.as_str()) {
            already_given += 1;
        } else if search.min_score.is_some_and(|floor| score < floor) {
            below_min_score += 1;
        } else {
            let (text, domain) = (entry.text.as_str().to_owned(), entry.domain.clone());
            left.push(Ranked { id: entry.id, text, domain, similarity, confidence, score, same_as: Vec::new() });
        }
    }

    // One pass a place: the best of those that are left, then its copies behind it.
    let mut best: Vec<Ranked> = Vec::new();
    while best.len() < search.top_k && !left.is_empty() {
        let mut first = left.remove(position_of_best(entries, &left));
        let mut copies: Vec<Ranked> = Vec::new();
        left.retain(|other| {
            let is_copy = other.text == first.text;
            if is_copy {
                copies.push(other.clone());
            }
            !is_copy
        });
        while !copies.is_empty() {
            first.same_as.push(copies.remove(position_of_best(entries, &copies)).id);
        }
        best.push(first);
    }
    let shortfall = search.top_k - best.len();
    Ranking { best, domains, domains_from, eligible, filtered_by_domain, already_given, below_min_score, shortfall }
}

fn position_of_best(entries: &[Experience], candidates: &[Ranked]) -> usize {
    let mut position = 0;
    for other in 1..candidates.len() {
        if is_better(entries, &candidates[other], &candidates[position]) {
            position = other;
        }
    }
    position
}

/// Score, then confidence, usage and epoch, the higher first, then the lower id.
fn is_better(entries: &[Experience], a: &Ranked, b: &Ranked) -> bool {
    let entry = |ranked: &Ranked| entries.iter().find(|entry| entry.id == ranked.id).unwrap();
    let (x, y) = (entry(a), entry(b));
    if a.score != b.score {
        a.score > b.score
    } else if a.confidence != b.confidence {
        a.confidence > b.confidence
    } else if x.usage_count != y.usage_count {
        x.usage_count > y.usage_count
    } else if x.epoch != y.epoch {
        x.epoch > y.epoch
    } else {
        x.id < y.id
    }
}
