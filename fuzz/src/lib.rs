//! What holds for whatever comes in, one function a door. The fuzzer calls them, and so do the property tests of
//! `crates/docet/tests/doors/`, which take this file in.

use std::sync::LazyLock;

use docet::interchange::{Document, Format, ReadOptions, read, write_jsonl};
use docet::wire::{Failure, parse_operations};
use docet_core::error::{Code, Refusal, shortened};
use docet_core::experience::Domain;
use docet_core::guidelines::render;
use docet_core::library::LibraryName;
use docet_core::secrets;
use docet_core::text::{ExperienceText, FreeText, MAX_CHARACTERS, MAX_WORDS, count_words, normalise};
use docet_minilm::{MAX_TOKENS, Tokenizer};

/// A lesson that passes is one normalised line within its limits, without anything hidden, and passes again as it is;
/// one that is refused is told why in words that a terminal can show.
pub fn texts(bytes: &[u8]) {
    let raw = String::from_utf8_lossy(bytes);
    match ExperienceText::parse(&raw) {
        Ok(text) => {
            let line = text.as_str();
            assert_eq!(ExperienceText::parse(line).as_ref(), Ok(&text));
            assert_eq!(normalise(line), line);
            assert!((1..=MAX_WORDS).contains(&count_words(line)) && line.chars().count() <= MAX_CHARACTERS);
            assert!(line.split(' ').all(|word| !word.is_empty() && !word.contains(char::is_whitespace)));
            assert!(!line.contains(acts_unseen), "{line:?}");
            if let Err(refusal) = text.refuse_secret() {
                assert!(refusal.code == Code::Secret && secrets::find(line).is_some());
                assert_tells(&refusal);
            }
        }
        Err(refusal) => assert_tells(&refusal),
    }
    if let Err(refusal) = FreeText::parse("source", &raw) {
        assert_tells(&refusal);
    }
    if let Err(refusal) = Domain::parse(&raw) {
        assert_tells(&refusal);
    }
    if let Err(refusal) = LibraryName::parse(&raw) {
        assert_tells(&refusal);
    }
    assert!(!shortened(&raw).contains(acts_unseen));
}

/// A list of operations that is read comes back the same when it is written; one that is not is told why.
pub fn operations(bytes: &[u8]) {
    match parse_operations(bytes) {
        Ok(operations) => {
            let written = serde_json::to_vec(&operations).expect("operations can be written");
            assert_eq!(parse_operations(&written).as_ref(), Ok(&operations));
            assert_eq!(serde_json::from_slice::<Vec<_>>(&written).ok(), Some(operations));
        }
        Err(failure) => assert_says(&failure),
    }
}

/// Whatever format a source is taken for, it ends in lessons or in an error that can be shown; a library that is read
/// is written and read again as the same.
pub fn imports(bytes: &[u8]) {
    for from in Format::ALL.map(Some).into_iter().chain([None]) {
        match read(bytes, &ReadOptions { from, min_words: Some(1), ..ReadOptions::default() }) {
            Ok(Document::Library(library)) if library.refused.is_empty() => {
                let mut written = Vec::new();
                write_jsonl(&library, &mut written).expect("a library can be written");
                let again = read(&written, &ReadOptions { from: Some(Format::Docet), ..ReadOptions::default() });
                let Ok(Document::Library(again)) = again else { panic!("not read again: {again:?}") };
                let mut twice = Vec::new();
                write_jsonl(&again, &mut twice).expect("a library can be written");
                assert_eq!(String::from_utf8_lossy(&twice), String::from_utf8_lossy(&written));
            }
            Ok(_) => {}
            Err(failure) => assert_says(&failure),
        }
    }
}

