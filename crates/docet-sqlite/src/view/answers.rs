//! Answers that idempotency keys make remembered.

use docet_core::answers::Remembered;
use docet_core::experience::Timestamp;
use rusqlite::params;

use super::{View, all, json, one};
use crate::failure::Result;
use crate::rows;

impl View<'_> {
    pub(super) fn read_remembered(&self, key: &str) -> Result<Option<Remembered>> {
        let sql = format!("SELECT {} FROM answers WHERE library = ?1 AND key = ?2", rows::REMEMBERED);
        one(self.connection, &sql, params![self.library, key], |row| rows::remembered(row, self.library))
    }

    pub(super) fn read_all_remembered(&self) -> Result<Vec<Remembered>> {
        let sql = format!("SELECT {} FROM answers WHERE library = ?1 ORDER BY key", rows::REMEMBERED);
        all(self.connection, &sql, [self.library], |row| rows::remembered(row, self.library))
    }

    pub(super) fn write_answer(&self, remembered: &Remembered) -> Result<()> {
        let sql = "INSERT OR REPLACE INTO answers (library, key, content, at, answer) VALUES (?1, ?2, ?3, ?4, ?5)";
        let (key, answer) = (&remembered.key, json(&remembered.answer)?);
        self.execute(sql, params![self.library, key.key, key.content, remembered.at.0, answer])
    }

    pub(super) fn delete_answers(&self, moment: Timestamp) -> Result<()> {
        self.execute("DELETE FROM answers WHERE library = ?1 AND at < ?2", params![self.library, moment.0])
    }
}
