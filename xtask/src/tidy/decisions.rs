//! Decisions are dated and numbered: docs/decisions/0001-house.md, its date near the top.

use std::collections::BTreeMap;

use super::Finding;
use super::house::House;

/// Lines within which the date has to stand.
const TOP: usize = 6;

/// Reads docs/decisions.
pub(crate) fn check(house: &House) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut taken: BTreeMap<&str, &str> = BTreeMap::new();
    for file in &house.texts {
        let Some(name) = file.path.strip_prefix("docs/decisions/").filter(|name| is_decision(name)) else { continue };
        if !file.text.lines().take(TOP).any(has_date) {
            findings.push(Finding::new(
                &file.path,
                1,
                "undated; say near the top when this was decided, as 2026-12-01",
            ));
        }
        let number = name.split('-').next().unwrap_or_default();
        if number.len() != 4 || !number.bytes().all(|byte| byte.is_ascii_digit()) {
            findings.push(Finding::new(&file.path, 1, "unnumbered; name it like 0001-house.md"));
        } else if let Some(other) = taken.insert(number, name) {
            findings.push(Finding::new(&file.path, 1, format!("{other} has the same number; take the next free one")));
        }
    }
    findings
}

fn is_decision(name: &str) -> bool {
    name.ends_with(".md") && !name.contains('/')
}

/// Whether a line holds a day, as 2026-12-01.
fn has_date(line: &str) -> bool {
    let is_date = |bytes: &[u8]| {
        bytes
            .iter()
            .enumerate()
            .all(|(place, byte)| if place == 4 || place == 7 { *byte == b'-' } else { byte.is_ascii_digit() })
    };
    line.as_bytes().windows(10).any(is_date)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decisions_have_a_day_and_a_number() {
        let house = House::of(&[
            ("docs/decisions/0001-house.md", "# House\n\nDate: 2026-12-01\n"),
            ("docs/decisions/0001-other.md", "# Other\n\n2026-12-02\n"),
            ("docs/decisions/0002-bare.md", "# Bare\n"),
            ("docs/decisions/plan.md", "2026-12-01\n"),
            ("docs/decisions/0002-bare/table.md", "figures\n"),
        ]);
        let files: Vec<String> = check(&house).into_iter().map(|finding| finding.file).collect();
        assert_eq!(files, ["docs/decisions/0001-other.md", "docs/decisions/0002-bare.md", "docs/decisions/plan.md"]);
    }
}
