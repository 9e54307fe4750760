//! What format a text is in.

use super::fields::FieldMap;
use super::json::{self, Part};
use super::{Format, ace, cass, csv, grpo, lines, outline, paper, unreadable};
use crate::wire::Failure;

/// How many lines are looked at for a sign of their format.
const LOOKED_AT: usize = 100;

/// Recognises a format.
///
/// # Errors
/// `bad_document` where it is none that is known, `bad_json` where it begins as JSON and is none.
pub(super) fn format(text: &str, map: &FieldMap) -> Result<Format, Failure> {
    let first = signs(text).next().ok_or_else(|| unknown("the source is empty"))?;
    if is_export(text) {
        return Ok(Format::Docet);
    }
    if let Some(what) = foreign(text, first) {
        return Err(unknown(what));
    }
    if leads(text, ace::is_lesson) {
        Ok(Format::Ace)
    } else if leads(text, grpo::is_labelled) {
        Ok(Format::Grpo)
    } else if opens_json(first) {
        json_format(text)
    } else if cass::is_playbook(text) {
        Ok(Format::Cass)
    } else if is_mostly(text, paper::is_operation) {
        Ok(Format::Paper)
    } else if csv::is_header(first, map) {
        Ok(Format::Csv)
    } else if outline::is_list(text) {
        Ok(Format::Markdown)
    } else {
        Ok(Format::Text)
    }
}

/// Whether the first line is the header of Docet's own export.
pub(super) fn is_export(text: &str) -> bool {
    let first = signs(text).next().unwrap_or_default();
    let has_key = |part: Part<'_>| part.fields().iter().any(|(name, _)| name == "docet_export");
    first.starts_with('{') && json::document(first).is_ok_and(has_key)
}

/// The first lines that are not blank.
fn signs(text: &str) -> impl Iterator<Item = &str> {
    lines(text).map(|(_, line)| line.trim()).filter(|line| !line.is_empty()).take(LOOKED_AT)
}

/// Whether half of the first lines are of a kind: one line that shows how an operation is written makes no list of them.
fn is_mostly(text: &str, is_of: fn(&str) -> bool) -> bool {
    let (mut of, mut others) = (0, 0);
    signs(text).for_each(|line| if is_of(line) { of += 1 } else { others += 1 });
    of > 0 && of >= others
}

/// Whether more lines are of a kind than are bullets of another: notes that show a line of a format are still notes.
fn leads(text: &str, is_of: fn(&str) -> bool) -> bool {
    let of_kind = signs(text).filter(|line| is_of(line)).count();
    let others = signs(text).filter(|line| !is_of(line) && outline::bullet(line).is_some()).count();
    of_kind > others
}

/// Whether a text begins as JSON. A link or a badge of Markdown begins with a bracket too.
fn opens_json(first: &str) -> bool {
    let is_item = |inner: &str| {
        inner.is_empty()
            || inner.starts_with(['{', '[', '"', ']', '-'])
            || inner.starts_with(|c: char| c.is_ascii_digit())
    };
    first.starts_with('{') || first.strip_prefix('[').is_some_and(|inner| is_item(inner.trim_start()))
}

fn json_format(text: &str) -> Result<Format, Failure> {
    match json::document(text) {
        Ok(document) => document_format(document),
        // A line that is whole where the document is not: records, one a line.
        Err(_) if signs(text).any(|line| json::value(line).is_ok_and(|value| value.is_object())) => Ok(Format::Jsonl),
        Err(refusal) => Err(refusal.into()),
    }
}

fn document_format(document: Part<'_>) -> Result<Format, Failure> {
    let fields = document.fields();
    let operations = fields.iter().find(|(name, _)| name == "operations").map_or(document, |(_, part)| *part);
    if operations.first_item().is_some_and(|item| item.get("op").is_some()) {
        return Err(unreadable("these are operations on a library; `docet update FILE` carries them out"));
    }
    let has = |name: &str, is_so: fn(Part<'_>) -> bool| fields.iter().any(|(key, part)| key == name && is_so(*part));
    Ok(if grpo::is_document(document, &fields) {
        Format::Grpo
    } else if has("skills", |part| part.is_object() || part.is_list()) || has("bullets", |part| part.is_object()) {
        Format::Kayba
    } else if has("bullets", |part| part.is_list()) {
        Format::Cass
    } else {
        Format::Json
    })
}

/// What is surely no list of lessons.
fn foreign(text: &str, first: &str) -> Option<&'static str> {
    let lower = first.get(..9).unwrap_or(first).to_ascii_lowercase();
    if text.contains('\0') {
        Some("the source holds NUL bytes: it is binary, or UTF-16")
    } else if ["<?xml", "<!doctype", "<html"].iter().any(|start| lower.starts_with(start)) {
        Some("the source is XML or HTML")
    } else {
        None
    }
}

fn unknown(what: &str) -> Failure {
    let names = Format::names();
    let mut failure = unreadable(format!("{what}, which is no format known here; --from says which of {names} it is"));
    failure.field = Some("from".to_owned());
    failure.allowed = Some(names);
    failure
}
