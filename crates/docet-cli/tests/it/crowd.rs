//! Many processes, one store: nothing that was acknowledged is lost, and nothing counts twice.

use std::collections::BTreeSet;

use serde_json::Value;

use crate::sandbox::{Sandbox, at_once};

const PROCESSES: usize = 8;

fn numbers(value: &Value, field: &str) -> Vec<u64> {
    value.as_array().unwrap().iter().map(|item| item[field].as_u64().unwrap()).collect()
}

/// Each process adds so many lessons, one a call.
fn adds(each: usize) {
    let sandbox = Sandbox::new();
    sandbox.json(["settings", "capacity=2000"]);
    let added = at_once(PROCESSES, |process| {
        (0..each).map(|step| sandbox.add(&format!("Lesson {step} of process {process}."))).collect::<Vec<_>>()
    });
    let ids: BTreeSet<u64> = added.iter().flatten().copied().collect();
    let listed = sandbox.json(["list"]);
    assert_eq!(ids.len(), PROCESSES * each, "an id was given twice");
    assert_eq!(numbers(&listed["experiences"], "id"), ids.into_iter().collect::<Vec<_>>());
    let history = sandbox.json(["history", "--limit", "100000"]);
    let revisions: Vec<u64> = numbers(&history["revisions"], "revision");
    assert_eq!(revisions, (1..=1 + (PROCESSES * each) as u64).rev().collect::<Vec<_>>());
}

/// Each process begins and ends so many sessions.
fn sessions(each: usize) {
    let sandbox = Sandbox::new();
    sandbox.json(["settings", "baseline=0.5"]);
    sandbox.json(["add", "Run the tests first.", "Read the error first."]);
    at_once(PROCESSES, |_| {
        for _ in 0..each {
            let session = sandbox.begin("run the tests");
            sandbox.json(["end", &session, "--reward", "1", "--applied", "G0,G1"]);
        }
    });
    let listed = sandbox.json(["list"]);
    let all = (PROCESSES * each) as u64;
    assert_eq!(listed["epoch"].as_u64(), Some(all));
    for field in ["usage_count", "successes"] {
        assert_eq!(numbers(&listed["experiences"], field), [all, all], "{field}");
    }
    let begun = sandbox.json(["sessions"]);
    let epochs: BTreeSet<u64> = numbers(&begun["sessions"], "epoch").into_iter().collect();
    assert_eq!(epochs, (1..=all).collect());
    let rewarded = begun["sessions"].as_array().unwrap().iter().all(|session| session["reward"] == 1.0);
    assert!(rewarded && sandbox.json(["history"])["revisions"][0]["revision"].as_u64() == Some(all + 2));
}

#[test]
fn lessons_of_many_processes_are_all_there() {
    adds(6);
}

#[test]
fn sessions_of_many_processes_all_count() {
    sessions(4);
}

#[test]
#[ignore = "1,600 processes that add and 3,200 that begin and end take minutes"]
fn a_large_crowd_loses_nothing() {
    adds(200);
    sessions(200);
}

/// One key, one revision, one answer.
#[test]
fn a_call_repeated_by_many_processes_counts_once() {
    let sandbox = Sandbox::new();
    let answers = at_once(PROCESSES, |_| sandbox.json(["add", "Run the tests first.", "--idempotency-key", "k"]));
    assert!(answers.iter().all(|answer| *answer == answers[0] && answer["applied"][0]["id"] == 1), "{answers:?}");
    assert_eq!(sandbox.state(), (1, vec!["Run the tests first.".to_owned()]));
}

/// One end, one answer.
#[test]
fn a_session_ended_by_many_processes_ends_once() {
    let sandbox = Sandbox::new();
    sandbox.add("Run the tests first.");
    let session = sandbox.begin("run the tests");
    let answers = at_once(PROCESSES, |_| sandbox.json(["end", &session, "--improved"]));
    assert!(answers.iter().all(|answer| *answer == answers[0]), "{answers:?}");
    assert_eq!(sandbox.json(["show", "1"])["usage_count"], 1);
}

/// The first call makes the store, whoever comes first.
#[test]
fn many_processes_make_one_store() {
    let sandbox = Sandbox::blank();
    at_once(PROCESSES, |process| sandbox.add(&format!("Lesson of process {process}.")));
    assert_eq!(sandbox.json(["list"])["total"], PROCESSES);
}
