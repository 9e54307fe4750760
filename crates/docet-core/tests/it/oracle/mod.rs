//! The core against the oracle: a second computation of the specification, in Python, that no line of the core
//! knows of. Thousands of random libraries go through both.

mod compress;
mod draw;
mod rank;
mod sessions;
mod taubench;
mod update;

use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use docet_core::embedding::Embedding;
use docet_core::experience::Experience;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::world::skipped;

/// The oracle's process: one question a line, one answer a line.
pub(crate) struct Oracle {
    process: Child,
    questions: Option<BufWriter<ChildStdin>>,
    answers: BufReader<ChildStdout>,
}

impl Oracle {
    /// None where there is no Python or no oracle, which is said.
    fn start(comparison: &str) -> Option<Self> {
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docet-conformance/oracle/docet_oracle.py");
        if !script.is_file() {
            skipped(&format!("{comparison} against the oracle, which is not there"));
            return None;
        }
        let mut command = Command::new("python3");
        let started = command.arg(script).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let Ok(mut process) = started else {
            skipped(&format!("{comparison} against the oracle, which needs python3"));
            return None;
        };
        let questions = process.stdin.take().map(BufWriter::new);
        let answers = BufReader::new(process.stdout.take().expect("a pipe"));
        Some(Self { process, questions, answers })
    }

    /// The oracle's answer, or the code with which it refuses.
    fn ask<T: DeserializeOwned>(&mut self, question: &Value) -> Result<T, String> {
        let questions = self.questions.as_mut().expect("the oracle runs");
        writeln!(questions, "{question}").and_then(|()| questions.flush()).expect("the oracle reads");
        let mut answer = String::new();
        self.answers.read_line(&mut answer).expect("the oracle answers");
        let answer: Value = serde_json::from_str(&answer).expect("an answer is JSON");
        if let Some(code) = answer.get("error").and_then(Value::as_str) {
            assert_ne!(code, "oracle_failed", "{answer}\nasked {question}");
            return Err(code.to_owned());
        }
        Ok(serde_json::from_value(answer).expect("an answer of the expected shape"))
    }
}

impl Drop for Oracle {
    fn drop(&mut self) {
        self.questions = None;
        self.process.wait().expect("the oracle ends with its questions");
    }
}

/// How many comparisons were made, and how many of them ended at a tie that is none but for rounding.
#[derive(Default)]
struct Tally {
    equal: usize,
    within_rounding: usize,
}

/// A difference below this is rounding, and which of the two comes first is not compared.
const ROUNDING: f64 = 1e-12;

impl Tally {
    fn note(&mut self, compared: Compared, context: impl Fn() -> String) {
        match compared {
            Compared::Equal => self.equal += 1,
            Compared::WithinRounding => self.within_rounding += 1,
            Compared::Different(how) => panic!("{how}\n{}", context()),
        }
    }

    #[allow(clippy::print_stderr, reason = "shown where a test is asked for its figures")]
    fn finish(self, comparison: &str) {
        let Self { equal, within_rounding } = self;
        eprintln!("{comparison}: {equal} equal to the oracle, {within_rounding} within rounding of a tie");
        assert!(within_rounding * 100 < equal, "too many of {comparison} are left uncompared");
    }
}

/// One comparison.
enum Compared {
    Equal,
    WithinRounding,
    Different(String),
}

/// The first thing that is not equal, named.
macro_rules! same {
    ($ours:expr, $theirs:expr, $what:expr) => {
        if $ours != $theirs {
            return Compared::Different(format!("{}: ours {:?}, the oracle's {:?}", $what, $ours, $theirs));
        }
    };
}
use same;

/// Within `tolerance` of each other, as a share of the greater where that is above 1.
fn close(ours: f64, theirs: f64, tolerance: f64) -> bool {
    (ours - theirs).abs() <= tolerance * ours.abs().max(theirs.abs()).max(1.0)
}

/// Within `tolerance` of each other as a share of the greater.
fn close_in_ratio(ours: f64, theirs: f64, tolerance: f64) -> bool {
    ours == theirs || (ours - theirs).abs() <= tolerance * ours.abs().max(theirs.abs())
}

/// The coordinates that are not always 0: the oracle takes vectors of any length.
fn vector_on_the_wire(embedding: &Embedding) -> Vec<f64> {
    let (drawn, rest) = embedding.as_slice().split_at(draw::RANK);
    assert!(rest.iter().all(|value| *value == 0.0), "a drawn vector has {} coordinates", draw::RANK);
    drawn.iter().copied().map(f64::from).collect()
}

fn entry_on_the_wire(entry: &Experience) -> Value {
    json!({
        "id": entry.id,
        "text": entry.text.as_str(),
        "domain": entry.domain.as_str(),
        "confidence": entry.confidence.get(),
        "usage_count": entry.usage_count,
        "epoch": entry.epoch,
        "successes": entry.successes,
        "failures": entry.failures,
        "last_improved": entry.last_improved,
        "pinned": entry.pinned,
        "source": entry.source,
        "embedding": vector_on_the_wire(&entry.embedding),
    })
}

fn entries_on_the_wire(entries: &[Experience]) -> Vec<Value> {
    entries.iter().map(entry_on_the_wire).collect()
}

/// An entry as the oracle gives it back.
#[derive(Debug, Deserialize)]
struct OracleEntry {
    id: u64,
    text: String,
    domain: String,
    confidence: f64,
    usage_count: u64,
    epoch: u64,
    successes: u64,
    failures: u64,
    last_improved: Option<u64>,
    pinned: bool,
    source: Option<String>,
}

/// Compares all but the vectors, which the oracle does not give back.
fn compare_entries(ours: &[Experience], theirs: &[OracleEntry]) -> Compared {
    same!(ours.len(), theirs.len(), "number of entries");
    for (ours, theirs) in ours.iter().zip(theirs) {
        let id = ours.id;
        same!(ours.id, theirs.id, "id");
        same!(ours.text.as_str(), theirs.text, format!("text of {id}"));
        same!(ours.domain.as_str(), theirs.domain, format!("domain of {id}"));
        same!(ours.usage_count, theirs.usage_count, format!("usage of {id}"));
        same!(ours.epoch, theirs.epoch, format!("epoch of {id}"));
        same!((ours.successes, ours.failures), (theirs.successes, theirs.failures), format!("evidence of {id}"));
        same!(ours.last_improved, theirs.last_improved, format!("last improvement of {id}"));
        same!(ours.pinned, theirs.pinned, format!("pin of {id}"));
        same!(ours.source.as_ref().map(|source| source.as_str()), theirs.source.as_deref(), format!("source of {id}"));
        if !close(ours.confidence.get(), theirs.confidence, ROUNDING) {
            let (ours, theirs) = (ours.confidence, theirs.confidence);
            return Compared::Different(format!("confidence of {id}: ours {ours:?}, the oracle's {theirs}"));
        }
    }
    Compared::Equal
}
