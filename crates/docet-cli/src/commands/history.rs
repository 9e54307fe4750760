//! `docet history`, and how a revision is shown.

use clap::Args;
use docet::wire::{ChangeAnswer, Failure, HistoryAnswer, HistoryRequest, RevisionAnswer};

use crate::arguments::finite;
use crate::context::Context;
use crate::table::{count, table};

const EXAMPLES: &str = "\
Examples:
  docet history
  docet history --id 3 --actor ci --limit 10 --json";

/// Show what was changed, by whom and why, the newest first
///
/// Every change of lessons or settings is a revision. `docet undo REV` takes one back. With --json each lesson stands
/// there as it was before and after.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct History {
    /// Only what changed this lesson
    #[arg(long, value_name = "N", value_parser = finite, allow_hyphen_values = true)]
    id: Option<f64>,
    /// Only what this actor changed
    #[arg(long, value_name = "A")]
    actor: Option<String>,
    /// At most so many [default: 50]
    #[arg(long, value_name = "N", value_parser = finite, allow_hyphen_values = true)]
    limit: Option<f64>,
}

impl History {
    pub(crate) fn run(self, context: &Context) -> Result<(), Failure> {
        let request = HistoryRequest { id: self.id, actor: self.actor, limit: self.limit };
        let answer = context.service.history(&context.target, &request)?;
        context.output.answer(&answer, page)
    }
}

fn page(answer: &HistoryAnswer) -> String {
    if answer.revisions.is_empty() {
        return "no revisions\n".to_owned();
    }
    revisions(&answer.revisions)
}

/// A line a revision.
pub(super) fn revisions(revisions: &[RevisionAnswer]) -> String {
    table(["REVISION", "AT", "ACTOR", "KIND", "REASON", "CHANGED"], revisions.iter().map(row).collect())
}

fn row(revision: &RevisionAnswer) -> [String; 6] {
    [
        revision.revision.to_string(),
        revision.at.clone(),
        revision.actor.clone(),
        revision.kind.to_string(),
        revision.reason.clone().unwrap_or_default(),
        changed(revision),
    ]
}

/// What a revision changed, in a few words.
pub(super) fn changed(revision: &RevisionAnswer) -> String {
    let number =
        |is_wanted: fn(&ChangeAnswer) -> bool| revision.changes.iter().filter(|change| is_wanted(change)).count();
    let entered = number(|change| change.before.is_none());
    let left = number(|change| change.after.is_none());
    let other = revision.changes.len() - entered - left;
    let counted = [(entered, "entered"), (other, "changed"), (left, "left")];
    let mut words: Vec<String> =
        counted.iter().filter(|(number, _)| *number > 0).map(|(number, what)| format!("{number} {what}")).collect();
    if let Some(settings) = &revision.settings {
        words.extend(settings.after.iter().map(|(key, value)| format!("{key}={value}")));
    }
    match revision.reward.as_ref().map(|reward| (reward.before, reward.after)) {
        Some((_, Some(reward))) => words.push(format!("reward {reward}")),
        Some((Some(reward), None)) => words.push(format!("reward {reward} no longer counts")),
        _ => {}
    }
    words.join(", ")
}

/// What one revision did to each lesson, for a person: at most a few of them.
pub(super) fn lines(revision: &RevisionAnswer) -> String {
    crate::table::first_of(&revision.changes, |change| {
        let text = |entry: &Option<docet::wire::ExperienceAnswer>| {
            entry.as_ref().and_then(|entry| entry.text.clone()).unwrap_or_default()
        };
        let (what, text) = match (&change.before, &change.after) {
            (None, after) => ("entered", text(after)),
            (before, None) => ("left", text(before)),
            (_, after) => ("changed", text(after)),
        };
        format!("lesson {} {what}: {}", change.id, crate::output::clean(&text))
    })
}

/// The revision that a call made, with what it did.
pub(super) fn made(revision: &RevisionAnswer, size: usize) -> String {
    let size = count(size, "lesson", "lessons");
    format!("{}{size}, revision {}\n", lines(revision), revision.revision)
}
