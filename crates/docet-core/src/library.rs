//! A library: a named, isolated set of experiences with its own settings, ids, epoch and revision.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::embedding::EncoderId;
use crate::error::{Code, Refusal, shortened};
use crate::experience::ExperienceId;
use crate::settings::Settings;

/// The name of a library: a letter or digit, then at most 63 of `a-z 0-9 . _ -`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct LibraryName(String);

impl LibraryName {
    const ALLOWED: &str = "a letter or digit, then at most 63 of a-z 0-9 . _ -";

    /// Checks a name; nothing is lower-cased or trimmed.
    ///
    /// # Errors
    /// `bad_name` where a character or the length is not allowed.
    pub fn parse(raw: &str) -> Result<Self, Refusal> {
        let start = |byte: &u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let rest = |byte: &u8| start(byte) || b"._-".contains(byte);
        if raw.len() <= 64 && raw.as_bytes().first().is_some_and(start) && raw.as_bytes().iter().all(rest) {
            return Ok(Self(raw.to_owned()));
        }
        let message = format!("\"{}\" is no name of a library; allowed is {}", shortened(raw), Self::ALLOWED);
        Err(Refusal::new(Code::BadName, message).field("library").value(raw).allowed(Self::ALLOWED))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether the first write brings this library into being.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl Default for LibraryName {
    fn default() -> Self {
        Self("default".to_owned())
    }
}

impl fmt::Display for LibraryName {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// What a library is beside its experiences and sessions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Library {
    /// Its settings, checked.
    pub settings: Settings,
    /// The id of the next entry.
    pub next_id: ExperienceId,
    /// Sessions begun so far.
    pub epoch: u64,
    /// Committed changes of entries and settings so far.
    pub revision: u64,
    /// Which encoder made its vectors; none before the first.
    pub encoder: Option<EncoderId>,
}

impl Library {
    /// An empty library.
    pub fn new(settings: Settings) -> Self {
        Self { settings, next_id: 1, epoch: 0, revision: 0, encoder: None }
    }
}

/// One line of a list of libraries.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LibrarySummary {
    /// Its name.
    pub name: LibraryName,
    /// How many entries it holds.
    pub size: usize,
    /// Sessions begun so far.
    pub epoch: u64,
    /// Committed changes so far.
    pub revision: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_checked() {
        for good in ["default", "0", "team-a.web_2", &"x".repeat(64)] {
            assert!(LibraryName::parse(good).is_ok(), "{good:?}");
        }
        for bad in ["", "Default", "-a", ".a", "a b", "a/b", "\u{e9}", &"x".repeat(65), "a\n"] {
            assert_eq!(LibraryName::parse(bad).unwrap_err().code, Code::BadName, "{bad:?}");
        }
    }
}
