//! `docet list`

use clap::{Args, ValueEnum};
use docet::wire::{self, Failure, ListAnswer, ListRequest, ListedAnswer};

use crate::arguments::finite;
use crate::context::Context;
use crate::table::{count, figure, table_of};

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
    /// Those that left the library instead; `docet restore ID` brings one back
    #[arg(long)]
    archived: bool,
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
        let Self { domain, archived, limit, offset, .. } = self;
        let request = ListRequest { domain, archived, sort, limit, offset };
        let answer = context.service.list(&context.target, &request)?;
        context.output.answer(&answer, page)
    }
}

fn page(answer: &ListAnswer) -> String {
    let is_archive = answer.experiences.iter().any(|listed| listed.left.is_some());
    let mut headings = vec!["ID", "CONFIDENCE", "USED", "EPOCH", "DOMAIN", "PINNED"];
    if is_archive {
        headings.extend(["LEFT", "BY", "REASON"]);
    }
    headings.push("TEXT");
    let page = table_of(&headings, answer.experiences.iter().map(row).collect());
    let shown = answer.experiences.len();
    let of = if shown < answer.total { format!("{shown} of ") } else { String::new() };
    let total = count(answer.total, "lesson", "lessons");
    page + &format!("{of}{total}, epoch {}, revision {}\n", answer.epoch, answer.revision)
}

fn row(listed: &ListedAnswer) -> Vec<String> {
    let entry = &listed.experience;
    let mut row = vec![
        entry.id.to_string(),
        figure(entry.confidence),
        entry.usage_count.to_string(),
        entry.epoch.to_string(),
        entry.domain.clone(),
        if entry.pinned { "pinned" } else { "" }.to_owned(),
    ];
    if let Some(left) = &listed.left {
        row.extend([left.archived_at.clone(), left.kind.to_string(), left.reason.clone().unwrap_or_default()]);
    }
    row.push(entry.text.clone().unwrap_or_default());
    row
}
