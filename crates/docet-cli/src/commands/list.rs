//! `docet list`

use clap::{Args, ValueEnum};
use docet::wire::{self, ExperienceAnswer, Failure, ListAnswer, ListRequest};

use crate::arguments::finite;
use crate::context::Context;
use crate::table::{count, figure, table};

const EXAMPLES: &str = "\
Examples:
  docet list --domain coding --sort confidence --limit 20
  docet list --json";

/// List lessons
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct List {
    /// Only those of this domain
    #[arg(long, value_name = "D")]
    domain: Option<String>,
    /// By id, or the most trusted, the most used, the latest written first
    #[arg(long, value_name = "BY", default_value = "id")]
    sort: Sort,
    /// At most so many [default: all]
    #[arg(long, value_name = "N", value_parser = finite, allow_hyphen_values = true)]
    limit: Option<f64>,
    /// Without the first so many
    #[arg(long, value_name = "N", value_parser = finite, allow_hyphen_values = true)]
    offset: Option<f64>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Sort {
    Id,
    Confidence,
    Usage,
    Epoch,
}

impl List {
    pub(crate) fn run(self, context: &Context) -> Result<(), Failure> {
        let sort = match self.sort {
            Sort::Id => wire::Sort::Id,
            Sort::Confidence => wire::Sort::Confidence,
            Sort::Usage => wire::Sort::Usage,
            Sort::Epoch => wire::Sort::Epoch,
        };
        let request = ListRequest { domain: self.domain, sort, limit: self.limit, offset: self.offset };
        let answer = context.service.list(&context.target, &request)?;
        context.output.answer(&answer, page)
    }
}

fn page(answer: &ListAnswer) -> String {
    let headings = ["ID", "CONFIDENCE", "USED", "EPOCH", "DOMAIN", "PINNED", "TEXT"];
    let page = table(headings, answer.experiences.iter().map(row).collect());
    let shown = answer.experiences.len();
    let of = if shown < answer.total { format!("{shown} of ") } else { String::new() };
    let total = count(answer.total, "lesson", "lessons");
    page + &format!("{of}{total}, epoch {}, revision {}\n", answer.epoch, answer.revision)
}

fn row(entry: &ExperienceAnswer) -> [String; 7] {
    [
        entry.id.to_string(),
        figure(entry.confidence),
        entry.usage_count.to_string(),
        entry.epoch.to_string(),
        entry.domain.clone(),
        if entry.pinned { "pinned" } else { "" }.to_owned(),
        entry.text.clone(),
    ]
}
