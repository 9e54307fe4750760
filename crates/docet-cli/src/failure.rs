//! Failures as a program and a person see them: the error object, words on standard error, the exit code.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::process::ExitCode;

use clap::builder::styling::{AnsiColor, Style};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use docet::wire::Failure;
use docet::{Code, Refusal};
use serde::Serialize;

use crate::output::{Output, clean, clean_lines, say};
use crate::table::first_of;

/// The command line itself does not parse.
const UNPARSED: u8 = 2;

/// Shows a refusal or failure of a command.
pub(crate) fn refused(failure: &Failure, output: Output) -> ExitCode {
    say(&page(failure));
    document(failure, output);
    if failure.code == Code::BadArguments { UNPARSED.into() } else { ExitCode::FAILURE }
}

/// Shows why the command line does not parse; help and version are asked for and no failure.
pub(crate) fn unparsed(raw: &[OsString], error: &clap::Error, output: Output) -> ExitCode {
    match error.kind() {
        kind @ (ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            let text = error.render();
            if output.is_json() {
                let name = if kind == ErrorKind::DisplayHelp { "help" } else { "version" };
                let asked = BTreeMap::from([(name, text.to_string())]);
                return output
                    .document(&asked)
                    .map_or_else(|failure| refused(&failure, output), |()| ExitCode::SUCCESS);
            }
            let shown = output.styled(&text.ansi().to_string());
            shown.map_or_else(|failure| refused(&failure, Output::new(false)), |()| ExitCode::SUCCESS)
        }
        ErrorKind::InvalidUtf8 => refused(&not_utf8(raw), output),
        ErrorKind::InvalidSubcommand if raw.iter().any(|word| word.to_str().is_none()) => {
            refused(&not_utf8(raw), output)
        }
        _ => {
            let hint = hint(raw, error);
            let page = error.render().ansi().to_string();
            say(&hint.as_ref().map_or_else(|| page.clone(), |hint| format!("{page}\n{hint}\n")));
            let mut failure = bad_arguments(error);
            if let Some(hint) = hint {
                failure.message = format!("{}; {hint}", failure.message);
            }
            document(&failure, output);
            UNPARSED.into()
        }
    }
}

/// Words behind a flag whose value stands behind `=`, since it also stands alone.
fn hint(raw: &[OsString], error: &clap::Error) -> Option<String> {
    let given = error.get(ContextKind::InvalidArg).map(words)?;
    let place = raw.iter().position(|word| given.iter().any(|given| word == given.as_str()))?;
    let flag = raw.get(place.checked_sub(1)?)?.to_str()?;
    let stands_alone = matches!(flag, "--improved" | "--not-improved");
    stands_alone.then(|| format!("labels stand behind an equals sign: {flag}={}", clean(&given[0])))
}

/// A command line that clap took and that still does not say what is wanted.
pub(crate) fn usage(field: &str, message: impl Into<String>) -> Failure {
    Refusal::new(Code::BadArguments, message).field(field).into()
}

/// The error object of the contract.
fn document(failure: &Failure, output: Output) {
    #[derive(Serialize)]
    struct Document<'a> {
        error: &'a Failure,
    }
    if output.is_json() {
        // Where standard output cannot be written, standard error has said it already.
        let _ = output.document(&Document { error: failure });
    }
}

/// What a person reads: what is wrong, then each fault of a list.
fn page(failure: &Failure) -> String {
    let red = Style::new().fg_color(Some(AnsiColor::Red.into())).bold();
    let faults = failure.faults.as_deref().filter(|faults| faults.len() > 1).unwrap_or_default();
    let faults = first_of(faults, |fault| format!("  operation {}: {}", fault.index, clean(&fault.message)));
    format!("{red}error:{red:#} {}\n{faults}", clean_lines(&failure.message))
}

/// What clap knows of its own error.
fn bad_arguments(error: &clap::Error) -> Failure {
    let context = |kind| error.get(kind).map(words).filter(|words| !words.is_empty());
    let (known, given) = match error.kind() {
        ErrorKind::UnknownArgument => (None, context(ContextKind::InvalidArg)),
        ErrorKind::InvalidSubcommand => (None, context(ContextKind::InvalidSubcommand)),
        _ => (context(ContextKind::InvalidArg), context(ContextKind::InvalidValue)),
    };
    let mut refusal = Refusal::new(Code::BadArguments, message(error));
    if let Some(argument) = known {
        refusal = refusal.field(field(&argument[0]));
    }
    if let Some(value) = given {
        refusal = refusal.value(&value[0]);
    }
    if let Some(allowed) = context(ContextKind::ValidValue) {
        refusal = refusal.allowed(allowed.join(", "));
    }
    refusal.into()
}

fn words(value: &ContextValue) -> Vec<String> {
    match value {
        ContextValue::Strings(words) => words.clone(),
        ContextValue::String(word) => vec![word.clone()],
        ContextValue::StyledStr(word) => vec![word.to_string()],
        _ => Vec::new(),
    }
}

/// The first words of clap's page, in one line and without the usage below them.
fn message(error: &clap::Error) -> String {
    if error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        return "a command is missing; --help lists them".to_owned();
    }
    let page = error.render().to_string();
    let ends = ["\nUsage:", "\nFor more information"];
    let end = ends.iter().filter_map(|end| page.find(end)).min().unwrap_or(page.len());
    let words: Vec<&str> = page[..end].split_whitespace().collect();
    words.join(" ").trim_start_matches("error: ").to_owned()
}

/// `min_score` of `--min-score <S>`, `task` of `<TASK>`.
fn field(argument: &str) -> String {
    let name = argument.trim_start_matches(['-', '<', '[']);
    let end = name.find(|c: char| !(c.is_alphanumeric() || c == '-')).unwrap_or(name.len());
    name[..end].to_lowercase().replace('-', "_")
}

fn not_utf8(raw: &[OsString]) -> Failure {
    let word = raw.iter().skip(1).find(|word| word.to_str().is_none());
    let word = word.map(|word| word.to_string_lossy()).unwrap_or_default();
    let message = format!("an argument is not UTF-8: \"{}\"; only paths may be", clean(&word));
    Refusal::new(Code::NotUtf8, message).value(&word).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_named_as_on_the_wire() {
        for (argument, name) in [
            ("--min-score <S>", "min_score"),
            ("-k <N>", "k"),
            ("<TASK>", "task"),
            ("[TEXT]...", "text"),
            ("--improved[=<LABELS>]", "improved"),
        ] {
            assert_eq!(field(argument), name);
        }
    }
}
