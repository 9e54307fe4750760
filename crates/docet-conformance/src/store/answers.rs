use docet_core::answers::{
    Answer, CompressReport, EqualLine, IdempotencyKey, ImportReport, PurgeReport, Recalled, ReembedReport, RefusedLine,
    Remembered, Revised, SettingsReport,
};
use docet_core::error::Code;
use docet_core::experience::Timestamp;
use docet_core::ports::Store;
use docet_core::retrieval::{self, DomainChoice, Search};
use docet_core::session::SessionId;
use docet_core::settings::{Preset, Settings, Strategy};

use super::{read, write};
use crate::random::Random;
use crate::sample::{came, experience, full_report, full_update, left, library, remembered, revision, unit_vector};

fn put(store: &dyn Store, all: &[Remembered]) {
    write(store, |change| {
        change.put_library(&library())?;
        Ok(all.iter().try_for_each(|remembered| change.remember(remembered))?)
    });
}

fn all(store: &dyn Store) -> Vec<Remembered> {
    read(store, |snapshot| Ok(snapshot.all_remembered()?))
}

/// What a session is begun with: every number of a ranking as it was computed.
fn begun() -> Recalled {
    let search = Search {
        query: unit_vector(&mut Random::new(1)),
        top_k: 3,
        confidence_weight: 0.2,
        min_score: Some(-1.0 / 3.0),
        domains: DomainChoice::All,
        given: Vec::new(),
    };
    let ranking = retrieval::rank(&[1, 2, 3, 4].map(experience), &search);
    assert!(!ranking.best.is_empty());
    let session = Some(SessionId("s".to_owned()));
    Recalled { ranking, first_label: 2, truncated: true, epoch: 4, revision: 9, session }
}

/// One of every kind, every list of it with something in it.
fn answers() -> Vec<Answer> {
    let evicted = full_update().evicted;
    let settings = Settings { min_score: Some(-1.0 / 3.0), ..Settings::preset(Preset::Paper) };
    let line = EqualLine { line: 3, id: 7 };
    let refused = RefusedLine {
        line: 9,
        code: Code::TooManyWords,
        message: "too many words".to_owned(),
        text: "\u{202e} as \"it\" came\n".to_owned(),
    };
    vec![
        library().into(),
        full_update().into(),
        begun().into(),
        full_report(&SessionId("\u{3042}".repeat(64))).into(),
        CompressReport {
            strategy: Strategy::Diversity,
            evicted: evicted.clone(),
            size: 4,
            revision: 9,
            dry_run: false,
        }
        .into(),
        SettingsReport { settings, evicted: evicted.clone(), revision: 3 }.into(),
        ImportReport {
            imported: 2,
            equal: vec![line],
            refused: vec![refused],
            shortened: vec![line],
            evicted: evicted.clone(),
            size: 4,
            revision: (1 << 53) - 1,
            dry_run: false,
        }
        .into(),
        Revised { revision: revision(3, vec![left(1), came(2)]), evicted, size: 5 }.into(),
        PurgeReport { made: Some(revision(6, vec![])), revision: 6, archived: vec![1, 9], texts: 4, dry_run: false }
            .into(),
        ReembedReport { entries: 500, changed: 2, revision: 8 }.into(),
    ]
}

/// Whatever the call was, and whatever characters its key has.
pub fn answers_come_back_whole(store: &dyn Store) {
    let of = |(number, answer): (i64, Answer)| Remembered {
        key: IdempotencyKey { key: format!("'key' {number} \u{1f980}"), content: "c".repeat(64) },
        at: Timestamp(number),
        answer,
    };
    let put_in: Vec<Remembered> = (i64::MAX - 9..=i64::MAX).zip(answers()).map(of).collect();
    put(store, &put_in);
    assert_eq!(all(store), put_in);
    for remembered in put_in {
        let found = read(store, |snapshot| Ok(snapshot.remembered(&remembered.key.key)?));
        assert_eq!(found, Some(remembered));
    }
    assert_eq!(read(store, |snapshot| Ok(snapshot.remembered("'KEY' 1")?)), None);
}

/// The moment itself is not before it.
pub fn answers_are_replaced_and_forgotten(store: &dyn Store) {
    put(store, &[remembered("b", 20), remembered("a", 10), remembered("c", 30)]);
    assert_eq!(all(store), [remembered("a", 10), remembered("b", 20), remembered("c", 30)]);
    put(store, &[remembered("a", 25)]);
    assert_eq!(all(store), [remembered("a", 25), remembered("b", 20), remembered("c", 30)]);
    write(store, |change| Ok(change.forget_answers(Timestamp(25))?));
    assert_eq!(all(store), [remembered("a", 25), remembered("c", 30)]);
    assert_eq!(read(store, |snapshot| Ok(snapshot.remembered("b")?)), None);
}
