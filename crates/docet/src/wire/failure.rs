//! A failure as every face shows it.

use docet_core::error::{Code, Error, Fault, Refusal};
use docet_core::ports::{EncoderError, StoreError};
use serde::Serialize;

/// What went wrong, for a program and for a person.
#[derive(Clone, Debug, PartialEq, Serialize, thiserror::Error)]
#[error("{message}")]
pub struct Failure {
    /// One of the contract's codes.
    pub code: Code,
    /// What is wrong and what to do about it.
    pub message: String,
    /// The field or flag at fault.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub field: Option<String>,
    /// Its value, shortened where it is long.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// What is allowed instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allowed: Option<String>,
    /// Of a list of operations: every one that cannot be applied.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub faults: Option<Vec<Fault>>,
}

impl From<Refusal> for Failure {
    fn from(refusal: Refusal) -> Self {
        let Refusal { code, message, field, value, allowed } = refusal;
        Self { code, message, field, value, allowed, faults: None }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        let plain = Refusal::new(error.code(), error.to_string());
        match error {
            Error::Refused(refusal) => refusal.into(),
            Error::Faults(faults) => Self { faults: Some(faults), ..plain.into() },
            Error::Store(_) | Error::Encoder(_) => plain.into(),
        }
    }
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Error::from(error).into()
    }
}

impl From<EncoderError> for Failure {
    fn from(error: EncoderError) -> Self {
        Error::from(error).into()
    }
}
