//! `docet restore`

use clap::Args;
use docet::wire::{Failure, RestoreRequest};

use super::undo;
use crate::arguments::{CallerFlags, finite};
use crate::context::Context;

const EXAMPLES: &str = "\
Examples:
  docet list --archived
  docet restore 3";

/// Bring back a lesson that left, under its id
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Restore {
    /// The lesson, as `docet list --archived` shows it
    #[arg(value_parser = finite, allow_negative_numbers = true)]
    id: f64,
    /// Let another lesson leave where the capacity has no place for it
    #[arg(long)]
    evict: bool,
    #[command(flatten)]
    caller: CallerFlags,
}

impl Restore {
    pub(crate) fn run(self, context: &Context) -> Result<(), Failure> {
        let request = RestoreRequest { id: self.id, evict: self.evict };
        let answer = context.service.restore(&context.target_for(&self.caller)?, &request)?;
        context.output.answer(&answer, undo::page)
    }
}
