//! `docet purge`

use clap::Args;
use docet::wire::{Failure, PurgeAnswer, PurgeRequest};

use crate::arguments::{CallerFlags, finite};
use crate::context::Context;
use crate::output::clean;
use crate::table::{count, first_of};

const EXAMPLES: &str = "\
Examples:
  docet purge
  docet purge --older-than 30 --yes --reason \"asked to be forgotten\"";

/// Erase for good what lessons no longer say
///
/// In this library the texts of lessons that left, and every text that was replaced, go out of the archive, the history,
/// the receipts of sessions and remembered answers, and out of the store's file. Nothing else in Docet erases. Without
/// --yes it only says what would go. Copies of the store are named and not touched.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Purge {
    /// Only what left or was replaced more than so many days ago
    #[arg(long, value_name = "DAYS", value_parser = finite, allow_hyphen_values = true)]
    older_than: Option<f64>,
    /// Do it
    #[arg(long)]
    yes: bool,
    #[command(flatten)]
    caller: CallerFlags,
}

impl Purge {
    pub(crate) fn run(self, context: &Context) -> Result<(), Failure> {
        let request = PurgeRequest { older_than: self.older_than, yes: self.yes };
        let answer = context.service.purge(&context.target_for(&self.caller)?, &request)?;
        context.output.answer(&answer, page)
    }
}

fn page(answer: &PurgeAnswer) -> String {
    let texts = count(answer.texts, "text", "texts");
    let archived = count(answer.archived.len(), "lesson that left", "lessons that left");
    let copies = first_of(&answer.copies, |copy| format!("not touched: {}", clean(copy)));
    match (answer.dry_run, answer.texts) {
        (true, 0) => "there is nothing to purge\n".to_owned(),
        (true, _) => format!("{texts} would go, among them those of {archived}; add --yes to erase them for good\n"),
        (false, 0) => format!("there was nothing left to purge; the store was scrubbed\n{copies}"),
        (false, _) => format!("erased {texts}, among them those of {archived}; revision {}\n{copies}", answer.revision),
    }
}
