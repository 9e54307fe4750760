//! `docet begin`

use clap::Args;
use docet::wire::{BeginRequest, Failure};

use super::recall::{self, LookUp};
use crate::arguments::CallerFlags;
use crate::context::Context;
use crate::output::say;

const EXAMPLES: &str = "\
Examples:
  docet begin \"fix the failing payment test\"
  docet begin - --group nightly --ref run-17 --json < task.txt";

/// Begin a session: the lessons for a task, and a receipt of them
///
/// Prints what `recall` prints, and names the session on standard error. `docet end` says what came of it.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Begin {
    #[command(flatten)]
    look_up: LookUp,
    /// Rewards are compared within this group of sessions
    #[arg(long, value_name = "G")]
    group: Option<String>,
    /// A reference of your own, kept with the session
    #[arg(long = "ref", value_name = "TEXT")]
    reference: Option<String>,
    #[command(flatten)]
    caller: CallerFlags,
}

impl Begin {
    pub(crate) fn run(self, context: &Context) -> Result<(), Failure> {
        let Self { look_up, group, reference, caller } = self;
        let request = BeginRequest { look_up: look_up.read()?, group, reference };
        let answer = context.service.begin(&context.target_for(&caller)?, &request)?;
        if let Some(session) = answer.session.as_ref().filter(|_| !context.output.is_json()) {
            say(&format!("session: {session}\n"));
        }
        recall::show(context, &answer)
    }
}
