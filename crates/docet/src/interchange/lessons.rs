//! What reading gives: lessons to import, and what could not be taken.

use std::collections::BTreeMap;
use std::io::{self, Write};

use docet_core::error::{Code, Refusal, shortened};
use docet_core::experience::Domain;
use docet_core::text::{MAX_FREE_TEXT, count_words};
use serde::{Deserialize, Serialize};

use super::{Format, MAX_BYTES, MAX_LESSONS, MIN_WORDS_OF_LISTS, ReadOptions, too_large};
use crate::wire::Failure;

/// How many names of fields the report tells apart.
const MAX_UNMAPPED: usize = 100;

/// What the fields beyond those are called together.
const OTHERS: &str = "(others)";

/// The largest whole number that every reader of JSON keeps.
const MAX_COUNT: u64 = (1 << 53) - 1;

/// The longest label of a domain.
const MAX_DOMAIN: usize = 64;

/// The lessons of a source.
#[derive(Clone, Debug, PartialEq)]
pub struct Lessons {
    /// The format it was read as.
    pub format: Format,
    /// In the order of the source.
    pub candidates: Vec<Candidate>,
    /// What cannot be a lesson, with the reason.
    pub refused: Vec<Refused>,
    /// What of the source has no place in a lesson, by name.
    pub unmapped: Vec<Unmapped>,
}

/// A lesson to import, its texts as the source gives them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// Where it begins in the source, from 1.
    #[serde(skip)]
    pub line: usize,
    /// What it says.
    pub text: String,
    /// What it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub domain: Option<String>,
    /// How far it is trusted; none where the source has no evidence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confidence: Option<f64>,
    /// How often it helped.
    pub successes: u64,
    /// How often it did not.
    pub failures: u64,
    /// How often it was applied.
    pub usage_count: u64,
    /// Whether compression must keep it.
    pub pinned: bool,
    /// Who or what wrote it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub source: Option<String>,
}

/// What could not be taken.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Refused {
    /// Where it begins in the source, from 1.
    pub line: usize,
    /// One of the contract's codes.
    pub code: Code,
    /// One sentence for a person.
    pub message: String,
    /// The lesson's text, or the line where none could be read.
    pub text: String,
    /// The lesson as far as it was read, so that [`write_rejects`] loses none of it.
    #[serde(skip)]
    pub candidate: Option<Candidate>,
}

/// What of a source found no place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unmapped {
    /// The field's name, or what it is.
    pub field: String,
    /// How often it occurred.
    pub count: usize,
}

impl Refused {
    /// A lesson that was read and that a rule of the import forbids.
    pub fn of(candidate: Candidate, refusal: Refusal) -> Self {
        let Refusal { code, message, .. } = refusal;
        Self { line: candidate.line, code, message, text: candidate.text.clone(), candidate: Some(candidate) }
    }
}

