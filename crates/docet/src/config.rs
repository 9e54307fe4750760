//! Where things are: the only place that reads Docet's environment.

use std::env;
use std::ffi::{OsStr, OsString};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use docet_core::error::{Code, Refusal};
use docet_core::library::LibraryName;
use docet_minilm::Threads;
use docet_minilm::model::Places;
use etcetera::BaseStrategy;

use crate::service::Target;
use crate::wire::Failure;

/// Everything that is not said in a request.
#[derive(Clone, Debug)]
pub struct Config {
    /// Where libraries are kept.
    pub store: StorePlace,
    /// Where the encoder's weights are looked for, and Docet's own data folder.
    pub places: Places,
    /// On how many threads texts are encoded.
    pub threads: Threads,
}

/// Where libraries are kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StorePlace {
    /// In a SQLite file.
    Sqlite(PathBuf),
}

impl Config {
    /// As `store` says, else the environment (`DOCET_STORE`, `DOCET_DATA_DIR`, `DOCET_MODEL_DIR`, `DOCET_THREADS`),
    /// else the user's data folder. An empty variable counts as none.
    ///
    /// # Errors
    /// `bad_value` where a place or a number cannot be read, `not_available` for a kind of store that this build does
    /// not have.
    pub fn from_env(store: Option<&OsStr>) -> Result<Self, Failure> {
        let data_dir = data_dir()?;
        let store = match store.map(OsString::from).or_else(|| variable("DOCET_STORE")) {
            Some(url) => StorePlace::parse(url)?,
            None => StorePlace::Sqlite(data_dir.join("docet.db")),
        };
        Ok(Self { store, places: Places::from_env(&data_dir), threads: threads()? })
    }
}

impl Target {
    /// The library that the caller named for this very call, else that of `DOCET_LIBRARY`, else `default`.
    ///
    /// # Errors
    /// `bad_name` for what is no name of a library.
    pub fn from_env(library: Option<&str>) -> Result<Self, Failure> {
        let standing = || variable("DOCET_LIBRARY").map(|name| name.to_string_lossy().into_owned());
        let name = library.map(str::to_owned).or_else(standing);
        let name = name.map_or_else(|| Ok(LibraryName::default()), |name| LibraryName::parse(&name))?;
        Ok(Self { library: name, named: library.is_some() })
    }
}

impl StorePlace {
    /// A path, or `sqlite:PATH`.
    ///
    /// # Errors
    /// `not_available` for a server or a database that this build cannot reach, `bad_value` for anything else.
    pub fn parse(url: OsString) -> Result<Self, Failure> {
        const ALLOWED: &str = "a path or sqlite:PATH";
        let refuse = |code, message: String, url: &str| {
            Err(Refusal::new(code, message).field("store").value(url).allowed(ALLOWED).into())
        };
        let Some(text) = url.to_str() else { return Ok(Self::Sqlite(PathBuf::from(url))) };
        let path = text.strip_prefix("sqlite:").map(|path| path.strip_prefix("//").unwrap_or(path));
        if let Some(path) = path.filter(|path| !path.is_empty()) {
            return Ok(Self::Sqlite(PathBuf::from(path)));
        }
        // Nothing behind a scheme is repeated: it may hold a password.
        let scheme = text.split_once("://").map(|(scheme, _)| scheme.to_ascii_lowercase());
        let shown = scheme.as_ref().map_or_else(|| text.to_owned(), |scheme| format!("{scheme}://…"));
        match scheme.as_deref() {
            Some("postgres" | "postgresql") => {
                let message = "PostgreSQL is not available as a store in this version; use a path".to_owned();
                refuse(Code::NotAvailable, message, &shown)
            }
            Some("http" | "https") => {
                let message = "a Docet server is not available as a store in this version; use a path".to_owned();
                refuse(Code::NotAvailable, message, &shown)
            }
            None if !text.is_empty() && text != "sqlite:" => Ok(Self::Sqlite(PathBuf::from(text))),
            _ => refuse(Code::BadValue, format!("\"{shown}\" names no store; allowed is {ALLOWED}"), &shown),
        }
    }
}

/// Docet's data folder: `DOCET_DATA_DIR`, else the platform's place for a user's data.
fn data_dir() -> Result<PathBuf, Failure> {
    if let Some(folder) = variable("DOCET_DATA_DIR") {
        return Ok(PathBuf::from(folder));
    }
    let strategy = etcetera::choose_base_strategy().map_err(|_| {
        let message = "this user has no home folder; set DOCET_DATA_DIR to the folder that Docet may use";
        Refusal::new(Code::BadValue, message).field("DOCET_DATA_DIR")
    })?;
    Ok(strategy.data_dir().join("docet"))
}

fn threads() -> Result<Threads, Failure> {
    let Some(text) = variable("DOCET_THREADS") else { return Ok(Threads::Automatic) };
    let text = text.to_string_lossy();
    match text.parse::<NonZeroUsize>() {
        Ok(count) if count.get() <= 1_024 => Ok(Threads::Fixed(count)),
        _ => Err(Refusal::out_of_range("DOCET_THREADS", text, "a whole number from 1 to 1024").into()),
    }
}

fn variable(name: &str) -> Option<OsString> {
    env::var_os(name).filter(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(url: &str) -> Result<StorePlace, Code> {
        StorePlace::parse(url.into()).map_err(|failure| failure.code)
    }

    #[test]
    fn a_store_is_a_path_for_now() {
        let at = |path: &str| Ok(StorePlace::Sqlite(path.into()));
        assert_eq!(parsed("memory.db"), at("memory.db"));
        assert_eq!(parsed("sqlite:memory.db"), at("memory.db"));
        assert_eq!(parsed("sqlite:///var/memory.db"), at("/var/memory.db"));
        assert_eq!(parsed("C:\\memory.db"), at("C:\\memory.db"));
        for remote in ["postgres://me:secret@host/db", "https://host", "http://127.0.0.1:1"] {
            assert_eq!(parsed(remote), Err(Code::NotAvailable), "{remote}");
        }
        for nothing in ["", "sqlite:", "sqlite://", "mysql://host"] {
            assert_eq!(parsed(nothing), Err(Code::BadValue), "{nothing}");
        }
    }

    #[test]
    fn a_password_is_never_repeated() {
        for scheme in ["postgres", "Postgres", "https", "http", "mysql"] {
            let failure = StorePlace::parse(format!("{scheme}://me:secret@host/db").into()).unwrap_err();
            assert!(!format!("{failure:?}").contains("secret"), "{scheme}");
        }
    }
}
