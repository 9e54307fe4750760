//! `cargo xtask long`: what is worth running, but not at every change.

use anyhow::{Context, Result};

use crate::fuzz;
use crate::suite::{self, Suite};

/// Runs the ignored tests too, every property with `cases` cases, and the fuzz targets.
pub(crate) fn run(cases: &str) -> Result<bool> {
    let cases: u32 = cases.parse().with_context(|| format!("\"{cases}\" is no number of cases"))?;
    let passed = suite::run(&Suite { ignored_too: true, cases: Some(cases) })?;
    Ok(fuzz::run()? && passed)
}
