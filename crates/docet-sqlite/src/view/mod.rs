//! [`View`]: one library within one SQLite transaction. Every statement that reads or writes a row of one library
//! stands in this folder.

mod answers;
mod entries;
mod history;
mod libraries;
mod sessions;

use std::collections::BTreeSet;
use std::path::Path;
use std::result;

use docet_core::answers::Remembered;
use docet_core::experience::{Experience, ExperienceId, Timestamp};
use docet_core::history::{Archived, Revision, RevisionQuery, Reward};
use docet_core::library::{Library, LibraryName};
use docet_core::ports::{Snapshot, StoreError, Traces, Transaction};
use docet_core::session::{Session, SessionId};
use docet_core::text::FreeText;
use rusqlite::{Connection, Params, Row};

use crate::failure::{Failure, Result};

pub(crate) use libraries::{Counts, count, libraries, library_of, orphans};

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

    fn execute(&self, sql: &str, params: impl Params) -> Result<()> {
        self.connection.prepare_cached(sql)?.execute(params)?;
        Ok(())
    }

    /// The first column of the first row, where there is one and it is not NULL.
    fn number(&self, sql: &str, params: impl Params) -> Result<Option<u64>> {
        let found = one(self.connection, sql, params, |row| Ok(row.get::<_, Option<i64>>(0)?))?.flatten();
        Ok(found.and_then(|number| u64::try_from(number).ok()))
    }
}

/// Every row of a query.
pub(crate) fn all<T>(
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
pub(crate) fn one<T>(
    connection: &Connection,
    sql: &str,
    params: impl Params,
    read: impl FnOnce(&Row<'_>) -> Result<T>,
) -> Result<Option<T>> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params)?;
    rows.next()?.map(read).transpose()
}

fn json(value: &impl serde::Serialize) -> Result<String> {
    serde_json::to_string(value).map_err(|error| Failure::Value(error.to_string()))
}

type Answer<T> = result::Result<T, StoreError>;

impl Snapshot for View<'_> {
    fn library(&self) -> Answer<Option<Library>> {
        self.read_library().map_err(self.failed())
    }

    fn traces(&self) -> Answer<Traces> {
        self.read_traces().map_err(self.failed())
    }

    fn size(&self) -> Answer<usize> {
        self.count_experiences().map_err(self.failed())
    }

    fn experiences(&self) -> Answer<Vec<Experience>> {
        self.read_experiences().map_err(self.failed())
    }

    fn experience(&self, id: ExperienceId) -> Answer<Option<Experience>> {
        self.read_experience(id).map_err(self.failed())
    }

    fn session(&self, id: &SessionId) -> Answer<Option<Session>> {
        self.find_session(id).map_err(self.failed())
    }

    fn sessions(&self, open_at: Option<Timestamp>, limit: usize) -> Answer<Vec<Session>> {
        self.read_sessions(open_at, limit).map_err(self.failed())
    }

    fn rewards(&self, group: Option<&FreeText>, window: usize) -> Answer<Vec<f64>> {
        self.read_rewards(group, window).map_err(self.failed())
    }

    fn revisions(&self, query: &RevisionQuery) -> Answer<Vec<Revision>> {
        self.read_revisions(query).map_err(self.failed())
    }

    fn revision(&self, number: u64) -> Answer<Option<Revision>> {
        self.read_revision(number).map_err(self.failed())
    }

    fn changed_after(&self, number: u64, id: ExperienceId) -> Answer<Vec<u64>> {
        self.read_changed_after(number, id).map_err(self.failed())
    }

    fn archived(&self, id: Option<ExperienceId>) -> Answer<Vec<Archived>> {
        self.read_archived(id).map_err(self.failed())
    }

    fn recorded_texts(&self) -> Answer<BTreeSet<String>> {
        self.read_recorded_texts().map_err(self.failed())
    }

    fn remembered(&self, key: &str) -> Answer<Option<Remembered>> {
        self.read_remembered(key).map_err(self.failed())
    }

    fn all_remembered(&self) -> Answer<Vec<Remembered>> {
        self.read_all_remembered().map_err(self.failed())
    }
}

impl Transaction for View<'_> {
    fn put_library(&mut self, library: &Library) -> Answer<()> {
        self.write_library(library).map_err(self.failed())
    }

    fn put_experience(&mut self, experience: &Experience) -> Answer<()> {
        self.write_experience(experience).map_err(self.failed())
    }

    fn remove_experience(&mut self, id: ExperienceId) -> Answer<()> {
        self.delete_experience(id).map_err(self.failed())
    }

    fn put_session(&mut self, session: &Session) -> Answer<()> {
        self.write_session(session).and_then(|()| self.write_receipt(session)).map_err(self.failed())
    }

    fn forget_sessions(&mut self, moment: Timestamp, rewards: usize) -> Answer<()> {
        self.delete_sessions(moment)
            .and_then(|groups| groups.iter().try_for_each(|group| self.trim_rewards(group.as_deref(), rewards)))
            .map_err(self.failed())
    }

    fn put_reward(&mut self, reward: &Reward) -> Answer<()> {
        self.write_reward(reward).map_err(self.failed())
    }

    fn remove_reward(&mut self, session_epoch: u64) -> Answer<()> {
        self.delete_reward(session_epoch).map_err(self.failed())
    }

    fn put_revision(&mut self, revision: &Revision) -> Answer<()> {
        self.write_revision(revision)
            .and_then(|()| revision.changes.iter().try_for_each(|change| self.write_version(revision.number, change)))
            .map_err(self.failed())
    }

    fn erase_records(&mut self, kept: &BTreeSet<String>) -> Answer<()> {
        self.erase_versions(kept).map_err(self.failed())
    }

    fn remember(&mut self, remembered: &Remembered) -> Answer<()> {
        self.write_answer(remembered).map_err(self.failed())
    }

    fn forget_answers(&mut self, moment: Timestamp) -> Answer<()> {
        self.delete_answers(moment).map_err(self.failed())
    }
}
