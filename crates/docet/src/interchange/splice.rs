//! The best lessons between two markers of a file that others write too, such as `AGENTS.md`.

use std::ops::Range;

use docet_core::error::{Code, Refusal};

use super::library::Entry;
use super::lines;
use super::markdown::{bullet, trusted_first};
use crate::wire::Failure;

/// The line before the lessons.
pub const BEGIN: &str = "<!-- docet:begin -->";
/// The line after them.
pub const END: &str = "<!-- docet:end -->";

/// The `top` entries of highest confidence, the highest first.
pub fn best(entries: &[Entry], top: usize) -> Vec<&Entry> {
    let mut sorted: Vec<&Entry> = entries.iter().collect();
    sorted.sort_by(|one, other| trusted_first(one, other));
    sorted.truncate(top);
    sorted
}

/// The text with these lessons between its markers, in place of what stood there; where it has none, at its end. All else
/// stays byte for byte, and doing it again changes nothing.
///
/// # Errors
/// `bad_document` where one marker stands without the other, twice, or after it.
pub fn splice_into(existing: &str, lessons: &[&Entry]) -> Result<String, Failure> {
    let ending = if existing.contains("\r\n") { "\r\n" } else { "\n" };
    let bullets: String = lessons.iter().map(|entry| format!("- {}{ending}", bullet(entry.text.as_str()))).collect();
    let (before, after) = match (place_of(existing, BEGIN)?, place_of(existing, END)?) {
        (None, None) => return Ok(appended(existing, &bullets, ending)),
        (Some(begin), Some(end)) if begin.end <= end.start => (&existing[..begin.end], &existing[end.start..]),
        (Some(_), Some(_)) => return Err(broken("the end marker stands before the begin marker")),
        (Some(_), None) => return Err(broken("there is a begin marker without an end marker")),
        (None, Some(_)) => return Err(broken("there is an end marker without a begin marker")),
    };
    Ok(format!("{before}{bullets}{after}"))
}

/// The numbers of the lines from one marker to the other; none where they are not in order.
pub(super) fn own_lines(text: &str) -> Range<usize> {
    let number = |marker: &str| lines(text).find(|(_, line)| line.trim() == marker).map(|(number, _)| number);
    match (number(BEGIN), number(END)) {
        (Some(begin), Some(end)) if begin < end => begin..end + 1,
        _ => 0..0,
    }
}

fn appended(existing: &str, bullets: &str, ending: &str) -> String {
    let gap = match existing {
        "" => String::new(),
        text if text.ends_with('\n') => ending.to_owned(),
        _ => ending.repeat(2),
    };
    format!("{existing}{gap}{BEGIN}{ending}{bullets}{END}{ending}")
}

/// Where the line of a marker is, its line feed included.
fn place_of(text: &str, marker: &str) -> Result<Option<Range<usize>>, Failure> {
    let mut found = None;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let end = start + line.len();
        if line.trim() == marker && found.replace(start..end).is_some() {
            return Err(broken(&format!("\"{marker}\" stands twice")));
        }
        start = end;
    }
    Ok(found)
}

fn broken(what: &str) -> Failure {
    let message = format!("{what}; leave one line \"{BEGIN}\" and after it one line \"{END}\", or remove both");
    Refusal::new(Code::BadDocument, message).into()
}
