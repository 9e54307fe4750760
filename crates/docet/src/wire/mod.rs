//! The shapes on the wire: what every face asks and answers, in JSON's terms.
//!
//! Requests carry numbers as they were typed; whoever carries a request out checks their ranges. Answers of the core
//! that are the wire's own shape already are re-exported as they are.

mod answers;
mod document;
mod failure;
mod requests;

pub use answers::{
    CompressAnswer, EmbedAnswer, EmbedLinesAnswer, ExperienceAnswer, Guideline, InitAnswer, LibrariesAnswer,
    ListAnswer, ModelAnswer, RecallAnswer, SessionLabel, SessionLine, SessionsAnswer, SettingsAnswer, ShowAnswer,
};
pub use docet_core::compression::Evicted;
pub use docet_core::error::{Code, Fault};
pub use docet_core::operation::{Applied, Operation, OperationKind, Similar, UpdateReport as UpdateAnswer};
pub use docet_core::session::{Credit, EndReport as EndAnswer, SessionState, Verdict};
pub use docet_core::settings::{AgeFrom, Preset, Rescore, Settings, Strategy};
pub use document::{check_count, lines, parse_operations, read_document, utf8};
pub use failure::Failure;
pub(crate) use requests::MAX_WHOLE;
pub use requests::{
    BeginRequest, CompressRequest, EmbedRequest, EndRequest, InitRequest, Labels, ListRequest, LookUp, OnInvalid,
    RecallRequest, SessionsRequest, SettingsRequest, Sort, UpdateRequest, id, whole,
};
