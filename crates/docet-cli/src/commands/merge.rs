//! `docet merge`

use clap::Args;
use docet::wire::{Failure, Operation, id};

use super::{modify, update};
use crate::arguments::finite;
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
    /// The lessons that leave, two or more, then the text of the one that enters; - reads it from standard input
    #[arg(value_name = "ID... TEXT|-", required = true, allow_negative_numbers = true)]
    ids_and_text: Vec<String>,
    /// What the new lesson is about; needed where the old ones differ
    #[arg(long, value_name = "D")]
    domain: Option<String>,
    /// Who or what wrote it
    #[arg(long, value_name = "S")]
    source: Option<String>,
}

impl Merge {
    pub(crate) fn run(self, context: &Context) -> Result<(), Failure> {
        let [first @ .., text] = &self.ids_and_text[..] else { return Err(missing()) };
        if first.is_empty() {
            return Err(missing());
        }
        let text = modify::text(text)?;
        let ids = first.iter().map(|word| id(number(word)?)).collect::<Result<_, Failure>>()?;
        update::apply(context, vec![Operation::Merge { ids, text, domain: self.domain, source: self.source }])
    }
}

fn missing() -> Failure {
    usage("id", "a merge takes two or more ids, then the TEXT")
}

fn number(word: &str) -> Result<f64, Failure> {
    finite(word).map_err(|_| usage("id", format!("{word:?} is no id; all but the last are ids, the last is the TEXT")))
}
