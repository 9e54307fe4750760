//! What calls of the facade answer, and what of it an idempotency key makes remembered.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::compression::Evicted;
use crate::error::Code;
use crate::experience::{ExperienceId, Timestamp};
use crate::guidelines;
use crate::history::Revision;
use crate::library::Library;
use crate::operation::{Operation, UpdateReport};
use crate::retrieval::Ranking;
use crate::session::{EndReport, Session, SessionId};
use crate::settings::{Settings, Strategy};
use crate::text::normalise;

/// Lessons that were found, labelled.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Recalled {
    /// The lessons and what was left out.
    pub ranking: Ranking,
    /// The number of the first label.
    pub first_label: usize,
    /// Whether the task was longer than the encoder reads.
    pub truncated: bool,
    /// The session's epoch, or the library's outside of one.
    pub epoch: u64,
    /// The library's revision.
    pub revision: u64,
    /// The session.
    pub session: Option<SessionId>,
}

impl Recalled {
    /// The block for a system prompt: a line a lesson, empty where there is none.
    pub fn context(&self) -> String {
        guidelines::render(self.first_label, self.ranking.best.iter().map(|ranked| ranked.text.as_str()))
    }
}

/// What a compression did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CompressReport {
    /// The strategy that decided.
    pub strategy: Strategy,
    /// Who left, in the order of leaving.
    pub evicted: Vec<Evicted>,
    /// Entries afterwards.
    pub size: usize,
    /// The library's revision afterwards; of a dry run the present one.
    pub revision: u64,
    /// Whether nothing was really changed.
    pub dry_run: bool,
}

/// Settings after a change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SettingsReport {
    /// All of them.
    pub settings: Settings,
    /// Who left for a lower capacity.
    pub evicted: Vec<Evicted>,
    /// The library's revision.
    pub revision: u64,
}

/// What an import did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ImportReport {
    /// How many lessons came in.
    pub imported: usize,
    /// Lessons that the library, or an earlier line, says already.
    pub equal: Vec<EqualLine>,
    /// Lines that could not be taken.
    pub refused: Vec<RefusedLine>,
    /// Lessons that were cut to the length that is allowed.
    pub shortened: Vec<EqualLine>,
    /// Who left to make room, in the order of leaving.
    pub evicted: Vec<Evicted>,
    /// Entries afterwards.
    pub size: usize,
    /// The library's revision afterwards; of a dry run the present one.
    pub revision: u64,
    /// Whether nothing was really changed.
    pub dry_run: bool,
}

/// A line of an import, and the entry that says it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EqualLine {
    /// Where it stands in its source, from 1.
    pub line: usize,
    /// The entry.
    pub id: ExperienceId,
}

/// A line of an import that could not be taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RefusedLine {
    /// Where it stands in its source, from 1.
    pub line: usize,
    /// The first rule that it breaks.
    pub code: Code,
    /// One sentence for a person.
    pub message: String,
    /// What stands there.
    pub text: String,
}

/// What an undo or a restore did.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Revised {
    /// The revision that it made.
    pub revision: Revision,
    /// Who left to make room, in the order of leaving.
    pub evicted: Vec<Evicted>,
    /// Entries afterwards.
    pub size: usize,
}

/// What a purge erased, or would.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PurgeReport {
    /// The revision that says so; none of a dry run, and where there was nothing left to erase.
    pub made: Option<Revision>,
    /// The library's revision afterwards; of a dry run the present one.
    pub revision: u64,
    /// Entries of the archive whose text goes.
    pub archived: Vec<ExperienceId>,
    /// How many texts go, out of the history, receipts of sessions and remembered answers.
    pub texts: usize,
    /// Whether nothing was really changed.
    pub dry_run: bool,
}

/// What a new encoding of all entries did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReembedReport {
    /// Entries whose vectors were made anew.
    pub entries: usize,
    /// Of these, those whose vectors differ from what stood.
    pub changed: usize,
    /// The library's revision afterwards.
    pub revision: u64,
}

/// The name that makes a repeated call return the first answer, with a digest of what was asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdempotencyKey {
    /// As the caller chose it, 1 to 200 characters.
    pub key: String,
    /// Equal for equal calls, and as good as never for others.
    pub content: String,
}

/// The answer of a committed call, kept under its idempotency key.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Remembered {
    /// The key and what was asked under it.
    pub key: IdempotencyKey,
    /// When it was answered.
    pub at: Timestamp,
    /// The answer.
    pub answer: Answer,
}

