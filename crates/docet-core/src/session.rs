//! Sessions: the receipt of what was handed out, and the verdict on it when the session ends.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};

use crate::confidence::Confidence;
use crate::error::{Code, Refusal, shortened};
use crate::experience::{Experience, ExperienceId, Timestamp};
use crate::operation::{Operation, UpdateReport};
use crate::settings::{Baseline, Settings, Tie};
use crate::text::FreeText;

/// A reward this close to its baseline ties with it.
const TIE: f64 = 1e-9;

/// The most rewards of one group that any baseline can need.
pub const MAX_BASELINE_WINDOW: usize = 10_000;

/// An opaque name of a session, unique in its store, at most 64 characters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct SessionId(pub String);

impl fmt::Display for SessionId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&shortened(&self.0))
    }
}

/// One session with its receipt. The task's text is never kept.
#[derive(Clone, Debug, PartialEq)]
pub struct Session {
    /// Its name.
    pub id: SessionId,
    /// The session index, `k` of what is written in it; unique in its library.
    pub epoch: u64,
    /// Sessions of one group are compared with one another.
    pub group: Option<FreeText>,
    /// The caller's own reference.
    pub reference: Option<FreeText>,
    /// When it began.
    pub begun_at: Timestamp,
    /// When it expires unless it is ended.
    pub expires_at: Timestamp,
    /// What was handed out, in the order of the labels.
    pub receipt: Vec<Receipt>,
    /// How it ended, where it did.
    pub end: Option<SessionEnd>,
}

/// One label that was handed out: its place in the receipt is its number.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Receipt {
    /// The entry.
    pub id: ExperienceId,
    /// Its text at that moment.
    pub text: String,
}

/// The end of a session: what a second end is answered with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SessionEnd {
    /// When.
    pub at: Timestamp,
    /// The first answer.
    pub report: EndReport,
    /// The operations that came with it.
    pub operations: Vec<Operation>,
}

/// What a session is at a moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SessionState {
    /// Waits for its end.
    Open,
    /// Ended.
    Ended,
    /// Nobody ended it in time.
    Expired,
}

impl Session {
    /// What the session is at `now`.
    pub fn state(&self, now: Timestamp) -> SessionState {
        match self.end {
            Some(_) => SessionState::Ended,
            None if now >= self.expires_at => SessionState::Expired,
            None => SessionState::Open,
        }
    }

    /// Whether it can be gone on with at `now`.
    pub fn is_open(&self, now: Timestamp) -> bool {
        self.state(now) == SessionState::Open
    }
}

/// How a session went, as its caller says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outcome {
    /// The task's reward.
    pub reward: Option<f64>,
    /// What the reward is compared with; without it the settings decide.
    pub baseline: Option<f64>,
    /// The caller's word on the whole session: improved or not.
    pub word: Option<bool>,
    /// Labels that improved it.
    pub improved: Vec<String>,
    /// Labels that did not.
    pub not_improved: Vec<String>,
    /// The plain statement that there is no outcome.
    pub none: bool,
    /// Which labels were applied; all where nothing is said.
    pub applied: Option<Vec<String>>,
}

/// What a session, or one lesson in it, turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The reward rose.
    Improved,
    /// It did not.
    NotImproved,
    /// The labels of the session differ.
    Mixed,
    /// Nothing was said, or the reward ties with its baseline.
    NoEvidence,
    /// Too few earlier sessions to compare with.
    InsufficientData,
}

/// Where a baseline came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BaselineFrom {
    /// Given with the reward.
    Caller,
    /// The setting's number.
    Setting,
    /// The mean of earlier sessions.
    Running,
}

/// What the end of a session did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EndReport {
    /// The session.
    pub session: SessionId,
    /// The verdict that its applied labels share.
    pub verdict: Verdict,
    /// The reward as given.
    pub reward: Option<f64>,
    /// What it was compared with.
    pub baseline: Option<f64>,
    /// Where that came from; null where nothing was compared.
    pub baseline_from: Option<BaselineFrom>,
    /// What happened to each applied entry, in the order of the labels.
    pub updates: Vec<Credit>,
    /// Applied entries that had left the library meanwhile.
    pub gone: Vec<ExperienceId>,
    /// The library's revision afterwards.
    pub revision: u64,
    /// What the operations of the same call did.
    pub update: Option<UpdateReport>,
}

/// What the end of a session did to one entry.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Credit {
    /// The entry.
    pub id: ExperienceId,
    /// The label under which it was handed out.
    pub label: String,
    /// The verdict on it.
    pub verdict: Verdict,
    /// Its confidence before.
    pub before: Confidence,
    /// Its confidence after.
    pub after: Confidence,
    /// How often it has been applied now.
    pub usage_count: u64,
}

