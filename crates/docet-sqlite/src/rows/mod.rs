//! From rows to the core's types and back. What Docet never wrote so is named as damage, with its row.

mod history;

use std::fmt::Display;

use docet_core::confidence::Confidence;
use docet_core::embedding::{DIMENSION, Embedding};
use docet_core::error::Refusal;
use docet_core::experience::{Domain, Experience, Timestamp};
use docet_core::history::Reward;
use docet_core::library::{Library, LibraryName, LibrarySummary};
use docet_core::ports::EncoderId;
use docet_core::session::{Receipt, Session, SessionEnd, SessionId};
use docet_core::text::{ExperienceText, FreeText};
use rusqlite::Row;
use rusqlite::types::{FromSql, ValueRef};

use crate::failure::{Failure, Result};

pub(crate) use history::{REMEMBERED, REVISION, VERSION, Version, left, remembered, revision, version};

/// The bytes of a vector: 384 little-endian f32.
const VECTOR_BYTES: usize = DIMENSION * size_of::<f32>();

/// A whole number as SQLite keeps it.
pub(crate) fn to_sql(number: u64) -> Result<i64> {
    i64::try_from(number).map_err(|_| Failure::Value(format!("{number} is above {}", i64::MAX)))
}

/// A limit as SQLite keeps it; whatever is beyond is no limit.
pub(crate) fn limit(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// A whole number to compare with; SQLite's largest, which no row has, for what is beyond.
pub(crate) fn at_most(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// The bytes of a vector.
pub(crate) fn vector_to_sql(embedding: &Embedding) -> Vec<u8> {
    embedding.as_slice().iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// A row, with the words that name it where it is damaged.
struct Named<'a, 'b, W> {
    row: &'a Row<'b>,
    what: W,
}

impl<'a, W: Display> Named<'a, '_, W> {
    fn get<T: FromSql>(&self, column: usize) -> Result<T> {
        self.row.get(column).map_err(|error| self.damage(column, error))
    }

    fn text(&self, column: usize) -> Result<&'a str> {
        let value = self.row.get_ref(column)?;
        value.as_str().map_err(|error| self.damage(column, error))
    }

    fn optional_text(&self, column: usize) -> Result<Option<&'a str>> {
        match self.row.get_ref(column)? {
            ValueRef::Null => Ok(None),
            _ => self.text(column).map(Some),
        }
    }

    fn whole(&self, column: usize) -> Result<u64> {
        let number: i64 = self.get(column)?;
        u64::try_from(number).map_err(|error| self.damage(column, error))
    }

    fn optional_whole(&self, column: usize) -> Result<Option<u64>> {
        match self.row.get_ref(column)? {
            ValueRef::Null => Ok(None),
            _ => self.whole(column).map(Some),
        }
    }

    fn moment(&self, column: usize) -> Result<Timestamp> {
        self.get(column).map(Timestamp)
    }

    /// A value that must not only pass its check but come out of it as it stands in the row.
    fn verbatim<T>(
        &self,
        column: usize,
        parse: fn(&str) -> std::result::Result<T, Refusal>,
        as_str: fn(&T) -> &str,
    ) -> Result<T> {
        let text = self.text(column)?;
        let value = self.checked(column, parse(text))?;
        if as_str(&value) == text { Ok(value) } else { Err(self.damage(column, "not as it is normalised")) }
    }

    fn checked<T>(&self, column: usize, value: std::result::Result<T, Refusal>) -> Result<T> {
        value.map_err(|refusal| self.damage(column, refusal))
    }

    fn free_text(&self, column: usize) -> Result<Option<FreeText>> {
        let text = self.optional_text(column)?;
        text.map(|text| self.checked(column, FreeText::parse(self.column(column), text))).transpose()
    }

    fn json<T: for<'de> serde::Deserialize<'de>>(&self, column: usize) -> Result<T> {
        serde_json::from_str(self.text(column)?).map_err(|error| self.damage(column, error))
    }

    fn optional_json<T: for<'de> serde::Deserialize<'de>>(&self, column: usize) -> Result<Option<T>> {
        match self.row.get_ref(column)? {
            ValueRef::Null => Ok(None),
            _ => self.json(column).map(Some),
        }
    }

    fn vector(&self, column: usize) -> Result<Embedding> {
        let bytes = self.row.get_ref(column)?.as_blob().map_err(|error| self.damage(column, error))?;
        if bytes.len() != VECTOR_BYTES {
            return Err(self.damage(column, format!("{} bytes instead of {VECTOR_BYTES}", bytes.len())));
        }
        let mut numbers = [0.0_f32; DIMENSION];
        let (parts, _) = bytes.as_chunks();
        for (number, part) in numbers.iter_mut().zip(parts) {
            *number = f32::from_le_bytes(*part);
        }
        Embedding::new(&numbers).map_err(|error| self.damage(column, error))
    }

    fn column(&self, column: usize) -> &str {
        self.row.as_ref().column_name(column).unwrap_or("a column")
    }

    fn damage(&self, column: usize, why: impl Display) -> Failure {
        Failure::Row(format!("{} in {}: {why}", self.column(column), self.what))
    }
}

