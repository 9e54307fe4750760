//! What the commands about the machine itself answer: `doctor` and `backup`.

use docet_core::library::LibraryName;
use serde::Serialize;

/// `doctor`
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct DoctorAnswer {
    /// Whether nothing is wrong.
    pub ok: bool,
    /// What is wrong, was wrong, or may become so.
    pub findings: Vec<Finding>,
    /// The file of the store.
    pub store: String,
    /// Where the encoder's weights are, where they were found.
    pub model: Option<String>,
    /// Which arithmetic the encoder runs on.
    pub kernel: &'static str,
    /// Each library, with what was examined.
    pub libraries: Vec<Examined>,
}

/// One finding.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Finding {
    /// What kind.
    pub code: String,
    /// How bad it is.
    pub severity: Severity,
    /// What was found.
    pub message: String,
    /// What to do about it.
    pub remedy: String,
}

/// How bad a finding is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Something is wrong.
    Error,
    /// Something may go wrong.
    Warning,
    /// Something was wrong and was mended.
    Fixed,
}

/// A library, with what was examined.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Examined {
    /// Its name.
    pub name: LibraryName,
    /// Its entries.
    pub size: usize,
    /// Entries whose vectors were compared with their texts.
    pub compared: usize,
    /// Sessions that wait for their end.
    pub open_sessions: usize,
    /// Sessions that nobody ended in time.
    pub expired_sessions: usize,
}

/// `backup`
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct BackupAnswer {
    /// The file that was made.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// Libraries in it.
    pub libraries: usize,
    /// Entries of all of them.
    pub entries: usize,
    /// Whether it was read again and found equal to what was copied.
    pub verified: bool,
}
