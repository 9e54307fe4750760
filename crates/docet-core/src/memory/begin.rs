//! Recalling lessons, and beginning a session with them.

use super::{Call, Error, Memory, library, library_to_write};
use crate::answers::Recalled;
use crate::domains::DomainThresholds;
use crate::error::{Code, Refusal};
use crate::experience::Timestamp;
use crate::library::{Library, LibraryName};
use crate::ports::{Encoded, Snapshot, Transaction};
use crate::retrieval::{DomainChoice, Ranking, Search};
use crate::session::{MAX_BASELINE_WINDOW, Receipt, Session, SessionId, SessionState};
use crate::settings::Settings;
use crate::text::FreeText;

/// A look-up for a task. What is not said is the library's setting.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Recall {
    /// The task as the agent has it; encoded as given.
    pub task: String,
    /// How many lessons at most, 1 to 100.
    pub top_k: Option<usize>,
    /// Which domains are eligible; inferred where nothing is said.
    pub domains: Option<DomainChoice>,
    /// The weight of confidence, 0 to 1.
    pub confidence_weight: Option<f64>,
    /// The least score, -1 to 1.
    pub min_score: Option<f64>,
}

impl Recall {
    /// For this task, all else by the settings.
    pub fn of(task: impl Into<String>) -> Self {
        Self { task: task.into(), ..Self::default() }
    }

    /// Checks what can be checked without the library.
    ///
    /// # Errors
    /// `empty_text` for a blank task, `bad_value` for a number outside of its range.
    pub fn check(&self) -> Result<(), Refusal> {
        if self.task.trim().is_empty() {
            return Err(
                Refusal::new(Code::EmptyText, "the task is blank; say what the agent is about to do").field("task")
            );
        }
        let within = |field, value: Option<f64>, low: f64, high: f64| match value {
            Some(value) if !(low..=high).contains(&value) => {
                Err(Refusal::out_of_range(field, value, &format!("{low} to {high}")))
            }
            _ => Ok(()),
        };
        within("k", self.top_k.map(|top_k| top_k as f64), 1.0, 100.0)?;
        within("confidence_weight", self.confidence_weight, 0.0, 1.0)?;
        within("min_score", self.min_score, -1.0, 1.0)
    }
}

/// A session to begin.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Begin {
    /// The look-up for its task.
    pub recall: Recall,
    /// Sessions of one group are compared with one another.
    pub group: Option<FreeText>,
    /// The caller's own reference.
    pub reference: Option<FreeText>,
}

impl Memory {
    /// Looks lessons up without a session; nothing is written.
    ///
    /// ```
    /// # use docet_core::{experience::Timestamp, library::LibraryName, operation::Operation, session::SessionId};
    /// # use docet_core::memory::*;
    /// let (memory, library, call) = (Memory::in_memory(), LibraryName::default(), Call::at(Timestamp(0)));
    /// memory.update(&library, &Update::of(vec![Operation::add("Run the tests first.")]), &call)?;
    /// let recalled = memory.recall(&library, &Recall { top_k: Some(1), ..Recall::of("fix the tests") })?;
    /// assert_eq!(recalled.ranking.best[0].id, 1);
    /// # Ok::<(), docet_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// `empty_text` for a blank task, `bad_value` for a number outside of its range, `library_missing`,
    /// `encoder_differs`, and failures of store and encoder.
    pub fn recall(&self, name: &LibraryName, recall: &Recall) -> Result<Recalled, Error> {
        recall.check()?;
        let task = self.encode_task(&recall.task, || self.look(name, |snapshot| library(snapshot, name)))?;
        self.look(name, |snapshot| {
            let library = library(snapshot, name)?;
            let ranking = snapshot.search(&search(recall, &task, &library.settings, Vec::new()))?;
            Ok(recalled(ranking, &task, library.epoch, &library, None, 0))
        })
    }

