//! `docet backup`

use std::path::PathBuf;

use clap::Args;
use docet::wire::{BackupAnswer, Failure};

use crate::context::Context;
use crate::output::clean;
use crate::table::count;

const EXAMPLES: &str = "\
Examples:
  docet backup docet-2026-12-03.db
  docet --store team.db backup /mnt/backups/team.db";

/// Copy the whole store, verified, while others go on
///
/// The copy is a store itself: `docet --store FILE list` looks inside, and put in the store's place it is the store.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Backup {
    /// The file to be made; one that is there is never replaced
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

impl Backup {
    pub(crate) fn run(self, context: &Context) -> Result<(), Failure> {
        let answer = context.local().back_up(&self.file)?;
        context.output.answer(&answer, page)
    }
}

fn page(answer: &BackupAnswer) -> String {
    let libraries = count(answer.libraries, "library", "libraries");
    let lessons = count(answer.entries, "lesson", "lessons");
    format!("{}: {libraries}, {lessons}, {} bytes, verified\n", clean(&answer.path), answer.bytes)
}
