//! What every store and every encoder must pass.
