//! Plain text: one lesson a line.

use super::lessons::{Draft, Harvest};
use super::lines;
use crate::wire::Failure;

/// Reads every line that is not blank.
pub(super) fn read(text: &str, harvest: &mut Harvest<'_>) -> Result<(), Failure> {
    let mut lines = lines(text).filter(|(_, line)| !line.trim().is_empty());
    lines
        .try_for_each(|(number, line)| harvest.take(number, Draft { text: line.trim().to_owned(), ..Draft::default() }))
}
