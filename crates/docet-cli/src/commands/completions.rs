//! `docet completions`

use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};
use docet::wire::Failure;

use crate::arguments::Arguments;
use crate::output::Output;

const EXAMPLES: &str = "\
Examples:
  docet completions bash > ~/.local/share/bash-completion/completions/docet
  docet completions fish > ~/.config/fish/completions/docet.fish";

/// Print a script that completes commands and flags in a shell
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Completions {
    /// The shell
    shell: Shell,
}

impl Completions {
    pub(crate) fn run(self, output: Output) -> Result<(), Failure> {
        let mut script = Vec::new();
        generate(self.shell, &mut Arguments::command(), "docet", &mut script);
        output.plain(&script)
    }
}
