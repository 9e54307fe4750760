//! The encoder under test and the rows that it is held to.

use docet_minilm::{MiniLm, Threads, model};
use serde::Deserialize;
use std::fs::File;
use std::io::Write;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

/// A text with what an independent computation in double precision makes of it.
#[derive(Deserialize)]
pub(crate) struct Row {
    pub(crate) text: String,
    pub(crate) tokens: usize,
    pub(crate) embedding: Vec<f64>,
}

/// The model, found as the command line finds it.
pub(crate) fn model() -> model::Model {
    let data = std::env::var_os("DOCET_DATA_DIR").map_or_else(std::env::temp_dir, PathBuf::from);
    let found = model::find(&model::Places::from_env(&data));
    found.unwrap_or_else(|error| panic!("the tests need the weights, `cargo xtask test` brings them: {error}"))
}

/// The encoder on so many threads.
pub(crate) fn open(threads: usize) -> MiniLm {
    let threads = NonZeroUsize::new(threads).expect("at least one thread");
    MiniLm::open(&model(), Threads::Fixed(threads)).expect("the model was verified")
}

/// One encoder on one thread for all tests that need no other.
pub(crate) static ENCODER: LazyLock<MiniLm> = LazyLock::new(|| open(1));

/// The rows of a file in this crate's `tests` folder.
pub(crate) fn own_rows() -> Vec<Row> {
    rows(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference.jsonl"))
}

/// The rows of a file.
pub(crate) fn rows(path: &Path) -> Vec<Row> {
    let file = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    file.lines().map(|line| serde_json::from_str(line).expect("a row is JSON")).collect()
}

/// A file of the shared test data, where that is there.
pub(crate) fn shared(file: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let path = std::env::var_os("DOCET_TEST_DATA").map_or(beside, PathBuf::from).join(file);
    if !path.is_file() {
        skipped(&format!("{file} of the test data is not there; DOCET_TEST_DATA names its folder"));
        return None;
    }
    Some(path)
}

/// Says that a test did not run, also to the log that `cargo xtask test` reads.
fn skipped(what: &str) {
    eprintln!("skipped: {what}");
    if let Some(log) = std::env::var_os("DOCET_SKIPPED_LOG").filter(|log| !log.is_empty()) {
        let mut log = File::options().append(true).create(true).open(log).expect("the log can be opened");
        writeln!(log, "skipped: {what}").expect("the log can be written");
    }
}

/// Places in a folder of their own, where nothing is found; it goes when the first part is dropped.
pub(crate) fn empty_places() -> (tempfile::TempDir, model::Places) {
    let folder = tempfile::tempdir().expect("there is room for temporary files");
    let places = model::Places { model_dir: None, data_dir: folder.path().to_path_buf(), hub_cache: None };
    (folder, places)
}
