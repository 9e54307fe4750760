//! What was typed: the global flags, and how words become numbers, names and texts.

use std::ffi::{OsStr, OsString};

use clap::{Args, CommandFactory, FromArgMatches, Parser};

use docet::config::actor;
use docet::wire::Failure;
use docet::{Caller, FreeText};

use crate::commands::Command;

const START_HERE: &str = "\
Start here:
  docet quickstart                                  watch the memory at work, in a throw-away store
  docet add \"Run the tests before you commit.\"      keep a lesson
  docet begin \"fix the failing build\"               the lessons for a task, and a session
  docet end SESSION --reward 1 --baseline 0.5       what came of it; confidence moves

`docet COMMAND --help` shows what a command takes, with examples.";

/// A memory of short lessons for agents: the few that matter before a task, and which of them to trust afterwards.
#[derive(Debug, Parser)]
#[command(name = "docet", version, after_help = START_HERE, max_term_width = 100)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Flags that stand before or after the command.
#[derive(Debug, Args)]
#[command(next_help_heading = "Global options")]
pub(crate) struct Global {
    /// Where libraries are kept: a path or sqlite:PATH [default: DOCET_STORE, else the user's data folder]
    #[arg(long, global = true, value_name = "URL")]
    pub(crate) store: Option<OsString>,
    /// Which library [default: DOCET_LIBRARY, else default]
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) library: Option<String>,
    /// Print one JSON document on standard output
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

/// Flags of every command that changes something.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Options for the history")]
pub(crate) struct CallerFlags {
    /// Who makes the change [default: DOCET_ACTOR, else the user's name]
    #[arg(long, value_name = "NAME")]
    actor: Option<String>,
    /// Why
    #[arg(long, value_name = "TEXT")]
    reason: Option<String>,
    /// A repeated call with the same key changes nothing and returns the first answer
    #[arg(long, value_name = "K")]
    idempotency_key: Option<String>,
}

impl CallerFlags {
    /// Checked, with what the environment says.
    pub(crate) fn caller(&self) -> Result<Caller, Failure> {
        let free = |field, text: &Option<String>| text.as_deref().map(|text| FreeText::parse(field, text)).transpose();
        Ok(Caller {
            actor: actor(self.actor.as_deref())?,
            reason: free("reason", &self.reason)?,
            idempotency_key: free("idempotency_key", &self.idempotency_key)?,
        })
    }
}

/// Parses what was typed, the program's own name first.
pub(crate) fn parse(raw: &[OsString]) -> Result<Arguments, clap::Error> {
    let mut command = Arguments::command();
    if raw.iter().any(|word| is_item(word)) {
        for name in ["recall", "begin"] {
            command =
                command.mut_subcommand(name, |command| command.mut_arg("task", |task| task.allow_hyphen_values(true)));
        }
    }
    let mut matches = command.try_get_matches_from_mut(without_flag_on_help(raw))?;
    Arguments::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut command))
}

/// `help` takes names of commands alone, though `--json` may stand anywhere.
fn without_flag_on_help(raw: &[OsString]) -> Vec<OsString> {
    let command = raw.iter().skip(1).find(|word| *word != "--json");
    let is_help = command.is_some_and(|word| word == "help");
    raw.iter().filter(|word| !(is_help && *word == "--json")).cloned().collect()
}

/// Whether `--json` was typed, also where the rest does not parse.
pub(crate) fn wants_json(raw: &[OsString]) -> bool {
    raw.iter().skip(1).take_while(|word| *word != "--").any(|word| word == "--json")
}

/// A finite number; its range is the service's business.
pub(crate) fn finite(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|number: &f64| number.is_finite());
    number.ok_or_else(|| "a number is wanted".to_owned())
}

/// A whole number from 1.
pub(crate) fn count(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|count| *count > 0).ok_or_else(|| "a whole number from 1 is wanted".to_owned())
}

/// `KEY=VALUE`
pub(crate) fn assignment(text: &str) -> Result<(String, String), String> {
    let assigned = text.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned()));
    assigned.ok_or_else(|| format!("KEY=VALUE is wanted, such as {text}=…; `docet settings` shows them all"))
}

/// Whether this is an item of a list, which no flag looks like: a task may well begin with one.
fn is_item(word: &OsStr) -> bool {
    word.to_string_lossy().strip_prefix('-').is_some_and(|rest| rest.starts_with(char::is_whitespace))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(words: &[&str]) -> Result<Arguments, clap::error::ErrorKind> {
        let raw: Vec<OsString> = ["docet"].iter().chain(words).map(OsString::from).collect();
        parse(&raw).map_err(|error| error.kind())
    }

    #[test]
    fn the_commands_are_declared_soundly() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn global_flags_stand_before_or_after_the_command() {
        for words in [["--library", "a", "--json", "list"], ["list", "--json", "--library", "a"]] {
            let global = parsed(&words).unwrap().global;
            assert_eq!((global.library.as_deref(), global.json), (Some("a"), true));
        }
    }

    #[test]
    fn numbers_are_finite() {
        let table =
            [("-3", -3.0), ("1e2", 100.0), (".5", 0.5), ("-0", 0.0), ("18446744073709551616", 2.0_f64.powi(64))];
        for (text, number) in table {
            assert_eq!(finite(text), Ok(number), "{text}");
        }
        for text in
            ["", "abc", "nan", "NaN", "inf", "-inf", "infinity", "1e400", "-1e400", "0x10", "1,5", " 1", "1_000"]
        {
            assert!(finite(text).is_err(), "{text}");
        }
    }

    #[test]
    fn a_task_may_be_a_list_but_flags_are_still_checked() {
        use clap::error::ErrorKind::UnknownArgument;
        assert!(parsed(&["recall", "- fix the build\n- push", "-k", "3"]).is_ok());
        assert!(matches!(parsed(&["recall", "- fix", "--domian", "web"]), Err(UnknownArgument)));
        assert!(matches!(parsed(&["recall", "--domian", "web"]), Err(UnknownArgument)));
        assert!(matches!(parsed(&["recall", "-fix"]), Err(UnknownArgument)));
    }

    #[test]
    fn json_is_recognised_where_nothing_else_is() {
        let wants = |words: &[&str]| wants_json(&words.iter().map(OsString::from).collect::<Vec<_>>());
        assert!(wants(&["docet", "--bogus", "--json"]));
        assert!(!wants(&["docet", "add", "--", "--json"]));
    }
}
