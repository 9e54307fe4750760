//! Sessions that end: verdict, baseline and `eq:confidence-update`, over whole histories through the facade.

use docet_core::error::Error;
use docet_core::experience::Timestamp;
use docet_core::library::Library;
use docet_core::session::{BaselineFrom, EndReport, Outcome, Receipt, Session, SessionId, Verdict};
use docet_core::settings::{Baseline, Settings, Tie};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::draw::{self, Drawn, Random};
use super::{Compared, Oracle, OracleEntry, ROUNDING, Tally, close, compare_entries, entries_on_the_wire, same};
use crate::world::{World, free};

#[derive(Debug, Deserialize)]
pub(super) struct Answer {
    pub(super) sessions: Vec<Ended>,
    pub(super) entries: Vec<OracleEntry>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(super) enum Ended {
    Refused { error: String },
    Judged(Judged),
}

#[derive(Debug, Deserialize)]
pub(super) struct Judged {
    verdict: Verdict,
    reward: Option<f64>,
    baseline: Option<f64>,
    baseline_from: Option<BaselineFrom>,
    updates: Vec<OracleCredit>,
    gone: Vec<u64>,
}

#[derive(Debug, Deserialize)]
struct OracleCredit {
    id: u64,
    label: String,
    verdict: Verdict,
    before: f64,
    after: f64,
    usage_count: u64,
}

#[test]
fn eq_confidence_update_moves_what_the_oracle_moves() {
    let Some(mut oracle) = Oracle::start("histories of sessions") else { return };
    let mut random = Random::new(31);
    let (mut histories, mut ends) = (Tally::default(), Tally::default());
    for _ in 0..600 {
        let history = History::draw(&mut random);
        let world = history.world();
        let question = history.question();
        let theirs: Answer = oracle.ask(&question).expect("a history");
        for (session, theirs) in history.sessions.iter().zip(&theirs.sessions) {
            let ours = world.end(&session.session.id, session.outcome.clone());
            ends.note(compare_end(&ours, theirs), || format!("{question}\n{ours:?}\n{theirs:?}"));
        }
        let whole = world.whole();
        histories.note(compare_entries(&whole.entries, &theirs.entries), || format!("{question}\n{whole:?}"));
    }
    ends.finish("ends of sessions");
    histories.finish("histories of sessions");
}

/// Open sessions over a library, and how each will end.
struct History {
    drawn: Drawn,
    settings: Settings,
    sessions: Vec<Drafted>,
}

struct Drafted {
    session: Session,
    outcome: Outcome,
}

impl History {
    fn draw(random: &mut Random) -> Self {
        let size = random.below(7);
        let drawn = draw::library(random, size);
        let defaults = Settings::default();
        let settings = Settings {
            tie: random.pick(&[Tie::NoEvidence, Tie::NotImproved]),
            baseline: random.pick(&[Baseline::Running, Baseline::Running, Baseline::Fixed(0.5), Baseline::Fixed(-1e9)]),
            baseline_window: random.pick(&[1, 3, 100]),
            baseline_min: random.pick(&[1, 2, 5]),
            learning_rate: random.pick(&[0.1, 0.1, 0.9]),
            min_confidence: random.pick(&[0.05, 0.4]),
            max_confidence: random.pick(&[0.95, 0.6]),
            ..defaults
        };
        let settings = Settings { baseline_min: settings.baseline_min.min(settings.baseline_window), ..settings };
        let count = 1 + random.below(14);
        let sessions = (0..count).map(|number| Drafted::draw(number, &drawn, random)).collect();
        Self { drawn, settings, sessions }
    }

    /// The library with all its sessions open.
    fn world(&self) -> World {
        let world = World::new();
        let next_id = self.drawn.entries.last().map_or(1, |last| last.id + 1);
        let epoch = self.drawn.now + 20;
        let library = Library { next_id, epoch, ..Library::new(self.settings.clone()) };
        let sessions: Vec<Session> = self.sessions.iter().map(|drafted| drafted.session.clone()).collect();
        world.put(&library, &self.drawn.entries, &sessions);
        world
    }