/// Columns of [`library`].
pub(crate) const LIBRARY: &str = "settings, next_id, epoch, revision, encoder";

pub(crate) fn library(row: &Row<'_>, name: &str) -> Result<Library> {
    let row = Named { row, what: format_args!("library {name}") };
    let settings: docet_core::settings::Settings = row.json(0)?;
    row.checked(0, settings.check())?;
    Ok(Library {
        settings,
        next_id: row.whole(1)?,
        epoch: row.whole(2)?,
        revision: row.whole(3)?,
        encoder: row.get::<Option<String>>(4)?.map(EncoderId),
    })
}

/// Reads the columns `library, size, epoch, revision`.
pub(crate) fn summary(row: &Row<'_>) -> Result<LibrarySummary> {
    let row = Named { row, what: "a library" };
    Ok(LibrarySummary {
        name: row.checked(0, LibraryName::parse(row.text(0)?))?,
        size: row.get::<u32>(1)? as usize,
        epoch: row.whole(2)?,
        revision: row.whole(3)?,
    })
}

pub(crate) fn library_name(row: &Row<'_>) -> Result<LibraryName> {
    let row = Named { row, what: "a session" };
    row.checked(0, LibraryName::parse(row.text(0)?))
}

/// Reads the column `revision`.
pub(crate) fn number(row: &Row<'_>) -> Result<u64> {
    Named { row, what: "a revision" }.whole(0)
}

/// Columns of [`experience`].
pub(crate) const EXPERIENCE: &str = "id, text, domain, confidence, usage_count, epoch, successes, failures, \
                                     last_improved, pinned, source, created_at, updated_at, vector";

pub(crate) fn experience(row: &Row<'_>, library: &str) -> Result<Experience> {
    let id: i64 = row.get(0)?;
    let row = Named { row, what: format_args!("entry {id} of library {library}") };
    Ok(Experience {
        id: row.whole(0)?,
        text: row.verbatim(1, ExperienceText::parse, ExperienceText::as_str)?,
        domain: row.verbatim(2, Domain::parse, Domain::as_str)?,
        confidence: row.checked(3, Confidence::parse(row.get(3)?))?,
        usage_count: row.whole(4)?,
        epoch: row.whole(5)?,
        successes: row.whole(6)?,
        failures: row.whole(7)?,
        last_improved: row.optional_whole(8)?,
        pinned: row.get(9)?,
        source: row.free_text(10)?,
        created_at: row.moment(11)?,
        updated_at: row.moment(12)?,
        embedding: row.vector(13)?,
    })
}

/// Columns of [`session`].
pub(crate) const SESSION: &str =
    "session, epoch, session_group, reference, begun_at, expires_at, ended_at, report, operations";

/// A session whose receipt is still to be read.
pub(crate) fn session(row: &Row<'_>, library: &str) -> Result<Session> {
    let id: String = row.get(0)?;
    let row = Named { row, what: format_args!("session {id} of library {library}") };
    let end = match row.get::<Option<i64>>(6)? {
        None => None,
        Some(at) => Some(SessionEnd { at: Timestamp(at), report: row.json(7)?, operations: row.json(8)? }),
    };
    Ok(Session {
        epoch: row.whole(1)?,
        group: row.free_text(2)?,
        reference: row.free_text(3)?,
        begun_at: row.moment(4)?,
        expires_at: row.moment(5)?,
        receipt: Vec::new(),
        end,
        id: SessionId(id.clone()),
    })
}

/// Columns of [`reward`].
pub(crate) const REWARD: &str = "session_epoch, session_group, revision, reward";

pub(crate) fn reward(row: &Row<'_>, library: &str) -> Result<Reward> {
    let epoch: i64 = row.get(0)?;
    let row = Named { row, what: format_args!("the reward of session {epoch} of library {library}") };
    let reward: f64 = row.get(3)?;
    if !reward.is_finite() {
        return Err(row.damage(3, "it is no number"));
    }
    Ok(Reward { session_epoch: row.whole(0)?, group: row.free_text(1)?, revision: row.whole(2)?, reward })
}

/// Reads the columns `label, id, text`; `expected` is the label that must come now.
pub(crate) fn receipt(row: &Row<'_>, session: &SessionId, expected: u64) -> Result<Receipt> {
    let row = Named { row, what: format_args!("label G{expected} of session {session}") };
    match row.whole(0)? {
        label if label == expected => Ok(Receipt { id: row.whole(1)?, text: row.get(2)? }),
        label => Err(row.damage(0, format!("it is {label}"))),
    }
}
