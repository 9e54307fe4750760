//! Random calls of the facade.

use docet_core::error::{Code, Error};
use docet_core::experience::ExperienceId;
use docet_core::library::LibraryName;
use docet_core::memory::{
    Begin, Call, Candidate, Compress, End, Import, Lessons, Memory, Purge, Recall, SettingsChange, Update,
};
use docet_core::operation::{OnInvalid, Operation};
use docet_core::session::{Outcome, SessionId};
use docet_core::settings::Strategy;
use docet_core::text::FreeText;

use super::world::GROUPS;
use crate::random::Random;

const TEXTS: [&str; 14] = [
    "Read the whole error before you change the code.",
    "Run the failing test alone first.",
    "Ask before you delete what you did not make.",
    "Close the cookie banner before you look for the form.",
    "Write the query down before you send it.",
    "Never push to the main branch without a review.",
    "Scroll to the end of the list before you count.",
    "Check the units of a number before you add it.",
    "Use the project's own formatter.",
    "Keep the old file until the new one is verified.",
    "Look at the page again after each click.",
    "Quote paths that may hold spaces.",
    "Prefer the smallest change that passes.",
    "Say what you could not do.",
];
const DOMAINS: [&str; 3] = ["general", "code", "web"];

/// One call of the facade that changes a library.
#[derive(Clone, Debug)]
pub enum Command {
    /// Operations.
    Update(Update),
    /// A session begins.
    Begin(Begin, SessionId),
    /// A session ends.
    End(SessionId, End),
    /// Compression on demand.
    Compress(Compress),
    /// Other settings.
    Settings(SettingsChange),
    /// A revision is taken back.
    Undo(u64, bool),
    /// An entry comes back.
    Restore(ExperienceId, bool),
    /// Lessons from elsewhere.
    Import(Import),
    /// Texts are erased.
    Purge(Purge),
    /// Vectors are made anew.
    Reembed,
}

impl Command {
    /// Draws a call for a library in which `ids` were given, `sessions` begun and `revisions` made; `name` names the
    /// session that it may begin.
    pub fn draw(random: &mut Random, ids: u64, sessions: &[SessionId], revisions: u64, name: &str) -> Self {
        let id = |random: &mut Random| 1 + random.below(ids as usize + 2) as u64;
        match random.below(20) {
            0..=6 => Self::Update(update(random, ids)),
            7..=9 => {
                let group = random.one_in(2).then(|| FreeText::parse("group", random.pick(&GROUPS)).unwrap());
                let recall = Recall { top_k: Some(3), ..Recall::of(random.pick(&TEXTS)) };
                Self::Begin(Begin { recall, group, reference: None }, SessionId(name.to_owned()))
            }
            10..=12 if !sessions.is_empty() => {
                let outcome = Outcome { reward: Some(random.below(3) as f64), ..Outcome::default() };
                let operations = if random.one_in(2) { update(random, ids).operations } else { Vec::new() };
                Self::End(random.pick(sessions), End { outcome, operations })
            }
            13 => {
                let strategies = [Strategy::Hybrid, Strategy::Importance, Strategy::Temporal, Strategy::Diversity];
                let to = Some(3 + random.below(8));
                Self::Compress(Compress { to, strategy: Some(random.pick(&strategies)), ..Compress::default() })
            }
            14 => {
                let (key, values) = random.pick(&[
                    ("capacity", ["8", "9", "12"]),
                    ("learning_rate", ["0.1", "0.2", "0.3"]),
                    ("strategy", ["hybrid", "importance", "temporal"]),
                ]);
                let set = vec![(key.to_owned(), random.pick(&values).to_owned())];
                Self::Settings(SettingsChange { set, evict: random.one_in(2), ..SettingsChange::default() })
            }
            15 | 16 => Self::Undo(1 + random.below(revisions as usize + 1) as u64, random.one_in(2)),
            17 => Self::Restore(id(random), random.one_in(2)),
            18 => Self::Import(import(random)),
            _ if random.one_in(4) => Self::Purge(Purge::default()),
            _ if random.one_in(3) => Self::Reembed,
            _ => Self::Update(update(random, ids)),
        }
    }

