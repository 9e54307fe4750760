//! What Docet does, one call a command. A local memory implements it here; a remote one can stand behind the same trait.

use docet_core::library::LibraryName;
use docet_core::text::FreeText;

use crate::interchange::LibraryFile;
use crate::wire::{
    BeginRequest, CompressAnswer, CompressRequest, EmbedAnswer, EmbedRequest, EndAnswer, EndRequest, Failure,
    HistoryAnswer, HistoryRequest, ImportAnswer, ImportRequest, InitAnswer, InitRequest, LibrariesAnswer, ListAnswer,
    ListRequest, PurgeAnswer, PurgeRequest, RecallAnswer, RecallRequest, RestoreRequest, RevisedAnswer, SessionsAnswer,
    SessionsRequest, SettingsAnswer, SettingsRequest, ShowAnswer, UndoRequest, UpdateAnswer, UpdateRequest,
};

/// Which library a call is for, and who makes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The library.
    pub library: LibraryName,
    /// Whether the caller named it for this very call. A session is found by its id alone, but not in another library
    /// than the one that was named.
    pub named: bool,
    /// Who calls.
    pub caller: Caller,
}

/// Who makes a changing call, why, and under which key it may be repeated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// Who.
    pub actor: FreeText,
    /// Why.
    pub reason: Option<FreeText>,
    /// A repeated call with the same key returns the first answer.
    pub idempotency_key: Option<FreeText>,
}

impl Target {
    /// The same caller, in library `default`.
    #[must_use]
    pub fn in_default(&self) -> Self {
        Self { library: LibraryName::default(), named: false, caller: self.caller.clone() }
    }

    /// The library, where the caller named it.
    pub fn named(&self) -> Option<&LibraryName> {
        self.named.then_some(&self.library)
    }
}

/// Every command as one request and one answer. Each returns a [`Failure`] that names its code and what to do.
pub trait Service {
    /// Makes a library.
    fn init(&self, target: &Target, request: &InitRequest) -> Result<InitAnswer, Failure>;

    /// Lists the libraries.
    fn libraries(&self) -> Result<LibrariesAnswer, Failure>;

    /// Applies operations.
    fn update(&self, target: &Target, request: &UpdateRequest) -> Result<UpdateAnswer, Failure>;

    /// Looks lessons up.
    fn recall(&self, target: &Target, request: &RecallRequest) -> Result<RecallAnswer, Failure>;

    /// Begins a session.
    fn begin(&self, target: &Target, request: &BeginRequest) -> Result<RecallAnswer, Failure>;

    /// Ends a session.
    fn end(&self, target: &Target, session: &str, request: &EndRequest) -> Result<EndAnswer, Failure>;

    /// Lists sessions.
    fn sessions(&self, target: &Target, request: &SessionsRequest) -> Result<SessionsAnswer, Failure>;

    /// Lists entries.
    fn list(&self, target: &Target, request: &ListRequest) -> Result<ListAnswer, Failure>;

    /// Shows one entry.
    fn show(&self, target: &Target, id: f64) -> Result<ShowAnswer, Failure>;

    /// Compresses on demand.
    fn compress(&self, target: &Target, request: &CompressRequest) -> Result<CompressAnswer, Failure>;

    /// Shows or changes settings.
    fn settings(&self, target: &Target, request: &SettingsRequest) -> Result<SettingsAnswer, Failure>;

    /// Lists revisions.
    fn history(&self, target: &Target, request: &HistoryRequest) -> Result<HistoryAnswer, Failure>;

    /// Takes a revision back.
    fn undo(&self, target: &Target, request: &UndoRequest) -> Result<RevisedAnswer, Failure>;

    /// Brings back an entry that left.
    fn restore(&self, target: &Target, request: &RestoreRequest) -> Result<RevisedAnswer, Failure>;

    /// Erases for good what entries no longer say.
    fn purge(&self, target: &Target, request: &PurgeRequest) -> Result<PurgeAnswer, Failure>;

    /// A whole library.
    fn export(&self, target: &Target) -> Result<LibraryFile, Failure>;

    /// Brings lessons in.
    fn import(&self, target: &Target, request: &ImportRequest) -> Result<ImportAnswer, Failure>;

    /// Vectors of texts as they stand.
    fn embed(&self, request: &EmbedRequest) -> Result<Vec<EmbedAnswer>, Failure>;
}