/// Verdicts on the labels of a session, before any entry is touched.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    /// The session's own.
    pub verdict: Verdict,
    /// What the reward was compared with, and where that came from.
    pub baseline: Option<f64>,
    /// Where the baseline came from; none where nothing was compared.
    pub baseline_from: Option<BaselineFrom>,
    /// Each applied label with its verdict, by number.
    pub labels: Vec<(usize, Verdict)>,
}

/// Judges a session with `handed_out` labels, in the order of spec: the caller's word, the caller's baseline, the
/// settings' baseline. `earlier` are the rewards that a running baseline averages, at most the window's.
///
/// # Errors
/// `outcome_missing`, `unknown_label`, `conflicting_labels` where a label is named in two lists, or named but not applied, or
/// `bad_value` where a number is not finite.
pub fn judge(outcome: &Outcome, handed_out: usize, earlier: &[f64], settings: &Settings) -> Result<Judgement, Refusal> {
    refuse_infinite("reward", outcome.reward)?;
    refuse_infinite("baseline", outcome.baseline)?;
    let improved = numbers("improved", &outcome.improved, handed_out)?;
    let not_improved = numbers("not_improved", &outcome.not_improved, handed_out)?;
    let applied = match &outcome.applied {
        Some(labels) => numbers("applied", labels, handed_out)?,
        None => (0..handed_out).collect(),
    };
    refuse_conflicts(&improved, &not_improved, &applied)?;
    let worded = outcome.word.is_some() || !improved.is_empty() || !not_improved.is_empty();
    if !worded && outcome.reward.is_none() && !outcome.none {
        return Err(outcome_missing());
    }

    let compared = compare(outcome, earlier, settings);
    let session = outcome.word.map_or(compared.verdict, word);
    let labels: Vec<(usize, Verdict)> = applied
        .into_iter()
        .map(|number| match (improved.contains(&number), not_improved.contains(&number)) {
            (true, _) => (number, Verdict::Improved),
            (_, true) => (number, Verdict::NotImproved),
            _ => (number, session),
        })
        .collect();
    let shared = labels.first().map_or(session, |(_, first)| *first);
    let verdict = if labels.iter().all(|(_, verdict)| *verdict == shared) { shared } else { Verdict::Mixed };
    Ok(Judgement { verdict, baseline: compared.baseline, baseline_from: compared.from, labels })
}

/// Applies a verdict to an entry: confidence, usage and evidence. `session_epoch` is the session's own.
pub fn credit(experience: &mut Experience, verdict: Verdict, session_epoch: u64, settings: &Settings) {
    experience.usage_count += 1;
    match verdict {
        Verdict::Improved => {
            experience.confidence = experience.confidence.improved(settings);
            experience.successes += 1;
            experience.last_improved = experience.last_improved.max(Some(session_epoch));
        }
        Verdict::NotImproved => {
            experience.confidence = experience.confidence.not_improved(settings);
            experience.failures += 1;
        }
        Verdict::Mixed | Verdict::NoEvidence | Verdict::InsufficientData => {}
    }
}

fn word(improved: bool) -> Verdict {
    if improved { Verdict::Improved } else { Verdict::NotImproved }
}

struct Comparison {
    verdict: Verdict,
    baseline: Option<f64>,
    from: Option<BaselineFrom>,
}

/// The reward against its baseline. Where the caller's word decides the session, only the caller's own baseline is
/// named, since no other was asked for.
fn compare(outcome: &Outcome, earlier: &[f64], settings: &Settings) -> Comparison {
    let none = Comparison { verdict: Verdict::NoEvidence, baseline: None, from: None };
    let Some(reward) = outcome.reward else { return none };
    let (baseline, from) = match (outcome.baseline, outcome.word, settings.baseline) {
        (Some(baseline), _, _) => (Some(baseline), BaselineFrom::Caller),
        (None, Some(_), _) => return none,
        (None, None, Baseline::Fixed(baseline)) => (Some(baseline), BaselineFrom::Setting),
        (None, None, Baseline::Running) => (running(earlier, settings), BaselineFrom::Running),
    };
    let verdict = baseline.map_or(Verdict::InsufficientData, |baseline| against(reward, baseline, settings.tie));
    Comparison { verdict, baseline, from: Some(from) }
}

fn against(reward: f64, baseline: f64, tie: Tie) -> Verdict {
    match (reward - baseline).abs() <= TIE {
        true if tie == Tie::NoEvidence => Verdict::NoEvidence,
        true => Verdict::NotImproved,
        false => word(reward > baseline),
    }
}

