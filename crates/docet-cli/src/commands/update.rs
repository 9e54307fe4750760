//! `docet update`, and how every change of lessons is carried out and shown.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use docet::wire::{
    self, Applied, Failure, Operation, OperationKind, Similar, UpdateAnswer, UpdateRequest, parse_operations,
};

use super::compress;
use crate::arguments::CallerFlags;
use crate::context::Context;
use crate::input;
use crate::output::clean;
use crate::table::{count, figure, first_of};

const EXAMPLES: &str = r#"Examples:
  docet update lessons.json --on-invalid skip
  echo '[{"op": "add", "text": "Read the error first."}]' | docet update - --dry-run"#;

/// Apply a list of operations, all or nothing
///
/// FILE holds {"operations": [...]} or [...], of add, modify, delete and merge:
///
///   {"op": "add", "text": "...", "domain": "...", "confidence": 0.7, "source": "...", "pinned": true}
///   {"op": "modify", "id": 3, "text": "...", "domain": "...", "source": "...", "pinned": false}
///   {"op": "delete", "id": 4}
///   {"op": "merge", "ids": [1, 2], "text": "...", "domain": "...", "source": "..."}
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, verbatim_doc_comment)]
pub(crate) struct Update {
    /// A file of operations in JSON; - reads standard input
    #[arg(value_name = "FILE|-")]
    file: PathBuf,
    /// What a faulty operation does: reject the list, or be skipped and reported
    #[arg(long, value_name = "WHAT", default_value = "reject")]
    on_invalid: OnInvalid,
    /// Say what would happen; change nothing
    #[arg(long)]
    dry_run: bool,
    /// Who or what wrote the lessons that name no source themselves
    #[arg(long, value_name = "S")]
    source: Option<String>,
    #[command(flatten)]
    caller: CallerFlags,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum OnInvalid {
    Reject,
    Skip,
}

impl Update {
    pub(crate) fn run(self, context: &Context) -> Result<(), Failure> {
        let on_invalid = match self.on_invalid {
            OnInvalid::Reject => wire::OnInvalid::Reject,
            OnInvalid::Skip => wire::OnInvalid::Skip,
        };
        let operations = parse_operations(&input::bytes(&self.file)?)?;
        let request = UpdateRequest { operations, on_invalid, dry_run: self.dry_run, source: self.source };
        carry_out(context, &self.caller, &request)
    }
}

/// Applies operations that a command of its own stands for.
pub(super) fn apply(context: &Context, caller: &CallerFlags, operations: Vec<Operation>) -> Result<(), Failure> {
    carry_out(context, caller, &UpdateRequest { operations, ..UpdateRequest::default() })
}

fn carry_out(context: &Context, caller: &CallerFlags, request: &UpdateRequest) -> Result<(), Failure> {
    let answer = context.service.update(&context.target_for(caller)?, request)?;
    context.output.answer(&answer, page)
}

/// What a list of operations did, for a person.
pub(super) fn page(answer: &UpdateAnswer) -> String {
    let mut page = String::new();
    for (kind, did) in
        [(OperationKind::Add, "added"), (OperationKind::Modify, "changed"), (OperationKind::Delete, "deleted")]
    {
        let ids: Vec<u64> =
            answer.applied.iter().filter(|applied| applied.op == kind).map(|applied| applied.id).collect();
        if !ids.is_empty() {
            let lessons = if ids.len() == 1 { "lesson" } else { "lessons" };
            page += &format!("{did} {lessons} {}\n", ranges(&ids));
        }
    }
    page.extend(answer.applied.iter().filter_map(merged));
    page += &first_of(&answer.skipped, |fault| format!("skipped operation {}: {}", fault.index, clean(&fault.message)));
    page +=
        &first_of(&answer.duplicates, |same| format!("operation {}: lesson {} says that already", same.index, same.id));
    page += &first_of(&pairs(&answer.similar), |near| {
        format!("lesson {} is close to {} ({}); merge them?", near.id, near.of, figure(near.similarity))
    });
    page += &compress::evicted(&answer.evicted);
    let size = count(answer.size, "lesson", "lessons");
    match answer.dry_run {
        true => page + &format!("dry run: the library would hold {size}; nothing was changed\n"),
        false => page + &format!("{size}, revision {}\n", answer.revision),
    }
}

fn merged(applied: &Applied) -> Option<String> {
    let ids = applied.ids.as_ref()?;
    Some(format!("merged lessons {} into {}\n", ranges(ids), applied.id))
}

/// Each pair once, also where both of it were written.
fn pairs(similar: &[Similar]) -> Vec<&Similar> {
    let mirrored = |near: &Similar| similar.iter().any(|other| other.id == near.of && other.of == near.id);
    similar.iter().filter(|near| near.id < near.of || !mirrored(near)).collect()
}

/// `1-3, 7` of 1, 2, 3 and 7.
fn ranges(ids: &[u64]) -> String {
    let runs = ids.chunk_by(|a, b| *b == *a + 1);
    let shown = runs.map(|run| match run {
        [first, .., last] if run.len() > 2 => format!("{first}-{last}"),
        run => run.iter().map(u64::to_string).collect::<Vec<_>>().join(", "),
    });
    shown.collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_in_a_row_are_a_range() {
        assert_eq!(ranges(&[1, 2, 3, 7, 8, 10]), "1-3, 7, 8, 10");
        assert_eq!(ranges(&[5, 4, 3]), "5, 4, 3");
        assert_eq!(ranges(&[9]), "9");
    }
}
