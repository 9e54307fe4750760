//! Every change is planned on one state of a library, then committed as one revision.

use super::{Call, Error, Memory};
use crate::answers::Answer;
use crate::error::Refusal;
use crate::experience::Experience;
use crate::history::{Change, Record, Revision, RevisionKind, RewardChanged, SettingsChanged};
use crate::library::{Library, LibraryName};
use crate::ports::{Snapshot, Transaction};
use crate::session::Session;

/// How often a plan that takes long is made anew because others changed the library meanwhile. Then it is made while
/// the others wait.
const TRIES: usize = 3;

/// How long a plan takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Effort {
    /// Milliseconds: it is made while the library is locked.
    Small,
    /// Longer: it is made on a snapshot, and anew where the library has changed when it is to be committed.
    Large,
}

/// A change that is decided and not yet written.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    kind: RevisionKind,
    /// The library that it was decided on.
    found: Option<Library>,
    /// The library as it will be; its revision is still that of before.
    pub(super) library: Library,
    /// Entries that change, by id, before and after.
    pub(super) entries: Vec<(Option<Experience>, Option<Experience>)>,
    /// A session before and after.
    pub(super) session: Option<(Session, Session)>,
    /// A reward that begins or ceases to count.
    pub(super) reward: Option<RewardChanged>,
    /// Whether it is a revision even where it changes nothing.
    pub(super) is_always_a_revision: bool,
}

impl Plan {
    /// A plan that changes nothing yet of `library`, which stands so unless it is `found` to be missing.
    pub(super) fn new(kind: RevisionKind, found: Option<Library>, library: Library) -> Self {
        Self { kind, found, library, entries: Vec::new(), session: None, reward: None, is_always_a_revision: false }
    }

    /// The library's revision once this is committed.
    pub(super) fn number(&self) -> u64 {
        self.library.revision + u64::from(self.is_revision())
    }

    /// Ids that were given and taken away again in one list are used up, which is no change of entries.
    fn is_revision(&self) -> bool {
        let changes = !self.entries.is_empty() || self.settings().is_some() || self.reward.is_some();
        changes || self.is_always_a_revision
    }

    fn settings(&self) -> Option<SettingsChanged> {
        let before = self.found.as_ref().map_or_else(Default::default, |found| found.settings.clone());
        let after = self.library.settings.clone();
        (before != after).then_some(SettingsChanged { before, after })
    }

    /// What the history will say, where it is a revision.
    pub(super) fn revision(&self, call: &Call) -> Option<Revision> {
        let record = |entry: &Option<Experience>| entry.as_ref().map(Record::from);
        let change = |(before, after): &(Option<Experience>, Option<Experience>)| {
            let id = before.as_ref().or(after.as_ref()).map_or(0, |entry| entry.id);
            Change { id, before: record(before), after: record(after) }
        };
        self.is_revision().then(|| Revision {
            number: self.number(),
            at: call.now,
            actor: call.actor.clone(),
            reason: call.reason.clone(),
            kind: self.kind,
            changes: self.entries.iter().map(change).collect(),
            settings: self.settings(),
            reward: self.reward.clone(),
        })
    }

    /// Whether the library is still as it was when this was planned.
    fn is_current(&self, snapshot: &(impl Snapshot + ?Sized)) -> Result<bool, Error> {
        let session = match &self.session {
            Some((before, _)) => snapshot.session(&before.id)?.as_ref() == Some(before),
            None => true,
        };
        Ok(session && snapshot.library()? == self.found)
    }

    /// Writes it all.
    pub(super) fn commit(&self, transaction: &mut dyn Transaction, call: &Call) -> Result<(), Error> {
        for change in &self.entries {
            match change {
                (_, Some(after)) => transaction.put_experience(after)?,
                (Some(before), None) => transaction.remove_experience(before.id)?,
                (None, None) => {}
            }
        }
        if let Some((_, session)) = &self.session {
            transaction.put_session(session)?;
        }
        match &self.reward {
            Some(RewardChanged { after: Some(reward), .. }) => transaction.put_reward(reward)?,
            Some(RewardChanged { before: Some(reward), .. }) => transaction.remove_reward(reward.session_epoch)?,
            _ => {}
        }
        if let Some(revision) = self.revision(call) {
            transaction.put_revision(&revision)?;
        }
        let library = Library { revision: self.number(), ..self.library.clone() };
        if self.found.as_ref() != Some(&library) {
            transaction.put_library(&library)?;
        }
        Ok(())
    }
}

impl Memory {
    /// Carries out what `plan` decides and returns its answer; of a repeated call, the first one.
    pub(super) fn carry_out<T: Clone + Into<Answer> + TryFrom<Answer>>(
        &self,
        name: &LibraryName,
        call: &Call,
        effort: Effort,
        mut plan: impl FnMut(&dyn Snapshot) -> Result<(Plan, T), Error>,
    ) -> Result<T, Error> {
        let tries = if effort == Effort::Large { TRIES } else { 0 };
        for _ in 0..tries {
            let planned = self.look(name, |snapshot| match call.first_answer(snapshot)? {
                Some(first) => Ok(Err(first)),
                None => plan(snapshot).map(Ok),
            })?;
            let (plan, answer) = match planned {
                Ok(planned) => planned,
                Err(first) => return Ok(first),
            };
            let committed = self.change(name, |transaction| {
                if !plan.is_current(transaction)? {
                    return Ok(false);
                }
                plan.commit(transaction, call)?;
                call.remember(transaction, &plan.library.settings, answer.clone())?;
                Ok(true)
            })?;
            if committed {
                return Ok(answer);
            }
        }
        self.change(name, |transaction| {
            if let Some(first) = call.first_answer(transaction)? {
                return Ok(first);
            }
            let (plan, answer) = plan(&*transaction)?;
            plan.commit(transaction, call)?;
            call.remember(transaction, &plan.library.settings, answer.clone())?;
            Ok(answer)
        })
    }

    /// The first answer to a call, looked up before anything is encoded for it.
    pub(super) fn first_answer<T: TryFrom<Answer>>(&self, name: &LibraryName, call: &Call) -> Result<Option<T>, Error> {
        match call.key {
            Some(_) => self.look(name, |snapshot| call.first_answer(snapshot)),
            None => Ok(None),
        }
    }
}

/// What differs between two states of a library's entries, both by id.
pub(super) fn differences(
    before: Vec<Experience>,
    after: Vec<Experience>,
) -> Vec<(Option<Experience>, Option<Experience>)> {
    let (mut changes, mut old) = (Vec::new(), before.into_iter().peekable());
    for entry in after {
        while let Some(gone) = old.next_if(|earlier| earlier.id < entry.id) {
            changes.push((Some(gone), None));
        }
        match old.next_if(|earlier| earlier.id == entry.id) {
            Some(same) if same == entry => {}
            before => changes.push((before, Some(entry))),
        }
    }
    changes.extend(old.map(|gone| (Some(gone), None)));
    changes
}

/// Refuses what would leave more entries than the capacity.
pub(super) fn over_capacity(size: usize, capacity: usize) -> Refusal {
    let message = format!(
        "the library would hold {size} entries, {} over capacity {capacity}; add --evict to let some leave, or allow \
         {size}",
        size - capacity
    );
    Refusal::new(crate::error::Code::OverCapacity, message)
        .field("capacity")
        .value(capacity)
        .allowed(format!("{size} or more, or --evict"))
}
