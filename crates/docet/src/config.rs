//! Where things are: the only place that reads Docet's environment.

use std::env;
use std::ffi::{OsStr, OsString};
use std::num::NonZeroUsize;
use std::path::PathBuf;

use docet_core::error::{Code, Refusal};
use docet_core::library::LibraryName;
use docet_core::text::FreeText;
use docet_minilm::Threads;
use docet_minilm::model::Places;
use etcetera::BaseStrategy;

use crate::service::{Caller, Target};
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
        let caller = Caller { actor: actor(None)?, reason: None, idempotency_key: None };
        Ok(Self { library: name, named: library.is_some(), caller })
    }
}

/// Who calls: whom the caller names, else `DOCET_ACTOR`, else the user's name.
///
/// # Errors
/// What is no free text is refused, with field `actor`.
pub fn actor(named: Option<&str>) -> Result<FreeText, Failure> {
    actor_of(named, |name| variable(name).map(|value| value.to_string_lossy().into_owned()))
}

fn actor_of(named: Option<&str>, variable: impl Fn(&str) -> Option<String>) -> Result<FreeText, Failure> {
    if let Some(named) = named.map(str::to_owned).or_else(|| variable("DOCET_ACTOR")) {
        return Ok(FreeText::parse("actor", &named)?);
    }
    let user = ["USER", "LOGNAME", "USERNAME"].into_iter().find_map(variable);
    let user = user.and_then(|user| FreeText::parse("actor", &user).ok());
    Ok(user.map_or_else(|| FreeText::parse("actor", "unknown"), Ok)?)
}

impl StorePlace {
    /// A path, or `sqlite:PATH`.
    ///
    /// # Errors
    /// `not_available` for a server or a database that this build cannot reach, `bad_value` for anything else. Neither
    /// repeats what may hold a password.
    pub fn parse(url: OsString) -> Result<Self, Failure> {
        const ALLOWED: &str = "a path or sqlite:PATH";
        let refuse = |code, message: String, shown: &str| {
            Err(Refusal::new(code, message).field("store").value(shown).allowed(ALLOWED).into())
        };
        let Some(text) = url.to_str() else { return Ok(Self::Sqlite(PathBuf::from(url))) };
        let path = text.strip_prefix("sqlite:").map(|path| path.strip_prefix("//").unwrap_or(path));
        if let Some(path) = path.filter(|path| !path.is_empty()) {
            return Ok(Self::Sqlite(PathBuf::from(path)));
        }
        let scheme = text.split_once("://").map(|(scheme, _)| format!("{}://…", scheme.to_ascii_lowercase()));
        match scheme.as_deref() {
            Some(shown @ ("postgres://…" | "postgresql://…")) => {
                let message = "PostgreSQL is not available as a store in this version; use a path".to_owned();
                refuse(Code::NotAvailable, message, shown)
            }
            Some(shown @ ("http://…" | "https://…")) => {
                let message = "a Docet server is not available as a store in this version; use a path".to_owned();
                refuse(Code::NotAvailable, message, shown)
            }
            None if is_mistyped_server(text) => {
                let message = "the store looks like the address of a server, mistyped, and is not repeated since it may \
                               hold a password; allowed is a path or sqlite:PATH, and ./NAME for a file of that name";
                refuse(Code::BadValue, message.to_owned(), "…")
            }
            None if !text.is_empty() && text != "sqlite:" => Ok(Self::Sqlite(PathBuf::from(text))),
            shown => {
                let shown = shown.unwrap_or(text);
                refuse(Code::BadValue, format!("\"{shown}\" names no store; allowed is {ALLOWED}"), shown)
            }
        }
    }
}

