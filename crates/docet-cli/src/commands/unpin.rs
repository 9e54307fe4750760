//! `docet unpin`

use clap::Args;
use docet::wire::Failure;

use super::{pin, update};
use crate::arguments::{CallerFlags, finite};
use crate::context::Context;

const EXAMPLES: &str = "\
Examples:
  docet unpin 3
  docet --library web unpin 3 8";

/// Let pinned lessons leave again when room is made
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Unpin {
    /// The lessons
    #[arg(required = true, value_parser = finite, allow_negative_numbers = true)]
    id: Vec<f64>,
    #[command(flatten)]
    caller: CallerFlags,
}

impl Unpin {
    pub(crate) fn run(self, context: &Context) -> Result<(), Failure> {
        update::apply(context, &self.caller, pin::pinned(self.id, false)?)
    }
}
