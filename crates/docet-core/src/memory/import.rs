//! Lessons from elsewhere, and a whole library out and in.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::plan::{Effort, Plan, differences, over_capacity};
use super::{Call, Error, Memory, library, standing, to_write};
use crate::answers::{EqualLine, ImportReport, RefusedLine};
use crate::compression::{self, Compression};
use crate::confidence::Confidence;
use crate::embedding::Encoded;
use crate::error::{Code, Refusal};
use crate::experience::{Domain, Experience, ExperienceId, MAX_NUMBER, Timestamp};
use crate::history::{Record, RevisionKind};
use crate::library::{Library, LibraryName};
use crate::ports::Snapshot;
use crate::settings::Settings;
use crate::text::{ExperienceText, FreeText, shortened_to_fit};

/// A lesson from elsewhere, not yet checked.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Candidate {
    /// Where it stands in its source, from 1.
    pub line: usize,
    /// What it says.
    pub text: String,
    /// What it is about; `general` where nothing is said.
    pub domain: Option<String>,
    /// How far it is trusted; the setting's start where nothing is said.
    pub confidence: Option<f64>,
    /// How often it helped.
    pub successes: u64,
    /// How often it did not.
    pub failures: u64,
    /// How often it was applied.
    pub usage_count: u64,
    /// Whether compression must keep it.
    pub pinned: bool,
    /// Who or what wrote it.
    pub source: Option<String>,
}

/// A whole library as a file: everything but its name, its revision, its sessions and its vectors.
#[derive(Clone, Debug, PartialEq)]
pub struct LibraryFile {
    /// Its settings.
    pub settings: Settings,
    /// The id of its next entry.
    pub next_id: ExperienceId,
    /// Sessions begun so far.
    pub epoch: u64,
    /// Its entries, by id.
    pub entries: Vec<Record>,
}

/// Lessons to bring in.
#[derive(Clone, Debug, PartialEq)]
pub struct Import {
    /// Them.
    pub lessons: Lessons,
    /// Whether a whole library may be merged into one that has held entries.
    pub merge: bool,
    /// Whether a text that is too long is cut instead of refused.
    pub shorten: bool,
    /// Whether others may leave to make room.
    pub evict: bool,
    /// Whether only to say what would happen.
    pub dry_run: bool,
}

/// What is brought in.
#[derive(Clone, Debug, PartialEq)]
pub enum Lessons {
    /// Lessons of any origin.
    Candidates(Vec<Candidate>),
    /// A library as [`Memory::export`] gave it.
    Library(Box<LibraryFile>),
}

impl Memory {
    /// A whole library, to be kept in a file or brought into another.
    ///
    /// ```
    /// # use docet_core::{experience::Timestamp, library::LibraryName, operation::Operation, session::SessionId};
    /// # use docet_core::memory::*;
    /// let (memory, library, call) = (Memory::in_memory(), LibraryName::default(), Call::at(Timestamp(0)));
    /// memory.update(&library, &Update::of(vec![Operation::add("Run the tests first.")]), &call)?;
    /// assert_eq!(memory.export(&library)?.next_id, 2);
    /// # Ok::<(), docet_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// `library_missing`, and failures of the store.
    pub fn export(&self, name: &LibraryName) -> Result<LibraryFile, Error> {
        self.look(name, |snapshot| {
            let Library { settings, next_id, epoch, .. } = library(snapshot, name)?;
            let entries = snapshot.experiences()?.iter().map(Record::from).collect();
            Ok(LibraryFile { settings, next_id, epoch, entries })
        })
    }

