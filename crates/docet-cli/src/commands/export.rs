//! `docet export`

use std::io::Write;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use docet::interchange::{LibraryFile, best, splice_into, write_csv, write_jsonl, write_markdown};
use docet::wire::{ExportAnswer, Failure, utf8};
use docet::{Code, Refusal};

use crate::arguments::count;
use crate::context::Context;
use crate::input;
use crate::output::{clean, replace_file};
use crate::table;

const EXAMPLES: &str = "\
Examples:
  docet export library.jsonl
  docet export --into AGENTS.md --top 20";

/// Write a library out: whole, or as people and agents read it
///
/// The JSON Lines hold all of a library but its name, its revision and its vectors: `docet import` brings it back,
/// byte for byte, into a library that never held a lesson. Without FILE they go to standard output.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Export {
    /// The file to be written, replaced where it is there
    #[arg(value_name = "FILE", conflicts_with = "into")]
    file: Option<PathBuf>,
    /// jsonl (whole), markdown or csv (for people)
    #[arg(long, value_name = "FORMAT", default_value = "jsonl", conflicts_with = "into")]
    format: Format,
    /// Keep the most trusted lessons in this file, between two markers; the rest of it stays as it is
    #[arg(long, value_name = "FILE", requires = "top")]
    into: Option<PathBuf>,
    /// How many
    #[arg(long, value_name = "N", requires = "into", value_parser = count)]
    top: Option<usize>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Format {
    Jsonl,
    Markdown,
    Csv,
}

impl Export {
    pub(crate) fn run(self, context: &Context) -> Result<(), Failure> {
        let library = context.service.export(&context.target)?;
        let (exported, file) = match (&self.into, &self.file) {
            (Some(into), _) => (splice(&library, into, self.top.unwrap_or(0))?, into),
            (None, Some(file)) => {
                replace_file(file, &self.written(&library)?)?;
                (library.entries.len(), file)
            }
            (None, None) => return context.output.plain(&self.written(&library)?),
        };
        let page = |answer: &ExportAnswer| {
            let lessons = table::count(answer.exported, "lesson", "lessons");
            format!("{lessons} in {}\n", clean(&file.display().to_string()))
        };
        context.output.answer(&ExportAnswer { exported }, page)
    }

    fn written(&self, library: &LibraryFile) -> Result<Vec<u8>, Failure> {
        let mut bytes = Vec::new();
        let written = match self.format {
            Format::Jsonl => write_jsonl(library, &mut bytes),
            Format::Markdown => write_markdown(&library.entries, &mut bytes),
            Format::Csv => write_csv(&library.entries, &mut bytes),
        };
        written.and_then(|()| bytes.flush()).map_err(|error| Refusal::new(Code::Io, error.to_string()))?;
        Ok(bytes)
    }
}

/// Keeps the most trusted lessons of a library between the markers of a file.
fn splice(library: &LibraryFile, into: &Path, top: usize) -> Result<usize, Failure> {
    let existing = match into.try_exists() {
        Ok(false) => Vec::new(),
        _ => input::bytes(into)?,
    };
    let lessons = best(&library.entries, top);
    let text = splice_into(utf8(&existing)?, &lessons)?;
    if text.as_bytes() != existing {
        replace_file(into, text.as_bytes())?;
    }
    Ok(lessons.len())
}
