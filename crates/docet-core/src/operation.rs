//! The four operations, and the report of what a list of them did.
//!
//! An [`Operation`] is what a caller asked; [`Prepared`] is the same with its fields checked and its text embedded,
//! made before anything is locked. [`crate::update`] applies them.

use std::collections::{BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use crate::compression::Evicted;
use crate::confidence::Confidence;
use crate::embedding::{Embedding, Encoded};
use crate::error::{Code, Fault, Refusal};
use crate::experience::{Domain, ExperienceId};
use crate::text::{ExperienceText, FreeText};

/// One change of a library, as a caller asks for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "lowercase", deny_unknown_fields)]
pub enum Operation {
    /// A new entry.
    Add {
        /// Its text.
        text: String,
        /// Its domain; `general` where none is given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        domain: Option<String>,
        /// Its first confidence, within (0, 1); the setting's where none is given.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        confidence: Option<f64>,
        /// Who or what wrote it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        source: Option<String>,
        /// Whether compression must keep it; no where nothing is said.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pinned: Option<bool>,
    },
    /// Changes at least one field of an entry. Its confidence and evidence stay.
    Modify {
        /// The entry.
        id: ExperienceId,
        /// A new text.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
        /// A new domain.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        domain: Option<String>,
        /// A new source.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        source: Option<String>,
        /// Whether compression must keep it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        pinned: Option<bool>,
    },
    /// An entry leaves.
    Delete {
        /// The entry.
        id: ExperienceId,
    },
    /// Two or more entries leave, and one that says the same enters.
    Merge {
        /// Their ids.
        ids: Vec<ExperienceId>,
        /// The text of the new entry.
        text: String,
        /// Its domain; needed where the parents' differ.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        domain: Option<String>,
        /// Who or what wrote it.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        source: Option<String>,
    },
}

/// The name of an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OperationKind {
    /// A new entry.
    Add,
    /// A changed entry.
    Modify,
    /// An entry that left.
    Delete,
    /// Entries that became one.
    Merge,
}

/// What happens to a list that holds a faulty operation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnInvalid {
    /// Nothing is applied, and every fault is listed.
    #[default]
    Reject,
    /// The sound ones are applied, the others listed.
    Skip,
}

impl Operation {
    /// An add of `text`, with every other field left to its default.
    pub fn add(text: impl Into<String>) -> Self {
        Self::Add { text: text.into(), domain: None, confidence: None, source: None, pinned: None }
    }

    /// The text that has to be embedded, where there is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Add { text, .. } | Self::Merge { text, .. } => Some(text),
            Self::Modify { text, .. } => text.as_deref(),
            Self::Delete { .. } => None,
        }
    }

    /// Whether `kept` is this operation, or was before a purge emptied its text.
    pub(crate) fn is_or_was(&self, kept: &Self) -> bool {
        let mut kept = kept.clone();
        if let (Some(text), Some(given)) = (kept.text_mut().filter(|text| text.is_empty()), self.text()) {
            given.clone_into(text);
        }
        *self == kept
    }

    /// The same as [`Self::text`], to be emptied.
    pub(crate) fn text_mut(&mut self) -> Option<&mut String> {
        match self {
            Self::Add { text, .. } | Self::Merge { text, .. } => Some(text),
            Self::Modify { text, .. } => text.as_mut(),
            Self::Delete { .. } => None,
        }
    }

    /// Checks every field that can be judged without the library. Among several faults the first of [`Code`] counts.
    fn content(&self) -> Result<Content, Refusal> {
        let (domain, source, confidence) = match self {
            Self::Add { domain, source, confidence, .. } => (domain.as_ref(), source.as_ref(), *confidence),
            Self::Modify { domain, source, .. } | Self::Merge { domain, source, .. } => {
                (domain.as_ref(), source.as_ref(), None)
            }
            Self::Delete { .. } => (None, None, None),
        };
        let domain = domain.map(|raw| Domain::parse(raw)).transpose();
        let confidence = confidence.map(Confidence::parse).transpose();
        let text = self.text().map(ExperienceText::parse).transpose();
        let source = source.map(|raw| FreeText::parse("source", raw)).transpose();
        match (domain, confidence, text, source) {
            (Ok(domain), Ok(confidence), Ok(text), Ok(source)) => Ok(Content { domain, confidence, text, source }),
            (domain, confidence, text, source) => {
                let faults = [domain.err(), confidence.err(), text.err(), source.err()];
                Err(faults.into_iter().flatten().min_by_key(|fault| fault.code).expect("one of the four failed"))
            }
        }
    }
}

