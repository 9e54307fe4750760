//! Erasing for good what entries no longer say.

use std::collections::BTreeSet;

use super::plan::Plan;
use super::{Call, Error, Memory, library};
use crate::answers::{Erasure, PurgeReport, Remembered};
use crate::experience::Timestamp;
use crate::history::{RevisionKind, RevisionQuery};
use crate::library::LibraryName;
use crate::ports::{Snapshot, Transaction};
use crate::session::Session;

/// What to erase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Purge {
    /// Only what was archived or superseded more than so many days ago.
    pub older_than_days: Option<u32>,
    /// Whether only to say what would go.
    pub dry_run: bool,
}

/// Everything beside the history that quotes lessons, with what a purge leaves of it.
struct Remains {
    sessions: Vec<Session>,
    answers: Vec<Remembered>,
    report: PurgeReport,
    kept: BTreeSet<String>,
}

impl Memory {
    /// Erases for good, in one library, the texts of archived entries and all superseded texts: in the history, in
    /// receipts and reports of sessions, and in remembered answers; then the store is scrubbed, so that they stand
    /// nowhere in it. What an entry says now stays, wherever it stands. Names the copies of the store that it does not
    /// touch.
    ///
    /// ```
    /// # use docet_core::{experience::Timestamp, library::LibraryName, operation::Operation, session::SessionId};
    /// # use docet_core::memory::*;
    /// let (memory, library, call) = (Memory::in_memory(), LibraryName::default(), Call::at(Timestamp(0)));
    /// memory.update(&library, &Update::of(vec![Operation::add("Run the tests first.")]), &call)?;
    /// memory.update(&library, &Update::of(vec![Operation::Delete { id: 1 }]), &call)?;
    /// let (report, copies) = memory.purge(&library, Purge::default(), &call)?;
    /// assert_eq!((report.archived, report.texts, copies.len()), (vec![1], 1, 0));
    /// # Ok::<(), docet_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// `library_missing`, `store_busy` where others read for too long: then the texts are out of reach but not yet out
    /// of the store, and the call can be repeated; other failures of the store.
    pub fn purge(&self, name: &LibraryName, purge: Purge, call: &Call) -> Result<(PurgeReport, Vec<String>), Error> {
        let cutoff = purge.older_than_days.map(|days| call.now.later(-i64::from(days) * Timestamp::DAY));
        if purge.dry_run {
            let remains = self.look(name, |snapshot| remains(snapshot, name, cutoff))?;
            return Ok((PurgeReport { dry_run: true, ..remains.report }, Vec::new()));
        }
        let report = self.change(name, |transaction| {
            if let Some(first) = call.first_answer(transaction)? {
                return Ok(first);
            }
            let report = erase(transaction, name, cutoff, call)?;
            let settings = library(transaction, name)?.settings;
            call.remember(transaction, &settings, report.clone())?;
            Ok(report)
        })?;
        Ok((report, self.store.scrub()?))
    }
}

/// What goes, and what stays of sessions and answers.
fn remains(snapshot: &dyn Snapshot, name: &LibraryName, cutoff: Option<Timestamp>) -> Result<Remains, Error> {
    let library = library(snapshot, name)?;
    let kept = kept(snapshot, cutoff)?;
    let recorded = snapshot.recorded_texts()?;
    let mut erasure = Erasure { kept: &kept, erased: recorded.difference(&kept).cloned().collect() };
    let mut sessions = snapshot.sessions(None, usize::MAX)?;
    sessions.retain_mut(|session| {
        let before = session.clone();
        erasure.session(session);
        *session != before
    });
    let mut texts = erasure.erased;
    let mut answers = snapshot.all_remembered()?;
    answers.retain_mut(|remembered| {
        let erased = remembered.answer.erase(&kept);
        let is_changed = !erased.is_empty();
        texts.extend(erased);
        is_changed
    });
    let is_erased = |text: &str| !kept.contains(text);
    let archived = snapshot
        .archived(None)?
        .into_iter()
        .filter(|left| left.record.text.as_ref().is_some_and(|text| is_erased(text.as_str())));
    let report = PurgeReport {
        made: None,
        revision: library.revision,
        archived: archived.map(|left| left.record.id).collect(),
        texts: texts.len(),
        dry_run: false,
    };
    Ok(Remains { sessions, answers, report, kept })
}

/// What entries say now, or said after `cutoff`.
fn kept(snapshot: &dyn Snapshot, cutoff: Option<Timestamp>) -> Result<BTreeSet<String>, Error> {
    let mut kept: BTreeSet<String> = snapshot.experiences()?.iter().map(|entry| entry.text.to_string()).collect();
    let Some(cutoff) = cutoff else { return Ok(kept) };
    for revision in snapshot.revisions(&RevisionQuery::default())? {
        if revision.at >= cutoff {
            let before = revision.changes.into_iter().filter_map(|change| change.before?.text);
            kept.extend(before.map(|text| text.to_string()));
        }
    }
    Ok(kept)
}

fn erase(
    transaction: &mut dyn Transaction,
    name: &LibraryName,
    cutoff: Option<Timestamp>,
    call: &Call,
) -> Result<PurgeReport, Error> {
    let Remains { sessions, answers, report, kept } = remains(&*transaction, name, cutoff)?;
    if report.texts == 0 {
        return Ok(report);
    }
    transaction.erase_records(&kept)?;
    sessions.iter().try_for_each(|session| transaction.put_session(session))?;
    answers.iter().try_for_each(|remembered| transaction.remember(remembered))?;
    let library = library(transaction, name)?;
    let mut plan = Plan::new(RevisionKind::Purge, Some(library.clone()), library);
    plan.is_always_a_revision = true;
    plan.commit(transaction, call)?;
    Ok(PurgeReport { made: plan.revision(call), revision: plan.number(), ..report })
}
