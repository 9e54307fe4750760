//! Disks that are full, that may not be written, or whose flush fails: an error, and the last revision stands.
#![cfg(target_os = "linux")]

use std::fs;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::data::skip;
use crate::replay::{Start, assert_whole};
use crate::sandbox::{Run, Sandbox};

/// A store in a file of its own with two lessons, where `tool` works as it is wanted here.
fn with_store(test: &str, tool: &[&str]) -> Option<Sandbox> {
    let works = Command::new(tool[0]).args(&tool[1..]).stdout(Stdio::null()).stderr(Stdio::null()).status();
    if !works.is_ok_and(|status| status.success()) {
        skip(&format!("{test}: needs `{}`", tool.join(" ")));
        return None;
    }
    let sandbox = Sandbox::with_file(test)?;
    sandbox.json(["add", "Run the tests before you commit.", "Quote every path."]);
    Some(sandbox)
}

/// A namespace in which file systems can be mounted.
const NAMESPACE: [&str; 2] = ["unshare", "-rm"];

/// Many lessons, which need more space than there is.
fn many_lessons() -> String {
    let add = |number| json!({"op": "add", "text": format!("Lesson {number} is one of very many."), "pinned": true});
    Value::from((0..400).map(add).collect::<Vec<_>>()).to_string()
}

#[track_caller]
fn assert_sound(sandbox: &Sandbox, revision: u64) {
    assert_whole(sandbox, &Start::default());
    assert_eq!(sandbox.state().0, revision);
    let examined = sandbox.json(["doctor", "--all"]);
    assert_eq!(json!([examined["ok"], examined["findings"]]), json!([true, []]));
}

