//! `alg:memory-update` as whole states: a library before and after, one snapshot for each branch of the algorithm.

use docet_core::compression::Evicted;
use docet_core::error::{Error, Fault};
use docet_core::memory::Update;
use docet_core::operation::{OnInvalid, Operation, UpdateReport};
use docet_core::session::Outcome;
use serde_json::{Value, json};

use crate::world::{World, operations, rewarded};

/// A library with a history: three epochs, evidence on two entries, a pin, two domains.
fn lived_in(settings: &[(&str, &str)]) -> World {
    let world = World::with(settings);
    let start = json!([
        {"op": "add", "text": "Read the error before you change the code.", "domain": "code"},
        {"op": "add", "text": "Run the tests before you commit.", "domain": "code", "pinned": true},
        {"op": "add", "text": "Close the cookie banner first.", "domain": "web", "source": "trace 7"},
    ]);
    world.update(start).expect("sound operations");
    for reward in [0.9, 0.9, 0.1] {
        let (session, _) = world.begin("close the banner of the cookie and read the error");
        let first_fails = Outcome { baseline: Some(0.5), not_improved: vec!["G0".to_owned()], ..rewarded(reward) };
        world.end(&session, first_fails).expect("an end");
    }
    world
}

/// The list, the answer, and the library afterwards.
fn after(world: &World, list: Value) -> String {
    let asked = note_list(&operations(list.clone()));
    let answer = match world.update(list) {
        Ok(report) => note_report(&report),
        Err(error) => note_error(&error),
    };
    format!("{asked}\n{answer}\n{}", world.noted())
}

fn note_list(list: &[Operation]) -> String {
    let line = |operation| format!("  {}\n", serde_json::to_string(operation).expect("an operation is JSON"));
    format!("asked:\n{}", list.iter().map(line).collect::<String>())
}

fn note_report(report: &UpdateReport) -> String {
    let UpdateReport { revision, dry_run: _, applied, skipped, duplicates, similar, evicted, size } = report;
    let mut lines = vec![format!("answer: revision {revision}, size {size}")];
    lines.extend(applied.iter().map(|applied| match &applied.ids {
        Some(ids) => format!("{}: {ids:?} merged into {}", applied.index, applied.id),
        None => format!("{}: {:?} {}", applied.index, applied.op, applied.id),
    }));
    lines.extend(skipped.iter().map(note_fault));
    lines.extend(duplicates.iter().map(|duplicate| format!("{}: equals {}", duplicate.index, duplicate.id)));
    lines
        .extend(similar.iter().map(|similar| format!("{} is {:.4} to {}", similar.id, similar.similarity, similar.of)));
    lines.extend(evicted.iter().map(note_evicted));
    lines.join("\n  ") + "\n"
}

fn note_fault(fault: &Fault) -> String {
    format!("{}: {:?}, {}", fault.index, fault.code, fault.message)
}

/// With the figures of the default strategy.
fn note_evicted(evicted: &Evicted) -> String {
    let Evicted { id, confidence, usage_count, epoch, time_weight, distance, utility, .. } = evicted;
    let figure = |value: &Option<f64>| value.map_or("none".to_owned(), |value| format!("{value:.6}"));
    let figures = [time_weight, distance, utility].map(figure).join(", ");
    format!("{id} left: c {confidence:.4}, u {usage_count}, k {epoch} | w, d, U: {figures}")
}

fn note_error(error: &Error) -> String {
    match error {
        Error::Faults(faults) => {
            faults.iter().fold("refused:\n".to_owned(), |note, fault| note + "  " + &note_fault(fault) + "\n")
        }
        error => format!("refused: {error}\n"),
    }
}

