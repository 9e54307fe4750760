//! What Docet does, one call a command. A local memory implements it here; a remote one can stand behind the same trait.

use docet_core::library::LibraryName;

use crate::wire::{
    BeginRequest, CompressAnswer, CompressRequest, EmbedAnswer, EmbedRequest, EndAnswer, EndRequest, Failure,
    InitAnswer, InitRequest, LibrariesAnswer, ListAnswer, ListRequest, RecallAnswer, RecallRequest, SessionsAnswer,
    SessionsRequest, SettingsAnswer, SettingsRequest, ShowAnswer, UpdateAnswer, UpdateRequest,
};

/// Which library a call is for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Target {
    /// The library.
    pub library: LibraryName,
    /// Whether the caller named it for this very call. A session is found by its id alone, but not in another library
    /// than the one that was named.
    pub named: bool,
}

impl Target {
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

    /// Vectors of texts as they stand.
    fn embed(&self, request: &EmbedRequest) -> Result<Vec<EmbedAnswer>, Failure>;
}