    /// Brings lessons in, all of one call in one revision. A line that cannot be taken is reported and stops no other.
    /// A lesson that stands already in its domain becomes one with it, with the larger of each count. A library's file
    /// comes back whole into a library that never held an entry; merged into another, its lessons get new ids.
    ///
    /// ```
    /// # use docet_core::{experience::Timestamp, library::LibraryName, operation::Operation, session::SessionId};
    /// # use docet_core::memory::*;
    /// let (memory, library, call) = (Memory::in_memory(), LibraryName::default(), Call::at(Timestamp(0)));
    /// memory.update(&library, &Update::of(vec![Operation::add("Run the tests first.")]), &call)?;
    /// let lesson = Candidate { line: 1, text: "Read the error first.".to_owned(), ..Candidate::default() };
    /// let report = memory.import(&library, &Import::of(Lessons::Candidates(vec![lesson])), &call)?;
    /// assert_eq!((report.imported, report.size), (1, 2));
    /// # Ok::<(), docet_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// `library_exists` for a library's file into one that has held entries, without `merge`; `over_capacity`,
    /// `capacity_pinned`, `library_missing`, `encoder_differs`, and failures of store and encoder.
    pub fn import(&self, name: &LibraryName, import: &Import, call: &Call) -> Result<ImportReport, Error> {
        if let Some(first) = self.first_answer(name, call)? {
            return Ok(first);
        }
        let (library, entries) = self.look(name, |snapshot| {
            let library = to_write(standing(snapshot, name)?, name)?;
            check_target(snapshot, name, import)?;
            Ok((library, snapshot.experiences()?))
        })?;
        let lines = import.lines();
        let vectors = self.encode_lines(&library, &lines, entries)?;
        let plan = |snapshot: &dyn Snapshot| {
            let found = standing(snapshot, name)?;
            check_target(snapshot, name, import)?;
            let mut plan = Plan::new(RevisionKind::Import, found.clone(), to_write(found, name)?);
            let before = snapshot.experiences()?;
            let mut draft = Draft::new(&before, &vectors, call.now);
            match &import.lessons {
                Lessons::Library(file) if is_untouched(snapshot)? => draft.take_whole(&mut plan.library, file, &lines),
                _ => draft.take_each(&mut plan.library, &lines)?,
            }
            draft.make_room(&plan.library, import.evict)?;
            if !vectors.is_empty() {
                self.check_encoder(&plan.library)?;
                plan.library.encoder.get_or_insert_with(|| self.embedder.encoder());
            }
            let Draft { mut report, entries, .. } = draft;
            report.size = entries.len();
            plan.entries = differences(before.clone(), entries.into_values().collect());
            report.revision = plan.number();
            Ok((plan, report))
        };
        if !import.dry_run {
            return self.carry_out(name, call, Effort::Large, plan);
        }
        let (plan, report) = self.look(name, plan)?;
        Ok(ImportReport { revision: plan.library.revision, dry_run: true, ..report })
    }

    /// The vectors of all sound lines, before anything is locked: those of texts that stand are known, the others are
    /// encoded.
    fn encode_lines(
        &self,
        library: &Library,
        lines: &[Line],
        standing: Vec<Experience>,
    ) -> Result<HashMap<String, Encoded>, Error> {
        let sound = lines.iter().filter_map(|line| line.lesson.as_ref().ok());
        let mut texts: BTreeSet<&str> = sound.map(|lesson| lesson.text.as_str()).collect();
        if !texts.is_empty() {
            self.check_encoder(library)?;
        }
        let known = standing.into_iter().filter(|entry| texts.remove(entry.text.as_str()));
        let known = known
            .map(|entry| (entry.text.to_string(), Encoded { embedding: entry.embedding, tokens: 0, truncated: false }));
        let mut vectors: HashMap<String, Encoded> = known.collect();
        if !texts.is_empty() {
            let texts: Vec<&str> = texts.into_iter().collect();
            let encoded = self.embed(&texts)?;
            vectors.extend(texts.into_iter().map(str::to_owned).zip(encoded));
        }
        Ok(vectors)
    }
}

impl Import {
    /// These lessons, with nothing else allowed.
    pub fn of(lessons: Lessons) -> Self {
        Self { lessons, merge: false, shorten: false, evict: false, dry_run: false }
    }

    /// Every line, checked by itself.
    fn lines(&self) -> Vec<Line> {
        match &self.lessons {
            Lessons::Candidates(candidates) => {
                candidates.iter().map(|candidate| Line::read(candidate, self.shorten)).collect()
            }
            Lessons::Library(file) => {
                // The first line is about the library itself.
                file.entries.iter().zip(2..).map(|(record, line)| Line::recorded(record, line)).collect()
            }
        }
    }
}

/// A library's file comes back whole, or is merged on purpose.
fn check_target(snapshot: &dyn Snapshot, name: &LibraryName, import: &Import) -> Result<(), Error> {
    if !matches!(import.lessons, Lessons::Library(_)) || import.merge || is_untouched(snapshot)? {
        return Ok(());
    }
    let message = format!(
        "library \"{name}\" has held entries, and this file is a whole library: add --merge to give its lessons new ids \
         there, or name a new library with --library"
    );
    Err(Refusal::new(Code::LibraryExists, message).field("library").value(name).into())
}

