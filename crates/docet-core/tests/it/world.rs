//! What the tests build with: entries that differ only in what a test names, operations as on the wire, and a memory
//! with a clock of its own.

use std::cell::Cell;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use docet_core::answers::Recalled;
use docet_core::confidence::Confidence;
use docet_core::embedding::{DIMENSION, Embedding};
use docet_core::error::Error;
use docet_core::experience::{Domain, Experience, ExperienceId, Timestamp};
use docet_core::in_memory::{HashEmbedder, InMemoryStore};
use docet_core::library::{Library, LibraryName};
use docet_core::memory::{Begin, Call, End, Init, Memory, Recall, Update};
use docet_core::operation::{Operation, UpdateReport};
use docet_core::ports::Store;
use docet_core::session::{EndReport, Outcome, Session, SessionId};
use docet_core::settings::Settings;
use docet_core::text::{ExperienceText, FreeText};
use serde_json::Value;

/// The direction of some coordinates, the other dimensions being 0.
pub(crate) fn towards(coordinates: &[f64]) -> Embedding {
    let norm = coordinates.iter().map(|value| value * value).sum::<f64>().sqrt();
    let mut values = [0.0_f32; DIMENSION];
    for (value, coordinate) in values.iter_mut().zip(coordinates) {
        *value = (coordinate / norm) as f32;
    }
    Embedding::new(&values).expect("a direction has length 1")
}

/// The plainest entry of that id: a test names what it changes.
pub(crate) fn entry(id: ExperienceId) -> Experience {
    Experience {
        id,
        text: text(&format!("lesson {id}")),
        confidence: confidence(0.5),
        domain: Domain::general(),
        embedding: towards(&[1.0]),
        usage_count: 0,
        epoch: 0,
        successes: 0,
        failures: 0,
        last_improved: None,
        pinned: false,
        source: None,
        created_at: Timestamp(0),
        updated_at: Timestamp(0),
    }
}

pub(crate) fn text(raw: &str) -> ExperienceText {
    ExperienceText::parse(raw).expect("a sound text")
}

pub(crate) fn confidence(value: f64) -> Confidence {
    Confidence::parse(value).expect("a confidence")
}

pub(crate) fn domain(label: &str) -> Domain {
    Domain::parse(label).expect("a domain")
}

pub(crate) fn free(raw: &str) -> FreeText {
    FreeText::parse("text", raw).expect("a free text")
}

pub(crate) fn library_name(name: &str) -> LibraryName {
    LibraryName::parse(name).expect("a name")
}

/// Operations as they stand on the wire.
pub(crate) fn operations(wire: Value) -> Vec<Operation> {
    serde_json::from_value(wire).expect("operations")
}

/// The outcome of a session that ends with a reward and nothing else.
pub(crate) fn rewarded(reward: f64) -> Outcome {
    Outcome { reward: Some(reward), ..Outcome::default() }
}

/// The outcome of a session of which its caller says how it went.
pub(crate) fn worded(improved: bool) -> Outcome {
    Outcome { word: Some(improved), ..Outcome::default() }
}

/// The plain statement that there is no outcome.
pub(crate) fn no_outcome() -> Outcome {
    Outcome { none: true, ..Outcome::default() }
}

/// A file of the shared test data, where that folder is there.
pub(crate) fn shared(file: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let path = std::env::var_os("DOCET_TEST_DATA").map_or(beside, PathBuf::from).join(file);
    if path.is_file() {
        return Some(path);
    }
    skipped(&format!("{file} of the test data is not there; DOCET_TEST_DATA names its folder"));
    None
}

/// Says that a test, or a part of one, did not run.
#[allow(clippy::print_stderr, reason = "a test that does not run says so")]
pub(crate) fn skipped(what: &str) {
    let line = format!("skipped: {what}");
    eprintln!("{line}");
    if let Some(log) = std::env::var_os("DOCET_SKIPPED_LOG") {
        let mut file = std::fs::OpenOptions::new().append(true).create(true).open(log).expect("the log can be opened");
        std::io::Write::write_all(&mut file, format!("{line}\n").as_bytes()).expect("the log can be written");
    }
}

/// One library of a memory, with a clock that moves by a second a call and sessions named `s1`, `s2` and so on.
pub(crate) struct World {
    pub(crate) memory: Memory,
    pub(crate) store: Arc<dyn Store>,
    pub(crate) library: LibraryName,
    clock: Cell<i64>,
    sessions: Cell<u32>,
}

/// Everything that a store keeps of one library.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Whole {
    pub(crate) library: Option<Library>,
    pub(crate) entries: Vec<Experience>,
    pub(crate) sessions: Vec<Session>,
    pub(crate) ungrouped_rewards: Vec<f64>,
}

pub(crate) const SECOND: i64 = 1_000;
pub(crate) const HOUR: i64 = 3_600 * SECOND;

impl World {
    /// An empty memory.
    pub(crate) fn new() -> Self {
        Self::on(Arc::new(InMemoryStore::new()))
    }

