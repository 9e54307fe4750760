//! A library's life through the facade, told in one snapshot: what was handed out, how sessions ended, and what that
//! left behind.

use std::fmt::Write;

use docet_core::memory::{Begin, Recall, Recalled};
use docet_core::session::{EndReport, Outcome, SessionId};
use serde_json::{Value, json};

use crate::world::{HOUR, World, free, no_outcome, rewarded, worded};

const LESSONS: [&str; 5] = [
    "Read the error before you change the code.",
    "Run the tests before you commit.",
    "Commit small changes with a reason.",
    "Close the cookie banner first.",
    "Ask before you delete what you did not make.",
];

/// What happened, line by line.
struct Tale {
    world: World,
    told: String,
}

impl Tale {
    fn tell(&mut self, line: &str) {
        writeln!(self.told, "{line}").expect("a string");
    }

    fn note(&mut self) {
        let noted = self.world.noted();
        self.tell(&format!("\n{noted}"));
    }

    fn begin(&mut self, task: &str, group: Option<&str>) -> SessionId {
        let begin =
            Begin { recall: Recall { top_k: Some(2), ..Recall::of(task) }, group: group.map(free), reference: None };
        let (session, recalled) = self.world.begin_as(&begin);
        self.tell(&format!("\nbegin {session}: {task}"));
        self.tell_recalled(&recalled);
        session
    }

    fn recall_in(&mut self, session: &SessionId, task: &str) {
        self.tell(&format!("recall within {session}: {task}"));
        let recall = Recall { top_k: Some(2), ..Recall::of(task) };
        match self.world.memory.recall_in(session, None, &recall, self.world.tick()) {
            Ok(recalled) => self.tell_recalled(&recalled),
            Err(error) => self.tell(&format!("  refused: {error}")),
        }
    }

    fn tell_recalled(&mut self, recalled: &Recalled) {
        for line in recalled.context().lines() {
            self.tell(&format!("  {line}"));
        }
        let ranking = &recalled.ranking;
        self.tell(&format!(
            "  epoch {}, revision {}; eligible {}, given {}, below {}, short of {}",
            recalled.epoch,
            recalled.revision,
            ranking.eligible,
            ranking.already_given,
            ranking.below_min_score,
            ranking.shortfall
        ));
    }

    fn end(&mut self, session: &SessionId, how: &str, outcome: Outcome) {
        self.end_with(session, how, outcome, json!([]));
    }

    fn end_with(&mut self, session: &SessionId, how: &str, outcome: Outcome, list: Value) {
        self.tell(&format!("end {session}, {how}"));
        match self.world.end_with(session, outcome, list) {
            Ok(report) => self.tell_end(&report),
            Err(error) => self.tell(&format!("  refused: {error}")),
        }
    }

    fn tell_end(&mut self, report: &EndReport) {
        let EndReport { verdict, reward, baseline, baseline_from, gone, revision, .. } = report;
        self.tell(&format!(
            "  {verdict:?}: {reward:?} against {baseline:?} from {baseline_from:?}; revision {revision}"
        ));
        for credit in &report.updates {
            let (before, after) = (credit.before.get(), credit.after.get());
            let (label, id, verdict, usage_count) = (&credit.label, credit.id, credit.verdict, credit.usage_count);
            self.tell(&format!("  {label} = {id}: {verdict:?}, {before:.4} -> {after:.4}, used {usage_count} times"));
        }
        if !gone.is_empty() {
            self.tell(&format!("  gone: {gone:?}"));
        }
        if let Some(update) = &report.update {
            self.tell(&format!("  with it: {}", serde_json::to_string(update).expect("a report is JSON")));
        }
    }
}

/// `eq:confidence-update` over every kind of verdict, in the order in which a verdict is reached.
#[test]
fn a_whole_life() {
    let mut tale = Tale { world: World::new(), told: String::new() };
    tale.world.add(&LESSONS);
    tale.note();

    let first = tale.begin("commit the change", None);
    tale.recall_in(&first, "an error in the tests");
    tale.recall_in(&first, "delete the banner");
    tale.end(&first, "saying nothing", Outcome::default());
    tale.end(&first, "improved", worded(true));
    tale.end(&first, "again, not improved", worded(false));
    tale.recall_in(&first, "too late");
    let add = json!([{"op": "add", "text": "Too late."}]);
    tale.end_with(&first, "again, with a lesson", worded(true), add);

    let second = tale.begin("commit the change", None);
    let named = Outcome { improved: vec!["G0".to_owned()], not_improved: vec!["G1".to_owned()], ..Outcome::default() };
    tale.end(&second, "G0 improved, G1 not", named);

    let third = tale.begin("commit the change", None);
    let applied = Outcome { applied: Some(vec!["G1".to_owned()]), ..worded(false) };
    tale.end(&third, "not improved, only G1 applied", applied);

    let fourth = tale.begin("commit the change", None);
    let caller = Outcome { baseline: Some(0.4), ..rewarded(0.5) };
    tale.end(&fourth, "0.5 against the caller's 0.4", caller);

    let fifth = tale.begin("commit the change", None);
    let meanwhile = json!([
        {"op": "modify", "id": 1, "text": "Read the whole error before you change the code."},
        {"op": "delete", "id": 2},
    ]);
    tale.world.update(meanwhile).expect("sound operations");
    let lesson = json!([{"op": "add", "text": "Write the reason into the commit.", "source": "s5"}]);
    tale.end_with(&fifth, "without an outcome but with a lesson", no_outcome(), lesson);

    let sixth = tale.begin("commit the change", None);
    let none = Outcome { applied: Some(Vec::new()), ..no_outcome() };
    tale.end(&sixth, "without an outcome, nothing applied", none);

    let seventh = tale.begin("commit the change", None);
    tale.world.pass(24 * HOUR);
    tale.end(&seventh, "a day later, improved", worded(true));
    tale.recall_in(&seventh, "too late");
    tale.note();
    insta::assert_snapshot!(tale.told);
}

/// The running baseline: fewer than five earlier rewards of the group say nothing, the sixth is compared, and a tie is
/// no evidence. No group is a group of its own.
#[test]
fn the_running_baseline() {
    let mut tale = Tale { world: World::new(), told: String::new() };
    tale.world.add(&LESSONS[..2]);
    // Means of those before: (4), 0.5 of 5, 0.5 of 6, 0.571 of 7.
    for reward in [0.0, 1.0, 0.0, 1.0, 0.5, 0.5, 1.0, 0.2] {
        let session = tale.begin("run the tests", None);
        tale.end(&session, &format!("{reward}"), rewarded(reward));
    }
    let session = tale.begin("run the tests", Some("other tasks"));
    tale.end(&session, "1 in another group", rewarded(1.0));
    let session = tale.begin("run the tests", None);
    let worded = Outcome { word: Some(true), ..rewarded(-5.0) };
    tale.end(&session, "-5, but improved by the caller's word", worded);
    let session = tale.begin("run the tests", None);
    tale.end(&session, "0.1 against a mean that the -5 is part of", rewarded(0.1));
    tale.note();
    insta::assert_snapshot!(tale.told);
}
