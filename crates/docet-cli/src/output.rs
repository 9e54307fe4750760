//! Where answers go: standard output for answers, standard error for what a person should know beside them.

use std::borrow::Cow;
use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use docet::wire::Failure;
use docet::{Code, Refusal};
use serde::Serialize;

/// How answers are printed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Output {
    json: bool,
}

impl Output {
    /// For programs, or for people.
    pub(crate) fn new(json: bool) -> Self {
        Self { json }
    }

    /// Whether answers go to a program.
    pub(crate) fn is_json(self) -> bool {
        self.json
    }

    /// Prints an answer: as one JSON document, or as `page` shows it to a person. A page is styled only on a terminal
    /// and where `NO_COLOR` allows it.
    pub(crate) fn answer<T: Serialize>(self, answer: &T, page: impl FnOnce(&T) -> String) -> Result<(), Failure> {
        if self.json {
            return self.document(answer);
        }
        self.styled(&page(answer))
    }

    /// Prints words for a person.
    pub(crate) fn styled(self, words: &str) -> Result<(), Failure> {
        let mut stdout = anstream::stdout().lock();
        written(stdout.write_all(words.as_bytes()).and_then(|()| stdout.flush()))
    }

    /// Prints one JSON document.
    pub(crate) fn document<T: Serialize>(self, answer: &T) -> Result<(), Failure> {
        let mut stdout = io::BufWriter::new(io::stdout().lock());
        written(serde_json::to_writer(&mut stdout, answer).map_err(io::Error::from))?;
        written(stdout.write_all(b"\n").and_then(|()| stdout.flush()))
    }

    /// Prints bytes that are for a program as they are.
    pub(crate) fn plain(self, bytes: &[u8]) -> Result<(), Failure> {
        let mut stdout = io::stdout().lock();
        written(stdout.write_all(bytes).and_then(|()| stdout.flush()))
    }
}

/// Says something on standard error. Whoever closed that wants to hear nothing.
pub(crate) fn say(words: &str) {
    let _ = anstream::stderr().lock().write_all(words.as_bytes());
}

/// Writes a file whole or not at all: it is written beside its place and then moved there. A file that is replaced leaves
/// its rights to the new one.
pub(crate) fn replace_file(path: &Path, content: &[u8]) -> Result<(), Failure> {
    let mut beside = path.as_os_str().to_owned();
    beside.push(format!(".{}.partial", std::process::id()));
    let written = || -> io::Result<()> {
        let mut file = File::create(&beside)?;
        if let Ok(standing) = path.metadata() {
            file.set_permissions(standing.permissions())?;
        }
        file.write_all(content)?;
        file.sync_all()?;
        std::fs::rename(&beside, path)
    };
    written().map_err(|cause| {
        let _ = std::fs::remove_file(&beside);
        let path = path.display().to_string();
        Refusal::new(Code::Io, format!("cannot write {path}: {cause}")).field("file").value(path).into()
    })
}

/// A closed pipe is no failure: its reader has had enough, the program ends silently, and what was committed stays.
fn written(result: io::Result<()>) -> Result<(), Failure> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        Err(error) => Err(Refusal::new(Code::Io, format!("cannot write to standard output: {error}")).into()),
        Ok(()) => Ok(()),
    }
}

/// Text out of a store or a file, with the escape of every character that a terminal would act on.
pub(crate) fn clean(text: &str) -> Cow<'_, str> {
    if !text.contains(acts_on_terminals) {
        return Cow::Borrowed(text);
    }
    let mut cleaned = String::with_capacity(text.len());
    for character in text.chars() {
        match acts_on_terminals(character) {
            true => write!(cleaned, "{}", character.escape_unicode()).expect("writing to a string"),
            false => cleaned.push(character),
        }
    }
    Cow::Owned(cleaned)
}

/// The same, but line feeds stay.
pub(crate) fn clean_lines(text: &str) -> String {
    text.split('\n').map(clean).collect::<Vec<_>>().join("\n")
}

/// A control character, a line separator, or one that turns the direction of writing.
fn acts_on_terminals(character: char) -> bool {
    let turns = |character| matches!(character, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    character.is_control() || matches!(character, '\u{2028}' | '\u{2029}') || turns(character)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_terminal_would_act_on_is_escaped() {
        assert_eq!(clean("\u{1b}[31mred\u{7}\n"), "\\u{1b}[31mred\\u{7}\\u{a}");
        assert_eq!(clean("a\u{202e}b\u{9b}c"), "a\\u{202e}b\\u{9b}c");
        assert!(matches!(clean("plain \u{1f469}\u{200d}\u{1f467} \u{2764}\u{fe0f}"), Cow::Borrowed(_)));
        assert_eq!(clean_lines("one\r\ntwo"), "one\\u{d}\ntwo");
    }
}
