//! `alg:memory-update`: lists of operations, sound and faulty, and the compression that follows them.

use docet_core::error::{Code, Error, Fault};
use docet_core::experience::{Experience, Timestamp};
use docet_core::library::Library;
use docet_core::operation::{self, Applied, Duplicate, OnInvalid, Operation, Similar};
use docet_core::ports::{Encoded, EncoderError};
use docet_core::settings::{Preset, Settings, Strategy};
use docet_core::text::normalise;
use docet_core::update::{self, Updated};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::compress::{OracleEvicted, compare_evicted, make_odd};
use super::draw::{self, DOMAINS, Drawn, Random, Vectors};
use super::{Compared, Oracle, OracleEntry, ROUNDING, Tally, close, compare_entries, entries_on_the_wire, same};
use crate::world::operations;

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Answer {
    Rejected { faults: Vec<OracleFault> },
    Done(Box<Done>),
}

#[derive(Debug, Deserialize)]
struct Done {
    applied: Vec<Applied>,
    skipped: Vec<OracleFault>,
    duplicates: Vec<Duplicate>,
    similar: Vec<Similar>,
    evicted: Vec<OracleEvicted>,
    size: usize,
    library: OracleLibrary,
}

#[derive(Debug, Deserialize)]
struct OracleLibrary {
    next_id: u64,
    entries: Vec<OracleEntry>,
}

#[derive(Debug, Deserialize)]
struct OracleFault {
    index: usize,
    code: Code,
}

/// A list and the library that it comes to.
struct Case {
    drawn: Drawn,
    library: Library,
    wire: Vec<Value>,
    on_invalid: OnInvalid,
}

#[test]
fn alg_memory_update_does_what_the_oracle_does() {
    let Some(mut oracle) = Oracle::start("lists of operations") else { return };
    let mut random = Random::new(21);
    let mut tally = Tally::default();
    let mut seen = Seen::default();
    for _ in 0..3_000 {
        let mut case = Case::draw(&mut random);
        let ours = case.ours(&mut random);
        let question = case.question(&mut random);
        let theirs: Result<Answer, String> = oracle.ask(&question);
        seen.note(&ours);
        tally.note(compare(&ours, &theirs), || format!("{question}\n{ours:?}\n{theirs:?}"));
    }
    seen.check();
    tally.finish("lists of operations");
}

impl Case {
    fn draw(random: &mut Random) -> Self {
        let size = draw::size(random);
        let drawn = draw::library(random, size);
        let preset = random.pick(&[Preset::Recommended, Preset::Paper]);
        let strategy = random.pick(&[Strategy::Diversity, Strategy::Importance, Strategy::Temporal, Strategy::Hybrid]);
        let mut settings = Settings { strategy, ..Settings::preset(preset) };
        if random.chance(0.3) {
            make_odd(&mut settings, random);
        }
        settings.capacity = if random.chance(0.4) { 500 } else { 1 + random.below(size + 3) };
        settings.similar_at = random.pick(&[0.85, 0.5, 1.0]);
        let next_id = drawn.entries.last().map_or(1, |last| last.id + 1);
        let library = Library { next_id, epoch: drawn.now, ..Library::new(settings) };
        let wire = draw_list(&drawn.entries, next_id, random);
        Self { drawn, library, wire, on_invalid: random.pick(&[OnInvalid::Reject, OnInvalid::Skip]) }
    }

    fn ours(&mut self, random: &mut Random) -> Result<Updated, Error> {
        let list: Vec<Operation> = operations(Value::Array(self.wire.clone()));
        let vectors = &mut self.drawn.vectors;
        let prepared = operation::prepare(&list, |texts| {
            let encoded = texts.iter().map(|text| encoded(text, vectors, random));
            Ok::<_, EncoderError>(encoded.collect())
        });
        let prepared = prepared.expect("vectors are at hand");
        update::apply(&self.library, self.drawn.entries.clone(), &prepared, self.on_invalid, Timestamp(7))
    }

