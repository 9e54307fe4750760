//! The labels of the paper: each one of docs/equations.md stands in code and in a test, each one of the code stands there.

use std::collections::BTreeMap;

use super::Finding;
use super::house::House;

const TABLE: &str = "docs/equations.md";
const KINDS: [&str; 3] = ["alg:", "def:", "eq:"];

/// Where a label was seen first: file and line.
type Places<'a> = BTreeMap<&'a str, (&'a str, usize)>;

/// Compares docs/equations.md with the code and its tests.
pub(crate) fn check(house: &House) -> Vec<Finding> {
    let Some(table) = house.text(TABLE) else {
        let message = "missing; it lists each label of the paper with its function and its test";
        return vec![Finding::new(TABLE, 1, message)];
    };
    let mut listed = Places::new();
    note(&mut listed, TABLE, table.lines().enumerate().map(|(index, line)| (index + 1, line)));
    let (in_code, in_tests) = used(house);
    let absent = |places: &Places<'_>, what: &str| -> Vec<Finding> {
        let missing = listed.iter().filter(|(label, _)| !places.contains_key(*label));
        let message = |label: &str| format!("{label} stands in no {what}; quote it where it is carried out");
        missing.map(|(label, (file, line))| Finding::new(*file, *line, message(label))).collect()
    };
    let unlisted = in_code.iter().chain(&in_tests).filter(|(label, _)| !listed.contains_key(*label));
    let unlisted = unlisted.map(|(label, (file, line))| {
        Finding::new(*file, *line, format!("{label} is not in {TABLE}; add it there, or spell it as there"))
    });
    let mut findings: Vec<Finding> = unlisted.collect();
    findings.extend(absent(&in_code, "code under crates/*/src"));
    findings.extend(absent(&in_tests, "test"));
    findings
}

/// The labels in code, and those in tests: Rust's and the oracle's.
fn used(house: &House) -> (Places<'_>, Places<'_>) {
    let (mut code, mut tests) = (Places::new(), Places::new());
    let crates = house.texts.iter().filter(|file| file.path.starts_with("crates/"));
    for file in crates {
        let lines = || file.text.lines().enumerate().map(|(index, line)| (index + 1, line));
        match house.rust.iter().find(|source| source.path == file.path) {
            Some(source) => {
                let in_test = |number: usize| source.lines.get(number - 1).is_some_and(|line| line.in_test);
                note(&mut code, &file.path, lines().filter(|(number, _)| !in_test(*number)));
                note(&mut tests, &file.path, lines().filter(|(number, _)| in_test(*number)));
            }
            None if file.path.ends_with(".py") => note(&mut tests, &file.path, lines()),
            None => {}
        }
    }
    (code, tests)
}

fn note<'a>(places: &mut Places<'a>, file: &'a str, lines: impl Iterator<Item = (usize, &'a str)>) {
    for (number, line) in lines {
        for label in labels(line) {
            places.entry(label).or_insert((file, number));
        }
    }
}

/// `eq:hybrid-utility` and its like in a line.
fn labels(line: &str) -> impl Iterator<Item = &str> {
    let words = line.split(|c: char| !(c.is_ascii_alphanumeric() || c == ':' || c == '-'));
    let words = words.map(|word| word.trim_end_matches([':', '-']));
    words.filter(|word| {
        let name = KINDS.iter().find_map(|kind| word.strip_prefix(kind));
        name.is_some_and(|name| name.starts_with(|c: char| c.is_ascii_lowercase()) && !name.contains(':'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const CODE: &str = "/// `eq:decay`\nfn a() {}\n#[cfg(test)]\nmod tests {\n // eq:decay\n}\n";

    fn found(table: &str, code: &str) -> Vec<String> {
        let house = House::of(&[("docs/equations.md", table), ("crates/a/src/decay.rs", code)]);
        check(&house).iter().map(Finding::to_string).collect()
    }

    #[test]
    fn a_label_is_a_word() {
        let line = "(`eq:hybrid-utility`), alg:memory-update. eq: freq:x seq:y eq:decay:";
        assert_eq!(labels(line).collect::<Vec<_>>(), ["eq:hybrid-utility", "alg:memory-update", "eq:decay"]);
    }

    #[test]
    fn code_table_and_tests_agree() {
        assert_eq!(found("| `eq:decay` |", CODE), [""; 0]);
        let findings = found("| `eq:decay` |\n| `eq:other` |", CODE);
        assert_eq!(findings.len(), 2, "{findings:?}");
        assert!(findings.iter().all(|finding| finding.starts_with("docs/equations.md:2: eq:other")), "{findings:?}");
    }

    #[test]
    fn a_label_of_the_code_is_listed() {
        assert!(found("", "// eq:decay\n")[0].starts_with("crates/a/src/decay.rs:1: eq:decay is not in"));
    }
}