/// The mean of earlier rewards, where there are enough of them.
fn running(earlier: &[f64], settings: &Settings) -> Option<f64> {
    let rewards = &earlier[..earlier.len().min(settings.baseline_window)];
    let count = rewards.len() as f64;
    let mean = rewards.iter().sum::<f64>() / count;
    // A sum of huge rewards overflows where their mean does not.
    let mean = if mean.is_finite() { mean } else { rewards.iter().map(|reward| reward / count).sum() };
    (rewards.len() >= settings.baseline_min).then_some(mean)
}

/// The numbers of labels such as `G0`, sorted, each once however often it is named.
fn numbers(field: &str, labels: &[String], handed_out: usize) -> Result<Vec<usize>, Refusal> {
    let named: BTreeSet<usize> =
        labels.iter().map(|label| number(field, label, handed_out)).collect::<Result<_, _>>()?;
    Ok(named.into_iter().collect())
}

fn number(field: &str, label: &str, handed_out: usize) -> Result<usize, Refusal> {
    let is_number = |digits: &&str| {
        digits.bytes().all(|byte| byte.is_ascii_digit()) && (*digits == "0" || !digits.starts_with('0'))
    };
    let digits = label.strip_prefix(['G', 'g']).filter(is_number);
    let number = digits.and_then(|digits| digits.parse().ok()).filter(|number| *number < handed_out);
    number.ok_or_else(|| {
        let allowed = match handed_out {
            0 => "none: the session handed nothing out".to_owned(),
            1 => "G0".to_owned(),
            count => format!("G0 to G{}", count - 1),
        };
        let message = format!("\"{}\" is no label of this session; allowed is {allowed}", shortened(label));
        Refusal::new(Code::UnknownLabel, message).field(field).value(label).allowed(allowed)
    })
}

fn refuse_infinite(field: &str, value: Option<f64>) -> Result<(), Refusal> {
    match value {
        Some(value) if !value.is_finite() => Err(Refusal::out_of_range(field, value, "a finite number")),
        _ => Ok(()),
    }
}

fn refuse_conflicts(improved: &[usize], not_improved: &[usize], applied: &[usize]) -> Result<(), Refusal> {
    if let Some(both) = improved.iter().find(|number| not_improved.contains(number)) {
        return Err(conflict(*both, "is named both improved and not improved").field("improved"));
    }
    match improved.iter().chain(not_improved).find(|number| !applied.contains(number)) {
        Some(number) => Err(conflict(*number, "has a verdict but was not applied").field("applied")),
        None => Ok(()),
    }
}

fn conflict(number: usize, what: &str) -> Refusal {
    Refusal::new(Code::ConflictingLabels, format!("G{number} {what}; name each label once")).value(format!("G{number}"))
}

