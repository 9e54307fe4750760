//! `docet delete`

use clap::Args;
use docet::wire::{Failure, Operation, id};

use super::update;
use crate::arguments::{CallerFlags, finite};
use crate::context::Context;

const EXAMPLES: &str = "\
Examples:
  docet delete 4
  docet --library web delete 4 7 9";

/// Delete lessons, all of them or none
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Delete {
    /// The lessons
    #[arg(required = true, value_parser = finite, allow_negative_numbers = true)]
    id: Vec<f64>,
    #[command(flatten)]
    caller: CallerFlags,
}

impl Delete {
    pub(crate) fn run(self, context: &Context) -> Result<(), Failure> {
        let delete = |number| Ok(Operation::Delete { id: id(number)? });
        update::apply(context, &self.caller, self.id.into_iter().map(delete).collect::<Result<_, Failure>>()?)
    }
}