    fn question(&mut self, random: &mut Random) -> Value {
        let vectors = &mut self.drawn.vectors;
        let embedded = self.wire.iter().map(|operation| with_vector(operation, vectors, random));
        json!({
            "do": "update",
            "settings": self.library.settings,
            "library": {
                "next_id": self.library.next_id,
                "epoch": self.library.epoch,
                "entries": entries_on_the_wire(&self.drawn.entries),
            },
            "operations": embedded.collect::<Vec<_>>(),
            "on_invalid": if self.on_invalid == OnInvalid::Reject { "reject" } else { "skip" },
        })
    }
}

fn encoded(text: &str, vectors: &mut Vectors, random: &mut Random) -> Encoded {
    Encoded { embedding: vectors.of(text, random), tokens: 3, truncated: false }
}

/// The operation with the vector of its text: an encoder sees the normalised one.
fn with_vector(operation: &Value, vectors: &mut Vectors, random: &mut Random) -> Value {
    let mut embedded = operation.clone();
    if let Some(text) = operation["text"].as_str() {
        embedded["embedding"] = json!(super::vector_on_the_wire(&vectors.of(&normalise(text), random)));
    }
    embedded
}

/// One to eight operations on what is there, was there, enters with the list, or never was.
fn draw_list(entries: &[Experience], next_id: u64, random: &mut Random) -> Vec<Value> {
    let faulty = random.pick(&[0.0, 0.0, 0.05, 0.2]);
    let mut ids: Vec<u64> = entries.iter().map(|entry| entry.id).collect();
    ids.extend([next_id, next_id + 1]);
    if faulty > 0.0 {
        ids.push(9_999);
    }
    (0..1 + random.below(8)).map(|_| draw_operation(&ids, entries.len(), faulty, random)).collect()
}

fn draw_operation(ids: &[u64], size: usize, faulty: f64, random: &mut Random) -> Value {
    let mut fields = Map::new();
    let op = random.pick(&["add", "add", "add", "modify", "modify", "delete", "merge"]);
    fields.insert("op".to_owned(), json!(op));
    let mut set = |key: &str, value: Option<Value>| {
        if let Some(value) = value {
            fields.insert(key.to_owned(), value);
        }
    };
    match op {
        "merge" => {
            let parents = if random.chance(faulty) { random.below(4) } else { 2 + random.below(2) };
            let mut chosen: Vec<u64> = (0..parents).map(|_| random.pick(ids)).collect();
            if !random.chance(faulty) {
                chosen.sort_unstable();
                chosen.dedup();
            }
            set("ids", Some(json!(chosen)));
        }
        "add" => {
            set("confidence", random.maybe(0.4, |random| draw_confidence(faulty, random)));
            set("pinned", random.maybe(0.2, |random| json!(random.chance(0.7))));
        }
        _ => set("id", Some(json!(random.pick(ids)))),
    }
    let texted = if op == "modify" { 0.6 } else { 1.0 };
    if op != "delete" {
        set("text", random.maybe(texted, |random| draw_text(size, faulty, random)));
        set("domain", random.maybe(0.5, |random| draw_domain(faulty, random)));
        set("source", random.maybe(0.3, |random| json!(random.pick(&["trace 7", "a person"]))));
    }
    if op == "modify" {
        set("pinned", Some(json!(random.chance(0.3))));
    }
    Value::Object(fields)
}

/// Texts that stand already, that are new, and that are none.
fn draw_text(size: usize, faulty: f64, random: &mut Random) -> Value {
    let number = random.below(size * 2 + 4);
    let long = "x".repeat(1_001);
    match random.chance(faulty) {
        true => json!(random.pick(&["", " \n ", &"word ".repeat(33), &long])),
        false => json!(random.pick(&[format!("lesson {number}"), format!("  lesson\t{number} \n")])),
    }
}

fn draw_domain(faulty: f64, random: &mut Random) -> Value {
    let label = random.pick(&DOMAINS);
    match random.chance(faulty) {
        true => json!(random.pick(&["", "two words", &"d".repeat(65)])),
        false => json!(random.pick(&[label.to_owned(), label.to_uppercase()])),
    }
}

