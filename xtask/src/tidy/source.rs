//! A Rust file, taken apart so far that a rule can look at its code, its strings or its tests alone.

/// A Rust file by lines.
#[derive(Debug)]
pub(crate) struct Source {
    pub(crate) path: String,
    pub(crate) lines: Vec<Line>,
}

/// One line of a [`Source`].
#[derive(Debug, Default)]
pub(crate) struct Line {
    /// From 1.
    pub(crate) number: usize,
    /// Without comments and without what strings contain.
    pub(crate) code: String,
    /// What its strings contain.
    pub(crate) strings: String,
    /// Code and comments, without what strings contain.
    pub(crate) spoken: String,
    /// Whether it is compiled for tests only.
    pub(crate) in_test: bool,
}

impl Source {
    /// Takes `text` apart.
    pub(crate) fn read(path: &str, text: &str) -> Self {
        let mut lines = Scanner::new(text).lines();
        mark_tests(&mut lines, is_test_file(path));
        Self { path: path.to_owned(), lines }
    }

    /// The lines that are part of the product.
    pub(crate) fn product(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter().filter(|line| !line.in_test)
    }
}

/// Files that hold nothing but tests and what tests need.
fn is_test_file(path: &str) -> bool {
    let folders = ["tests", "benches", "examples", "docet-conformance"];
    path.ends_with("/tests.rs") || path.split('/').any(|part| folders.contains(&part))
}

/// Marks each item that stands under `#[cfg(test)]`, up to its closing brace or semicolon.
fn mark_tests(lines: &mut [Line], all: bool) {
    let mut depth: Option<i32> = None;
    for line in lines {
        if depth.is_none() && line.code.contains("#[cfg(test)]") {
            depth = Some(0);
        }
        line.in_test = all || depth.is_some();
        if let Some(open) = depth {
            let code = line.code.split_once("#[cfg(test)]").map_or(line.code.as_str(), |(_, rest)| rest);
            depth = depth_after(open, code);
        }
    }
}

