//! The memory on this machine, behind the trait that every face speaks to.

use std::sync::Arc;

use docet_core::answers::IdempotencyKey;
use docet_core::error::{Code, Refusal};
use docet_core::experience::{Domain, Timestamp};
use docet_core::history::RevisionQuery;
use docet_core::in_memory::InMemoryStore;
use docet_core::library::LibraryName;
use docet_core::memory::{
    Begin, Call, Compress, End, Import, Init, List, Memory, Purge, Recall, SettingsChange, Sort, Update,
};
use docet_core::operation::{OnInvalid, Operation};
use docet_core::ports::{Embedder, Store, StoreError};
use docet_core::retrieval::DomainChoice;
use docet_core::session::{Outcome, SessionId};
use docet_core::settings::{AgeFrom, Preset, Rescore, Strategy};
use docet_core::text::FreeText;
use docet_minilm::OnDemand;
use docet_minilm::model::Places;
use docet_sqlite::SqliteStore;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::config::{Config, StorePlace};
use crate::import;
use crate::interchange::LibraryFile;
use crate::progress::{Progress, Reporting};
use crate::service::{Service, Target};
use crate::wire::{
    self, BeginRequest, CompressAnswer, CompressRequest, EmbedAnswer, EmbedRequest, EndAnswer, EndRequest, Failure,
    HistoryAnswer, HistoryRequest, ImportAnswer, ImportRequest, InitAnswer, InitRequest, Labels, LibrariesAnswer,
    ListAnswer, ListRequest, LookUp, MAX_WHOLE, PurgeAnswer, PurgeRequest, RecallAnswer, RecallRequest, RestoreRequest,
    RevisedAnswer, RevisionAnswer, SessionLine, SessionsAnswer, SessionsRequest, SettingsAnswer, SettingsRequest,
    ShowAnswer, UndoRequest, UpdateAnswer, UpdateRequest, whole,
};

/// A memory whose store and encoder are opened by the first call that needs them.
pub struct Local {
    store: StorePlace,
    places: Places,
    embedder: Arc<dyn Embedder>,
}

/// How many revisions are shown where nothing is said.
const SHOWN_REVISIONS: usize = 50;

/// What a call does to the store.
#[derive(Clone, Copy)]
pub(crate) enum Access {
    /// Reads; there must be a store.
    Read,
    /// Writes what is there already.
    Change,
    /// Writes, and makes the store where there is none.
    Create,
    /// Says what a write would do, as if on an empty store where there is none.
    Try,
}

impl Local {
    /// A memory where `config` says. Nothing is opened yet.
    pub fn new(config: &Config) -> Self {
        let embedder = OnDemand::new(config.places.clone(), config.threads);
        Self { store: config.store.clone(), places: config.places.clone(), embedder: Arc::new(embedder) }
    }

    /// The same, reporting to `progress` how far the texts of a call are encoded.
    #[must_use]
    pub fn with_progress(self, progress: Arc<Progress>) -> Self {
        Self { embedder: Arc::new(Reporting::new(self.embedder, progress)), ..self }
    }

    fn is_there(&self) -> bool {
        let StorePlace::Sqlite(path) = &self.store;
        path.exists()
    }

    /// Finds out, before a first store is made for it, whether an update would be refused or have no encoder. No vector
    /// decides that, but for a text of too many tokens.
    fn rehearse(&self, library: &LibraryName, update: &Update) -> Result<(), Failure> {
        Memory::in_memory().update(library, &Update { dry_run: true, ..update.clone() }, &Call::at(now()))?;
        self.embedder.embed(&[])?;
        Ok(())
    }

    /// The same for an import.
    fn rehearse_import(&self, library: &LibraryName, reading: &import::Reading) -> Result<(), Failure> {
        let import = Import { dry_run: true, ..reading.import().clone() };
        Memory::in_memory().import(library, &import, &Call::at(now()))?;
        self.embedder.embed(&[])?;
        Ok(())
    }

