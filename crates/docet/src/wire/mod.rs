//! The shapes on the wire: what every face asks and answers, in JSON's terms.
//!
//! Requests carry numbers as they were typed; whoever carries a request out checks their ranges. Answers of the core
//! that are the wire's own shape already are re-exported as they are.

mod answers;
mod document;
mod failure;
mod history;
mod operation;
mod requests;
mod upkeep;

pub use answers::{
    CompressAnswer, EmbedAnswer, EmbedLinesAnswer, ExperienceAnswer, ExportAnswer, Guideline, ImportAnswer, InitAnswer,
    LeftAnswer, LibrariesAnswer, ListAnswer, ListedAnswer, ModelAnswer, RecallAnswer, ReembedAnswer, SessionLabel,
    SessionLine, SessionsAnswer, SettingsAnswer, ShowAnswer,
};
pub use docet_core::answers::EqualLine;
pub use docet_core::compression::Evicted;
pub use docet_core::error::{Code, Fault};
pub use docet_core::history::RevisionKind;
pub use docet_core::operation::{Applied, Operation, OperationKind, Similar, UpdateReport as UpdateAnswer};
pub use docet_core::session::{Credit, EndReport as EndAnswer, SessionState, Verdict};
pub use docet_core::settings::{AgeFrom, Preset, Reference, Rescore, Settings, Strategy};
pub use document::{check_count, lines, parse_operations, read_document, utf8};
pub use failure::Failure;
pub use history::{
    ChangeAnswer, HistoryAnswer, PurgeAnswer, RevisedAnswer, RevisionAnswer, RewardChangeAnswer, SettingsChangeAnswer,
};
pub(crate) use requests::MAX_WHOLE;
pub use requests::{
    BeginRequest, CompressRequest, EmbedRequest, EndRequest, HistoryRequest, ImportRequest, InitRequest, Labels,
    ListRequest, LookUp, OnInvalid, Overlong, PurgeRequest, RecallRequest, RestoreRequest, SessionsRequest,
    SettingsRequest, Sort, UndoRequest, UpdateRequest, id, whole,
};
pub use upkeep::{BackupAnswer, DoctorAnswer, Examined, Finding, Severity};
