//! `docet settings`

use clap::Args;
use docet::wire::{self, Failure, SettingsAnswer, SettingsRequest};
use serde_json::{Value, json};

use super::compress;
use crate::arguments::{CallerFlags, assignment};
use crate::context::Context;
use crate::table::table;

const EXAMPLES: &str = "\
Examples:
  docet settings
  docet settings capacity=200 strategy=importance --evict";

/// Show or change the settings of a library
///
/// They are checked as a whole: the preset comes first, then what is reset, then what is set.
#[derive(Debug, Args)]
#[command(after_help = EXAMPLES, after_long_help = reference())]
pub(crate) struct Settings {
    /// Settings to change; none clears a value where none is allowed
    #[arg(value_name = "KEY=VALUE", value_parser = assignment)]
    set: Vec<(String, String)>,
    /// recommended, or paper, which follows the paper to the letter: the choices in which the two differ
    #[arg(long, value_name = "PRESET")]
    preset: Option<String>,
    /// A setting that goes back to its default; may be given again
    #[arg(long, value_name = "KEY")]
    reset: Vec<String>,
    /// Let lessons leave where the new capacity is below their number
    #[arg(long)]
    evict: bool,
    #[command(flatten)]
    caller: CallerFlags,
}

/// The examples, then every setting with what it means, may be and is unless told.
fn reference() -> String {
    let defaults = json!(wire::Settings::default());
    let settings = wire::Settings::reference().into_iter();
    let lines = settings.map(|wire::Reference { key, meaning, allowed }| {
        format!("  {key}: {meaning} Allowed: {allowed}. Default: {}.\n", shown(&defaults[key]))
    });
    format!("{EXAMPLES}\n\nSettings:\n{}", lines.collect::<String>())
}

impl Settings {
    pub(crate) fn run(self, context: &Context) -> Result<(), Failure> {
        let Self { set, preset, reset, evict, caller } = self;
        let answer =
            context.service.settings(&context.target_for(&caller)?, &SettingsRequest { preset, reset, set, evict })?;
        context.output.answer(&answer, page)
    }
}

fn page(answer: &SettingsAnswer) -> String {
    let (settings, defaults) = (json!(answer.settings), json!(wire::Settings::default()));
    let rows = wire::Settings::KEYS.iter().map(|key| {
        let default = Some(&defaults[key]).filter(|default| **default != settings[key]);
        [
            (*key).to_owned(),
            shown(&settings[key]),
            default.map(|default| format!("default {}", shown(default))).unwrap_or_default(),
        ]
    });
    compress::evicted(&answer.evicted) + &table(["SETTING", "VALUE", ""], rows.collect())
}

/// A value as it is typed.
fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => "none".to_owned(),
        value => value.to_string(),
    }
}
