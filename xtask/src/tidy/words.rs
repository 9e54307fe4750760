//! What must not be left lying: unfinished code, and the folders of the machine on which it was written.

use super::Finding;
use super::house::{House, TextFile};
use super::source::Source;

const UNFINISHED: [&str; 4] = ["todo!(", "unimplemented!(", "dbg!(", concat!("FIX", "ME")];
const MACHINE: [&str; 4] =
    [concat!("/ho", "me/"), concat!("/ro", "ot/"), concat!("/wo", "rk/"), concat!("/Us", "ers/")];

/// The folder that examples use.
const EXAMPLE: &str = concat!("/ho", "me/me/");

/// Reads every text file.
pub(crate) fn check(house: &House) -> Vec<Finding> {
    let unfinished = house.rust.iter().flat_map(check_unfinished);
    unfinished.chain(house.texts.iter().flat_map(check_folders)).collect()
}

fn check_unfinished(source: &Source) -> Vec<Finding> {
    let mut findings = Vec::new();
    for line in &source.lines {
        let found = UNFINISHED.iter().filter(|word| line.spoken.contains(*word));
        findings.extend(found.map(|word| {
            let message = format!("`{word}`: finish it, or open an issue and say here what holds today");
            Finding::new(&source.path, line.number, message)
        }));
    }
    findings
}

fn check_folders(file: &TextFile) -> Vec<Finding> {
    let lines = file.text.lines().enumerate();
    let found = lines.filter_map(|(index, line)| {
        let folder = MACHINE.iter().find(|folder| begins_a_path(line, folder))?;
        let message = format!("{folder} is a folder of one machine; write a relative path, or where it is configured");
        Some(Finding::new(&file.path, index + 1, message))
    });
    found.collect()
}

/// Whether `folder` stands in `line` and is not the middle of a longer path.
fn begins_a_path(line: &str, folder: &str) -> bool {
    let inner = |c: char| c.is_alphanumeric() || "/._-~}$>*".contains(c);
    let begins = |at: usize| !line[..at].chars().next_back().is_some_and(inner);
    line.match_indices(folder).any(|(at, _)| begins(at) && !line[at..].starts_with(EXAMPLE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leftovers_are_found() {
        let code = format!("fn a() {{ {}) }}\nlet b = \"todo!(\"; // a todo\n// {}\n", UNFINISHED[0], UNFINISHED[3]);
        let house = House::of(&[("crates/a/src/b.rs", &code), ("README.md", &format!("see {}me", MACHINE[0]))]);
        let found: Vec<(String, usize)> = check(&house).into_iter().map(|f| (f.file, f.line)).collect();
        assert_eq!(
            found,
            [("crates/a/src/b.rs", 1), ("crates/a/src/b.rs", 3), ("README.md", 1)].map(|(f, l)| (f.to_owned(), l))
        );
    }

    #[test]
    fn the_middle_of_a_path_is_no_folder_of_a_machine() {
        assert!(!begins_a_path(&format!("https://example.org{}x", MACHINE[2]), MACHINE[2]));
        assert!(!begins_a_path(&format!("in {EXAMPLE}x"), MACHINE[0]));
        assert!(begins_a_path(&format!("\"{}x\"", MACHINE[2]), MACHINE[2]));
    }
}
