//! Revisions on the wire: what `history`, `show`, `undo`, `restore` and `purge` answer.

use docet_core::answers::{PurgeReport, Revised};
use docet_core::compression::Evicted;
use docet_core::history::{Revision, RevisionKind, RewardChanged, SettingsChanged};
use docet_core::settings::Settings;
use serde::Serialize;
use serde_json::{Map, Value};

use super::answers::{ExperienceAnswer, rfc3339};

/// `history`
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct HistoryAnswer {
    /// The newest first.
    pub revisions: Vec<RevisionAnswer>,
}

/// One revision.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RevisionAnswer {
    /// Its number.
    pub revision: u64,
    /// When.
    pub at: String,
    /// Who.
    pub actor: String,
    /// Why, where that was said.
    pub reason: Option<String>,
    /// By which call.
    pub kind: RevisionKind,
    /// Each entry that it changed.
    pub changes: Vec<ChangeAnswer>,
    /// The settings that it changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub settings: Option<SettingsChangeAnswer>,
    /// The reward that it brought or took away.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reward: Option<RewardChangeAnswer>,
}

/// One entry before and after.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ChangeAnswer {
    /// The entry.
    pub id: u64,
    /// What it was; null where it was not there.
    pub before: Option<ExperienceAnswer>,
    /// What it became; null where it left.
    pub after: Option<ExperienceAnswer>,
}

/// The settings that differ, before and after.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SettingsChangeAnswer {
    /// What they were.
    pub before: Map<String, Value>,
    /// What they became.
    pub after: Map<String, Value>,
}

/// The reward of a session, before and after.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RewardChangeAnswer {
    /// The session's index.
    pub epoch: u64,
    /// What counted before; null where nothing did.
    pub before: Option<f64>,
    /// What counts now.
    pub after: Option<f64>,
}

impl From<Revision> for RevisionAnswer {
    fn from(revision: Revision) -> Self {
        let changes = revision.changes.iter().map(|change| ChangeAnswer {
            id: change.id,
            before: change.before.as_ref().map(ExperienceAnswer::from),
            after: change.after.as_ref().map(ExperienceAnswer::from),
        });
        Self {
            revision: revision.number,
            at: rfc3339(revision.at),
            actor: revision.actor.as_str().to_owned(),
            reason: revision.reason.map(|reason| reason.as_str().to_owned()),
            kind: revision.kind,
            changes: changes.collect(),
            settings: revision.settings.as_ref().map(settings),
            reward: revision.reward.as_ref().map(reward),
        }
    }
}

fn settings(changed: &SettingsChanged) -> SettingsChangeAnswer {
    let keys = changed.before.differences(&changed.after);
    let only = |settings: &Settings| {
        let mut all = serde_json::to_value(settings).unwrap_or_default();
        keys.iter().map(|key| ((*key).to_owned(), all[key].take())).collect()
    };
    SettingsChangeAnswer { before: only(&changed.before), after: only(&changed.after) }
}

fn reward(changed: &RewardChanged) -> RewardChangeAnswer {
    let RewardChanged { before, after } = changed;
    RewardChangeAnswer {
        epoch: after.as_ref().or(before.as_ref()).map_or(0, |reward| reward.session_epoch),
        before: before.as_ref().map(|reward| reward.reward),
        after: after.as_ref().map(|reward| reward.reward),
    }
}

/// `undo` and `restore`
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RevisedAnswer {
    /// The revision that it made.
    #[serde(flatten)]
    pub revision: RevisionAnswer,
    /// Who left to make room.
    pub evicted: Vec<Evicted>,
    /// Entries afterwards.
    pub size: usize,
}

impl From<Revised> for RevisedAnswer {
    fn from(revised: Revised) -> Self {
        let Revised { revision, evicted, size } = revised;
        Self { revision: revision.into(), evicted, size }
    }
}

/// `purge`
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PurgeAnswer {
    /// The library's revision.
    pub revision: u64,
    /// When; null where nothing was changed, as are the next two.
    pub at: Option<String>,
    /// Who.
    pub actor: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// `purge`
    pub kind: RevisionKind,
    /// None: what was erased is not told.
    pub changes: Vec<ChangeAnswer>,
    /// Entries of the archive whose texts go.
    pub archived: Vec<u64>,
    /// How many texts go.
    pub texts: usize,
    /// Copies of the store that still hold them.
    pub copies: Vec<String>,
    /// Whether nothing was really changed.
    pub dry_run: bool,
}

impl PurgeAnswer {
    pub(crate) fn of(report: PurgeReport, copies: Vec<String>) -> Self {
        let PurgeReport { made, revision, archived, texts, dry_run } = report;
        let made = made.map(RevisionAnswer::from);
        Self {
            revision,
            at: made.as_ref().map(|made| made.at.clone()),
            actor: made.as_ref().map(|made| made.actor.clone()),
            reason: made.and_then(|made| made.reason),
            kind: RevisionKind::Purge,
            changes: Vec::new(),
            archived,
            texts,
            copies,
            dry_run,
        }
    }
}
