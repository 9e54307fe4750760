//! The command line as a whole process: what it prints, how it ends, and what it does with hostile input.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "counts are for whoever reads the run")]

mod answers;
mod broken_disk;
mod codes;
mod crowd;
mod data;
mod exits;
mod hostile;
mod kills;
mod pages;
mod replay;
mod revisions;
mod sandbox;
mod snapshots;
mod stores;
mod streams;
