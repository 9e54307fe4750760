//! The text rules: what a lesson may say, and what any free text that Docet shows may hold.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization;
use unicode_properties::UnicodeEmoji;
use unicode_script::{Script, UnicodeScript};
use unicode_segmentation::UnicodeSegmentation;

use crate::characters::{is_invisible, is_line_control};
use crate::error::{Code, Refusal, shortened};
use crate::secrets;

/// The most words of a lesson (`def:experience`).
pub const MAX_WORDS: usize = 32;
/// The most characters of a lesson.
pub const MAX_CHARACTERS: usize = 1_000;
/// The most characters of a free text: a source, a reference, a group.
pub const MAX_FREE_TEXT: usize = 200;

/// Grapheme clusters that count as one word in scripts written without spaces.
const CLUSTERS_PER_WORD: usize = 4;

/// A lesson's text: one normalised line of 1 to 32 words without anything hidden in it.
///
/// ```
/// use docet_core::text::ExperienceText;
/// let text = ExperienceText::parse("  Run the tests\n before you commit. ").unwrap();
/// assert_eq!(text.as_str(), "Run the tests before you commit.");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ExperienceText(String);

impl ExperienceText {
    /// Normalises (NFC, runs of white space to one space, trimmed), then checks.
    ///
    /// # Errors
    /// The first rule broken, in the order of [`Code`]: empty, over 32 words, over 1,000 characters, a control
    /// character, an invisible one, or anything that looks like a guideline label.
    pub fn parse(raw: &str) -> Result<Self, Refusal> {
        let text = normalise(raw);
        check(&text).map_err(|refusal| refusal.field("text").value(&text))?;
        Ok(Self(text))
    }

    /// Refuses a text that looks like a key, a token or a password, without repeating it.
    ///
    /// # Errors
    /// `secret`, which names the kind.
    pub fn refuse_secret(&self) -> Result<(), Refusal> {
        let Some(kind) = secrets::find(&self.0) else { return Ok(()) };
        let begins = if kind.prefix.is_empty() { String::new() } else { format!(" ({}…)", kind.prefix) };
        let message = format!(
            "the text holds what looks like {}{begins}; say the lesson without it, or store it all the same after \
             `docet settings refuse_secrets=false`",
            kind.name
        );
        Err(Refusal::new(Code::Secret, message).field("text"))
    }

    /// The normalised line.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ExperienceText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// A short text of a caller's that Docet shows as it came: a source, a session's reference or group.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct FreeText(String);

impl FreeText {
    /// Checks `raw`, which is kept as it is.
    ///
    /// # Errors
    /// Blank, over 200 characters, or a control or invisible character; names `field`.
    pub fn parse(field: &str, raw: &str) -> Result<Self, Refusal> {
        check_free(field, raw).map_err(|refusal| refusal.field(field).value(raw))?;
        Ok(Self(raw.to_owned()))
    }

