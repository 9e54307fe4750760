//! Where things are, and how a command is run.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    let xtask = Path::new(env!("CARGO_MANIFEST_DIR"));
    xtask.parent().unwrap_or(xtask).to_owned()
}

/// Where cargo puts what it builds for the same profile as this program.
pub(crate) fn built(file: &str) -> Result<PathBuf> {
    let xtask = std::env::current_exe().context("cannot tell where this program is")?;
    Ok(xtask.with_file_name(file))
}

/// This cargo, to be run in the root of the workspace.
pub(crate) fn cargo(arguments: &[&str]) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.args(arguments).current_dir(root());
    command
}

/// Whether `program` can be run at all.
pub(crate) fn is_there(program: &str, arguments: &[&str]) -> bool {
    let quiet = Command::new(program).args(arguments).stdout(Stdio::null()).stderr(Stdio::null()).status();
    quiet.is_ok_and(|status| status.success())
}

/// Runs a command that has to succeed.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    say(command);
    let status = command.status().with_context(|| format!("cannot run {}", shown(command)))?;
    ensure!(status.success(), "{} failed", shown(command));
    Ok(())
}

/// Runs a command, shows each line of both its outputs and hands it to `look`. Says whether the command succeeded.
pub(crate) fn watch(mut command: Command, mut look: impl FnMut(&str)) -> Result<bool> {
    say(&command);
    let (reader, writer) = std::io::pipe().context("cannot make a pipe")?;
    command.stdout(writer.try_clone().context("cannot share a pipe")?).stderr(writer);
    let mut child = command.spawn().with_context(|| format!("cannot run {}", shown(&command)))?;
    // The command holds the writing end too: while it is there, the reading end never ends.
    drop(command);
    for line in BufReader::new(reader).split(b'\n') {
        let line = line.context("cannot read what the command prints")?;
        let line = String::from_utf8_lossy(&line);
        println!("{line}");
        look(&line);
    }
    Ok(child.wait().context("cannot wait for the command")?.success())
}

fn say(command: &Command) {
    println!("\n$ {}", shown(command));
}

fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    let words = std::iter::once(program).chain(command.get_args());
    words.map(|word| word.to_string_lossy()).collect::<Vec<_>>().join(" ")
}
