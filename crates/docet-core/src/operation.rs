//! The four operations, applied in order, all or nothing (`alg:memory-update`).
//!
//! An [`Operation`] is what a caller asked; [`Prepared`] is the same with its fields checked and its text embedded,
//! made before anything is locked; [`apply`] is the pure transition.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::compression::{self, Compression, Evicted};
use crate::confidence::Confidence;
use crate::embedding::Embedding;
use crate::error::{Code, Error, Fault, Refusal};
use crate::experience::{Domain, Experience, ExperienceId, Timestamp};
use crate::library::Library;
use crate::ports::Encoded;
use crate::text::{ExperienceText, FreeText};

/// One change of a library, as a caller asks for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "lowercase", deny_unknown_fields)]
pub enum Operation {
    /// A new entry.
    Add {
        /// Its text.
        text: String,
        /// Its domain; `general` where none is given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        domain: Option<String>,
        /// Its first confidence, within (0, 1); the setting's where none is given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        confidence: Option<f64>,
        /// Who or what wrote it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        source: Option<String>,
        /// Whether compression must keep it; no where nothing is said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pinned: Option<bool>,
    },
    /// Changes at least one field of an entry. Its confidence and evidence stay.
    Modify {
        /// The entry.
        id: ExperienceId,
        /// A new text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
        /// A new domain.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        domain: Option<String>,
        /// A new source.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        source: Option<String>,
        /// Whether compression must keep it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pinned: Option<bool>,
    },
    /// An entry leaves.
    Delete {
        /// The entry.
        id: ExperienceId,
    },
    /// Two or more entries leave, and one that says the same enters.
    Merge {
        /// Their ids.
        ids: Vec<ExperienceId>,
        /// The text of the new entry.
        text: String,
        /// Its domain; needed where the parents' differ.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        domain: Option<String>,
        /// Who or what wrote it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        source: Option<String>,
    },
}

/// The name of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OperationKind {
    /// A new entry.
    Add,
    /// A changed entry.
    Modify,
    /// An entry that left.
    Delete,
    /// Entries that became one.
    Merge,
}

/// What happens to a list that holds a faulty operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnInvalid {
    /// Nothing is applied, and every fault is listed.
    #[default]
    Reject,
    /// The sound ones are applied, the others listed.
    Skip,
}

impl Operation {
    /// The text that has to be embedded, where there is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Add { text, .. } | Self::Merge { text, .. } => Some(text),
            Self::Modify { text, .. } => text.as_deref(),
            Self::Delete { .. } => None,
        }
    }

    /// Checks every field that can be judged without the library. Among several faults the first of [`Code`] counts.
    fn content(&self) -> Result<Content, Refusal> {
        let (domain, source, confidence) = match self {
            Self::Add { domain, source, confidence, .. } => (domain.as_ref(), source.as_ref(), *confidence),
            Self::Modify { domain, source, .. } | Self::Merge { domain, source, .. } => {
                (domain.as_ref(), source.as_ref(), None)
            }
            Self::Delete { .. } => (None, None, None),
        };
        let domain = domain.map(|raw| Domain::parse(raw)).transpose();
        let confidence = confidence.map(Confidence::parse).transpose();
        let text = self.text().map(ExperienceText::parse).transpose();
        let source = source.map(|raw| FreeText::parse("source", raw)).transpose();
        match (domain, confidence, text, source) {
            (Ok(domain), Ok(confidence), Ok(text), Ok(source)) => Ok(Content { domain, confidence, text, source }),
            (domain, confidence, text, source) => {
                let faults = [domain.err(), confidence.err(), text.err(), source.err()];
                Err(faults.into_iter().flatten().min_by_key(|fault| fault.code).expect("one of the four failed"))
            }
        }
    }
}

/// The checked fields of an operation.
#[derive(Clone, Debug)]
struct Content {
    domain: Option<Domain>,
    confidence: Option<Confidence>,
    text: Option<ExperienceText>,
    source: Option<FreeText>,
}

