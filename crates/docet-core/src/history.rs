//! The history of a library: what each committed change did, so that it can be shown and taken back.
//!
//! A [`Revision`] keeps each entry before and after as a [`Record`]: everything but the vector, which the text gives
//! again.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::confidence::Confidence;
use crate::embedding::Embedding;
use crate::experience::{Domain, Experience, ExperienceId, Timestamp};
use crate::settings::Settings;
use crate::text::{ExperienceText, FreeText};

/// One committed change of entries or settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Revision {
    /// Its number, from 1, without gaps.
    pub number: u64,
    /// When it was committed.
    pub at: Timestamp,
    /// Who changed it.
    pub actor: FreeText,
    /// Why, where that was said.
    pub reason: Option<FreeText>,
    /// By which call.
    pub kind: RevisionKind,
    /// Each entry that it changed, by id.
    pub changes: Vec<Change>,
    /// The settings, where it changed them.
    pub settings: Option<SettingsChanged>,
    /// The reward of a session, where it brought one or took one away.
    pub reward: Option<RewardChanged>,
}

/// Which call made a revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RevisionKind {
    /// A list of operations.
    Update,
    /// The end of a session.
    End,
    /// A compression on demand.
    Compress,
    /// A change of settings.
    Settings,
    /// Lessons from elsewhere.
    Import,
    /// A revision taken back.
    Undo,
    /// An entry brought back.
    Restore,
    /// Texts erased for good.
    Purge,
    /// All vectors made anew.
    Reembed,
}

impl RevisionKind {
    /// Every kind with its name.
    const NAMES: [(Self, &str); 9] = [
        (Self::Update, "update"),
        (Self::End, "end"),
        (Self::Compress, "compress"),
        (Self::Settings, "settings"),
        (Self::Import, "import"),
        (Self::Undo, "undo"),
        (Self::Restore, "restore"),
        (Self::Purge, "purge"),
        (Self::Reembed, "reembed"),
    ];

    /// Its name, as it is kept and shown.
    pub fn name(self) -> &'static str {
        Self::NAMES.iter().find(|(kind, _)| *kind == self).map_or("", |(_, name)| name)
    }

    /// The kind of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::NAMES.iter().find(|(_, known)| *known == name).map(|(kind, _)| *kind)
    }
}

impl fmt::Display for RevisionKind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// One entry before and after a revision; none where it was not in the library.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// The entry.
    pub id: ExperienceId,
    /// What it was.
    pub before: Option<Record>,
    /// What it became.
    pub after: Option<Record>,
}

/// An entry without its vector.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Its id.
    pub id: ExperienceId,
    /// Its text; none where a purge erased it.
    pub text: Option<ExperienceText>,
    /// How far it was trusted, `c`.
    pub confidence: Confidence,
    /// What it was about, `d`.
    pub domain: Domain,
    /// Times retrieved and applied, `u`.
    pub usage_count: u64,
    /// The session index at which the text was written, `k`.
    pub epoch: u64,
    /// *Improved* verdicts.
    pub successes: u64,
    /// *Not improved* verdicts.
    pub failures: u64,
    /// The highest epoch of a session that it improved.
    pub last_improved: Option<u64>,
    /// Whether compression had to keep it.
    pub pinned: bool,
    /// Who or what wrote it.
    pub source: Option<FreeText>,
    /// When it entered.
    pub created_at: Timestamp,
    /// When anything of it had last changed.
    pub updated_at: Timestamp,
}

impl Record {
    /// The entry again, with the vector of its text; none where the text was purged.
    pub fn with(self, embedding: Embedding) -> Option<Experience> {
        Some(Experience {
            id: self.id,
            text: self.text?,
            confidence: self.confidence,
            domain: self.domain,
            embedding,
            usage_count: self.usage_count,
            epoch: self.epoch,
            successes: self.successes,
            failures: self.failures,
            last_improved: self.last_improved,
            pinned: self.pinned,
            source: self.source,
            created_at: self.created_at,
            updated_at: self.updated_at,
        })
    }
}

impl From<&Experience> for Record {
    fn from(entry: &Experience) -> Self {
        Self {
            id: entry.id,
            text: Some(entry.text.clone()),
            confidence: entry.confidence,
            domain: entry.domain.clone(),
            usage_count: entry.usage_count,
            epoch: entry.epoch,
            successes: entry.successes,
            failures: entry.failures,
            last_improved: entry.last_improved,
            pinned: entry.pinned,
            source: entry.source.clone(),
            created_at: entry.created_at,
            updated_at: entry.updated_at,
        }
    }
}

/// All settings before and after a revision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SettingsChanged {
    /// What they were.
    pub before: Settings,
    /// What they became.
    pub after: Settings,
}

/// A session's reward, as running baselines count it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reward {
    /// The session's index, unique in its library.
    pub session_epoch: u64,
    /// Sessions of one group are compared with one another.
    pub group: Option<FreeText>,
    /// The revision of the session's end.
    pub revision: u64,
    /// As given.
    pub reward: f64,
}

/// The reward of one session before and after a revision; none where it did not count.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RewardChanged {
    /// What counted.
    pub before: Option<Reward>,
    /// What counts now.
    pub after: Option<Reward>,
}

/// An entry that left the library, as it was then.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Archived {
    /// The entry; its text is none where a purge erased it.
    pub record: Record,
    /// The revision in which it left.
    pub revision: u64,
    /// When.
    pub at: Timestamp,
    /// Why, where that was said.
    pub reason: Option<FreeText>,
    /// By which call.
    pub kind: RevisionKind,
}

/// Which revisions to show.
#[derive(Clone, Debug, PartialEq)]
pub struct RevisionQuery {
    /// Those that changed this entry.
    pub id: Option<ExperienceId>,
    /// Those by this actor.
    pub actor: Option<FreeText>,
    /// Those with a higher number.
    pub after: u64,
    /// At most so many, the newest.
    pub limit: usize,
}

impl Default for RevisionQuery {
    fn default() -> Self {
        Self { id: None, actor: None, after: 0, limit: usize::MAX }
    }
}
