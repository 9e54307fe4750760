//! `docet undo`

use clap::Args;
use docet::wire::{Failure, RevisedAnswer, UndoRequest};

use super::{compress, history};
use crate::arguments::{CallerFlags, finite};
use crate::context::Context;

const EXAMPLES: &str = "\
Examples:
  docet undo 12
  docet undo 12 --reason \"wrong file\" --evict";

/// Take one revision back
///
/// Every lesson that it changed becomes what it was before; settings and a session's reward too. Where later revisions
/// touched the same lessons it is refused, and names them. The undo is a revision itself, which can be undone.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Undo {
    /// The revision, as `docet history` numbers them
    #[arg(value_name = "REV", value_parser = finite, allow_negative_numbers = true)]
    revision: f64,
    /// Let other lessons leave where the capacity has no place for those that come back
    #[arg(long)]
    evict: bool,
    #[command(flatten)]
    caller: CallerFlags,
}

impl Undo {
    pub(crate) fn run(self, context: &Context) -> Result<(), Failure> {
        let request = UndoRequest { revision: self.revision, evict: self.evict };
        let answer = context.service.undo(&context.target_for(&self.caller)?, &request)?;
        context.output.answer(&answer, page)
    }
}

/// What came back, and who left for it.
pub(super) fn page(answer: &RevisedAnswer) -> String {
    compress::evicted(&answer.evicted) + &history::made(&answer.revision, answer.size)
}