/// Whether a library never held an entry.
fn is_untouched(snapshot: &dyn Snapshot) -> Result<bool, Error> {
    let given = snapshot.library()?.map_or(1, |library| library.next_id);
    Ok(given == 1 && snapshot.traces()?.id == 0)
}

/// One line, checked by itself.
struct Line {
    number: usize,
    raw: String,
    is_shortened: bool,
    lesson: Result<Lesson, Refusal>,
}

/// A sound line.
struct Lesson {
    text: ExperienceText,
    domain: Domain,
    confidence: Option<Confidence>,
    usage_count: u64,
    successes: u64,
    failures: u64,
    pinned: bool,
    source: Option<FreeText>,
    /// The entry that it was, in a library's file.
    record: Option<Record>,
}

impl Line {
    fn read(candidate: &Candidate, shorten: bool) -> Self {
        let (text, is_shortened) = match ExperienceText::parse(&candidate.text) {
            Err(refusal) if shorten && matches!(refusal.code, Code::TooManyWords | Code::TooLong) => {
                let cut = shortened_to_fit(&candidate.text);
                let parsed = ExperienceText::parse(&cut);
                let is_shortened = parsed.is_ok();
                (parsed.map_err(|_| refusal), is_shortened)
            }
            parsed => (parsed, false),
        };
        let lesson = text.and_then(|text| Lesson::read(text, candidate));
        Self { number: candidate.line, raw: candidate.text.clone(), is_shortened, lesson }
    }

    fn recorded(record: &Record, number: usize) -> Self {
        let raw = record.text.as_ref().map(ToString::to_string).unwrap_or_default();
        let text = record.text.clone().ok_or_else(|| Refusal::new(Code::EmptyText, "the entry has no text"));
        let lesson = text.map(|text| Lesson {
            text,
            domain: record.domain.clone(),
            confidence: Some(record.confidence),
            usage_count: record.usage_count,
            successes: record.successes,
            failures: record.failures,
            pinned: record.pinned,
            source: record.source.clone(),
            record: Some(record.clone()),
        });
        Self { number, raw, is_shortened: false, lesson }
    }
}

impl Lesson {
    fn read(text: ExperienceText, candidate: &Candidate) -> Result<Self, Refusal> {
        let counts = [
            ("successes", candidate.successes),
            ("failures", candidate.failures),
            ("usage_count", candidate.usage_count),
        ];
        if let Some((field, count)) = counts.into_iter().find(|(_, count)| *count > MAX_NUMBER) {
            return Err(Refusal::out_of_range(field, count, "0 to 2^53 - 1"));
        }
        let domain = candidate.domain.as_deref().map_or_else(|| Ok(Domain::general()), Domain::parse)?;
        let confidence = candidate.confidence.map(Confidence::parse).transpose()?;
        let source = candidate.source.as_deref().map(|source| FreeText::parse("source", source)).transpose()?;
        let Candidate { usage_count, successes, failures, pinned, .. } = *candidate;
        Ok(Self { text, domain, confidence, usage_count, successes, failures, pinned, source, record: None })
    }
}

/// A library in the middle of an import.
struct Draft<'a> {
    entries: BTreeMap<ExperienceId, Experience>,
    /// The entry that says this in that domain.
    standing: HashMap<(ExperienceText, Domain), ExperienceId>,
    /// Of the texts of all sound lines.
    vectors: &'a HashMap<String, Encoded>,
    new: BTreeSet<ExperienceId>,
    report: ImportReport,
    now: Timestamp,
}

impl<'a> Draft<'a> {
    fn new(before: &[Experience], vectors: &'a HashMap<String, Encoded>, now: Timestamp) -> Self {
        Self {
            entries: before.iter().map(|entry| (entry.id, entry.clone())).collect(),
            standing: before.iter().map(|entry| ((entry.text.clone(), entry.domain.clone()), entry.id)).collect(),
            vectors,
            new: BTreeSet::new(),
            report: ImportReport::default(),
            now,
        }
    }

    /// A library comes back as it was. Its epoch never falls.
    fn take_whole(&mut self, library: &mut Library, file: &LibraryFile, lines: &[Line]) {
        library.settings = file.settings.clone();
        library.next_id = file.next_id;
        library.epoch = library.epoch.max(file.epoch);
        for line in lines {
            let entered = self.sound(line, &file.settings).and_then(|(lesson, encoded)| {
                let entry = lesson.record.clone().and_then(|record| record.with(encoded.embedding));
                entry.ok_or_else(|| Refusal::new(Code::EmptyText, "the entry has no text"))
            });
            match entered {
                Ok(entry) if self.says(&entry) || self.entries.contains_key(&entry.id) => {
                    let message = format!("entry {} has the id or the text of an earlier one", entry.id);
                    self.refuse(line, Refusal::new(Code::DuplicateText, message));
                }
                Ok(entry) => self.enter(entry, line),
                Err(refusal) => self.refuse(line, refusal),
            }
        }
    }

