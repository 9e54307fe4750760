//! Every command's answer in JSON, with the names that others rely on.

use std::fs;

use serde_json::{Value, json};

use crate::sandbox::{Sandbox, has};

const SETTINGS: [&str; 33] = [
    "capacity",
    "strategy",
    "top_k",
    "confidence_weight",
    "min_score",
    "domain_floor",
    "domain_margin",
    "domain_min_entries",
    "initial_confidence",
    "min_confidence",
    "max_confidence",
    "learning_rate",
    "tie",
    "baseline",
    "baseline_window",
    "baseline_min",
    "similar_at",
    "session_ttl_hours",
    "receipt_days",
    "idempotency_hours",
    "discard_fraction",
    "max_discard",
    "decay_rate",
    "min_time_weight",
    "age_from",
    "utility_scale",
    "confidence_exponent",
    "recency_exponent",
    "diversity_exponent",
    "rescore",
    "spare_new",
    "seed",
    "refuse_secrets",
];
const UPDATE: [&str; 8] = ["revision", "dry_run", "applied", "skipped", "duplicates", "similar", "evicted", "size"];
const RECALL: [&str; 12] = [
    "guidelines",
    "context",
    "domains",
    "domains_from",
    "eligible",
    "filtered_by_domain",
    "below_min_score",
    "already_given",
    "shortfall",
    "truncated",
    "epoch",
    "revision",
];
const GUIDELINE: [&str; 8] = ["label", "id", "text", "domain", "similarity", "confidence", "score", "same_as"];
const ENTRY: [&str; 13] = [
    "id",
    "text",
    "confidence",
    "domain",
    "usage_count",
    "epoch",
    "successes",
    "failures",
    "last_improved",
    "pinned",
    "source",
    "created_at",
    "updated_at",
];

#[track_caller]
fn assert_fields(value: &Value, names: &[&str]) {
    let missing: Vec<&&str> = names.iter().filter(|name| !has(value, name)).collect();
    assert!(missing.is_empty(), "{missing:?} missing in {value}");
}

#[test]
fn init_settings_and_libraries() {
    let sandbox = Sandbox::new();
    let made = sandbox.json(["init"]);
    assert_fields(&made, &["library", "settings"]);
    assert_fields(&made["settings"], &SETTINGS);
    assert_eq!(made["settings"]["min_score"], Value::Null);
    assert_eq!(sandbox.json(["init", "--capacity", "500", "--strategy", "hybrid"]), made);
    assert_eq!(sandbox.refused(["init", "--capacity", "7"])["code"], "library_exists");

    let changed = sandbox.json(["settings", "capacity=7", "baseline=0.5", "min_score=0.1"]);
    assert_eq!((&changed["settings"]["capacity"], &changed["settings"]["baseline"]), (&json!(7), &json!(0.5)));
    let reset = sandbox.json(["settings", "min_score=none", "--reset", "capacity", "--preset", "paper"]);
    assert_eq!((&reset["settings"]["capacity"], &reset["settings"]["tie"]), (&json!(500), &json!("not_improved")));
    assert_fields(&sandbox.json(["settings"])["settings"], &SETTINGS);

    let libraries = sandbox.json(["libraries"]);
    let ours = libraries["libraries"].as_array().unwrap().iter().find(|line| line["name"] == made["library"]).unwrap();
    assert_fields(ours, &["name", "size", "epoch", "revision"]);
}

