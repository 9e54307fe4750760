//! What the SQLite store must hold: the conformance suite, and what concerns its file.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod child;
mod conformance;
mod files;
mod folder;
mod kill;
mod locks;
mod read_only;
mod rows;
mod schema;
