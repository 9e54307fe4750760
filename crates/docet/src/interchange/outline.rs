//! The outline of a Markdown text: headings, bullets with the bullets they stand under, and what is neither.

use docet_core::text::MAX_CHARACTERS;

use super::{MAX_DEPTH, inline, lines, splice};
use crate::wire::Failure;

/// One part of an outline, in the order of the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Block {
    /// A heading's words.
    Heading(String),
    /// A bullet. Its text begins with those of the bullets above it; `is_parent` says that others stand under it.
    Item { line: usize, text: String, is_parent: bool },
    /// A line that belongs to no list.
    Paragraph { line: usize, text: String },
    /// A fenced block of code.
    Code,
    /// A row of a table.
    TableRow,
    /// What stands between two `---` at the beginning.
    FrontMatter,
    /// A bullet between Docet's own markers.
    Own,
}

/// Calls `take` with each block.
///
/// # Errors
/// The first that `take` returns.
pub(super) fn walk(text: &str, take: impl FnMut(Block) -> Result<(), Failure>) -> Result<(), Failure> {
    let mut outline = Outline { take, open: Vec::new(), paragraph: None, fence: None, in_comment: false, gap: false };
    let after_front_matter = front_matter(text);
    if after_front_matter > 0 {
        (outline.take)(Block::FrontMatter)?;
    }
    let own = splice::own_lines(text);
    for (number, line) in lines(text).skip(after_front_matter) {
        if own.contains(&number) {
            outline.own(line)?;
        } else {
            outline.line(number, line)?;
        }
    }
    outline.close(0)?;
    outline.end_paragraph()
}

/// Whether a text has a bullet or a heading.
pub(super) fn is_list(text: &str) -> bool {
    let mut found = false;
    let _: Result<(), Failure> = walk(text, |block| {
        found |= matches!(block, Block::Heading(_) | Block::Item { .. } | Block::Own);
        Ok(())
    });
    found
}

/// How many lines the front matter has; none where it does not end.
fn front_matter(text: &str) -> usize {
    let mut lines = lines(text);
    if lines.next().is_none_or(|(_, line)| line.trim_end() != "---") {
        return 0;
    }
    lines.find(|(_, line)| matches!(line.trim_end(), "---" | "...")).map_or(0, |(number, _)| number)
}

struct Outline<F> {
    take: F,
    /// The bullets that the next line can belong to, the outermost first.
    open: Vec<Open>,
    /// A line that may turn out to be a heading.
    paragraph: Option<(usize, String)>,
    /// The run of characters that ends a block of code.
    fence: Option<String>,
    in_comment: bool,
    /// Whether the line before ended what can be continued without indentation.
    gap: bool,
}

struct Open {
    indent: usize,
    line: usize,
    text: String,
    is_given: bool,
}

impl<F: FnMut(Block) -> Result<(), Failure>> Outline<F> {
    fn line(&mut self, number: usize, line: &str) -> Result<(), Failure> {
        if self.ends_fence(line) {
            return Ok(());
        }
        let line = inline::without_comments(line, &mut self.in_comment);
        let (indent, content) = indented(&line);
        if content.is_empty() {
            self.gap = true;
            return self.end_paragraph();
        }
        if let Some(fence) = fence(content) {
            self.fence = Some(fence.to_owned());
            self.gap = true;
            self.end_paragraph()?;
            return (self.take)(Block::Code);
        }
        if let Some(words) = heading(indent, content) {
            self.end_paragraph()?;
            self.close(0)?;
            return (self.take)(Block::Heading(inline::plain(words)));
        }
        if is_underline(content) {
            return self.underline();
        }
        if content.starts_with('|') {
            self.end_paragraph()?;
            return (self.take)(Block::TableRow);
        }
        match bullet(content) {
            Some(words) => self.begin_item(number, indent, words),
            None => self.go_on(number, indent, content),
        }
    }

    /// What Docet wrote here comes from its library; read as notes, it would come back under another domain.
    fn own(&mut self, line: &str) -> Result<(), Failure> {
        self.gap = true;
        self.end_paragraph()?;
        if bullet(line.trim()).is_some() { (self.take)(Block::Own) } else { Ok(()) }
    }

    /// Whether `line` belongs to a block of code.
    fn ends_fence(&mut self, line: &str) -> bool {
        let Some(fence) = &self.fence else { return false };
        let content = line.trim();
        if content.starts_with(fence.as_str()) && content.trim_start_matches(&fence[..1]).is_empty() {
            self.fence = None;
        }
        true
    }

    /// A line of dashes or equals signs: what stands above it is a heading; where nothing does, it is a rule.
    fn underline(&mut self) -> Result<(), Failure> {
        self.gap = true;
        match self.paragraph.take() {
            Some((_, words)) => {
                self.close(0)?;
                (self.take)(Block::Heading(inline::plain(&words)))
            }
            None => self.close(0),
        }
    }