#[test]
fn a_full_disk() {
    let Some(mut sandbox) =
        with_store("a full disk", &[NAMESPACE[0], NAMESPACE[1], "sh", "-c", "mount -t tmpfs t /mnt"])
    else {
        return;
    };
    let lessons = sandbox.file("many.json", many_lessons());
    fs::create_dir(sandbox.path("disk")).unwrap();
    fs::create_dir(sandbox.path("after")).unwrap();
    // The disk is gone with its namespace, so what it held is copied out: after the failure, and when there was space.
    let script = "mount -t tmpfs -o size=400k tmpfs disk && cp memory.db* disk/ && export DOCET_STORE=disk/memory.db
        \"$0\" \"$@\"; code=$?
        cp disk/* after/; mount -o remount,size=64m disk || exit 9
        \"$0\" add 'There is space again.' > after/next.txt 2>&1
        exit $code";
    let run = sandbox
        .run_in(&[NAMESPACE[0], NAMESPACE[1], "sh", "-c", script], ["update", lessons.to_str().unwrap(), "--json"]);
    let error = run.error(1);
    assert!(error["code"] == "io" && error["message"].as_str().unwrap().contains("no space for"), "{error}");
    assert_eq!(fs::read_to_string(sandbox.path("after/next.txt")).unwrap(), "added lesson 3\n3 lessons, revision 2\n");
    sandbox.set("DOCET_STORE", sandbox.path("after/memory.db"));
    assert_sound(&sandbox, 1);
    sandbox.json(["update".as_ref(), lessons.as_os_str()]);
    assert_sound(&sandbox, 2);
}

/// Files may not become larger than this many blocks of 1,024 bytes.
fn limited(sandbox: &Sandbox, blocks: u64, words: &[&str]) -> Run {
    sandbox.run_in(&["bash", "-c", &format!("ulimit -f {blocks}; exec \"$0\" \"$@\"")], words)
}

#[test]
fn a_limit_of_files() {
    let Some(sandbox) = with_store("a limit of files", &["bash", "-c", "ulimit -f 8"]) else { return };
    let lessons = sandbox.file("many.json", many_lessons());
    let lessons = lessons.to_str().unwrap();
    let markdown = sandbox
        .file("many.md", (0..400).map(|n| format!("- Imported lesson {n} says the same.\n")).collect::<String>());
    let session = sandbox.begin("commit");
    let table: [&[&str]; 6] = [
        &["update", lessons],
        &["import", markdown.to_str().unwrap()],
        &["end", &session, "--no-outcome", "--update", lessons],
        &["add", "One more lesson."],
        &["begin", "quote"],
        &["backup", "copy.db"],
    ];
    for words in table {
        // Below the first, not even the log's first page can be written; at the second, some of a large change can.
        for blocks in [2, 200] {
            let run = limited(&sandbox, blocks, &[words, &["--json"]].concat());
            if blocks == 2 || run.code != 0 {
                assert_eq!(run.error(1)["code"], "io", "{words:?}");
                assert_eq!(run.err.lines().count(), 1, "{}", run.err);
            }
        }
        assert_whole(&sandbox, &Start::default());
    }
    let sessions = sandbox.json(["sessions", "--open"]);
    let held = sessions["sessions"].as_array().unwrap().iter().find(|held| held["session"] == session[..]).unwrap();
    assert_eq!(held["labels"].as_array().unwrap().len(), 2);
    assert!(
        !sandbox.path("copy.db").exists() || sandbox.json(["--store", "copy.db", "list"]) == sandbox.json(["list"])
    );
    assert_sound(&sandbox, sandbox.state().0);
}

#[test]
fn an_export_that_finds_no_space_leaves_the_old_file() {
    let Some(sandbox) = with_store("an export without space", &["bash", "-c", "ulimit -f 8"]) else { return };
    sandbox.json(["export", "library.jsonl"]);
    let before = fs::read(sandbox.path("library.jsonl")).unwrap();
    sandbox.json(["add", "One more lesson."]);
    let run = limited(&sandbox, 0, &["export", "library.jsonl", "--json"]);
    assert_eq!(run.error(1)["code"], "io");
    assert_eq!(fs::read(sandbox.path("library.jsonl")).unwrap(), before);
    let names = fs::read_dir(sandbox.path("")).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    assert!(names.filter(|name| name.contains("library")).eq(["library.jsonl"]));
}

#[test]
fn a_folder_that_may_not_be_written() {
    let mount = "mount --bind . . && mount -o remount,bind,ro . && exec \"$0\" \"$@\"";
    let Some(sandbox) = with_store("a read-only folder", &[NAMESPACE[0], NAMESPACE[1], "sh", "-c", mount, "true"])
    else {
        return;
    };
    let session = sandbox.begin("commit");
    sandbox.json(["doctor", "--fix"]);
    let file = sandbox.store_file().unwrap();
    let before = fs::read(&file).unwrap();
    // The folder is entered anew, since whoever stands in it stands below what was mounted.
    let script = format!("cd '{}' && {}", sandbox.path("").display(), mount.replace("exec", "cd . && exec"));
    let run = |words: &[&str]| {
        sandbox.run_in(&[NAMESPACE[0], NAMESPACE[1], "sh", "-c", &script], [words, &["--json"]].concat())
    };
    let changing: [&[&str]; 9] = [
        &["add", "One more lesson."],
        &["delete", "1"],
        &["begin", "quote"],
        &["end", &session, "--improved"],
        &["recall", "quote", "--session", &session],
        &["settings", "top_k=3"],
        &["undo", "1"],
        &["purge", "--yes"],
        &["--store", "other/docet.db", "add", "One more lesson."],
    ];
    for words in changing {
        let error = run(words).error(1);
        assert_eq!(error["code"], "io", "{words:?}: {error}");
    }
    assert_eq!(run(&["list"]).answer()["total"], 2);
    assert_eq!(run(&["recall", "quote"]).answer()["guidelines"].as_array().unwrap().len(), 2);
    for words in [&["history"][..], &["show", "1"], &["sessions"], &["export"], &["doctor"]] {
        assert_eq!(run(words).code, 0, "{words:?}");
    }
    assert!(fs::read(&file).unwrap() == before);
    assert_sound(&sandbox, 1);
}

#[test]
fn a_flush_that_fails() {
    const LESSONS: &str = r#"[{"op": "add", "text": "Learned at the end."}, {"op": "delete", "id": 1}]"#;
    let commands: [&[&str]; 5] = [
        &["update", "list.json"],
        &["end", "SESSION", "--improved", "--update", "list.json"],
        &["undo", "LAST"],
        &["settings", "top_k=9"],
        &["pin", "2"],
    ];
    let mut failures = 0;
    for words in commands {
        let tool = ["strace", "-qq", "-e", "trace=none", "true"];
        let Some(sandbox) = with_store("a failing flush", &tool) else { return };
        sandbox.file("list.json", LESSONS);
        let session = sandbox.begin("commit");
        for number in 1..20 {
            let before = sandbox.state().0;
            let last = before.to_string();
            let words = words.iter().map(|word| match *word {
                "SESSION" => &session[..],
                "LAST" => &last[..],
                word => word,
            });
            let run = flushing_fails_from(&sandbox, number, words.chain(["--json"]).collect());
            if run.code == 0 {
                // So late that what failed was no part of the commit.
                assert_eq!(run.answer()["revision"].as_u64().unwrap_or(before + 1), before + 1);
                assert_sound(&sandbox, before + 1);
                break;
            }
            assert_eq!(run.error(1)["code"], "io");
            assert_sound(&sandbox, before);
            failures += 1;
        }
    }
    assert!(failures >= commands.len(), "{failures}");
}

/// Every flush from the one of that number on fails.
fn flushing_fails_from(sandbox: &Sandbox, number: usize, words: Vec<&str>) -> Run {
    let inject = format!("inject=fsync,fdatasync:error=EIO:when={number}+");
    let strace = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=fsync,fdatasync", "-e", &inject];
    sandbox.run_in(&strace, words)
}