/// How deep the braces are after `code`; none where the item ended.
fn depth_after(mut depth: i32, code: &str) -> Option<i32> {
    for character in code.chars() {
        match character {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 && (character == '}' || character == ';') {
            return None;
        }
    }
    Some(depth)
}

#[derive(Clone, Copy, PartialEq)]
enum State {
    Code,
    LineComment,
    BlockComment(usize),
    /// A string; a raw one with its number of `#`.
    Text(Option<usize>),
}

struct Scanner {
    characters: Vec<char>,
    at: usize,
    state: State,
    line: Line,
}

impl Scanner {
    fn new(text: &str) -> Self {
        let line = Line { number: 1, ..Line::default() };
        Self { characters: text.chars().collect(), at: 0, state: State::Code, line }
    }

    fn lines(mut self) -> Vec<Line> {
        let mut lines = Vec::new();
        while self.at < self.characters.len() {
            if self.characters[self.at] == '\n' {
                self.at += 1;
                if self.state == State::LineComment {
                    self.state = State::Code;
                }
                let next = Line { number: self.line.number + 1, ..Line::default() };
                lines.push(std::mem::replace(&mut self.line, next));
            } else {
                self.step();
            }
        }
        lines.push(self.line);
        lines
    }

    fn step(&mut self) {
        match self.state {
            State::Code => self.step_in_code(),
            State::LineComment => self.speak(1),
            State::BlockComment(depth) => self.step_in_comment(depth),
            State::Text(hashes) => self.step_in_text(hashes),
        }
    }

    fn step_in_code(&mut self) {
        if self.is_next("//") {
            self.state = State::LineComment;
        } else if self.is_next("/*") {
            self.state = State::BlockComment(0);
        } else if let Some(length) = self.character_literal() {
            self.at += length;
        } else if let Some(hashes) = self.raw_string() {
            self.keep(hashes + 2);
            self.state = State::Text(Some(hashes));
        } else {
            let opens = self.is_next("\"");
            self.keep(1);
            if opens {
                self.state = State::Text(None);
            }
        }
    }

    fn step_in_comment(&mut self, depth: usize) {
        if self.is_next("/*") {
            self.state = State::BlockComment(depth + 1);
            self.speak(2);
        } else if self.is_next("*/") {
            self.state = if depth <= 1 { State::Code } else { State::BlockComment(depth - 1) };
            self.speak(2);
        } else {
            self.speak(1);
        }
    }

    fn step_in_text(&mut self, hashes: Option<usize>) {
        let end = format!("\"{}", "#".repeat(hashes.unwrap_or(0)));
        if self.is_next(&end) {
            self.keep(end.len());
            self.state = State::Code;
            return;
        }
        let escaped = hashes.is_none() && self.is_next("\\") && self.peek(1).is_some_and(|next| next != '\n');
        for _ in 0..=usize::from(escaped) {
            self.line.strings.extend(self.peek(0));
            self.at += 1;
        }
    }

    /// The length of `'x'` or `'\u{1f600}'` here; none where there is a lifetime or something else.
    fn character_literal(&self) -> Option<usize> {
        if !self.is_next("'") {
            return None;
        }
        if self.is_next("'\\") {
            let close = (3..16).find(|&offset| self.peek(offset) == Some('\''))?;
            return Some(close + 1);
        }
        (self.peek(2) == Some('\'')).then_some(3)
    }

    /// The number of `#` of a raw string that opens here.
    fn raw_string(&self) -> Option<usize> {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let before = |back: usize| self.at.checked_sub(back).map(|at| self.characters[at]);
        let prefixed = matches!(before(1), Some('b' | 'c')) && !before(2).is_some_and(is_word);
        if !self.is_next("r") || before(1).is_some_and(is_word) && !prefixed {
            return None;
        }
        let hashes = (1..).take_while(|&offset| self.peek(offset) == Some('#')).count();
        (self.peek(1 + hashes) == Some('"')).then_some(hashes)
    }

    fn is_next(&self, text: &str) -> bool {
        text.chars().enumerate().all(|(offset, character)| self.peek(offset) == Some(character))
    }

    fn peek(&self, offset: usize) -> Option<char> {
        self.characters.get(self.at + offset).copied()
    }

    /// Takes `count` characters of code.
    fn keep(&mut self, count: usize) {
        let taken = &self.characters[self.at..self.at + count];
        self.line.code.extend(taken);
        self.line.spoken.extend(taken);
        self.at += count;
    }

    /// Takes `count` characters of a comment.
    fn speak(&mut self, count: usize) {
        self.line.spoken.extend(&self.characters[self.at..self.at + count]);
        self.at += count;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Source {
        Source::read("crates/a/src/b.rs", text)
    }

    #[test]
    fn comments_and_strings_are_told_from_code() {
        let source = read("let a = \"// no \\\" comment\"; // std::fs\n/* x /* y */ z */ b('\"', 'c', &'static d)");
        assert_eq!(source.lines[0].code, "let a = \"\"; ");
        assert_eq!(source.lines[0].strings, "// no \\\" comment");
        assert_eq!(source.lines[0].spoken, "let a = \"\"; // std::fs");
        assert_eq!(source.lines[1].code, " b(, , &'static d)");
    }

    #[test]
    fn raw_strings_end_where_they_end() {
        let source = read("f(r#\"a \"quoted\" \\\"#, br\"x\\\", for_r\"\")");
        assert_eq!(source.lines[0].code, "f(r#\"\"#, br\"\", for_r\"\")");
        assert_eq!(source.lines[0].strings, "a \"quoted\" \\x\\");
    }

    #[test]
    fn strings_of_many_lines_keep_their_lines() {
        let source = read("a(\"one \\\n two\");\nb");
        assert_eq!(source.lines[1].strings, " two");
        assert_eq!((source.lines[2].code.as_str(), source.lines[2].number), ("b", 3));
    }

    #[test]
    fn tests_are_told_from_the_product() {
        let source =
            read("fn a() {}\n#[cfg(test)]\nmod tests {\n fn b() {}\n}\nfn c() {}\n#[cfg(test)]\nmod d;\nfn e() {}");
        let tested: Vec<usize> = source.lines.iter().filter(|line| line.in_test).map(|line| line.number).collect();
        assert_eq!(tested, [2, 3, 4, 5, 7, 8]);
        assert!(Source::read("crates/a/tests/main.rs", "fn a() {}").lines[0].in_test);
    }
}