/// Writes what was refused, ready to be mended and imported again: a lesson that was read as a line of JSON with its fields
/// and the reason, anything else as it stood.
///
/// # Errors
/// What `out` returns.
pub fn write_rejects(refused: &[Refused], out: &mut impl Write) -> io::Result<()> {
    #[derive(Serialize)]
    struct Reject<'a> {
        #[serde(flatten)]
        candidate: &'a Candidate,
        line: usize,
        code: Code,
        message: &'a str,
    }
    for Refused { line, code, message, text, candidate } in refused {
        match candidate {
            Some(candidate) => {
                serde_json::to_writer(&mut *out, &Reject { candidate, line: *line, code: *code, message })?;
            }
            None => out.write_all(text.replace(['\r', '\n'], " ").as_bytes())?,
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// A lesson as a format tells it.
#[derive(Clone, Debug, Default)]
pub(super) struct Draft {
    pub(super) text: String,
    /// The domain, or a heading that becomes one.
    pub(super) section: Option<String>,
    /// What the source calls it.
    pub(super) id: Option<String>,
    pub(super) source: Option<String>,
    pub(super) confidence: Option<f64>,
    pub(super) helpful: Option<u64>,
    pub(super) harmful: Option<u64>,
    pub(super) usage: Option<u64>,
    pub(super) pinned: bool,
}

/// Gathers the lessons of a source, and holds them to its limits while they come in.
pub(super) struct Harvest<'a> {
    options: &'a ReadOptions,
    lessons: Lessons,
    unmapped: BTreeMap<String, usize>,
    bytes: usize,
}

impl<'a> Harvest<'a> {
    pub(super) fn new(format: Format, options: &'a ReadOptions) -> Self {
        let lessons = Lessons { format, candidates: Vec::new(), refused: Vec::new(), unmapped: Vec::new() };
        Self { options, lessons, unmapped: BTreeMap::new(), bytes: 0 }
    }

    /// Takes a lesson, or refuses a fragment.
    pub(super) fn take(&mut self, line: usize, draft: Draft) -> Result<(), Failure> {
        let candidate = self.candidate(line, draft);
        self.make_room(candidate.text.len())?;
        let words = count_words(&candidate.text);
        let least = self.min_words();
        if words == 0 || words >= least {
            self.lessons.candidates.push(candidate);
            return Ok(());
        }
        let message = format!(
            "a fragment of {words} word{}; complete it, or import again with --min-words {words}",
            if words == 1 { "" } else { "s" }
        );
        self.lessons.refused.push(Refused::of(candidate, Refusal::new(Code::BadValue, message)));
        Ok(())
    }

    /// Refuses a lesson that was read.
    pub(super) fn refuse(&mut self, line: usize, draft: Draft, code: Code, message: &str) -> Result<(), Failure> {
        let candidate = self.candidate(line, draft);
        self.make_room(candidate.text.len())?;
        self.lessons.refused.push(Refused::of(candidate, Refusal::new(code, message)));
        Ok(())
    }

    /// Refuses what could not be read as a lesson.
    pub(super) fn refuse_line(&mut self, line: usize, text: &str, code: Code, message: &str) -> Result<(), Failure> {
        self.make_room(text.len())?;
        let (message, text) = (message.to_owned(), text.to_owned());
        self.lessons.refused.push(Refused { line, code, message, text, candidate: None });
        Ok(())
    }

    /// Counts what has no place in a lesson.
    pub(super) fn leave_out(&mut self, what: &str) {
        if let Some(count) = self.unmapped.get_mut(what) {
            *count += 1;
            return;
        }
        let name = shortened(what);
        let is_told_apart = self.unmapped.len() < MAX_UNMAPPED || self.unmapped.contains_key(&name);
        let name = if is_told_apart { name } else { OTHERS.to_owned() };
        *self.unmapped.entry(name).or_default() += 1;
    }

    pub(super) fn finish(mut self) -> Lessons {
        self.lessons.unmapped = self.unmapped.into_iter().map(|(field, count)| Unmapped { field, count }).collect();
        self.lessons
    }

    fn min_words(&self) -> usize {
        let usual = if self.lessons.format.is_picked_from_prose() { MIN_WORDS_OF_LISTS } else { 1 };
        self.options.min_words.unwrap_or(usual)
    }

    /// Refuses the source once it holds more than any library could take. What one line says can count more than once,
    /// since a nested bullet repeats its parent, so the texts have a bound of their own.
    fn make_room(&mut self, bytes: usize) -> Result<(), Failure> {
        self.bytes += bytes;
        if self.lessons.candidates.len() + self.lessons.refused.len() >= MAX_LESSONS {
            return Err(too_large("the source holds more than 100,000 lessons; split it", "at most 100,000"));
        }
        if self.bytes > MAX_BYTES {
            return Err(too_large(
                "the lessons have more than 64 MiB of text together; split the source",
                "at most 64 MiB",
            ));
        }
        Ok(())
    }

    fn candidate(&mut self, line: usize, draft: Draft) -> Candidate {
        let Draft { text, section, id, source, confidence, helpful, harmful, usage, pinned } = draft;
        let (successes, failures) = (helpful.unwrap_or(0).min(MAX_COUNT), harmful.unwrap_or(0).min(MAX_COUNT));
        let seen = successes + failures;
        Candidate {
            line,
            text,
            domain: self.domain(section),
            confidence: confidence.or_else(|| (seen > 0).then(|| trust(successes, failures))),
            successes,
            failures,
            usage_count: usage.unwrap_or(seen).min(MAX_COUNT),
            pinned,
            source: self.source(source, id),
        }
    }

    fn domain(&mut self, section: Option<String>) -> Option<String> {
        let given = section.filter(|section| !section.trim().is_empty());
        let label = given.as_deref().and_then(label_of);
        if given.is_some() && label.is_none() {
            self.leave_out("domain without letters a-z or digits");
        }
        label.or_else(|| self.options.domain.clone())
    }

    /// The caller's words first, then the source's own or, where it has none, its format and id.
    fn source(&self, own: Option<String>, id: Option<String>) -> Option<String> {
        let id = id.map(|id| format!("{} {id}", self.lessons.format.name()));
        let given = self.options.source.clone();
        let parts: Vec<String> = given.into_iter().chain(own.filter(|own| !own.trim().is_empty()).or(id)).collect();
        let whole = parts.join(": ");
        (!parts.is_empty()).then(|| whole.chars().take(MAX_FREE_TEXT).collect())
    }
}

/// The confidence of a lesson that helped `successes` times and failed `failures` times.
fn trust(successes: u64, failures: u64) -> f64 {
    (successes as f64 + 1.0) / ((successes + failures) as f64 + 2.0)
}

/// A label for a domain: itself where it is one, otherwise in lower case with `-` for every run of other characters.
pub(super) fn label_of(words: &str) -> Option<String> {
    if let Ok(domain) = Domain::parse(words) {
        return Some(domain.as_str().to_owned());
    }
    let mut label = String::new();
    for character in words.chars().flat_map(char::to_lowercase) {
        if label.len() == MAX_DOMAIN {
            break;
        }
        if character.is_ascii_lowercase() || character.is_ascii_digit() || "._/".contains(character) {
            label.push(character);
        } else if !label.is_empty() && !label.ends_with('-') {
            label.push('-');
        }
    }
    let label = label.trim_end_matches('-');
    (!label.is_empty()).then(|| label.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headings_become_labels() {
        let table = [
            ("Testing", Some("testing")),
            ("STRATEGIES & INSIGHTS", Some("strategies-insights")),
            ("  CI/CD -- Node.js! ", Some("ci/cd-node.js")),
            ("web_forms v2", Some("web_forms-v2")),
            ("\u{c9}tudes", Some("tudes")),
            ("\u{6e2c}\u{8a66}", None),
            ("", None),
        ];
        for (words, label) in table {
            assert_eq!(label_of(words).as_deref(), label, "{words:?}");
        }
        let long = label_of(&format!("{} b", "a".repeat(63))).unwrap();
        assert_eq!(long, "a".repeat(63));
    }

    #[test]
    fn evidence_becomes_confidence() {
        let options = ReadOptions { source: Some("team".to_owned()), ..ReadOptions::default() };
        let mut harvest = Harvest::new(Format::Ace, &options);
        let draft = |helpful, harmful| Draft { text: "a b".into(), helpful, harmful, ..Draft::default() };
        harvest.take(1, Draft { id: Some("str-00001".into()), ..draft(Some(5), Some(1)) }).unwrap();
        harvest.take(2, draft(Some(0), Some(0))).unwrap();
        harvest.take(3, Draft { usage: Some(9), confidence: Some(0.3), ..draft(Some(1), None) }).unwrap();
        let lessons = harvest.finish();
        let figures: Vec<_> =
            lessons.candidates.iter().map(|c| (c.confidence, c.successes, c.failures, c.usage_count)).collect();
        assert_eq!(figures, [(Some(0.75), 5, 1, 6), (None, 0, 0, 0), (Some(0.3), 1, 0, 9)]);
        assert_eq!(lessons.candidates[0].source.as_deref(), Some("team: ace str-00001"));
        assert_eq!(lessons.candidates[1].source.as_deref(), Some("team"));
    }

    #[test]
    fn names_of_fields_are_bounded() {
        let options = ReadOptions::default();
        let mut harvest = Harvest::new(Format::Json, &options);
        (0..1_000).for_each(|n| harvest.leave_out(&format!("field {n}")));
        let unmapped = harvest.finish().unmapped;
        assert_eq!(unmapped.len(), MAX_UNMAPPED + 1);
        assert_eq!(unmapped.iter().map(|one| one.count).sum::<usize>(), 1_000);
    }
}