fn outcome_missing() -> Refusal {
    let allowed = "reward, improved, not_improved, or no_outcome";
    let message = "the end says no outcome, so the session stays open; give --reward R, --improved, --not-improved, \
                   or --no-outcome";
    Refusal::new(Code::OutcomeMissing, message).field("reward").allowed(allowed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use Verdict::{Improved, InsufficientData, Mixed, NoEvidence, NotImproved};

    /// Rewards of five earlier sessions with mean 0.4.
    const EARLIER: [f64; 5] = [1.0, 0.0, 0.0, 1.0, 0.0];

    fn rewarded(reward: f64) -> Outcome {
        Outcome { reward: Some(reward), ..Outcome::default() }
    }

    fn labels(labels: &[&str]) -> Vec<String> {
        labels.iter().map(|label| (*label).to_owned()).collect()
    }

    fn verdicts(outcome: &Outcome) -> (Verdict, Vec<Verdict>) {
        let judgement = judge(outcome, 3, &EARLIER, &Settings::default()).unwrap();
        (judgement.verdict, judgement.labels.into_iter().map(|(_, verdict)| verdict).collect())
    }

    #[test]
    fn a_label_is_spelt_as_it_was_handed_out() {
        for (label, handed_out, expected) in [
            ("G0", 1, Some(0)),
            ("g10", 11, Some(10)),
            ("G00", 1, None),
            ("G01", 5, None),
            ("G", 5, None),
            ("G5", 5, None),
            ("G+1", 5, None),
            ("1", 5, None),
        ] {
            let found = number("applied", label, handed_out);
            assert_eq!(found.as_ref().ok(), expected.as_ref(), "{label}");
            assert!(found.is_ok() || found.is_err_and(|refusal| refusal.code == Code::UnknownLabel), "{label}");
        }
    }

    #[test]
    fn the_callers_word_goes_before_a_reward_and_a_labels_own_before_the_sessions() {
        let word = |improved| Outcome { word: Some(improved), ..rewarded(-9.0) };
        let own = |outcome| Outcome { not_improved: labels(&["G1"]), ..outcome };
        let table = [
            (word(true), (Improved, vec![Improved; 3])),
            (own(word(true)), (Mixed, vec![Improved, NotImproved, Improved])),
            (own(rewarded(0.9)), (Mixed, vec![Improved, NotImproved, Improved])),
            (own(Outcome::default()), (Mixed, vec![NoEvidence, NotImproved, NoEvidence])),
            (Outcome { applied: Some(labels(&["g1"])), ..own(word(true)) }, (NotImproved, vec![NotImproved])),
            (Outcome { applied: Some(Vec::new()), ..word(true) }, (Improved, vec![])),
            (Outcome { none: true, ..Outcome::default() }, (NoEvidence, vec![NoEvidence; 3])),
        ];
        for (outcome, expected) in table {
            assert_eq!(verdicts(&outcome), expected, "{outcome:?}");
        }
    }

    #[test]
    fn a_reward_is_held_against_the_callers_baseline_then_the_settings() {
        let fixed = Settings { baseline: Baseline::Fixed(0.5), ..Settings::default() };
        let running = Settings::default();
        let short = Settings { baseline_window: 2, baseline_min: 2, ..Settings::default() };
        let caller = Outcome { baseline: Some(0.7), ..rewarded(0.6) };
        // Running: (1 + 0 + 0 + 1 + 0) / 5 = 0.4; of the last two (1 + 0) / 2 = 0.5.
        let table = [
            (&caller, &EARLIER[..], &fixed, NotImproved, Some(0.7), BaselineFrom::Caller),
            (&rewarded(0.6), &EARLIER[..], &fixed, Improved, Some(0.5), BaselineFrom::Setting),
            (&rewarded(0.6), &EARLIER[..], &running, Improved, Some(0.4), BaselineFrom::Running),
            (&rewarded(0.3), &EARLIER[..], &running, NotImproved, Some(0.4), BaselineFrom::Running),
            (&rewarded(0.6), &EARLIER[..4], &running, InsufficientData, None, BaselineFrom::Running),
            (&rewarded(0.6), &EARLIER[..], &short, Improved, Some(0.5), BaselineFrom::Running),
        ];
        for (outcome, earlier, settings, verdict, baseline, from) in table {
            let judgement = judge(outcome, 1, earlier, settings).unwrap();
            let found = (judgement.verdict, judgement.baseline, judgement.baseline_from);
            assert_eq!(found, (verdict, baseline, Some(from)), "{outcome:?} {settings:?}");
        }
    }

    #[test]
    fn a_tie_is_within_a_billionth() {
        let verdict = |reward, tie| {
            let settings = Settings { baseline: Baseline::Fixed(0.5), tie, ..Settings::default() };
            judge(&rewarded(reward), 1, &[], &settings).unwrap().verdict
        };
        for reward in [0.5, 0.5 + 9e-10, 0.5 - 9e-10] {
            assert_eq!(verdict(reward, Tie::NoEvidence), NoEvidence, "{reward}");
            assert_eq!(verdict(reward, Tie::NotImproved), NotImproved, "{reward}");
        }
        assert_eq!(verdict(0.5 + 2e-9, Tie::NotImproved), Improved);
        assert_eq!(verdict(0.5 - 2e-9, Tie::NoEvidence), NotImproved);
    }

    #[test]
    fn the_mean_of_huge_rewards_is_no_infinity() {
        // (4 * 1.5e308 - 1.5e308) / 5 = 9e307, though the sum of the first two overflows.
        let huge = [1.5e308, 1.5e308, 1.5e308, 1.5e308, -1.5e308];
        let baseline = judge(&rewarded(0.0), 1, &huge, &Settings::default()).unwrap().baseline.unwrap();
        assert!((baseline / 9e307 - 1.0).abs() < 1e-12, "{baseline}");
    }

    #[test]
    fn evidence_is_counted_also_at_a_bound() {
        // (verdict, c from 0.95, successes, failures, last improvement from 8 in a session of epoch 5)
        let table = [
            (Improved, 0.95, 1, 0, Some(8)),
            (NotImproved, 0.855, 0, 1, Some(8)),
            (NoEvidence, 0.95, 0, 0, Some(8)),
            (InsufficientData, 0.95, 0, 0, Some(8)),
        ];
        for (verdict, confidence, successes, failures, last_improved) in table {
            let mut lesson = Experience { last_improved: Some(8), ..Experience::plain(1) }.with_confidence(0.95);
            credit(&mut lesson, verdict, 5, &Settings::default());
            assert!((lesson.confidence.get() - confidence).abs() < 1e-12, "{verdict:?}");
            assert_eq!(
                (lesson.usage_count, lesson.successes, lesson.failures),
                (1, successes, failures),
                "{verdict:?}"
            );
            assert_eq!(lesson.last_improved, last_improved, "{verdict:?}");
        }
    }
}
