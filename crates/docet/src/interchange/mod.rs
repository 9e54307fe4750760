//! Interchange: what other products and people keep, read; what Docet keeps, written for them.
//!
//! [`read`] makes a [`Document`] of bytes: Docet's own export as it was, or the lessons of any other format with what
//! could not be taken. Nothing here knows a store, an encoder or a clock: the texts themselves are judged by the import
//! that follows. `docs/interchange.md` describes every format for its users.

mod ace;
mod cass;
mod csv;
mod fields;
mod format;
mod grpo;
mod inline;
mod json;
mod kayba;
mod lessons;
mod library;
mod markdown;
mod moment;
mod outline;
mod paper;
mod plain;
mod pool;
mod recognise;
mod records;
mod splice;
mod yaml;

pub use csv::write_csv;
pub use fields::{Field, FieldMap};
pub use format::Format;
pub use lessons::{Candidate, Lessons, Refused, Unmapped, write_rejects};
pub use library::{Entry, LibraryFile, write_jsonl};
pub use markdown::write_markdown;
pub use splice::{BEGIN, END, best, splice_into};

use docet_core::error::{Code, Refusal};

use crate::wire::{self, Failure};
use lessons::Harvest;

/// The largest source that is read, in bytes.
pub const MAX_BYTES: usize = 64 << 20;

/// The most lessons of one source, refused ones among them: the largest capacity there is.
pub const MAX_LESSONS: usize = 100_000;

/// How deep a source may nest lists and objects.
pub const MAX_DEPTH: usize = 64;

/// The fewest words of a lesson in plain text and Markdown lists unless told: about a fifth of such bullets are
/// fragments, headings in disguise, or names of files.
pub const MIN_WORDS_OF_LISTS: usize = 5;

/// What a source turned out to be.
#[derive(Clone, Debug, PartialEq)]
pub enum Document {
    /// Docet's own export: entries with their ids and evidence, to be taken as they were.
    Library(Box<LibraryFile>),
    /// Lessons of any other format.
    Lessons(Lessons),
}

/// How to read a source.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ReadOptions {
    /// Its format; recognised where none is given.
    pub from: Option<Format>,
    /// Where records keep their fields.
    pub map: FieldMap,
    /// The domain of lessons that come without one.
    pub domain: Option<String>,
    /// Who or what wrote the lessons; stands before what the source says of it.
    pub source: Option<String>,
    /// The fewest words of a lesson: [`MIN_WORDS_OF_LISTS`] for plain text and Markdown unless told, 1 elsewhere.
    pub min_words: Option<usize>,
}

/// Reads a source. One bad line never stops the rest.
///
/// ```
/// use docet::interchange::{Document, ReadOptions, read};
/// let notes = "# Testing\n- Run the whole suite before you push.\n";
/// let Document::Lessons(lessons) = read(notes.as_bytes(), &ReadOptions::default()).unwrap() else { panic!() };
/// assert_eq!(lessons.candidates[0].domain.as_deref(), Some("testing"));
/// ```
///
/// # Errors
/// `not_utf8`; `too_large` over [`MAX_BYTES`], [`MAX_LESSONS`] or [`MAX_DEPTH`]; `bad_json` and `bad_document` where the
/// source is unreadable as a whole or in no format that is known.
pub fn read(source: &[u8], options: &ReadOptions) -> Result<Document, Failure> {
    let text = text_of(source)?;
    let format = options.from.map_or_else(|| recognise::format(text, &options.map), Ok)?;
    if format == Format::Docet || (format == Format::Jsonl && recognise::is_export(text)) {
        return library::read(text).map(Box::new).map(Document::Library);
    }
    let mut harvest = Harvest::new(format, options);
    match format {
        Format::Docet => {}
        Format::Markdown => markdown::read(text, &mut harvest)?,
        Format::Text => plain::read(text, &mut harvest)?,
        Format::Csv => csv::read(text, &options.map, &mut harvest)?,
        Format::Json => records::read_json(text, &options.map, &mut harvest)?,
        Format::Jsonl => records::read_lines(text, &options.map, &mut harvest)?,
        Format::Grpo => grpo::read(text, &mut harvest)?,
        Format::Paper => paper::read(text, &mut harvest)?,
        Format::Ace => ace::read(text, &mut harvest)?,
        Format::Kayba => kayba::read(text, &mut harvest)?,
        Format::Cass => cass::read(text, &mut harvest)?,
    }
    Ok(Document::Lessons(harvest.finish()))
}

/// The source as text, without the byte order mark that some editors put before it.
fn text_of(source: &[u8]) -> Result<&str, Failure> {
    if source.len() > MAX_BYTES {
        return Err(too_large("the source is over 64 MiB; split it", "at most 64 MiB"));
    }
    if source.starts_with(&[0xFF, 0xFE]) || source.starts_with(&[0xFE, 0xFF]) {
        return Err(Refusal::new(Code::NotUtf8, "the source is UTF-16; save it as UTF-8").into());
    }
    let text = wire::utf8(source)?;
    Ok(text.strip_prefix('\u{feff}').unwrap_or(text))
}

fn too_large(message: impl Into<String>, allowed: &str) -> Failure {
    Refusal::new(Code::TooLarge, message).allowed(allowed).into()
}

/// A source that is wrong as a whole.
fn unreadable(message: impl Into<String>) -> Failure {
    Refusal::new(Code::BadDocument, message).into()
}

/// The lines of `text` with their numbers from 1, without the carriage return that some systems end them with.
fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split('\n').map(|line| line.strip_suffix('\r').unwrap_or(line)).zip(1..).map(|(line, number)| (number, line))
}