/// An operation whose own fields are checked and whose text is embedded, or the first fault of those fields.
#[derive(Clone, Debug)]
pub struct Prepared<'a> {
    operation: &'a Operation,
    content: Result<(Content, Option<Embedding>), Refusal>,
}

impl Prepared<'_> {
    /// Whether it brings a vector.
    pub fn is_embedded(&self) -> bool {
        matches!(self.content, Ok((_, Some(_))))
    }
}

/// Checks the fields of each operation and embeds all sound texts with one call of `embed`, which is not called where
/// there is none.
///
/// # Errors
/// What `embed` returns.
pub fn prepare<'a, E>(
    operations: &'a [Operation],
    embed: impl FnOnce(&[&str]) -> Result<Vec<Encoded>, E>,
) -> Result<Vec<Prepared<'a>>, E> {
    let contents: Vec<Result<Content, Refusal>> = operations.iter().map(Operation::content).collect();
    let texts: Vec<&str> =
        contents.iter().flatten().filter_map(|content| content.text.as_ref()).map(ExperienceText::as_str).collect();
    let mut encoded = if texts.is_empty() { Vec::new() } else { embed(&texts)? }.into_iter();
    let prepared = operations.iter().zip(contents).map(|(operation, content)| Prepared {
        operation,
        content: content.and_then(|content| {
            let embedding = content.text.as_ref().and_then(|_| encoded.next()).map(within_reach).transpose()?;
            Ok((content, embedding))
        }),
    });
    Ok(prepared.collect())
}

fn within_reach(encoded: Encoded) -> Result<Embedding, Refusal> {
    if !encoded.truncated {
        return Ok(encoded.embedding);
    }
    let message = format!("the text has more tokens than the {} that the encoder reads; shorten it", encoded.tokens);
    Err(Refusal::new(Code::TooManyTokens, message).field("text").allowed(format!("at most {} tokens", encoded.tokens)))
}

/// What a list of operations did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UpdateReport {
    /// The library's revision afterwards; of a dry run the present one.
    pub revision: u64,
    /// Whether nothing was really changed.
    pub dry_run: bool,
    /// The operations that were applied.
    pub applied: Vec<Applied>,
    /// Those that could not be.
    pub skipped: Vec<Fault>,
    /// Adds of a lesson that already stands, which are not stored again.
    pub duplicates: Vec<Duplicate>,
    /// Entries that the list wrote and that another is close to.
    pub similar: Vec<Similar>,
    /// Entries that the compression afterwards took, in the order of leaving.
    pub evicted: Vec<Evicted>,
    /// Entries in the library afterwards.
    pub size: usize,
}

/// One operation that was applied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Applied {
    /// Its place in the list, from 0.
    pub index: usize,
    /// Which operation.
    pub op: OperationKind,
    /// The entry that entered, changed or left.
    pub id: ExperienceId,
    /// Of a merge: the entries that left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ids: Option<Vec<ExperienceId>>,
}

/// An add of a lesson that already stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Duplicate {
    /// Its place in the list, from 0.
    pub index: usize,
    /// The entry that it equals.
    pub id: ExperienceId,
}

/// An entry close to another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Similar {
    /// The entry that the list wrote.
    pub id: ExperienceId,
    /// Its nearest other entry, of any domain.
    pub of: ExperienceId,
    /// Their cosine.
    pub similarity: f64,
}

/// A library after a list of operations, not yet stored.
#[derive(Clone, Debug, PartialEq)]
pub struct Updated {
    /// Its entries, by id.
    pub entries: Vec<Experience>,
    /// The id of the next entry.
    pub next_id: ExperienceId,
    /// What was done; the revision is not yet set.
    pub report: UpdateReport,
}