    /// Begins a session: the library's epoch rises by one, and what is handed out is kept as a receipt.
    /// `session` must be new in the store.
    ///
    /// ```
    /// # use docet_core::{experience::Timestamp, library::LibraryName, operation::Operation, session::SessionId};
    /// # use docet_core::memory::*;
    /// let (memory, library, call) = (Memory::in_memory(), LibraryName::default(), Call::at(Timestamp(0)));
    /// memory.update(&library, &Update::of(vec![Operation::add("Run the tests first.")]), &call)?;
    /// let begin = Begin { recall: Recall::of("fix the tests"), ..Begin::default() };
    /// let begun = memory.begin(&library, &begin, &SessionId("s1".to_owned()), &call)?;
    /// assert_eq!((begun.context().as_str(), begun.epoch), ("[G0] Run the tests first.", 1));
    /// # Ok::<(), docet_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Memory::recall`].
    pub fn begin(
        &self,
        name: &LibraryName,
        begin: &Begin,
        session: &SessionId,
        call: &Call,
    ) -> Result<Recalled, Error> {
        if let Some(first) = self.first_answer(name, call)? {
            return Ok(first);
        }
        begin.recall.check()?;
        let task =
            self.encode_task(&begin.recall.task, || self.look(name, |snapshot| library_to_write(snapshot, name)))?;
        let find = |snapshot: &dyn Snapshot| {
            let library = library_to_write(snapshot, name)?;
            let ranking = snapshot.search(&search(&begin.recall, &task, &library.settings, Vec::new()))?;
            Ok((ranking, library))
        };
        // Found before anything is locked, and anew where the entries have changed since.
        let (found, seen) = self.look(name, find)?;
        let now = call.now;
        self.change(name, |transaction| {
            if let Some(first) = call.first_answer(transaction)? {
                return Ok(first);
            }
            let (ranking, mut library) = match library_to_write(transaction, name)? {
                library if library.revision == seen.revision => (found.clone(), library),
                _ => find(transaction)?,
            };
            library.epoch += 1;
            transaction.put_session(&Session {
                id: session.clone(),
                epoch: library.epoch,
                group: begin.group.clone(),
                reference: begin.reference.clone(),
                begun_at: now,
                expires_at: now.later(i64::from(library.settings.session_ttl_hours) * Timestamp::HOUR),
                receipt: receipts(&ranking),
                end: None,
            })?;
            forget_old_sessions(transaction, &library, now)?;
            transaction.put_library(&library)?;
            let answer = recalled(ranking, &task, library.epoch, &library, Some(session.clone()), 0);
            call.remember(transaction, &library.settings, answer.clone())?;
            Ok(answer)
        })
    }

    /// Goes on within an open session: what was handed out is left out and counted, the labels continue, and the
    /// receipt grows. `named` is the library that the caller named, if any.
    ///
    /// ```
    /// # use docet_core::{experience::Timestamp, library::LibraryName, operation::Operation, session::SessionId};
    /// # use docet_core::memory::*;
    /// let (memory, library, call) = (Memory::in_memory(), LibraryName::default(), Call::at(Timestamp(0)));
    /// memory.update(&library, &Update::of(vec![Operation::add("Run the tests first.")]), &call)?;
    /// let session = SessionId("s1".to_owned());
    /// memory.begin(&library, &Begin { recall: Recall::of("fix the tests"), ..Begin::default() }, &session, &call)?;
    /// let more = memory.recall_in(&session, None, &Recall::of("and now the documentation"), call.now)?;
    /// assert_eq!((more.ranking.already_given, more.first_label), (1, 1));
    /// # Ok::<(), docet_core::error::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Memory::recall`]; `unknown_session`, `session_ended`, `session_expired`.
    pub fn recall_in(
        &self,
        session: &SessionId,
        named: Option<&LibraryName>,
        recall: &Recall,
        now: Timestamp,
    ) -> Result<Recalled, Error> {
        recall.check()?;
        let name = self.library_of(session, named)?;
        let task = self.encode_task(&recall.task, || {
            self.look(&name, |snapshot| {
                open_session(snapshot, session, now)?;
                library(snapshot, &name)
            })
        })?;
        self.change(&name, |transaction| {
            let library = library(transaction, &name)?;
            let mut session = open_session(transaction, session, now)?;
            let first_label = session.receipt.len();
            let ranking = transaction.search(&search(recall, &task, &library.settings, session.receipt.clone()))?;
            session.receipt.extend(receipts(&ranking));
            transaction.put_session(&session)?;
            Ok(recalled(ranking, &task, session.epoch, &library, Some(session.id), first_label))
        })
    }

