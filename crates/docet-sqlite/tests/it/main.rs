//! What the SQLite store must hold beyond `docet-conformance`.
