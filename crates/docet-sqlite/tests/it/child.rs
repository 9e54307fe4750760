//! Other processes: this very test binary, run again with a task in its environment.

use std::path::Path;
use std::process::{Command, Stdio};

use docet_core::library::{Library, LibraryName};
use docet_core::ports::{Store, StoreError, Transaction};
use docet_core::settings::Settings;
use docet_sqlite::SqliteStore;

use crate::folder;

const TASK: &str = "DOCET_SQLITE_TEST_TASK";
const STORE: &str = "DOCET_SQLITE_TEST_STORE";

/// A command that carries out `task` on the store at `path`. It answers on its standard output, each line marked.
pub(crate) fn command(task: &str, path: &Path) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["child::works", "--exact", "--nocapture", "--test-threads=1"]);
    command.env(TASK, task).env(STORE, path).stdout(Stdio::piped());
    command
}

/// What a line of a child's output says, where it is one of ours.
pub(crate) fn answer(line: &str) -> Option<&str> {
    line.split_once("child: ").map(|(_, answer)| answer)
}

/// The answers of a child that ends by itself.
pub(crate) fn answers(mut command: Command) -> Vec<String> {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let text = String::from_utf8(output.stdout).unwrap();
    text.lines().filter_map(answer).map(str::to_owned).collect()
}

/// The child's side. As an ordinary test, without a task, it has nothing to do.
#[test]
fn works() {
    let (Ok(task), Some(path)) = (std::env::var(TASK), std::env::var_os(STORE)) else { return };
    let path = Path::new(&path);
    match task.as_str() {
        "count" => say(&outcome(SqliteStore::open_read_only(path).map(|store| folder::size(&store)))),
        "create" => say(&outcome(SqliteStore::open(path).map(|store| store.libraries().unwrap().len()))),
        "write" => say(&outcome(SqliteStore::open_existing(path).map(|store| write_once(&store)))),
        "write on and on" => write_on(path),
        other => panic!("no task {other}"),
    }
}

#[allow(clippy::print_stdout, reason = "how the child answers")]
fn say(answer: &str) {
    println!("\nchild: {answer}");
}

fn outcome(result: Result<impl ToString, StoreError>) -> String {
    result.map_or_else(|error| error.to_string(), |done| done.to_string())
}

fn write_once(store: &SqliteStore) -> String {
    let put = &mut |change: &mut dyn Transaction| Ok(change.put_experience(&docet_conformance::experience(99))?);
    store.write(&LibraryName::default(), put).map_or_else(|error| error.to_string(), |()| "written".to_owned())
}

/// Adds entries one by one until it is killed, and says of each that it is stored.
fn write_on(path: &Path) {
    let store = SqliteStore::open(path).unwrap();
    loop {
        let mut stored = 0;
        let put = &mut |change: &mut dyn Transaction| {
            let mut library = change.library()?.unwrap_or_else(|| Library::new(Settings::default()));
            let id = library.next_id;
            change.put_experience(&docet_conformance::experience(id))?;
            change.put_session(&docet_conformance::ended_session(id, None, Some(id as f64)))?;
            library.next_id += 1;
            change.put_library(&library)?;
            stored = id;
            Ok(())
        };
        store.write(&LibraryName::default(), put).unwrap();
        say(&stored.to_string());
    }
}
