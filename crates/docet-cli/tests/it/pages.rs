//! What people read: one page of each command.

use crate::sandbox::Sandbox;

/// What changes from run to run.
fn masked(page: &str, session: &str) -> String {
    let page = page.replace(session, "SESSION");
    let words = page.split_inclusive(' ').map(|word| {
        let is_time = word.len() > 20 && word.starts_with("20") && word.contains('T');
        if is_time { word.replace(|c: char| c.is_ascii_digit(), "0") } else { word.to_owned() }
    });
    words.collect()
}

#[test]
fn a_session_from_the_first_lesson_to_its_end() {
    let sandbox = Sandbox::new();
    let page = |words: &[&str]| {
        let run = sandbox.run(words);
        assert_eq!((run.code, run.err.as_str()), (0, ""), "{words:?}");
        run.out
    };
    assert_eq!(
        page(&["add", "Run the tests before you commit.", "Quote every path.", "--domain", "coding"]),
        "added lessons 1, 2\n2 lessons, revision 1\n"
    );
    assert_eq!(
        page(&["add", "Run the tests before you commit.", "--domain", "coding"]),
        "operation 0: lesson 1 says that already\n2 lessons, revision 1\n"
    );
    assert_eq!(page(&["pin", "2"]), "changed lesson 2\n2 lessons, revision 2\n");
    assert_eq!(
        page(&["list"]),
        "ID  CONFIDENCE  USED  EPOCH  DOMAIN  PINNED  TEXT\n\
         1   0.500       0     0      coding          Run the tests before you commit.\n\
         2   0.500       0     0      coding  pinned  Quote every path.\n\
         2 lessons, epoch 0, revision 2\n"
    );
    let session = sandbox.begin("commit");
    assert_eq!(
        page(&["end", &session, "--reward", "1", "--baseline", "0.5", "--applied", "G0"]),
        "improved (reward 1, baseline 0.500)\n\
         LABEL  ID  VERDICT   BEFORE  AFTER  USED\n\
         G0     1   improved  0.500   0.550  1\n\
         revision 3\n"
    );
    assert_eq!(
        masked(&page(&["sessions"]), &session),
        "SESSION                               STATE  EPOCH  BEGUN                     LABELS  REWARD  VERDICT   GROUP  REF\n\
         SESSION  ended  1      0000-00-00T00:00:00.000Z  2       1       improved\n"
    );
    let shown = page(&["show", "1"]);
    assert!(shown.starts_with(
        "id          1\n\
         text        Run the tests before you commit.\n\
         confidence  0.550\n\
         domain      coding\n\
         used        1\n\
         evidence    1 improved, last in epoch 1; 0 not\n\
         epoch       0\n\
         pinned      no\n\
         created     "
    ));
    assert_eq!(
        page(&["compress", "--to", "1", "--strategy", "importance", "--dry-run"]),
        "LEAVES  CONFIDENCE  USED  EPOCH  TEXT\n\
         1       0.550       1     0      Run the tests before you commit.\n\
         dry run of importance: 1 lesson would stay; nothing was changed\n"
    );
    assert_eq!(page(&["merge", "1", "2", "Test, then commit."]), "merged lessons 1, 2 into 3\n1 lesson, revision 4\n");
    assert_eq!(page(&["delete", "3"]), "deleted lesson 3\n0 lessons, revision 5\n");
    let settings = page(&["settings", "capacity=40"]);
    assert!(
        settings.starts_with("SETTING              VALUE\ncapacity             40           default 500\n"),
        "{settings}"
    );
    let embedded = page(&["embed", "Quote every path."]);
    assert!(
        embedded.starts_with("6 tokens  ") && embedded.ends_with(" and 380 more (--json prints them all)\n"),
        "{embedded}"
    );
}

#[test]
fn every_fault_is_listed_for_a_person_too() {
    let sandbox = Sandbox::new();
    let run = sandbox.run(["add", "Good.", "", "[G0] is mine"]);
    assert_eq!(
        run.err,
        "error: operation 1: the text is empty; a lesson has 1 to 32 words (and 1 more); nothing was applied\n  \
         operation 1: the text is empty; a lesson has 1 to 32 words\n  \
         operation 2: the text holds what looks like a guideline label (\"[G0]\"); say it without the brackets\n"
    );
    let many = sandbox.run(["delete"].into_iter().chain(vec!["7"; 30]));
    assert!(many.err.ends_with("  and 10 more; --json lists them all\n"), "{}", many.err);
}