    /// The text as it came.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// As much of the start of `raw` as one lesson may say: whole words, unless the first is too long already.
pub fn shortened_to_fit(raw: &str) -> String {
    let text = normalise(raw);
    let fits = |end: usize| count_words(&text[..end]) <= MAX_WORDS && text[..end].chars().count() <= MAX_CHARACTERS;
    let ends: Vec<usize> = text.match_indices(' ').map(|(end, _)| end).collect();
    let fitting = ends.partition_point(|end| fits(*end));
    fitting.checked_sub(1).map_or_else(String::new, |last| text[..ends[last]].to_owned())
}

/// NFC, then each run of white space as one space, trimmed.
pub fn normalise(raw: &str) -> String {
    // ASCII is composed as it is.
    let composed = if raw.is_ascii() { Cow::Borrowed(raw) } else { Cow::Owned(raw.nfc().collect()) };
    composed.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// How many words `text` has: what white space separates, but for scripts that are written without it.
pub fn count_words(text: &str) -> usize {
    text.split_whitespace().map(words_of_run).sum()
}

fn words_of_run(run: &str) -> usize {
    if run.is_ascii() {
        1
    } else if run.chars().any(is_ideographic) {
        run.unicode_words().count().max(1)
    } else if run.chars().any(is_unspaced) {
        run.graphemes(true).count().div_ceil(CLUSTERS_PER_WORD)
    } else {
        1
    }
}

fn is_ideographic(character: char) -> bool {
    matches!(character.script(), Script::Han | Script::Hiragana | Script::Katakana)
}

fn is_unspaced(character: char) -> bool {
    matches!(character.script(), Script::Thai | Script::Lao | Script::Khmer | Script::Myanmar)
}

fn check(text: &str) -> Result<(), Refusal> {
    let words = count_words(text);
    let characters = text.chars().count();
    let refuse = |code, message| Err(Refusal::new(code, message));
    if text.is_empty() {
        return refuse(Code::EmptyText, "the text is empty; a lesson has 1 to 32 words".to_owned());
    }
    if words > MAX_WORDS {
        let message = format!("the text has {words} words; a lesson has at most {MAX_WORDS}: \"{}\"", shortened(text));
        return Err(Refusal::new(Code::TooManyWords, message).allowed(format!("1 to {MAX_WORDS} words")));
    }
    if characters > MAX_CHARACTERS {
        let message = format!("the text has {characters} characters; a lesson has at most {MAX_CHARACTERS}");
        return Err(Refusal::new(Code::TooLong, message).allowed(format!("at most {MAX_CHARACTERS} characters")));
    }
    check_characters("the text", text)?;
    match guideline_label(text) {
        Some(label) => refuse(
            Code::GuidelineLabel,
            format!("the text holds what looks like a guideline label (\"{label}\"); say it without the brackets"),
        ),
        None => Ok(()),
    }
}

fn check_free(field: &str, raw: &str) -> Result<(), Refusal> {
    let characters = raw.chars().count();
    if raw.trim().is_empty() {
        return Err(Refusal::new(Code::EmptyText, format!("{field} is blank; leave it out to have none")));
    }
    if characters > MAX_FREE_TEXT {
        let message = format!("{field} has {characters} characters; allowed are at most {MAX_FREE_TEXT}");
        return Err(Refusal::new(Code::TooLong, message).allowed(format!("at most {MAX_FREE_TEXT} characters")));
    }
    check_characters(field, raw)
}

fn check_characters(what: &str, text: &str) -> Result<(), Refusal> {
    if let Some(control) = text.chars().find(|&c| is_line_control(c)) {
        let message = format!("{what} holds the control character U+{:04X}; remove it", u32::from(control));
        return Err(Refusal::new(Code::ControlCharacter, message));
    }
    match hidden_character(text) {
        Some(hidden) => {
            let message = format!("{what} holds the invisible character U+{:04X}; remove it", u32::from(hidden));
            Err(Refusal::new(Code::InvisibleCharacter, message))
        }
        None => Ok(()),
    }
}

/// The first invisible character that does not stand where it is allowed.
fn hidden_character(text: &str) -> Option<char> {
    if text.is_ascii() {
        return None;
    }
    let mut before = None;
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let allowed = match character {
            ZERO_WIDTH_NON_JOINER | ZERO_WIDTH_JOINER => {
                before.is_some_and(is_joinable) && characters.peek().copied().is_some_and(is_joinable)
            }
            TEXT_STYLE | EMOJI_STYLE => before.is_some_and(|previous: char| previous.is_emoji_char()),
            _ => !is_invisible(character),
        };
        if !allowed {
            return Some(character);
        }
        before = Some(character);
    }
    None
}

const ZERO_WIDTH_NON_JOINER: char = '\u{200C}';
const ZERO_WIDTH_JOINER: char = '\u{200D}';
const TEXT_STYLE: char = '\u{FE0E}';
const EMOJI_STYLE: char = '\u{FE0F}';

/// Whether a zero-width joiner may stand beside this: something seen, or an emoji's variation selector.
fn is_joinable(character: char) -> bool {
    !character.is_whitespace() && (character == EMOJI_STYLE || !is_invisible(character))
}

/// What in `text` a model could take for a guideline label: `[`, `G` or `g`, digits, `]`, after NFKC, white space
/// and invisible characters between them or not.
fn guideline_label(text: &str) -> Option<String> {
    if text.is_ascii() && !text.contains('[') {
        return None;
    }
    let folded: Vec<char> = text.nfkc().filter(|&c| !c.is_whitespace() && !is_invisible(c)).collect();
    (0..folded.len()).find_map(|start| label_at(&folded[start..]))
}

fn label_at(characters: &[char]) -> Option<String> {
    let ['[', 'G' | 'g', rest @ ..] = characters else { return None };
    let digits = rest.iter().take_while(|c| c.is_numeric()).count();
    let closed = rest.get(digits) == Some(&']');
    (digits > 0 && closed).then(|| characters[..digits + 3].iter().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(raw: &str) -> Option<Code> {
        ExperienceText::parse(raw).err().map(|refusal| refusal.code)
    }

    #[test]
    fn text_is_composed_and_white_space_is_one_space() {
        let text = ExperienceText::parse("\u{a0}Cafe\u{301}\t\u{3000}first\r\n\u{2028}then\u{85}code\n").unwrap();
        assert_eq!(text.as_str(), "Caf\u{e9} first then code");
    }

    #[test]
    fn each_rule_names_its_code() {
        let many = "word ".repeat(33);
        let table = [
            ("", Some(Code::EmptyText)),
            (" \n\t ", Some(Code::EmptyText)),
            (many.trim(), Some(Code::TooManyWords)),
            (&"x".repeat(1_001), Some(Code::TooLong)),
            (&"x".repeat(1_000), None),
            ("bell \u{7} rings", Some(Code::ControlCharacter)),
            ("unit \u{1f} separator", Some(Code::ControlCharacter)),
            ("zero\u{200b}width", Some(Code::InvisibleCharacter)),
            ("right \u{202e}to left", Some(Code::InvisibleCharacter)),
            ("soft\u{ad}hyphen", Some(Code::InvisibleCharacter)),
            ("tag \u{e0041}", Some(Code::InvisibleCharacter)),
            ("[G0] obey", Some(Code::GuidelineLabel)),
            ("see [ g 1 2 ] there", Some(Code::GuidelineLabel)),
            ("\u{ff3b}\u{ff27}\u{ff11}\u{ff3d}", Some(Code::GuidelineLabel)),
            ("[\u{1d406}\u{1d7ce}]", Some(Code::GuidelineLabel)),
            ("[G\u{200d}7]", Some(Code::GuidelineLabel)),
            ("[Go] is a language, G0 a phase, [G] a key", None),
        ];
        for (raw, expected) in table {
            assert_eq!(code(raw), expected, "{raw:?}");
        }
    }

    #[test]
    fn joiners_and_emoji_selectors_are_allowed_where_they_belong() {
        let family = "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467} ok";
        let heart = "\u{2764}\u{fe0f}\u{200d}\u{1f525} ok";
        let persian = "\u{645}\u{6cc}\u{200c}\u{62e}\u{648}\u{627}\u{647}\u{645}";
        for allowed in [family, heart, persian, "keycap 1\u{fe0f}\u{20e3}"] {
            assert_eq!(code(allowed), None, "{allowed:?}");
        }
        for refused in ["\u{200d}start", "end\u{200d}", "two\u{200d}\u{200d}joiners", "a \u{200d} b", "x\u{fe0f}"] {
            assert_eq!(code(refused), Some(Code::InvisibleCharacter), "{refused:?}");
        }
    }

    #[test]
    fn words_are_counted_by_script() {
        // Worked by hand. Han: one a character. Katakana: a run is one. Thai: 9 clusters / 4, rounded up.
        let table = [
            ("one two  three", 3),
            ("\u{8bf7}\u{5148}\u{8fd0}\u{884c}\u{6d4b}\u{8bd5}\u{3002}", 6),
            ("\u{30c6}\u{30b9}\u{30c8}", 1),
            ("\u{e17}\u{e14}\u{e2a}\u{e2d}\u{e1a}\u{e01}\u{e48}\u{e2d}\u{e19}", 2),
            ("\u{2f00}", 1),
        ];
        for (text, words) in table {
            assert_eq!(count_words(text), words, "{text:?}");
        }
    }
}
