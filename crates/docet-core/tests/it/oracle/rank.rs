//! Ranking: `eq:retrieval-score` filtered by domain, blended by `eq:conf-weighted-score`.

use docet_core::experience::Domain;
use docet_core::retrieval::{DomainChoice, Ranking, Search, rank};
use docet_core::session::Receipt;
use serde::Deserialize;
use serde_json::{Value, json};

use super::draw::{self, DOMAINS, Drawn, Random};
use super::{Compared, Oracle, ROUNDING, Tally, close, entries_on_the_wire, same, vector_on_the_wire};
use crate::world::domain;

#[derive(Debug, Deserialize)]
struct Answer {
    guidelines: Vec<Guideline>,
    eligible: usize,
    filtered_by_domain: usize,
    already_given: usize,
    below_min_score: usize,
    shortfall: usize,
}

#[derive(Debug, Deserialize)]
struct Guideline {
    id: u64,
    similarity: f64,
    score: f64,
    same_as: Vec<u64>,
}

#[test]
fn eq_conf_weighted_score_and_eq_retrieval_score_rank_as_the_oracle_does() {
    let Some(mut oracle) = Oracle::start("ranking") else { return };
    let mut random = Random::new(1);
    let mut tally = Tally::default();
    for round in 0..3_000 {
        let size = if round % 100 == 0 { 60 } else { draw::size(&mut random) };
        let library = draw::library(&mut random, size);
        let search = draw_search(&library, &mut random);
        let question = question(&library, &search);
        let answer: Answer = oracle.ask(&question).expect("a search is never refused");
        let ranking = rank(&library.entries, &search);
        tally.note(compare(&ranking, &answer, &search), || format!("{question}\n{ranking:?}\n{answer:?}"));
    }
    tally.finish("rankings");
}

fn draw_search(library: &Drawn, random: &mut Random) -> Search {
    let known = library.entries.iter().map(|entry| &entry.embedding).collect::<Vec<_>>();
    let query = match known.is_empty() || random.chance(0.7) {
        true => draw::direction(random),
        false => random.pick(&known).clone(),
    };
    let confidence_weight = random.pick(&[0.2, 0.2, 0.0, 1.0, 0.5]);
    Search {
        query,
        top_k: random.pick(&[1, 2, 5, 5, 100]),
        confidence_weight,
        min_score: random.maybe(0.4, |random| floor(confidence_weight, random)),
        domains: draw_domains(random),
        given: draw_given(library, random),
    }
}

/// Where confidence alone decides, a floor that entries stand on exactly.
fn floor(confidence_weight: f64, random: &mut Random) -> f64 {
    if confidence_weight == 1.0 { random.pick(&[0.5, 0.05, 0.95]) } else { random.unit() * 1.6 - 0.8 }
}

fn draw_domains(random: &mut Random) -> DomainChoice {
    if random.chance(0.5) {
        return DomainChoice::All;
    }
    let labels = [DOMAINS[0], DOMAINS[1], DOMAINS[2], "nobody/is/here"];
    DomainChoice::Named((0..random.below(3)).map(|_| domain(random.pick(&labels))).collect())
}

/// Entries that a session already has: some by id with a text that was another then, some by their text.
fn draw_given(library: &Drawn, random: &mut Random) -> Vec<Receipt> {
    let mut given = Vec::new();
    for entry in &library.entries {
        if random.chance(0.1) {
            given.push(Receipt { id: entry.id, text: "as it was before".to_owned() });
        } else if random.chance(0.1) {
            given.push(Receipt { id: 999, text: entry.text.as_str().to_owned() });
        }
    }
    given
}

fn question(library: &Drawn, search: &Search) -> Value {
    let domains: Vec<&str> = match &search.domains {
        DomainChoice::Named(domains) => domains.iter().map(Domain::as_str).collect(),
        _ => Vec::new(),
    };
    json!({
        "do": "rank",
        "query": vector_on_the_wire(&search.query),
        "entries": entries_on_the_wire(&library.entries),
        "k": search.top_k,
        "confidence_weight": search.confidence_weight,
        "min_score": search.min_score,
        "domains": domains,
        "given": search.given,
    })
}

fn compare(ours: &Ranking, theirs: &Answer, search: &Search) -> Compared {
    same!(ours.eligible, theirs.eligible, "eligible");
    same!(ours.filtered_by_domain, theirs.filtered_by_domain, "filtered by domain");
    same!(ours.already_given, theirs.already_given, "already given");
    for (ours, theirs) in ours.best.iter().zip(&theirs.guidelines) {
        let level = (ours.score - theirs.score).abs() < ROUNDING;
        if (ours.id, &ours.same_as) != (theirs.id, &theirs.same_as) && level && search.confidence_weight < 1.0 {
            return Compared::WithinRounding;
        }
        same!((ours.id, &ours.same_as), (theirs.id, &theirs.same_as), "guideline");
        if !close(ours.similarity, theirs.similarity, ROUNDING) || !close(ours.score, theirs.score, ROUNDING) {
            return Compared::Different(format!("figures: ours {ours:?}, the oracle's {theirs:?}"));
        }
    }
    same!(ours.below_min_score, theirs.below_min_score, "below the floor");
    same!(ours.shortfall, theirs.shortfall, "shortfall");
    same!(ours.best.len(), theirs.guidelines.len(), "number of guidelines");
    Compared::Equal
}
