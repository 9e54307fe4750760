//! `docet init`

use clap::Args;
use docet::wire::{Failure, InitAnswer, InitRequest};

use crate::arguments::{CallerFlags, finite};
use crate::context::Context;

const EXAMPLES: &str = "\
Examples:
  docet --library web init
  docet --library web init --preset paper --capacity 200";

/// Make a library
///
/// The library `default` comes into being with the first `add` or `begin`; any other is made here, so that a slip of
/// the keyboard makes none. For a library that is there it changes nothing.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Init {
    /// Which settings it starts from: recommended, or paper, which follows the paper to the letter
    #[arg(long, value_name = "PRESET")]
    preset: Option<String>,
    /// The most lessons that it keeps
    #[arg(long, value_name = "N", value_parser = finite, allow_hyphen_values = true)]
    capacity: Option<f64>,
    /// How it makes room: diversity, importance, temporal or hybrid
    #[arg(long, value_name = "S")]
    strategy: Option<String>,
    #[command(flatten)]
    caller: CallerFlags,
}

impl Init {
    pub(crate) fn run(self, context: &Context) -> Result<(), Failure> {
        let capacity = self.capacity.map(|capacity| capacity.to_string());
        let request = InitRequest { preset: self.preset, capacity, strategy: self.strategy };
        let answer = context.service.init(&context.target_for(&self.caller)?, &request)?;
        context.output.answer(&answer, page)
    }
}

fn page(answer: &InitAnswer) -> String {
    let (capacity, strategy) = (answer.settings.capacity, answer.settings.strategy.name());
    format!("library {} is there: capacity {capacity}, strategy {strategy}\n", answer.library)
}
