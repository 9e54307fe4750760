//! The reference adapters: small, obviously right, and what every other is tested against.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::answers::Remembered;
use crate::embedding::{DIMENSION, Embedding};
use crate::error::Error;
use crate::experience::{Experience, ExperienceId, Timestamp};
use crate::history::{Archived, Record, Revision, RevisionQuery, Reward};
use crate::library::{Library, LibraryName, LibrarySummary};
use crate::ports::{Embedder, Encoded, EncoderError, EncoderId, Snapshot, Store, StoreError, Traces, Transaction};
use crate::session::{Session, SessionId};
use crate::text::FreeText;

/// Libraries in memory. A write works on a copy that replaces the library when it succeeds.
#[derive(Debug, Default)]
pub struct InMemoryStore {
    libraries: Mutex<BTreeMap<LibraryName, State>>,
}

impl InMemoryStore {
    /// An empty store.
    pub fn new() -> Self {
        Self::default()
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<LibraryName, State>> {
        // A write that panicked never replaced its library.
        self.libraries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for InMemoryStore {
    fn libraries(&self) -> Result<Vec<LibrarySummary>, StoreError> {
        let summary = |(name, state): (&LibraryName, &State)| {
            let library = state.library.as_ref()?;
            let (size, name) = (state.experiences.len(), name.clone());
            Some(LibrarySummary { name, size, epoch: library.epoch, revision: library.revision })
        };
        Ok(self.lock().iter().filter_map(summary).collect())
    }

    fn library_of(&self, session: &SessionId) -> Result<Option<LibraryName>, StoreError> {
        let libraries = self.lock();
        let holder = libraries.iter().find(|(_, state)| state.sessions.contains_key(session));
        Ok(holder.map(|(name, _)| name.clone()))
    }

    fn read(
        &self,
        library: &LibraryName,
        look: &mut dyn FnMut(&dyn Snapshot) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let state = self.lock().get(library).cloned().unwrap_or_default();
        look(&state)
    }

    fn write(
        &self,
        library: &LibraryName,
        change: &mut dyn FnMut(&mut dyn Transaction) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let mut libraries = self.lock();
        let mut state = libraries.get(library).cloned().unwrap_or_default();
        change(&mut state)?;
        libraries.insert(library.clone(), state);
        Ok(())
    }

    fn scrub(&self) -> Result<Vec<String>, StoreError> {
        Ok(Vec::new())
    }
}

/// One library with all it holds.
#[derive(Clone, Debug, Default)]
struct State {
    library: Option<Library>,
    experiences: BTreeMap<ExperienceId, Experience>,
    sessions: BTreeMap<SessionId, Session>,
    /// By the session's epoch: a reward outlives its session.
    rewards: BTreeMap<u64, Reward>,
    revisions: BTreeMap<u64, Revision>,
    remembered: BTreeMap<String, Remembered>,
}

impl State {
    /// The rewards of a group, the latest first.
    fn rewards_of(&self, group: Option<&FreeText>) -> Vec<&Reward> {
        let mut rewards: Vec<_> = self.rewards.values().filter(|reward| reward.group.as_ref() == group).collect();
        rewards.sort_by_key(|reward| std::cmp::Reverse((reward.revision, reward.session_epoch)));
        rewards
    }

    /// Every record of the history.
    fn records(&self) -> impl Iterator<Item = &Record> {
        let changes = self.revisions.values().flat_map(|revision| &revision.changes);
        changes.flat_map(|change| [&change.before, &change.after]).flatten()
    }
}

impl Snapshot for State {
    fn library(&self) -> Result<Option<Library>, StoreError> {
        Ok(self.library.clone())
    }

    fn traces(&self) -> Result<Traces, StoreError> {
        let recorded = self.records().map(|record| record.id).max().unwrap_or(0);
        Ok(Traces {
            id: self.experiences.keys().last().copied().unwrap_or(0).max(recorded),
            epoch: self.sessions.values().map(|session| session.epoch).max().unwrap_or(0),
            revision: self.revisions.keys().last().copied().unwrap_or(0),
        })
    }

    fn size(&self) -> Result<usize, StoreError> {
        Ok(self.experiences.len())
    }

    fn experiences(&self) -> Result<Vec<Experience>, StoreError> {
        Ok(self.experiences.values().cloned().collect())
    }

    fn experience(&self, id: ExperienceId) -> Result<Option<Experience>, StoreError> {
        Ok(self.experiences.get(&id).cloned())
    }

    fn session(&self, id: &SessionId) -> Result<Option<Session>, StoreError> {
        Ok(self.sessions.get(id).cloned())
    }

    fn sessions(&self, open_at: Option<Timestamp>, limit: usize) -> Result<Vec<Session>, StoreError> {
        let wanted = |session: &&Session| open_at.is_none_or(|moment| session.is_open(moment));
        let mut sessions: Vec<Session> = self.sessions.values().filter(wanted).cloned().collect();
        sessions.sort_by_key(|session| std::cmp::Reverse(session.epoch));
        sessions.truncate(limit);
        Ok(sessions)
    }

    fn rewards(&self, group: Option<&FreeText>, window: usize) -> Result<Vec<f64>, StoreError> {
        Ok(self.rewards_of(group).into_iter().take(window).map(|reward| reward.reward).collect())
    }

    fn revisions(&self, query: &RevisionQuery) -> Result<Vec<Revision>, StoreError> {
        let wanted = |revision: &&Revision| {
            query.id.is_none_or(|id| revision.changes.iter().any(|change| change.id == id))
                && query.actor.as_ref().is_none_or(|actor| revision.actor == *actor)
        };
        let newer = self.revisions.values().rev().take_while(|revision| revision.number > query.after);
        Ok(newer.filter(wanted).take(query.limit).cloned().collect())
    }

    fn revision(&self, number: u64) -> Result<Option<Revision>, StoreError> {
        Ok(self.revisions.get(&number).cloned())
    }

    fn changed_after(&self, number: u64, id: ExperienceId) -> Result<Vec<u64>, StoreError> {
        let newer = self.revisions.values().filter(|revision| revision.number > number);
        let changed = newer.filter(|revision| revision.changes.iter().any(|change| change.id == id));
        Ok(changed.map(|revision| revision.number).collect())
    }

    fn archived(&self, id: Option<ExperienceId>) -> Result<Vec<Archived>, StoreError> {
        let mut archived = BTreeMap::new();
        for revision in self.revisions.values() {
            for change in &revision.changes {
                match (&change.before, &change.after) {
                    (Some(record), None) => archived.insert(change.id, left(record, revision)),
                    _ => archived.remove(&change.id),
                };
            }
        }
        Ok(archived.into_values().filter(|left| id.is_none_or(|id| left.record.id == id)).collect())
    }

    fn recorded_texts(&self) -> Result<BTreeSet<String>, StoreError> {
        Ok(self.records().filter_map(|record| record.text.as_ref()).map(ToString::to_string).collect())
    }

    fn remembered(&self, key: &str) -> Result<Option<Remembered>, StoreError> {
        Ok(self.remembered.get(key).cloned())
    }

    fn all_remembered(&self) -> Result<Vec<Remembered>, StoreError> {
        Ok(self.remembered.values().cloned().collect())
    }
}

impl Transaction for State {
    fn put_library(&mut self, library: &Library) -> Result<(), StoreError> {
        self.library = Some(library.clone());
        Ok(())
    }

    fn put_experience(&mut self, experience: &Experience) -> Result<(), StoreError> {
        self.experiences.insert(experience.id, experience.clone());
        Ok(())
    }

    fn remove_experience(&mut self, id: ExperienceId) -> Result<(), StoreError> {
        self.experiences.remove(&id);
        Ok(())
    }

    fn put_session(&mut self, session: &Session) -> Result<(), StoreError> {
        self.sessions.insert(session.id.clone(), session.clone());
        Ok(())
    }

    fn forget_sessions(&mut self, moment: Timestamp, rewards: usize) -> Result<(), StoreError> {
        self.sessions.retain(|_, session| session.end.as_ref().map_or(session.expires_at, |end| end.at) >= moment);
        let groups: BTreeSet<Option<FreeText>> = self.rewards.values().map(|reward| reward.group.clone()).collect();
        for group in groups {
            let surplus = self.rewards_of(group.as_ref()).into_iter().skip(rewards);
            for session_epoch in surplus.map(|reward| reward.session_epoch).collect::<Vec<_>>() {
                self.rewards.remove(&session_epoch);
            }
        }
        Ok(())
    }

    fn put_reward(&mut self, reward: &Reward) -> Result<(), StoreError> {
        self.rewards.insert(reward.session_epoch, reward.clone());
        Ok(())
    }

    fn remove_reward(&mut self, session_epoch: u64) -> Result<(), StoreError> {
        self.rewards.remove(&session_epoch);
        Ok(())
    }

    fn put_revision(&mut self, revision: &Revision) -> Result<(), StoreError> {
        self.revisions.insert(revision.number, revision.clone());
        Ok(())
    }

    fn erase_records(&mut self, kept: &BTreeSet<String>) -> Result<(), StoreError> {
        let changes = self.revisions.values_mut().flat_map(|revision| &mut revision.changes);
        let records = changes.flat_map(|change| [&mut change.before, &mut change.after]).flatten();
        for record in records {
            if record.text.take_if(|text| !kept.contains(text.as_str())).is_some() {
                record.source = None;
            }
        }
        Ok(())
    }

    fn remember(&mut self, remembered: &Remembered) -> Result<(), StoreError> {
        self.remembered.insert(remembered.key.key.clone(), remembered.clone());
        Ok(())
    }

    fn forget_answers(&mut self, moment: Timestamp) -> Result<(), StoreError> {
        self.remembered.retain(|_, remembered| remembered.at >= moment);
        Ok(())
    }
}

/// The archive's line for an entry that left in that revision.
fn left(record: &Record, revision: &Revision) -> Archived {
    let Revision { number, at, reason, kind, .. } = revision;
    Archived { record: record.clone(), revision: *number, at: *at, reason: reason.clone(), kind: *kind }
}

/// An encoder for tests and examples that needs no weights: texts with common words are similar, and that is all it
/// knows. Each word is a direction drawn from its letters; a text is the sum of its words.
#[derive(Clone, Copy, Debug, Default)]
pub struct HashEmbedder;

impl HashEmbedder {
    /// The most words that it reads.
    const MAX_WORDS: usize = 254;
}

impl Embedder for HashEmbedder {
    fn encoder(&self) -> EncoderId {
        EncoderId("hash of words, for tests".to_owned())
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Encoded>, EncoderError> {
        Ok(texts.iter().map(|text| encode(text)).collect())
    }
}

fn encode(text: &str) -> Encoded {
    let words: Vec<&str> = text.split_whitespace().collect();
    let read = &words[..words.len().min(HashEmbedder::MAX_WORDS)];
    let mut sum = direction("");
    for word in read {
        let stem = word.trim_matches(|character: char| !character.is_alphanumeric()).to_lowercase();
        for (total, value) in sum.iter_mut().zip(direction(&stem)) {
            *total += 4.0 * value;
        }
    }
    let norm = sum.iter().map(|value| value * value).sum::<f64>().sqrt();
    let values: Vec<f32> = sum.iter().map(|value| (value / norm) as f32).collect();
    let embedding = Embedding::new(&values).expect("a sum of directions has a length");
    Encoded { embedding, tokens: read.len() + 2, truncated: read.len() < words.len() }
}

/// Numbers in [-1, 1) drawn from a word by an FNV-1a hash that goes on.
fn direction(word: &str) -> [f64; DIMENSION] {
    let step = |hash: u64, byte: u8| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3);
    let mut hash = word.bytes().fold(0xCBF2_9CE4_8422_2325, step);
    std::array::from_fn(|_| {
        hash = step(hash.rotate_left(23), 0x5A);
        (hash >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    })
}
