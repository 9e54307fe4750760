//! `docet libraries`

use clap::Args;
use docet::wire::{Failure, LibrariesAnswer};

use crate::context::Context;
use crate::table::table;

const EXAMPLES: &str = "\
Examples:
  docet libraries
  docet --store team.db libraries --json";

/// List the libraries of a store
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Libraries {}

impl Libraries {
    pub(crate) fn run(self, context: &Context) -> Result<(), Failure> {
        context.output.answer(&context.service.libraries()?, page)
    }
}

fn page(answer: &LibrariesAnswer) -> String {
    if answer.libraries.is_empty() {
        return "no libraries yet\n".to_owned();
    }
    let rows = answer.libraries.iter().map(|library| {
        let numbers = [library.size as u64, library.epoch, library.revision].map(|number| number.to_string());
        let [size, epoch, revision] = numbers;
        [library.name.to_string(), size, epoch, revision]
    });
    table(["LIBRARY", "LESSONS", "EPOCH", "REVISION"], rows.collect())
}
