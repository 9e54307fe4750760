//! Data that nobody here wrote, where it is at hand.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::{env, fs};

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

fn skip(why: &str) {
    eprintln!("skipped: {why}");
    if let Some(log) = env::var_os("DOCET_SKIPPED_LOG").filter(|log| !log.is_empty()) {
        let mut log = fs::OpenOptions::new().append(true).create(true).open(log).unwrap();
        writeln!(log, "skipped: {why}").unwrap();
    }
}

/// The bytes of base64.
pub(crate) fn base64(text: &str) -> Vec<u8> {
    let value = |digit: u8| match digit {
        b'A'..=b'Z' => digit - b'A',
        b'a'..=b'z' => digit - b'a' + 26,
        b'0'..=b'9' => digit - b'0' + 52,
        b'+' => 62,
        _ => 63,
    };
    let digits: Vec<u8> = text.bytes().filter(|digit| *digit != b'=').map(value).collect();
    let group = |group: &[u8]| {
        let bits =
            group.iter().enumerate().fold(0_u32, |bits, (place, digit)| bits | u32::from(*digit) << (18 - 6 * place));
        let bytes = bits.to_be_bytes();
        bytes[1..group.len()].to_vec()
    };
    digits.chunks(4).flat_map(group).collect()
}

#[test]
fn base64_as_in_its_standard() {
    for (text, bytes) in [("", ""), ("Zg==", "f"), ("Zm8=", "fo"), ("Zm9v", "foo"), ("Zm9vYmFy", "foobar")] {
        assert_eq!(base64(text), bytes.as_bytes());
    }
}
