//! Sessions with their receipts, and the rewards that outlive them.

use std::collections::BTreeSet;

use docet_core::experience::Timestamp;
use docet_core::history::Reward;
use docet_core::session::{Session, SessionId};
use docet_core::text::FreeText;
use rusqlite::{Row, params};

use super::{View, all, json, one};
use crate::failure::{Failure, Result};
use crate::rows;

impl View<'_> {
    pub(super) fn find_session(&self, id: &SessionId) -> Result<Option<Session>> {
        let sql = format!("SELECT {} FROM sessions WHERE library = ?1 AND session = ?2", rows::SESSION);
        one(self.connection, &sql, params![self.library, id.0], |row| self.read_session(row))
    }

    pub(super) fn read_sessions(&self, open_at: Option<Timestamp>, limit: usize) -> Result<Vec<Session>> {
        let limit = rows::limit(limit);
        let read = |row: &Row<'_>| self.read_session(row);
        let columns = rows::SESSION;
        match open_at {
            None => {
                let sql = format!("SELECT {columns} FROM sessions WHERE library = ?1 ORDER BY epoch DESC LIMIT ?2");
                all(self.connection, &sql, params![self.library, limit], read)
            }
            Some(moment) => {
                let sql = format!(
                    "SELECT {columns} FROM sessions WHERE library = ?1 AND ended_at IS NULL AND expires_at > ?2 \
                     ORDER BY epoch DESC LIMIT ?3"
                );
                all(self.connection, &sql, params![self.library, moment.0, limit], read)
            }
        }
    }

    pub(crate) fn read_session(&self, row: &Row<'_>) -> Result<Session> {
        let mut session = rows::session(row, self.library)?;
        let sql = "SELECT label, id, text FROM receipts WHERE library = ?1 AND session_epoch = ?2 ORDER BY label";
        let mut labels = 0..;
        let params = params![self.library, rows::to_sql(session.epoch)?];
        session.receipt = all(self.connection, sql, params, |row| {
            rows::receipt(row, &session.id, labels.next().unwrap_or(u64::MAX))
        })?;
        Ok(session)
    }

    /// A session keeps its library and its epoch, by which its receipt is found.
    pub(super) fn write_session(&self, session: &Session) -> Result<()> {
        let sql = "INSERT INTO sessions (library, epoch, session, session_group, reference, begun_at, expires_at, \
                   ended_at, report, operations) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10) \
                   ON CONFLICT (session) DO UPDATE SET session_group = ?4, reference = ?5, begun_at = ?6, \
                   expires_at = ?7, ended_at = ?8, report = ?9, operations = ?10 WHERE library = ?1 AND epoch = ?2";
        let end = session.end.as_ref();
        let params = params![
            self.library,
            rows::to_sql(session.epoch)?,
            session.id.0,
            session.group.as_ref().map(FreeText::as_str),
            session.reference.as_ref().map(FreeText::as_str),
            session.begun_at.0,
            session.expires_at.0,
            end.map(|end| end.at.0),
            end.map(|end| json(&end.report)).transpose()?,
            end.map(|end| json(&end.operations)).transpose()?,
        ];
        match self.connection.prepare_cached(sql)?.execute(params)? {
            0 => Err(Failure::Value(format!("session {} is another library's, or of another epoch", session.id))),
            _ => Ok(()),
        }
    }

    pub(super) fn write_receipt(&self, session: &Session) -> Result<()> {
        let epoch = rows::to_sql(session.epoch)?;
        let sql = "DELETE FROM receipts WHERE library = ?1 AND session_epoch = ?2";
        self.execute(sql, params![self.library, epoch])?;
        let sql = "INSERT INTO receipts (library, session_epoch, label, id, text) VALUES (?1, ?2, ?3, ?4, ?5)";
        for (label, receipt) in (0_i64..).zip(&session.receipt) {
            self.execute(sql, params![self.library, epoch, label, rows::to_sql(receipt.id)?, receipt.text])?;
        }
        Ok(())
    }

    /// Deletes what ended or expired before `moment`, receipts with it, and says whose groups those were.
    pub(super) fn delete_sessions(&self, moment: Timestamp) -> Result<BTreeSet<Option<String>>> {
        let sql = "DELETE FROM sessions WHERE library = ?1 AND coalesce(ended_at, expires_at) < ?2 \
                   RETURNING session_group";
        let groups = all(self.connection, sql, params![self.library, moment.0], |row| Ok(row.get(0)?))?;
        Ok(groups.into_iter().collect())
    }

    pub(super) fn read_rewards(&self, group: Option<&FreeText>, window: usize) -> Result<Vec<f64>> {
        let sql = "SELECT reward FROM rewards WHERE library = ?1 AND session_group IS ?2 \
                   ORDER BY revision DESC, session_epoch DESC LIMIT ?3";
        let params = params![self.library, group.map(FreeText::as_str), rows::limit(window)];
        all(self.connection, sql, params, |row| Ok(row.get(0)?))
    }

    pub(super) fn write_reward(&self, reward: &Reward) -> Result<()> {
        let sql = "INSERT OR REPLACE INTO rewards (library, session_epoch, session_group, revision, reward) \
                   VALUES (?1, ?2, ?3, ?4, ?5)";
        let epoch = rows::to_sql(reward.session_epoch)?;
        let group = reward.group.as_ref().map(FreeText::as_str);
        self.execute(sql, params![self.library, epoch, group, rows::to_sql(reward.revision)?, reward.reward])
    }

    pub(super) fn delete_reward(&self, session_epoch: u64) -> Result<()> {
        let Ok(epoch) = i64::try_from(session_epoch) else { return Ok(()) };
        self.execute("DELETE FROM rewards WHERE library = ?1 AND session_epoch = ?2", params![self.library, epoch])
    }

    /// Keeps the `rewards` latest of a group.
    pub(super) fn trim_rewards(&self, group: Option<&str>, rewards: usize) -> Result<()> {
        let sql = "DELETE FROM rewards WHERE library = ?1 AND session_group IS ?2 \
                   AND (revision, session_epoch) <= (SELECT revision, session_epoch FROM rewards \
                       WHERE library = ?1 AND session_group IS ?2 \
                       ORDER BY revision DESC, session_epoch DESC LIMIT 1 OFFSET ?3)";
        self.execute(sql, params![self.library, group, rows::limit(rewards)])
    }
}
