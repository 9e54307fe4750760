//! [`View`]: one library within one SQLite transaction. Every statement that reads or writes a row stands here.

use std::collections::BTreeSet;
use std::path::Path;

use docet_core::experience::{Experience, ExperienceId, Timestamp};
use docet_core::library::{Library, LibraryName, LibrarySummary};
use docet_core::ports::{Snapshot, StoreError, Transaction};
use docet_core::session::{Session, SessionId};
use docet_core::text::FreeText;
use rusqlite::{Connection, Params, Row, params};

use crate::failure::{Failure, Result};
use crate::rows;

/// One library, as the transaction that `connection` is in sees it.
pub(crate) struct View<'a> {
    connection: &'a Connection,
    library: &'a str,
    file: &'a Path,
}

impl<'a> View<'a> {
    pub(crate) fn new(connection: &'a Connection, library: &'a LibraryName, file: &'a Path) -> Self {
        Self { connection, library: library.as_str(), file }
    }

    fn failed(&self) -> impl Fn(Failure) -> StoreError {
        |failure| failure.at(self.file)
    }

    fn execute(&self, sql: &str, params: impl Params) -> Result<usize> {
        Ok(self.connection.prepare_cached(sql)?.execute(params)?)
    }
}

/// Every row of a query.
fn all<T>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    mut read: impl FnMut(&Row<'_>) -> Result<T>,
) -> Result<Vec<T>> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    let mut found = Vec::new();
    while let Some(row) = rows.next()? {
        found.push(read(row)?);
    }
    Ok(found)
}

/// The only row of a query, where there is one.
fn one<T>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    read: impl FnOnce(&Row<'_>) -> Result<T>,
) -> Result<Option<T>> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    rows.next()?.map(read).transpose()
}

pub(crate) fn libraries(connection: &Connection) -> Result<Vec<LibrarySummary>> {
    let sql = "SELECT library, (SELECT count(*) FROM experiences WHERE experiences.library = libraries.library), \
               epoch, revision FROM libraries ORDER BY library";
    all(connection, sql, (), rows::summary)
}

pub(crate) fn library_of(connection: &Connection, session: &SessionId) -> Result<Option<LibraryName>> {
    one(connection, "SELECT library FROM sessions WHERE session = ?1", [&session.0], rows::library_name)
}

impl Snapshot for View<'_> {
    fn library(&self) -> std::result::Result<Option<Library>, StoreError> {
        let sql = format!("SELECT {} FROM libraries WHERE library = ?1", rows::LIBRARY);
        one(self.connection, &sql, [self.library], |row| rows::library(row, self.library)).map_err(self.failed())
    }

    fn experiences(&self) -> std::result::Result<Vec<Experience>, StoreError> {
        let sql = format!("SELECT {} FROM experiences WHERE library = ?1 ORDER BY id", rows::EXPERIENCE);
        all(self.connection, &sql, [self.library], |row| rows::experience(row, self.library)).map_err(self.failed())
    }

    fn experience(&self, id: ExperienceId) -> std::result::Result<Option<Experience>, StoreError> {
        // No entry has an id that SQLite could not keep.
        let Ok(id) = i64::try_from(id) else { return Ok(None) };
        let sql = format!("SELECT {} FROM experiences WHERE library = ?1 AND id = ?2", rows::EXPERIENCE);
        one(self.connection, &sql, params![self.library, id], |row| rows::experience(row, self.library))
            .map_err(self.failed())
    }

    fn session(&self, id: &SessionId) -> std::result::Result<Option<Session>, StoreError> {
        let sql = format!("SELECT {} FROM sessions WHERE library = ?1 AND session = ?2", rows::SESSION);
        one(self.connection, &sql, params![self.library, id.0], |row| self.read_session(row)).map_err(self.failed())
    }

    fn sessions(&self, open_at: Option<Timestamp>, limit: usize) -> std::result::Result<Vec<Session>, StoreError> {
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
        .map_err(self.failed())
    }

    fn rewards(&self, group: Option<&FreeText>, window: usize) -> std::result::Result<Vec<f64>, StoreError> {
        let sql = "SELECT reward FROM rewards WHERE library = ?1 AND session_group IS ?2 \
                   ORDER BY revision DESC, session_epoch DESC LIMIT ?3";
        let params = params![self.library, group.map(FreeText::as_str), rows::limit(window)];
        all(self.connection, sql, params, |row| Ok(row.get(0)?)).map_err(self.failed())
    }
}

impl Transaction for View<'_> {
    fn put_library(&mut self, library: &Library) -> std::result::Result<(), StoreError> {
        self.write_library(library).map_err(self.failed())
    }

    fn put_experience(&mut self, experience: &Experience) -> std::result::Result<(), StoreError> {
        self.write_experience(experience).map_err(self.failed())
    }

    fn remove_experience(&mut self, id: ExperienceId) -> std::result::Result<(), StoreError> {
        let Ok(id) = i64::try_from(id) else { return Ok(()) };
        let sql = "DELETE FROM experiences WHERE library = ?1 AND id = ?2";
        self.execute(sql, params![self.library, id]).map(|_| ()).map_err(self.failed())
    }

    fn put_session(&mut self, session: &Session) -> std::result::Result<(), StoreError> {
        self.write_session(session)
            .and_then(|()| self.write_receipt(session))
            .and_then(|()| self.write_reward(session))
            .map_err(self.failed())
    }

    fn forget_sessions(&mut self, moment: Timestamp, rewards: usize) -> std::result::Result<(), StoreError> {
        self.delete_sessions(moment)
            .and_then(|groups| groups.iter().try_for_each(|group| self.trim_rewards(group.as_deref(), rewards)))
            .map_err(self.failed())
    }
}

