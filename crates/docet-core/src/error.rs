//! What the core refuses, and how it says so.

use serde::{Deserialize, Serialize};

use crate::characters::{is_invisible, is_line_control};
use crate::secrets;

/// The codes of refusals and failures. Operations' faults are tried in this order, which is why a code has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "each name is the code's own text, explained where it is raised")]
pub enum Code {
    UnknownId,
    LeftEarlier,
    EqualIds,
    TooFewIds,
    DomainRequired,
    BadDomain,
    BadConfidence,
    EmptyText,
    TooManyWords,
    TooLong,
    ControlCharacter,
    InvisibleCharacter,
    GuidelineLabel,
    TooManyTokens,
    Secret,
    DuplicateText,
    BadJson,
    BadDocument,
    BadSetting,
    BadName,
    UnknownSession,
    SessionExpired,
    SessionEnded,
    UnknownLabel,
    ConflictingLabels,
    OutcomeMissing,
    KeyReused,
    OverCapacity,
    CapacityPinned,
    StoreMissing,
    LibraryMissing,
    LibraryExists,
    StoreBusy,
    StoreNewer,
    StoreDamaged,
    EncoderMissing,
    EncoderDiffers,
    Purged,
    BadValue,
    NotUtf8,
    TooLarge,
    UnknownRevision,
    UndoConflict,
    EncoderDamaged,
    NotAvailable,
    Io,
    BadArguments,
}

/// One refused request or field: what was wrong, with which value, and what is allowed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    /// What kind of refusal.
    pub code: Code,
    /// One sentence for a person, with what to do next.
    pub message: String,
    /// The field or flag that is at fault.
    pub field: Option<String>,
    /// Its value, shortened where it is long.
    pub value: Option<String>,
    /// What is allowed instead.
    pub allowed: Option<String>,
}

impl Refusal {
    /// A refusal that names no field yet.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), field: None, value: None, allowed: None }
    }

    /// Names the field at fault.
    #[must_use]
    pub fn field(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }

    /// Quotes the value at fault, at most 80 characters of it.
    #[must_use]
    pub fn value(mut self, value: impl ToString) -> Self {
        self.value = Some(shortened(&value.to_string()));
        self
    }

    /// Says what is allowed.
    #[must_use]
    pub fn allowed(mut self, allowed: impl Into<String>) -> Self {
        self.allowed = Some(allowed.into());
        self
    }

    /// An argument outside its range.
    pub fn out_of_range(field: &str, value: impl ToString, allowed: &str) -> Self {
        let value = value.to_string();
        Self::new(Code::BadValue, format!("{field} is {}; allowed is {allowed}", shortened(&value)))
            .field(field)
            .value(value)
            .allowed(allowed)
    }
}

/// The first 80 characters of `text`, with an ellipsis where there are more; control characters escaped. What seems to
/// hold a secret is not repeated at all: errors end up in logs.
pub fn shortened(text: &str) -> String {
    const SHOWN: usize = 80;
    if let Some(kind) = secrets::find(text) {
        return format!("(not shown: it looks like {})", kind.name);
    }
    let mut shown: String = text.chars().take(SHOWN).flat_map(visible).collect();
    if text.chars().nth(SHOWN).is_some() {
        shown.push('…');
    }
    shown
}

/// `character` itself, or its escape where a terminal would act on it instead of showing it.
fn visible(character: char) -> impl Iterator<Item = char> {
    let hidden = is_line_control(character) || is_invisible(character);
    let (plain, escape) = if hidden { (None, Some(character.escape_unicode())) } else { (Some(character), None) };
    plain.into_iter().chain(escape.into_iter().flatten())
}

/// One operation of a list that cannot be applied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Its place in the list, from 0.
    pub index: usize,
    /// The first rule that it breaks, in the order of [`Code`].
    pub code: Code,
    /// One sentence for a person.
    pub message: String,
}

