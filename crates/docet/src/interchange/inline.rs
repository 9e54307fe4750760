//! What stands within a line of Markdown: emphasis and links go, words and code stay.

use std::borrow::Cow;
use std::collections::HashMap;

/// The longest text that is looked into, in bytes. No lesson is that long, so a longer one is refused as it stands.
const LONGEST: usize = 16 << 10;

/// How many marks of emphasis can be open at once.
const MAX_OPEN: usize = 16;

/// The words of a line: without emphasis, with a link's words for the link, with code as it stands between its backticks.
pub(super) fn plain(text: &str) -> String {
    if text.len() > LONGEST || !text.contains(['\\', '`', '[', '<', '*', '_', '~', '&']) {
        return text.trim().to_owned();
    }
    let code = code_spans(text);
    let brackets = brackets(text, &code);
    let words = String::with_capacity(text.len());
    let mut reader = Reader { text, code, brackets, at: 0, words, open: Vec::new(), links: Vec::new() };
    while reader.at < text.len() {
        reader.step();
    }
    reader.words.trim().to_owned()
}

/// `line` without its comments; `in_comment` says whether one is open, before and after.
pub(super) fn without_comments<'a>(line: &'a str, in_comment: &mut bool) -> Cow<'a, str> {
    if !*in_comment && !line.contains("<!--") {
        return Cow::Borrowed(line);
    }
    let code = if line.len() > LONGEST { HashMap::new() } else { code_spans(line) };
    let mut kept = String::new();
    let mut at = 0;
    loop {
        if *in_comment {
            let Some(end) = line[at..].find("-->") else { return Cow::Owned(kept) };
            at += end + 3;
            *in_comment = false;
        }
        let Some(begin) = line[at..].find(['<', '`']) else { break };
        kept.push_str(&line[at..at + begin]);
        at += begin;
        let rest = &line[at..];
        if rest.starts_with("<!--") {
            at += 4;
            *in_comment = true;
        } else {
            let passed = code.get(&at).map_or(run_of(rest).max(1), |end| end - at);
            kept.push_str(&rest[..passed]);
            at += passed;
        }
    }
    kept.push_str(&line[at..]);
    Cow::Owned(kept)
}

/// How many backticks `text` begins with.
fn run_of(text: &str) -> usize {
    text.len() - text.trim_start_matches('`').len()
}

/// Where code ends, by where its run of backticks begins: at the next run of the same length.
fn code_spans(text: &str) -> HashMap<usize, usize> {
    let mut ends = HashMap::new();
    let mut last_of = HashMap::new();
    let mut at = 0;
    while let Some(found) = text[at..].find('`') {
        at += found;
        let run = run_of(&text[at..]);
        if let Some(begin) = last_of.insert(run, at) {
            ends.insert(begin, at + run);
        }
        at += run;
    }
    ends
}

/// Where each bracket is closed, by where it is opened.
fn brackets(text: &str, code: &HashMap<usize, usize>) -> HashMap<usize, usize> {
    let mut closed = HashMap::new();
    let (mut square, mut round) = (Vec::new(), Vec::new());
    let mut passed = 0;
    for (at, character) in text.char_indices() {
        if at < passed {
            continue;
        }
        let opened = match character {
            '\\' => {
                passed = at + 2;
                None
            }
            '`' => {
                passed = code.get(&at).copied().unwrap_or(at + run_of(&text[at..]));
                None
            }
            '[' => {
                square.push(at);
                None
            }
            '(' => {
                round.push(at);
                None
            }
            ']' => square.pop(),
            ')' => round.pop(),
            _ => None,
        };
        closed.extend(opened.map(|opened| (opened, at)));
    }
    closed
}

struct Reader<'a> {
    text: &'a str,
    code: HashMap<usize, usize>,
    brackets: HashMap<usize, usize>,
    at: usize,
    words: String,
    open: Vec<Mark>,
    /// Where the words of links that were entered end, and where their addresses do.
    links: Vec<(usize, usize)>,
}

/// A mark of emphasis that may find its partner.
struct Mark {
    mark: char,
    length: usize,
    /// Where it stands in the words.
    place: usize,
}