/// Applies operations in order to the entries of a library, then compresses what is over its capacity.
///
/// # Errors
/// [`Error::Faults`] with every fault where there is one and `on_invalid` rejects; `capacity_pinned` where the pinned
/// entries leave no place for what the list brought.
pub fn apply(
    library: &Library,
    entries: Vec<Experience>,
    operations: &[Prepared<'_>],
    on_invalid: OnInvalid,
    now: Timestamp,
) -> Result<Updated, Error> {
    let mut draft = Draft::new(library, entries, now);
    for (index, operation) in operations.iter().enumerate() {
        if let Err(refusal) = draft.step(index, operation) {
            draft.report.skipped.push(Fault { index, code: refusal.code, message: refusal.message });
        }
    }
    if on_invalid == OnInvalid::Reject && !draft.report.skipped.is_empty() {
        return Err(Error::Faults(draft.report.skipped));
    }
    draft.report.similar = draft.similar();
    draft.compress()?;
    draft.report.size = draft.entries.len();
    Ok(Updated { entries: draft.entries.into_values().collect(), next_id: draft.next_id, report: draft.report })
}

/// A library in the middle of a list.
struct Draft<'a> {
    library: &'a Library,
    now: Timestamp,
    entries: BTreeMap<ExperienceId, Experience>,
    next_id: ExperienceId,
    left: BTreeSet<ExperienceId>,
    /// What the list added, modified or merged, in that order.
    written: Vec<ExperienceId>,
    report: UpdateReport,
}

impl<'a> Draft<'a> {
    fn new(library: &'a Library, entries: Vec<Experience>, now: Timestamp) -> Self {
        let entries = entries.into_iter().map(|entry| (entry.id, entry)).collect();
        let (left, written) = (BTreeSet::new(), Vec::new());
        Self { library, now, entries, next_id: library.next_id, left, written, report: UpdateReport::default() }
    }

    fn step(&mut self, index: usize, prepared: &Prepared<'_>) -> Result<(), Refusal> {
        self.check_ids(prepared.operation)?;
        let (content, embedding) = prepared.content.as_ref().map_err(Clone::clone)?;
        let text = content.text.clone().zip(embedding.clone());
        match prepared.operation {
            Operation::Add { pinned, .. } => self.add(index, content, text, pinned.unwrap_or(false)),
            Operation::Modify { id, pinned, .. } => self.modify(index, *id, content, text, *pinned),
            Operation::Delete { id } => self.delete(index, *id),
            Operation::Merge { ids, .. } => self.merge(index, ids, content, text),
        }
    }

    /// The faults that come before any fault of a field: of the ids, and of a merge's domain.
    fn check_ids(&self, operation: &Operation) -> Result<(), Refusal> {
        match operation {
            Operation::Add { .. } => Ok(()),
            Operation::Modify { id, .. } | Operation::Delete { id } => self.check_present(&[*id]),
            Operation::Merge { ids, domain, .. } => {
                self.check_present(ids)?;
                check_distinct(ids)?;
                if domain.is_none() { self.shared_domain(ids).map(|_| ()) } else { Ok(()) }
            }
        }
    }

    fn check_present(&self, ids: &[ExperienceId]) -> Result<(), Refusal> {
        let missing = || ids.iter().filter(|id| !self.entries.contains_key(id));
        if let Some(id) = missing().find(|id| !self.left.contains(id)) {
            return Err(unknown_id(*id));
        }
        match missing().next() {
            Some(id) => {
                let message = format!("entry {id} left earlier in this list");
                Err(Refusal::new(Code::LeftEarlier, message).field("id").value(id))
            }
            None => Ok(()),
        }
    }

    fn shared_domain(&self, ids: &[ExperienceId]) -> Result<Domain, Refusal> {
        let mut domains: Vec<&Domain> = ids.iter().map(|id| &self.entries[id].domain).collect();
        domains.sort_unstable();
        domains.dedup();
        match domains[..] {
            [domain] => Ok(domain.clone()),
            _ => {
                let names = domains.iter().map(|domain| domain.as_str()).collect::<Vec<_>>().join(", ");
                let message = format!("the merged entries are of several domains ({names}); say which one the new is");
                Err(Refusal::new(Code::DomainRequired, message).field("domain").allowed(names))
            }
        }
    }

