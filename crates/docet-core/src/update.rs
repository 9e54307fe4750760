//! Applying operations in order, all or nothing (`alg:memory-update`): the pure transition from one state of a library
//! to the next.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use crate::compression::{self, Compression};
use crate::confidence::Confidence;
use crate::embedding::Embedding;
use crate::error::{Code, Error, Fault, Refusal};
use crate::experience::{Domain, Experience, ExperienceId, Timestamp};
use crate::library::Library;
use crate::operation::{
    Applied, Content, Duplicate, OnInvalid, Operation, OperationKind, Prepared, Similar, UpdateReport,
};
use crate::text::ExperienceText;

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
    /// The entry that says this in that domain.
    standing: HashMap<(ExperienceText, Domain), ExperienceId>,
    next_id: ExperienceId,
    left: BTreeSet<ExperienceId>,
    /// What the list added, modified or merged, in that order; an entry may stand here twice.
    written: Vec<ExperienceId>,
    report: UpdateReport,
}

impl<'a> Draft<'a> {
    fn new(library: &'a Library, entries: Vec<Experience>, now: Timestamp) -> Self {
        Self {
            library,
            now,
            standing: entries.iter().map(|entry| (lesson(entry), entry.id)).collect(),
            entries: entries.into_iter().map(|entry| (entry.id, entry)).collect(),
            next_id: library.next_id,
            left: BTreeSet::new(),
            written: Vec::new(),
            report: UpdateReport::default(),
        }
    }

    fn step(&mut self, index: usize, prepared: &Prepared<'_>) -> Result<(), Refusal> {
        self.check_ids(prepared.operation())?;
        let (content, embedding) = prepared.content()?;
        if let Some(text) = content.text.as_ref().filter(|_| self.library.settings.refuse_secrets) {
            text.refuse_secret()?;
        }
        let text = content.text.clone().zip(embedding.cloned());
        match prepared.operation() {
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
            self.standing.remove(&lesson(before));
            self.standing.insert(lesson(&after), id);
            self.entries.insert(id, after);
        }
        self.written.push(id);
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
        self.standing.insert(lesson(&experience), id);
        self.entries.insert(id, experience);
        self.written.push(id);
        id
    }

    fn leave(&mut self, id: ExperienceId) -> Option<Experience> {
        let experience = self.entries.remove(&id)?;
        self.standing.remove(&lesson(&experience));
        self.left.insert(id);
        Some(experience)
    }

    fn equal_to(&self, text: &ExperienceText, domain: &Domain, except: &[ExperienceId]) -> Option<ExperienceId> {
        self.standing.get(&(text.clone(), domain.clone())).copied().filter(|id| !except.contains(id))
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
        let mut seen = BTreeSet::new();
        let once = self.written.iter().filter(|id| seen.insert(**id));
        once.filter_map(|id| self.nearest(self.entries.get(id)?)).filter(close).collect()
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
        let written: BTreeSet<&ExperienceId> = self.written.iter().collect();
        let is_new = |entry: &&Experience| !entry.pinned && written.contains(&entry.id);
        let new: BTreeSet<ExperienceId> = self.entries.values().filter(is_new).map(|entry| entry.id).collect();
        let pinned = self.entries.values().filter(|entry| entry.pinned).count();
        if !new.is_empty() && pinned >= settings.capacity {
            return Err(no_place(settings.capacity, pinned));
        }
        Ok(if pinned + new.len() > settings.capacity { BTreeSet::new() } else { new })
    }
}