impl View<'_> {
    fn write_library(&self, library: &Library) -> Result<()> {
        let sql = "INSERT INTO libraries (library, settings, next_id, epoch, revision, encoder) \
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6) \
                   ON CONFLICT (library) DO UPDATE SET settings = ?2, next_id = ?3, epoch = ?4, revision = ?5, \
                   encoder = ?6";
        let params = params![
            self.library,
            json(&library.settings)?,
            rows::to_sql(library.next_id)?,
            rows::to_sql(library.epoch)?,
            rows::to_sql(library.revision)?,
            library.encoder.as_ref().map(|encoder| &encoder.0),
        ];
        self.execute(sql, params).map(|_| ())
    }

    fn write_experience(&self, experience: &Experience) -> Result<()> {
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
        self.execute(sql, params).map(|_| ())
    }

    fn read_session(&self, row: &Row<'_>) -> Result<Session> {
        let mut session = rows::session(row, self.library)?;
        let sql = "SELECT label, id, text FROM receipts WHERE library = ?1 AND session_epoch = ?2 ORDER BY label";
        let mut labels = 0..;
        let params = params![self.library, rows::to_sql(session.epoch)?];
        session.receipt = all(self.connection, sql, params, |row| {
            rows::receipt(row, &session.id, labels.next().unwrap_or(u64::MAX))
        })?;
        Ok(session)
    }

    /// A session keeps its library and its epoch, by which its receipt and its reward are found.
    fn write_session(&self, session: &Session) -> Result<()> {
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
        match self.execute(sql, params)? {
            0 => Err(Failure::Value(format!("session {} is another library's, or of another epoch", session.id))),
            _ => Ok(()),
        }
    }

    fn write_receipt(&self, session: &Session) -> Result<()> {
        let epoch = rows::to_sql(session.epoch)?;
        let sql = "DELETE FROM receipts WHERE library = ?1 AND session_epoch = ?2";
        self.execute(sql, params![self.library, epoch])?;
        let sql = "INSERT INTO receipts (library, session_epoch, label, id, text) VALUES (?1, ?2, ?3, ?4, ?5)";
        for (label, receipt) in (0_i64..).zip(&session.receipt) {
            self.execute(sql, params![self.library, epoch, label, rows::to_sql(receipt.id)?, receipt.text])?;
        }
        Ok(())
    }

    fn write_reward(&self, session: &Session) -> Result<()> {
        let epoch = rows::to_sql(session.epoch)?;
        self.execute("DELETE FROM rewards WHERE library = ?1 AND session_epoch = ?2", params![self.library, epoch])?;
        let report = session.end.as_ref().map(|end| &end.report);
        let Some((report, reward)) = report.and_then(|report| Some((report, report.reward?))) else { return Ok(()) };
        let sql = "INSERT INTO rewards (library, session_epoch, session_group, revision, reward) \
                   VALUES (?1, ?2, ?3, ?4, ?5)";
        let group = session.group.as_ref().map(FreeText::as_str);
        self.execute(sql, params![self.library, epoch, group, rows::to_sql(report.revision)?, reward]).map(|_| ())
    }

    /// Deletes what ended or expired before `moment`, receipts with it, and says whose groups those were.
    fn delete_sessions(&self, moment: Timestamp) -> Result<BTreeSet<Option<String>>> {
        let sql = "DELETE FROM sessions WHERE library = ?1 AND coalesce(ended_at, expires_at) < ?2 \
                   RETURNING session_group";
        let groups = all(self.connection, sql, params![self.library, moment.0], |row| Ok(row.get(0)?))?;
        Ok(groups.into_iter().collect())
    }

    /// Keeps the `rewards` latest of a group, and those whose session is still there.
    fn trim_rewards(&self, group: Option<&str>, rewards: usize) -> Result<()> {
        let sql = "DELETE FROM rewards WHERE library = ?1 AND session_group IS ?2 \
                   AND (revision, session_epoch) <= (SELECT revision, session_epoch FROM rewards \
                       WHERE library = ?1 AND session_group IS ?2 \
                       ORDER BY revision DESC, session_epoch DESC LIMIT 1 OFFSET ?3) \
                   AND NOT EXISTS (SELECT 1 FROM sessions \
                       WHERE sessions.library = ?1 AND sessions.epoch = rewards.session_epoch)";
        self.execute(sql, params![self.library, group, rows::limit(rewards)]).map(|_| ())
    }
}

fn json(value: &impl serde::Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Failure::Value(error.to_string()))
}
