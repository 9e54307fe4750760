//! Lessons that people really wrote are no secrets.

use std::fs;
use std::path::{Path, PathBuf};

use docet_core::secrets::find;
use serde_json::Value;

use crate::world::shared;

/// How many texts of `value`, at any depth, were looked at; fails on one that is refused.
fn looked_at(value: &Value) -> usize {
    match value {
        Value::String(text) => {
            assert_eq!(find(text), None, "{text}");
            1
        }
        Value::Array(values) => values.iter().map(looked_at).sum(),
        Value::Object(fields) => fields.values().map(looked_at).sum(),
        _ => 0,
    }
}

fn beside(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

#[test]
fn our_own_lessons_are_no_secrets() {
    let lessons = fs::read_to_string(beside("../docet-cli/src/quickstart/lessons.json")).expect("readable lessons");
    assert!(looked_at(&serde_json::from_str(&lessons).expect("readable lessons")) > 50);
}

#[test]
fn lessons_of_others_are_no_secrets() {
    for file in ["guidelines/clippy.jsonl", "guidelines/cursorrules.jsonl", "guidelines/youtu.jsonl"] {
        let Some(path) = shared(file) else { continue };
        let lessons = fs::read_to_string(path).expect("readable lessons");
        let rows = lessons.lines().map(|line| looked_at(&serde_json::from_str(line).expect("readable lessons")));
        assert!(rows.sum::<usize>() > 50, "{file}");
    }
}