/// What the model reads begins and ends as it must, is never too long, and two texts with a space between them are read
/// one after the other.
pub fn tokens(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let tokens = TOKENIZER.encode(&text);
    assert!((2..=MAX_TOKENS).contains(&tokens.ids.len()));
    assert_eq!((tokens.ids.first(), tokens.ids.last()), (Some(&START), Some(&END)));
    assert!(!tokens.truncated || tokens.ids.len() == MAX_TOKENS);
    if let Some((first, second)) = text.split_once(' ') {
        let (first, second) = (TOKENIZER.encode(first), TOKENIZER.encode(second));
        let mut both: Vec<u32> = first.ids[..first.ids.len() - 1].to_vec();
        both.extend(&second.ids[1..second.ids.len() - 1]);
        both.truncate(MAX_TOKENS - 1);
        both.push(END);
        assert_eq!(tokens.ids, both);
    }
}

/// A block has a line for each lesson, which begins with its own label, and with none that a lesson brought along.
pub fn guidelines(bytes: &[u8]) {
    let (first, raw) = bytes.split_first().map_or((0, &[][..]), |(first, raw)| (usize::from(*first), raw));
    let raw = String::from_utf8_lossy(raw);
    let texts: Vec<ExperienceText> = raw.split('\n').filter_map(|raw| ExperienceText::parse(raw).ok()).collect();
    let block = render(first, texts.iter().map(ExperienceText::as_str));
    let lines: Vec<&str> = if block.is_empty() { Vec::new() } else { block.split('\n').collect() };
    assert_eq!(lines.len(), texts.len());
    assert_eq!(block.lines().count(), lines.len(), "no other sign ends a line");
    for (place, (line, text)) in lines.iter().zip(&texts).enumerate() {
        assert_eq!(line.strip_prefix(&format!("[G{}] ", first + place)), Some(text.as_str()));
        let folded = text.as_str().replace(' ', "").to_ascii_lowercase();
        let labels = folded.match_indices("[g").filter(|(at, _)| {
            let rest = folded[at + 2..].trim_start_matches(|c: char| c.is_ascii_digit());
            rest.starts_with(']') && rest.len() < folded.len() - at - 2
        });
        assert_eq!(labels.count(), 0, "{line}");
    }
}

const START: u32 = 1;
const END: u32 = 2;

/// A small vocabulary: single characters, alone and as the rest of a word, and a few words.
static TOKENIZER: LazyLock<Tokenizer> = LazyLock::new(|| {
    let special = ["[UNK]", "[CLS]", "[SEP]", "[PAD]", "[MASK]"];
    let added: Vec<serde_json::Value> =
        special.iter().zip(0..).map(|(content, id)| serde_json::json!({"content": content, "id": id})).collect();
    let characters = ('!'..='~').filter(|c| !c.is_ascii_uppercase()).map(String::from);
    let words = ["the", "test", "##ing", "##s", "run", "\u{4e2d}", "##\u{e9}", "\u{1f468}", "##\u{308}"];
    let pieces = special.into_iter().map(str::to_owned).chain(characters.flat_map(|c| [c.clone(), format!("##{c}")]));
    let mut vocabulary = serde_json::Map::new();
    for piece in pieces.chain(words.map(str::to_owned)) {
        let id = vocabulary.len();
        vocabulary.entry(piece).or_insert_with(|| id.into());
    }
    let file = serde_json::json!({"added_tokens": added, "model": {"vocab": vocabulary}});
    Tokenizer::parse(file.to_string().as_bytes()).expect("a tokenizer's file")
});

/// What no text that was let in may hold: what a terminal acts on, or nobody sees. Joiners and the selectors of emoji
/// have their places.
fn acts_unseen(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{ad}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
        || matches!(character, '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
}

fn assert_tells(refusal: &Refusal) {
    assert_shown(&refusal.message, refusal.value.as_deref());
}

fn assert_says(failure: &Failure) {
    assert_shown(&failure.message, failure.value.as_deref());
}

/// Words for a person: some, not too many, and none that hides.
fn assert_shown(message: &str, value: Option<&str>) {
    assert!(!message.is_empty());
    for words in [message, value.unwrap_or_default()] {
        assert!(words.chars().count() < 2_000 && !words.contains(acts_unseen), "{words:?}");
    }
}
