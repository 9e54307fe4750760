//! A library of one's own for each test, and the built binary in a clean environment.

use std::ffi::{OsStr, OsString};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Barrier, OnceLock};
use std::time::SystemTime;
use std::{env, process, thread};

use serde_json::Value;
use tempfile::TempDir;

use crate::data::skip;

pub(crate) const DOCET: &str = env!("CARGO_BIN_EXE_docet");

/// The name of a store that is a file.
const STORE: &str = "memory.db";

/// What of the environment a process cannot do without, or a coverage run wants.
const PASSED_ON: [&str; 4] = ["PATH", "SystemRoot", "TEMP", "LLVM_PROFILE_FILE"];

/// A folder, a store and a library.
pub(crate) struct Sandbox {
    folder: TempDir,
    variables: Vec<(&'static str, PathBuf)>,
}

/// How a process ended.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) code: i32,
    pub(crate) bytes: Vec<u8>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Sandbox {
    /// A fresh library in the store of `DOCET_TEST_STORE`, else in a file of its own, with the real encoder.
    pub(crate) fn new() -> Self {
        let mut sandbox = Self::bare();
        let library = fresh_name();
        sandbox.set("DOCET_DATA_DIR", Path::new(env!("CARGO_TARGET_TMPDIR")).join("docet"));
        sandbox.set("DOCET_MODEL_DIR", weights());
        sandbox.set("DOCET_LIBRARY", &library);
        match given_store() {
            Some(store) => sandbox.set("DOCET_STORE", store),
            None => sandbox.set("DOCET_STORE", sandbox.path(STORE)),
        }
        sandbox.json(["init"]);
        sandbox
    }

    /// The same in a file of its own, whose library is `default`, for what concerns the file itself. Where stores are no
    /// files, says so and gives none.
    pub(crate) fn with_file(test: &str) -> Option<Self> {
        if given_store().is_some_and(|store| store.to_string_lossy().contains("://")) {
            skip(&format!("{test}: the store of DOCET_TEST_STORE is no file"));
            return None;
        }
        let mut sandbox = Self::blank();
        sandbox.set("DOCET_STORE", sandbox.path(STORE));
        sandbox.json(["init"]);
        Some(sandbox)
    }

    /// An empty data folder: no store, no library, no weights.
    pub(crate) fn bare() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let mut sandbox = Self { folder, variables: Vec::new() };
        sandbox.set("DOCET_DATA_DIR", sandbox.path("data"));
        sandbox.set("HOME", sandbox.path("home"));
        sandbox
    }

    /// An empty data folder with the real encoder, whose library is `default`.
    pub(crate) fn blank() -> Self {
        let mut sandbox = Self::bare();
        sandbox.set("DOCET_MODEL_DIR", weights());
        sandbox
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// The store, where it is a file of this sandbox's own.
    pub(crate) fn store_file(&self) -> Option<PathBuf> {
        let store = &self.variables.iter().find(|(name, _)| *name == "DOCET_STORE")?.1;
        store.starts_with(self.folder.path()).then(|| store.clone())
    }

    /// Writes a file and returns its path.
    pub(crate) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, content).unwrap();
        path
    }

    pub(crate) fn set(&mut self, variable: &'static str, value: impl Into<PathBuf>) {
        self.variables.retain(|(name, _)| *name != variable);
        self.variables.push((variable, value.into()));
    }

    pub(crate) fn command(&self) -> Command {
        self.command_of(&[DOCET])
    }

    /// A command in docet's clean environment: a program and its first arguments.
    pub(crate) fn command_of(&self, words: &[&str]) -> Command {
        let mut command = Command::new(words[0]);
        command.args(&words[1..]);
        command.env_clear().current_dir(self.folder.path());
        command.envs(PASSED_ON.iter().filter_map(|name| Some((name, env::var_os(name)?))));
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    pub(crate) fn run<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Run {
        let output = self.command().args(arguments).stdin(Stdio::null()).output().unwrap();
        Run::of(output)
    }

    /// The same, started by another program: `wrapper`, then docet and its arguments.
    pub(crate) fn run_in<A: AsRef<OsStr>>(&self, wrapper: &[&str], arguments: impl IntoIterator<Item = A>) -> Run {
        let output = self.command_of(wrapper).arg(DOCET).args(arguments).stdin(Stdio::null()).output().unwrap();
        Run::of(output)
    }

    /// The same as [`Self::run`] with `input` on standard input, which need not be read to its end.
    pub(crate) fn feed<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>, input: &[u8]) -> Run {
        let mut command = self.command();
        command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        thread::scope(|scope| {
            scope.spawn(move || stdin.write_all(input));
            Run::of(child.wait_with_output().unwrap())
        })
    }

    /// The answer of a command that must succeed.
    pub(crate) fn json<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Value {
        self.run([OsStr::new("--json").to_owned()].into_iter().chain(words(arguments))).answer()
    }

    /// The error object of a command that must be refused.
    pub(crate) fn refused<A: AsRef<OsStr>>(&self, arguments: impl IntoIterator<Item = A>) -> Value {
        self.run([OsStr::new("--json").to_owned()].into_iter().chain(words(arguments))).error(1)
    }

    /// Adds a lesson and returns its id.
    pub(crate) fn add(&self, text: &str) -> u64 {
        self.json(["add", text])["applied"][0]["id"].as_u64().unwrap()
    }

    /// Begins a session and returns its id.
    pub(crate) fn begin(&self, task: &str) -> String {
        self.json(["begin", task])["session"].as_str().unwrap().to_owned()
    }

    /// The library's revision and the texts of its lessons.
    pub(crate) fn state(&self) -> (u64, Vec<String>) {
        let listed = self.json(["list"]);
        let entries = listed["experiences"].as_array().unwrap();
        let texts = entries.iter().map(|entry| entry["text"].as_str().unwrap().to_owned());
        (listed["revision"].as_u64().unwrap(), texts.collect())
    }
}