    fn add(
        &mut self,
        index: usize,
        content: &Content,
        text: Option<(ExperienceText, Embedding)>,
        pinned: bool,
    ) -> Result<(), Refusal> {
        let (text, embedding) = text.expect("an add has a text");
        let domain = content.domain.clone().unwrap_or_else(Domain::general);
        if let Some(id) = self.equal_to(&text, &domain, &[]) {
            self.report.duplicates.push(Duplicate { index, id });
            return Ok(());
        }
        let settings = &self.library.settings;
        let start = content.confidence.map_or_else(|| Confidence::parse(settings.initial_confidence), Ok)?;
        let id = self.enter(Experience {
            id: 0,
            text,
            confidence: start.clamped(settings),
            domain,
            embedding,
            usage_count: 0,
            epoch: self.library.epoch,
            successes: 0,
            failures: 0,
            last_improved: None,
            pinned,
            source: content.source.clone(),
            created_at: self.now,
            updated_at: self.now,
        });
        self.report.applied.push(Applied { index, op: OperationKind::Add, id, ids: None });
        Ok(())
    }

    fn modify(
        &mut self,
        index: usize,
        id: ExperienceId,
        content: &Content,
        text: Option<(ExperienceText, Embedding)>,
        pinned: Option<bool>,
    ) -> Result<(), Refusal> {
        let before = &self.entries[&id];
        let mut after = before.clone();
        if let Some((text, embedding)) = text.filter(|(text, _)| *text != before.text) {
            (after.text, after.embedding, after.epoch) = (text, embedding, self.library.epoch);
        }
        after.domain = content.domain.clone().unwrap_or(after.domain);
        after.source = content.source.clone().or(after.source);
        after.pinned = pinned.unwrap_or(after.pinned);
        self.refuse_equal(&after.text, &after.domain, &[id])?;
        if after != *before {
            after.updated_at = self.now;
            self.entries.insert(id, after);
        }
        self.note_written(id);
        self.report.applied.push(Applied { index, op: OperationKind::Modify, id, ids: None });
        Ok(())
    }

    fn delete(&mut self, index: usize, id: ExperienceId) -> Result<(), Refusal> {
        self.leave(id);
        self.report.applied.push(Applied { index, op: OperationKind::Delete, id, ids: None });
        Ok(())
    }

    fn merge(
        &mut self,
        index: usize,
        ids: &[ExperienceId],
        content: &Content,
        text: Option<(ExperienceText, Embedding)>,
    ) -> Result<(), Refusal> {
        let (text, embedding) = text.expect("a merge has a text");
        let domain = content.domain.clone().map_or_else(|| self.shared_domain(ids), Ok)?;
        self.refuse_equal(&text, &domain, ids)?;
        let parents: Vec<Experience> = ids.iter().filter_map(|id| self.leave(*id)).collect();
        let highest = parents.iter().map(|parent| parent.confidence).max_by(|a, b| a.get().total_cmp(&b.get()));
        let id = self.enter(Experience {
            id: 0,
            text,
            confidence: highest.expect("a merge has parents"),
            domain,
            embedding,
            usage_count: parents.iter().map(|parent| parent.usage_count).sum(),
            epoch: self.library.epoch,
            successes: parents.iter().map(|parent| parent.successes).sum(),
            failures: parents.iter().map(|parent| parent.failures).sum(),
            last_improved: parents.iter().filter_map(|parent| parent.last_improved).max(),
            pinned: parents.iter().any(|parent| parent.pinned),
            source: content.source.clone(),
            created_at: self.now,
            updated_at: self.now,
        });
        self.report.applied.push(Applied { index, op: OperationKind::Merge, id, ids: Some(ids.to_vec()) });
        Ok(())
    }

    /// Gives the entry the next id.
    fn enter(&mut self, mut experience: Experience) -> ExperienceId {
        let id = self.next_id;
        self.next_id += 1;
        experience.id = id;
        self.entries.insert(id, experience);
        self.note_written(id);
        id
    }

    fn leave(&mut self, id: ExperienceId) -> Option<Experience> {
        self.left.insert(id);
        self.entries.remove(&id)
    }

    fn note_written(&mut self, id: ExperienceId) {
        if !self.written.contains(&id) {
            self.written.push(id);
        }
    }

