//! `docet doctor`

use std::process::ExitCode;

use clap::Args;
use docet::wire::{DoctorAnswer, Failure, Finding, Severity};

use crate::context::Context;
use crate::output::clean;

const EXAMPLES: &str = "\
Examples:
  docet doctor
  docet doctor --all --fix --json";

/// Examine the store, the vectors, the encoder and their surroundings
///
/// Every finding comes with its remedy. It ends with 1 where something is wrong.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Doctor {
    /// Compare every vector with its text, not a sample of them
    #[arg(long)]
    all: bool,
    /// Mend what can be mended without losing anything
    #[arg(long)]
    fix: bool,
}

impl Doctor {
    /// Fails where something is wrong, though nothing failed.
    pub(crate) fn run(self, context: &Context) -> Result<ExitCode, Failure> {
        let answer = context.local().examine(self.all, self.fix)?;
        context.output.answer(&answer, page)?;
        Ok(if answer.ok { ExitCode::SUCCESS } else { ExitCode::FAILURE })
    }
}

fn page(answer: &DoctorAnswer) -> String {
    let findings: String = answer.findings.iter().map(line).collect();
    findings + if answer.ok { "all is well\n" } else { "" }
}

fn line(finding: &Finding) -> String {
    let severity = match finding.severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Fixed => "mended",
    };
    let remedy =
        if finding.remedy.is_empty() { String::new() } else { format!("\n         {}", clean(&finding.remedy)) };
    format!("{severity:<8} {}{remedy}\n", clean(&finding.message))
}
