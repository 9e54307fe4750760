//! Rows of the history and of remembered answers.

use docet_core::answers::{IdempotencyKey, Remembered};
use docet_core::confidence::Confidence;
use docet_core::experience::{Domain, ExperienceId, Timestamp};
use docet_core::history::{Archived, Record, Revision, RevisionKind};
use docet_core::text::{ExperienceText, FreeText};
use rusqlite::Row;

use super::Named;
use crate::failure::Result;

/// Columns of [`revision`].
pub(crate) const REVISION: &str = "revision, at, actor, reason, kind, settings, reward";

/// A revision whose changes are still to be read.
pub(crate) fn revision(row: &Row<'_>, library: &str) -> Result<Revision> {
    let number: i64 = row.get(0)?;
    let row = Named { row, what: format_args!("revision {number} of library {library}") };
    Ok(Revision {
        number: row.whole(0)?,
        at: row.moment(1)?,
        actor: row.checked(2, FreeText::parse("actor", row.text(2)?))?,
        reason: row.free_text(3)?,
        kind: kind(&row, 4)?,
        changes: Vec::new(),
        settings: row.optional_json(5)?,
        reward: row.optional_json(6)?,
    })
}

fn kind<W: std::fmt::Display>(row: &Named<'_, '_, W>, column: usize) -> Result<RevisionKind> {
    let name = row.text(column)?;
    RevisionKind::named(name).ok_or_else(|| row.damage(column, format_args!("\"{name}\" is no kind of revision")))
}

/// What an entry became in a revision; no record where it left.
pub(crate) struct Version {
    pub(crate) id: ExperienceId,
    pub(crate) revision: u64,
    pub(crate) record: Option<Record>,
}

/// Columns of [`version`].
pub(crate) const VERSION: &str = "id, revision, gone, text, domain, confidence, usage_count, epoch, successes, \
                                  failures, last_improved, pinned, source, created_at, updated_at";

pub(crate) fn version(row: &Row<'_>, library: &str) -> Result<Version> {
    let (id, revision): (i64, i64) = (row.get(0)?, row.get(1)?);
    let row = Named { row, what: format_args!("revision {revision} of entry {id} of library {library}") };
    let (id, revision) = (row.whole(0)?, row.whole(1)?);
    if row.get(2)? {
        return Ok(Version { id, revision, record: None });
    }
    let text = match row.optional_text(3)? {
        Some(_) => Some(row.verbatim(3, ExperienceText::parse, ExperienceText::as_str)?),
        None => None,
    };
    let record = Record {
        id,
        text,
        domain: row.verbatim(4, Domain::parse, Domain::as_str)?,
        confidence: row.checked(5, Confidence::parse(row.get(5)?))?,
        usage_count: row.whole(6)?,
        epoch: row.whole(7)?,
        successes: row.whole(8)?,
        failures: row.whole(9)?,
        last_improved: row.optional_whole(10)?,
        pinned: row.get(11)?,
        source: row.free_text(12)?,
        created_at: row.moment(13)?,
        updated_at: row.moment(14)?,
    };
    Ok(Version { id, revision, record: Some(record) })
}

/// The revision in which an entry left.
pub(crate) struct Left {
    pub(crate) id: ExperienceId,
    pub(crate) revision: u64,
    at: Timestamp,
    reason: Option<FreeText>,
    kind: RevisionKind,
}

impl Left {
    /// The archive's line, given what the entry was.
    pub(crate) fn archived(self, record: Record) -> Archived {
        Archived { record, revision: self.revision, at: self.at, reason: self.reason, kind: self.kind }
    }
}

/// Reads the columns `id, revision, at, reason, kind`.
pub(crate) fn left(row: &Row<'_>, library: &str) -> Result<Left> {
    let (id, number): (i64, i64) = (row.get(0)?, row.get(1)?);
    let row = Named { row, what: format_args!("revision {number} of entry {id} of library {library}") };
    Ok(Left {
        id: row.whole(0)?,
        revision: row.whole(1)?,
        at: row.moment(2)?,
        reason: row.free_text(3)?,
        kind: kind(&row, 4)?,
    })
}

/// Columns of [`remembered`].
pub(crate) const REMEMBERED: &str = "key, content, at, answer";

pub(crate) fn remembered(row: &Row<'_>, library: &str) -> Result<Remembered> {
    let key: String = row.get(0)?;
    let row = Named { row, what: format_args!("the answer kept under key {key} of library {library}") };
    let (content, at, answer) = (row.text(1)?.to_owned(), row.moment(2)?, row.json(3)?);
    Ok(Remembered { key: IdempotencyKey { key: key.clone(), content }, at, answer })
}
