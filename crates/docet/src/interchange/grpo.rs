//! Training-Free GRPO: experiences by label, as JSON or in text, and lists of operations in both dialects.

use docet_core::error::{Code, shortened};
use serde_json::{Map, Value};

use super::json::{self, LineCounter, Member, Part};
use super::lessons::{Draft, Harvest};
use super::lines;
use super::pool::{Change, Pool};
use crate::wire::Failure;

/// What an object may hold beside its experiences: how they came about.
const POOL: [&str; 2] = ["new_experiences", "experiences"];
const OPERATIONS: &str = "operations";

/// Whether a line begins a labelled lesson: `[G0]. text`, or `[G0] text`.
pub(super) fn is_labelled(line: &str) -> bool {
    labelled(line).is_some()
}

/// Whether a document of JSON is of this format.
pub(super) fn is_document(document: Part<'_>, fields: &[Member<'_>]) -> bool {
    if document.is_list() {
        return document.first_item().is_some_and(|item| is_operation(&item));
    }
    let has_pool = fields.iter().any(|(name, part)| POOL.contains(&name.as_ref()) && is_pool(&part.fields()));
    let has_operations = fields.iter().any(|(name, part)| name == OPERATIONS && is_document(*part, &[]));
    is_pool(fields) || has_pool || has_operations
}

/// Reads a source of any of these shapes.
pub(super) fn read(text: &str, harvest: &mut Harvest<'_>) -> Result<(), Failure> {
    let begins = text.trim_start();
    if begins.starts_with('{')
        || begins.starts_with('[') && !lines(begins).next().is_some_and(|(_, line)| is_labelled(line))
    {
        read_json(json::document(text)?, harvest)
    } else {
        read_labelled(text, harvest)
    }
}

fn read_json(document: Part<'_>, harvest: &mut Harvest<'_>) -> Result<(), Failure> {
    let mut counter = LineCounter::of(document);
    let mut pool = Pool::default();
    let fields = document.fields();
    let field = |name: &str| fields.iter().find(|(key, _)| key == name).map(|(_, part)| *part);
    if document.is_list() {
        operations(document, &mut counter, &mut pool, harvest)?;
    } else if let Some(result) = field(POOL[0]).filter(|part| part.is_object()) {
        // The outcome is there: what led to it is not applied again.
        entries(result, &mut counter, &mut pool, harvest)?;
    } else if field(POOL[1]).is_some() || field(OPERATIONS).is_some() {
        if let Some(part) = field(POOL[1]) {
            entries(part, &mut counter, &mut pool, harvest)?;
        }
        if let Some(part) = field(OPERATIONS) {
            operations(part, &mut LineCounter::of(document), &mut pool, harvest)?;
        }
    } else {
        entries(document, &mut counter, &mut pool, harvest)?;
    }
    pool.finish(harvest)
}

fn entries<'a>(
    part: Part<'a>,
    counter: &mut LineCounter<'a>,
    pool: &mut Pool,
    harvest: &mut Harvest<'_>,
) -> Result<(), Failure> {
    part.each_field(|(id, part)| {
        let line = counter.line(part);
        match part.value() {
            Ok(Value::String(text)) => pool.insert(line, id.into_owned(), text),
            Ok(_) => harvest.refuse_line(line, part.text(), Code::BadDocument, "the experience is no text"),
            Err(refusal) => harvest.refuse_line(line, part.text(), refusal.code, &refusal.message),
        }
    })
}

fn operations<'a>(
    part: Part<'a>,
    counter: &mut LineCounter<'a>,
    pool: &mut Pool,
    harvest: &mut Harvest<'_>,
) -> Result<(), Failure> {
    part.each_item(|item| {
        let line = counter.line(item);
        let value = match item.value() {
            Ok(value) => value,
            Err(refusal) => return harvest.refuse_line(line, item.text(), refusal.code, &refusal.message),
        };
        match value.as_object().ok_or_else(|| "not an operation".to_owned()).and_then(change) {
            Ok(Some(change)) => pool.apply(line, change, harvest),
            Ok(None) => {
                harvest.leave_out("operation NONE");
                Ok(())
            }
            Err(message) => harvest.refuse_line(line, item.text(), Code::BadDocument, &message),
        }
    })
}

