//! What is asked: the command line's flags as fields.

use docet_core::error::Refusal;
use docet_core::operation::Operation;
use serde::{Deserialize, Serialize};

use super::Failure;

/// `init`: make a library.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct InitRequest {
    /// The preset that the settings start from.
    pub preset: Option<String>,
    /// The setting of that name.
    pub capacity: Option<String>,
    /// The setting of that name.
    pub strategy: Option<String>,
}

/// `update`, and the commands that are one operation each.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct UpdateRequest {
    /// Applied in this order.
    pub operations: Vec<Operation>,
    /// What a faulty one does to the others.
    pub on_invalid: OnInvalid,
    /// Whether only to say what would happen.
    pub dry_run: bool,
    /// The source of those adds and merges that name none.
    pub source: Option<String>,
}

/// What a faulty operation does to the others.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnInvalid {
    /// Nothing is applied.
    #[default]
    Reject,
    /// The sound ones are applied.
    Skip,
}

/// What `recall` and `begin` both ask. What is not said is the library's setting.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LookUp {
    /// What the agent is about to do.
    pub task: String,
    /// How many lessons at most.
    pub k: Option<f64>,
    /// The eligible domains; inferred where none are named.
    pub domains: Vec<String>,
    /// Whether every domain is eligible.
    pub all_domains: bool,
    /// The weight of confidence.
    pub confidence_weight: Option<f64>,
    /// The least score.
    pub min_score: Option<f64>,
}

/// `recall`: look lessons up, within a session or without.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecallRequest {
    /// The look-up.
    #[serde(flatten)]
    pub look_up: LookUp,
    /// The open session to go on with.
    pub session: Option<String>,
}

/// `begin`: look lessons up and begin a session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct BeginRequest {
    /// The look-up.
    #[serde(flatten)]
    pub look_up: LookUp,
    /// Sessions of one group are compared with one another.
    pub group: Option<String>,
    /// The caller's own reference.
    #[serde(rename = "ref")]
    pub reference: Option<String>,
}

/// `end`: end a session.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EndRequest {
    /// The task's reward.
    pub reward: Option<f64>,
    /// What the reward is compared with.
    pub baseline: Option<f64>,
    /// Whether the session, or which labels, improved the reward.
    pub improved: Option<Labels>,
    /// Whether the session, or which labels, did not.
    pub not_improved: Option<Labels>,
    /// The plain statement that there is no outcome.
    pub no_outcome: bool,
    /// Which labels were applied; all where nothing is said.
    pub applied: Option<Vec<String>>,
    /// Lessons learned.
    pub operations: Vec<Operation>,
}

/// A verdict on the whole session, or on some of its labels.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Labels {
    /// On the whole session; `false` says nothing.
    Session(bool),
    /// On these.
    Named(Vec<String>),
}

/// `sessions`: which sessions there are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SessionsRequest {
    /// Only those that are open.
    pub open: bool,
    /// At most so many.
    pub limit: Option<f64>,
}

/// `list`: which entries there are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ListRequest {
    /// Of this domain alone.
    pub domain: Option<String>,
    /// Those that left, instead of those that are there.
    pub archived: bool,
    /// In this order.
    pub sort: Sort,
    /// At most so many.
    pub limit: Option<f64>,
    /// Without the first so many.
    pub offset: Option<f64>,
}

/// The order of a list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sort {
    /// The oldest entry first.
    #[default]
    Id,
    /// The most trusted first.
    Confidence,
    /// The most used first.
    Usage,
    /// The latest written first.
    Epoch,
}

/// `history`: which revisions there are.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct HistoryRequest {
    /// Those that changed this entry.
    pub id: Option<f64>,
    /// Those by this actor.
    pub actor: Option<String>,
    /// At most so many, 50 where nothing is said.
    pub limit: Option<f64>,
}

/// `undo`: take a revision back.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct UndoRequest {
    /// The revision.
    pub revision: f64,
    /// Whether entries may leave to make room.
    pub evict: bool,
}

/// `restore`: bring back an entry that left.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RestoreRequest {
    /// The entry.
    pub id: f64,
    /// Whether others may leave to make room.
    pub evict: bool,
}

/// `purge`: erase for good.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PurgeRequest {
    /// Only what left or was superseded more than so many days ago.
    pub older_than: Option<f64>,
    /// Whether to do it; otherwise it is only said what would go.
    pub yes: bool,
}

/// `import`: bring lessons in.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ImportRequest {
    /// What is read, as it stands in its file.
    #[serde(skip)]
    pub content: Vec<u8>,
    /// Its format; recognised where none is named.
    pub from: Option<String>,
    /// Where records keep their fields: `text=content,domain=section`.
    pub map: Option<String>,
    /// The domain of lessons that come without one.
    pub domain: Option<String>,
    /// Who or what wrote the lessons.
    pub source: Option<String>,
    /// What is done with a text that is too long.
    pub overlong: Overlong,
    /// The fewest words of a lesson.
    pub min_words: Option<f64>,
    /// Whether a library's file may be merged into a library that has held entries.
    pub merge: bool,
    /// Whether others may leave to make room.
    pub evict: bool,
    /// Whether only to say what would happen.
    pub dry_run: bool,
}

/// What an import does with a text that is too long.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Overlong {
    /// It is refused and reported.
    #[default]
    Skip,
    /// It is cut to what is allowed, and reported.
    Truncate,
}

/// `compress`: compress on demand.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CompressRequest {
    /// By this strategy.
    pub strategy: Option<String>,
    /// To this many entries.
    pub to: Option<f64>,
    /// Whether only to say what would happen.
    pub dry_run: bool,
    /// With this seed.
    pub seed: Option<f64>,
    /// `each` or `once`.
    pub rescore: Option<String>,
    /// `improved` or `created`.
    pub age_from: Option<String>,
}

/// `settings`: see or change them. The preset comes first, then what is reset, then what is set.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SettingsRequest {
    /// The choices in which the presets differ.
    pub preset: Option<String>,
    /// Keys that go back to their defaults.
    pub reset: Vec<String>,
    /// Keys and their values, as typed.
    pub set: Vec<(String, String)>,
    /// Whether entries may leave for a lower capacity.
    pub evict: bool,
}

/// `embed`: vectors of texts as they stand.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct EmbedRequest {
    /// The texts.
    pub texts: Vec<String>,
}

/// The largest id, count or seed.
pub(crate) const MAX_WHOLE: u64 = (1 << 53) - 1;

/// The id of an entry, out of what was typed.
///
/// # Errors
/// `bad_value` where it can be none.
pub fn id(value: f64) -> Result<u64, Failure> {
    whole("id", value, 0, MAX_WHOLE)
}

/// A whole number within bounds, out of what was typed.
///
/// # Errors
/// `bad_value`, naming the field, the value and the range.
pub fn whole(field: &str, value: f64, low: u64, high: u64) -> Result<u64, Failure> {
    if value.fract() == 0.0 && value >= low as f64 && value <= high as f64 {
        return Ok(value as u64);
    }
    Err(Refusal::out_of_range(field, value, &format!("a whole number from {low} to {high}")).into())
}
