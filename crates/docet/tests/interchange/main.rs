//! Interchange, from outside: a sample of ours for each format, what is recognised, what comes back, and what is hostile.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]
#![allow(clippy::print_stderr, reason = "skipped tests are named for whoever reads the run")]

mod data;
mod formats;
mod hostile;
mod properties;
mod recognition;
mod samples;
mod writing;

use docet::interchange::{Document, Lessons, LibraryFile, ReadOptions, read};

/// The lessons of a text in any format but Docet's own.
fn lessons(text: &str, options: &ReadOptions) -> Lessons {
    match read(text.as_bytes(), options) {
        Ok(Document::Lessons(lessons)) => lessons,
        other => panic!("no lessons but {other:?}"),
    }
}

/// The library of a text in Docet's own format.
fn library(text: &[u8]) -> LibraryFile {
    match read(text, &ReadOptions::default()) {
        Ok(Document::Library(library)) => *library,
        other => panic!("no library but {other:?}"),
    }
}
