//! Docet's own export: JSON Lines, a header and then an entry a line.
//!
//! What it holds is all of a library but its name, its revision and its vectors, so that the export of an import is the
//! same file, byte for byte.

use std::collections::HashSet;
use std::io::{self, Write};

use docet_core::confidence::Confidence;
use docet_core::error::{Code, Refusal, shortened};
use docet_core::experience::{Domain, Experience, ExperienceId, Timestamp};
use docet_core::settings::Settings;
use docet_core::text::{ExperienceText, FreeText};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{MAX_LESSONS, Refused, json, lines, moment, too_large, unreadable};
use crate::wire::Failure;

/// The version of the export that is written, and the newest that is read.
const VERSION: u64 = 1;

/// The bound of ids and counts: whole numbers below it survive every reader of JSON.
const BOUND: u64 = 1 << 53;

/// A library as a file.
#[derive(Clone, Debug, PartialEq)]
pub struct LibraryFile {
    /// Its settings, checked.
    pub settings: Settings,
    /// The id of the next entry.
    pub next_id: ExperienceId,
    /// Sessions begun so far.
    pub epoch: u64,
    /// Its entries, in the order of the file.
    pub entries: Vec<Entry>,
    /// Lines that are no entry.
    pub refused: Vec<Refused>,
}

/// An entry of a library's file: an experience without its vector.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// Its line in the file, from 1; 0 where it does not come from one.
    pub line: usize,
    /// Its id.
    pub id: ExperienceId,
    /// What it says.
    pub text: ExperienceText,
    /// How far it is trusted.
    pub confidence: Confidence,
    /// What it is about.
    pub domain: Domain,
    /// How often it was applied.
    pub usage_count: u64,
    /// The session index at which its text was written.
    pub epoch: u64,
    /// *Improved* verdicts.
    pub successes: u64,
    /// *Not improved* verdicts.
    pub failures: u64,
    /// The epoch of its latest improvement.
    pub last_improved: Option<u64>,
    /// Whether compression must keep it.
    pub pinned: bool,
    /// Who or what wrote it.
    pub source: Option<FreeText>,
    /// When it entered.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

impl From<&Experience> for Entry {
    fn from(experience: &Experience) -> Self {
        Self {
            line: 0,
            id: experience.id,
            text: experience.text.clone(),
            confidence: experience.confidence,
            domain: experience.domain.clone(),
            usage_count: experience.usage_count,
            epoch: experience.epoch,
            successes: experience.successes,
            failures: experience.failures,
            last_improved: experience.last_improved,
            pinned: experience.pinned,
            source: experience.source.clone(),
            created_at: experience.created_at,
            updated_at: experience.updated_at,
        }
    }
}

/// Writes a library.
///
/// # Errors
/// What `out` returns.
pub fn write_jsonl(library: &LibraryFile, out: &mut impl Write) -> io::Result<()> {
    #[derive(Serialize)]
    struct Header<'a> {
        docet_export: u64,
        settings: &'a Settings,
        next_id: u64,
        epoch: u64,
    }
    let LibraryFile { settings, next_id, epoch, entries, refused: _ } = library;
    let header = Header { docet_export: VERSION, settings, next_id: *next_id, epoch: *epoch };
    serde_json::to_writer(&mut *out, &header)?;
    out.write_all(b"\n")?;
    for entry in entries {
        serde_json::to_writer(&mut *out, &Line::from(entry))?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// Reads a library. A line that is no entry is refused, the others stand.
///
/// # Errors
/// `bad_document` where the header is missing, wrong or of a newer version; `bad_setting`; `too_large`.
pub(super) fn read(text: &str) -> Result<LibraryFile, Failure> {
    let mut lines = lines(text).filter(|(_, line)| !line.trim().is_empty());
    let (_, header) = lines.next().ok_or_else(|| unreadable("the file is empty; an export begins with its header"))?;
    let Header { settings, next_id, epoch } = header_of(header)?;
    let mut library = LibraryFile { settings, next_id, epoch, entries: Vec::new(), refused: Vec::new() };
    let mut seen = HashSet::new();
    for (number, line) in lines {
        if library.entries.len() + library.refused.len() >= MAX_LESSONS {
            return Err(too_large("the export holds more than 100,000 entries; split it", "at most 100,000"));
        }
        match entry_of(number, line, next_id, &mut seen) {
            Ok(entry) => library.entries.push(entry),
            Err(Refusal { code, message, .. }) => {
                let text = line.to_owned();
                library.refused.push(Refused { line: number, code, message, text, candidate: None });
            }
        }
    }
    Ok(library)
}

struct Header {
    settings: Settings,
    next_id: u64,
    epoch: u64,
}

fn header_of(line: &str) -> Result<Header, Failure> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Wire {
        settings: Map<String, Value>,
        next_id: u64,
        epoch: u64,
    }
    let wrong = |cause: &dyn std::fmt::Display| {
        let example = r#"{"docet_export":1,"settings":{...},"next_id":1,"epoch":0}"#;
        unreadable(format!("the first line is no header such as {example}: {cause}"))
    };
    let mut value = json::value(line).map_err(|refusal| wrong(&refusal))?;
    let version = value.as_object_mut().and_then(|fields| fields.remove("docet_export"));
    let version = version.as_ref().and_then(Value::as_u64).ok_or_else(|| wrong(&"docet_export is no version"))?;
    if version != VERSION {
        let message = format!("the export is of version {version}, this Docet reads version {VERSION}; update Docet");
        return Err(Refusal::new(Code::BadDocument, message).field("docet_export").value(version).into());
    }
    let Wire { settings, next_id, epoch } = serde_json::from_value(value).map_err(|e| wrong(&e))?;
    whole("next_id", next_id, 1)?;
    whole("epoch", epoch, 0)?;
    Ok(Header { settings: settings_of(&settings)?, next_id, epoch })
}