#[test]
fn changes_of_lessons() {
    let sandbox = Sandbox::new();
    let added = sandbox.json([
        "add",
        "Read the error first.",
        "Quote every path.",
        "--domain",
        "Shell",
        "--confidence",
        "0.7",
        "--source",
        "review",
        "--pin",
    ]);
    assert_fields(&added, &UPDATE);
    assert_eq!(added["applied"], json!([{"index": 0, "op": "add", "id": 1}, {"index": 1, "op": "add", "id": 2}]));
    assert_eq!((&added["size"], &added["dry_run"]), (&json!(2), &json!(false)));

    let shown = sandbox.json(["show", "1"]);
    assert_fields(&shown, &ENTRY);
    assert_eq!(shown["archived"], false);
    let of = |name: &str| shown[name].clone();
    let fields = ["text", "domain", "confidence", "source", "pinned", "last_improved", "usage_count"].map(of);
    assert_eq!(json!(fields), json!(["Read the error first.", "shell", 0.7, "review", true, null, 0]));
    assert!(of("created_at").as_str().unwrap().ends_with('Z'));

    let again = sandbox.json(["add", " Read the  error first. ", "--domain", "shell"]);
    assert_eq!((&again["duplicates"], &again["applied"]), (&json!([{"index": 0, "id": 1}]), &json!([])));
    let modified =
        sandbox.json(["modify", "1", "Read the whole error first.", "--domain", "general", "--source", "me"]);
    assert_eq!(modified["applied"], json!([{"index": 0, "op": "modify", "id": 1}]));
    for (command, pinned) in [("unpin", false), ("pin", true), ("unpin", false)] {
        assert_fields(&sandbox.json([command, "1", "2"]), &UPDATE);
        assert_eq!(sandbox.json(["show", "2"])["pinned"], pinned);
    }
    let merged = sandbox.json(["merge", "1", "2", "Read the error, quote the path.", "--domain", "shell"]);
    assert_eq!(merged["applied"], json!([{"index": 0, "op": "merge", "id": 3, "ids": [1, 2]}]));
    let near = sandbox.json(["add", "Read the error; quote the path."]);
    assert_fields(&near["similar"][0], &["id", "of", "similarity"]);
    let deleted = sandbox.json(["delete", "3", "4"]);
    assert_eq!((&deleted["applied"][1]["op"], &deleted["size"]), (&json!("delete"), &json!(0)));
}

#[test]
fn update_by_skipping_and_dry() {
    let sandbox = Sandbox::new();
    let list =
        r#"{"operations": [{"op": "add", "text": "One."}, {"op": "delete", "id": 9}, {"op": "add", "text": ""}]}"#;
    let file = sandbox.file("list.json", list);
    let refused = sandbox.refused([file.as_os_str(), "update".as_ref()].iter().rev());
    assert_eq!((&refused["code"], &refused["faults"][1]["code"]), (&json!("unknown_id"), &json!("empty_text")));
    assert_fields(&refused["faults"][0], &["index", "code", "message"]);

    let dry = sandbox.feed(["update", "-", "--on-invalid", "skip", "--dry-run", "--json"], list.as_bytes()).answer();
    assert_fields(&dry, &UPDATE);
    assert_eq!((&dry["dry_run"], &dry["revision"], &dry["size"]), (&json!(true), &json!(0), &json!(1)));
    let real =
        sandbox.feed(["update", "-", "--on-invalid", "skip", "--source", "log", "--json"], list.as_bytes()).answer();
    assert_eq!((&real["applied"], &real["skipped"]), (&dry["applied"], &dry["skipped"]));
    assert_eq!((&real["skipped"], &real["revision"]), (&refused["faults"], &json!(1)));
    assert_eq!(sandbox.json(["show", "1"])["source"], "log");
    assert_eq!(sandbox.feed(["update", "-", "--json"], b"[]").answer()["revision"], 1);
}

