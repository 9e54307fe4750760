//! Standard input, standard output and standard error: what goes where, and what happens when one is closed.

use std::io::Read;
use std::process::Stdio;

use serde_json::json;

use crate::sandbox::Sandbox;

fn furnished() -> Sandbox {
    let sandbox = Sandbox::new();
    sandbox.json(["add", "Run the tests before you commit.", "Quote every path."]);
    sandbox
}

#[test]
fn recall_prints_the_plain_block_and_nothing_else() {
    let sandbox = furnished();
    let run = sandbox.run(["recall", "commit a change"]);
    assert_eq!(run.out, "[G0] Run the tests before you commit.\n[G1] Quote every path.\n");
    assert_eq!(run.err, "");
    let nothing = sandbox.run(["recall", "commit", "--domain", "elsewhere"]);
    assert_eq!((nothing.code, nothing.out.as_str(), nothing.err.as_str()), (0, "", ""));
}

#[test]
fn begin_names_its_session_on_standard_error() {
    let sandbox = furnished();
    let run = sandbox.run(["begin", "commit a change"]);
    assert_eq!(run.out.lines().count(), 2);
    let session = run.err.strip_prefix("session: ").unwrap().trim_end();
    assert_eq!(sandbox.json(["sessions"])["sessions"][0]["session"], session);
    let quiet = sandbox.run(["begin", "commit", "--json"]);
    assert_eq!(quiet.err, "");
}

#[test]
fn begin_makes_the_store_and_hands_out_an_empty_block() {
    let sandbox = Sandbox::blank();
    assert_eq!(sandbox.refused(["list"])["code"], "store_missing");
    let run = sandbox.run(["begin", "anything"]);
    assert_eq!((run.code, run.out.as_str()), (0, ""));
    assert_eq!(sandbox.json(["list"])["total"], 0);
}

#[test]
fn a_dash_is_standard_input() {
    let sandbox = Sandbox::new();
    let added = sandbox.feed(["add", "-", "Last.", "--json"], "First.\nSecond, caf\u{e9}.\n".as_bytes()).answer();
    assert_eq!(added["applied"].as_array().unwrap().len(), 3);
    assert_eq!(sandbox.state().1, ["First.", "Second, caf\u{e9}.", "Last."]);
    let blank = sandbox.feed(["add", "-", "--json"], b"One.\n\nTwo.\n").error(1);
    assert_eq!(json!([blank["code"], blank["faults"][0]["index"]]), json!(["empty_text", 1]));
    assert_eq!(sandbox.feed(["add", "-", "--json"], b"").answer()["applied"], json!([]));

    sandbox.feed(["modify", "1", "-", "--json"], b"First, anew.\n").answer();
    sandbox.feed(["merge", "1", "2", "-", "--json"], b"Both.\n").answer();
    assert_eq!(sandbox.state().1, ["Last.", "Both."]);
    assert_eq!(sandbox.feed(["recall", "-"], b"both\n").out, "[G0] Both.\n[G1] Last.\n");
    let session = sandbox.feed(["begin", "-", "--json"], b"both").answer()["session"].as_str().unwrap().to_owned();
    let learned = br#"{"operations": [{"op": "add", "text": "Learned."}]}"#;
    let ended = sandbox.feed(["end", &session, "--improved", "--update", "-", "--json"], learned).answer();
    assert_eq!(ended["update"]["applied"][0]["op"], "add");
}

#[test]
fn a_task_may_begin_with_a_dash() {
    let sandbox = furnished();
    let list = "- commit a change\n- push it";
    assert_eq!(sandbox.run(["recall", list, "-k", "1"]).out.lines().count(), 1);
    assert_eq!(sandbox.run(["recall", "-k", "1", "--", "--help"]).out.lines().count(), 1);
    assert_eq!(sandbox.run(["recall", "-1", "-k", "1"]).out.lines().count(), 1);
}

#[test]
fn a_long_task_is_said_to_be_cut() {
    let sandbox = furnished();
    let task = "commit ".repeat(400);
    let run = sandbox.run(["recall", &task]);
    assert!(run.code == 0 && run.err.starts_with("note: the task is longer"), "{}", run.err);
    assert_eq!(sandbox.json(["recall", &task])["truncated"], true);
}

#[test]
fn a_closed_pipe_ends_silently() {
    let sandbox = Sandbox::new();
    let lines: String = (0..400).map(|number| format!("Lesson {number} is quite another one.\n")).collect();
    sandbox.feed(["add", "-", "--json"], lines.as_bytes()).answer();
    for words in [["list", "--json"], ["list", "--sort=id"], ["completions", "bash"], ["list", "--help"]] {
        let mut command = sandbox.command();
        let mut child = command.args(words).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        assert_eq!((child.wait().unwrap().code(), said.as_str()), (Some(0), ""), "{words:?}");
    }
    let mut command = sandbox.command();
    let mut child = command.args(["add", "Committed anyway."]).stdout(Stdio::piped()).spawn().unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(sandbox.json(["list"])["total"], 401);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_said() {
    let sandbox = furnished();
    let full = || std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    for words in [["list", "--json"], ["list", "--sort=id"], ["recall", "x"], ["list", "--help"]] {
        let output = sandbox.command().args(words).stdout(full()).output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(1), "{words:?}");
        assert!(said.starts_with("error: cannot write to standard output"), "{words:?}: {said}");
    }
}

#[test]
fn nothing_is_coloured_in_a_pipe() {
    let sandbox = furnished();
    for words in [&["list"][..], &["libraries"], &["lsit"], &["show", "9"], &["--help"], &["settings"]] {
        let run = sandbox.run(words);
        assert!(!run.out.contains('\u{1b}') && !run.err.contains('\u{1b}'), "{words:?}");
    }
}

#[test]
fn huge_texts_are_refused_in_a_line() {
    let sandbox = furnished();
    let huge = "word ".repeat(10_000_000);
    for words in [["add", "-"], ["modify", "1"], ["update", "-"]] {
        let words = words.iter().chain(if words[0] == "modify" { &["-"][..] } else { &[] });
        let run = sandbox.feed(words, huge.as_bytes());
        assert!(run.code == 1 && run.err.lines().count() == 1 && run.err.len() < 400, "{}", run.err);
    }
    assert_eq!(sandbox.feed(["recall", "-", "--json"], huge.as_bytes()).answer()["truncated"], true);
    assert_eq!(sandbox.state().1.len(), 2);
}