impl Run {
    fn of(output: Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let (code, err) = (output.status.code(), text(&output.stderr));
        assert!(!err.contains("panicked"), "{err}");
        let code = code.unwrap_or_else(|| panic!("ended by a signal: {:?}\n{err}", output.status));
        Self { code, out: text(&output.stdout), bytes: output.stdout, err }
    }

    /// The one JSON document of a success.
    pub(crate) fn answer(&self) -> Value {
        assert_eq!(self.code, 0, "{}{}", self.out, self.err);
        serde_json::from_slice(&self.bytes).unwrap_or_else(|error| panic!("{error}: {}", self.out))
    }

    /// The error object of a failure, which a person must have read about too.
    pub(crate) fn error(&self, code: i32) -> Value {
        assert_eq!(self.code, code, "{}{}", self.out, self.err);
        assert!(self.err.starts_with("error: "), "{}", self.err);
        let document: Value =
            serde_json::from_slice(&self.bytes).unwrap_or_else(|error| panic!("{error}: {}", self.out));
        let error = document["error"].clone();
        assert!(!error["message"].as_str().unwrap().is_empty(), "{}", self.out);
        error
    }
}

/// What `work` gives in `count` threads at the same time, each with its number.
pub(crate) fn at_once<T: Send>(count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let (work, start) = (&work, &Barrier::new(count));
    thread::scope(|scope| {
        let thread = |number| {
            scope.spawn(move || {
                start.wait();
                work(number)
            })
        };
        let threads: Vec<_> = (0..count).map(thread).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

/// The store that whoever runs the tests has chosen for them.
fn given_store() -> Option<OsString> {
    env::var_os("DOCET_TEST_STORE").filter(|store| !store.is_empty())
}

/// Whether `name` is among the fields of `value`.
pub(crate) fn has(value: &Value, name: &str) -> bool {
    value.as_object().is_some_and(|fields| fields.contains_key(name))
}

/// The folder of the weights as this machine's own Docet finds it.
pub(crate) fn weights() -> PathBuf {
    static FOLDER: OnceLock<PathBuf> = OnceLock::new();
    let find = || {
        let found = Run::of(Command::new(DOCET).args(["model", "path"]).output().unwrap());
        assert_eq!(
            found.code, 0,
            "this test needs the encoder's weights; `cargo xtask weights` brings them\n{}",
            found.err
        );
        PathBuf::from(found.out.trim_end_matches('\n'))
    };
    FOLDER.get_or_init(find).clone()
}

/// A name that no library of any store has.
fn fresh_name() -> String {
    static COUNT: AtomicUsize = AtomicUsize::new(0);
    #[allow(clippy::disallowed_methods, reason = "a name that no earlier run used")]
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_millis();
    format!("test-{now}-{}-{}", process::id(), COUNT.fetch_add(1, Ordering::Relaxed))
}

fn words<A: AsRef<OsStr>>(arguments: impl IntoIterator<Item = A>) -> impl Iterator<Item = OsString> {
    arguments.into_iter().map(|word| word.as_ref().to_owned())
}
