//! What every store and every encoder must pass. An adapter's tests call [`store_tests!`] or [`encoder_tests!`], which
//! make one test of each property, so that a failure says in words what does not hold.
//!
//! ```
//! use docet_core::in_memory::InMemoryStore;
//!
//! docet_conformance::store_tests!(|| Box::new(InMemoryStore::new()));
//! ```
//!
//! The reference store passes the same suite; [`FailingStore`] breaks any store on purpose.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

pub mod encoder;
mod failing;
pub mod memory;
mod oracle;
mod random;
mod sample;
pub mod store;

pub use failing::FailingStore;
pub use random::Random;
pub use sample::{
    came, ended_session, experience, full_report, left, library, name, open_session, remembered, revision, reward,
    unit_vector,
};
