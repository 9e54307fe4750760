//! `docet`, the command line: arguments become a request, the service carries it out, its answer is printed.

mod arguments;
mod commands;
mod context;
mod failure;
mod input;
mod output;
mod progress;
mod signals;
mod table;

use std::env;
use std::ffi::OsString;
use std::process::ExitCode;

use arguments::Arguments;
use context::Context;
use docet::wire::Failure;
use output::Output;

fn main() -> ExitCode {
    signals::survive_limits_of_files();
    let raw: Vec<OsString> = env::args_os().collect();
    let output = Output::new(arguments::wants_json(&raw));
    let arguments = match arguments::parse(&raw) {
        Ok(arguments) => arguments,
        Err(error) => return failure::unparsed(&raw, &error, output),
    };
    match run(arguments, output) {
        Ok(code) => code,
        Err(failure) => failure::refused(&failure, output),
    }
}

fn run(arguments: Arguments, output: Output) -> Result<ExitCode, Failure> {
    match arguments.command {
        commands::Command::Completions(completions) => completions.run(output)?,
        // What is wrong with a store is what was asked for, and no failure of the command.
        commands::Command::Doctor(doctor) => return doctor.run(&Context::new(&arguments.global, output)?),
        command => command.run(&Context::new(&arguments.global, output)?)?,
    }
    Ok(ExitCode::SUCCESS)
}