/// Whether `text` can hardly be meant as a file: a server's scheme without its slashes, `user:password@host`, or the
/// `host=… password=…` of libpq. What says that it is a path, is one.
fn is_mistyped_server(text: &str) -> bool {
    const SCHEMES: [&str; 8] = ["postgres", "postgresql", "http", "https", "mysql", "mariadb", "mongodb", "redis"];
    const WORDS: [&str; 9] =
        ["host=", "hostaddr=", "port=", "dbname=", "user=", "password=", "passfile=", "service=", "sslmode="];
    let lower = text.trim_start().to_ascii_lowercase();
    let has_scheme = SCHEMES
        .iter()
        .any(|scheme| lower.strip_prefix(scheme).is_some_and(|rest| rest.starts_with(':') || rest.starts_with("//")));
    let names_user = |part: &str| part.split_once('@').is_some_and(|(user, _)| user.contains(':'));
    let is_path = lower.starts_with(['.', '/', '\\', '~']) || lower.get(1..3) == Some(":\\");
    !is_path
        && (has_scheme
            || lower.split('/').any(names_user)
            || lower.split_whitespace().any(|word| WORDS.iter().any(|start| word.starts_with(start))))
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
        for odd in
            ["./a=b.db", "a=b.db", "C:\\x.db", "C:/x.db", "/data/user=me/x.db", "me@home.db", "./a:b@c.db", "ä:b.db"]
        {
            assert_eq!(parsed(odd), at(odd), "{odd}");
        }
        for nothing in ["", "sqlite:", "sqlite://", "mysql://host"] {
            assert_eq!(parsed(nothing), Err(Code::BadValue), "{nothing}");
        }
    }

    #[test]
    fn the_actor_is_whom_somebody_names() {
        let long = "x".repeat(201);
        // (the caller's word, DOCET_ACTOR, USER, LOGNAME; the actor)
        type Words<'a> = [Option<&'a str>; 4];
        let table: [(Words<'_>, Result<&str, Code>); 10] = [
            ([Some("me"), Some("you"), Some("she"), None], Ok("me")),
            ([None, Some("you"), Some("she"), None], Ok("you")),
            ([None, None, Some("she"), Some("he")], Ok("she")),
            ([None, None, None, Some("he")], Ok("he")),
            ([None; 4], Ok("unknown")),
            ([None, None, Some("a\u{7}b"), None], Ok("unknown")),
            ([Some("a\nb"), None, None, None], Err(Code::ControlCharacter)),
            ([None, Some("  "), None, None], Err(Code::EmptyText)),
            ([Some(&long), None, None, None], Err(Code::TooLong)),
            ([None, None, Some(&long), None], Ok("unknown")),
        ];
        for ([named, actor, user, logname], expected) in table {
            let variables = [("DOCET_ACTOR", actor), ("USER", user), ("LOGNAME", logname)];
            let variable = |name: &str| variables.iter().find(|(known, _)| *known == name)?.1.map(str::to_owned);
            let found = actor_of(named, variable);
            if let Err(failure) = &found {
                assert_eq!(failure.field.as_deref(), Some("actor"));
            }
            let found = found.as_ref().map(FreeText::as_str).map_err(|failure| failure.code);
            assert_eq!(found, expected, "{named:?} {actor:?} {user:?}");
        }
    }

    #[test]
    fn a_password_is_never_repeated() {
        for scheme in ["postgres", "Postgres", "https", "http", "mysql"] {
            let failure = StorePlace::parse(format!("{scheme}://me:secret@host/db").into()).unwrap_err();
            assert!(!format!("{failure:?}").contains("secret"), "{scheme}");
        }
        for mistyped in [
            "postgres:/me:secret@host/db",
            "postgres:me:secret@host/db",
            "postgres//me:secret@host/db",
            "HTTPS:/host/secret",
            "me:secret@host/db",
            "me:secret@host",
            "host=localhost password=secret",
            "dbname=docet user=me password='secret'",
            "password=secret",
        ] {
            let failure = StorePlace::parse(mistyped.into()).unwrap_err();
            assert_eq!(failure.code, Code::BadValue, "{mistyped}");
            assert!(!format!("{failure:?}").contains("secret"), "{mistyped}");
        }
    }
}
