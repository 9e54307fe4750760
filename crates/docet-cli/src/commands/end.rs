//! `docet end`

use std::path::PathBuf;

use clap::Args;
use docet::wire::{Credit, EndAnswer, EndRequest, Failure, Labels, Verdict, parse_operations};

use super::update;
use crate::arguments::{CallerFlags, finite};
use crate::context::Context;
use crate::failure::usage;
use crate::input;
use crate::output::say;
use crate::table::{figure, table};

const EXAMPLES: &str = "\
Examples:
  docet end SESSION --reward 1 --baseline 0.5 --applied G0,G2
  docet end SESSION --improved=G0 --not-improved=G1 --update lessons.json";

/// End a session: say what came of it, and confidence moves
///
/// A reward is compared with --baseline, else with the setting `baseline`: a number, or the mean reward of earlier
/// sessions of the same group, of which it needs five. Your own word on the session or on a label goes before it.
/// Lessons learned may come in the same call. A second end changes nothing and repeats the first answer. A session
/// that nobody ends expires after 24 hours and teaches nothing.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct End {
    /// The session, as `begin` named it
    session: String,
    /// The reward of the task
    #[arg(long, value_name = "R", value_parser = finite, allow_hyphen_values = true)]
    reward: Option<f64>,
    /// What the reward is compared with
    #[arg(long, value_name = "B", value_parser = finite, allow_hyphen_values = true, requires = "reward")]
    baseline: Option<f64>,
    /// The whole session went better thanks to its lessons, or these labels helped
    #[arg(long, value_name = "G0,G2", num_args = 0..=1, require_equals = true)]
    improved: Option<Option<String>>,
    /// The whole session did not go better, or these labels did not help
    #[arg(long, value_name = "G1", num_args = 0..=1, require_equals = true)]
    not_improved: Option<Option<String>>,
    /// There is no outcome to speak of
    #[arg(long, conflicts_with_all = ["reward", "baseline", "improved", "not_improved"])]
    no_outcome: bool,
    /// Which labels the agent really applied, or none; only those are judged [default: all]
    #[arg(long, value_name = "G0,G2|none")]
    applied: Option<String>,
    /// Lessons learned, as a file of operations; - reads standard input
    #[arg(long, value_name = "FILE|-")]
    update: Option<PathBuf>,
    #[command(flatten)]
    caller: CallerFlags,
}

impl End {
    pub(crate) fn run(self, context: &Context) -> Result<(), Failure> {
        let (improved, not_improved) = (self.improved.map(verdict), self.not_improved.map(verdict));
        let whole = Some(Labels::Session(true));
        if improved == whole && not_improved == whole {
            let message = "--improved and --not-improved both speak of the whole session; give one, or name labels";
            return Err(usage("improved", message));
        }
        let operations = self.update.map(|file| parse_operations(&input::bytes(&file)?)).transpose()?;
        let request = EndRequest {
            reward: self.reward,
            baseline: self.baseline,
            improved,
            not_improved,
            no_outcome: self.no_outcome,
            applied: self.applied.as_deref().map(applied),
            operations: operations.unwrap_or_default(),
        };
        let answer = context.service.end(&context.target_for(&self.caller)?, &self.session, &request)?;
        if request.reward != answer.reward && !context.output.is_json() {
            say("note: this session had ended before; below is its first answer, and nothing was changed\n");
        }
        context.output.answer(&answer, page)
    }
}

fn verdict(named: Option<String>) -> Labels {
    named.map_or(Labels::Session(true), |named| Labels::Named(labels(&named)))
}

fn applied(named: &str) -> Vec<String> {
    if named == "none" { Vec::new() } else { labels(named) }
}

fn labels(named: &str) -> Vec<String> {
    named.split(',').map(|label| label.trim().to_owned()).collect()
}

pub(super) fn page(answer: &EndAnswer) -> String {
    let compared = match (answer.reward, answer.baseline) {
        (Some(reward), Some(baseline)) => format!(" (reward {reward}, baseline {baseline:.3})"),
        (Some(reward), None) => format!(" (reward {reward})"),
        (None, _) => String::new(),
    };
    let mut page = format!("{}{compared}{}\n", words(answer.verdict), reason(answer));
    page += &table(["LABEL", "ID", "VERDICT", "BEFORE", "AFTER", "USED"], answer.updates.iter().map(row).collect());
    for id in &answer.gone {
        page += &format!("lesson {id} had left the library\n");
    }
    page + &answer.update.as_ref().map_or_else(|| format!("revision {}\n", answer.revision), update::page)
}

/// Why a reward taught nothing, and what to do about it.
fn reason(answer: &EndAnswer) -> &'static str {
    match (answer.verdict, answer.reward, answer.baseline) {
        (Verdict::InsufficientData, ..) => {
            ": too few earlier sessions to compare with; give --baseline, or `docet settings baseline=0.5`"
        }
        (Verdict::NoEvidence, Some(_), Some(_)) => ": the reward equals its baseline",
        _ => "",
    }
}

fn row(credit: &Credit) -> [String; 6] {
    let (before, after) = (figure(credit.before.get()), figure(credit.after.get()));
    let (id, used) = (credit.id.to_string(), credit.usage_count.to_string());
    [credit.label.clone(), id, words(credit.verdict).to_owned(), before, after, used]
}

/// A verdict in words.
pub(super) fn words(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Improved => "improved",
        Verdict::NotImproved => "not improved",
        Verdict::Mixed => "mixed",
        Verdict::NoEvidence => "no evidence",
        Verdict::InsufficientData => "insufficient data",
    }
}
