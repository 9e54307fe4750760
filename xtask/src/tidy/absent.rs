//! What must be absent, which says more than what is there. Tests are free.

use super::Finding;
use super::house::House;
use super::source::{Line, Source};

/// Words that must not stand in the code of some files.
struct Absent {
    /// The files, by the start of their paths.
    files: &'static [&'static str],
    /// Those of them that are free, each with the words that it may use; no words: all.
    except: &'static [(&'static str, &'static [&'static str])],
    words: &'static [&'static str],
    /// What to do instead.
    instead: &'static str,
}

const CORE: &str = "crates/docet-core/src/";

const RULES: [Absent; 7] = [
    Absent {
        files: &[CORE],
        except: &[],
        words: &["SystemTime", "Instant", "std::fs", "std::env", "std::thread", "std::net", "std::process"],
        instead: "the core has no clock, files, environment, threads or network; take what you need as an argument",
    },
    Absent {
        files: &[CORE],
        except: &[],
        words: &["rand", "fastrand", "getrandom", "RandomState"],
        instead: "the core has no randomness but a given seed",
    },
    Absent {
        files: &[CORE],
        except: &[],
        words: &["async", "await", "tokio", "rayon"],
        instead: "the core is synchronous; whoever needs threads wraps it",
    },
    Absent {
        files: &[CORE],
        except: &[],
        words: &["serde_json", "rusqlite"],
        instead: "the core knows no JSON and no database; crate docet has the wire shapes, adapters have the tables",
    },
    Absent {
        files: &[CORE],
        except: &[
            ("crates/docet-core/src/lib.rs", &[]),
            ("crates/docet-core/src/ports.rs", &[]),
            ("crates/docet-core/src/memory", &[]),
            ("crates/docet-core/src/in_memory", &[]),
        ],
        words: &["crate::ports"],
        instead: "types and policies know no ports; ports and policies meet in memory alone",
    },
    Absent {
        files: &["crates/docet-core/src/ports.rs"],
        except: &[],
        words: &["sqlite", "Sqlite", "minilm", "MiniLm", "postgres", "Postgres", "InMemory"],
        instead: "a port speaks of the domain; an adapter's types stay in the adapter",
    },
    Absent {
        files: &["crates/docet-cli/src/"],
        except: &[],
        words: &["rusqlite", "docet_core", "docet_minilm", "docet_sqlite"],
        instead: "a face parses, calls crate docet and renders",
    },
];

/// Only these may speak SQL.
const SPEAK_SQL: [&str; 2] = ["crates/docet-sqlite/", "xtask/"];
const SQL: [&str; 6] = ["SELECT ", "INSERT INTO ", "DELETE FROM ", "CREATE TABLE ", "ALTER TABLE ", "PRAGMA "];

/// Looks for each rule's words and for SQL.
pub(crate) fn check(house: &House) -> Vec<Finding> {
    let words = RULES.iter().flat_map(|rule| house.rust.iter().flat_map(|source| rule.check(source)));
    words.chain(house.rust.iter().flat_map(check_sql)).collect()
}

impl Absent {
    fn check(&self, source: &Source) -> Vec<Finding> {
        if !self.files.iter().any(|start| source.path.starts_with(start)) {
            return Vec::new();
        }
        let free = self.except.iter().find(|(start, _)| source.path.starts_with(start)).map(|(_, words)| *words);
        if free.is_some_and(<[_]>::is_empty) {
            return Vec::new();
        }
        let is_free = |code: &str| free.is_some_and(|words| names_only(code, words));
        let wrong = |line: &&Line| !is_free(&line.code);
        source.product().filter(wrong).flat_map(|line| self.check_line(source, line)).collect()
    }

    fn check_line(&self, source: &Source, line: &Line) -> Vec<Finding> {
        let code = with_groups_expanded(&line.code);
        let found = self.words.iter().filter(|word| has_word(&code, word));
        found.map(|word| Finding::new(&source.path, line.number, format!("`{word}`: {}", self.instead))).collect()
    }
}

fn check_sql(source: &Source) -> Vec<Finding> {
    if !source.path.starts_with("crates/") || SPEAK_SQL.iter().any(|start| source.path.starts_with(start)) {
        return Vec::new();
    }
    let speaks = |line: &&Line| SQL.iter().any(|words| line.strings.contains(words));
    let message = "SQL outside of its adapter; add a method to the port, in words of the domain";
    source.product().filter(speaks).map(|line| Finding::new(&source.path, line.number, message)).collect()
}

/// Whether every name that a `use` brings in is one of `words`.
fn names_only(code: &str, words: &[&str]) -> bool {
    let Some(last) = code.trim().trim_end_matches(';').rsplit("::").next() else { return false };
    last.trim_matches(['{', '}']).split(',').all(|name| words.contains(&name.trim()))
}

/// `use std::{fs, io};` reads `use std::{fs, io}; std::fs std::io`.
fn with_groups_expanded(code: &str) -> String {
    let mut expanded = code.to_owned();
    if let Some((head, group)) = code.split_once("::{") {
        let prefix = head.rsplit(|c: char| !is_word(c) && c != ':').next().unwrap_or_default();
        for name in group.split([',', '}']).map(str::trim).filter(|name| !name.is_empty()) {
            expanded.push_str(&format!(" {prefix}::{name}"));
        }
    }
    expanded
}

/// Whether `word` stands in `code` and is no part of a longer word.
fn has_word(code: &str, word: &str) -> bool {
    code.match_indices(word).any(|(at, _)| {
        let (before, after) = (code[..at].chars().next_back(), code[at + word.len()..].chars().next());
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(path: &str, text: &str) -> Vec<usize> {
        let mut lines: Vec<usize> = check(&House::of(&[(path, text)])).iter().map(|finding| finding.line).collect();
        lines.sort();
        lines
    }

    #[test]
    fn the_core_has_no_world() {
        let path = "crates/docet-core/src/session.rs";
        assert_eq!(found(path, "use std::fs;\nlet now = SystemTime::now();\nuse std::{env, fmt};"), [1, 2, 3]);
        assert_eq!(found(path, "// std::fs\nlet operand = 1;\nuse std::fmt;"), [0_usize; 0]);
        assert_eq!(found(path, "#[cfg(test)]\nmod tests { use std::fs; }"), [0_usize; 0]);
        assert_eq!(found("crates/docet-sqlite/src/store.rs", "use std::fs;"), [0_usize; 0]);
    }

    #[test]
    fn policies_know_no_ports() {
        assert_eq!(found("crates/docet-core/src/session.rs", "use crate::ports::Store;"), [1]);
        assert_eq!(found("crates/docet-core/src/memory/mod.rs", "use crate::ports::Store;"), [0_usize; 0]);
        assert_eq!(found("crates/docet-core/src/library.rs", "use crate::ports::{Snapshot, Store};"), [1]);
    }

    #[test]
    fn faces_have_no_database() {
        let path = "crates/docet-cli/src/commands/list.rs";
        assert_eq!(found(path, "let rows = \"SELECT id FROM experience\";\nuse docet_core::text;"), [1, 2]);
        assert_eq!(found(path, "use docet::Memory; // SELECT the best"), [0_usize; 0]);
    }
}
