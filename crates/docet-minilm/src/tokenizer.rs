//! The tokenizer of the model: BERT's cleaning and splitting, then WordPiece over the vocabulary of `tokenizer.json`.
//!
//! Works character by character and stops where the model would read no further, so that a text of any length costs
//! no more than its beginning. The truncation and padding written in the file are ignored.

use docet_core::ports::EncoderError;
use serde::Deserialize;
use std::collections::HashMap;
use std::path::Path;
use unicode_categories::UnicodeCategories;
use unicode_normalization::UnicodeNormalization;

/// Tokens that the model reads at most, `[CLS]` and `[SEP]` included.
pub const LIMIT: usize = 256;

/// A word of more characters is one unknown token.
const LONGEST_WORD: usize = 100;

/// Marks a vocabulary entry that continues a word.
const CONTINUATION: &str = "##";

/// From text to the numbers of tokens.
///
/// ```
/// let vocabulary = r###"{"[UNK]": 0, "[CLS]": 1, "[SEP]": 2, "test": 3, "##s": 4}"###;
/// let file = format!(r#"{{"added_tokens": [], "model": {{"vocab": {vocabulary}}}}}"#);
/// let tokenizer = docet_minilm::Tokenizer::parse(file.as_bytes()).unwrap();
/// assert_eq!(tokenizer.encode("Tests pass").ids, [1, 3, 4, 0, 2]);
/// ```
pub struct Tokenizer {
    vocabulary: HashMap<String, u32>,
    /// Tokens that are read as such where a text spells them out.
    special: Vec<(String, u32)>,
    start: u32,
    end: u32,
    unknown: u32,
}

/// What the model reads of a text.
#[derive(Debug, PartialEq)]
pub struct Tokens {
    /// From `[CLS]` to `[SEP]`, at most [`LIMIT`].
    pub ids: Vec<u32>,
    /// Whether the text had more.
    pub truncated: bool,
}

impl Tokenizer {
    /// Reads `tokenizer.json`.
    pub(crate) fn open(path: &Path) -> Result<Self, EncoderError> {
        let json = std::fs::read(path).map_err(|source| EncoderError::Io {
            context: format!("cannot read the tokenizer {}", path.display()),
            source,
        })?;
        Self::parse(&json).ok_or_else(|| {
            EncoderError::Damaged(format!(
                "{} is not the model's tokenizer; `docet model pull` fetches a sound one",
                path.display()
            ))
        })
    }

    /// Makes one of the content of such a file; none where it holds no vocabulary, or one without `[CLS]`, `[SEP]` and
    /// `[UNK]`.
    pub fn parse(json: &[u8]) -> Option<Self> {
        let file: File = serde_json::from_slice(json).ok()?;
        let id = |token: &str| file.model.vocab.get(token).copied();
        Some(Self {
            start: id("[CLS]")?,
            end: id("[SEP]")?,
            unknown: id("[UNK]")?,
            special: file.added_tokens.into_iter().map(|token| (token.content, token.id)).collect(),
            vocabulary: file.model.vocab,
        })
    }

    /// The tokens of a text, as many as the model reads.
    pub fn encode(&self, text: &str) -> Tokens {
        let mut ids = vec![self.start];
        let mut rest = text;
        while !rest.is_empty() && !is_full(&ids) {
            let special = self.next_special(rest);
            let (plain, after) = rest.split_at(special.map_or(rest.len(), |(position, ..)| position));
            self.read_plain(plain, &mut ids);
            ids.extend(special.map(|(_, _, id)| id));
            rest = &after[special.map_or(0, |(_, length, _)| length)..];
        }
        let truncated = is_full(&ids);
        ids.truncate(LIMIT - 1);
        ids.push(self.end);
        Tokens { ids, truncated }
    }

    /// Position, length and number of the first special token that is spelt out.
    fn next_special(&self, text: &str) -> Option<(usize, usize, u32)> {
        text.match_indices('[').find_map(|(position, _)| {
            let found = self.special.iter().find(|(token, _)| text[position..].starts_with(token.as_str()));
            found.map(|(token, id)| (position, token.len(), *id))
        })
    }

