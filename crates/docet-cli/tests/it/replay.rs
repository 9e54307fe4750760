//! The history against the entries: carried out from its beginning, it must lead to what stands.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::sandbox::Sandbox;

/// From where a history goes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Start {
    /// The library's revision.
    pub(crate) revision: u64,
    /// Its entries, by id.
    pub(crate) entries: BTreeMap<u64, Value>,
}

impl Start {
    /// What stands in the sandbox's library now.
    pub(crate) fn of(sandbox: &Sandbox) -> Self {
        let listed = sandbox.json(["list"]);
        let entry = |entry: &Value| (entry["id"].as_u64().unwrap(), entry.clone());
        let entries = listed["experiences"].as_array().unwrap().iter().map(entry).collect();
        Self { revision: listed["revision"].as_u64().unwrap(), entries }
    }
}

/// Checks that the revisions after `start` have no gap, that each begins where the one before ended, and that the last
/// ends with what stands. Returns them, the oldest first.
#[track_caller]
pub(crate) fn assert_whole(sandbox: &Sandbox, start: &Start) -> Vec<Value> {
    let revisions = revisions(sandbox);
    let (stands, mut replayed) = (Start::of(sandbox), start.clone());
    for revision in &revisions {
        assert_eq!(revision["revision"], replayed.revision + 1);
        replayed.revision += 1;
        for change in revision["changes"].as_array().unwrap() {
            let id = change["id"].as_u64().unwrap();
            let before = replayed.entries.remove(&id).unwrap_or_default();
            assert_eq!(before, change["before"], "entry {id} before revision {}", replayed.revision);
            if !change["after"].is_null() {
                replayed.entries.insert(id, change["after"].clone());
            }
        }
    }
    assert_eq!(replayed.revision, stands.revision);
    assert_eq!(replayed.entries, stands.entries);
    revisions
}

/// All revisions, the oldest first.
pub(crate) fn revisions(sandbox: &Sandbox) -> Vec<Value> {
    let mut history = sandbox.json(["history", "--limit", "1000000"]);
    let Value::Array(mut revisions) = history["revisions"].take() else { panic!("{history}") };
    revisions.reverse();
    revisions
}
