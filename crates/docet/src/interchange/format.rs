//! The formats by name.

/// A format that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Docet's own export.
    Docet,
    /// Lists under headings: `CLAUDE.md`, `AGENTS.md`, `.cursorrules`.
    Markdown,
    /// One lesson a line.
    Text,
    /// Comma-separated values with a header; semicolons and tabs too.
    Csv,
    /// An array of records, or an object that holds one.
    Json,
    /// One record a line.
    Jsonl,
    /// Training-Free GRPO: `{"G0": "text"}`, `[G0]. text`, and lists of operations.
    Grpo,
    /// The paper's operations: `ADD | | text`.
    Paper,
    /// ACE playbooks: `[str-00001] helpful=5 harmful=0 :: text`.
    Ace,
    /// kayba skillbooks: JSON with `skills`.
    Kayba,
    /// cass playbooks: YAML or JSON with `bullets`.
    Cass,
}

impl Format {
    /// Every format, in the order of the documentation.
    pub const ALL: [Self; 11] = [
        Self::Docet,
        Self::Markdown,
        Self::Text,
        Self::Csv,
        Self::Json,
        Self::Jsonl,
        Self::Grpo,
        Self::Paper,
        Self::Ace,
        Self::Kayba,
        Self::Cass,
    ];

    /// The name that users type.
    pub fn name(self) -> &'static str {
        match self {
            Self::Docet => "docet",
            Self::Markdown => "markdown",
            Self::Text => "text",
            Self::Csv => "csv",
            Self::Json => "json",
            Self::Jsonl => "jsonl",
            Self::Grpo => "grpo",
            Self::Paper => "paper",
            Self::Ace => "ace",
            Self::Kayba => "kayba",
            Self::Cass => "cass",
        }
    }

    /// The format of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|format| format.name() == name)
    }

    /// Every name, for messages.
    pub fn names() -> String {
        Self::ALL.map(Self::name).join(", ")
    }

    /// Whether its lessons are picked from a text that was not written as a list of lessons.
    pub(super) fn is_picked_from_prose(self) -> bool {
        matches!(self, Self::Markdown | Self::Text)
    }
}
