//! Docet assembled: a store, the encoder and the memory, behind one trait with the shapes of the wire.
//!
//! [`Config`] says where things are, [`Local`] is the memory on this machine, [`Service`] is what it does, and
//! [`wire`] holds requests and answers. This is the only crate that names adapters.

pub mod config;
pub mod local;
pub mod model;
mod progress;
pub mod service;
pub mod wire;

pub use config::{Config, StorePlace};
pub use docet_core::error::{Code, Refusal};
pub use docet_core::library::LibraryName;
pub use local::Local;
pub use progress::Progress;
pub use service::{Service, Target};
