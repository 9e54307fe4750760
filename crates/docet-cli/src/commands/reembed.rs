//! `docet reembed`

use clap::Args;
use docet::wire::{Failure, ReembedAnswer};

use crate::arguments::CallerFlags;
use crate::context::Context;
use crate::table::count;

const EXAMPLES: &str = "\
Examples:
  docet reembed
  docet --library web reembed --reason \"another encoder\"";

/// Make all vectors of a library anew
///
/// In one transaction: readers see the old ones or the new ones. It is the way to take a library over from another
/// encoder, and mends vectors that do not belong to their texts.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Reembed {
    #[command(flatten)]
    caller: CallerFlags,
}

impl Reembed {
    pub(crate) fn run(self, context: &Context) -> Result<(), Failure> {
        let answer = context.local().reembed(&context.target_for(&self.caller)?)?;
        context.output.answer(&answer, page)
    }
}

fn page(answer: &ReembedAnswer) -> String {
    let vectors = count(answer.entries, "vector", "vectors");
    format!("made {vectors} anew, {} of them differ; revision {}\n", answer.changed, answer.revision)
}
