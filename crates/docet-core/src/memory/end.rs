//! Ending a session: verdicts on its lessons, and the lessons learned in it.

use std::collections::BTreeMap;

use super::begin::{session_expired, unknown_session};
use super::plan::{Effort, Plan};
use super::{Call, Error, Memory, library};
use crate::error::{Code, Refusal};
use crate::experience::{Experience, ExperienceId, Timestamp};
use crate::guidelines;
use crate::history::{RevisionKind, Reward, RewardChanged};
use crate::library::{Library, LibraryName};
use crate::operation::{OnInvalid, Operation, Prepared, UpdateReport};
use crate::ports::Snapshot;
use crate::session::{self, Credit, EndReport, Judgement, Outcome, Session, SessionEnd, SessionId, SessionState};

/// How a session ends.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct End {
    /// What came of it.
    pub outcome: Outcome,
    /// Lessons learned in it, all or nothing with the end itself.
    pub operations: Vec<Operation>,
}

impl Memory {
    /// Ends a session once: judges its applied labels, moves confidence (`eq:confidence-update`), applies the
    /// operations; all of it is one revision. A second end changes nothing and returns the first answer. `named` is
    /// the library that the caller named, if any.
    ///
    /// ```
    /// # use docet_core::{experience::Timestamp, library::LibraryName, operation::Operation, session::SessionId};
    /// # use docet_core::memory::*;
    /// let (memory, library, call) = (Memory::in_memory(), LibraryName::default(), Call::at(Timestamp(0)));
    /// memory.update(&library, &Update::of(vec![Operation::add("Run the tests first.")]), &call)?;
    /// # use docet_core::session::{Outcome, Verdict};
    /// let session = SessionId("s1".to_owned());
    /// memory.begin(&library, &Begin { recall: Recall::of("fix the tests"), ..Begin::default() }, &session, &call)?;
    /// let outcome = Outcome { reward: Some(1.0), baseline: Some(0.5), ..Outcome::default() };
    /// let report = memory.end(&session, None, &End { outcome, ..End::default() }, &call)?;
    /// assert_eq!((report.verdict, report.updates[0].after.get()), (Verdict::Improved, 0.55));
    /// # Ok::<(), docet_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// `unknown_session`, `session_expired`, `session_ended` where a second end brings other operations;
    /// `outcome_missing`, `unknown_label`, `conflicting_labels`, and those of [`Memory::update`]: then the session
    /// stays open.
    pub fn end(&self, id: &SessionId, named: Option<&LibraryName>, end: &End, call: &Call) -> Result<EndReport, Error> {
        let name = self.library_of(id, named)?;
        if let Some(first) = self.first_answer(&name, call)? {
            return Ok(first);
        }
        let standing = self.look(&name, |snapshot| Ok(snapshot.session(id)?))?;
        if let Some(first) = standing.and_then(|session| session.end) {
            return first_end(id, first, end);
        }
        let (prepared, effort) = self.prepare(&name, &end.operations)?;
        let effort = if end.operations.is_empty() { Effort::Small } else { effort };
        self.carry_out(&name, call, effort, |snapshot| {
            let session = snapshot.session(id)?.ok_or_else(|| unknown_session(id))?;
            let library = library(snapshot, &name)?;
            let plan = Plan::new(RevisionKind::End, Some(library.clone()), library);
            match (session.state(call.now), &session.end) {
                (_, Some(first)) => Ok((plan, first_end(id, first.clone(), end)?)),
                (SessionState::Expired, None) => Err(session_expired(id).into()),
                (_, None) => self.close(snapshot, plan, session, end, &prepared, call.now),
            }
        })
    }

    fn close(
        &self,
        snapshot: &dyn Snapshot,
        mut plan: Plan,
        session: Session,
        end: &End,
        operations: &[Prepared<'_>],
        now: Timestamp,
    ) -> Result<(Plan, EndReport), Error> {
        let settings = &plan.library.settings;
        let earlier = snapshot.rewards(session.group.as_ref(), settings.baseline_window)?;
        let judgement = session::judge(&end.outcome, session.receipt.len(), &earlier, settings)?;
        let Credits { updates, gone, entries } = credit_all(snapshot, &plan.library, &session, &judgement, now)?;
        let update = match operations {
            [] => {
                plan.entries = entries.into_values().map(|(before, after)| (Some(before), Some(after))).collect();
                None
            }
            operations => {
                let before = snapshot.experiences()?;
                let credited = |entry: &Experience| entries.get(&entry.id).map_or(entry, |(_, after)| after).clone();
                let standing = before.iter().map(credited).collect();
                Some(self.apply(&mut plan, before, standing, operations, OnInvalid::Reject, now)?)
            }
        };
        plan.is_always_a_revision = !end.outcome.none;
        plan.reward = end.outcome.reward.map(|reward| {
            let (session_epoch, group) = (session.epoch, session.group.clone());
            let after = Some(Reward { session_epoch, group, revision: plan.library.revision + 1, reward });
            RewardChanged { before: None, after }
        });
        let revision = plan.number();
        let report = EndReport {
            session: session.id.clone(),
            verdict: judgement.verdict,
            reward: end.outcome.reward,
            baseline: judgement.baseline,
            baseline_from: judgement.baseline_from,
            updates,
            gone,
            revision,
            update: update.map(|report| UpdateReport { revision, ..report }),
        };
        let ended = SessionEnd { at: now, report: report.clone(), operations: end.operations.clone() };
        plan.session = Some((session.clone(), Session { end: Some(ended), ..session }));
        Ok((plan, report))
    }
}

/// What the applied entries of a session become.
struct Credits {
    updates: Vec<Credit>,
    gone: Vec<ExperienceId>,
    /// Before and after.
    entries: BTreeMap<ExperienceId, (Experience, Experience)>,
}

/// Credits each applied entry that is still there, and lists those that are gone.
fn credit_all(
    snapshot: &dyn Snapshot,
    library: &Library,
    session: &Session,
    judgement: &Judgement,
    now: Timestamp,
) -> Result<Credits, Error> {
    let mut credits = Credits { updates: Vec::new(), gone: Vec::new(), entries: BTreeMap::new() };
    for &(number, verdict) in &judgement.labels {
        let id = session.receipt[number].id;
        let Some(standing) = snapshot.experience(id)? else {
            credits.gone.push(id);
            continue;
        };
        let (_, experience) = credits.entries.entry(id).or_insert_with(|| (standing.clone(), standing));
        let before = experience.confidence;
        session::credit(experience, verdict, session.epoch, &library.settings);
        experience.updated_at = now;
        let (after, usage_count) = (experience.confidence, experience.usage_count);
        credits.updates.push(Credit { id, label: guidelines::label(number), verdict, before, after, usage_count });
    }
    Ok(credits)
}

/// What a second end is answered.
fn first_end(id: &SessionId, first: SessionEnd, end: &End) -> Result<EndReport, Error> {
    let same = |given: &[Operation]| {
        given.len() == first.operations.len() && given.iter().zip(&first.operations).all(|(a, b)| a.is_or_was(b))
    };
    if end.operations.is_empty() || same(&end.operations) {
        return Ok(first.report);
    }
    let message = format!("session {id} has ended, without these operations; send them by `docet update`");
    Err(Refusal::new(Code::SessionEnded, message).field("session").value(id).into())
}
