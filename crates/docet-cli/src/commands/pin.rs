//! `docet pin`

use clap::Args;
use docet::wire::{Failure, Operation, id};

use super::update;
use crate::arguments::{CallerFlags, finite};
use crate::context::Context;

const EXAMPLES: &str = "\
Examples:
  docet pin 3
  docet --library web pin 3 8";

/// Keep lessons through every compression
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Pin {
    /// The lessons
    #[arg(required = true, value_parser = finite, allow_negative_numbers = true)]
    id: Vec<f64>,
    #[command(flatten)]
    caller: CallerFlags,
}

impl Pin {
    pub(crate) fn run(self, context: &Context) -> Result<(), Failure> {
        update::apply(context, &self.caller, pinned(self.id, true)?)
    }
}

/// Operations that pin lessons or let them go.
pub(super) fn pinned(ids: Vec<f64>, pinned: bool) -> Result<Vec<Operation>, Failure> {
    let modify = |number| {
        let (text, domain, source) = (None, None, None);
        Ok(Operation::Modify { id: id(number)?, text, domain, source, pinned: Some(pinned) })
    };
    ids.into_iter().map(modify).collect()
}
