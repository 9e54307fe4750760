//! How many tests passed, failed and were skipped, read off the closing lines of their runners.

use std::fmt;
use std::ops::AddAssign;

/// Tests by their outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Count {
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) skipped: usize,
}

impl Count {
    /// The closing line of nextest: `Summary [ 1.0s] 5 tests run: 4 passed (1 slow), 1 failed, 2 skipped`. Failed tests
    /// are shown with what they printed, libtest's closing line included, which must not count again.
    pub(crate) fn of_nextest(line: &str) -> Option<Self> {
        let figures = line.trim_start().strip_prefix("Summary [")?;
        let failed = ["failed", "timed out", "exec failed"].map(|outcome| number_before(figures, outcome));
        Some(Self {
            passed: number_before(figures, "passed"),
            failed: failed.iter().sum(),
            skipped: number_before(figures, "skipped"),
        })
    }

    /// The closing line of libtest: `test result: ok. 4 passed; 0 failed; 1 ignored; …`.
    pub(crate) fn of_libtest(line: &str) -> Option<Self> {
        let figures = line.strip_prefix("test result: ")?;
        Some(Self {
            passed: number_before(figures, "passed"),
            failed: number_before(figures, "failed"),
            skipped: number_before(figures, "ignored"),
        })
    }

    /// What Python's unittest prints at the end: `Ran 34 tests in 0.5s`, then `OK (skipped=2)` or
    /// `FAILED (failures=1, errors=1)`.
    pub(crate) fn of_unittest(lines: &[String]) -> Self {
        let ran = lines.iter().rev().find_map(|line| line.strip_prefix("Ran "));
        let ran = ran.map_or(0, |rest| number_at_start(rest).unwrap_or(0));
        let closing = lines.iter().rev().find(|line| line.starts_with("OK") || line.starts_with("FAILED"));
        let of = |kind: &str| closing.map_or(0, |line| number_after(line, kind));
        let (failed, skipped) = (of("failures=") + of("errors="), of("skipped="));
        Self { passed: ran.saturating_sub(failed + skipped), failed, skipped }
    }

    /// Counts `tests` that passed without having tested anything as skipped.
    pub(crate) fn skip(&mut self, tests: usize) {
        let tests = tests.min(self.passed);
        self.passed -= tests;
        self.skipped += tests;
    }
}

impl AddAssign for Count {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

impl fmt::Display for Count {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

/// `12` of `… 12 passed …`; 0 where nothing is said of it.
fn number_before(line: &str, word: &str) -> usize {
    let mut parts = line.split([',', ';', ':', '.']).map(str::trim);
    let rest = parts.find_map(|part| {
        let (number, rest) = part.split_once(' ')?;
        rest.starts_with(word).then(|| number.parse().ok()).flatten()
    });
    rest.unwrap_or(0)
}

fn number_after(line: &str, word: &str) -> usize {
    line.split_once(word).and_then(|(_, rest)| number_at_start(rest)).unwrap_or(0)
}

fn number_at_start(text: &str) -> Option<usize> {
    text.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines_of_nextest() {
        let line = "     Summary [   1.010s] 5 tests run: 4 passed (1 slow), 1 failed, 2 skipped";
        assert_eq!(Count::of_nextest(line), Some(Count { passed: 4, failed: 1, skipped: 2 }));
        let line = "     Summary [   0.004s] 13/20 tests run: 11 passed, 1 failed, 1 timed out, 0 skipped";
        assert_eq!(Count::of_nextest(line), Some(Count { passed: 11, failed: 2, skipped: 0 }));
        assert_eq!(Count::of_nextest("        PASS [   0.003s] docet-core text::tests::words"), None);
    }

    #[test]
    fn closing_lines_of_libtest() {
        let line = "test result: ok. 5 passed; 0 failed; 1 ignored; 0 measured; 7 filtered out; finished in 0.04s";
        assert_eq!(Count::of_libtest(line), Some(Count { passed: 5, failed: 0, skipped: 1 }));
        let line = "test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s";
        assert_eq!(Count::of_libtest(line), Some(Count { passed: 3, failed: 2, skipped: 0 }));
    }

    #[test]
    fn closing_lines_of_unittest() {
        let lines = |text: &str| text.lines().map(str::to_owned).collect::<Vec<_>>();
        let good = lines("..s\nRan 34 tests in 0.532s\n\nOK (skipped=2)");
        assert_eq!(Count::of_unittest(&good), Count { passed: 32, failed: 0, skipped: 2 });
        let bad = lines("Ran 3 tests in 0.1s\n\nFAILED (failures=1, errors=1)");
        assert_eq!(Count::of_unittest(&bad), Count { passed: 1, failed: 2, skipped: 0 });
    }

    #[test]
    fn the_sum_is_the_plain_closing_line() {
        let mut total = Count { passed: 3, failed: 0, skipped: 1 };
        total += Count { passed: 2, failed: 1, skipped: 0 };
        total.skip(2);
        assert_eq!(total.to_string(), "3 passed, 1 failed, 3 skipped");
    }
}
