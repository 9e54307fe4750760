//! Records of JSON, JSON Lines and CSV: a lesson each, its fields under their usual names or where the caller says.

use docet_core::error::{Code, shortened};
use serde_json::{Map, Value};

use super::fields::{Field, FieldMap};
use super::json::{self, LineCounter, Part};
use super::lessons::{Draft, Harvest};
use super::{lines, unreadable};
use crate::wire::Failure;

const NO_RECORDS: &str = "the document is no array of records, holds none, and is no record with a text; say where its text \
    is with --map text=...";

/// Reads a JSON document: an array of records, an object that holds one array of them, or one record.
pub(super) fn read_json(text: &str, map: &FieldMap, harvest: &mut Harvest<'_>) -> Result<(), Failure> {
    let document = json::document(text)?;
    let records = records_of(document, map, harvest)?;
    let mut counter = LineCounter::of(document);
    let mut take = |part: Part<'_>| take_text(counter.line(part), part.text(), map, harvest);
    if records.is_list() { records.each_item(take) } else { take(records) }
}

/// Reads JSON Lines: a record a line.
pub(super) fn read_lines(text: &str, map: &FieldMap, harvest: &mut Harvest<'_>) -> Result<(), Failure> {
    let mut lines = lines(text).filter(|(_, line)| !line.trim().is_empty());
    lines.try_for_each(|(number, line)| take_text(number, line, map, harvest))
}

/// The part of a document that is a record or a list of them.
fn records_of<'a>(document: Part<'a>, map: &FieldMap, harvest: &mut Harvest<'_>) -> Result<Part<'a>, Failure> {
    if document.is_list() {
        return Ok(document);
    }
    let fields = document.fields();
    let has_text = |value: Value| value.as_object().is_some_and(|record| map.find(Field::Text, record).is_some());
    if document.value().is_ok_and(has_text) {
        return Ok(document);
    }
    let lists: Vec<_> = fields.iter().filter(|(_, part)| part.is_list()).collect();
    match lists.as_slice() {
        [] => Err(unreadable(NO_RECORDS)),
        [(_, list)] => {
            fields.iter().filter(|(_, part)| !part.is_list()).for_each(|(name, _)| harvest.leave_out(name));
            Ok(*list)
        }
        lists => {
            let names: Vec<String> = lists.iter().take(5).map(|(name, _)| format!("\"{}\"", shortened(name))).collect();
            let names = names.join(", ");
            Err(unreadable(format!("the document holds several lists ({names}); keep the one with the lessons")))
        }
    }
}

fn take_text(line: usize, text: &str, map: &FieldMap, harvest: &mut Harvest<'_>) -> Result<(), Failure> {
    match json::value(text) {
        Ok(Value::Object(record)) => take(line, &record, map, None, harvest),
        Ok(Value::String(text)) => harvest.take(line, Draft { text, ..Draft::default() }),
        Ok(_) => harvest.refuse_line(line, text, Code::BadDocument, "not a record such as {\"text\": \"...\"}"),
        Err(refusal) => harvest.refuse_line(line, text, refusal.code, &refusal.message),
    }
}

/// Takes one record, unless it has a fault already, and counts its fields that nothing was taken from.
pub(super) fn take(
    line: usize,
    record: &Map<String, Value>,
    map: &FieldMap,
    fault: Option<(Code, String)>,
    harvest: &mut Harvest<'_>,
) -> Result<(), Failure> {
    let mut record = Record { record, map, taken: Vec::new(), fault };
    let text = record.text();
    let draft = Draft {
        text: text.unwrap_or_default(),
        section: record.label(Field::Domain),
        id: record.label(Field::Id),
        source: record.label(Field::Source),
        confidence: record.number(Field::Confidence),
        helpful: record.count(Field::Successes),
        harmful: record.count(Field::Failures),
        usage: record.count(Field::UsageCount),
        pinned: record.flag(Field::Pinned),
    };
    let Record { record, taken, fault, .. } = record;
    let left = record.iter().filter(|(key, value)| !is_empty(value) && !taken.contains(&key.as_str()));
    left.for_each(|(key, _)| harvest.leave_out(key));
    match fault {
        Some((code, message)) => harvest.refuse(line, draft, code, &message),
        None => harvest.take(line, draft),
    }
}

