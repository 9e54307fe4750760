//! Libraries, entries and sessions in which every field says something.

use docet_core::answers::{IdempotencyKey, Remembered};
use docet_core::compression::Evicted;
use docet_core::confidence::Confidence;
use docet_core::embedding::{DIMENSION, Embedding};
use docet_core::error::{Code, Fault};
use docet_core::experience::{Domain, Experience, ExperienceId, Timestamp};
use docet_core::history::{Change, Record, Revision, RevisionKind, Reward};
use docet_core::library::{Library, LibraryName};
use docet_core::operation::{Applied, Duplicate, Operation, OperationKind, Similar, UpdateReport};
use docet_core::ports::EncoderId;
use docet_core::session::{BaselineFrom, Credit, EndReport, Receipt, Session, SessionEnd, SessionId, Verdict};
use docet_core::settings::Settings;
use docet_core::text::{ExperienceText, FreeText};

use crate::random::Random;

/// A library's name.
pub fn name(raw: &str) -> LibraryName {
    LibraryName::parse(raw).unwrap()
}

/// A library that has seen something.
pub fn library() -> Library {
    let encoder = Some(EncoderId("an encoder".to_owned()));
    Library { settings: Settings::default(), next_id: 8, epoch: 3, revision: 12, encoder }
}

/// A vector in no direction of note.
pub fn unit_vector(random: &mut Random) -> Embedding {
    let raw: Vec<f64> = (0..DIMENSION).map(|_| random.fraction() - 0.5).collect();
    let norm = raw.iter().map(|value| value * value).sum::<f64>().sqrt();
    let values: Vec<f32> = raw.iter().map(|value| (value / norm) as f32).collect();
    Embedding::new(&values).unwrap()
}

/// An entry with every field set, each of them drawn from `id`.
pub fn experience(id: ExperienceId) -> Experience {
    let mut random = Random::new(id);
    Experience {
        id,
        text: ExperienceText::parse(&format!("Lesson {id}: run the tests before you commit.")).unwrap(),
        confidence: Confidence::parse(0.05 + 0.9 * random.fraction()).unwrap(),
        domain: Domain::parse(["general", "web/forms", "code"][random.below(3)]).unwrap(),
        embedding: unit_vector(&mut random),
        usage_count: random.below(100) as u64,
        epoch: random.below(1000) as u64,
        successes: random.below(50) as u64,
        failures: random.below(50) as u64,
        last_improved: Some(random.below(1000) as u64),
        pinned: id.is_multiple_of(2),
        source: Some(FreeText::parse("source", &format!("review {id}")).unwrap()),
        created_at: Timestamp(1_790_000_000_000 + random.below(1_000_000) as i64),
        updated_at: Timestamp(1_790_000_000_000 + random.below(1_000_000) as i64),
    }
}

/// A session of that epoch which waits for its end: it begins at `epoch` seconds and expires 100 seconds later.
pub fn open_session(epoch: u64) -> Session {
    let begun = 1_000 * i64::try_from(epoch).unwrap();
    Session {
        id: SessionId(format!("session-{epoch}")),
        epoch,
        group: None,
        reference: Some(FreeText::parse("ref", &format!("ticket {epoch}")).unwrap()),
        begun_at: Timestamp(begun),
        expires_at: Timestamp(begun + 100_000),
        receipt: vec![
            Receipt { id: 2, text: "the better one".to_owned() },
            Receipt { id: 1, text: "the other one".to_owned() },
        ],
        end: None,
    }
}

/// The same, ended a second after it began, at revision `epoch`.
pub fn ended_session(epoch: u64, group: Option<&str>, reward: Option<f64>) -> Session {
    let open = open_session(epoch);
    let report = EndReport { reward, revision: epoch, update: None, ..full_report(&open.id) };
    let at = Timestamp(open.begun_at.0 + 1_000);
    let end = Some(SessionEnd { at, report, operations: Vec::new() });
    Session { group: group.map(|group| FreeText::parse("group", group).unwrap()), end, ..open }
}