    /// Where libraries are kept.
    pub(crate) fn place(&self) -> &StorePlace {
        &self.store
    }

    /// Where the weights are looked for.
    pub(crate) fn places(&self) -> &Places {
        &self.places
    }

    pub(crate) fn memory(&self, access: Access) -> Result<Memory, Failure> {
        let StorePlace::Sqlite(path) = &self.store;
        let store: Arc<dyn Store> = match access {
            Access::Read => Arc::new(SqliteStore::open_read_only(path)?),
            Access::Change => Arc::new(SqliteStore::open_existing(path)?),
            Access::Create => Arc::new(SqliteStore::open(path)?),
            Access::Try => match SqliteStore::open_read_only(path) {
                Err(StoreError::Missing(_)) => Arc::new(InMemoryStore::new()),
                opened => Arc::new(opened?),
            },
        };
        Ok(Memory::new(store, Arc::clone(&self.embedder)))
    }
}

impl Service for Local {
    fn init(&self, target: &Target, request: &InitRequest) -> Result<InitAnswer, Failure> {
        let given = [("capacity", &request.capacity), ("strategy", &request.strategy)];
        let settings = given.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value.clone()?)));
        let preset = request.preset.as_deref().map(|name| named("preset", name, Preset::NAMES, Preset::named));
        let init = Init { preset: preset.transpose()?, settings: settings.collect() };
        init.check()?;
        if !self.is_there() {
            Memory::in_memory().init(&target.library, &init, &Call::at(now()))?;
        }
        let call = call(target, "init", request)?;
        let library = self.memory(Access::Create)?.init(&target.library, &init, &call)?;
        Ok(InitAnswer { library: target.library.clone(), settings: library.settings })
    }

    fn libraries(&self) -> Result<LibrariesAnswer, Failure> {
        Ok(LibrariesAnswer { libraries: self.memory(Access::Read)?.libraries()? })
    }

    fn update(&self, target: &Target, request: &UpdateRequest) -> Result<UpdateAnswer, Failure> {
        let operations = with_source(&request.operations, request.source.as_ref());
        let adds = operations.iter().any(|operation| matches!(operation, Operation::Add { .. }));
        let on_invalid = match request.on_invalid {
            wire::OnInvalid::Reject => OnInvalid::Reject,
            wire::OnInvalid::Skip => OnInvalid::Skip,
        };
        let access = match (request.dry_run, adds) {
            (true, true) => Access::Try,
            (true, false) => Access::Read,
            (false, true) => Access::Create,
            (false, false) => Access::Change,
        };
        let update = Update { operations, on_invalid, dry_run: request.dry_run };
        if matches!(access, Access::Create) && !self.is_there() {
            self.rehearse(&target.library, &update)?;
        }
        let call = if request.dry_run { Call::at(now()) } else { call(target, "update", request)? };
        Ok(self.memory(access)?.update(&target.library, &update, &call)?)
    }

    fn recall(&self, target: &Target, request: &RecallRequest) -> Result<RecallAnswer, Failure> {
        let recall = recall(&request.look_up)?;
        recall.check()?;
        let recalled = match &request.session {
            Some(session) => {
                let session = SessionId(session.clone());
                self.memory(Access::Change)?.recall_in(&session, target.named(), &recall, now())?
            }
            None => self.memory(Access::Read)?.recall(&target.library, &recall)?,
        };
        Ok(recalled.into())
    }

    fn begin(&self, target: &Target, request: &BeginRequest) -> Result<RecallAnswer, Failure> {
        let free = |field, text: &Option<String>| text.as_deref().map(|text| FreeText::parse(field, text)).transpose();
        let begin = Begin {
            recall: recall(&request.look_up)?,
            group: free("group", &request.group)?,
            reference: free("ref", &request.reference)?,
        };
        begin.recall.check()?;
        let session = SessionId(uuid::Uuid::now_v7().to_string());
        if !self.is_there() {
            Memory::in_memory().begin(&target.library, &begin, &session, &Call::at(now()))?;
            self.embedder.embed(&[])?;
        }
        let call = call(target, "begin", request)?;
        Ok(self.memory(Access::Create)?.begin(&target.library, &begin, &session, &call)?.into())
    }

    fn end(&self, target: &Target, session: &str, request: &EndRequest) -> Result<EndAnswer, Failure> {
        let end = End { outcome: outcome(request)?, operations: request.operations.clone() };
        let call = call(target, "end", &(session, request))?;
        let session = SessionId(session.to_owned());
        Ok(self.memory(Access::Change)?.end(&session, target.named(), &end, &call)?)
    }

    fn sessions(&self, target: &Target, request: &SessionsRequest) -> Result<SessionsAnswer, Failure> {
        let (now, limit) = (now(), count("limit", request.limit, 1)?.unwrap_or(usize::MAX));
        let open_at = request.open.then_some(now);
        let sessions = self.memory(Access::Read)?.sessions(&target.library, open_at, limit)?;
        Ok(SessionsAnswer { sessions: sessions.iter().map(|session| SessionLine::of(session, now)).collect() })
    }

    fn list(&self, target: &Target, request: &ListRequest) -> Result<ListAnswer, Failure> {
        let list = List {
            domain: request.domain.as_deref().map(Domain::parse).transpose()?,
            sort: match request.sort {
                wire::Sort::Id => Sort::Id,
                wire::Sort::Confidence => Sort::Confidence,
                wire::Sort::Usage => Sort::Usage,
                wire::Sort::Epoch => Sort::Epoch,
            },
            limit: count("limit", request.limit, 1)?,
            offset: count("offset", request.offset, 0)?.unwrap_or(0),
        };
        let memory = self.memory(Access::Read)?;
        match request.archived {
            true => Ok(memory.archive(&target.library, &list)?.into()),
            false => Ok(memory.list(&target.library, &list)?.into()),
        }
    }

    fn show(&self, target: &Target, id: f64) -> Result<ShowAnswer, Failure> {
        let id = wire::id(id)?;
        Ok(self.memory(Access::Read)?.show(&target.library, id)?.into())
    }

    fn compress(&self, target: &Target, request: &CompressRequest) -> Result<CompressAnswer, Failure> {
        let compress = Compress {
            strategy: choice("strategy", request.strategy.as_ref(), Strategy::NAMES, Strategy::named)?,
            to: request.to.map(|to| whole("to", to, 1, 100_000)).transpose()?.map(|to| to as usize),
            seed: request.seed.map(|seed| whole("seed", seed, 0, MAX_WHOLE)).transpose()?,
            rescore: choice("rescore", request.rescore.as_ref(), Rescore::NAMES, Rescore::named)?,
            age_from: choice("age_from", request.age_from.as_ref(), AgeFrom::NAMES, AgeFrom::named)?,
            dry_run: request.dry_run,
        };
        let access = if compress.dry_run { Access::Read } else { Access::Change };
        let call = if compress.dry_run { Call::at(now()) } else { call(target, "compress", request)? };
        Ok(self.memory(access)?.compress(&target.library, &compress, &call)?.into())
    }

    fn settings(&self, target: &Target, request: &SettingsRequest) -> Result<SettingsAnswer, Failure> {
        let change = SettingsChange {
            preset: choice("preset", request.preset.as_ref(), Preset::NAMES, Preset::named)?,
            reset: request.reset.clone(),
            set: request.set.clone(),
            evict: request.evict,
        };
        change.check()?;
        if !change.is_empty() && !self.is_there() {
            Memory::in_memory().change_settings(&target.library, &change, &Call::at(now()))?;
        }
        let call = call(target, "settings", request)?;
        let report = match change.is_empty() {
            true => self.memory(Access::Read)?.settings(&target.library)?,
            false => self.memory(Access::Create)?.change_settings(&target.library, &change, &call)?,
        };
        Ok(SettingsAnswer { settings: report.settings, evicted: report.evicted, revision: report.revision })
    }

    fn history(&self, target: &Target, request: &HistoryRequest) -> Result<HistoryAnswer, Failure> {
        let query = RevisionQuery {
            id: request.id.map(wire::id).transpose()?,
            actor: request.actor.as_deref().map(|actor| FreeText::parse("actor", actor)).transpose()?,
            limit: count("limit", request.limit, 1)?.unwrap_or(SHOWN_REVISIONS),
            ..RevisionQuery::default()
        };
        let revisions = self.memory(Access::Read)?.history(&target.library, &query)?;
        Ok(HistoryAnswer { revisions: revisions.into_iter().map(RevisionAnswer::from).collect() })
    }

    fn undo(&self, target: &Target, request: &UndoRequest) -> Result<RevisedAnswer, Failure> {
        let revision = whole("revision", request.revision, 0, MAX_WHOLE)?;
        let call = call(target, "undo", request)?;
        Ok(self.memory(Access::Change)?.undo(&target.library, revision, request.evict, &call)?.into())
    }

    fn restore(&self, target: &Target, request: &RestoreRequest) -> Result<RevisedAnswer, Failure> {
        let id = wire::id(request.id)?;
        let call = call(target, "restore", request)?;
        Ok(self.memory(Access::Change)?.restore(&target.library, id, request.evict, &call)?.into())
    }

    fn purge(&self, target: &Target, request: &PurgeRequest) -> Result<PurgeAnswer, Failure> {
        let days = request.older_than.map(|days| whole("older_than", days, 0, 36_500)).transpose()?;
        let purge = Purge { older_than_days: days.map(|days| days as u32), dry_run: !request.yes };
        let (access, call) = match request.yes {
            true => (Access::Change, call(target, "purge", request)?),
            false => (Access::Read, Call::at(now())),
        };
        let (report, copies) = self.memory(access)?.purge(&target.library, purge, &call)?;
        Ok(PurgeAnswer::of(report, copies))
    }

    fn export(&self, target: &Target) -> Result<LibraryFile, Failure> {
        Ok(import::file_of(self.memory(Access::Read)?.export(&target.library)?))
    }

    fn import(&self, target: &Target, request: &ImportRequest) -> Result<ImportAnswer, Failure> {
        let reading = import::Reading::of(request)?;
        let (access, call) = match request.dry_run {
            true => (Access::Try, Call::at(now())),
            false => (Access::Create, call(target, "import", &(Sha256::digest(&request.content).to_vec(), request))?),
        };
        if !request.dry_run && !self.is_there() {
            self.rehearse_import(&target.library, &reading)?;
        }
        let report = self.memory(access)?.import(&target.library, reading.import(), &call)?;
        Ok(reading.answer(report))
    }

    fn embed(&self, request: &EmbedRequest) -> Result<Vec<EmbedAnswer>, Failure> {
        let texts: Vec<&str> = request.texts.iter().map(String::as_str).collect();
        let encoded = self.embedder.embed(&texts)?.into_iter();
        Ok(encoded
            .map(|text| EmbedAnswer {
                embedding: text.embedding.as_slice().iter().copied().map(f64::from).collect(),
                tokens: text.tokens,
                truncated: text.truncated,
            })
            .collect())
    }
}

