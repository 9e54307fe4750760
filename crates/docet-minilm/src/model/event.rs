//! What fetching and importing tell their caller while they work.

use super::Pinned;
use std::fmt;
use std::path::PathBuf;

/// A step of [`pull`](super::pull()) or [`import`](super::import()). Shows itself as one line for a person.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Event {
    /// Another process is at the same work; waiting for it.
    Waiting,
    /// A file is asked for at this address.
    Fetching {
        /// The file.
        file: Pinned,
        /// Its whole address.
        url: String,
    },
    /// So many bytes of a file are there. Comes often.
    Progress {
        /// The file.
        file: Pinned,
        /// Bytes so far, those of an interrupted download among them.
        done: u64,
    },
    /// A source failed; the next one is tried.
    Failed {
        /// The source and what went wrong with it.
        reason: String,
    },
    /// A program is run.
    Running {
        /// Its command line.
        command: String,
    },
    /// A file with the pinned hash is in its place.
    Installed {
        /// Where.
        path: PathBuf,
    },
}

impl fmt::Display for Event {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Waiting => formatter.write_str("another process is fetching the model; waiting for it"),
            Self::Fetching { file, url } => write!(formatter, "fetching {url} ({} bytes)", file.bytes),
            Self::Progress { file, done } => write!(formatter, "{}: {done} of {} bytes", file.name, file.bytes),
            Self::Failed { reason } => formatter.write_str(reason),
            Self::Running { command } => write!(formatter, "running {command}"),
            Self::Installed { path } => write!(formatter, "verified and in place: {}", path.display()),
        }
    }
}
