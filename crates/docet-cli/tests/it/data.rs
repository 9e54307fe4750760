//! Data that nobody here wrote, where it is at hand.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// The rows of a file of the test data; says so and gives none where the folder is not there.
pub(crate) fn rows(test: &str, file: &str) -> Option<Vec<Value>> {
    let path = folder().join(file);
    if !path.is_file() {
        skip(&format!("{test}: no {file} in DOCET_TEST_DATA"));
        return None;
    }
    let text = fs::read_to_string(&path).unwrap();
    Some(text.lines().map(|line| serde_json::from_str(line).unwrap()).collect())
}

fn folder() -> PathBuf {
    let beside = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    env::var_os("DOCET_TEST_DATA").filter(|folder| !folder.is_empty()).map_or_else(beside, PathBuf::from)
}

/// Says that a test found nothing to test with.
pub(crate) fn skip(why: &str) {
    eprintln!("skipped: {why}");
    if let Some(log) = env::var_os("DOCET_SKIPPED_LOG").filter(|log| !log.is_empty()) {
        let mut log = fs::OpenOptions::new().append(true).create(true).open(log).unwrap();
        writeln!(log, "skipped: {why}").unwrap();
    }
}

/// The bytes of base64.
pub(crate) fn base64(text: &str) -> Vec<u8> {
    STANDARD.decode(text).unwrap()
}
