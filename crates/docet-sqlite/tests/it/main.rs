//! What the SQLite store must hold: the conformance suite, and what concerns its file.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod backup;
mod child;
mod conformance;
mod examine;
mod faults;
mod files;
mod folder;
mod kill;
mod locks;
mod migration;
mod read_only;
mod rows;
mod schema;
mod scrub;
