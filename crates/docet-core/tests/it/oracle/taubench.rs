//! A replay of real rewards: 200 sessions of tau-bench's airline tasks, with lessons of our own.

use docet_core::memory::{Begin, Recall};
use docet_core::settings::Settings;
use serde::Deserialize;
use serde_json::{Value, json};

use super::sessions::{Answer, compare_end};
use super::{Oracle, Tally, compare_entries};
use crate::world::{World, free, rewarded, shared};

#[derive(Deserialize)]
struct Row {
    task: u32,
    reward: f64,
    query: String,
}

const LESSONS: [&str; 24] = [
    "Read the cancellation rules before you promise a refund.",
    "Ask for the reservation id when the person does not remember the flight.",
    "Basic economy tickets cannot be modified; offer to cancel instead.",
    "Check the number of checked bags against the membership level.",
    "Confirm every change with a plain yes before you book.",
    "Use certificates before gift cards where the person asks for it.",
    "List direct flights first, then those with one stop.",
    "Add up the price of all passengers before you compare.",
    "A flight that has left cannot be changed.",
    "Travel insurance covers illness, not a change of mind.",
    "Do not offer compensation that nobody asked for.",
    "Transfer to a person only where no tool can help.",
    "Passengers of one reservation fly in the same cabin.",
    "The number of passengers cannot change after booking.",
    "Look the birthday up in the profile; do not ask again.",
    "Calculate the refund with the calculator, not in your head.",
    "Downgrade all flights of a reservation, never one alone.",
    "Say what each option costs before the person chooses.",
    "New York has two airports; ask which one.",
    "A delayed flight gives a certificate after the reservation was changed.",
    "Gold members may check three bags without a fee.",
    "Payment methods must stand in the profile.",
    "Search flights of the next day where today has none.",
    "Keep to the policy when the person is angry.",
];

#[test]
fn eq_confidence_update_over_200_real_rewards_in_one_group() {
    replay(false, Settings::default());
}

#[test]
fn eq_confidence_update_over_200_real_rewards_in_a_group_a_task() {
    // Each task was tried four times, which is fewer than the default asks for.
    replay(true, Settings { baseline_min: 2, ..Settings::default() });
}

fn replay(group_by_task: bool, settings: Settings) {
    let Some(path) = shared("outcomes/taubench_airline.jsonl") else { return };
    let Some(mut oracle) = Oracle::start("the replay of tau-bench") else { return };
    let rows = std::fs::read_to_string(&path).expect("the rows can be read");
    let rows: Vec<Row> = rows.lines().map(|row| serde_json::from_str(row).expect("a row")).collect();
    let world = World::with(&[("baseline_min", &settings.baseline_min.to_string())]);
    world.add(&LESSONS);
    let start = world.whole().entries;

    let mut labels: Vec<Vec<Value>> = Vec::new();
    let mut ends = Vec::new();
    for row in &rows {
        let group = group_by_task.then(|| free(&row.task.to_string()));
        let (session, recalled) = world.begin_as(&Begin { recall: Recall::of(&row.query), group, reference: None });
        let best = recalled.ranking.best.iter().enumerate();
        labels.push(best.map(|(place, ranked)| json!({"label": format!("G{place}"), "id": ranked.id})).collect());
        ends.push(world.end(&session, rewarded(row.reward)));
    }

    let data = path.parent().and_then(|folder| folder.parent()).expect("the folder of the test data");
    let entries: Vec<Value> = start
        .iter()
        .map(|entry| {
            json!({"id": entry.id, "text": entry.text.as_str(),
        "domain": entry.domain.as_str(), "confidence": 0.5, "usage_count": 0, "epoch": 0, "successes": 0,
        "failures": 0, "last_improved": null, "pinned": false, "source": null})
        })
        .collect();
    let question = json!({"do": "taubench", "settings": settings, "entries": entries, "labels": labels,
        "data": data, "group_by_task": group_by_task});
    let theirs: Answer = oracle.ask(&question).expect("a replay");
    let mut tally = Tally::default();
    for (ours, theirs) in ends.iter().zip(&theirs.sessions) {
        tally.note(compare_end(ours, theirs), || format!("{ours:?}\n{theirs:?}"));
    }
    let end = world.whole().entries;
    tally.note(compare_entries(&end, &theirs.entries), || format!("{end:?}"));
    assert_eq!(ends.len(), 200);
    assert!(end.iter().any(|entry| entry.successes > 0) && end.iter().any(|entry| entry.failures > 0));
    tally.finish("ends of tau-bench sessions and their library");
}
