//! The paper's operations, one a line: `OPERATION | ids | text`.

use docet_core::error::{Code, shortened};

use super::lessons::Harvest;
use super::lines;
use super::pool::{Change, Pool};
use crate::wire::Failure;

/// Whether a line is an operation.
pub(super) fn is_operation(line: &str) -> bool {
    parts(line).is_some_and(|(name, ..)| matches!(name.as_str(), "ADD" | "MODIFY" | "DELETE" | "MERGE"))
}

/// Reads operations, and what stands after them all.
pub(super) fn read(text: &str, harvest: &mut Harvest<'_>) -> Result<(), Failure> {
    let mut pool = Pool::default();
    for (number, line) in lines(text) {
        if line.trim().is_empty() || line.trim_start().starts_with("```") {
            continue;
        }
        match change(line) {
            Ok(change) => pool.apply(number, change, harvest)?,
            Err(message) => harvest.refuse_line(number, line, Code::BadDocument, &message)?,
        }
    }
    pool.finish(harvest)
}

fn change(line: &str) -> Result<Change, String> {
    let example = "write \"ADD | | text\", \"MODIFY | id | text\", \"DELETE | id |\" or \"MERGE | id, id | text\"";
    let (name, ids, text) = parts(line).ok_or_else(|| format!("not an operation; {example}"))?;
    let text = text.to_owned();
    let mut ids: Vec<String> = ids.split(',').map(str::trim).filter(|id| !id.is_empty()).map(str::to_owned).collect();
    match (name.as_str(), ids.len()) {
        ("ADD", 0) => Ok(Change::Add { id: None, text }),
        ("ADD", 1) => Ok(Change::Add { id: ids.pop(), text }),
        ("MODIFY", 1) => Ok(Change::Modify { id: ids.remove(0), text }),
        ("DELETE", 1) => Ok(Change::Delete { id: ids.remove(0) }),
        ("MERGE", _) => Ok(Change::Merge { ids, text }),
        ("ADD" | "MODIFY" | "DELETE", _) => Err(format!("the wrong number of ids; {example}")),
        _ => Err(format!("\"{}\" is no operation; {example}", shortened(&name))),
    }
}

/// The operation in capitals, its ids and its text; a bullet or a number before it is no part of it.
fn parts(line: &str) -> Option<(String, &str, &str)> {
    let line =
        line.trim().trim_start_matches(['-', '*', '.', ')', ' ']).trim_start_matches(|c: char| c.is_ascii_digit());
    let line = line.trim_start_matches(['.', ')', ' ']);
    let mut parts = line.splitn(3, '|').map(str::trim);
    let name = parts.next().filter(|name| !name.is_empty() && name.len() <= 20)?.to_ascii_uppercase();
    let ids = parts.next()?;
    Some((name, ids, parts.next().unwrap_or_default()))
}