/// Declares [`Answer`], which holds the answer of any changing call.
macro_rules! answers {
    ($($(#[$doc:meta])+ $kind:ident($report:ty)),+ $(,)?) => {
        /// The answer of a changing call.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(rename_all = "lowercase")]
        pub enum Answer { $($(#[$doc])+ $kind(Box<$report>)),+ }

        $(impl From<$report> for Answer {
            fn from(report: $report) -> Self {
                Self::$kind(Box::new(report))
            }
        }

        impl TryFrom<Answer> for $report {
            type Error = Answer;

            fn try_from(answer: Answer) -> Result<Self, Answer> {
                match answer {
                    Answer::$kind(report) => Ok(*report),
                    other => Err(other),
                }
            }
        })+
    };
}

answers! {
    /// Of a new library.
    Init(Library),
    /// Of operations.
    Update(UpdateReport),
    /// Of a session that began.
    Begin(Recalled),
    /// Of a session that ended.
    End(EndReport),
    /// Of a compression.
    Compress(CompressReport),
    /// Of changed settings.
    Settings(SettingsReport),
    /// Of an import.
    Import(ImportReport),
    /// Of an undo or a restore.
    Revised(Revised),
    /// Of a purge.
    Purge(PurgeReport),
    /// Of vectors made anew.
    Reembed(ReembedReport),
}

impl Answer {
    /// Empties the lines that an import refused because they look like secrets: those are not to be stored.
    pub(crate) fn forget_secrets(&mut self) {
        if let Self::Import(report) = self {
            let secrets = report.refused.iter_mut().filter(|line| line.code == Code::Secret);
            secrets.for_each(|line| line.text.clear());
        }
    }

    /// Empties every text of a lesson that `kept` does not hold, and returns those.
    pub fn erase(&mut self, kept: &BTreeSet<String>) -> BTreeSet<String> {
        let mut erasure = Erasure { kept, erased: BTreeSet::new() };
        match self {
            Self::Update(report) => erasure.evicted(&mut report.evicted),
            Self::End(report) => erasure.end(report),
            Self::Begin(recalled) => recalled.ranking.best.iter_mut().for_each(|ranked| erasure.text(&mut ranked.text)),
            Self::Compress(report) => erasure.evicted(&mut report.evicted),
            Self::Settings(report) => erasure.evicted(&mut report.evicted),
            Self::Import(report) => {
                erasure.evicted(&mut report.evicted);
                report.refused.iter_mut().for_each(|line| erasure.text(&mut line.text));
            }
            Self::Revised(report) => {
                erasure.evicted(&mut report.evicted);
                erasure.revision(&mut report.revision);
            }
            Self::Init(_) | Self::Purge(_) | Self::Reembed(_) => {}
        }
        erasure.erased
    }
}

/// Empties texts and notes which.
pub(crate) struct Erasure<'a> {
    pub(crate) kept: &'a BTreeSet<String>,
    pub(crate) erased: BTreeSet<String>,
}

impl Erasure<'_> {
    fn text(&mut self, text: &mut String) {
        if !text.is_empty() && !self.kept.contains(text) {
            self.erased.insert(std::mem::take(text));
        }
    }

    fn end(&mut self, report: &mut EndReport) {
        if let Some(update) = &mut report.update {
            self.evicted(&mut update.evicted);
        }
    }

    /// What a session was handed out, what its end reported, and the operations that came with it.
    pub(crate) fn session(&mut self, session: &mut Session) {
        session.receipt.iter_mut().for_each(|receipt| self.text(&mut receipt.text));
        if let Some(end) = &mut session.end {
            self.end(&mut end.report);
            end.operations.iter_mut().filter_map(Operation::text_mut).for_each(|text| self.lesson(text));
        }
    }

    /// The same of a text that may not be normalised yet.
    fn lesson(&mut self, text: &mut String) {
        if !self.kept.contains(&normalise(text)) {
            self.text(text);
        }
    }

    fn evicted(&mut self, evicted: &mut [Evicted]) {
        evicted.iter_mut().for_each(|entry| self.text(&mut entry.text));
    }

    fn revision(&mut self, revision: &mut Revision) {
        let records = revision.changes.iter_mut().flat_map(|change| [&mut change.before, &mut change.after]);
        for record in records.flatten() {
            if let Some(text) = record.text.take_if(|text| !self.kept.contains(text.as_str())) {
                self.erased.insert(text.to_string());
                record.source = None;
            }
        }
    }
}