/// Why nothing could be encoded. Each message is ready for a person and says what mends it.
#[derive(Debug, thiserror::Error)]
pub enum EncoderError {
    /// No weights found: lists every place tried and the commands that mend it.
    #[error("{0}")]
    Missing(String),
    /// Weights found whose hash is not the pinned one.
    #[error("{0}")]
    Damaged(String),
    /// A fetch that `DOCET_OFFLINE` forbids, or that every source refused.
    #[error("{0}")]
    NotAvailable(String),
    /// The operating system refused.
    #[error("{context}: {source}")]
    Io {
        /// What was being done to which file.
        context: String,
        /// The cause.
        #[source]
        source: std::io::Error,
    },
}

impl EncoderError {
    fn code(&self) -> Code {
        match self {
            Self::Missing(_) => Code::EncoderMissing,
            Self::Damaged(_) => Code::EncoderDamaged,
            Self::NotAvailable(_) => Code::NotAvailable,
            Self::Io { .. } => Code::Io,
        }
    }
}

/// Why a store did nothing. Each message is ready for a person, names the store and says what to do.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// There is no store yet.
    #[error("{0}")]
    Missing(String),
    /// Another process held the store for longer than the time-out.
    #[error("{0}")]
    Busy(String),
    /// A newer Docet wrote it.
    #[error("{0}")]
    Newer(String),
    /// Not a store, or one whose content cannot be read.
    #[error("{0}")]
    Damaged(String),
    /// A kind of store that this build does not have.
    #[error("{0}")]
    NotAvailable(String),
    /// The database or the operating system refused.
    #[error("{context}: {source}")]
    Io {
        /// What was being done to which file.
        context: String,
        /// The cause.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl StoreError {
    fn code(&self) -> Code {
        match self {
            Self::Missing(_) => Code::StoreMissing,
            Self::Busy(_) => Code::StoreBusy,
            Self::Newer(_) => Code::StoreNewer,
            Self::Damaged(_) => Code::StoreDamaged,
            Self::NotAvailable(_) => Code::NotAvailable,
            Self::Io { .. } => Code::Io,
        }
    }
}

/// Why a call of the facade did nothing.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The request itself is refused.
    #[error(transparent)]
    Refused(#[from] Refusal),
    /// Operations of the list cannot be applied, so none was.
    #[error("{}", first_of(.0))]
    Faults(Vec<Fault>),
    /// The store failed or refused.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The encoder failed or refused.
    #[error(transparent)]
    Encoder(#[from] EncoderError),
}

impl Error {
    /// The code that every face shows.
    pub fn code(&self) -> Code {
        match self {
            Self::Refused(refusal) => refusal.code,
            Self::Faults(faults) => faults.first().map_or(Code::BadDocument, |fault| fault.code),
            Self::Store(error) => error.code(),
            Self::Encoder(error) => error.code(),
        }
    }
}

fn first_of(faults: &[Fault]) -> String {
    let Some(first) = faults.first() else { return "nothing was applied".to_owned() };
    match (faults.len(), first.index) {
        (1, 0) => format!("{}; nothing was applied", first.message),
        (1, index) => format!("operation {index}: {}; nothing was applied", first.message),
        (count, index) => format!("operation {index}: {} (and {} more); nothing was applied", first.message, count - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_sees_is_shown_by_its_number() {
        assert_eq!(shortened("a\u{2028}b\u{7}\u{202e}"), "a\\u{2028}b\\u{7}\\u{202e}");
    }

    #[test]
    fn a_secret_is_never_repeated() {
        let secret = ["ghp", "_", &"R2d2C3po".repeat(5)].concat();
        for text in [secret.clone(), format!("{}{secret}", "word ".repeat(40))] {
            let refusal = Refusal::out_of_range("k", &text, "1 to 100");
            assert!(!format!("{refusal:?}").contains("R2d2"));
            assert_eq!(refusal.value.as_deref(), Some("(not shown: it looks like a GitHub token)"));
        }
    }
}
