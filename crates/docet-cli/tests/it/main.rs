//! The command line as a whole process: what it prints, how it ends, and what it does with hostile input.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "counts are for whoever reads the run")]

mod answers;
mod codes;
mod data;
mod exits;
mod hostile;
mod pages;
mod sandbox;
mod snapshots;
mod stores;
mod streams;