    /// The library of a session, which is found by its id alone.
    pub(super) fn library_of(&self, session: &SessionId, named: Option<&LibraryName>) -> Result<LibraryName, Error> {
        let name = self.store.library_of(session)?.ok_or_else(|| unknown_session(session))?;
        match named {
            Some(named) if *named != name => {
                let message = format!("session {session} is not of library \"{named}\"; leave --library out");
                Err(Refusal::new(Code::UnknownSession, message).field("library").value(named).into())
            }
            _ => Ok(name),
        }
    }

    /// Encodes a task, once `find` has the library that it is for: what can be refused is refused before.
    fn encode_task(&self, task: &str, find: impl FnOnce() -> Result<Library, Error>) -> Result<Encoded, Error> {
        self.check_encoder(&find()?)?;
        Ok(self.embed(&[task])?.remove(0))
    }
}

fn search(recall: &Recall, task: &Encoded, settings: &Settings, given: Vec<Receipt>) -> Search {
    let thresholds = DomainThresholds {
        floor: settings.domain_floor,
        margin: settings.domain_margin,
        min_entries: settings.domain_min_entries,
    };
    Search {
        query: task.embedding.clone(),
        top_k: recall.top_k.unwrap_or(settings.top_k),
        confidence_weight: recall.confidence_weight.unwrap_or(settings.confidence_weight),
        min_score: recall.min_score.or(settings.min_score),
        domains: recall.domains.clone().unwrap_or(DomainChoice::Infer(thresholds)),
        given,
    }
}

fn recalled(
    ranking: Ranking,
    task: &Encoded,
    epoch: u64,
    library: &Library,
    session: Option<SessionId>,
    first_label: usize,
) -> Recalled {
    Recalled { ranking, first_label, truncated: task.truncated, epoch, revision: library.revision, session }
}

fn receipts(ranking: &Ranking) -> Vec<Receipt> {
    ranking.best.iter().map(|ranked| Receipt { id: ranked.id, text: ranked.text.clone() }).collect()
}

fn forget_old_sessions(transaction: &mut dyn Transaction, library: &Library, now: Timestamp) -> Result<(), Error> {
    let moment = now.later(-i64::from(library.settings.receipt_days) * Timestamp::DAY);
    Ok(transaction.forget_sessions(moment, MAX_BASELINE_WINDOW)?)
}

/// A session that can be gone on with.
fn open_session(snapshot: &(impl Snapshot + ?Sized), id: &SessionId, now: Timestamp) -> Result<Session, Error> {
    let session = snapshot.session(id)?.ok_or_else(|| unknown_session(id))?;
    match session.state(now) {
        SessionState::Open => Ok(session),
        SessionState::Expired => Err(session_expired(id).into()),
        SessionState::Ended => {
            let message = format!("session {id} has ended; begin another");
            Err(Refusal::new(Code::SessionEnded, message).field("session").value(id).into())
        }
    }
}

pub(super) fn unknown_session(id: &SessionId) -> Refusal {
    let message = format!("there is no session {id}; `docet sessions` shows those that are there");
    Refusal::new(Code::UnknownSession, message).field("session").value(id)
}

pub(super) fn session_expired(id: &SessionId) -> Refusal {
    let message =
        format!("session {id} has expired and teaches nothing; begin another (session_ttl_hours sets how long)");
    Refusal::new(Code::SessionExpired, message).field("session").value(id)
}
