//! Docet assembled: a store, the encoder and the memory, behind one trait with the shapes of the wire.
//!
//! [`Config`] says where things are, [`Local`] is the memory on this machine, [`Service`] is what it does, [`wire`] holds
//! requests and answers, and [`interchange`] reads and writes the files of others. This is the only crate that names
//! adapters.

pub mod config;
mod doctor;
mod import;
pub mod interchange;
pub mod local;
pub mod model;
mod progress;
pub mod service;
pub mod wire;

pub use config::{Config, StorePlace};
pub use docet_core::error::{Code, Refusal};
pub use docet_core::library::LibraryName;
pub use docet_core::text::FreeText;
pub use local::Local;
pub use progress::Progress;
pub use service::{Caller, Service, Target};
