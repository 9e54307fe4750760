//! What is answered, where the core's own report is not the wire's shape already.

use docet_core::answers::{EqualLine, ReembedReport};
use docet_core::compression::Evicted;
use docet_core::experience::{Experience, Timestamp};
use docet_core::guidelines;
use docet_core::history::{Archived, Record, RevisionKind};
use docet_core::library::{LibraryName, LibrarySummary};
use docet_core::memory::{Archive, CompressReport, Listing, Recalled, Shown};
use docet_core::retrieval::{DomainsFrom, Ranked};
use docet_core::session::{Session, SessionState, Verdict};
use docet_core::settings::{Settings, Strategy};
use jiff::fmt::temporal::DateTimePrinter;
use serde::Serialize;

use super::history::RevisionAnswer;
use crate::interchange::{Refused, Unmapped};

/// `init`
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct InitAnswer {
    /// The library's name.
    pub library: LibraryName,
    /// Its settings.
    pub settings: Settings,
}

/// `libraries`
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LibrariesAnswer {
    /// By name.
    pub libraries: Vec<LibrarySummary>,
}

/// `recall` and `begin`
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RecallAnswer {
    /// The lessons, the best first.
    pub guidelines: Vec<Guideline>,
    /// The block for a system prompt.
    pub context: String,
    /// The eligible domains; empty where all are.
    pub domains: Vec<String>,
    /// Where they came from.
    pub domains_from: DomainsFrom,
    /// Entries of those domains.
    pub eligible: usize,
    /// Entries of other domains.
    pub filtered_by_domain: usize,
    /// Of the eligible, below the floor.
    pub below_min_score: usize,
    /// Of the eligible, given in this session before.
    pub already_given: usize,
    /// How many fewer than asked were found.
    pub shortfall: usize,
    /// Whether the task was longer than the model reads.
    pub truncated: bool,
    /// The session's epoch, or the library's.
    pub epoch: u64,
    /// The library's revision.
    pub revision: u64,
    /// The session.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<String>,
}

/// One lesson that was found.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Guideline {
    /// `G0`, `G1`, …
    pub label: String,
    /// The entry.
    pub id: u64,
    /// Its text.
    pub text: String,
    /// Its domain.
    pub domain: String,
    /// Its cosine to the task.
    pub similarity: f64,
    /// Its confidence.
    pub confidence: f64,
    /// The blend by which it was ranked.
    pub score: f64,
    /// Entries of equal text.
    pub same_as: Vec<u64>,
}

impl From<Recalled> for RecallAnswer {
    fn from(recalled: Recalled) -> Self {
        let context = recalled.context();
        let Recalled { ranking, first_label, truncated, epoch, revision, session } = recalled;
        let labelled = ranking.best.into_iter().enumerate();
        Self {
            guidelines: labelled.map(|(place, ranked)| guideline(first_label + place, ranked)).collect(),
            context,
            domains: ranking.domains.iter().map(ToString::to_string).collect(),
            domains_from: ranking.domains_from,
            eligible: ranking.eligible,
            filtered_by_domain: ranking.filtered_by_domain,
            below_min_score: ranking.below_min_score,
            already_given: ranking.already_given,
            shortfall: ranking.shortfall,
            truncated,
            epoch,
            revision,
            session: session.map(|id| id.0),
        }
    }
}

fn guideline(number: usize, ranked: Ranked) -> Guideline {
    let Ranked { id, text, domain, similarity, confidence, score, same_as } = ranked;
    let (label, domain) = (guidelines::label(number), domain.to_string());
    Guideline { label, id, text, domain, similarity, confidence, score, same_as }
}

/// An entry.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ExperienceAnswer {
    /// Its id.
    pub id: u64,
    /// Its text; null where it was purged.
    pub text: Option<String>,
    /// How far it is trusted.
    pub confidence: f64,
    /// What it is about.
    pub domain: String,
    /// How often it was applied.
    pub usage_count: u64,
    /// When its text was written, as a session index.
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
    pub source: Option<String>,
    /// When it entered.
    pub created_at: String,
    /// When it last changed.
    pub updated_at: String,
}

impl From<&Experience> for ExperienceAnswer {
    fn from(experience: &Experience) -> Self {
        (&Record::from(experience)).into()
    }
}

