//! What the rules look at: the text files of the workspace, and what cargo knows of its crates.

use std::fs;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use serde_json::Value;

use super::source::Source;
use crate::workspace::{cargo, root};

/// The workspace in memory. Paths are relative to its root, with `/`.
pub(crate) struct House {
    /// Every text file that git tracks or would track.
    pub(crate) texts: Vec<TextFile>,
    /// The Rust files among them.
    pub(crate) rust: Vec<Source>,
    /// Every file, also those that are no text.
    pub(crate) paths: Vec<String>,
    /// What `cargo metadata` says.
    pub(crate) metadata: Value,
}

/// One file of UTF-8.
#[derive(Debug)]
pub(crate) struct TextFile {
    pub(crate) path: String,
    pub(crate) text: String,
}

impl House {
    /// Reads the workspace.
    pub(crate) fn open() -> Result<Self> {
        let mut metadata = cargo(&["metadata", "--format-version", "1", "--no-deps"]);
        let metadata = serde_json::from_str(&output(&mut metadata)?).context("cargo metadata is no JSON")?;
        let mut list = Command::new("git");
        list.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]).current_dir(root());
        let listed = output(&mut list)?;
        let mut files = Vec::new();
        for path in listed.split_terminator('\0') {
            let Ok(bytes) = fs::read(root().join(path)) else { continue };
            files.push((path.to_owned(), String::from_utf8(bytes).ok()));
        }
        Ok(Self::new(files, metadata))
    }

    fn new(mut files: Vec<(String, Option<String>)>, metadata: Value) -> Self {
        files.sort();
        files.dedup();
        let paths = files.iter().map(|(path, _)| path.clone()).collect();
        let texts = files.into_iter().filter_map(|(path, text)| Some(TextFile { path, text: text? }));
        let texts: Vec<TextFile> = texts.collect();
        let rust = texts.iter().filter(|file| file.path.ends_with(".rs"));
        let rust = rust.map(|file| Source::read(&file.path, &file.text)).collect();
        Self { texts, rust, paths, metadata }
    }

    /// A small one, for the tests of the rules.
    #[cfg(test)]
    pub(crate) fn of(files: &[(&str, &str)]) -> Self {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), Some((*text).to_owned())));
        Self::new(files.collect(), Value::Null)
    }

    /// The same with what cargo would say.
    #[cfg(test)]
    pub(crate) fn with_metadata(self, metadata: Value) -> Self {
        Self { metadata, ..self }
    }

    /// The text of one file.
    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        self.texts.iter().find(|file| file.path == path).map(|file| file.text.as_str())
    }

    /// Whether there is such a file or folder.
    pub(crate) fn has(&self, path: &str) -> bool {
        let path = path.trim_end_matches('/');
        self.paths
            .iter()
            .any(|known| known.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
    }
}

fn output(command: &mut Command) -> Result<String> {
    let output = command.output().with_context(|| format!("cannot run {command:?}"))?;
    ensure!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).context("not UTF-8")
}
