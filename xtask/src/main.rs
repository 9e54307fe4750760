//! The tasks of this workspace: `cargo xtask --help`.

#![allow(clippy::print_stdout, reason = "a task talks to a person")]

mod count;
mod fuzz;
mod long;
mod suite;
mod test;
mod tidy;
mod weights;
mod workspace;

use std::process::ExitCode;

const HELP: &str = "\
Usage: cargo xtask TASK

Tasks:
  test           brings the encoder's weights where there are none, then runs every test: Rust, documentation, oracle
  long [CASES]   the same with the ignored tests, and with CASES cases a property instead of 256 (5000 unless told);
                 then each fuzz target for DOCET_FUZZ_SECONDS (180 unless told)
  tidy           the house rules: directions, what must be absent, equation labels, the map, links, words
  weights        only brings the weights

Examples:
  cargo xtask test
  cargo xtask long 20000";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let done = match arguments[..] {
        ["test"] => test::run(),
        ["long"] => long::run("5000"),
        ["long", cases] => long::run(cases),
        ["tidy"] => tidy::run(),
        ["weights"] => weights::run(),
        ["help" | "--help" | "-h"] => {
            println!("{HELP}");
            Ok(true)
        }
        _ => Err(anyhow::anyhow!("no such task: \"{}\"\n\n{HELP}", arguments.join(" "))),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(error) => {
            println!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}