impl From<&Record> for ExperienceAnswer {
    fn from(record: &Record) -> Self {
        Self {
            id: record.id,
            text: record.text.as_ref().map(ToString::to_string),
            confidence: record.confidence.get(),
            domain: record.domain.to_string(),
            usage_count: record.usage_count,
            epoch: record.epoch,
            successes: record.successes,
            failures: record.failures,
            last_improved: record.last_improved,
            pinned: record.pinned,
            source: record.source.as_ref().map(|source| source.as_str().to_owned()),
            created_at: rfc3339(record.created_at),
            updated_at: rfc3339(record.updated_at),
        }
    }
}

/// `list`
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ListAnswer {
    /// The entries asked for.
    pub experiences: Vec<ListedAnswer>,
    /// How many there are without limit and offset.
    pub total: usize,
    /// The library's epoch.
    pub epoch: u64,
    /// The library's revision.
    pub revision: u64,
}

/// One entry of a list.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ListedAnswer {
    /// The entry.
    #[serde(flatten)]
    pub experience: ExperienceAnswer,
    /// When and why it left, where it did.
    #[serde(flatten)]
    pub left: Option<LeftAnswer>,
}

/// When and why an entry left.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct LeftAnswer {
    /// When.
    pub archived_at: String,
    /// Why, where that was said.
    pub reason: Option<String>,
    /// By which call.
    pub kind: RevisionKind,
    /// In which revision.
    pub revision: u64,
}

impl From<&Archived> for LeftAnswer {
    fn from(left: &Archived) -> Self {
        let reason = left.reason.as_ref().map(|reason| reason.as_str().to_owned());
        Self { archived_at: rfc3339(left.at), reason, kind: left.kind, revision: left.revision }
    }
}

impl From<Listing> for ListAnswer {
    fn from(listing: Listing) -> Self {
        let Listing { experiences, total, epoch, revision } = listing;
        let listed = |entry: &Experience| ListedAnswer { experience: entry.into(), left: None };
        Self { experiences: experiences.iter().map(listed).collect(), total, epoch, revision }
    }
}

impl From<Archive> for ListAnswer {
    fn from(archive: Archive) -> Self {
        let Archive { archived, total, epoch, revision } = archive;
        let listed = |left: &Archived| ListedAnswer { experience: (&left.record).into(), left: Some(left.into()) };
        Self { experiences: archived.iter().map(listed).collect(), total, epoch, revision }
    }
}

/// `show`
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ShowAnswer {
    /// The entry.
    #[serde(flatten)]
    pub experience: ExperienceAnswer,
    /// Whether it has left the library.
    pub archived: bool,
    /// When and why, where it has.
    #[serde(flatten)]
    pub left: Option<LeftAnswer>,
    /// The revisions that changed it, the newest first, with what they did to it alone.
    pub history: Vec<RevisionAnswer>,
}

impl From<Shown> for ShowAnswer {
    fn from(shown: Shown) -> Self {
        let Shown { record, archived, history } = shown;
        Self {
            experience: (&record).into(),
            archived: archived.is_some(),
            left: archived.as_ref().map(LeftAnswer::from),
            history: history.into_iter().map(RevisionAnswer::from).collect(),
        }
    }
}

/// `export`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ExportAnswer {
    /// How many entries were written.
    pub exported: usize,
}

/// `import`
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ImportAnswer {
    /// The format that was read.
    pub format: &'static str,
    /// How many lessons came in.
    pub imported: usize,
    /// Lessons that the library, or an earlier line, says already.
    pub equal: Vec<EqualLine>,
    /// Lines that could not be taken.
    pub refused: Vec<Refused>,
    /// Lessons that were cut to the length that is allowed.
    pub shortened: Vec<EqualLine>,
    /// What of the source has no place in a lesson.
    pub unmapped: Vec<Unmapped>,
    /// Who left to make room.
    pub evicted: Vec<Evicted>,
    /// Entries afterwards.
    pub size: usize,
    /// The library's revision; of a dry run the present one.
    pub revision: u64,
    /// Whether nothing was really changed.
    pub dry_run: bool,
}

/// `reembed`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ReembedAnswer {
    /// Entries whose vectors were made anew.
    pub entries: usize,
    /// Of these, those whose vectors differ from what stood.
    pub changed: usize,
    /// The library's revision.
    pub revision: u64,
}

impl From<ReembedReport> for ReembedAnswer {
    fn from(report: ReembedReport) -> Self {
        let ReembedReport { entries, changed, revision } = report;
        Self { entries, changed, revision }
    }
}

/// `sessions`
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SessionsAnswer {
    /// The newest first.
    pub sessions: Vec<SessionLine>,
}