/// What no two entries of a library may have in common.
fn lesson(entry: &Experience) -> (ExperienceText, Domain) {
    (entry.text.clone(), entry.domain.clone())
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::in_memory::HashEmbedder;
    use crate::operation::prepare;
    use crate::ports::Embedder;
    use crate::settings::Settings;

    fn updated(entries: Vec<Experience>, wire: serde_json::Value, settings: Settings) -> Result<Updated, Error> {
        let operations: Vec<Operation> = serde_json::from_value(wire).unwrap();
        let prepared = prepare(&operations, |texts| HashEmbedder.embed(texts)).unwrap();
        let library = Library { next_id: 9, epoch: 7, ..Library::new(settings) };
        apply(&library, entries, &prepared, OnInvalid::Reject, Timestamp(1))
    }

    #[test]
    fn a_merge_takes_the_highest_confidence_and_the_sums_by_hand() {
        // `alg:memory-update`: c = max(0.3, 0.8), u = 2 + 5, successes = 1 + 4, failures = 1 + 0, k = now = 7.
        let first =
            Experience { usage_count: 2, successes: 1, failures: 1, last_improved: Some(3), ..Experience::plain(1) };
        let second = Experience { usage_count: 5, successes: 4, pinned: true, ..Experience::plain(2) };
        let parents = vec![first.with_confidence(0.3), second.with_confidence(0.8)];
        let merge = serde_json::json!([{"op": "merge", "ids": [1, 2], "text": "both"}]);
        let updated = updated(parents, merge, Settings::default()).unwrap();
        let [merged] = &updated.entries[..] else { panic!("{:?}", updated.entries) };
        assert_eq!((merged.id, merged.confidence.get(), merged.usage_count, merged.epoch), (9, 0.8, 7, 7));
        assert_eq!((merged.successes, merged.failures, merged.last_improved), (5, 1, Some(3)));
        assert!(merged.pinned && updated.next_id == 10);
    }

    #[test]
    fn a_modify_keeps_what_was_learned_and_is_young_again() {
        let learned =
            Experience { usage_count: 2, successes: 1, last_improved: Some(3), epoch: 1, ..Experience::plain(1) };
        let modify = serde_json::json!([{"op": "modify", "id": 1, "text": "renewed"}]);
        let updated = updated(vec![learned.clone().with_confidence(0.8)], modify, Settings::default()).unwrap();
        let embedding = HashEmbedder.embed(&["renewed"]).unwrap().remove(0).embedding;
        let text = ExperienceText::parse("renewed").unwrap();
        let expected = Experience { text, embedding, epoch: 7, updated_at: Timestamp(1), ..learned };
        assert_eq!(updated.entries, [expected.with_confidence(0.8)]);
    }

    #[test]
    fn a_secret_is_refused_unless_the_library_says_otherwise() {
        let secret = ["ghp", "_", &"R2d2C3po".repeat(5)].concat();
        let text = format!("Push with {secret}");
        let standing = Experience { text: ExperienceText::parse(&text).unwrap(), ..Experience::plain(1) };
        let entries = vec![standing, Experience::plain(2), Experience::plain(3)];
        let list = serde_json::json!([
            {"op": "add", "text": text},
            {"op": "modify", "id": 2, "text": text},
            {"op": "merge", "ids": [2, 3], "text": text},
            {"op": "modify", "id": 1, "pinned": true},
        ]);
        let refused = updated(entries.clone(), list.clone(), Settings::default()).unwrap_err();
        assert!(!format!("{refused:?}").contains("R2d2"), "{refused:?}");
        let Error::Faults(faults) = refused else { panic!("{refused:?}") };
        assert_eq!(faults.iter().map(|fault| fault.code).collect::<Vec<_>>(), [Code::Secret; 3]);
        assert!(faults[0].message.contains("refuse_secrets=false"), "{}", faults[0].message);
        let open = updated(entries, list, Settings { refuse_secrets: false, ..Settings::default() }).unwrap_err();
        let Error::Faults(faults) = open else { panic!("{open:?}") };
        assert_eq!(faults.iter().map(|fault| fault.code).collect::<Vec<_>>(), [Code::DuplicateText; 2]);
    }

    #[test]
    fn what_the_list_wrote_is_spared_where_it_fits() {
        // Eight old ones of c = 0.9, some of them pinned, meet new ones of c = 0.1 at capacity 8.
        let old = |pinned| (1..=8).map(move |id| Experience { pinned: id <= pinned, ..Experience::plain(id) });
        let new = |count: u64| -> serde_json::Value {
            (0..count)
                .map(|id| serde_json::json!({"op": "add", "text": format!("new {id}"), "confidence": 0.1}))
                .collect()
        };
        let settings = Settings { capacity: 8, strategy: crate::settings::Strategy::Importance, ..Settings::default() };
        let gone = |count, pinned| {
            let entries = old(pinned).map(|entry| entry.with_confidence(0.9)).collect();
            let updated = updated(entries, new(count), settings.clone());
            updated.map(|updated| updated.report.evicted.iter().map(|gone| gone.id).collect::<Vec<_>>())
        };
        // max(ceil(0.2 m), excess): ceil(0.2 * 7) = 2 of the old; ceil(0.2 * 6) = 2; no place to spare 7, so the new go.
        assert_eq!(gone(1, 1).unwrap(), [2, 3]);
        assert_eq!(gone(2, 2).unwrap(), [3, 4]);
        assert_eq!(gone(7, 2).unwrap(), [9, 10, 11, 12, 13, 14, 15]);
        let refused = gone(1, 8).unwrap_err();
        assert_eq!(refused.code(), Code::CapacityPinned);
        let paper = Settings { spare_new: false, ..settings };
        let entries = old(0).map(|entry| entry.with_confidence(0.9)).collect();
        let updated = updated(entries, new(1), paper).unwrap();
        assert_eq!(updated.report.evicted.iter().map(|gone| gone.id).collect::<Vec<_>>(), [9, 1]);
    }
}