    fn equal_to(&self, text: &ExperienceText, domain: &Domain, except: &[ExperienceId]) -> Option<ExperienceId> {
        let is_equal = |entry: &&Experience| entry.text == *text && entry.domain == *domain;
        self.entries.values().filter(is_equal).map(|entry| entry.id).find(|id| !except.contains(id))
    }

    fn refuse_equal(&self, text: &ExperienceText, domain: &Domain, except: &[ExperienceId]) -> Result<(), Refusal> {
        match self.equal_to(text, domain, except) {
            Some(id) => {
                let message = format!("entry {id} of domain {domain} says the same already; merge the two");
                Err(Refusal::new(Code::DuplicateText, message).field("text").value(text))
            }
            None => Ok(()),
        }
    }

    /// What the list wrote and still stands, where another entry is close to it.
    fn similar(&self) -> Vec<Similar> {
        let close = |similar: &Similar| similar.similarity >= self.library.settings.similar_at;
        self.written.iter().filter_map(|id| self.nearest(self.entries.get(id)?)).filter(close).collect()
    }

    /// The nearest other entry, of equally near ones that of the lower id.
    fn nearest(&self, entry: &Experience) -> Option<Similar> {
        let others = self.entries.values().filter(|other| other.id != entry.id);
        let measured = others.map(|other| (other.embedding.cosine(&entry.embedding), other.id));
        let (similarity, of) = measured.max_by(|a, b| a.0.total_cmp(&b.0).then_with(|| b.1.cmp(&a.1)))?;
        Some(Similar { id: entry.id, of, similarity })
    }

    fn compress(&mut self) -> Result<(), Refusal> {
        let settings = &self.library.settings;
        if self.entries.len() <= settings.capacity {
            return Ok(());
        }
        let spared = self.spared()?;
        let entries: Vec<Experience> = self.entries.values().cloned().collect();
        let compression = Compression {
            entries: &entries,
            spared: &spared,
            capacity: settings.capacity,
            epoch: self.library.epoch,
            settings,
        };
        let evicted = compression::compress(&compression)?;
        for entry in &evicted {
            self.entries.remove(&entry.id);
        }
        self.report.evicted = evicted;
        Ok(())
    }

    /// What the list wrote counts as pinned, unless that and the pinned exceed the capacity together.
    fn spared(&self) -> Result<BTreeSet<ExperienceId>, Refusal> {
        let settings = &self.library.settings;
        if !settings.spare_new {
            return Ok(BTreeSet::new());
        }
        let is_new = |entry: &&Experience| !entry.pinned && self.written.contains(&entry.id);
        let new: BTreeSet<ExperienceId> = self.entries.values().filter(is_new).map(|entry| entry.id).collect();
        let pinned = self.entries.values().filter(|entry| entry.pinned).count();
        if !new.is_empty() && pinned >= settings.capacity {
            return Err(no_place(settings.capacity, pinned));
        }
        Ok(if pinned + new.len() > settings.capacity { BTreeSet::new() } else { new })
    }
}

/// The refusal of an id that the library does not hold.
pub fn unknown_id(id: ExperienceId) -> Refusal {
    let message = format!("there is no entry {id}; `docet list` shows those that are there");
    Refusal::new(Code::UnknownId, message).field("id").value(id)
}

fn no_place(capacity: usize, pinned: usize) -> Refusal {
    let message = format!(
        "the {pinned} pinned entries leave no place for a new one within capacity {capacity}; unpin some, or raise \
         the capacity"
    );
    Refusal::new(Code::CapacityPinned, message).field("capacity").value(capacity).allowed(format!("above {pinned}"))
}

fn check_distinct(ids: &[ExperienceId]) -> Result<(), Refusal> {
    let distinct: BTreeSet<&ExperienceId> = ids.iter().collect();
    if distinct.len() < ids.len() {
        let message = "a merge names each entry once";
        return Err(Refusal::new(Code::EqualIds, message).field("ids").value(format!("{ids:?}")));
    }
    if distinct.len() < 2 {
        let message = "a merge needs two or more entries";
        return Err(Refusal::new(Code::TooFewIds, message).field("ids").value(format!("{ids:?}")));
    }
    Ok(())
}
