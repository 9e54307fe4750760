//! `docet compress`, and the page of entries that leave.

use clap::Args;
use docet::wire::{CompressAnswer, CompressRequest, Evicted, Failure};

use crate::arguments::{CallerFlags, finite};
use crate::context::Context;
use crate::table::{count, figure, table_of};

const EXAMPLES: &str = "\
Examples:
  docet compress --dry-run --to 40
  docet compress --strategy temporal --age-from created";

/// Make room: compress to the capacity, or to what you say
///
/// At or below it nothing leaves, and pinned lessons stay. A dry run lists who would leave, with the figures that
/// decided it. What is not said is the library's setting.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Compress {
    /// How: diversity, importance, temporal or hybrid
    #[arg(long, value_name = "S")]
    strategy: Option<String>,
    /// To how many lessons
    #[arg(long, value_name = "N", value_parser = finite, allow_hyphen_values = true)]
    to: Option<f64>,
    /// Say what would happen; change nothing
    #[arg(long)]
    dry_run: bool,
    /// The seed of diversity, which draws its start at random above 5,000 lessons
    #[arg(long, value_name = "N", value_parser = finite, allow_hyphen_values = true)]
    seed: Option<f64>,
    /// When hybrid scores: each (anew after each that leaves) or once
    #[arg(long, value_name = "WHEN")]
    rescore: Option<String>,
    /// Where age starts: improved (the last time that it helped) or created
    #[arg(long, value_name = "FROM")]
    age_from: Option<String>,
    #[command(flatten)]
    caller: CallerFlags,
}

impl Compress {
    pub(crate) fn run(self, context: &Context) -> Result<(), Failure> {
        let Self { strategy, to, dry_run, seed, rescore, age_from, caller } = self;
        let request = CompressRequest { strategy, to, dry_run, seed, rescore, age_from };
        let answer = context.service.compress(&context.target_for(&caller)?, &request)?;
        context.output.answer(&answer, page)
    }
}

pub(super) fn page(answer: &CompressAnswer) -> String {
    let (strategy, kept) = (answer.strategy.name(), count(answer.kept, "lesson", "lessons"));
    let closing = match answer.dry_run {
        _ if answer.evicted.is_empty() => format!("nothing leaves: the library holds {kept}\n"),
        true => format!("dry run of {strategy}: {kept} would stay; nothing was changed\n"),
        false => format!("{strategy}: {kept}, revision {}\n", answer.revision),
    };
    evicted(&answer.evicted) + &closing
}

/// Who leaves, in order, with those figures that the strategy used.
pub(super) fn evicted(evicted: &[Evicted]) -> String {
    let optional = |name, figure: fn(&Evicted) -> Option<String>| (name, figure);
    let figures = [
        optional("TIME WEIGHT", |entry| entry.time_weight.map(figure)),
        optional("DISTANCE", |entry| entry.distance.map(figure)),
        optional("UTILITY", |entry| {
            entry.utility.map(|utility| if utility < 0.001 { format!("{utility:.2e}") } else { figure(utility) })
        }),
        optional("CLUSTER", |entry| entry.cluster.map(|cluster| cluster.to_string())),
        optional("KEPT INSTEAD", |entry| entry.kept_instead.map(|id| id.to_string())),
    ];
    let used: Vec<_> = figures.into_iter().filter(|(_, of)| evicted.iter().any(|entry| of(entry).is_some())).collect();
    let mut headings = vec!["LEAVES", "CONFIDENCE", "USED", "EPOCH"];
    headings.extend(used.iter().map(|(name, _)| *name));
    headings.push("TEXT");
    let row = |entry: &Evicted| {
        let (id, count, epoch) = (entry.id.to_string(), entry.usage_count.to_string(), entry.epoch.to_string());
        let mut row = vec![id, figure(entry.confidence), count, epoch];
        row.extend(used.iter().map(|(_, of)| of(entry).unwrap_or_default()));
        row.push(entry.text.clone());
        row
    };
    table_of(&headings, evicted.iter().map(row).collect())
}
