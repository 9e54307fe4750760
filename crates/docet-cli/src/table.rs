//! Tables for people: one row a line, aligned, the headings bold, long texts in the last column.

use clap::builder::styling::Style;
use comfy_table::{Table, presets};

use crate::output::clean;

/// A table with these headings; what nobody needs to see (no rows) is nothing.
pub(crate) fn table<const COLUMNS: usize>(headings: [&str; COLUMNS], rows: Vec<[String; COLUMNS]>) -> String {
    let rows = rows.into_iter().map(Vec::from).collect();
    table_of(&headings, rows)
}

/// The same where the columns are chosen at run time.
pub(crate) fn table_of(headings: &[&str], rows: Vec<Vec<String>>) -> String {
    if rows.is_empty() {
        return String::new();
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_header(headings);
    table.add_rows(rows.into_iter().map(|row| row.iter().map(|cell| clean(cell).into_owned()).collect::<Vec<_>>()));
    for column in table.column_iter_mut() {
        column.set_padding((0, 2));
    }
    let lines = table.to_string();
    let mut lines = lines.lines().map(str::trim_end);
    let bold = Style::new().bold();
    let headings = lines.next().map(|line| format!("{bold}{line}{bold:#}\n")).unwrap_or_default();
    lines.fold(headings, |page, line| page + line + "\n")
}

/// The first lines of a list that is beside the point, and how many more there are.
pub(crate) fn first_of<T>(list: &[T], line: impl Fn(&T) -> String) -> String {
    const SHOWN: usize = 20;
    let shown: String = list.iter().take(SHOWN).map(|item| line(item) + "\n").collect();
    match list.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown}  and {more} more; --json lists them all\n"),
    }
}

/// A confidence, a score, a weight.
pub(crate) fn figure(value: f64) -> String {
    format!("{value:.3}")
}

/// `1 entry`, `2 entries`.
pub(crate) fn count(number: usize, one: &str, many: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {many}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_are_aligned_and_nothing_trails() {
        let rows = vec![["1".to_owned(), "short".to_owned()], ["100".to_owned(), "a\u{1b}b".to_owned()]];
        let bold = Style::new().bold();
        let expected = format!("{bold}ID   TEXT{bold:#}\n1    short\n100  a\\u{{1b}}b\n");
        assert_eq!(table(["ID", "TEXT"], rows), expected);
        assert_eq!(table(["ID"], Vec::new()), "");
    }
}
