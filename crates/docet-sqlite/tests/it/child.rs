//! Other processes: this very test binary, run again with a task in its environment.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

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

/// Where the task "back up" puts its copy.
pub(crate) fn backup_of(store: &Path) -> PathBuf {
    store.with_extension("backup.db")
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
        "write and be killed" => {
            say(&outcome(SqliteStore::open_existing(path).map(|store| {
                let answer = write_once(&store);
                // Closing would tidy up, which a kill does not.
                std::mem::forget(store);
                answer
            })));
            std::process::abort();
        }
        "back up" => {
            let backup = SqliteStore::open_read_only(path).and_then(|store| store.back_up(&backup_of(path)));
            say(&outcome(backup.map(|backup| backup.entries)));
        }
        "write on and on" => write_on(path),
        "write for a while" => say(&write_for_a_while(path)),
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
        say(&add(&store).to_string());
    }
}

/// How many small changes it commits in two seconds, and how many milliseconds the longest of them took.
fn write_for_a_while(path: &Path) -> String {
    let store = SqliteStore::open(path).unwrap();
    let (begun, mut commits, mut longest) = (Instant::now(), 0, Duration::ZERO);
    while begun.elapsed() < Duration::from_secs(2) {
        let before = Instant::now();
        add(&store);
        longest = longest.max(before.elapsed());
        commits += 1;
    }
    format!("{commits} {}", longest.as_millis())
}

/// Adds an entry with a session and a revision, and says which id it has.
fn add(store: &dyn Store) -> u64 {
    let mut stored = 0;
    let put = &mut |change: &mut dyn Transaction| {
        let mut library = change.library()?.unwrap_or_else(|| Library::new(Settings::default()));
        let id = library.next_id;
        change.put_experience(&docet_conformance::experience(id))?;
        let session = docet_conformance::ended_session(id, None, Some(id as f64));
        change.put_session(&session)?;
        change.put_reward(&docet_conformance::reward(&session).unwrap())?;
        change.put_revision(&docet_conformance::revision(id, vec![docet_conformance::came(id)]))?;
        library.next_id += 1;
        (library.epoch, library.revision) = (id, id);
        change.put_library(&library)?;
        stored = id;
        Ok(())
    };
    store.write(&LibraryName::default(), put).unwrap();
    stored
}
