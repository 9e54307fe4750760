//! A text of each format, in the shape that its product writes. The lessons are ours.

pub(crate) const DOCET: &str = concat!(
    r#"{"docet_export":1,"settings":{"capacity":300},"next_id":9,"epoch":12}"#,
    "\n",
    r#"{"id":3,"text":"Read the failing test before you change the code.","confidence":0.7,"domain":"testing","#,
    r#""usage_count":4,"epoch":2,"successes":3,"failures":1,"last_improved":11,"pinned":true,"source":"review 7","#,
    r#""created_at":"2026-12-01T14:00:00.000Z","updated_at":"2026-12-02T08:30:00.125Z"}"#,
    "\n",
    r#"{"id":8,"text":"Name the unit in the variable.","confidence":0.5,"domain":"general","#,
    r#""usage_count":0,"epoch":12,"successes":0,"failures":0,"last_improved":null,"pinned":false,"source":null,"#,
    r#""created_at":"2026-12-03T00:00:00.000Z","updated_at":"2026-12-03T00:00:00.000Z"}"#,
    "\n",
);

pub(crate) const MARKDOWN: &str = "\
---
description: rules of the house
---
# House rules

These rules hold for everyone who works here.

## Code Style & Naming

- **Never** shorten a name that [the glossary](docs/glossary.md) spells out.
- Keep `snake_case` in
  Python files and in the database.
- Errors:
  - name the file that could not be read
  * say what to do about it next
- Short one

```sh
- this is code, not a lesson at all
```

Testing
-------
1. Run the whole suite before you push anything.
2. [x] Give each bug a test that fails without the mend.

<!-- - this bullet is a comment and no lesson -->

| table | row |
|---|---|
";

pub(crate) const TEXT: &str = "\
Ask before you delete a branch of someone else.

Prefer one clear query over three clever ones.
Too short
";

pub(crate) const CSV: &str = "\
Insight,Category,Helpful,Harmful,Reviewed by
\"Quote a path, since it may hold spaces.\",Shell scripts,5,1,Ann
'-v prints what a build really runs.,shell,,,
";

pub(crate) const JSON: &str = r#"{
  "version": 3,
  "notes": [
    {"content": "Close the file in the function that opened it.", "meta": {"helpful": 3, "tags": ["io"]}, "topic": "io"},
    {"content": "Log the id of a request, never its body.", "author": "ops", "id": 17, "pinned": true},
    "A bare text is a lesson as well."
  ]
}
"#;

pub(crate) const JSONL: &str = r#"{"lesson": "Bound every queue.", "confidence": 0.8, "usage_count": 12}
not json

{"lesson": "Retry with a limit.", "successes": 2, "failures": 0, "section": "Network I/O"}
{"lesson": "Count from zero.", "failures": -1}
"#;

pub(crate) const GRPO: &str = r#"{
  "G0": "Estimation: bound the answer before you compute it.",
  "G1": "Counting: enumerate the small cases first.",
  "G2": ["no text"]
}
"#;

pub(crate) const GRPO_TEXT: &str = "\
[G0]. Estimation: bound the answer before
you compute it.
[G1]. Counting: enumerate the small cases first.
";

pub(crate) const GRPO_OPTIONS: &str = r#"[
  {"option": "add", "experience": "Check the units at each step."},
  {"option": "add", "experience": "Draw the figure first."},
  {"option": "add", "experience": "Look for a symmetry."},
  {"option": "modify", "experience": "Check units and signs at each step.", "modified_from": "G0"},
  {"option": "modify", "experience": "Try the extreme case.", "modified_from": "G17"},
  {"option": "merge", "experience": "Draw the figure and look for a symmetry.", "merged_from": ["C1", "G2"]},
  {"option": "delete", "modified_from": "G1"},
  {"option": "add", "experience": "Check the answer by another way."}
]
"#;

pub(crate) const GRPO_OPERATIONS: &str = r#"[
  {"operation": "ADD", "id": null, "content": "Sources: open the primary source."},
  {"operation": "UPDATE", "id": "0", "content": "Sources: open and date the primary source."},
  {"operation": "NONE", "id": null, "content": "Sources: read them."},
  {"operation": "ADD", "id": null, "content": "Search: begin broad, then narrow."},
  {"operation": "DELETE", "id": "1", "content": null},
  {"operation": "UPDATE", "id": "exp_7", "content": "Search: note what was excluded."}
]
"#;

pub(crate) const PAPER: &str = "\
ADD | | When a tool call times out, halve its range.
ADD | | When two tools agree, stop searching.
- MODIFY | G0 | When a tool call times out, halve its range and try again.
MERGE | G0, G1 | Halve the range on a time-out; stop when two tools agree.
DELETE | 1 |
ADD | | A pipe such as a | b stays in its text.
RENAME | 2 | what
";

pub(crate) const ACE: &str = "\
# PLAYBOOK

## STRATEGIES & INSIGHTS
[str-00001] helpful=5 harmful=0 :: Convert every amount to one currency before adding.
[str-00002] helpful=0 harmful=0 :: Read the footnotes of a table.

## COMMON MISTAKES TO AVOID
[cal-00004] helpful=6 harmful=3 :: A fiscal year seldom begins in January :: look it up.
[cal-00005] helpful=many harmful=0 :: Broken counts.
";

pub(crate) const KAYBA: &str = r#"{
  "skills": {
    "triage-00001": {
      "id": "triage-00001", "section": "Ticket Triage", "content": "Ask for the version before anything else.",
      "justification": "saves a round trip", "evidence": null, "helpful": 5, "harmful": 1, "neutral": 2,
      "created_at": "2026-03-01T10:00:00+00:00", "updated_at": "2026-03-02T10:00:00+00:00",
      "embedding": null, "status": "active", "sources": []
    },
    "triage-00002": {
      "id": "triage-00002", "section": "Ticket Triage", "content": "Close what is silent for a week.",
      "status": "invalid", "sources": []
    }
  },
  "sections": {"Ticket Triage": ["triage-00001", "triage-00002"]},
  "next_id": 2,
  "similarity_decisions": {}
}
"#;

pub(crate) const CASS: &str = "\
schema_version: 2
name: playbook
description: \"Rules: learned\"
metadata:
  createdAt: 2026-01-02T03:04:05Z
  totalReflections: 3
deprecatedPatterns: []
bullets:
  - id: b-1f2e3d
    scope: global
    category: Error handling
    content: >-
      Wrap an error with what was being done,
      once, where it is known.
    source: learned
    state: active
    maturity: proven
    helpfulCount: 7
    harmfulCount: 1
    feedbackEvents: []
    pinned: true
    deprecated: false
    tags: [errors, style]
  - id: b-4c5b6a
    category: testing
    content: 'Do not sleep in a test: wait for the event.'
    state: retired
    helpfulCount: 0
    harmfulCount: 4
    pinned: false
    deprecated: true
  - content: \"Seed every random source.\"
    category: testing
  - just a text
";

pub(crate) const ALL: [(&str, &str); 13] = [
    ("docet", DOCET),
    ("markdown", MARKDOWN),
    ("text", TEXT),
    ("csv", CSV),
    ("json", JSON),
    ("jsonl", JSONL),
    ("grpo", GRPO),
    ("grpo", GRPO_TEXT),
    ("grpo", GRPO_OPTIONS),
    ("grpo", GRPO_OPERATIONS),
    ("paper", PAPER),
    ("ace", ACE),
    ("kayba", KAYBA),
];
