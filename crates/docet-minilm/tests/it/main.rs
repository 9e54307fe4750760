//! The encoder against vectors that others computed, and its weights found, fetched and imported.

mod bits;
mod reference;
mod support;