    /// Carries it out; what it answers, in words that two stores must agree on.
    ///
    /// # Errors
    /// Those of the facade.
    pub fn run(&self, memory: &Memory, library: &LibraryName, call: &Call) -> Result<String, Error> {
        let words = |answer: &dyn std::fmt::Debug| format!("{answer:?}");
        match self {
            Self::Update(update) => memory.update(library, update, call).map(|answer| words(&answer)),
            Self::Begin(begin, session) => memory.begin(library, begin, session, call).map(|answer| words(&answer)),
            Self::End(session, end) => memory.end(session, None, end, call).map(|answer| words(&answer)),
            Self::Compress(compress) => memory.compress(library, compress, call).map(|answer| words(&answer)),
            Self::Settings(change) => memory.change_settings(library, change, call).map(|answer| words(&answer)),
            Self::Undo(number, evict) => memory.undo(library, *number, *evict, call).map(|answer| words(&answer)),
            Self::Restore(id, evict) => memory.restore(library, *id, *evict, call).map(|answer| words(&answer)),
            Self::Import(import) => memory.import(library, import, call).map(|answer| words(&answer)),
            // Which copies lie beside a store is the store's own affair.
            Self::Purge(purge) => memory.purge(library, *purge, call).map(|(answer, _)| words(&answer)),
            Self::Reembed => memory.reembed(library, call).map(|answer| words(&answer)),
        }
    }
}

/// Whether a refusal is one that a random call may meet.
pub(super) fn is_expected(error: &Error) -> bool {
    let expected = [
        Code::UnknownId,
        Code::LeftEarlier,
        Code::EqualIds,
        Code::DomainRequired,
        Code::DuplicateText,
        Code::CapacityPinned,
        Code::OverCapacity,
        Code::UnknownSession,
        Code::SessionEnded,
        Code::UnknownRevision,
        Code::UndoConflict,
        Code::Purged,
        Code::BadValue,
        Code::LibraryMissing,
    ];
    expected.contains(&error.code())
}

fn update(random: &mut Random, ids: u64) -> Update {
    let operations = (0..1 + random.below(3)).map(|_| operation(random, ids)).collect();
    let on_invalid = if random.one_in(2) { OnInvalid::Skip } else { OnInvalid::Reject };
    Update { operations, on_invalid, dry_run: false }
}

fn operation(random: &mut Random, ids: u64) -> Operation {
    let id = |random: &mut Random| 1 + random.below(ids as usize + 1) as u64;
    let text = |random: &mut Random| random.pick(&TEXTS).to_owned();
    let domain = |random: &mut Random| Some(random.pick(&DOMAINS).to_owned());
    match random.below(8) {
        0..=3 => Operation::Add {
            text: text(random),
            domain: domain(random),
            confidence: Some(0.1 + 0.8 * random.fraction()),
            source: None,
            pinned: random.one_in(8).then_some(true),
        },
        4 => Operation::Modify { id: id(random), text: Some(text(random)), domain: None, source: None, pinned: None },
        5 => {
            let pinned = Some(random.one_in(3));
            Operation::Modify { id: id(random), text: None, domain: domain(random), source: None, pinned }
        }
        6 => Operation::Delete { id: id(random) },
        _ => Operation::Merge {
            ids: vec![id(random), id(random)],
            text: text(random),
            domain: domain(random),
            source: None,
        },
    }
}

fn import(random: &mut Random) -> Import {
    let evict = random.one_in(2);
    let candidates = (1..=1 + random.below(4)).map(|line| Candidate {
        line,
        text: random.pick(&TEXTS).to_owned(),
        domain: Some(random.pick(&DOMAINS).to_owned()),
        successes: random.below(3) as u64,
        ..Candidate::default()
    });
    Import { evict, ..Import::of(Lessons::Candidates(candidates.collect())) }
}
