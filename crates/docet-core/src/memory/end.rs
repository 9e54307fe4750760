//! Ending a session: verdicts on its lessons, and the lessons learned in it.

use super::begin::{session_expired, unknown_session};
use super::{Error, Memory, library};
use crate::error::{Code, Refusal};
use crate::experience::{ExperienceId, Timestamp};
use crate::guidelines;
use crate::library::{Library, LibraryName};
use crate::operation::{OnInvalid, Operation, Prepared, UpdateReport};
use crate::ports::Transaction;
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
    /// let (memory, library, now) = (Memory::in_memory(), LibraryName::default(), Timestamp(0));
    /// memory.update(&library, &Update::of(vec![Operation::add("Run the tests first.")]), now)?;
    /// # use docet_core::session::{Outcome, Verdict};
    /// let session = SessionId("s1".to_owned());
    /// memory.begin(&library, &Begin { recall: Recall::of("fix the tests"), ..Begin::default() }, &session, now)?;
    /// let outcome = Outcome { reward: Some(1.0), baseline: Some(0.5), ..Outcome::default() };
    /// let report = memory.end(&session, None, &End { outcome, ..End::default() }, now)?;
    /// assert_eq!((report.verdict, report.updates[0].after.get()), (Verdict::Improved, 0.55));
    /// # Ok::<(), docet_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// `unknown_session`, `session_expired`, `session_ended` where a second end brings other operations;
    /// `outcome_missing`, `unknown_label`, `conflicting_labels`, and those of [`Memory::update`]: then the session
    /// stays open.
    pub fn end(
        &self,
        id: &SessionId,
        named: Option<&LibraryName>,
        end: &End,
        now: Timestamp,
    ) -> Result<EndReport, Error> {
        let name = self.library_of(id, named)?;
        let standing = self.look(&name, |snapshot| Ok(snapshot.session(id)?))?;
        if let Some(first) = standing.and_then(|session| session.end) {
            return first_answer(id, first, end);
        }
        let prepared = self.prepare(&name, &end.operations)?;
        self.change(&name, |transaction| {
            let mut session = transaction.session(id)?.ok_or_else(|| unknown_session(id))?;
            match (session.state(now), session.end.take()) {
                (_, Some(first)) => return first_answer(id, first, end),
                (SessionState::Expired, None) => return Err(session_expired(id).into()),
                (_, None) => {}
            }
            let mut library = library(transaction, &name)?;
            let report = self.close(transaction, &mut library, &session, end, &prepared, now)?;
            session.end = Some(SessionEnd { at: now, report: report.clone(), operations: end.operations.clone() });
            transaction.put_session(&session)?;
            transaction.put_library(&library)?;
            Ok(report)
        })
    }

    fn close(
        &self,
        transaction: &mut dyn Transaction,
        library: &mut Library,
        session: &Session,
        end: &End,
        operations: &[Prepared<'_>],
        now: Timestamp,
    ) -> Result<EndReport, Error> {
        let settings = &library.settings;
        let earlier = transaction.rewards(session.group.as_ref(), settings.baseline_window)?;
        let judgement = session::judge(&end.outcome, session.receipt.len(), &earlier, settings)?;
        let (updates, gone) = credit_all(transaction, library, session, &judgement, now)?;
        let update = match operations {
            [] => None,
            operations => Some(self.apply(transaction, library, operations, OnInvalid::Reject, now)?),
        };
        let changed = update.as_ref().is_some_and(|(_, changed)| *changed);
        library.revision += u64::from(changed || !updates.is_empty() || !end.outcome.none);
        let revision = library.revision;
        Ok(EndReport {
            session: session.id.clone(),
            verdict: judgement.verdict,
            reward: end.outcome.reward,
            baseline: judgement.baseline,
            baseline_from: judgement.baseline_from,
            updates,
            gone,
            revision,
            update: update.map(|(report, _)| UpdateReport { revision, ..report }),
        })
    }
}

/// Credits each applied entry that is still there, and lists those that are gone.
fn credit_all(
    transaction: &mut dyn Transaction,
    library: &Library,
    session: &Session,
    judgement: &Judgement,
    now: Timestamp,
) -> Result<(Vec<Credit>, Vec<ExperienceId>), Error> {
    let (mut updates, mut gone) = (Vec::new(), Vec::new());
    for &(number, verdict) in &judgement.labels {
        let id = session.receipt[number].id;
        let Some(mut experience) = transaction.experience(id)? else {
            gone.push(id);
            continue;
        };
        let before = experience.confidence;
        session::credit(&mut experience, verdict, session.epoch, &library.settings);
        experience.updated_at = now;
        transaction.put_experience(&experience)?;
        let (after, usage_count) = (experience.confidence, experience.usage_count);
        updates.push(Credit { id, label: guidelines::label(number), verdict, before, after, usage_count });
    }
    Ok((updates, gone))
}

fn first_answer(id: &SessionId, first: SessionEnd, end: &End) -> Result<EndReport, Error> {
    if end.operations.is_empty() || end.operations == first.operations {
        return Ok(first.report);
    }
    let message = format!("session {id} has ended, without these operations; send them by `docet update`");
    Err(Refusal::new(Code::SessionEnded, message).field("session").value(id).into())
}
