//! A file that outgrows this is usually two ideas in one room.

use super::Finding;
use super::house::House;

const LONGEST: usize = 500;

/// Files that may be longer, with the reason.
const MAY_BE_LONGER: [(&str, &str); 0] = [];

/// Counts the lines of each Rust file that are not tests.
pub(crate) fn check(house: &House) -> Vec<Finding> {
    let mut findings = Vec::new();
    for source in &house.rust {
        let lines = source.product().count();
        if lines > LONGEST && !MAY_BE_LONGER.iter().any(|(path, _)| *path == source.path) {
            let message =
                format!("{lines} lines without tests, {LONGEST} are plenty; give the second idea its own file");
            findings.push(Finding::new(&source.path, LONGEST, message));
        }
    }
    findings
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_do_not_count() {
        let long = "fn a() {}\n".repeat(LONGEST + 1);
        assert_eq!(check(&House::of(&[("crates/a/src/b.rs", &long)])).len(), 1);
        assert_eq!(check(&House::of(&[("crates/a/tests/b.rs", &long)])), []);
    }
}