    /// Each lesson gets an id of its own, or becomes one with its equal.
    fn take_each(&mut self, library: &mut Library, lines: &[Line]) -> Result<(), Refusal> {
        let start = Confidence::parse(library.settings.initial_confidence)?;
        for line in lines {
            let (lesson, encoded) = match self.sound(line, &library.settings) {
                Ok(sound) => sound,
                Err(refusal) => {
                    self.refuse(line, refusal);
                    continue;
                }
            };
            if let Some(id) = self.standing.get(&(lesson.text.clone(), lesson.domain.clone())) {
                let id = *id;
                self.join(id, lesson);
                self.report.equal.push(EqualLine { line: line.number, id });
                continue;
            }
            let entry = Experience {
                id: library.next_id,
                text: lesson.text.clone(),
                confidence: lesson.confidence.unwrap_or(start).clamped(&library.settings),
                domain: lesson.domain.clone(),
                embedding: encoded.embedding,
                usage_count: lesson.usage_count,
                epoch: library.epoch,
                successes: lesson.successes,
                failures: lesson.failures,
                last_improved: None,
                pinned: lesson.pinned,
                source: lesson.source.clone(),
                created_at: self.now,
                updated_at: self.now,
            };
            library.next_id += 1;
            self.enter(entry, line);
        }
        Ok(())
    }

    /// A line that can be taken, with its vector.
    fn sound<'b>(&self, line: &'b Line, settings: &Settings) -> Result<(&'b Lesson, Encoded), Refusal> {
        let lesson = line.lesson.as_ref().map_err(Clone::clone)?;
        let encoded = self.vectors.get(lesson.text.as_str()).expect("each sound line's text was encoded").clone();
        crate::operation::within_reach(&encoded)?;
        if settings.refuse_secrets {
            lesson.text.refuse_secret()?;
        }
        Ok((lesson, encoded))
    }

    fn says(&self, entry: &Experience) -> bool {
        self.standing.contains_key(&(entry.text.clone(), entry.domain.clone()))
    }

    fn enter(&mut self, entry: Experience, line: &Line) {
        let id = entry.id;
        self.standing.insert((entry.text.clone(), entry.domain.clone()), id);
        self.entries.insert(id, entry);
        self.new.insert(id);
        self.report.imported += 1;
        if line.is_shortened {
            self.report.shortened.push(EqualLine { line: line.number, id });
        }
    }

    /// The larger of each count.
    fn join(&mut self, id: ExperienceId, lesson: &Lesson) {
        let Some(entry) = self.entries.get_mut(&id) else { return };
        let before = entry.clone();
        entry.usage_count = entry.usage_count.max(lesson.usage_count);
        entry.successes = entry.successes.max(lesson.successes);
        entry.failures = entry.failures.max(lesson.failures);
        if *entry != before {
            entry.updated_at = self.now;
        }
    }

    fn refuse(&mut self, line: &Line, refusal: Refusal) {
        let Refusal { code, message, .. } = refusal;
        self.report.refused.push(RefusedLine { line: line.number, code, message, text: line.raw.clone() });
    }

    /// Lets others leave for the new ones where that is allowed, and is needed.
    fn make_room(&mut self, library: &Library, evict: bool) -> Result<(), Refusal> {
        let capacity = library.settings.capacity;
        if self.entries.len() <= capacity {
            return Ok(());
        }
        if !evict {
            return Err(over_capacity(self.entries.len(), capacity));
        }
        let entries: Vec<Experience> = self.entries.values().cloned().collect();
        let kept = entries.iter().filter(|entry| entry.pinned || self.new.contains(&entry.id)).count();
        let spared = if kept <= capacity { self.new.clone() } else { BTreeSet::new() };
        self.report.evicted = compression::compress(&Compression {
            entries: &entries,
            spared: &spared,
            capacity,
            epoch: library.epoch,
            settings: &library.settings,
        })?;
        for gone in &self.report.evicted {
            self.entries.remove(&gone.id);
        }
        Ok(())
    }
}