    fn begin_item(&mut self, line: usize, indent: usize, words: &str) -> Result<(), Failure> {
        self.end_paragraph()?;
        let outer = self.open.iter().take(MAX_DEPTH).take_while(|open| open.indent + 2 <= indent).count();
        self.close(outer)?;
        self.give(true)?;
        self.open.push(Open { indent, line, text: words.to_owned(), is_given: false });
        self.gap = false;
        Ok(())
    }

    /// A line that begins nothing: more of the bullet above it, or a paragraph.
    fn go_on(&mut self, line: usize, indent: usize, content: &str) -> Result<(), Failure> {
        if self.gap && indent < 2 {
            self.close(0)?;
        }
        if let Some(open) = self.open.last_mut().filter(|open| !open.is_given) {
            open.text.push(' ');
            open.text.push_str(content);
            self.gap = false;
            return Ok(());
        }
        self.end_paragraph()?;
        self.gap = false;
        self.paragraph = Some((line, content.to_owned()));
        Ok(())
    }

    fn end_paragraph(&mut self) -> Result<(), Failure> {
        match self.paragraph.take() {
            Some((line, words)) => (self.take)(Block::Paragraph { line, text: inline::plain(&words) }),
            None => Ok(()),
        }
    }

    /// Closes the open bullets but the first `kept`.
    fn close(&mut self, kept: usize) -> Result<(), Failure> {
        if self.open.len() > kept {
            self.give(false)?;
        }
        self.open.truncate(kept);
        Ok(())
    }

    /// Hands over the innermost bullet, once: when another begins under it, or when it ends.
    fn give(&mut self, is_parent: bool) -> Result<(), Failure> {
        let Some((last, above)) = self.open.split_last_mut() else { return Ok(()) };
        if last.is_given {
            return Ok(());
        }
        last.is_given = true;
        last.text = inline::plain(&last.text);
        let text = joined(above, &last.text);
        if text.is_empty() {
            return Ok(());
        }
        (self.take)(Block::Item { line: last.line, text, is_parent })
    }
}

/// A bullet after those above it. Those are cut where they are longer than a lesson can be: the whole is refused then anyway,
/// and a text that each of many bullets repeats must not fill the memory.
fn joined(above: &[Open], text: &str) -> String {
    let mut whole = String::new();
    for open in above {
        let words = open.text.trim_end_matches([':', '.', ',', ';', '\u{ff1a}', ' ']);
        if !words.is_empty() && whole.len() < MAX_CHARACTERS {
            whole.extend(words.chars().take(MAX_CHARACTERS));
            whole.push_str(": ");
        }
    }
    whole.push_str(text);
    whole
}

/// How far a line is indented, a tab reaching to the next fourth column, and what it says.
fn indented(line: &str) -> (usize, &str) {
    let mut indent = 0;
    for character in line.chars() {
        match character {
            '\t' => indent += 4 - indent % 4,
            ' ' => indent += 1,
            _ => break,
        }
    }
    (indent, line.trim())
}

/// The run of backticks or tildes that opens a block of code.
fn fence(content: &str) -> Option<&str> {
    let mark = content.chars().next().filter(|first| matches!(first, '`' | '~'))?;
    let length = content.len() - content.trim_start_matches(mark).len();
    let is_inline = mark == '`' && content[length..].contains('`');
    (length >= 3 && !is_inline).then(|| &content[..length])
}

/// The words of `# Heading`.
fn heading(indent: usize, content: &str) -> Option<&str> {
    let words = content.trim_start_matches('#');
    let level = content.len() - words.len();
    let is_heading = indent < 4 && (1..=6).contains(&level) && (words.is_empty() || words.starts_with([' ', '\t']));
    is_heading.then(|| words.trim_end().trim_end_matches('#').trim())
}

/// A line that only underlines, or that rules off.
fn is_underline(content: &str) -> bool {
    let marks = |mark: char| {
        content.starts_with(mark) && content.chars().all(|c| c == mark || c == ' ') && content.matches(mark).count() > 1
    };
    content.chars().all(|c| c == '=') || (marks('-') || marks('*') || marks('_')) && content.len() > 2
}

/// What a bullet says: `-`, `*`, `+`, `•` or a number, then a space; a box to tick is no part of it.
pub(super) fn bullet(content: &str) -> Option<&str> {
    let digits = content.bytes().take_while(u8::is_ascii_digit).count();
    let rest = if (1..=9).contains(&digits) {
        content[digits..].strip_prefix(['.', ')'])?
    } else {
        content.strip_prefix(['-', '*', '+', '\u{2022}'])?
    };
    let words = if rest.is_empty() { rest } else { rest.strip_prefix([' ', '\t'])?.trim_start() };
    let unticked = ["[ ] ", "[x] ", "[X] "].iter().find_map(|tick| words.strip_prefix(tick));
    Some(unticked.unwrap_or(words).trim())
}
