//! The tests of the workspace, of its documentation and of the oracle, with one count at the end.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::Command;
use std::time::Instant;
use std::{fs, io};

use anyhow::{Context, Result};

use crate::count::Count;
use crate::tidy::house::House;
use crate::weights;
use crate::workspace::{built, cargo, is_there, root, watch};

/// A test that finds nothing to test with appends one line to this file that says why, and passes.
const SKIPPED_LOG: &str = "DOCET_SKIPPED_LOG";

/// Which tests, and how hard.
pub(crate) struct Suite {
    pub(crate) ignored_too: bool,
    /// Cases a property; proptest's own number where none is given.
    pub(crate) cases: Option<u32>,
}

/// Builds once, brings the weights, runs the tests. Says whether all passed.
pub(crate) fn run(suite: &Suite) -> Result<bool> {
    let began = Instant::now();
    weights::build()?;
    let surroundings = Surroundings { weights: weights::bring()?, log: empty_log()?, cases: suite.cases };
    let mut total = suite.rust_tests(&surroundings)?;
    total += suite.documentation_tests(&surroundings)?;
    let mut skipped = read_log(&surroundings.log)?;
    total.skip(skipped.len());
    total += oracle_tests(&mut skipped)?;
    if !suite.ignored_too {
        skipped.extend(ignored_tests()?);
    }
    show(&skipped);
    println!("\nAll in {} s.\n{total}", began.elapsed().as_secs());
    Ok(total.failed == 0)
}

/// What the tests find in their environment.
struct Surroundings {
    weights: PathBuf,
    log: PathBuf,
    cases: Option<u32>,
}

impl Surroundings {
    fn give(&self, command: &mut Command) {
        command.env(weights::MODEL_DIR, &self.weights).env(SKIPPED_LOG, &self.log);
        if let Some(cases) = self.cases {
            command.env("PROPTEST_CASES", cases.to_string());
        }
    }
}

impl Suite {
    fn rust_tests(&self, surroundings: &Surroundings) -> Result<Count> {
        if is_there("cargo", &["nextest", "--version"]) {
            count(self.nextest(), surroundings, Count::of_nextest)
        } else {
            count(self.libtest(), surroundings, Count::of_libtest)
        }
    }

    fn nextest(&self) -> Command {
        let mut command = cargo(&["nextest", "run", "--workspace", "--tests", "--no-fail-fast"]);
        let shown = if io::stdout().is_terminal() { "pass" } else { "slow" };
        command.args(["--status-level", shown, "--show-progress", "none", "--no-tests", "pass"]);
        if self.ignored_too {
            command.args(["--run-ignored", "all"]);
        }
        command
    }

    fn libtest(&self) -> Command {
        let mut command = cargo(&["test", "--workspace", "--tests", "--no-fail-fast"]);
        if self.ignored_too {
            command.args(["--", "--include-ignored"]);
        }
        command
    }

    fn documentation_tests(&self, surroundings: &Surroundings) -> Result<Count> {
        let command = cargo(&["test", "--workspace", "--doc", "--no-fail-fast"]);
        count(command, surroundings, Count::of_libtest)
    }
}

/// Runs a command and adds up what `closing` reads off its lines.
fn count(mut command: Command, surroundings: &Surroundings, closing: fn(&str) -> Option<Count>) -> Result<Count> {
    surroundings.give(&mut command);
    let mut count = Count::default();
    let succeeded = watch(command, |line| count += closing(line).unwrap_or_default())?;
    Ok(with_crash(count, succeeded))
}

fn oracle_tests(skipped: &mut Vec<String>) -> Result<Count> {
    if !is_there("python3", &["--version"]) {
        skipped.push("the oracle's own tests: no python3 on this machine".to_owned());
        return Ok(Count { skipped: 1, ..Count::default() });
    }
    let mut command = Command::new("python3");
    command.args(["-B", "-m", "unittest", "discover"]).current_dir(root().join("crates/docet-conformance/oracle"));
    let mut lines = Vec::new();
    let succeeded = watch(command, |line| lines.push(line.to_owned()))?;
    Ok(with_crash(Count::of_unittest(&lines), succeeded))
}

/// A runner that failed without naming a test (it crashed, or did not compile) counts as one failure.
fn with_crash(mut count: Count, succeeded: bool) -> Count {
    if !succeeded && count.failed == 0 {
        count.failed = 1;
    }
    count
}

fn empty_log() -> Result<PathBuf> {
    let log = built("skipped-tests.log")?;
    fs::write(&log, "").with_context(|| format!("cannot write {}", log.display()))?;
    Ok(log)
}

fn read_log(log: &PathBuf) -> Result<Vec<String>> {
    let text = fs::read_to_string(log).with_context(|| format!("cannot read {}", log.display()))?;
    Ok(text.lines().map(str::to_owned).collect())
}

/// `#[ignore = "why"]` and the test below it, of every Rust file.
fn ignored_tests() -> Result<Vec<String>> {
    let house = House::open()?;
    let ignored = house.rust.iter().flat_map(|source| {
        source.lines.iter().filter(|line| line.code.trim_start().starts_with("#[ignore")).map(|line| {
            let why = if line.strings.is_empty() { "no reason given" } else { &line.strings };
            format!("ignored, {}:{}: {why}", source.path, line.number)
        })
    });
    Ok(ignored.collect())
}

fn show(skipped: &[String]) {
    if !skipped.is_empty() {
        println!("\nSkipped:");
    }
    for line in skipped {
        println!("  {}", line.trim_start_matches("skipped: "));
    }
}
