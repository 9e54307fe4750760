//! Taking a revision back, and bringing back an entry that left.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::look::purged;
use super::plan::{Effort, Plan, differences, over_capacity};
use super::{Call, Error, Memory, library};
use crate::answers::Revised;
use crate::compression::{self, Compression, Evicted};
use crate::embedding::Embedding;
use crate::error::{Code, Refusal};
use crate::experience::{Experience, ExperienceId};
use crate::history::{Record, Revision, RevisionKind, RevisionQuery, RewardChanged};
use crate::library::{Library, LibraryName};
use crate::ports::Snapshot;
use crate::update::unknown_id;

/// The vectors of texts that come back.
type Vectors = HashMap<String, Embedding>;

/// What entries become; none where they leave.
type Targets = BTreeMap<ExperienceId, Option<Record>>;

impl Memory {
    /// Takes one revision back: each entry that it changed becomes what it was before, settings and the reward of a
    /// session too. Ids that were used stay used, the epoch stays, and an ended session stays ended. Where that would
    /// pass the capacity it is refused, unless entries may leave.
    ///
    /// ```
    /// # use docet_core::{experience::Timestamp, library::LibraryName, operation::Operation, session::SessionId};
    /// # use docet_core::memory::*;
    /// let (memory, library, call) = (Memory::in_memory(), LibraryName::default(), Call::at(Timestamp(0)));
    /// memory.update(&library, &Update::of(vec![Operation::add("Run the tests first.")]), &call)?;
    /// memory.update(&library, &Update::of(vec![Operation::Delete { id: 1 }]), &call)?;
    /// let undone = memory.undo(&library, 2, false, &call)?;
    /// assert_eq!((undone.revision.number, undone.size), (3, 1));
    /// # Ok::<(), docet_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// `unknown_revision`; `undo_conflict` where later revisions touched the same entries or settings; `purged`;
    /// `duplicate_text` where two entries of a domain would be equal; `over_capacity`, `capacity_pinned`,
    /// `library_missing`, `encoder_differs`, and failures of store and encoder.
    pub fn undo(&self, name: &LibraryName, number: u64, evict: bool, call: &Call) -> Result<Revised, Error> {
        if let Some(first) = self.first_answer(name, call)? {
            return Ok(first);
        }
        let (revision, library) = self.look(name, |snapshot| {
            let library = library(snapshot, name)?;
            let revision = revision(snapshot, number)?;
            check_conflicts(snapshot, &revision, &library)?;
            Ok((revision, library))
        })?;
        let changed = revision.changes.iter().filter(|change| text_of(&change.before) != text_of(&change.after));
        let vectors = self.vectors(&library, changed.filter_map(|change| change.before.as_ref()))?;
        self.carry_out(name, call, Effort::Large, |snapshot| {
            let mut plan = revising(snapshot, name, RevisionKind::Undo)?;
            // Anew, since its texts may have been purged meanwhile.
            let revision = self::revision(snapshot, number)?;
            let targets: Targets = revision.changes.iter().map(|change| (change.id, change.before.clone())).collect();
            check_conflicts(snapshot, &revision, &plan.library)?;
            if let Some(settings) = &revision.settings {
                for key in settings.before.differences(&settings.after) {
                    plan.library.settings.take_over(key, &settings.before);
                }
                plan.library.settings.check()?;
            }
            plan.reward = revision
                .reward
                .clone()
                .map(|RewardChanged { before, after }| RewardChanged { before: after, after: before });
            let (evicted, size) = self.put_back(snapshot, &mut plan, &targets, &vectors, evict)?;
            plan.is_always_a_revision = true;
            Ok(revised(plan, evicted, size, call))
        })
    }

    /// Brings back an entry that left, under its id and as it was when it left.
    ///
    /// ```
    /// # use docet_core::{experience::Timestamp, library::LibraryName, operation::Operation, session::SessionId};
    /// # use docet_core::memory::*;
    /// let (memory, library, call) = (Memory::in_memory(), LibraryName::default(), Call::at(Timestamp(0)));
    /// memory.update(&library, &Update::of(vec![Operation::add("Run the tests first.")]), &call)?;
    /// memory.update(&library, &Update::of(vec![Operation::Delete { id: 1 }]), &call)?;
    /// assert_eq!(memory.restore(&library, 1, false, &call)?.revision.changes[0].id, 1);
    /// # Ok::<(), docet_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// `unknown_id`, `bad_value` where the entry has not left, and those of [`Memory::undo`].
    pub fn restore(&self, name: &LibraryName, id: ExperienceId, evict: bool, call: &Call) -> Result<Revised, Error> {
        if let Some(first) = self.first_answer(name, call)? {
            return Ok(first);
        }
        let (record, library) = self.look(name, |snapshot| {
            let library = library(snapshot, name)?;
            Ok((archived(snapshot, id)?, library))
        })?;
        let vectors = self.vectors(&library, [&record].into_iter())?;
        self.carry_out(name, call, Effort::Large, |snapshot| {
            let mut plan = revising(snapshot, name, RevisionKind::Restore)?;
            let targets = Targets::from([(id, Some(archived(snapshot, id)?))]);
            let (evicted, size) = self.put_back(snapshot, &mut plan, &targets, &vectors, evict)?;
            Ok(revised(plan, evicted, size, call))
        })
    }