/// Each setting goes through the door that a person's would.
fn settings_of(values: &Map<String, Value>) -> Result<Settings, Refusal> {
    let mut settings = Settings::default();
    for (key, value) in values {
        let text = match value {
            Value::Null => "none".to_owned(),
            Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        settings.set(key, &text)?;
    }
    settings.check()?;
    Ok(settings)
}

/// An entry's line, with its fields in the order of the wire.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    id: u64,
    text: String,
    confidence: f64,
    domain: String,
    usage_count: u64,
    epoch: u64,
    successes: u64,
    failures: u64,
    last_improved: Option<u64>,
    pinned: bool,
    source: Option<String>,
    #[serde(with = "moment")]
    created_at: Timestamp,
    #[serde(with = "moment")]
    updated_at: Timestamp,
}

impl From<&Entry> for Line {
    fn from(entry: &Entry) -> Self {
        Self {
            id: entry.id,
            text: entry.text.to_string(),
            confidence: entry.confidence.get(),
            domain: entry.domain.to_string(),
            usage_count: entry.usage_count,
            epoch: entry.epoch,
            successes: entry.successes,
            failures: entry.failures,
            last_improved: entry.last_improved,
            pinned: entry.pinned,
            source: entry.source.as_ref().map(|source| source.as_str().to_owned()),
            created_at: entry.created_at,
            updated_at: entry.updated_at,
        }
    }
}

fn entry_of(number: usize, line: &str, next_id: u64, seen: &mut HashSet<u64>) -> Result<Entry, Refusal> {
    let value = json::value(line)?;
    let line: Line = serde_json::from_value(value)
        .map_err(|cause| Refusal::new(Code::BadDocument, format!("not an entry of an export: {cause}")))?;
    let entry = checked(number, line)?;
    if entry.id >= next_id {
        let message = format!("the id {} is not below the header's next_id {next_id}; raise next_id", entry.id);
        return Err(Refusal::new(Code::BadValue, message));
    }
    if !seen.insert(entry.id) {
        return Err(Refusal::new(Code::EqualIds, format!("the id {} stands in the file twice", entry.id)));
    }
    Ok(entry)
}

fn checked(number: usize, line: Line) -> Result<Entry, Refusal> {
    whole("id", line.id, 1)?;
    let counts = [
        ("usage_count", line.usage_count),
        ("epoch", line.epoch),
        ("successes", line.successes),
        ("failures", line.failures),
        ("last_improved", line.last_improved.unwrap_or(0)),
    ];
    counts.into_iter().try_for_each(|(field, value)| whole(field, value, 0))?;
    Ok(Entry {
        line: number,
        id: line.id,
        text: ExperienceText::parse(&line.text)?,
        confidence: Confidence::parse(line.confidence)?,
        domain: Domain::parse(&line.domain)?,
        usage_count: line.usage_count,
        epoch: line.epoch,
        successes: line.successes,
        failures: line.failures,
        last_improved: line.last_improved,
        pinned: line.pinned,
        source: line.source.map(|source| FreeText::parse("source", &source)).transpose()?,
        created_at: line.created_at,
        updated_at: line.updated_at,
    })
}

fn whole(field: &str, value: u64, least: u64) -> Result<(), Refusal> {
    if (least..BOUND).contains(&value) {
        return Ok(());
    }
    Err(Refusal::out_of_range(field, shortened(&value.to_string()), &format!("{least} to below 2^53")))
}