#[test]
fn recall_begin_end_and_sessions() {
    let sandbox = Sandbox::new();
    sandbox.json(["add", "Run the tests before you commit.", "Quote every path.", "Read the error first."]);
    let recalled = sandbox.json(["recall", "commit a change", "-k", "2", "--confidence-weight", "0"]);
    assert_fields(&recalled, &RECALL);
    assert_fields(&recalled["guidelines"][0], &GUIDELINE);
    assert!(!has(&recalled, "session"));
    assert_eq!(recalled["guidelines"][0]["text"], "Run the tests before you commit.");
    assert_eq!(recalled["guidelines"][0]["score"], recalled["guidelines"][0]["similarity"]);
    assert_eq!(recalled["context"].as_str().unwrap().lines().count(), 2);
    let named = sandbox.json(["recall", "x", "--domain", "a", "--domain", "b"]);
    assert_eq!(
        json!([named["domains"], named["domains_from"], named["filtered_by_domain"]]),
        json!([["a", "b"], "caller", 3])
    );
    assert_eq!(sandbox.json(["recall", "x", "--all-domains", "--min-score", "-1"])["domains_from"], "all");
    assert_eq!(sandbox.json(["recall", "x", "--min-score", "1"])["below_min_score"], 3);

    let begun = sandbox.json(["begin", "commit", "-k", "2", "--group", "nightly", "--ref", "run 17"]);
    assert_fields(&begun, &RECALL);
    let session = begun["session"].as_str().unwrap();
    assert!(session.len() <= 64);
    let further = sandbox.json(["recall", "commit", "--session", session]);
    assert_eq!(
        json!([further["guidelines"][0]["label"], further["already_given"], further["session"]]),
        json!(["G2", 2, session])
    );

    let line = sandbox.json(["sessions", "--open", "--limit", "1"])["sessions"][0].clone();
    let names = ["session", "state", "group", "ref", "epoch", "begun_at", "ended_at", "verdict", "reward", "labels"];
    assert_fields(&line, &names);
    assert_eq!(
        json!([line["state"], line["group"], line["ref"], line["verdict"]]),
        json!(["open", "nightly", "run 17", null])
    );
    assert_fields(&line["labels"][2], &["label", "id"]);

    let lessons = sandbox.file("learned.json", r#"[{"op": "add", "text": "Commit small."}]"#);
    let end = ["end", session, "--reward", "1", "--baseline", "0.5", "--not-improved=G1", "--applied", "G0, G1"];
    let ended = sandbox.json(end.iter().map(AsRef::as_ref).chain(["--update".as_ref(), lessons.as_os_str()]));
    let names = ["session", "verdict", "reward", "baseline", "baseline_from", "updates", "gone", "revision", "update"];
    assert_fields(&ended, &names);
    assert_eq!(json!([ended["verdict"], ended["baseline_from"]]), json!(["mixed", "caller"]));
    assert_fields(&ended["updates"][0], &["id", "label", "verdict", "before", "after", "usage_count"]);
    assert_eq!(json!([ended["updates"][0]["after"], ended["updates"][1]["after"]]), json!([0.55, 0.45]));
    assert_fields(&ended["update"], &UPDATE);
    assert_eq!(sandbox.json(end), ended, "a second end repeats the first answer");
    assert_eq!(sandbox.json(["sessions", "--open"])["sessions"], json!([]));
    assert_eq!(sandbox.json(["sessions"])["sessions"][0]["verdict"], "mixed");
}

#[test]
fn every_way_to_end() {
    let sandbox = Sandbox::new();
    sandbox.json(["add", "Run the tests before you commit.", "Quote every path."]);
    let table: [(&[&str], &str, Value); 8] = [
        (&["--improved"], "improved", json!(null)),
        (&["--not-improved"], "not_improved", json!(null)),
        (&["--improved=G0"], "mixed", json!(null)),
        (&["--improved=G0,G1"], "improved", json!(null)),
        (&["--improved", "--not-improved=G1"], "mixed", json!(null)),
        (&["--no-outcome", "--applied", "none"], "no_evidence", json!(null)),
        (&["--reward", "-1", "--baseline", "-0.5"], "not_improved", json!(-0.5)),
        (&["--reward", "1"], "insufficient_data", json!(null)),
    ];
    for (flags, verdict, baseline) in table {
        let session = sandbox.begin("commit");
        let ended = sandbox.json(["end", &session].iter().chain(flags));
        assert_eq!(
            json!([ended["verdict"], ended["baseline"], ended["update"]]),
            json!([verdict, baseline, null]),
            "{flags:?}"
        );
    }
}

#[test]
fn list_and_compress() {
    let sandbox = Sandbox::new();
    sandbox.json(["add", "One.", "Two apples.", "Three green pears."]);
    sandbox.json(["add", "Four ripe plums on a tree.", "--domain", "fruit", "--confidence", "0.9"]);
    let listed = sandbox.json(["list"]);
    assert_fields(&listed, &["experiences", "total", "epoch", "revision"]);
    assert_fields(&listed["experiences"][3], &ENTRY);
    let ids = |flags: &[&str]| {
        let listed = sandbox.json(["list"].iter().chain(flags));
        let entries = listed["experiences"].as_array().unwrap();
        entries.iter().map(|entry| entry["id"].as_u64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(ids(&["--sort", "confidence"]), [4, 1, 2, 3]);
    assert_eq!(ids(&["--sort", "usage", "--limit", "2", "--offset", "1"]), [2, 3]);
    assert_eq!(ids(&["--sort", "epoch", "--domain", "FRUIT"]), [4]);

    for (strategy, figure) in [
        ("hybrid", "utility"),
        ("hybrid", "distance"),
        ("temporal", "time_weight"),
        ("diversity", "kept_instead"),
        ("importance", "confidence"),
    ] {
        let flags = ["--strategy", strategy, "--to", "2", "--seed", "7", "--rescore", "once", "--age-from", "created"];
        let dry = sandbox.json(["compress", "--dry-run"].iter().chain(&flags));
        assert_fields(&dry, &["strategy", "kept", "evicted", "size", "revision"]);
        assert_fields(&dry["evicted"][0], &["id", "text", "confidence", "usage_count", "epoch", figure]);
        assert_eq!(json!([dry["strategy"], dry["kept"], dry["revision"]]), json!([strategy, 2, 2]));
    }
    let really = sandbox.json(["compress", "--to", "3"]);
    assert_eq!(
        json!([really["kept"], really["size"], really["revision"], sandbox.json(["list"])["total"]]),
        json!([3, 3, 3, 3])
    );

    let lowered = sandbox.json(["settings", "capacity=2", "--evict"]);
    assert_eq!(lowered["settings"]["capacity"], 2);
    let full = sandbox.json(["add", "Five."]);
    assert_eq!(json!([full["size"], full["evicted"].as_array().unwrap().len()]), json!([2, 1]));
}

#[test]
fn embed_one_and_many() {
    let sandbox = Sandbox::new();
    let one = sandbox.json(["embed", "Quote every path."]);
    assert_eq!((one["embedding"].as_array().unwrap().len(), &one["truncated"]), (384, &json!(false)));
    let long = "word ".repeat(300);
    let file = sandbox.file("lines.txt", format!("Quote every path.\n\n{long}\n"));
    let many = sandbox.json(["embed".as_ref(), "--lines".as_ref(), file.as_os_str()]);
    assert_eq!(many["embeddings"][0], one["embedding"], "the same bits alone and among others");
    assert_eq!(many["tokens"], json!([one["tokens"], 2, 256]));
    assert_eq!(many["truncated"], json!([false, false, true]));
    assert_eq!(sandbox.json(["embed", ""])["embedding"], many["embeddings"][1]);
    let input = fs::read(file).unwrap();
    assert_eq!(sandbox.feed(["embed", "--json", "--lines", "-"], &input).answer(), many);
    assert_eq!(sandbox.feed(["embed", "--json", "--lines", "-"], b"").answer()["tokens"], json!([]));
    assert_eq!(sandbox.feed(["embed", "--json", "-"], b"Quote every path.\n").answer(), one);
}

#[test]
fn completions_are_scripts() {
    let sandbox = Sandbox::bare();
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let run = sandbox.run(["completions", shell]);
        assert!(run.code == 0 && run.out.contains("recall"), "{shell}: {}", run.err);
    }
}
