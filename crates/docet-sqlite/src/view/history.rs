//! Revisions, and the versions of entries that they are made of. A version is written once, as what an entry became;
//! what it was is the version before.

use std::collections::BTreeSet;

use docet_core::experience::ExperienceId;
use docet_core::history::{Archived, Change, Record, Revision, RevisionQuery};
use docet_core::text::FreeText;
use rusqlite::{Row, params};

use super::{View, all, json, one};
use crate::failure::Result;
use crate::rows::{self, Version};

impl View<'_> {
    pub(super) fn read_revision(&self, number: u64) -> Result<Option<Revision>> {
        let Ok(number) = i64::try_from(number) else { return Ok(None) };
        let sql = format!("SELECT {} FROM revisions WHERE library = ?1 AND revision = ?2", rows::REVISION);
        one(self.connection, &sql, params![self.library, number], |row| self.read_whole_revision(row))
    }

    pub(super) fn read_revisions(&self, query: &RevisionQuery) -> Result<Vec<Revision>> {
        // Each of these three goes down an index from its end. SQLite would go through all revisions for an actor's.
        let (table, and_id) = match (query.id, &query.actor) {
            (Some(_), _) => ("versions CROSS JOIN revisions USING (library, revision)", "AND id = ?3"),
            (None, Some(_)) => ("revisions INDEXED BY revisions_by_actor", ""),
            (None, None) => ("revisions", ""),
        };
        let and_actor = if query.actor.is_some() { "AND actor = ?4" } else { "" };
        let sql = format!(
            "SELECT {} FROM {table} WHERE library = ?1 AND revision > ?2 {and_id} {and_actor} \
             ORDER BY revision DESC LIMIT ?5",
            rows::REVISION
        );
        let params = params![
            self.library,
            rows::at_most(query.after),
            query.id.map(rows::at_most),
            query.actor.as_ref().map(FreeText::as_str),
            rows::limit(query.limit),
        ];
        all(self.connection, &sql, params, |row| self.read_whole_revision(row))
    }

    fn read_whole_revision(&self, row: &Row<'_>) -> Result<Revision> {
        let mut revision = rows::revision(row, self.library)?;
        let sql = format!("SELECT {} FROM versions WHERE library = ?1 AND revision = ?2 ORDER BY id", rows::VERSION);
        let params = params![self.library, rows::at_most(revision.number)];
        revision.changes = all(self.connection, &sql, params, |row| {
            let after = rows::version(row, self.library)?;
            let before = self.version_before(&after)?.and_then(|version| version.record);
            Ok(Change { id: after.id, before, after: after.record })
        })?;
        Ok(revision)
    }

    fn version_before(&self, version: &Version) -> Result<Option<Version>> {
        let sql = format!(
            "SELECT {} FROM versions WHERE library = ?1 AND id = ?2 AND revision < ?3 ORDER BY revision DESC LIMIT 1",
            rows::VERSION
        );
        let params = params![self.library, rows::at_most(version.id), rows::at_most(version.revision)];
        one(self.connection, &sql, params, |row| rows::version(row, self.library))
    }

    /// A version without a revision is no change: it was there before there was a history.
    pub(super) fn read_changed_after(&self, number: u64, id: ExperienceId) -> Result<Vec<u64>> {
        let sql = "SELECT revision FROM versions CROSS JOIN revisions USING (library, revision) \
                   WHERE library = ?1 AND id = ?2 AND revision > ?3 ORDER BY revision";
        let params = params![self.library, rows::at_most(id), rows::at_most(number)];
        all(self.connection, sql, params, rows::number)
    }

    pub(super) fn read_archived(&self, id: Option<ExperienceId>) -> Result<Vec<Archived>> {
        let and_id = if id.is_some() { "AND versions.id = ?2" } else { "AND ?2 IS NULL" };
        let sql = format!(
            "SELECT id, revision, at, reason, kind FROM versions CROSS JOIN revisions USING (library, revision) \
             WHERE library = ?1 AND gone = 1 {and_id} AND NOT EXISTS (SELECT 1 FROM versions AS later \
                 WHERE later.library = ?1 AND later.id = versions.id AND later.revision > versions.revision) \
             ORDER BY id"
        );
        let params = params![self.library, id.map(rows::at_most)];
        let archived = all(self.connection, &sql, params, |row| {
            let left = rows::left(row, self.library)?;
            let record = self.version_before(&Version { id: left.id, revision: left.revision, record: None })?;
            Ok(record.and_then(|version| version.record).map(|record| left.archived(record)))
        })?;
        Ok(archived.into_iter().flatten().collect())
    }

    pub(super) fn read_recorded_texts(&self) -> Result<BTreeSet<String>> {
        let sql = "SELECT DISTINCT text FROM versions WHERE library = ?1 AND text IS NOT NULL";
        Ok(all(self.connection, sql, [self.library], |row| Ok(row.get(0)?))?.into_iter().collect())
    }

    pub(super) fn write_revision(&self, revision: &Revision) -> Result<()> {
        let sql = "INSERT INTO revisions (library, revision, at, actor, reason, kind, settings, reward) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)";
        let params = params![
            self.library,
            rows::to_sql(revision.number)?,
            revision.at.0,
            revision.actor.as_str(),
            revision.reason.as_ref().map(FreeText::as_str),
            revision.kind.name(),
            revision.settings.as_ref().map(json).transpose()?,
            revision.reward.as_ref().map(json).transpose()?,
        ];
        self.execute(sql, params)
    }

    pub(super) fn write_version(&self, revision: u64, change: &Change) -> Result<()> {
        let sql = "INSERT INTO versions (library, id, revision, gone, text, domain, confidence, usage_count, epoch, \
                   successes, failures, last_improved, pinned, source, created_at, updated_at) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16)";
        let record = change.after.as_ref();
        let number = |field: fn(&Record) -> u64| record.map(field).map(rows::to_sql).transpose();
        let last_improved = record.and_then(|record| record.last_improved).map(rows::to_sql).transpose()?;
        let params = params![
            self.library,
            rows::to_sql(change.id)?,
            rows::to_sql(revision)?,
            record.is_none(),
            record.and_then(|record| record.text.as_ref()).map(|text| text.as_str()),
            record.map(|record| record.domain.as_str()),
            record.map(|record| record.confidence.get()),
            number(|record| record.usage_count)?,
            number(|record| record.epoch)?,
            number(|record| record.successes)?,
            number(|record| record.failures)?,
            last_improved,
            record.map(|record| record.pinned),
            record.and_then(|record| record.source.as_ref()).map(FreeText::as_str),
            record.map(|record| record.created_at.0),
            record.map(|record| record.updated_at.0),
        ];
        self.execute(sql, params)
    }

    pub(super) fn erase_versions(&self, kept: &BTreeSet<String>) -> Result<()> {
        let sql = "SELECT rowid, text FROM versions WHERE library = ?1 AND text IS NOT NULL";
        let texts = all(self.connection, sql, [self.library], |row| Ok((row.get::<_, i64>(0)?, row.get(1)?)))?;
        let erased = texts.into_iter().filter(|(_, text): &(i64, String)| !kept.contains(text));
        let sql = "UPDATE versions SET text = NULL, source = NULL WHERE rowid = ?1";
        erased.into_iter().try_for_each(|(row, _)| self.execute(sql, [row]))
    }
}
