//! `docet recall`, and the flags and the page that `begin` shares with it.

use std::io::{self, IsTerminal};

use clap::Args;
use docet::wire::{self, Failure, RecallAnswer, RecallRequest};

use crate::arguments::finite;
use crate::context::Context;
use crate::input;
use crate::output::{clean, say};

const EXAMPLES: &str = "\
Examples:
  SYSTEM=\"$(docet recall \"$TASK\")\"
  docet recall \"fix the failing payment test\" -k 3 --domain coding --domain git";

/// Look up the lessons for a task
///
/// Prints one line a lesson, the best first, for a system prompt; nothing where there is none. Nothing is written,
/// unless a session is named: then lessons that it was given before are left out, and the labels go on.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Recall {
    #[command(flatten)]
    look_up: LookUp,
    /// The open session to go on with
    #[arg(long, value_name = "S")]
    session: Option<String>,
}

/// What `recall` and `begin` both take.
#[derive(Debug, Args)]
pub(super) struct LookUp {
    /// What the agent is about to do, encoded as given; - reads standard input
    #[arg(value_name = "TASK|-", allow_negative_numbers = true)]
    task: String,
    /// How many lessons at most, 1 to 100 [default: the setting top_k]
    #[arg(short, value_name = "N", value_parser = finite, allow_hyphen_values = true)]
    k: Option<f64>,
    /// Only lessons of this domain; may be given again [default: inferred from the task]
    #[arg(long = "domain", value_name = "D", conflicts_with = "all_domains")]
    domains: Vec<String>,
    /// Lessons of every domain
    #[arg(long)]
    all_domains: bool,
    /// The weight of confidence, 0 to 1; 0 is pure similarity [default: the setting]
    #[arg(long, value_name = "W", value_parser = finite, allow_hyphen_values = true)]
    confidence_weight: Option<f64>,
    /// The least score, -1 to 1 [default: the setting]
    #[arg(long, value_name = "S", value_parser = finite, allow_hyphen_values = true)]
    min_score: Option<f64>,
}

impl Recall {
    pub(crate) fn run(self, context: &Context) -> Result<(), Failure> {
        let request = RecallRequest { look_up: self.look_up.read()?, session: self.session };
        let answer = context.service.recall(&context.target, &request)?;
        show(context, &answer)
    }
}

impl LookUp {
    /// The same as a request, its task read where it stands in standard input.
    pub(super) fn read(self) -> Result<wire::LookUp, Failure> {
        let Self { task, k, domains, all_domains, confidence_weight, min_score } = self;
        Ok(wire::LookUp { task: input::text(&task)?, k, domains, all_domains, confidence_weight, min_score })
    }
}

/// The answer for a program, or the plain block for a prompt.
pub(super) fn show(context: &Context, answer: &RecallAnswer) -> Result<(), Failure> {
    if context.output.is_json() {
        return context.output.document(answer);
    }
    if answer.truncated {
        say("note: the task is longer than the model reads; only its beginning was looked at\n");
    }
    if answer.guidelines.is_empty() && io::stderr().is_terminal() {
        say(&format!("note: no lesson for this task; {}\n", left_out(answer)));
    }
    context.output.plain(block(&answer.context).as_bytes())
}

/// Why nothing was found.
fn left_out(answer: &RecallAnswer) -> String {
    let RecallAnswer { eligible, filtered_by_domain, already_given, below_min_score, .. } = answer;
    match eligible + filtered_by_domain {
        0 => "the library is empty".to_owned(),
        size => format!(
            "of {size}, {filtered_by_domain} are of other domains, {already_given} were given before, {below_min_score} \
             are below the least score"
        ),
    }
}

/// The block with every line ended; nothing for none.
pub(super) fn block(context: &str) -> String {
    context.lines().map(|line| format!("{}\n", clean(line))).collect()
}
