//! The experience: one lesson with its evidence (`def:experience`, `eq:experience`).

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::confidence::Confidence;
use crate::embedding::Embedding;
use crate::error::{Code, Refusal, shortened};
use crate::text::{ExperienceText, FreeText};

/// A lesson's number, unique in its library and never used again; from 1, below 2^53.
pub type ExperienceId = u64;

/// The largest id, count or seed: every number up to it is exact in a double.
pub const MAX_NUMBER: u64 = (1 << 53) - 1;

/// A moment, in milliseconds since 1970-01-01 UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// Milliseconds of an hour.
    pub const HOUR: i64 = 3_600_000;
    /// Milliseconds of a day.
    pub const DAY: i64 = 24 * Self::HOUR;

    /// So many milliseconds later.
    #[must_use]
    pub fn later(self, milliseconds: i64) -> Self {
        Self(self.0.saturating_add(milliseconds))
    }
}

/// One lesson: the tuple `(id, text, c, d, v, u, k)` of `eq:experience`, its evidence and its provenance.
#[derive(Clone, Debug, PartialEq)]
pub struct Experience {
    /// Unique in its library.
    pub id: ExperienceId,
    /// One line of 1 to 32 words.
    pub text: ExperienceText,
    /// How far it is trusted, `c`.
    pub confidence: Confidence,
    /// What it is about, `d`.
    pub domain: Domain,
    /// The encoder's vector of `text`, `v`.
    pub embedding: Embedding,
    /// Times retrieved and applied, `u`.
    pub usage_count: u64,
    /// The session index at which its present text was written, `k`.
    pub epoch: u64,
    /// *Improved* verdicts received, also at the upper bound.
    pub successes: u64,
    /// *Not improved* verdicts received, also at the lower bound.
    pub failures: u64,
    /// The highest epoch of a session whose verdict for it was *improved*.
    pub last_improved: Option<u64>,
    /// Whether compression must keep it.
    pub pinned: bool,
    /// Who or what wrote it.
    pub source: Option<FreeText>,
    /// When it entered.
    pub created_at: Timestamp,
    /// When anything of it last changed.
    pub updated_at: Timestamp,
}

/// A domain label, `d`: 1 to 64 of `a-z 0-9 . _ - /`, lower-cased on entry. Labels match whole, without hierarchy.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Domain(String);

impl Domain {
    const ALLOWED: &str = "1 to 64 of a-z 0-9 . _ - /";

    /// The domain of a lesson that was given none.
    pub fn general() -> Self {
        Self("general".to_owned())
    }

    /// Lower-cases and checks.
    ///
    /// # Errors
    /// `bad_domain` where a character or the length is not allowed.
    pub fn parse(raw: &str) -> Result<Self, Refusal> {
        let label = raw.to_ascii_lowercase();
        let allowed = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"._-/".contains(&byte);
        if (1..=64).contains(&label.len()) && label.bytes().all(allowed) {
            return Ok(Self(label));
        }
        let message = format!("\"{}\" is no domain; allowed is {}", shortened(raw), Self::ALLOWED);
        Err(Refusal::new(Code::BadDomain, message).field("domain").value(raw).allowed(Self::ALLOWED))
    }

    /// Whether this is the domain of lessons without one.
    pub fn is_general(&self) -> bool {
        self.0 == "general"
    }

    /// The label.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Domain {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
impl Experience {
    /// The plainest entry of that id: a test names what it changes.
    pub(crate) fn plain(id: ExperienceId) -> Self {
        Self {
            id,
            text: ExperienceText::parse(&format!("lesson {id}")).expect("a sound text"),
            confidence: Confidence::parse(0.5).expect("a confidence"),
            domain: Domain::general(),
            embedding: Embedding::towards(&[1.0]),
            usage_count: 0,
            epoch: 0,
            successes: 0,
            failures: 0,
            last_improved: None,
            pinned: false,
            source: None,
            created_at: Timestamp(0),
            updated_at: Timestamp(0),
        }
    }

    /// That confident.
    pub(crate) fn with_confidence(self, confidence: f64) -> Self {
        Self { confidence: Confidence::parse(confidence).expect("a confidence"), ..self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_are_lower_cased_and_checked() {
        assert_eq!(Domain::parse("Web/Forms.v2_a-b").unwrap().as_str(), "web/forms.v2_a-b");
        for bad in ["", "two words", "caf\u{e9}", "\u{212a}elvin", &"x".repeat(65), "a\nb"] {
            assert_eq!(Domain::parse(bad).unwrap_err().code, Code::BadDomain, "{bad:?}");
        }
    }
}
