//! `cargo xtask test`: every test there is.

use anyhow::Result;

use crate::suite::{self, Suite};

/// Brings the weights and runs all but the ignored tests.
pub(crate) fn run() -> Result<bool> {
    suite::run(&Suite { ignored_too: false, cases: None })
}
