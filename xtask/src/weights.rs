//! Brings the encoder's weights, without which nothing real can be tested.

use std::process::Command;

use anyhow::{Context, Result};

use crate::workspace::{built, cargo, run as run_command};

/// `cargo xtask weights`.
pub(crate) fn run() -> Result<bool> {
    run_command(&mut cargo(&["build", "--workspace", "--bin", "docet"]))?;
    bring()?;
    Ok(true)
}

/// Fetches the weights where the command line, which is built already, finds none.
pub(crate) fn bring() -> Result<()> {
    let docet = built(&format!("docet{}", std::env::consts::EXE_SUFFIX))?;
    let path = Command::new(&docet).args(["model", "path"]).output().context("cannot run docet model path")?;
    if path.status.success() {
        println!("\nThe weights are there: {}", String::from_utf8_lossy(&path.stdout).trim());
        return Ok(());
    }
    println!("\nNo weights yet (90 MB); docet model pull fetches them.");
    run_command(Command::new(&docet).args(["model", "pull"])).context(
        "no test was run: they need the encoder's weights. On a machine without a network bring them with \
         `cargo run -- model import FOLDER`, or point DOCET_MODEL_DIR at them",
    )
}