    /// The vectors of the texts of records, encoded before anything is locked.
    fn vectors<'a>(&self, library: &Library, records: impl Iterator<Item = &'a Record>) -> Result<Vectors, Error> {
        let texts =
            records.map(|record| record.text.as_ref().map(|text| text.as_str()).ok_or_else(|| purged(record.id)));
        let texts: Vec<&str> = texts.collect::<Result<BTreeSet<_>, _>>()?.into_iter().collect();
        if texts.is_empty() {
            return Ok(Vectors::new());
        }
        self.check_encoder(library)?;
        let vectors = self.embed(&texts)?.into_iter().map(|encoded| encoded.embedding);
        Ok(texts.iter().map(|text| (*text).to_owned()).zip(vectors).collect())
    }

    /// Plans that entries become what `targets` say, within the capacity; says who leaves for it, and how many entries
    /// there are afterwards.
    fn put_back(
        &self,
        snapshot: &dyn Snapshot,
        plan: &mut Plan,
        targets: &Targets,
        vectors: &Vectors,
        evict: bool,
    ) -> Result<(Vec<Evicted>, usize), Error> {
        let before = snapshot.experiences()?;
        let mut entries: BTreeMap<ExperienceId, Experience> =
            before.iter().map(|entry| (entry.id, entry.clone())).collect();
        for (id, target) in targets {
            let standing = entries.remove(id);
            if let Some(record) = target {
                let same = standing.filter(|entry| Some(&entry.text) == record.text.as_ref());
                let vector = same.map(|entry| entry.embedding).or_else(|| vectors.get(text_of(target)?).cloned());
                let entry = vector.and_then(|vector| record.clone().with(vector)).ok_or_else(|| purged(*id))?;
                entries.insert(*id, entry);
            }
        }
        refuse_equal(&entries, targets)?;
        if !vectors.is_empty() {
            self.check_encoder(&plan.library)?;
            plan.library.encoder.get_or_insert_with(|| self.embedder.encoder());
        }
        let evicted = make_room(&plan.library, &entries, targets, evict)?;
        evicted.iter().for_each(|gone| {
            entries.remove(&gone.id);
        });
        let size = entries.len();
        plan.entries = differences(before, entries.into_values().collect());
        Ok((evicted, size))
    }
}

fn text_of(record: &Option<Record>) -> Option<&str> {
    Some(record.as_ref()?.text.as_ref()?.as_str())
}

fn revising(snapshot: &dyn Snapshot, name: &LibraryName, kind: RevisionKind) -> Result<Plan, Error> {
    let library = library(snapshot, name)?;
    Ok(Plan::new(kind, Some(library.clone()), library))
}

fn revised(plan: Plan, evicted: Vec<Evicted>, size: usize, call: &Call) -> (Plan, Revised) {
    let revision = plan.revision(call).expect("what is put back differs, or it is an undo");
    (plan, Revised { revision, evicted, size })
}

/// The revision of that number, where it can be taken back.
fn revision(snapshot: &dyn Snapshot, number: u64) -> Result<Revision, Error> {
    let revision = snapshot.revision(number)?.ok_or_else(|| unknown_revision(number))?;
    let refuse = |code, why: &str| {
        let message = format!("revision {number} {why}, so there is nothing to take back");
        Err(Refusal::new(code, message).field("revision").value(number).into())
    };
    match revision.kind {
        RevisionKind::Purge => refuse(Code::Purged, "erased texts for good"),
        RevisionKind::Reembed => refuse(Code::BadValue, "made vectors anew out of the same texts"),
        _ => Ok(revision),
    }
}

/// An entry as it was when it left.
fn archived(snapshot: &dyn Snapshot, id: ExperienceId) -> Result<Record, Error> {
    if snapshot.experience(id)?.is_some() {
        let message = format!("entry {id} has not left the library; `docet show {id}` shows it");
        return Err(Refusal::new(Code::BadValue, message).field("id").value(id).into());
    }
    let left = snapshot.archived(Some(id))?.pop().ok_or_else(|| unknown_id(id))?;
    if left.record.text.is_some() { Ok(left.record) } else { Err(purged(id).into()) }
}

