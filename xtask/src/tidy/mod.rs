//! The house rules that a machine can check. Each rule is one file, one function from a [`House`] to its findings.

mod absent;
mod decisions;
mod direction;
pub(crate) mod house;
mod labels;
mod length;
mod links;
mod map;
mod source;
mod words;

use std::fmt;

use anyhow::Result;

use house::House;

/// What is wrong where, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Finding {
    file: String,
    line: usize,
    message: String,
}

impl Finding {
    fn new(file: impl Into<String>, line: usize, message: impl Into<String>) -> Self {
        Self { file: file.into(), line, message: message.into() }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}:{}: {}", self.file, self.line, self.message)
    }
}

/// `cargo xtask tidy`: prints every finding. Says whether there was none.
pub(crate) fn run() -> Result<bool> {
    let findings = check(&House::open()?);
    for finding in &findings {
        println!("{finding}");
    }
    println!(
        "{}",
        if findings.is_empty() { "The house is tidy.".to_owned() } else { format!("{} to mend", findings.len()) }
    );
    Ok(findings.is_empty())
}

fn check(house: &House) -> Vec<Finding> {
    let rules = [
        direction::check,
        absent::check,
        labels::check,
        map::check,
        links::check,
        words::check,
        length::check,
        decisions::check,
    ];
    let mut findings: Vec<Finding> = rules.iter().flat_map(|rule| rule(house)).collect();
    findings.sort();
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_house_is_tidy() {
        let findings = check(&House::open().expect("the workspace can be read"));
        let lines: Vec<String> = findings.iter().map(Finding::to_string).collect();
        assert!(lines.is_empty(), "\n{}\n", lines.join("\n"));
    }
}
