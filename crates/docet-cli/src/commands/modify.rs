//! `docet modify`

use clap::Args;
use docet::wire::{Failure, Operation, id};

use super::update;
use crate::arguments::{CallerFlags, finite};
use crate::context::Context;
use crate::failure::usage;
use crate::input;

const EXAMPLES: &str = "\
Examples:
  docet modify 3 \"Run the failing test alone first.\"
  docet modify 3 --domain coding --source review";

/// Change a lesson
///
/// Its id, confidence and evidence stay. A text that differs makes it new: its age starts again.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Modify {
    /// The lesson
    #[arg(value_parser = finite, allow_negative_numbers = true)]
    id: f64,
    /// Its new text; - reads standard input
    #[arg(value_name = "TEXT|-")]
    text: Option<String>,
    /// What it is about
    #[arg(long, value_name = "D")]
    domain: Option<String>,
    /// Who or what wrote it
    #[arg(long, value_name = "S")]
    source: Option<String>,
    /// Keep it through every compression; `docet unpin` takes that back
    #[arg(long)]
    pin: bool,
    #[command(flatten)]
    caller: CallerFlags,
}

impl Modify {
    pub(crate) fn run(self, context: &Context) -> Result<(), Failure> {
        let text = self.text.as_deref().map(text).transpose()?;
        let (domain, source, pinned) = (self.domain, self.source, self.pin.then_some(true));
        if text.is_none() && domain.is_none() && source.is_none() && pinned.is_none() {
            return Err(usage("text", "nothing to change: give a TEXT, --domain, --source or --pin"));
        }
        update::apply(context, &self.caller, vec![Operation::Modify { id: id(self.id)?, text, domain, source, pinned }])
    }
}

/// A text, which is not what a forgotten one looks like: the last of several ids.
pub(super) fn text(given: &str) -> Result<String, Failure> {
    if given.bytes().all(|byte| byte.is_ascii_digit()) && !given.is_empty() {
        return Err(usage("text", format!("{given} is an id, and the TEXT is missing; give it after the ids")));
    }
    input::text(given)
}