    fn question(&self) -> Value {
        json!({
            "do": "sessions",
            "settings": self.settings,
            "entries": entries_on_the_wire(&self.drawn.entries),
            "sessions": self.sessions.iter().map(Drafted::on_the_wire).collect::<Vec<_>>(),
        })
    }
}

impl Drafted {
    fn draw(number: usize, drawn: &Drawn, random: &mut Random) -> Self {
        let mut ids: Vec<u64> = drawn.entries.iter().map(|entry| entry.id).collect();
        ids.push(5_000);
        ids.retain(|_| random.chance(0.6));
        let session = Session {
            id: SessionId(format!("session {number}")),
            // Sessions may end in another order than they began in.
            epoch: drawn.now + 1 + (7 * number as u64) % 20,
            group: random.maybe(0.5, |random| free(random.pick(&["a", "b"]))),
            reference: None,
            begun_at: Timestamp(0),
            expires_at: Timestamp(i64::MAX),
            receipt: ids.iter().map(|id| Receipt { id: *id, text: format!("receipt of {id}") }).collect(),
            end: None,
        };
        let outcome = draw_outcome(ids.len(), random);
        Self { session, outcome }
    }

    fn on_the_wire(&self) -> Value {
        let Outcome { reward, baseline, word, improved, not_improved, applied, .. } = &self.outcome;
        let labels = self.session.receipt.iter().enumerate();
        let labels: Vec<Value> = labels.map(|(place, at)| json!({"label": format!("G{place}"), "id": at.id})).collect();
        let mut wire = Map::new();
        let mut set = |key: &str, value: Value| wire.insert(key.to_owned(), value);
        set("epoch", json!(self.session.epoch));
        set("group", json!(self.session.group));
        set("labels", json!(labels));
        set("reward", json!(reward));
        set("baseline", json!(baseline));
        set("applied", json!(applied));
        set("improved", if *word == Some(true) { json!(true) } else { json!(improved) });
        set("not_improved", if *word == Some(false) { json!(true) } else { json!(not_improved) });
        Value::Object(wire)
    }
}

/// Rewards that tie with their baseline and with one another, words, labels in one list or two, and the wrong ones.
fn draw_outcome(labels: usize, random: &mut Random) -> Outcome {
    let rewards = [0.0, 1.0, 1.0, 0.5, 0.5 + 5e-10, 0.5 - 2e-9, -3.0, 1e300, 1e-300];
    let reward = random.maybe(0.8, |random| random.pick(&rewards));
    let baseline = if reward.is_some() { random.maybe(0.2, |random| random.pick(&rewards)) } else { None };
    let word = random.maybe(0.2, |random| random.chance(0.5));
    let lists = random.chance(0.4);
    let list = |probability: f64, stray: f64, random: &mut Random| -> Vec<String> {
        let numbers = (0..labels + usize::from(random.chance(stray))).filter(|_| lists && random.chance(probability));
        numbers.map(|number| format!("G{number}")).collect()
    };
    // On the wire a word for the session stands where its list of labels would.
    let improved = if word == Some(true) { Vec::new() } else { list(0.3, 0.05, random) };
    let mut not_improved = if word == Some(false) { Vec::new() } else { list(0.3, 0.05, random) };
    if !random.chance(0.1) {
        not_improved.retain(|label| !improved.contains(label));
    }
    let applied = random.maybe(0.4, |random| list(0.8, 0.05, random));
    let worded = word.is_some() || !improved.is_empty() || !not_improved.is_empty();
    Outcome { reward, baseline, word, improved, not_improved, none: reward.is_none() && !worded, applied }
}

pub(super) fn compare_end(ours: &Result<EndReport, Error>, theirs: &Ended) -> Compared {
    match (ours, theirs) {
        (Ok(ours), Ended::Judged(theirs)) => compare_judged(ours, theirs),
        (Err(ours), Ended::Refused { error }) => {
            same!(json!(ours.code()), json!(error), "refusal");
            Compared::Equal
        }
        _ => Compared::Different("one is refused and the other is not".to_owned()),
    }
}

fn compare_judged(ours: &EndReport, theirs: &Judged) -> Compared {
    same!(ours.verdict, theirs.verdict, "verdict");
    same!(ours.reward, theirs.reward, "reward");
    same!(ours.baseline_from, theirs.baseline_from, "where the baseline is from");
    same!(ours.gone, theirs.gone, "gone");
    same!(ours.baseline.is_some(), theirs.baseline.is_some(), "whether there is a baseline");
    if !ours.baseline.zip(theirs.baseline).is_none_or(|(own, other)| close(own, other, ROUNDING)) {
        return Compared::Different("baseline".to_owned());
    }
    same!(ours.updates.len(), theirs.updates.len(), "number of updates");
    for (own, other) in ours.updates.iter().zip(&theirs.updates) {
        let level = close(own.before.get(), other.before, ROUNDING) && close(own.after.get(), other.after, ROUNDING);
        let named = (own.id, &own.label, own.verdict, own.usage_count);
        same!(named, (other.id, &other.label, other.verdict, other.usage_count), "update");
        if !level {
            return Compared::Different(format!("confidence: ours {own:?}, the oracle's {other:?}"));
        }
    }
    Compared::Equal
}
