//! Every relative link of a Markdown file leads to a file, and to a heading where it names one.

use super::Finding;
use super::house::{House, TextFile};

/// Follows the links.
pub(crate) fn check(house: &House) -> Vec<Finding> {
    house.texts.iter().filter(|file| file.path.ends_with(".md")).flat_map(|file| check_file(house, file)).collect()
}

fn check_file(house: &House, file: &TextFile) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (number, line) in prose(&file.text) {
        for target in targets(line).filter(|target| !target.contains("://") && !target.starts_with("mailto:")) {
            let (path, heading) = target.split_once('#').unwrap_or((target, ""));
            let path = if path.is_empty() { Some(file.path.clone()) } else { resolved(&file.path, path) };
            let Some(path) = path.filter(|path| path.is_empty() || house.has(path)) else {
                findings.push(Finding::new(&file.path, number, format!("the link {target} leads nowhere; mend it")));
                continue;
            };
            let headed = house.text(&path).is_none_or(|text| has_heading(text, heading));
            if !heading.is_empty() && path.ends_with(".md") && !headed {
                findings.push(Finding::new(
                    &file.path,
                    number,
                    format!("{path} has no heading #{heading}; mend the link"),
                ));
            }
        }
    }
    findings
}

/// The lines outside of fenced blocks, numbered from 1.
fn prose(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut fenced = false;
    text.lines().enumerate().filter_map(move |(index, line)| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        (!fenced && !fence).then_some((index + 1, line))
    })
}

/// `b` of `[a](b)` and `[a](b "title")`.
fn targets(line: &str) -> impl Iterator<Item = &str> {
    let links = line.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    links.filter_map(|link| link.split_whitespace().next())
}

/// `path` as seen from the folder of `file`; none where it leaves the workspace.
fn resolved(file: &str, path: &str) -> Option<String> {
    let mut parts: Vec<&str> = file.split('/').collect();
    parts.pop();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(parts.pop()?),
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

fn has_heading(text: &str, slug: &str) -> bool {
    prose(text).any(|(_, line)| line.starts_with('#') && slug_of(line.trim_start_matches('#')) == slug)
}

/// The anchor of a heading: lower case, no punctuation, hyphens for spaces.
fn slug_of(heading: &str) -> String {
    let kept = heading.trim().chars().filter(|c| c.is_alphanumeric() || " -_".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect::<String>().to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_lead_somewhere() {
        let house = House::of(&[
            (
                "README.md",
                "[a](docs/a.md) [b](docs/a.md#two-words) [c](https://x.y/z) [d](#top)\n# Top\n```\n[e](f)\n```",
            ),
            ("docs/a.md", "## Two `words`\n[up](../README.md) [gone](b.md) [no](../README.md#bottom) [out](../../x)"),
        ]);
        let findings: Vec<String> = check(&house).iter().map(Finding::to_string).collect();
        assert_eq!(findings.len(), 3, "{findings:?}");
        assert!(findings.iter().all(|finding| finding.starts_with("docs/a.md:2: ")), "{findings:?}");
    }
}
