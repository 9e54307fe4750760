//! The encoder against vectors that others computed, and its weights found, fetched and imported.
#![expect(clippy::print_stderr, reason = "tests tell what they skipped and how close they came")]

mod bits;
mod find;
mod import;
mod pull;
mod reference;
mod server;
mod support;
