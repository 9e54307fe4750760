//! `docet sessions`

use clap::Args;
use docet::wire::{Failure, SessionLine, SessionState, SessionsAnswer, SessionsRequest};

use super::end;
use crate::arguments::finite;
use crate::context::Context;
use crate::table::table;

const EXAMPLES: &str = "\
Examples:
  docet sessions --open
  docet sessions --limit 10 --json";

/// List sessions, the newest first
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Sessions {
    /// Only those that wait for their end
    #[arg(long)]
    open: bool,
    /// At most so many
    #[arg(long, value_name = "N", value_parser = finite, allow_hyphen_values = true)]
    limit: Option<f64>,
}

impl Sessions {
    pub(crate) fn run(self, context: &Context) -> Result<(), Failure> {
        let request = SessionsRequest { open: self.open, limit: self.limit };
        let answer = context.service.sessions(&context.target, &request)?;
        context.output.answer(&answer, page)
    }
}

fn page(answer: &SessionsAnswer) -> String {
    if answer.sessions.is_empty() {
        return "no sessions\n".to_owned();
    }
    let headings = ["SESSION", "STATE", "EPOCH", "BEGUN", "LABELS", "REWARD", "VERDICT", "GROUP", "REF"];
    table(headings, answer.sessions.iter().map(row).collect())
}

fn row(line: &SessionLine) -> [String; 9] {
    let state = match line.state {
        SessionState::Open => "open",
        SessionState::Ended => "ended",
        SessionState::Expired => "expired",
    };
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    [
        line.session.clone(),
        state.to_owned(),
        line.epoch.to_string(),
        line.begun_at.clone(),
        line.labels.len().to_string(),
        line.reward.map(|reward| reward.to_string()).unwrap_or_default(),
        line.verdict.map(end::words).unwrap_or_default().to_owned(),
        text(&line.group),
        text(&line.reference),
    ]
}