/// Within (0, 1), also beyond the bounds to which it is clamped.
fn draw_confidence(faulty: f64, random: &mut Random) -> Value {
    match random.chance(faulty) {
        true => json!(random.pick(&[0.0, 1.0, -0.5, 1e300])),
        false => json!(random.pick(&[0.01, 0.5, 0.7, 0.999])),
    }
}

fn compare(ours: &Result<Updated, Error>, theirs: &Result<Answer, String>) -> Compared {
    match (ours, theirs) {
        (Ok(ours), Ok(Answer::Done(theirs))) => compare_done(ours, theirs),
        (Err(Error::Faults(ours)), Ok(Answer::Rejected { faults })) => compare_faults(ours, faults),
        (Err(Error::Refused(refusal)), Err(code)) => {
            same!(json!(refusal.code), json!(code), "refusal");
            Compared::Equal
        }
        _ => Compared::Different("one is refused and the other is not".to_owned()),
    }
}

fn compare_done(ours: &Updated, theirs: &Done) -> Compared {
    same!(ours.report.applied, theirs.applied, "applied");
    same!(ours.report.duplicates, theirs.duplicates, "duplicates");
    same!(ours.next_id, theirs.library.next_id, "next id");
    let similar = compare_similar(&ours.report.similar, &theirs.similar);
    let faults = compare_faults(&ours.report.skipped, &theirs.skipped);
    let evicted = compare_evicted(&ours.report.evicted, &theirs.evicted);
    for compared in [similar, faults, evicted] {
        if !matches!(compared, Compared::Equal) {
            return compared;
        }
    }
    same!(ours.report.size, theirs.size, "size");
    compare_entries(&ours.entries, &theirs.library.entries)
}

fn compare_faults(ours: &[Fault], theirs: &[OracleFault]) -> Compared {
    let ours: Vec<(usize, Code)> = ours.iter().map(|fault| (fault.index, fault.code)).collect();
    same!(ours, theirs.iter().map(|fault| (fault.index, fault.code)).collect::<Vec<_>>(), "faults");
    Compared::Equal
}

fn compare_similar(ours: &[Similar], theirs: &[Similar]) -> Compared {
    for (own, other) in ours.iter().zip(theirs) {
        let level = own.similarity != other.similarity && close(own.similarity, other.similarity, ROUNDING);
        if (own.id, own.of) != (other.id, other.of) && level {
            return Compared::WithinRounding;
        }
        same!((own.id, own.of), (other.id, other.of), "similar");
        if !close(own.similarity, other.similarity, ROUNDING) {
            return Compared::Different(format!("similarity: ours {own:?}, the oracle's {other:?}"));
        }
    }
    same!(ours.len(), theirs.len(), "number of similar entries");
    Compared::Equal
}

/// Whether the lists that were drawn reach every branch.
#[derive(Debug, Default)]
struct Seen {
    rejected: usize,
    refused: usize,
    duplicates: usize,
    similar: usize,
    skipped: usize,
    evicted: usize,
    codes: std::collections::BTreeSet<Code>,
}

impl Seen {
    fn note(&mut self, ours: &Result<Updated, Error>) {
        match ours {
            Ok(Updated { report, .. }) => {
                self.duplicates += usize::from(!report.duplicates.is_empty());
                self.similar += usize::from(!report.similar.is_empty());
                self.skipped += usize::from(!report.skipped.is_empty());
                self.evicted += usize::from(!report.evicted.is_empty());
            }
            Err(Error::Faults(faults)) => {
                self.rejected += 1;
                self.codes.extend(faults.iter().map(|fault| fault.code));
            }
            Err(_) => self.refused += 1,
        }
    }

    fn check(&self) {
        let counts = [self.rejected, self.refused, self.duplicates, self.similar, self.skipped, self.evicted];
        assert!(counts.iter().all(|count| *count >= 20), "{self:?}");
        let expected = [
            Code::UnknownId,
            Code::LeftEarlier,
            Code::EqualIds,
            Code::TooFewIds,
            Code::DomainRequired,
            Code::BadDomain,
            Code::BadConfidence,
            Code::EmptyText,
            Code::TooManyWords,
            Code::TooLong,
            Code::DuplicateText,
        ];
        assert!(self.codes.iter().eq(&expected), "{self:?}");
    }
}
