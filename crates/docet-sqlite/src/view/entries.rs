//! Entries.

use docet_core::experience::{Experience, ExperienceId};
use docet_core::text::FreeText;
use rusqlite::params;

use super::{View, all, one};
use crate::failure::Result;
use crate::rows;

impl View<'_> {
    pub(super) fn count_experiences(&self) -> Result<usize> {
        let count = self.number("SELECT count(*) FROM experiences WHERE library = ?1", [self.library])?;
        Ok(count.and_then(|count| usize::try_from(count).ok()).unwrap_or(0))
    }

    pub(super) fn read_experiences(&self) -> Result<Vec<Experience>> {
        let sql = format!("SELECT {} FROM experiences WHERE library = ?1 ORDER BY id", rows::EXPERIENCE);
        all(self.connection, &sql, [self.library], |row| rows::experience(row, self.library))
    }

    pub(super) fn read_experience(&self, id: ExperienceId) -> Result<Option<Experience>> {
        // No entry has an id that SQLite could not keep.
        let Ok(id) = i64::try_from(id) else { return Ok(None) };
        let sql = format!("SELECT {} FROM experiences WHERE library = ?1 AND id = ?2", rows::EXPERIENCE);
        one(self.connection, &sql, params![self.library, id], |row| rows::experience(row, self.library))
    }

    pub(super) fn write_experience(&self, experience: &Experience) -> Result<()> {
        let sql = "INSERT INTO experiences (library, id, text, domain, confidence, usage_count, epoch, successes, \
                   failures, last_improved, pinned, source, created_at, updated_at, vector) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15) \
                   ON CONFLICT (library, id) DO UPDATE SET text = ?3, domain = ?4, confidence = ?5, usage_count = ?6, \
                   epoch = ?7, successes = ?8, failures = ?9, last_improved = ?10, pinned = ?11, source = ?12, \
                   created_at = ?13, updated_at = ?14, vector = ?15";
        let params = params![
            self.library,
            rows::to_sql(experience.id)?,
            experience.text.as_str(),
            experience.domain.as_str(),
            experience.confidence.get(),
            rows::to_sql(experience.usage_count)?,
            rows::to_sql(experience.epoch)?,
            rows::to_sql(experience.successes)?,
            rows::to_sql(experience.failures)?,
            experience.last_improved.map(rows::to_sql).transpose()?,
            experience.pinned,
            experience.source.as_ref().map(FreeText::as_str),
            experience.created_at.0,
            experience.updated_at.0,
            rows::vector_to_sql(&experience.embedding),
        ];
        self.execute(sql, params)
    }

    pub(super) fn delete_experience(&self, id: ExperienceId) -> Result<()> {
        let Ok(id) = i64::try_from(id) else { return Ok(()) };
        self.execute("DELETE FROM experiences WHERE library = ?1 AND id = ?2", params![self.library, id])
    }
}