/// The only clock.
#[allow(clippy::disallowed_methods, reason = "the one place where the moment comes from")]
pub(crate) fn now() -> Timestamp {
    Timestamp(jiff::Timestamp::now().as_millisecond())
}

/// What a changing call is beside its request. A key stands for one request: the same again is a repeated call.
pub(crate) fn call(target: &Target, name: &str, request: &impl Serialize) -> Result<Call, Failure> {
    let caller = &target.caller;
    let key = caller.idempotency_key.as_ref().map(|key| {
        let asked = serde_json::to_vec(&(name, request)).map_err(|error| Refusal::new(Code::Io, error.to_string()))?;
        let content = Sha256::digest(asked).iter().map(|byte| format!("{byte:02x}")).collect();
        Ok::<_, Failure>(IdempotencyKey { key: key.as_str().to_owned(), content })
    });
    let (actor, reason) = (caller.actor.clone(), caller.reason.clone());
    Ok(Call { now: now(), actor, reason, key: key.transpose()? })
}

fn recall(look_up: &LookUp) -> Result<Recall, Failure> {
    let domains = match (look_up.all_domains, &look_up.domains[..]) {
        (true, []) => Some(DomainChoice::All),
        (true, _) => {
            let message = "domains and all_domains exclude each other; give one of them";
            return Err(Refusal::new(Code::BadDocument, message).field("all_domains").into());
        }
        (false, []) => None,
        (false, names) => {
            let domains = names.iter().map(|name| Domain::parse(name)).collect::<Result<_, _>>()?;
            Some(DomainChoice::Named(domains))
        }
    };
    Ok(Recall {
        task: look_up.task.clone(),
        top_k: look_up.k.map(|k| whole("k", k, 1, 100)).transpose()?.map(|k| k as usize),
        domains,
        confidence_weight: look_up.confidence_weight,
        min_score: look_up.min_score,
    })
}

