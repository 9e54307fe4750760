//! Who calls, when and why; and what makes a repeated call return the first answer.

use super::Error;
use crate::answers::{Answer, IdempotencyKey, Remembered};
use crate::error::{Code, Refusal};
use crate::experience::Timestamp;
use crate::ports::{Snapshot, Transaction};
use crate::settings::Settings;
use crate::text::FreeText;

/// A changing call beside what it asks: its revision says so.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The present moment.
    pub now: Timestamp,
    /// Who calls.
    pub actor: FreeText,
    /// Why.
    pub reason: Option<FreeText>,
    /// Under which key it may be repeated.
    pub key: Option<IdempotencyKey>,
}

impl Call {
    /// A call by nobody in particular.
    pub fn at(now: Timestamp) -> Self {
        let actor = FreeText::parse("actor", "unknown").expect("a plain word");
        Self { now, actor, reason: None, key: None }
    }

    /// The first answer to this very call, where there was one.
    pub(super) fn first_answer<T: TryFrom<Answer>>(
        &self,
        snapshot: &(impl Snapshot + ?Sized),
    ) -> Result<Option<T>, Error> {
        let Some(key) = &self.key else { return Ok(None) };
        let settings = snapshot.library()?.map_or_else(Settings::default, |library| library.settings);
        let fresh = |remembered: &Remembered| remembered.at >= self.forgets_before(&settings);
        match snapshot.remembered(&key.key)?.filter(fresh) {
            None => Ok(None),
            Some(first) if first.key.content != key.content => Err(key_reused(&key.key).into()),
            Some(first) => T::try_from(first.answer).map(Some).map_err(|_| key_reused(&key.key).into()),
        }
    }

    /// Keeps the answer where the call has a key, and forgets those that are too old.
    pub(super) fn remember<T: Into<Answer>>(
        &self,
        transaction: &mut dyn Transaction,
        settings: &Settings,
        answer: T,
    ) -> Result<(), Error> {
        let Some(key) = &self.key else { return Ok(()) };
        transaction.forget_answers(self.forgets_before(settings))?;
        let mut answer = answer.into();
        answer.forget_secrets();
        Ok(transaction.remember(&Remembered { key: key.clone(), at: self.now, answer })?)
    }

    fn forgets_before(&self, settings: &Settings) -> Timestamp {
        self.now.later(-i64::from(settings.idempotency_hours) * Timestamp::HOUR)
    }
}

fn key_reused(key: &str) -> Refusal {
    let message = "this idempotency key stands for another call already; give each call a key of its own";
    Refusal::new(Code::KeyReused, message).field("idempotency_key").value(key)
}
