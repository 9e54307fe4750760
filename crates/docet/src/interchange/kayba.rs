//! kayba skillbooks: JSON with `skills`, an object of them by id or a list. Its first version called them `bullets`; its
//! second has `insight` or `issue` for their content, and `active` for their status.

use docet_core::error::Code;
use serde_json::{Map, Value};

use super::fields::{Field, FieldMap};
use super::json::{self, LineCounter, Part};
use super::lessons::Harvest;
use super::{records, unreadable};
use crate::wire::Failure;

/// What skills have been called.
const SKILLS: [&str; 2] = ["skills", "bullets"];

/// What a skillbook holds beside its skills and what says the same again.
const REPEATED: [&str; 2] = ["sections", "next_id"];

/// Reads a skillbook.
pub(super) fn read(text: &str, harvest: &mut Harvest<'_>) -> Result<(), Failure> {
    let document = json::document(text)?;
    let mut counter = LineCounter::of(document);
    let mut skills = None;
    document.each_field(|(name, part)| {
        match name.as_ref() {
            name if SKILLS.contains(&name) => skills = Some(part),
            name if REPEATED.contains(&name) || matches!(part.text(), "{}" | "[]" | "null") => {}
            name => harvest.leave_out(name),
        }
        Ok(())
    })?;
    let skills = skills.ok_or_else(|| unreadable("a skillbook has \"skills\"; this document has none"))?;
    let mut take = |part: Part<'_>| take(counter.line(part), part, harvest);
    if skills.is_list() { skills.each_item(take) } else { skills.each_field(|(_, part)| take(part)) }
}

fn take(line: usize, part: Part<'_>, harvest: &mut Harvest<'_>) -> Result<(), Failure> {
    let mut skill = match part.value() {
        Ok(Value::Object(skill)) => skill,
        Ok(_) => return harvest.refuse_line(line, part.text(), Code::BadDocument, "not a skill with its \"content\""),
        Err(refusal) => return harvest.refuse_line(line, part.text(), refusal.code, &refusal.message),
    };
    let fault = is_removed(&mut skill).then(|| {
        let message = "the skillbook removed this skill; import its text by itself if it holds after all";
        (Code::BadValue, message.to_owned())
    });
    rename(&mut skill, "used_count", "usage_count", |count| count != 0);
    if FieldMap::default().find(Field::Text, &skill).is_none_or(|(_, text)| text.is_null()) {
        rename(&mut skill, "issue", "text", |_| true);
    }
    records::take(line, &skill, &FieldMap::default(), fault, harvest)
}

/// Whether a skill is kept for the record alone.
fn is_removed(skill: &mut Map<String, Value>) -> bool {
    let (status, active) = (skill.remove("status"), skill.remove("active"));
    status.is_some_and(|status| status == "invalid") || active.is_some_and(|active| active == false)
}

/// Calls a field by the name that Docet has for it, where it says something.
fn rename(skill: &mut Map<String, Value>, from: &str, to: &str, says_something: fn(&Value) -> bool) {
    if let Some(value) = skill.remove(from).filter(|value| !value.is_null() && says_something(value)) {
        skill.insert(to.to_owned(), value);
    }
}
