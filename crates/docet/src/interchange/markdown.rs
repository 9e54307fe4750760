//! Lists under headings, read and written.

use std::cmp::Reverse;
use std::io::{self, Write};

use docet_core::text::count_words;

use super::lessons::{Draft, Harvest, label_of};
use super::library::Entry;
use super::outline::{self, Block};
use super::{MIN_WORDS_OF_LISTS, inline};
use crate::wire::Failure;

/// Reads the bullets of a text, or its lines where it has none.
pub(super) fn read(text: &str, harvest: &mut Harvest<'_>) -> Result<(), Failure> {
    let has_items = has_items(text);
    let mut section = None;
    outline::walk(text, |block| match block {
        Block::Heading(words) => {
            section = Some(words);
            Ok(())
        }
        // A parent that only names what its bullets are about stands at the beginning of each.
        Block::Item { text, is_parent: true, .. } if is_label(&text) => Ok(()),
        Block::Item { line, text, .. } => {
            harvest.take(line, Draft { text, section: section.clone(), ..Draft::default() })
        }
        Block::Paragraph { line, text } if !has_items => {
            harvest.take(line, Draft { text, section: section.clone(), ..Draft::default() })
        }
        Block::Paragraph { .. } => left_out(harvest, "paragraph"),
        Block::Code => left_out(harvest, "block of code"),
        Block::TableRow => left_out(harvest, "row of a table"),
        Block::FrontMatter => left_out(harvest, "front matter"),
        Block::Own => left_out(harvest, "lesson that Docet wrote here"),
    })
}

fn left_out(harvest: &mut Harvest<'_>, what: &str) -> Result<(), Failure> {
    harvest.leave_out(what);
    Ok(())
}

fn has_items(text: &str) -> bool {
    let mut found = false;
    let _: Result<(), Failure> = outline::walk(text, |block| {
        found |= matches!(block, Block::Item { .. });
        Ok(())
    });
    found
}

fn is_label(text: &str) -> bool {
    text.ends_with([':', '\u{ff1a}']) || count_words(text) < MIN_WORDS_OF_LISTS
}

/// Writes entries for people: a heading a domain, a bullet a lesson, the most trusted first.
///
/// # Errors
/// What `out` returns.
pub fn write_markdown(entries: &[Entry], out: &mut impl Write) -> io::Result<()> {
    let mut sorted: Vec<&Entry> = entries.iter().collect();
    sorted.sort_by(|one, other| one.domain.cmp(&other.domain).then_with(|| trusted_first(one, other)));
    let mut domain = None;
    for entry in sorted {
        if domain != Some(&entry.domain) {
            let gap = if domain.is_some() { "\n" } else { "" };
            writeln!(out, "{gap}## {}\n", heading(entry.domain.as_str()))?;
            domain = Some(&entry.domain);
        }
        writeln!(out, "- {}", bullet(entry.text.as_str()))?;
    }
    Ok(())
}

/// The order of retrieval's ties: higher confidence, higher usage, newer, lower id.
pub(super) fn trusted_first(one: &Entry, other: &Entry) -> std::cmp::Ordering {
    let rank = |entry: &Entry| (Reverse(entry.usage_count), Reverse(entry.epoch), entry.id);
    other.confidence.get().total_cmp(&one.confidence.get()).then_with(|| rank(one).cmp(&rank(other)))
}

fn heading(domain: &str) -> String {
    let reads_back = label_of(&inline::plain(domain)).as_deref() == Some(domain);
    if reads_back { domain.to_owned() } else { escaped(domain) }
}

/// A lesson as a bullet says it: as it stands where it is read back so and begins no comment, otherwise with escapes.
pub(super) fn bullet(text: &str) -> String {
    let is_plain = !text.contains("<!--") && !text.contains("-->") && reads_back(text);
    if is_plain { text.to_owned() } else { escaped(text) }
}

fn reads_back(text: &str) -> bool {
    let mut blocks = Vec::new();
    let _: Result<(), Failure> = outline::walk(&format!("- {text}\n"), |block| {
        blocks.push(block);
        Ok(())
    });
    let begins_a_block = text.starts_with(['#', '>', '|', '`', '~']) || outline::bullet(text).is_some();
    !begins_a_block && blocks == [Block::Item { line: 1, text: text.to_owned(), is_parent: false }]
}

/// Every character that Markdown could act on as an escape that it gives back as it was. `<` and `>` by name, so that
/// `<!-- docet:end -->` stands nowhere in it, not even behind an escape.
fn escaped(text: &str) -> String {
    let mut words = String::with_capacity(text.len() + 16);
    for character in text.chars() {
        match character {
            '<' => words.push_str("&lt;"),
            '>' => words.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '~' | '[' | ']' | '(' | ')' | '&' | '#' | '+' | '-' | '.' | '!' | '|' | '=' => {
                words.push('\\');
                words.push(character);
            }
            _ => words.push(character),
        }
    }
    words
}
