//! CSV with a header: read by the names of its columns, written with all fields of an entry.

use std::io::{self, Write};

use docet_core::error::{Code, shortened};
use serde_json::{Map, Value};

use super::fields::FieldMap;
use super::lessons::Harvest;
use super::library::Entry;
use super::{moment, records, too_large, unreadable};
use crate::wire::Failure;

/// The columns that are written.
const COLUMNS: [&str; 13] = [
    "id",
    "text",
    "domain",
    "confidence",
    "usage_count",
    "epoch",
    "successes",
    "failures",
    "last_improved",
    "pinned",
    "source",
    "created_at",
    "updated_at",
];

/// What separates cells, the most usual first.
const DELIMITERS: [char; 3] = [',', ';', '\t'];

/// The most columns of a table.
const MAX_COLUMNS: usize = 1_000;

/// The longest name of a column, in bytes.
const MAX_NAME: usize = 100;

/// Whether a first line is a header: cells of which one names the text.
pub(super) fn is_header(line: &str, map: &FieldMap) -> bool {
    delimiter_of(line, map).is_some()
}

/// Writes entries. A spreadsheet takes a cell that begins with `=`, `+`, `-` or `@` for a formula, so such texts get
/// a `'` before them, which reading takes away.
///
/// # Errors
/// What `out` returns.
pub fn write_csv(entries: &[Entry], out: &mut impl Write) -> io::Result<()> {
    let mut writer = ::csv::Writer::from_writer(out);
    writer.write_record(COLUMNS)?;
    for entry in entries {
        writer.write_record([
            entry.id.to_string(),
            guarded(entry.text.as_str()),
            guarded(entry.domain.as_str()),
            entry.confidence.get().to_string(),
            entry.usage_count.to_string(),
            entry.epoch.to_string(),
            entry.successes.to_string(),
            entry.failures.to_string(),
            entry.last_improved.map_or_else(String::new, |epoch| epoch.to_string()),
            entry.pinned.to_string(),
            entry.source.as_ref().map_or_else(String::new, |source| guarded(source.as_str())),
            moment::format(entry.created_at),
            moment::format(entry.updated_at),
        ])?;
    }
    writer.flush()
}

/// Reads a table, a lesson a row.
pub(super) fn read(text: &str, map: &FieldMap, harvest: &mut Harvest<'_>) -> Result<(), Failure> {
    let header = text.trim_start_matches(['\r', '\n']).lines().next().unwrap_or_default();
    let delimiter = delimiter_of(header, map).unwrap_or(',');
    check_width(text, delimiter)?;
    let mut reader = ::csv::ReaderBuilder::new().delimiter(delimiter as u8).flexible(true).from_reader(text.as_bytes());
    let names = names_of(reader.headers().map_err(|error| unreadable(format!("not CSV: {error}")))?)?;
    if !names.iter().any(|name| map.names_text(name)) {
        let names: Vec<String> = names.iter().take(20).map(|name| format!("\"{}\"", shortened(name))).collect();
        let names = names.join(", ");
        return Err(unreadable(format!("no column is named as a text ({names}); say which is with --map text=COLUMN")));
    }
    // Docet's own ids are numbers of a library; another's say where a lesson came from.
    let is_own = names == COLUMNS;
    let mut places = Places { text, at: 0, line: 1 };
    let mut cells = ::csv::StringRecord::new();
    loop {
        let begin = reader.position().byte() as usize;
        if !reader.read_record(&mut cells).map_err(|error| unreadable(format!("not CSV: {error}")))? {
            return Ok(());
        }
        let (line, row) = places.row(begin, reader.position().byte() as usize);
        if cells.len() > names.len() {
            let message =
                format!("{} cells in a table of {}; quote what holds a \"{delimiter}\"", cells.len(), names.len());
            harvest.refuse_line(line, row, Code::BadDocument, &message)?;
            continue;
        }
        let cells = names.iter().zip(&cells).filter(|(_, cell)| !cell.is_empty());
        let mut record: Map<String, Value> =
            cells.map(|(name, cell)| (name.clone(), Value::String(unguarded(cell).to_owned()))).collect();
        if is_own && record.remove(COLUMNS[0]).is_some() {
            harvest.leave_out(COLUMNS[0]);
        }
        records::take(line, &record, map, None, harvest)?;
    }
}

fn delimiter_of(header: &str, map: &FieldMap) -> Option<char> {
    DELIMITERS.into_iter().find(|delimiter| {
        let mut cells = header.split(*delimiter).map(|cell| cell.trim().trim_matches('"'));
        header.contains(*delimiter) && cells.any(|cell| map.names_text(cell))
    })
}

/// A line of nothing but commas would take many times its length as a row.
fn check_width(text: &str, delimiter: char) -> Result<(), Failure> {
    match text.lines().position(|line| line.matches(delimiter).count() >= 10 * MAX_COLUMNS) {
        Some(place) => Err(too_wide(&format!("line {} of the table", place + 1))),
        None => Ok(()),
    }
}

fn too_wide(what: &str) -> Failure {
    too_large(format!("{what} has too many columns; keep the lessons and leave out the rest"), "at most 1,000")
}

fn names_of(header: &::csv::StringRecord) -> Result<Vec<String>, Failure> {
    if header.len() > MAX_COLUMNS {
        return Err(too_wide("the header"));
    }
    let names: Vec<String> = header.iter().map(|name| name.trim().to_owned()).collect();
    if let Some(long) = names.iter().find(|name| name.len() > MAX_NAME) {
        return Err(unreadable(format!("the name of a column is too long: {}", shortened(long))));
    }
    let twice = (1..names.len()).find(|place| !names[*place].is_empty() && names[..*place].contains(&names[*place]));
    match twice {
        Some(place) => Err(unreadable(format!("the column \"{}\" stands twice; rename one of them", names[place]))),
        None => Ok(names),
    }
}

/// Where rows stand in the text.
struct Places<'a> {
    text: &'a str,
    at: usize,
    line: usize,
}

impl<'a> Places<'a> {
    /// The line on which the row between two offsets begins, and the row; blank lines before it are none of it.
    fn row(&mut self, begin: usize, end: usize) -> (usize, &'a str) {
        let row = self.text.get(begin..end).unwrap_or_default();
        let begin = begin + row.len() - row.trim_start_matches(['\r', '\n']).len();
        let passed = self.text.as_bytes().get(self.at..begin).unwrap_or_default();
        self.line += passed.iter().filter(|byte| **byte == b'\n').count();
        self.at = begin;
        (self.line, row.trim_matches(['\r', '\n']))
    }
}

/// Whether a spreadsheet would take a text for a formula, or `'` before one for no part of it.
fn is_formula(text: &str) -> bool {
    text.trim_start_matches('\'').starts_with(['=', '+', '-', '@'])
}

fn guarded(text: &str) -> String {
    if is_formula(text) { format!("'{text}") } else { text.to_owned() }
}

fn unguarded(cell: &str) -> &str {
    cell.strip_prefix('\'').filter(|text| is_formula(text)).unwrap_or(cell)
}