impl Reader<'_> {
    fn step(&mut self) {
        if let Some((_, end)) = self.links.pop_if(|(end_of_words, _)| *end_of_words == self.at) {
            self.at = end;
            return;
        }
        let rest = &self.text[self.at..];
        let Some(first) = rest.chars().next() else { return };
        match first {
            '\\' if rest[1..].starts_with(|next: char| next.is_ascii_punctuation()) => self.keep(&rest[1..2], 2),
            '`' => {
                let passed = self.code.get(&self.at).map_or(run_of(rest), |end| end - self.at);
                self.keep(&rest[..passed], passed);
            }
            '!' if self.link(self.at + 1).is_some() => self.at += 1,
            '[' => match self.link(self.at) {
                Some(ends) => {
                    self.links.push(ends);
                    self.at += 1;
                }
                None => self.keep("[", 1),
            },
            '<' => match address(rest) {
                Some(address) => self.keep(address, address.len() + 2),
                None => self.keep("<", 1),
            },
            '&' => match [("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&")].iter().find(|(name, _)| rest.starts_with(name))
            {
                Some((name, character)) => self.keep(character, name.len()),
                None => self.keep("&", 1),
            },
            '*' | '_' | '~' => self.mark(first, rest.len() - rest.trim_start_matches(first).len()),
            _ => self.keep(&rest[..first.len_utf8()], first.len_utf8()),
        }
    }

    /// Of the `[words](address)` that begins at `at` where the words end and where the whole does.
    fn link(&self, at: usize) -> Option<(usize, usize)> {
        let words = *self.brackets.get(&at).filter(|_| self.text[at..].starts_with('['))?;
        let address = self.brackets.get(&(words + 1)).filter(|_| self.text[words + 1..].starts_with('('))?;
        Some((words, address + 1))
    }

    fn keep(&mut self, words: &str, passed: usize) {
        self.words.push_str(words);
        self.at += passed;
    }

    /// A run of marks: it closes the nearest open one like it, or opens, or is a word like any other. Within a word it is always
    /// that: `snake_case` and `src/*.rs` are common, emphasis of half a word is not.
    fn mark(&mut self, mark: char, length: usize) {
        let before = self.text[..self.at].chars().next_back();
        let after = self.text[self.at + length..].chars().next();
        let is_emphasis = if mark == '~' { length == 2 } else { length <= 3 };
        let is_outside = |c: Option<char>, beside: &str| c.is_none_or(|c| c.is_whitespace() || beside.contains(c));
        let closes =
            is_emphasis && !before.is_none_or(char::is_whitespace) && is_outside(after, ".,;:!?)]}\"'*_~\u{2026}");
        let opens = is_emphasis && !after.is_none_or(char::is_whitespace) && is_outside(before, "([{\"'*_~");
        let partner = self.open.iter().rposition(|open| closes && open.mark == mark && open.length == length);
        if let Some(partner) = partner {
            let Mark { place, .. } = self.open[partner];
            self.open.truncate(partner);
            self.words.replace_range(place..place + length, "");
            self.at += length;
            return;
        }
        if opens && self.open.len() < MAX_OPEN {
            self.open.push(Mark { mark, length, place: self.words.len() });
        }
        let run = &self.text[self.at..self.at + length];
        self.words.push_str(run);
        self.at += length;
    }
}

/// The address in `<https://example.org>`.
fn address(text: &str) -> Option<&str> {
    let inner = &text[1..];
    let is_address = ["http://", "https://", "mailto:"].iter().any(|scheme| inner.starts_with(scheme));
    let end = inner.find(['>', '<', ' '])?;
    (is_address && inner[end..].starts_with('>')).then(|| &inner[..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_code_stay() {
        let table = [
            ("**Name** things *once* and __well__.", "Name things once and well."),
            ("**bold _and_ more**, ***both***, ~~gone~~", "bold and more, both, gone"),
            ("Prefer `a_b * c` over snake_case_names", "Prefer `a_b * c` over snake_case_names"),
            ("Keep src/*.rs and **/*.ts, 2 * 3 * 4", "Keep src/*.rs and **/*.ts, 2 * 3 * 4"),
            ("Read [the *guide*](docs/a_(b).md) first", "Read the guide first"),
            ("![a logo](logo.png) of [it] (no link)", "a logo of [it] (no link)"),
            ("See <https://example.org/a_b>, a < b", "See https://example.org/a_b, a < b"),
            (r"Write \*args and \<b\> as \`code\`", "Write *args and <b> as `code`"),
            ("``a ` b`` and ` alone", "``a ` b`` and ` alone"),
            ("a &lt;!-- b --&gt; &amp;lt; &copy;", "a <!-- b --> &lt; &copy;"),
            ("*", "*"),
            ("\\", "\\"),
            ("[a](", "[a]("),
        ];
        for (text, words) in table {
            assert_eq!(plain(text), words, "{text}");
        }
    }

    #[test]
    fn comments_go_and_code_that_shows_one_stays() {
        let mut in_comment = false;
        let table = [
            ("a <!-- b --> c <!-- d", "a  c ", true),
            ("e --> f", " f", false),
            ("`<!--` opens, ` <!-- g --> one", "`<!--` opens, `  one", false),
            ("<b> `` <!-- h", "<b> `` ", true),
            ("i", "", true),
        ];
        for (line, kept, still) in table {
            assert_eq!((without_comments(line, &mut in_comment), in_comment), (Cow::Borrowed(kept), still), "{line}");
        }
    }

    #[test]
    fn a_long_line_takes_no_longer_than_its_length() {
        for unit in ["[", "`", "*a", "<", "[a](", "\\", "**a** ", "*a ", "&", "<!--", "![", "`` ` "] {
            let line = unit.repeat(LONGEST / unit.len());
            assert!(plain(&line).len() <= line.len());
            let long = line.repeat(1_000);
            assert!(without_comments(&long, &mut false).len() <= long.len());
        }
    }
}
