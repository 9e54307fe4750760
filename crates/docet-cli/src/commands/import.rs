//! `docet import`

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use docet::interchange::write_rejects;
use docet::wire::{self, Failure, ImportAnswer, ImportRequest};
use docet::{Code, Refusal};

use super::compress;
use crate::arguments::{CallerFlags, finite};
use crate::context::Context;
use crate::input;
use crate::output::{clean, replace_file};
use crate::table::{count, first_of};

const EXAMPLES: &str = "\
Examples:
  docet import CLAUDE.md --dry-run
  docet import lessons.csv --map text=content,domain=section --rejects rejects.jsonl";

/// Bring lessons in: an export of Docet's, notes, tables, other products' memories
///
/// The format is recognised: docet, markdown and text (CLAUDE.md, AGENTS.md, .cursorrules), csv, json, jsonl, grpo
/// (Training-Free GRPO), paper, ace, kayba, cass; docs/interchange.md describes each. All of a file comes in at once, as
/// one revision; a line that cannot be taken is reported and stops no other.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Import {
    /// The file; - reads standard input
    #[arg(value_name = "FILE|-")]
    file: PathBuf,
    /// The format [default: recognised]
    #[arg(long, value_name = "FORMAT")]
    from: Option<String>,
    /// Where records keep their fields, such as text=content,domain=meta.section
    #[arg(long, value_name = "F=PATH,...")]
    map: Option<String>,
    /// What lessons without a domain are about [default: general]
    #[arg(long, value_name = "D")]
    domain: Option<String>,
    /// Who or what wrote the lessons
    #[arg(long, value_name = "S")]
    source: Option<String>,
    /// What is done with a text that is too long
    #[arg(long, value_name = "WHAT", default_value = "skip")]
    overlong: Overlong,
    /// The fewest words of a lesson [default: 5 in markdown and text, where shorter ones are fragments; else 1]
    #[arg(long, value_name = "N", value_parser = finite, allow_hyphen_values = true)]
    min_words: Option<f64>,
    /// Write the lines that were refused to this file, ready to be mended and imported again
    #[arg(long, value_name = "FILE")]
    rejects: Option<PathBuf>,
    /// Give the lessons of a whole library new ids, in a library that has held lessons
    #[arg(long)]
    merge: bool,
    /// Let other lessons leave where the capacity has no place
    #[arg(long)]
    evict: bool,
    /// Say what would happen; change nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    caller: CallerFlags,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Overlong {
    Skip,
    Truncate,
}

impl Import {
    pub(crate) fn run(self, context: &Context) -> Result<(), Failure> {
        let request = ImportRequest {
            content: input::bytes(&self.file)?,
            from: self.from,
            map: self.map,
            domain: self.domain,
            source: self.source,
            overlong: match self.overlong {
                Overlong::Skip => wire::Overlong::Skip,
                Overlong::Truncate => wire::Overlong::Truncate,
            },
            min_words: self.min_words,
            merge: self.merge,
            evict: self.evict,
            dry_run: self.dry_run,
        };
        let answer = context.service.import(&context.target_for(&self.caller)?, &request)?;
        if let Some(file) = &self.rejects {
            let mut lines = Vec::new();
            let written = write_rejects(&answer.refused, &mut lines);
            written.map_err(|error| Refusal::new(Code::Io, error.to_string()))?;
            replace_file(file, &lines)?;
        }
        context.output.answer(&answer, page)
    }
}

fn page(answer: &ImportAnswer) -> String {
    let mut page = first_of(&answer.refused, |line| format!("line {} refused: {}", line.line, clean(&line.message)));
    page += &first_of(&answer.equal, |equal| format!("line {}: lesson {} says that already", equal.line, equal.id));
    page += &first_of(&answer.shortened, |cut| format!("line {}: cut to fit, lesson {}", cut.line, cut.id));
    page += &first_of(&answer.unmapped, |field| {
        format!("not taken: {} ({})", clean(&field.field), count(field.count, "time", "times"))
    });
    page += &compress::evicted(&answer.evicted);
    let (imported, refused) = (count(answer.imported, "lesson", "lessons"), answer.refused.len());
    let (equal, size) = (answer.equal.len(), count(answer.size, "lesson", "lessons"));
    let taken = format!("{}: {imported} imported, {equal} equal, {refused} refused", answer.format);
    match answer.dry_run {
        true => page + &format!("{taken}; dry run: the library would hold {size}; nothing was changed\n"),
        false => page + &format!("{taken}; {size}, revision {}\n", answer.revision),
    }
}