/// One session.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SessionLine {
    /// Its id.
    pub session: String,
    /// Open, ended or expired.
    pub state: SessionState,
    /// The group it is compared within.
    pub group: Option<String>,
    /// The caller's own reference.
    #[serde(rename = "ref")]
    pub reference: Option<String>,
    /// Its session index.
    pub epoch: u64,
    /// When it began.
    pub begun_at: String,
    /// When it ended.
    pub ended_at: Option<String>,
    /// How.
    pub verdict: Option<Verdict>,
    /// With which reward.
    pub reward: Option<f64>,
    /// What was handed out.
    pub labels: Vec<SessionLabel>,
}

/// One label of a session.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SessionLabel {
    /// `G0`, `G1`, …
    pub label: String,
    /// The entry.
    pub id: u64,
}

impl SessionLine {
    /// A session as it stands at `now`.
    pub(crate) fn of(session: &Session, now: Timestamp) -> Self {
        let end = session.end.as_ref();
        let labels = session.receipt.iter().enumerate();
        Self {
            session: session.id.0.clone(),
            state: session.state(now),
            group: session.group.as_ref().map(|group| group.as_str().to_owned()),
            reference: session.reference.as_ref().map(|reference| reference.as_str().to_owned()),
            epoch: session.epoch,
            begun_at: rfc3339(session.begun_at),
            ended_at: end.map(|end| rfc3339(end.at)),
            verdict: end.map(|end| end.report.verdict),
            reward: end.and_then(|end| end.report.reward),
            labels: labels
                .map(|(number, receipt)| SessionLabel { label: guidelines::label(number), id: receipt.id })
                .collect(),
        }
    }
}

/// `compress`
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CompressAnswer {
    /// The strategy that decided.
    pub strategy: Strategy,
    /// How many entries stay.
    pub kept: usize,
    /// Who left, in the order of leaving.
    pub evicted: Vec<Evicted>,
    /// Entries afterwards.
    pub size: usize,
    /// The library's revision.
    pub revision: u64,
    /// Whether nothing was really changed.
    pub dry_run: bool,
}

impl From<CompressReport> for CompressAnswer {
    fn from(report: CompressReport) -> Self {
        let CompressReport { strategy, evicted, size, revision, dry_run } = report;
        Self { strategy, kept: size, evicted, size, revision, dry_run }
    }
}

/// `settings`
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SettingsAnswer {
    /// All of them.
    pub settings: Settings,
    /// Who left for a lower capacity.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub evicted: Vec<Evicted>,
    /// The library's revision.
    pub revision: u64,
}

/// `embed`
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EmbedAnswer {
    /// 384 numbers, each the exact value of the encoder's single as a double.
    pub embedding: Vec<f64>,
    /// Tokens read by the model.
    pub tokens: usize,
    /// Whether the text was longer than that.
    pub truncated: bool,
}

/// `embed --lines`: the plurals, a row a line.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EmbedLinesAnswer {
    /// 384 numbers each.
    pub embeddings: Vec<Vec<f64>>,
    /// Tokens read by the model.
    pub tokens: Vec<usize>,
    /// Whether the text was longer than that.
    pub truncated: Vec<bool>,
}

impl From<Vec<EmbedAnswer>> for EmbedLinesAnswer {
    fn from(rows: Vec<EmbedAnswer>) -> Self {
        let mut answer = Self { embeddings: Vec::new(), tokens: Vec::new(), truncated: Vec::new() };
        for row in rows {
            answer.embeddings.push(row.embedding);
            answer.tokens.push(row.tokens);
            answer.truncated.push(row.truncated);
        }
        answer
    }
}

/// `model`
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct ModelAnswer {
    /// The folder that holds the two files.
    pub path: String,
    /// Where it was found, or where it came from.
    pub source: String,
    /// Whether the hashes are those that are pinned.
    pub verified: bool,
}

/// RFC 3339 in UTC with milliseconds. A moment beyond what that can say is shown as the nearest that it can.
pub(super) fn rfc3339(moment: Timestamp) -> String {
    let nearest = if moment.0 < 0 { jiff::Timestamp::MIN } else { jiff::Timestamp::MAX };
    let moment = jiff::Timestamp::from_millisecond(moment.0).unwrap_or(nearest);
    DateTimePrinter::new().precision(Some(3)).timestamp_to_string(&moment)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_in_utc_with_milliseconds() {
        assert_eq!(rfc3339(Timestamp(1_796_133_600_000)), "2026-12-01T14:00:00.000Z");
        assert_eq!(rfc3339(Timestamp(7)), "1970-01-01T00:00:00.007Z");
        assert_eq!(rfc3339(Timestamp(i64::MAX)), "9999-12-30T22:00:00.999Z");
    }
}