fn outcome(request: &EndRequest) -> Result<Outcome, Failure> {
    let says = |labels: &Option<Labels>| matches!(labels, Some(Labels::Session(true)));
    let names = |labels: &Option<Labels>| match labels {
        Some(Labels::Named(names)) => names.clone(),
        _ => Vec::new(),
    };
    let word = match (says(&request.improved), says(&request.not_improved)) {
        (true, true) => return Err(contradiction("improved and not_improved", "improved")),
        (true, false) => Some(true),
        (false, true) => Some(false),
        (false, false) => None,
    };
    let outcome = Outcome {
        reward: request.reward,
        baseline: request.baseline,
        word,
        improved: names(&request.improved),
        not_improved: names(&request.not_improved),
        none: request.no_outcome,
        applied: request.applied.clone(),
    };
    let some = outcome.reward.is_some() || outcome.word.is_some();
    if outcome.none && (some || !outcome.improved.is_empty() || !outcome.not_improved.is_empty()) {
        return Err(contradiction("no_outcome and an outcome", "no_outcome"));
    }
    if outcome.baseline.is_some() && outcome.reward.is_none() {
        let message = "a baseline needs a reward to compare with it; give both";
        return Err(Refusal::new(Code::BadDocument, message).field("baseline").into());
    }
    Ok(outcome)
}

fn contradiction(what: &str, field: &str) -> Failure {
    Refusal::new(Code::BadDocument, format!("{what} exclude each other; give one of them")).field(field).into()
}

/// Operations with a source for those adds and merges that name none.
fn with_source(operations: &[Operation], default: Option<&String>) -> Vec<Operation> {
    let mut operations = operations.to_vec();
    for operation in &mut operations {
        if let Operation::Add { source, .. } | Operation::Merge { source, .. } = operation {
            *source = source.take().or_else(|| default.cloned());
        }
    }
    operations
}

fn count(field: &str, value: Option<f64>, low: u64) -> Result<Option<usize>, Failure> {
    value.map(|value| whole(field, value, low, MAX_WHOLE).map(|count| count as usize)).transpose()
}

fn choice<T>(
    field: &str,
    name: Option<&String>,
    names: &[&str],
    find: impl Fn(&str) -> Option<T>,
) -> Result<Option<T>, Failure> {
    name.map(|name| named(field, name, names, find)).transpose()
}

fn named<T>(field: &str, name: &str, names: &[&str], find: impl Fn(&str) -> Option<T>) -> Result<T, Failure> {
    find(name).ok_or_else(|| Refusal::out_of_range(field, name, &names.join(", ")).into())
}