    /// An empty library with these settings.
    pub(crate) fn with(settings: &[(&str, &str)]) -> Self {
        let world = Self::new();
        world.init(settings).expect("sound settings");
        world
    }

    /// Over a store of the test's own.
    pub(crate) fn on(store: Arc<dyn Store>) -> Self {
        Self {
            memory: Memory::new(Arc::clone(&store), Arc::new(HashEmbedder)),
            store,
            library: LibraryName::default(),
            clock: Cell::new(0),
            sessions: Cell::new(0),
        }
    }

    /// The next moment.
    pub(crate) fn tick(&self) -> Timestamp {
        self.pass(SECOND)
    }

    /// A call at the next moment.
    pub(crate) fn call(&self) -> Call {
        Call::at(self.tick())
    }

    /// The moment after so many milliseconds.
    pub(crate) fn pass(&self, milliseconds: i64) -> Timestamp {
        self.clock.set(self.clock.get() + milliseconds);
        Timestamp(self.clock.get())
    }

    pub(crate) fn init(&self, settings: &[(&str, &str)]) -> Result<Library, Error> {
        let settings = settings.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
        self.memory.init(&self.library, &Init { preset: None, settings }, &Call::at(Timestamp(self.clock.get())))
    }

    pub(crate) fn update(&self, wire: Value) -> Result<UpdateReport, Error> {
        self.memory.update(&self.library, &Update::of(operations(wire)), &self.call())
    }

    /// Adds lessons, which must be sound; answers their ids.
    pub(crate) fn add(&self, texts: &[&str]) -> Vec<ExperienceId> {
        let list = texts.iter().map(|text| serde_json::json!({"op": "add", "text": text})).collect();
        let report = self.update(list).expect("sound lessons");
        report.applied.iter().map(|applied| applied.id).collect()
    }

    /// Begins a session for a task.
    pub(crate) fn begin(&self, task: &str) -> (SessionId, Recalled) {
        self.begin_as(&Begin { recall: Recall::of(task), ..Begin::default() })
    }

    pub(crate) fn begin_as(&self, begin: &Begin) -> (SessionId, Recalled) {
        self.sessions.set(self.sessions.get() + 1);
        let session = SessionId(format!("s{}", self.sessions.get()));
        let recalled = self.memory.begin(&self.library, begin, &session, &self.call()).expect("a session begins");
        (session, recalled)
    }

    pub(crate) fn end(&self, session: &SessionId, outcome: Outcome) -> Result<EndReport, Error> {
        self.end_with(session, outcome, serde_json::json!([]))
    }

    pub(crate) fn end_with(&self, session: &SessionId, outcome: Outcome, wire: Value) -> Result<EndReport, Error> {
        self.memory.end(session, None, &End { outcome, operations: operations(wire) }, &self.call())
    }

    pub(crate) fn whole(&self) -> Whole {
        let mut whole = None;
        let look = self.store.read(&self.library, &mut |snapshot| {
            whole = Some(Whole {
                library: snapshot.library()?,
                entries: snapshot.experiences()?,
                sessions: snapshot.sessions(None, usize::MAX)?,
                ungrouped_rewards: snapshot.rewards(None, usize::MAX)?,
            });
            Ok(())
        });
        look.expect("the store can be read");
        whole.expect("a read that succeeded ran")
    }

    /// Puts a library of the test's own in place.
    pub(crate) fn put(&self, library: &Library, entries: &[Experience], sessions: &[Session]) {
        let put = self.store.write(&self.library, &mut |transaction| {
            transaction.put_library(library)?;
            for entry in entries {
                transaction.put_experience(entry)?;
            }
            for session in sessions {
                transaction.put_session(session)?;
            }
            Ok(())
        });
        put.expect("the store can be written");
    }

    /// The library as a person would note it down.
    pub(crate) fn noted(&self) -> String {
        let whole = self.whole();
        let library = whole.library.unwrap_or_else(|| Library::new(Settings::default()));
        format!(
            "revision {}, epoch {}, next id {}\n{}",
            library.revision,
            library.epoch,
            library.next_id,
            note_entries(&whole.entries)
        )
    }
}

/// One line an entry: the tuple of `eq:experience` without its vector, then its evidence and provenance.
pub(crate) fn note_entries(entries: &[Experience]) -> String {
    let mut note = String::new();
    for entry in entries {
        let Experience { id, text, domain, usage_count, epoch, successes, failures, .. } = entry;
        let confidence = entry.confidence.get();
        write!(note, "{id}: {text} | c {confidence:.4}, {domain}, u {usage_count}, k {epoch}").expect("a string");
        write!(note, " | +{successes} -{failures}").expect("a string");
        if let Some(epoch) = entry.last_improved {
            write!(note, ", improved at {epoch}").expect("a string");
        }
        if entry.pinned {
            note.push_str(", pinned");
        }
        if let Some(source) = &entry.source {
            write!(note, ", from {}", source.as_str()).expect("a string");
        }
        let (created, updated) = (entry.created_at.0 / SECOND, entry.updated_at.0 / SECOND);
        writeln!(note, " | at {created} s, {updated} s").expect("a string");
    }
    note
}
