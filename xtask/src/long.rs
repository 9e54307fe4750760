//! `cargo xtask long`: what is worth running, but not at every change.

use anyhow::{Context, Result};

use crate::suite::{self, Suite};

/// Runs the ignored tests too, and every property with `cases` cases.
pub(crate) fn run(cases: &str) -> Result<bool> {
    let cases: u32 = cases.parse().with_context(|| format!("\"{cases}\" is no number of cases"))?;
    suite::run(&Suite { ignored_too: true, cases: Some(cases) })
}
