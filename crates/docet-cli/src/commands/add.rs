//! `docet add`

use clap::Args;
use docet::wire::{Failure, Operation, check_count};

use super::update;
use crate::arguments::{CallerFlags, finite};
use crate::context::Context;
use crate::input;
use crate::output::say;

const EXAMPLES: &str = "\
Examples:
  docet add \"Run the failing test before you change the code.\" --domain coding
  docet add - --source retrospective < lessons.txt";

/// Keep lessons of 1 to 32 words
///
/// Several texts are kept together or not at all. A lesson that stands in the same domain already is not kept twice:
/// the answer names the one that says it.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Add {
    /// The lessons; - reads standard input, one a line
    #[arg(value_name = "TEXT|-", required = true, allow_negative_numbers = true)]
    text: Vec<String>,
    /// What they are about [default: general]
    #[arg(long, value_name = "D")]
    domain: Option<String>,
    /// How far they are trusted at first, above 0 and below 1 [default: the setting initial_confidence]
    #[arg(long, value_name = "C", value_parser = finite, allow_hyphen_values = true)]
    confidence: Option<f64>,
    /// Who or what wrote them
    #[arg(long, value_name = "S")]
    source: Option<String>,
    /// Keep them through every compression
    #[arg(long)]
    pin: bool,
    #[command(flatten)]
    caller: CallerFlags,
}

impl Add {
    pub(crate) fn run(self, context: &Context) -> Result<(), Failure> {
        let add = |text| Operation::Add {
            text,
            domain: self.domain.clone(),
            confidence: self.confidence,
            source: self.source.clone(),
            pinned: self.pin.then_some(true),
        };
        if self.text.len() > 1 && self.text.iter().all(|text| !text.contains(char::is_whitespace)) {
            say("note: each word is a lesson of its own; one lesson of several words stands in quotes\n");
        }
        let texts = input::texts(&self.text)?;
        check_count(texts.len())?;
        update::apply(context, &self.caller, texts.into_iter().map(add).collect())
    }
}
