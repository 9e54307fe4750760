//! The entries that a list of operations makes and changes. Its ids name entries of the same file, never a library's own.

use std::collections::{HashMap, HashSet};

use docet_core::error::{Code, shortened};

use super::lessons::{Draft, Harvest};
use super::{MAX_LESSONS, too_large};
use crate::wire::Failure;

/// One operation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Change {
    /// A new entry, of the next number unless its id is given.
    Add { id: Option<String>, text: String },
    /// Another text for an entry.
    Modify { id: String, text: String },
    /// An entry leaves.
    Delete { id: String },
    /// Entries leave, and one enters.
    Merge { ids: Vec<String>, text: String },
}

/// Entries by number, `G0` first.
#[derive(Default)]
pub(super) struct Pool {
    /// In the order of entering; none for one that left.
    entries: Vec<Option<Entry>>,
    /// Where each id's entry is.
    places: HashMap<String, usize>,
    next: u64,
}

struct Entry {
    line: usize,
    text: String,
    /// The id that the source itself gives it.
    id: Option<String>,
}

impl Pool {
    /// An entry that stands in the file by its id.
    pub(super) fn insert(&mut self, line: usize, id: String, text: String) -> Result<(), Failure> {
        self.enter(line, Some(id), text)
    }

    /// Applies one operation, or refuses it with its text.
    pub(super) fn apply(&mut self, line: usize, change: Change, harvest: &mut Harvest<'_>) -> Result<(), Failure> {
        let refuse = |(code, message): (Code, String), text: String, harvest: &mut Harvest<'_>| {
            harvest.refuse(line, Draft { text, ..Draft::default() }, code, &message)
        };
        match change {
            Change::Add { id: Some(id), text } if self.places.contains_key(&key(&id)) => {
                let message = format!("the id {} stands in the file already; leave it empty", shortened(&id));
                refuse((Code::EqualIds, message), text, harvest)
            }
            Change::Add { id, text } => self.enter(line, id, text),
            Change::Modify { id, text } => match self.place(&id) {
                Ok(place) => {
                    let id = self.entries[place].take().and_then(|entry| entry.id);
                    self.entries[place] = Some(Entry { line, text, id });
                    Ok(())
                }
                Err(fault) => refuse(fault, text, harvest),
            },
            Change::Delete { id } => match self.place(&id) {
                Ok(place) => {
                    self.entries[place] = None;
                    Ok(())
                }
                Err((code, message)) => harvest.refuse_line(line, &format!("delete {id}"), code, &message),
            },
            Change::Merge { ids, text } => match self.parents(&ids) {
                Ok(places) => {
                    places.into_iter().for_each(|place| self.entries[place] = None);
                    self.enter(line, None, text)
                }
                Err(fault) => refuse(fault, text, harvest),
            },
        }
    }

    /// Hands over what stands after all operations.
    pub(super) fn finish(self, harvest: &mut Harvest<'_>) -> Result<(), Failure> {
        self.entries
            .into_iter()
            .flatten()
            .try_for_each(|Entry { line, text, id }| harvest.take(line, Draft { text, id, ..Draft::default() }))
    }

    fn enter(&mut self, line: usize, id: Option<String>, text: String) -> Result<(), Failure> {
        if self.entries.len() >= MAX_LESSONS {
            return Err(too_large("the source adds more than 100,000 lessons; split it", "at most 100,000"));
        }
        let key = id.as_deref().map_or_else(|| self.next.to_string(), key);
        self.next = self.next.max(key.parse().map_or(self.next, |number: u64| number.saturating_add(1)));
        self.places.insert(key, self.entries.len());
        self.entries.push(Some(Entry { line, text, id }));
        Ok(())
    }

    fn parents(&self, ids: &[String]) -> Result<Vec<usize>, (Code, String)> {
        let places: Vec<usize> = ids.iter().map(|id| self.place(id)).collect::<Result<_, _>>()?;
        if places.len() < 2 {
            return Err((Code::TooFewIds, "a merge names two entries or more".to_owned()));
        }
        if places.iter().collect::<HashSet<_>>().len() < places.len() {
            return Err((Code::EqualIds, "a merge names an entry once".to_owned()));
        }
        Ok(places)
    }

    fn place(&self, id: &str) -> Result<usize, (Code, String)> {
        let shown = shortened(id);
        let place = self.places.get(&key(id)).copied().ok_or_else(|| {
            let message = format!("there is no entry {shown} in this file; ids name entries that the file itself adds");
            (Code::UnknownId, message)
        })?;
        match self.entries[place] {
            Some(_) => Ok(place),
            None => Err((Code::LeftEarlier, format!("the entry {shown} left earlier in this file"))),
        }
    }
}

/// `G0`, `C0` and `0` are one id.
fn key(id: &str) -> String {
    let digits = id.trim().trim_start_matches(|c: char| c.is_ascii_alphabetic());
    let is_label = !digits.is_empty() && id.trim().len() - digits.len() <= 1;
    match digits.parse::<u64>() {
        Ok(number) if is_label => number.to_string(),
        _ => id.trim().to_owned(),
    }
}
