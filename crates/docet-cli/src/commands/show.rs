//! `docet show`

use clap::Args;
use docet::wire::{Failure, LeftAnswer, ShowAnswer};

use super::history;
use crate::arguments::finite;
use crate::context::Context;
use crate::output::clean;
use crate::table::figure;

const EXAMPLES: &str = "\
Examples:
  docet show 3
  docet --library web show 3 --json";

/// Show a lesson with its evidence and its history
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Show {
    /// The lesson
    #[arg(value_parser = finite, allow_negative_numbers = true)]
    id: f64,
}

impl Show {
    pub(crate) fn run(self, context: &Context) -> Result<(), Failure> {
        let answer = context.service.show(&context.target, self.id)?;
        context.output.answer(&answer, page)
    }
}

fn page(answer: &ShowAnswer) -> String {
    let entry = &answer.experience;
    let improved = entry.last_improved.map_or_else(String::new, |epoch| format!(", last in epoch {epoch}"));
    let evidence = format!("{} improved{improved}; {} not", entry.successes, entry.failures);
    let used = entry.usage_count.to_string();
    let lines = [
        ("id", entry.id.to_string()),
        ("text", entry.text.clone().unwrap_or_default()),
        ("confidence", figure(entry.confidence)),
        ("domain", entry.domain.clone()),
        ("used", used),
        ("evidence", evidence),
        ("epoch", entry.epoch.to_string()),
        ("pinned", if entry.pinned { "yes" } else { "no" }.to_owned()),
        ("source", entry.source.clone().unwrap_or_default()),
        ("created", entry.created_at.clone()),
        ("updated", entry.updated_at.clone()),
        ("left", answer.left.as_ref().map_or_else(String::new, left)),
    ];
    let shown = lines.iter().filter(|(_, value)| !value.is_empty());
    let page: String = shown.map(|(name, value)| format!("{name:<11} {}\n", clean(value))).collect();
    let history = history::revisions(&answer.history);
    if history.is_empty() { page } else { page + "\n" + &history }
}

/// When and why a lesson left.
fn left(left: &LeftAnswer) -> String {
    let reason = left.reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
    format!("{}, by {} in revision {}{reason}", left.archived_at, left.kind, left.revision)
}
