//! Which files were verified: a small file in Docet's data folder that spares hashing the weights in every process.
//!
//! It is a convenience. Where it cannot be read or written, files are hashed again.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, Metadata};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

/// The verified files, by path.
pub(super) struct Memo {
    path: PathBuf,
    files: BTreeMap<String, Verified>,
    changed: bool,
}

/// A file as it was before its hash was computed.
#[derive(PartialEq, Serialize, Deserialize)]
pub(super) struct Verified {
    sha256: String,
    size: u64,
    modified_nanoseconds: u64,
    inode: u64,
}

impl Memo {
    /// What is remembered in the file `path`; nothing where it cannot be read.
    pub(super) fn read(path: PathBuf) -> Self {
        let files = fs::read(&path).ok().and_then(|json| serde_json::from_slice(&json).ok()).unwrap_or_default();
        Self { path, files, changed: false }
    }

    /// Whether the file at `path` was found to have this hash when it was as it is now.
    pub(super) fn holds(&self, path: &Path, verified: Option<&Verified>) -> bool {
        verified.is_some() && self.files.get(&key(path)) == verified
    }

    /// Remembers that the file at `path` was verified.
    pub(super) fn remember(&mut self, path: &Path, verified: Option<Verified>) {
        if let Some(verified) = verified {
            self.files.insert(key(path), verified);
            self.changed = true;
        }
    }

    /// Forgets what was found of these files, at once.
    pub(super) fn forget(mut self, paths: &[PathBuf]) {
        self.changed = true;
        for path in paths {
            self.files.remove(&key(path));
        }
        self.save();
    }

    /// Replaces the file where something changed.
    pub(super) fn save(self) {
        if self.changed {
            let _ = self.write();
        }
    }

    fn write(&self) -> std::io::Result<()> {
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder)?;
        }
        let unfinished = self.path.with_extension(format!("json.{}", std::process::id()));
        fs::write(&unfinished, serde_json::to_vec_pretty(&self.files)?)?;
        fs::rename(unfinished, &self.path)
    }
}

impl Verified {
    /// The file as it is now, to be remembered where it turns out to have this hash; none where it cannot be told.
    pub(super) fn now(path: &Path, sha256: &str) -> Option<Self> {
        let metadata = fs::metadata(path).ok()?;
        let modified = metadata.modified().ok()?.duration_since(UNIX_EPOCH).ok()?;
        Some(Self {
            sha256: sha256.to_owned(),
            size: metadata.len(),
            modified_nanoseconds: u64::try_from(modified.as_nanos()).ok()?,
            inode: inode(&metadata),
        })
    }
}

fn key(path: &Path) -> String {
    std::path::absolute(path).unwrap_or_else(|_| path.to_path_buf()).to_string_lossy().into_owned()
}

#[cfg(unix)]
fn inode(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::ino(metadata)
}

/// Other systems tell no number that outlives the file.
#[cfg(not(unix))]
fn inode(_: &Metadata) -> u64 {
    0
}