/// A record while its fields are taken.
struct Record<'r> {
    record: &'r Map<String, Value>,
    map: &'r FieldMap,
    taken: Vec<&'r str>,
    fault: Option<(Code, String)>,
}

impl<'r> Record<'r> {
    fn text(&mut self) -> Option<String> {
        let found = self.map.find(Field::Text, self.record);
        self.taken.extend(found.map(|(key, _)| key));
        match found.map(|(_, value)| value) {
            Some(Value::String(text)) => Some(text.clone()),
            Some(Value::Array(_) | Value::Bool(_) | Value::Number(_) | Value::Object(_)) => {
                self.refuse(Code::BadDocument, "the lesson's text is no text".to_owned());
                None
            }
            None | Some(Value::Null) => {
                let wanted = self.map.path(Field::Text).unwrap_or("text");
                let message =
                    format!("the record has no \"{}\"; say where its text is with --map text=...", shortened(wanted));
                self.refuse(Code::BadDocument, message);
                None
            }
        }
    }

    /// A text, or a number or truth as one. A list or an object is left where it is.
    fn label(&mut self, field: Field) -> Option<String> {
        let (key, value) = self.map.find(field, self.record)?;
        let label = match value {
            Value::String(text) => text.clone(),
            Value::Number(number) => number.to_string(),
            Value::Bool(truth) => truth.to_string(),
            Value::Null | Value::Array(_) | Value::Object(_) => return None,
        };
        self.taken.push(key);
        (!label.trim().is_empty()).then_some(label)
    }

    fn number(&mut self, field: Field) -> Option<f64> {
        let value = self.find(field)?;
        let number = match value {
            Value::Number(number) => number.as_f64(),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        let number = number.filter(|number| number.is_finite());
        self.or_refuse(field, value, number, "a number")
    }

    fn count(&mut self, field: Field) -> Option<u64> {
        let value = self.find(field)?;
        let count = match value {
            Value::Number(number) => number.as_u64().or_else(|| whole(number.as_f64()?)),
            Value::String(text) => text.trim().parse().ok(),
            _ => None,
        };
        let count = count.filter(|count| *count < 1 << 53);
        self.or_refuse(field, value, count, "a whole number, 0 to below 2^53")
    }

    fn flag(&mut self, field: Field) -> bool {
        let Some(value) = self.find(field) else { return false };
        let flag = match value {
            Value::Bool(flag) => Some(*flag),
            Value::String(text) => truth(text.trim()),
            Value::Number(number) => truth(&number.to_string()),
            _ => None,
        };
        self.or_refuse(field, value, flag, "true or false").unwrap_or(false)
    }

    fn find(&mut self, field: Field) -> Option<&'r Value> {
        let (key, value) = self.map.find(field, self.record)?;
        self.taken.push(key);
        (!is_empty(value)).then_some(value)
    }

    fn or_refuse<T>(&mut self, field: Field, value: &Value, read: Option<T>, allowed: &str) -> Option<T> {
        if read.is_none() {
            let shown = shortened(&value.to_string());
            self.refuse(Code::BadValue, format!("{} is {shown}; allowed is {allowed}", field.name()));
        }
        read
    }

    fn refuse(&mut self, code: Code, message: String) {
        self.fault.get_or_insert((code, message));
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    }
}

fn whole(number: f64) -> Option<u64> {
    (number.fract() == 0.0 && (0.0..9e15).contains(&number)).then_some(number as u64)
}

fn truth(text: &str) -> Option<bool> {
    match text.to_ascii_lowercase().as_str() {
        "true" | "yes" | "1" => Some(true),
        "false" | "no" | "0" => Some(false),
        _ => None,
    }
}
