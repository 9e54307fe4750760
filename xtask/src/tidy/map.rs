//! The map: every path that ARCHITECTURE.md names exists, and every place that a reader may look for is on it.
//!
//! A path stands between backticks or in a fenced block. One that names a crate (`crates/docet-core`) is where the
//! paths after it begin, so that `compression/hybrid.rs` then stands for `crates/docet-core/src/compression/hybrid.rs`.

use std::collections::BTreeSet;

use super::Finding;
use super::house::House;

const MAP: &str = "ARCHITECTURE.md";
const LONGEST: usize = 250;

/// Files that every crate has.
const UNNAMED: [&str; 3] = ["lib.rs", "main.rs", "mod.rs"];

/// Compares the map with the workspace.
pub(crate) fn check(house: &House) -> Vec<Finding> {
    let Some(map) = house.text(MAP) else {
        return vec![Finding::new(MAP, 1, "missing; it is the map of the code")];
    };
    let lines = map.lines().count();
    let too_long = format!("{lines} lines; a map longer than {LONGEST} is not read, nor kept true");
    let mut findings = Vec::from_iter((lines > LONGEST).then(|| Finding::new(MAP, lines, too_long)));
    let (named, dead) = named_paths(house, map);
    findings.extend(dead);
    let missing = to_be_named(house).into_iter().filter(|path| !is_covered(path, &named));
    findings
        .extend(missing.map(|path| Finding::new(MAP, 1, format!("`{path}` is not on the map; add what it is for"))));
    findings
}

/// The existing paths that the map names, and a finding for each that does not exist.
fn named_paths(house: &House, map: &str) -> (BTreeSet<String>, Vec<Finding>) {
    let (mut named, mut dead) = (BTreeSet::new(), Vec::new());
    let mut base = String::new();
    let mut fenced = false;
    for (index, line) in map.lines().enumerate() {
        if line.trim_start().starts_with("```") {
            fenced = !fenced;
            continue;
        }
        for path in paths(line, fenced).iter().flat_map(|word| with_braces_expanded(word)) {
            if let Some(name) = path.strip_prefix("crates/").and_then(|rest| rest.split('/').next()) {
                base = format!("crates/{name}");
            }
            let below = [path.clone(), format!("{base}/src/{path}"), format!("{base}/{path}")];
            match below.into_iter().find(|candidate| house.has(candidate)) {
                Some(path) => drop(named.insert(path.trim_end_matches('/').to_owned())),
                None => dead.push(Finding::new(MAP, index + 1, format!("there is no `{path}`; mend or drop it"))),
            }
        }
    }
    (named, dead)
}

/// The words of a line that are paths: they begin with `crates/`, or end in `.rs` or `/`.
fn paths(line: &str, fenced: bool) -> Vec<&str> {
    let pieces: Vec<&str> =
        if fenced { line.split_whitespace().collect() } else { line.split('`').skip(1).step_by(2).collect() };
    let is_path = |word: &&str| {
        let plain = word.chars().all(|c| c.is_ascii_alphanumeric() || "/._-{},".contains(c));
        plain && (word.starts_with("crates/") || word.ends_with(".rs") || word.ends_with('/'))
    };
    pieces.into_iter().filter(is_path).collect()
}

/// `a/{b,c}.rs` is `a/b.rs` and `a/c.rs`.
fn with_braces_expanded(word: &str) -> Vec<String> {
    let parts = word.split_once('{').and_then(|(head, rest)| Some((head, rest.split_once('}')?)));
    let Some((head, (names, tail))) = parts else { return vec![word.to_owned()] };
    names.split(',').map(|name| format!("{head}{name}{tail}")).collect()
}

/// Each crate, each file of the core, each top-level module of the other crates.
fn to_be_named(house: &House) -> BTreeSet<String> {
    let mut places = BTreeSet::new();
    for path in &house.paths {
        let Some((name, rest)) = path.strip_prefix("crates/").and_then(|rest| rest.split_once('/')) else { continue };
        places.insert(format!("crates/{name}"));
        let Some(module) = rest.strip_prefix("src/").filter(|module| module.ends_with(".rs")) else { continue };
        let place = if name == "docet-core" { module } else { module.split('/').next().unwrap_or(module) };
        let file_name = place.rsplit('/').next().unwrap_or(place);
        if !UNNAMED.contains(&file_name) {
            places.insert(format!("crates/{name}/src/{place}"));
        }
    }
    places
}

/// Whether the map names a path, or a module's folder for its file and the other way round.
fn is_covered(path: &str, named: &BTreeSet<String>) -> bool {
    let twin = path.strip_suffix(".rs").map_or_else(|| format!("{path}.rs"), str::to_owned);
    let below = format!("{path}/");
    named.contains(path) || named.contains(&twin) || named.iter().any(|known| known.starts_with(&below))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(map: &str) -> Vec<String> {
        let files = [
            "crates/docet-core/src/lib.rs",
            "crates/docet-core/src/retrieval.rs",
            "crates/docet-core/src/compression/mod.rs",
            "crates/docet-core/src/compression/hybrid.rs",
            "crates/docet-cli/src/main.rs",
            "crates/docet-cli/src/commands/list.rs",
        ];
        let files: Vec<(&str, &str)> = files.iter().map(|path| (*path, "")).chain([(MAP, map)]).collect();
        check(&House::of(&files)).iter().map(Finding::to_string).collect()
    }

    #[test]
    fn a_whole_map() {
        let map = "`crates/docet-core`: `retrieval.rs` ranks\n- `compression/{mod,hybrid}.rs`\n\n`crates/docet-cli/src/commands/`";
        assert_eq!(found(map), [""; 0]);
        let fenced = "```\ncrates/docet-core/\n  retrieval.rs  ranks\n  compression/hybrid.rs\ncrates/docet-cli/\n  commands/ all\n```";
        assert_eq!(found(fenced), [""; 0]);
    }

    #[test]
    fn gaps_and_dead_names() {
        let findings = found("`crates/docet-core`: `retrieval.rs`, `ranking.rs`\n`crates/docet-cli`: `commands/`");
        assert_eq!(findings[0], "ARCHITECTURE.md:1: there is no `ranking.rs`; mend or drop it");
        assert!(findings[1].contains("`crates/docet-core/src/compression/hybrid.rs` is not on the map"));
        assert_eq!(findings.len(), 2);
    }
}
