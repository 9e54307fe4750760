//! Docet assembled.
