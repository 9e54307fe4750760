//! The core against its specification: an independent oracle, properties, snapshots of whole states, and stores that
//! fail or run a change twice.

mod facade;
mod memory_update;
mod oracle;
mod properties;
mod secrets;
mod session_life;
mod world;
