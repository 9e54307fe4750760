//! Docet's pure core: what a lesson is, how it is found, trusted, changed and forgotten.
//!
//! Types, then policies as pure functions, then the [`ports`] to an encoder and a store; [`memory::Memory`] is the
//! facade where they meet. There is no clock, no randomness but a given seed, no file and no thread in here.

pub mod answers;
mod characters;
pub mod compression;
pub mod confidence;
pub mod domains;
pub mod embedding;
pub mod error;
pub mod experience;
pub mod guidelines;
pub mod history;
pub mod in_memory;
mod kmeans;
pub mod library;
pub mod memory;
pub mod operation;
pub mod ports;
pub mod retrieval;
pub mod secrets;
pub mod session;
pub mod settings;
pub mod text;
pub mod update;
