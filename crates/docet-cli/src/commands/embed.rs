//! `docet embed`

use std::path::PathBuf;

use clap::Args;
use docet::wire::{EmbedAnswer, EmbedLinesAnswer, EmbedRequest, Failure};

use crate::context::Context;
use crate::input;
use crate::table::count;

const EXAMPLES: &str = "\
Examples:
  docet embed \"Run the tests before you commit.\" --json
  docet embed --lines texts.txt --json > vectors.json";

/// Show the vector of a text
///
/// Every text is taken as it stands, the empty one too. --json prints all 384 numbers.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Embed {
    /// The text; - reads standard input
    #[arg(value_name = "TEXT|-", required_unless_present = "lines", allow_negative_numbers = true)]
    text: Option<String>,
    /// A file with one text a line; - reads standard input
    #[arg(long, value_name = "FILE|-", conflicts_with = "text")]
    lines: Option<PathBuf>,
}

impl Embed {
    pub(crate) fn run(self, context: &Context) -> Result<(), Failure> {
        let texts = match (&self.lines, &self.text) {
            (Some(file), _) => input::lines(file)?,
            (None, Some(text)) => vec![input::text(text)?],
            (None, None) => Vec::new(),
        };
        let mut rows = context.service.embed(&EmbedRequest { texts })?;
        match (self.lines, rows.pop()) {
            (None, Some(row)) => context.output.answer(&row, line),
            (_, last) => {
                rows.extend(last);
                let page: String = rows.iter().map(line).collect();
                context.output.answer(&EmbedLinesAnswer::from(rows), |_| page)
            }
        }
    }
}

/// One text in a line: enough to see that it worked.
fn line(row: &EmbedAnswer) -> String {
    let first: Vec<String> = row.embedding.iter().take(4).map(|number| format!("{number:.4}")).collect();
    let (tokens, more) = (count(row.tokens, "token", "tokens"), row.embedding.len() - first.len());
    let cut = if row.truncated { ", cut off" } else { "" };
    format!("{tokens}{cut}  {} and {more} more (--json prints them all)\n", first.join(" "))
}