    /// Splits at white space and around punctuation.
    fn read_plain(&self, text: &str, ids: &mut Vec<u32>) {
        let mut word = Word::default();
        for character in normalised(text) {
            if character.is_whitespace() {
                self.end_word(&mut word, ids);
            } else if is_punctuation(character) {
                self.end_word(&mut word, ids);
                word.push(character);
                self.end_word(&mut word, ids);
            } else {
                word.push(character);
            }
            if is_full(ids) {
                return;
            }
        }
        self.end_word(&mut word, ids);
    }

    fn end_word(&self, word: &mut Word, ids: &mut Vec<u32>) {
        let before = ids.len();
        if word.characters > LONGEST_WORD || !self.split_word(&word.text, ids) {
            ids.truncate(before);
            ids.push(self.unknown);
        }
        word.clear();
    }

    /// The longest piece in the vocabulary, then the longest that continues it, and so on; false where there is none.
    fn split_word(&self, word: &str, ids: &mut Vec<u32>) -> bool {
        let mut rest = word;
        let mut piece = String::with_capacity(CONTINUATION.len() + word.len());
        while !rest.is_empty() {
            piece.clear();
            piece.push_str(if rest.len() < word.len() { CONTINUATION } else { "" });
            let prefix = piece.len();
            piece.push_str(rest);
            let Some(id) = self.longest_piece(&mut piece, prefix) else { return false };
            ids.push(id);
            rest = &rest[piece.len() - prefix..];
        }
        true
    }

    /// Shortens `piece` from its end until the vocabulary has it; none where only the prefix would be left.
    fn longest_piece(&self, piece: &mut String, prefix: usize) -> Option<u32> {
        while piece.len() > prefix {
            if let Some(id) = self.vocabulary.get(piece.as_str()) {
                return Some(*id);
            }
            piece.pop();
        }
        None
    }
}

/// The word being read. Of an overlong one only the beginning is kept.
#[derive(Default)]
struct Word {
    text: String,
    characters: usize,
}

impl Word {
    fn push(&mut self, character: char) {
        self.characters += 1;
        if self.characters <= LONGEST_WORD {
            self.text.push(character);
        }
    }

    fn clear(&mut self) {
        self.text.clear();
        self.characters = 0;
    }
}

/// Whether more has been read than the model takes (the closing `[SEP]` needs the last place).
fn is_full(ids: &[u32]) -> bool {
    ids.len() > LIMIT - 1
}

/// BERT's cleaning: controls go, white space becomes a space, ideographs stand alone, accents go, lower case.
fn normalised(text: &str) -> impl Iterator<Item = char> {
    let cleaned = text.chars().filter(|&character| !is_control(character)).flat_map(stand_alone);
    cleaned
        .nfd()
        .filter(|character| character.is_ascii() || !character.is_mark_nonspacing())
        .flat_map(char::to_lowercase)
}

fn is_control(character: char) -> bool {
    match character {
        '\t' | '\n' | '\r' => false,
        '\u{FFFD}' => true,
        _ if character.is_ascii() => character.is_ascii_control(),
        _ => character.is_other(),
    }
}

fn is_punctuation(character: char) -> bool {
    if character.is_ascii() { character.is_ascii_punctuation() } else { character.is_punctuation() }
}

/// An ideograph between two spaces, any other character alone.
fn stand_alone(character: char) -> impl Iterator<Item = char> {
    let space = is_ideograph(character).then_some(' ');
    space.into_iter().chain([character]).chain(space)
}

/// The blocks that BERT calls Chinese characters.
fn is_ideograph(character: char) -> bool {
    matches!(character,
        '\u{4E00}'..='\u{9FFF}' | '\u{3400}'..='\u{4DBF}' | '\u{20000}'..='\u{2A6DF}' | '\u{2A700}'..='\u{2B73F}'
        | '\u{2B740}'..='\u{2B81F}' | '\u{2B920}'..='\u{2CEAF}' | '\u{F900}'..='\u{FAFF}' | '\u{2F800}'..='\u{2FA1F}')
}

#[derive(Deserialize)]
struct File {
    added_tokens: Vec<AddedToken>,
    model: WordPiece,
}

#[derive(Deserialize)]
struct AddedToken {
    content: String,
    id: u32,
}

#[derive(Deserialize)]
struct WordPiece {
    vocab: HashMap<String, u32>,
}

#[cfg(test)]
mod tests;