/// Refuses to take back what later revisions have touched, and names them.
fn check_conflicts(snapshot: &dyn Snapshot, revision: &Revision, library: &Library) -> Result<(), Error> {
    let mut later = BTreeSet::new();
    for change in &revision.changes {
        later.extend(snapshot.changed_after(revision.number, change.id)?);
    }
    if later.is_empty() && overtaken(revision, library) {
        later = later_with(snapshot, revision.number, |other| touches_settings(other, revision))?;
    }
    // Whatever changed the reward again changed the entries too, where there are any.
    if revision.changes.is_empty() && revision.reward.is_some() {
        later = later_with(snapshot, revision.number, |other| reward_epoch(other) == reward_epoch(revision))?;
    }
    if later.is_empty() { Ok(()) } else { Err(undo_conflict(revision.number, &later).into()) }
}

/// Whether the settings are no longer what the revision made of them.
fn overtaken(revision: &Revision, library: &Library) -> bool {
    let Some(changed) = &revision.settings else { return false };
    let since = changed.after.differences(&library.settings);
    changed.before.differences(&changed.after).iter().any(|key| since.contains(key))
}

fn touches_settings(other: &Revision, revision: &Revision) -> bool {
    let keys = |revision: &Revision| {
        revision.settings.as_ref().map_or_else(Vec::new, |changed| changed.before.differences(&changed.after))
    };
    let ours = keys(revision);
    keys(other).iter().any(|key| ours.contains(key))
}

fn reward_epoch(revision: &Revision) -> Option<u64> {
    let changed = revision.reward.as_ref()?;
    changed.after.as_ref().or(changed.before.as_ref()).map(|reward| reward.session_epoch)
}

fn later_with(
    snapshot: &dyn Snapshot,
    number: u64,
    is_wanted: impl Fn(&Revision) -> bool,
) -> Result<BTreeSet<u64>, Error> {
    let later = snapshot.revisions(&RevisionQuery { after: number, ..RevisionQuery::default() })?;
    Ok(later.iter().filter(|revision| is_wanted(revision)).map(|revision| revision.number).collect())
}

/// No two entries of a domain may say the same.
fn refuse_equal(entries: &BTreeMap<ExperienceId, Experience>, targets: &Targets) -> Result<(), Refusal> {
    let mut standing = HashMap::new();
    for entry in entries.values() {
        let Some(other) = standing.insert((&entry.text, &entry.domain), entry.id) else { continue };
        if targets.contains_key(&entry.id) || targets.contains_key(&other) {
            let message = format!(
                "entries {other} and {} would say the same in domain {}; delete one of them first",
                entry.id, entry.domain
            );
            return Err(Refusal::new(Code::DuplicateText, message).field("text").value(&entry.text));
        }
    }
    Ok(())
}

/// Who leaves for what comes back: nobody where it fits, and never what comes back itself.
fn make_room(
    library: &Library,
    entries: &BTreeMap<ExperienceId, Experience>,
    targets: &Targets,
    evict: bool,
) -> Result<Vec<Evicted>, Refusal> {
    let capacity = library.settings.capacity;
    if entries.len() <= capacity {
        return Ok(Vec::new());
    }
    if !evict {
        return Err(over_capacity(entries.len(), capacity));
    }
    let list: Vec<Experience> = entries.values().cloned().collect();
    let pinned = list.iter().filter(|entry| entry.pinned).count();
    let back: BTreeSet<ExperienceId> =
        targets.keys().copied().filter(|id| entries.get(id).is_some_and(|entry| !entry.pinned)).collect();
    if pinned + back.len() > capacity {
        return Err(no_place(pinned, back.len(), capacity));
    }
    compression::compress(&Compression {
        entries: &list,
        spared: &back,
        capacity,
        epoch: library.epoch,
        settings: &library.settings,
    })
}

fn no_place(pinned: usize, back: usize, capacity: usize) -> Refusal {
    let least = pinned + back;
    let message = format!(
        "{back} entries would come back beside {pinned} pinned ones, more than capacity {capacity}; unpin some, or raise \
         the capacity to {least}"
    );
    Refusal::new(Code::CapacityPinned, message).field("capacity").value(capacity).allowed(format!("{least} or more"))
}

fn unknown_revision(number: u64) -> Refusal {
    let message = format!("there is no revision {number}; `docet history` shows those that are there");
    Refusal::new(Code::UnknownRevision, message).field("revision").value(number)
}

fn undo_conflict(number: u64, later: &BTreeSet<u64>) -> Refusal {
    let shown: Vec<String> = later.iter().take(10).map(u64::to_string).collect();
    let more =
        if later.len() > shown.len() { format!(" and {} more", later.len() - shown.len()) } else { String::new() };
    let (word, list) = (if later.len() == 1 { "revision" } else { "revisions" }, shown.join(", "));
    let message = format!(
        "{word} {list}{more} changed the same since revision {number}, so it cannot be taken back alone; `docet history` \
         shows them, and what is wanted can be set by hand"
    );
    Refusal::new(Code::UndoConflict, message).field("revision").value(number)
}