/// The checked fields of an operation.
#[derive(Clone, Debug)]
pub(crate) struct Content {
    pub(crate) domain: Option<Domain>,
    pub(crate) confidence: Option<Confidence>,
    pub(crate) text: Option<ExperienceText>,
    pub(crate) source: Option<FreeText>,
}

/// An operation whose own fields are checked and whose text is embedded, or the first fault of those fields.
#[derive(Clone, Debug)]
pub struct Prepared<'a> {
    operation: &'a Operation,
    content: Result<(Content, Option<Embedding>), Refusal>,
}

impl Prepared<'_> {
    pub(crate) fn operation(&self) -> &Operation {
        self.operation
    }

    /// Its checked fields and its vector, or the first fault among them.
    pub(crate) fn content(&self) -> Result<(&Content, Option<&Embedding>), Refusal> {
        self.content.as_ref().map(|(content, embedding)| (content, embedding.as_ref())).map_err(Clone::clone)
    }

    /// Whether it brings a vector.
    pub fn is_embedded(&self) -> bool {
        matches!(self.content, Ok((_, Some(_))))
    }
}

/// Checks the fields of each operation and embeds all sound texts, each once, with one call of `embed`, which is not called where
/// there is none.
///
/// # Errors
/// What `embed` returns.
pub fn prepare<'a, E>(
    operations: &'a [Operation],
    embed: impl FnOnce(&[&str]) -> Result<Vec<Encoded>, E>,
) -> Result<Vec<Prepared<'a>>, E> {
    let contents: Vec<Result<Content, Refusal>> = operations.iter().map(Operation::content).collect();
    let texts: BTreeSet<&str> =
        contents.iter().flatten().filter_map(|content| content.text.as_ref()).map(ExperienceText::as_str).collect();
    let texts: Vec<&str> = texts.into_iter().collect();
    let encoded = if texts.is_empty() { Vec::new() } else { embed(&texts)? };
    let encoded: HashMap<String, Encoded> = texts.into_iter().map(str::to_owned).zip(encoded).collect();
    let prepared = operations.iter().zip(contents).map(|(operation, content)| Prepared {
        operation,
        content: content.and_then(|content| {
            let encoded = content.text.as_ref().and_then(|text| encoded.get(text.as_str()));
            let embedding = encoded.map(within_reach).transpose()?;
            Ok((content, embedding))
        }),
    });
    Ok(prepared.collect())
}

pub(crate) fn within_reach(encoded: &Encoded) -> Result<Embedding, Refusal> {
    if !encoded.truncated {
        return Ok(encoded.embedding.clone());
    }
    let message = format!("the text has more tokens than the {} that the encoder reads; shorten it", encoded.tokens);
    Err(Refusal::new(Code::TooManyTokens, message).field("text").allowed(format!("at most {} tokens", encoded.tokens)))
}

/// What a list of operations did.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct UpdateReport {
    /// The library's revision afterwards; of a dry run the present one.
    pub revision: u64,
    /// Whether nothing was really changed.
    pub dry_run: bool,
    /// The operations that were applied.
    pub applied: Vec<Applied>,
    /// Those that could not be.
    pub skipped: Vec<Fault>,
    /// Adds of a lesson that already stands, which are not stored again.
    pub duplicates: Vec<Duplicate>,
    /// Entries that the list wrote and that another is close to.
    pub similar: Vec<Similar>,
    /// Entries that the compression afterwards took, in the order of leaving.
    pub evicted: Vec<Evicted>,
    /// Entries in the library afterwards.
    pub size: usize,
}

