//! What commands read: files, and standard input where `-` stands for one or for a text.

use std::fs::File;
use std::io;
use std::path::Path;

use docet::wire::{Failure, lines as lines_of, read_document, utf8};

/// What stands for standard input.
const STANDARD_INPUT: &str = "-";

/// The bytes of `FILE`, or of standard input where that is `-`.
pub(crate) fn bytes(file: &Path) -> Result<Vec<u8>, Failure> {
    if file == Path::new(STANDARD_INPUT) {
        return read_document("standard input", Ok(io::stdin().lock()));
    }
    read_document(&file.display().to_string(), File::open(file))
}

/// The lines of `FILE`, or of standard input.
pub(crate) fn lines(file: &Path) -> Result<Vec<String>, Failure> {
    Ok(lines_of(&bytes(file)?)?.into_iter().map(str::to_owned).collect())
}

/// `TEXT` itself, or all of standard input without its last line feed where that is `-`.
pub(crate) fn text(text: &str) -> Result<String, Failure> {
    if text != STANDARD_INPUT {
        return Ok(text.to_owned());
    }
    let bytes = bytes(Path::new(text))?;
    let text = utf8(&bytes)?;
    Ok(text.strip_suffix('\n').unwrap_or(text).to_owned())
}

/// `TEXT...`, where `-` stands for the lines of standard input.
pub(crate) fn texts(given: &[String]) -> Result<Vec<String>, Failure> {
    let mut texts = Vec::new();
    for text in given {
        match text.as_str() {
            STANDARD_INPUT => texts.extend(lines(Path::new(text))?),
            _ => texts.push(text.clone()),
        }
    }
    Ok(texts)
}