/// An operation of either dialect: `option`, `experience`, `modified_from`, `merged_from`; or `operation`, `content`, `id`.
fn change(operation: &Map<String, Value>) -> Result<Option<Change>, String> {
    let get = |names: &[&str]| names.iter().find_map(|name| operation.get(*name)).filter(|value| !value.is_null());
    let name = get(&["option", "operation"]).and_then(Value::as_str).unwrap_or_default().to_ascii_lowercase();
    let text = || {
        let text = get(&["experience", "content"]).and_then(Value::as_str);
        text.map(str::to_owned).ok_or_else(|| format!("the {name} has no text; give it \"experience\" or \"content\""))
    };
    let id = || {
        let id = get(&["modified_from", "deleted_from", "id"]).and_then(id_of);
        id.ok_or_else(|| format!("the {name} names no entry; give it \"modified_from\" or \"id\""))
    };
    match name.as_str() {
        "add" => Ok(Some(Change::Add { id: None, text: text()? })),
        "modify" | "update" => Ok(Some(Change::Modify { id: id()?, text: text()? })),
        "delete" => Ok(Some(Change::Delete { id: id()? })),
        "merge" => {
            let ids = get(&["merged_from", "ids"]).and_then(Value::as_array);
            let ids = ids.and_then(|ids| ids.iter().map(id_of).collect::<Option<Vec<String>>>());
            let ids = ids.ok_or("the merge names no entries; give it \"merged_from\" or \"ids\"")?;
            Ok(Some(Change::Merge { ids, text: text()? }))
        }
        "none" => Ok(None),
        _ => Err(format!(
            "\"{}\" is no operation; there are add, modify, update, delete, merge and none",
            shortened(&name)
        )),
    }
}

fn id_of(value: &Value) -> Option<String> {
    match value {
        Value::String(id) => Some(id.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

/// `[G0]. text` blocks: what follows a label belongs to it until the next.
fn read_labelled(text: &str, harvest: &mut Harvest<'_>) -> Result<(), Failure> {
    let mut open: Option<(usize, Draft)> = None;
    for (number, line) in lines(text).filter(|(_, line)| !line.trim().is_empty()) {
        if let Some((id, words)) = labelled(line) {
            if let Some((line, draft)) = open.take() {
                harvest.take(line, draft)?;
            }
            open = Some((number, Draft { text: words.to_owned(), id: Some(id.to_owned()), ..Draft::default() }));
        } else if let Some((_, draft)) = &mut open {
            draft.text.push(' ');
            draft.text.push_str(line.trim());
        } else {
            harvest.leave_out("line before the first label");
        }
    }
    open.map_or(Ok(()), |(line, draft)| harvest.take(line, draft))
}

/// The label and the words of `[G0]. text`.
fn labelled(line: &str) -> Option<(&str, &str)> {
    let (id, words) = line.trim().strip_prefix('[')?.split_once(']')?;
    is_label(id).then(|| (id, words.trim_start_matches('.').trim_start()))
}

/// `G0`
fn is_label(id: &str) -> bool {
    let digits = id.strip_prefix(['G', 'C']).unwrap_or_default();
    !digits.is_empty() && digits.len() < 10 && digits.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_pool(fields: &[Member<'_>]) -> bool {
    !fields.is_empty() && fields.iter().all(|(name, _)| is_label(name))
}

fn is_operation(item: &Value) -> bool {
    let has = |name: &str| item.get(name).is_some_and(Value::is_string);
    has("option") && item.get("text").is_none()
        || has("operation") && (item.get("content").is_some() || item.get("id").is_some())
}
