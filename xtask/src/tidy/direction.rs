//! Which crate may use which: `cli -> docet -> {sqlite, minilm} -> core`, and only `docet` names adapters.

use serde_json::Value;

use super::Finding;
use super::house::House;

/// Every crate of the workspace with those of its own crates that it may use.
const MAY_USE: [(&str, &[&str]); 7] = [
    ("docet-core", &[]),
    ("docet-conformance", &["docet-core"]),
    ("docet-minilm", &["docet-core"]),
    ("docet-sqlite", &["docet-core"]),
    ("docet", &["docet-core", "docet-minilm", "docet-sqlite"]),
    ("docet-cli", &["docet"]),
    ("xtask", &[]),
];

/// What tests may use beside that, except those of the crates without any of our own.
const TESTS_MAY_USE: &str = "docet-conformance";

/// Compares the manifests with [`MAY_USE`].
pub(crate) fn check(house: &House) -> Vec<Finding> {
    let packages = house.metadata["packages"].as_array().map_or(&[][..], Vec::as_slice);
    let names: Vec<&str> = packages.iter().map(|package| text(package, "name")).collect();
    packages.iter().flat_map(|package| check_package(house, package, &names)).collect()
}

fn check_package(house: &House, package: &Value, ours: &[&str]) -> Vec<Finding> {
    let name = text(package, "name");
    let manifest = if name == "xtask" { "xtask/Cargo.toml".to_owned() } else { format!("crates/{name}/Cargo.toml") };
    let Some((_, may_use)) = MAY_USE.iter().find(|(known, _)| *known == name) else {
        let message = format!("nothing is said about {name}; add to xtask/src/tidy/direction.rs what it may use");
        return vec![Finding::new(manifest, 1, message)];
    };
    let mut findings = Vec::new();
    for dependency in package["dependencies"].as_array().into_iter().flatten() {
        let (used, for_tests) = (text(dependency, "name"), dependency["kind"] == "dev");
        let allowed = may_use.contains(&used) || (for_tests && used == TESTS_MAY_USE && !may_use.is_empty());
        if ours.contains(&used) && !allowed {
            let line = line_of(house, &manifest, used);
            let message = format!("{name} must not use {used}; it may use {}", listed(may_use));
            findings.push(Finding::new(manifest.clone(), line, message));
        }
    }
    findings
}

fn line_of(house: &House, manifest: &str, dependency: &str) -> usize {
    let names_it = |line: &str| line.strip_prefix(dependency).is_some_and(|rest| rest.starts_with(['.', ' ', '=']));
    house.text(manifest).and_then(|text| text.lines().position(names_it)).map_or(1, |place| place + 1)
}

fn listed(names: &[&str]) -> String {
    if names.is_empty() { "none of our crates".to_owned() } else { names.join(", ") }
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(name: &str, used: &str, kind: &str) -> Vec<Finding> {
        let manifest = format!("[package]\n\n[dependencies]\n{used}.workspace = true\n");
        let kind = if kind.is_empty() { Value::Null } else { kind.into() };
        let metadata = serde_json::json!({"packages": [
            {"name": name, "dependencies": [{"name": used, "kind": kind}, {"name": "serde", "kind": null}]},
            {"name": used, "dependencies": []},
        ]});
        check(&House::of(&[(&format!("crates/{name}/Cargo.toml"), &manifest)]).with_metadata(metadata))
    }

    #[test]
    fn edges_go_down_only() {
        assert_eq!(found("docet", "docet-sqlite", ""), []);
        assert_eq!(found("docet-sqlite", "docet-conformance", "dev"), []);
        let up = found("docet-sqlite", "docet", "");
        assert_eq!(
            up[0].to_string(),
            "crates/docet-sqlite/Cargo.toml:4: docet-sqlite must not use docet; it may use docet-core"
        );
        assert_eq!(found("docet-cli", "docet-core", "").len(), 1);
        assert_eq!(found("docet-sqlite", "docet-minilm", "dev").len(), 1);
        assert_eq!(found("docet-core", "docet-conformance", "dev").len(), 1);
    }

    #[test]
    fn a_new_crate_has_to_be_placed() {
        assert_eq!(found("docet-stray", "docet-core", "")[0].file, "crates/docet-stray/Cargo.toml");
    }
}