/// The reward of an ended session, where it has one.
pub fn reward(session: &Session) -> Option<Reward> {
    let report = &session.end.as_ref()?.report;
    let (session_epoch, group, revision) = (session.epoch, session.group.clone(), report.revision);
    Some(Reward { session_epoch, group, revision, reward: report.reward? })
}

/// An entry that came.
pub fn came(id: ExperienceId) -> Change {
    Change { id, before: None, after: Some(Record::from(&experience(id))) }
}

/// An entry that left.
pub fn left(id: ExperienceId) -> Change {
    Change { id, before: Some(Record::from(&experience(id))), after: None }
}

/// A revision of that number that did nothing but this.
pub fn revision(number: u64, changes: Vec<Change>) -> Revision {
    let free = |text: &str| FreeText::parse("text", text).unwrap();
    Revision {
        number,
        at: Timestamp(1_790_000_000_000 + i64::try_from(number).unwrap()),
        actor: free(["ada", "grace"][number as usize % 2]),
        reason: number.is_multiple_of(3).then(|| free("because of na\u{ef}ve \u{1f980}")),
        kind: RevisionKind::Update,
        changes,
        settings: None,
        reward: None,
    }
}

/// The answer of an update, given at that moment.
pub fn remembered(key: &str, at: i64) -> Remembered {
    let key = IdempotencyKey { key: key.to_owned(), content: format!("digest {at}") };
    Remembered { key, at: Timestamp(at), answer: full_update().into() }
}

/// The report of an end in which every list holds something.
pub fn full_report(session: &SessionId) -> EndReport {
    EndReport {
        session: session.clone(),
        verdict: Verdict::Mixed,
        reward: Some(0.1 + 0.2),
        baseline: Some(1.0 / 3.0),
        baseline_from: Some(BaselineFrom::Running),
        updates: vec![Credit {
            id: 2,
            label: "G0".to_owned(),
            verdict: Verdict::Improved,
            before: Confidence::parse(0.1 + 0.7).unwrap(),
            after: Confidence::parse(1.0 - f64::EPSILON).unwrap(),
            usage_count: 7,
        }],
        gone: vec![1, 9],
        revision: 5,
        update: Some(full_update()),
    }
}

pub(crate) fn full_update() -> UpdateReport {
    UpdateReport {
        revision: 5,
        dry_run: false,
        applied: vec![
            Applied { index: 0, op: OperationKind::Add, id: 10, ids: None },
            Applied { index: 2, op: OperationKind::Merge, id: 11, ids: Some(vec![3, 4]) },
        ],
        skipped: vec![Fault { index: 1, code: Code::UnknownId, message: "there is no entry 77".to_owned() }],
        duplicates: vec![Duplicate { index: 3, id: 10 }],
        similar: vec![Similar { id: 10, of: 11, similarity: 0.850_000_000_000_000_1 }],
        evicted: vec![Evicted {
            id: 6,
            text: "caf\u{e9} \u{1f980}".to_owned(),
            confidence: 0.3,
            usage_count: 0,
            epoch: 1,
            time_weight: Some(0.951_229_424_500_714),
            distance: Some(f64::MIN_POSITIVE),
            utility: None,
            cluster: Some(3),
            kept_instead: Some(10),
        }],
        size: 4,
    }
}

/// One operation of each kind, with all its fields and with none.
pub(crate) fn operations() -> Vec<Operation> {
    let text = || "say \"why\"\n\\ and \u{202e} how".to_owned();
    let some = |text: &str| Some(text.to_owned());
    vec![
        Operation::Add { text: text(), domain: None, confidence: None, source: None, pinned: None },
        Operation::Add {
            text: text(),
            domain: some("web"),
            confidence: Some(0.1 + 0.2),
            source: some("me"),
            pinned: Some(true),
        },
        Operation::Modify { id: 1, text: None, domain: None, source: None, pinned: Some(false) },
        Operation::Modify { id: 2, text: Some(text()), domain: some("web"), source: some("me"), pinned: None },
        Operation::Delete { id: (1 << 53) - 1 },
        Operation::Merge { ids: vec![3, 4], text: text(), domain: some("code"), source: None },
    ]
}