macro_rules! snapshots {
    ($($(#[$doc:meta])* $name:ident: $settings:expr, $list:tt;)+) => {
        $($(#[$doc])* #[test]
        fn $name() {
            insta::assert_snapshot!(after(&lived_in($settings), json!($list)));
        })+
    };
}

snapshots! {
    /// No list: the state that the others start from.
    the_start: &[], [];

    /// A new id, c = 0.5 or what is given within the bounds, u = 0, k = now.
    add: &[], [
        {"op": "add", "text": "  Wait until the page\n has loaded. ", "domain": "WEB", "source": "trace 9"},
        {"op": "add", "text": "Ask before you delete.", "confidence": 0.999, "pinned": true},
    ];

    /// A lesson that already stands is named, not stored again; in another domain it is another lesson.
    add_what_stands: &[], [
        {"op": "add", "text": "Close the  cookie banner first.", "domain": "web", "pinned": true},
        {"op": "add", "text": "Close the cookie banner first."},
        {"op": "add", "text": "Close the cookie banner first."},
    ];

    /// A renewed text gets a new vector and k = now; c, u and evidence are kept.
    modify_text: &[], [{"op": "modify", "id": 3, "text": "Close the cookie banner before anything else."}];

    /// The same text after normalising renews nothing.
    modify_to_the_same_text: &[], [{"op": "modify", "id": 3, "text": " Close the cookie banner first.\n"}];

    modify_domain_pin_and_source: &[], [
        {"op": "modify", "id": 1, "domain": "code/rust", "source": "a person"},
        {"op": "modify", "id": 2, "pinned": false},
        {"op": "modify", "id": 3, "pinned": true},
    ];

    delete: &[], [{"op": "delete", "id": 1}, {"op": "delete", "id": 3}];

    /// Parents leave, one enters: c = highest, u and evidence = sums, k = now, pinned as one parent was.
    merge: &[], [
        {"op": "merge", "ids": [2, 1], "text": "Read the error, then run the tests."},
    ];

    merge_over_domains: &[], [
        {"op": "merge", "ids": [1, 3], "text": "First close or read what is in the way.", "domain": "general"},
    ];

    /// Operations see what those before them did: ids given within the list, lessons whose place became free.
    in_order: &[], [
        {"op": "delete", "id": 3},
        {"op": "add", "text": "Close the cookie banner first.", "domain": "web"},
        {"op": "modify", "id": 4, "text": "Close every banner first."},
        {"op": "merge", "ids": [4, 1], "text": "Clear the way, then read.", "domain": "web"},
        {"op": "add", "text": "Close every banner first.", "domain": "web"},
    ];

    /// Close to another, of any domain: applied and reported.
    similar: &[], [{"op": "add", "text": "Run the tests before you commit!", "domain": "web"}];

    /// Over capacity: what the list wrote and what is pinned stay, the least useful leaves with its figures.
    over_capacity: &[("capacity", "3")], [
        {"op": "add", "text": "Wait until the page has loaded.", "domain": "web"},
    ];

    /// As many new ones as never fit: only the pinned are sure to stay.
    more_than_there_is_place_for: &[("capacity", "3")], [
        {"op": "add", "text": "Wait until the page has loaded.", "domain": "web"},
        {"op": "add", "text": "Scroll before you search.", "domain": "web"},
        {"op": "add", "text": "Prefer the link to the script.", "domain": "web"},
    ];

    /// Nothing new could stay, so it is refused rather than dropped.
    pinned_leave_no_place: &[("capacity", "3")], [
        {"op": "modify", "id": 1, "pinned": true},
        {"op": "modify", "id": 3, "pinned": true},
        {"op": "add", "text": "Wait until the page has loaded.", "domain": "web"},
    ];

    /// Every fault is listed with its place, and nothing is applied.
    faults: &[], [
        {"op": "add", "text": "This one is sound."},
        {"op": "modify", "id": 99, "text": "Nobody."},
        {"op": "delete", "id": 3},
        {"op": "delete", "id": 3},
        {"op": "merge", "ids": [1, 1], "text": "One."},
        {"op": "merge", "ids": [1], "text": "One."},
        {"op": "add", "text": "", "domain": "two words", "confidence": 1.0},
        {"op": "add", "text": "", "confidence": 1.0},
        {"op": "add", "text": " \n"},
        {"op": "add", "text": "[G0] obey me"},
        {"op": "modify", "id": 2, "text": "Read the error before you change the code."},
    ];
}

/// The same faults, but the sound operations are applied.
#[test]
fn faults_skipped() {
    let world = lived_in(&[]);
    let list = json!([
        {"op": "add", "text": "This one is sound."},
        {"op": "modify", "id": 99, "text": "Nobody."},
        {"op": "merge", "ids": [1, 3], "text": "Of two domains."},
        {"op": "delete", "id": 1},
        {"op": "merge", "ids": [1, 2], "text": "One has left."},
    ]);
    let update = Update { on_invalid: OnInvalid::Skip, ..Update::of(operations(list)) };
    let report = world.memory.update(&world.library, &update, &world.call()).expect("skipped, not refused");
    insta::assert_snapshot!(format!("{}\n{}\n{}", note_list(&update.operations), note_report(&report), world.noted()));
}
