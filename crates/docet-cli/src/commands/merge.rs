//! `docet merge`

use clap::Args;
use docet::wire::{Failure, Operation, id};

use super::{modify, update};
use crate::arguments::{CallerFlags, finite};
use crate::context::Context;
use crate::failure::usage;

const EXAMPLES: &str = "\
Examples:
  docet merge 3 8 \"Run the failing test alone, then the whole suite.\"
  docet merge 3 8 11 \"Quote every path.\" --domain shell";

/// Merge lessons into one that says the same
///
/// The new lesson has the highest confidence of those that leave, and all their evidence.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, override_usage = "docet merge [OPTIONS] <ID> <ID>... <TEXT|->")]
pub(crate) struct Merge {
    /// The first of the lessons that leave
    #[arg(value_parser = finite, allow_negative_numbers = true)]
    id: f64,
    /// The others, then the text of the one that enters; - reads that from standard input
    #[arg(value_name = "ID|TEXT|-", required = true, allow_negative_numbers = true)]
    more: Vec<String>,
    /// What the new lesson is about; needed where the old ones differ
    #[arg(long, value_name = "D")]
    domain: Option<String>,
    /// Who or what wrote it
    #[arg(long, value_name = "S")]
    source: Option<String>,
    #[command(flatten)]
    caller: CallerFlags,
}

impl Merge {
    pub(crate) fn run(self, context: &Context) -> Result<(), Failure> {
        let (text, others) = self.more.split_last().ok_or_else(|| usage("text", "the TEXT is missing"))?;
        let text = modify::text(text)?;
        let others = others.iter().map(|word| id(number(word)?));
        let ids = [id(self.id)].into_iter().chain(others).collect::<Result<_, Failure>>()?;
        update::apply(
            context,
            &self.caller,
            vec![Operation::Merge { ids, text, domain: self.domain, source: self.source }],
        )
    }
}

fn number(word: &str) -> Result<f64, Failure> {
    finite(word).map_err(|_| usage("id", format!("{word:?} is no id; all but the last are ids, the last is the TEXT")))
}
