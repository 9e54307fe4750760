//! Between the formats and the memory: what was read becomes an import, and its report names the lines of the source.

use docet_core::answers::{EqualLine, ImportReport};
use docet_core::error::Refusal;
use docet_core::history::Record;
use docet_core::memory::{self, Import, Lessons};

use crate::interchange::{
    Candidate, Document, Entry, FieldMap, Format, LibraryFile, ReadOptions, Refused, Unmapped, read,
};
use crate::wire::{Failure, ImportAnswer, ImportRequest, Overlong, whole};

/// A source that was read.
pub(crate) struct Reading {
    import: Import,
    format: Format,
    /// Where each lesson of the import stands in the source, and what it said there.
    places: Vec<(usize, Option<Candidate>)>,
    refused: Vec<Refused>,
    unmapped: Vec<Unmapped>,
}

impl Reading {
    /// Reads a source.
    ///
    /// # Errors
    /// Those of [`read`], and `bad_value`.
    pub(crate) fn of(request: &ImportRequest) -> Result<Self, Failure> {
        let min_words = request.min_words.map(|words| whole("min_words", words, 1, 32)).transpose()?;
        let options = ReadOptions {
            from: request.from.as_deref().map(format).transpose()?,
            map: request.map.as_deref().map_or_else(|| Ok(FieldMap::default()), FieldMap::parse)?,
            domain: request.domain.clone(),
            source: request.source.clone(),
            min_words: min_words.map(|words| words as usize),
        };
        let import = |lessons| Import {
            lessons,
            merge: request.merge,
            shorten: request.overlong == Overlong::Truncate,
            evict: request.evict,
            dry_run: request.dry_run,
        };
        Ok(match read(&request.content, &options)? {
            Document::Library(file) => {
                let LibraryFile { settings, next_id, epoch, entries, refused } = *file;
                let places = entries.iter().map(|entry| (entry.line, None)).collect();
                let entries = entries.into_iter().map(record).collect();
                let library = memory::LibraryFile { settings, next_id, epoch, entries };
                let import = import(Lessons::Library(Box::new(library)));
                Self { import, format: Format::Docet, places, refused, unmapped: Vec::new() }
            }
            Document::Lessons(lessons) => {
                let candidates = lessons.candidates.iter().zip(1..).map(|(candidate, place)| taken(candidate, place));
                let import = import(Lessons::Candidates(candidates.collect()));
                let places = lessons.candidates.into_iter().map(|candidate| (candidate.line, Some(candidate)));
                let (places, format) = (places.collect(), lessons.format);
                Self { import, format, places, refused: lessons.refused, unmapped: lessons.unmapped }
            }
        })
    }

    /// What the memory is asked.
    pub(crate) fn import(&self) -> &Import {
        &self.import
    }

    /// The memory's report, with the lines of the source.
    pub(crate) fn answer(self, report: ImportReport) -> ImportAnswer {
        let first = if matches!(self.import.lessons, Lessons::Library(_)) { 2 } else { 1 };
        let place = |number: usize| number.checked_sub(first).and_then(|index| self.places.get(index));
        let line = |number: usize| place(number).map_or(number, |(line, _)| *line);
        let at = |equal: EqualLine| EqualLine { line: line(equal.line), ..equal };
        let mut refused = self.refused;
        refused.extend(report.refused.into_iter().map(|refused| Refused {
            line: line(refused.line),
            code: refused.code,
            message: refused.message,
            text: refused.text,
            candidate: place(refused.line).and_then(|(_, candidate)| candidate.clone()),
        }));
        refused.sort_by_key(|refused| refused.line);
        ImportAnswer {
            format: self.format.name(),
            imported: report.imported,
            equal: report.equal.into_iter().map(at).collect(),
            refused,
            shortened: report.shortened.into_iter().map(at).collect(),
            unmapped: self.unmapped,
            evicted: report.evicted,
            size: report.size,
            revision: report.revision,
            dry_run: report.dry_run,
        }
    }
}

/// A library as a file has it.
pub(crate) fn file_of(library: memory::LibraryFile) -> LibraryFile {
    let memory::LibraryFile { settings, next_id, epoch, entries } = library;
    let entries = entries.into_iter().filter_map(entry).collect();
    LibraryFile { settings, next_id, epoch, entries, refused: Vec::new() }
}

fn format(name: &str) -> Result<Format, Refusal> {
    Format::named(name).ok_or_else(|| Refusal::out_of_range("from", name, &Format::names()))
}

fn taken(candidate: &Candidate, place: usize) -> memory::Candidate {
    let Candidate { text, domain, confidence, successes, failures, usage_count, pinned, source, .. } =
        candidate.clone();
    memory::Candidate { line: place, text, domain, confidence, successes, failures, usage_count, pinned, source }
}

fn record(entry: Entry) -> Record {
    Record {
        id: entry.id,
        text: Some(entry.text),
        confidence: entry.confidence,
        domain: entry.domain,
        usage_count: entry.usage_count,
        epoch: entry.epoch,
        successes: entry.successes,
        failures: entry.failures,
        last_improved: entry.last_improved,
        pinned: entry.pinned,
        source: entry.source,
        created_at: entry.created_at,
        updated_at: entry.updated_at,
    }
}

/// An entry's record as a line of a file; none where its text was purged, which no standing entry's is.
fn entry(record: Record) -> Option<Entry> {
    Some(Entry {
        line: 0,
        id: record.id,
        text: record.text?,
        confidence: record.confidence,
        domain: record.domain,
        usage_count: record.usage_count,
        epoch: record.epoch,
        successes: record.successes,
        failures: record.failures,
        last_improved: record.last_improved,
        pinned: record.pinned,
        source: record.source,
        created_at: record.created_at,
        updated_at: record.updated_at,
    })
}
