//! cass playbooks: `bullets` with their counts and states, in YAML or JSON.

use docet_core::error::Code;
use serde_json::{Map, Value};

use super::fields::FieldMap;
use super::json::{self, LineCounter};
use super::lessons::Harvest;
use super::{lines, records, unreadable, yaml};
use crate::wire::Failure;

const BULLETS: &str = "bullets";
const NO_BULLET: &str = "not a bullet with its \"content\"";

/// Whether a text that is no JSON is a playbook.
pub(super) fn is_playbook(text: &str) -> bool {
    let list = |line: &str| Some(line.strip_prefix(BULLETS)?.trim_start().strip_prefix(':')?.trim().to_owned());
    lines(text).any(|(_, line)| list(line).is_some_and(|rest| rest.is_empty() || rest.starts_with(['[', '#'])))
}

/// Reads a playbook.
pub(super) fn read(text: &str, harvest: &mut Harvest<'_>) -> Result<(), Failure> {
    if text.trim_start().starts_with('{') { read_json(text, harvest) } else { read_yaml(text, harvest) }
}

fn read_yaml(text: &str, harvest: &mut Harvest<'_>) -> Result<(), Failure> {
    let mut left = Vec::new();
    let skip = |name: &str| left.push(name.to_owned());
    yaml::each_item(text, BULLETS, skip, |line, bullet| match bullet {
        Value::Object(bullet) => take(line, bullet, harvest),
        other => harvest.refuse_line(line, &other.to_string(), Code::BadDocument, NO_BULLET),
    })?;
    left.iter().for_each(|name| harvest.leave_out(name));
    Ok(())
}

fn read_json(text: &str, harvest: &mut Harvest<'_>) -> Result<(), Failure> {
    let document = json::document(text)?;
    let mut counter = LineCounter::of(document);
    let mut bullets = None;
    document.each_field(|(name, part)| {
        match name.as_ref() {
            BULLETS => bullets = Some(part),
            _ if matches!(part.text(), "{}" | "[]" | "null") => {}
            name => harvest.leave_out(name),
        }
        Ok(())
    })?;
    let bullets = bullets.ok_or_else(|| unreadable("a playbook has \"bullets\"; this document has none"))?;
    bullets.each_item(|part| {
        let line = counter.line(part);
        match part.value() {
            Ok(Value::Object(bullet)) => take(line, bullet, harvest),
            Ok(_) => harvest.refuse_line(line, part.text(), Code::BadDocument, NO_BULLET),
            Err(refusal) => harvest.refuse_line(line, part.text(), refusal.code, &refusal.message),
        }
    })
}

/// A bullet that left its playbook is no lesson any more; it is named, not lost.
fn take(line: usize, mut bullet: Map<String, Value>, harvest: &mut Harvest<'_>) -> Result<(), Failure> {
    let is_retired = bullet.get("state").is_some_and(|state| state == "retired");
    let is_deprecated = bullet.get("deprecated").is_some_and(|flag| flag == true)
        || bullet.get("maturity").is_some_and(|maturity| maturity == "deprecated");
    let what = if is_retired { Some("retired") } else { is_deprecated.then_some("deprecated") };
    let fault = what.map(|what| {
        let message = format!("the playbook calls this bullet {what}; import its text by itself if it holds after all");
        (Code::BadValue, message)
    });
    for settled in ["state", "deprecated"] {
        bullet.remove(settled);
    }
    // "learned" or "manual": how a bullet came about, not who wrote it. Its id says more.
    if bullet.remove("source").is_some() {
        harvest.leave_out("source");
    }
    records::take(line, &bullet, &FieldMap::default(), fault, harvest)
}