/// One operation that was applied.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Applied {
    /// Its place in the list, from 0.
    pub index: usize,
    /// Which operation.
    pub op: OperationKind,
    /// The entry that entered, changed or left.
    pub id: ExperienceId,
    /// Of a merge: the entries that left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ids: Option<Vec<ExperienceId>>,
}

/// An add of a lesson that already stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Duplicate {
    /// Its place in the list, from 0.
    pub index: usize,
    /// The entry that it equals.
    pub id: ExperienceId,
}

/// An entry close to another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Similar {
    /// The entry that the list wrote.
    pub id: ExperienceId,
    /// Its nearest other entry, of any domain.
    pub of: ExperienceId,
    /// Their cosine.
    pub similarity: f64,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::in_memory::HashEmbedder;
    use crate::ports::Embedder;

    fn list(wire: serde_json::Value) -> Vec<Operation> {
        serde_json::from_value(wire).unwrap()
    }

    fn codes(operations: &[Operation]) -> Vec<Option<Code>> {
        let prepared = prepare(operations, |texts| HashEmbedder.embed(texts)).unwrap();
        prepared.iter().map(|operation| operation.content().err().map(|refusal| refusal.code)).collect()
    }

    #[test]
    fn of_several_faults_the_first_code_counts() {
        let long = "x".repeat(1_001);
        let operations = list(serde_json::json!([
            {"op": "add", "text": "", "domain": "two words", "confidence": 2.0, "source": "\u{7}"},
            {"op": "add", "text": "", "confidence": 2.0, "source": "\u{7}"},
            {"op": "add", "text": "", "source": "\u{7}"},
            {"op": "add", "text": "sound", "source": "\u{7}"},
            {"op": "add", "text": "sound", "source": " "},
            {"op": "add", "text": long, "source": " "},
            {"op": "add", "text": "sound", "source": "s".repeat(201)},
            {"op": "modify", "id": 1, "domain": ""},
            {"op": "add", "text": "sound", "domain": "WEB", "confidence": 0.7, "source": "trace 7"},
        ]));
        let expected = [
            Some(Code::BadDomain),
            Some(Code::BadConfidence),
            Some(Code::EmptyText),
            Some(Code::ControlCharacter),
            Some(Code::EmptyText),
            Some(Code::EmptyText),
            Some(Code::TooLong),
            Some(Code::BadDomain),
            None,
        ];
        assert_eq!(codes(&operations), expected);
    }

    #[test]
    fn sound_texts_are_embedded_in_one_batch_and_others_not_at_all() {
        let operations = list(serde_json::json!([
            {"op": "add", "text": " first\n lesson "},
            {"op": "add", "text": "[G0] none"},
            {"op": "delete", "id": 1},
            {"op": "modify", "id": 2, "pinned": true},
            {"op": "merge", "ids": [1, 2], "text": "second lesson"},
        ]));
        let mut batches = Vec::new();
        let prepared = prepare(&operations, |texts| {
            batches.push(texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>());
            HashEmbedder.embed(texts)
        });
        let embedded: Vec<bool> = prepared.unwrap().iter().map(Prepared::is_embedded).collect();
        assert_eq!(embedded, [true, false, false, false, true]);
        assert_eq!(batches, [["first lesson", "second lesson"]]);
        let no_text = prepare(&operations[1..4], |_| Err("nothing to embed"));
        assert!(no_text.is_ok());
    }

    #[test]
    fn a_text_longer_than_the_encoder_reads_is_refused() {
        let operations = list(serde_json::json!([{"op": "add", "text": "long"}, {"op": "add", "text": "short"}]));
        let prepared = prepare(&operations, |texts| {
            let mut encoded = HashEmbedder.embed(texts)?;
            (encoded[0].tokens, encoded[0].truncated) = (256, true);
            Ok::<_, crate::ports::EncoderError>(encoded)
        });
        let prepared = prepared.unwrap();
        let refusal = prepared[0].content().unwrap_err();
        assert_eq!((refusal.code, refusal.allowed.as_deref()), (Code::TooManyTokens, Some("at most 256 tokens")));
        assert!(prepared[1].content().is_ok());
    }
}
