//! YAML as far as playbooks need it: one document, read event by event, without anchors and aliases, so that nothing in
//! it can unfold.

use std::cell::Cell;
use std::rc::Rc;
use std::str::Chars;

use docet_core::error::{Code, Refusal, shortened};
use saphyr_parser::{BufferedInput, Event, Parser, ScalarStyle, ScanError, Span};
use serde_json::{Map, Number, Value};

use super::{MAX_DEPTH, too_large, unreadable};
use crate::wire::Failure;

/// The most values within one field of the document or one item of its list: what is within is held as a tree.
const MAX_VALUES: usize = 1_000_000;

/// The most characters that are read for one event. The parser holds what it has read of a list in brackets until that
/// ends, at a hundred times its length.
const MAX_AHEAD: usize = 1_000_000;

/// Walks a document that is an object: calls `skip` with the name of each of its fields, but for the list `name`
/// calls `take` with the line and the value of each item.
///
/// # Errors
/// `bad_document` for what is no YAML, has anchors or aliases, nests too deep, names a field twice, or is no object; `too_large`; and the first
/// that `take` returns.
pub(super) fn each_item(
    text: &str,
    name: &str,
    mut skip: impl FnMut(&str),
    mut take: impl FnMut(usize, Value) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let mut reader = Reader::new(text);
    if !matches!(reader.begin()?, (Event::MappingStart(..), _)) {
        return Err(unreadable("the YAML document is no object"));
    }
    let mut names = Map::new();
    while let Some(field) = reader.name(&mut names)? {
        reader.values = 0;
        let (event, line) = reader.next()?;
        if field == name && matches!(event, Event::SequenceStart(..)) {
            while let Some((line, item)) = reader.item(2)? {
                take(line, item)?;
                reader.values = 0;
            }
        } else if !is_empty(&reader.value(event, line, 1)?) {
            skip(&field);
        }
    }
    reader.end()
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}

/// Characters that end once too many were read for one event.
struct Metered<'a> {
    characters: Chars<'a>,
    left: Rc<Cell<usize>>,
}

impl Iterator for Metered<'_> {
    type Item = char;

    fn next(&mut self) -> Option<char> {
        self.left.set(self.left.get().checked_sub(1)?);
        self.characters.next()
    }
}

struct Reader<'a> {
    parser: Parser<'a, BufferedInput<Metered<'a>>>,
    left: Rc<Cell<usize>>,
    line: usize,
    values: usize,
}

impl<'a> Reader<'a> {
    fn new(text: &'a str) -> Self {
        let left = Rc::new(Cell::new(MAX_AHEAD));
        let characters = Metered { characters: text.chars(), left: Rc::clone(&left) };
        Self { parser: Parser::new_from_iter(characters), left, line: 1, values: 0 }
    }

    /// The next event with the line on which it begins.
    fn next(&mut self) -> Result<(Event<'a>, usize), Failure> {
        self.left.set(MAX_AHEAD);
        let next = self.parser.next().ok_or_else(|| unreadable("the YAML document ends early"))?;
        if self.left.get() == 0 {
            let message = format!("line {}: a value of more than 1,000,000 characters; leave it out", self.line);
            return Err(too_large(message, "at most 1,000,000 characters a value"));
        }
        let (event, span): (Event<'a>, Span) = next.map_err(|error| not_yaml(&error))?;
        let line = span.start.line();
        self.line = line;
        let anchor = match &event {
            Event::Alias(_) => 1,
            Event::Scalar(_, _, anchor, _) | Event::SequenceStart(anchor, ..) | Event::MappingStart(anchor, ..) => {
                *anchor
            }
            _ => 0,
        };
        match anchor {
            0 => Ok((event, line)),
            _ => Err(unreadable(format!("line {line}: anchors and aliases are not read; write the value out"))),
        }
    }

    /// The event that begins the document's own value.
    fn begin(&mut self) -> Result<(Event<'a>, usize), Failure> {
        loop {
            let next = self.next()?;
            if !matches!(next.0, Event::Nothing | Event::StreamStart | Event::DocumentStart(_)) {
                return Ok(next);
            }
        }
    }

    fn end(&mut self) -> Result<(), Failure> {
        loop {
            match self.next()? {
                (Event::StreamEnd, _) => return Ok(()),
                (Event::DocumentStart(_), line) => {
                    return Err(unreadable(format!("line {line}: a second document; import each by itself")));
                }
                _ => {}
            }
        }
    }

    /// The name of an object's next field, remembered in `names`; none at the object's end.
    fn name(&mut self, names: &mut Map<String, Value>) -> Result<Option<String>, Failure> {
        match self.next()? {
            (Event::MappingEnd, _) => Ok(None),
            (Event::Scalar(name, ..), line) => {
                self.count()?;
                if names.insert(name.to_string(), Value::Null).is_some() {
                    let name = shortened(&name);
                    return Err(unreadable(format!(
                        "line {line}: the field \"{name}\" stands twice; keep one of them"
                    )));
                }
                Ok(Some(name.into_owned()))
            }
            (_, line) => Err(unreadable(format!("line {line}: a field's name is no text"))),
        }
    }

    /// A list's next item with its line; none at the list's end.
    fn item(&mut self, depth: usize) -> Result<Option<(usize, Value)>, Failure> {
        match self.next()? {
            (Event::SequenceEnd, _) => Ok(None),
            (event, line) => Ok(Some((line, self.value(event, line, depth)?))),
        }
    }

    /// The value that `event` begins.
    fn value(&mut self, event: Event<'a>, line: usize, depth: usize) -> Result<Value, Failure> {
        self.count()?;
        if depth >= MAX_DEPTH {
            let message =
                format!("line {line}: nested more than {MAX_DEPTH} deep; keep the lessons and leave out the rest");
            return Err(unreadable(message));
        }
        match event {
            Event::Scalar(text, ScalarStyle::Plain, _, None) => Ok(resolved(&text)),
            Event::Scalar(text, ..) => Ok(Value::String(text.into_owned())),
            Event::SequenceStart(..) => {
                let mut items = Vec::new();
                while let Some((_, item)) = self.item(depth + 1)? {
                    items.push(item);
                }
                Ok(Value::Array(items))
            }
            Event::MappingStart(..) => {
                let mut fields = Map::new();
                while let Some(name) = self.name(&mut fields)? {
                    let (event, line) = self.next()?;
                    let value = self.value(event, line, depth + 1)?;
                    fields.insert(name, value);
                }
                Ok(Value::Object(fields))
            }
            _ => Err(unreadable(format!("line {line}: a value is missing"))),
        }
    }

    fn count(&mut self) -> Result<(), Failure> {
        self.values += 1;
        if self.values <= MAX_VALUES {
            return Ok(());
        }
        Err(too_large(
            "a part of the YAML document holds more than 1,000,000 values; leave it out",
            "at most 1,000,000",
        ))
    }
}

/// What a scalar without quotes is: YAML's core schema.
fn resolved(text: &str) -> Value {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => Value::Null,
        "true" | "True" | "TRUE" => Value::Bool(true),
        "false" | "False" | "FALSE" => Value::Bool(false),
        _ => number(text).map_or_else(|| Value::String(text.to_owned()), Value::Number),
    }
}

fn number(text: &str) -> Option<Number> {
    let begins = text.strip_prefix(['-', '+']).unwrap_or(text).starts_with(|c: char| c.is_ascii_digit() || c == '.');
    if !begins {
        return None;
    }
    let whole = text.parse::<u64>().map(Number::from).or_else(|_| text.parse::<i64>().map(Number::from));
    whole.ok().or_else(|| Number::from_f64(text.parse().ok()?))
}

fn not_yaml(error: &ScanError) -> Failure {
    let (line, column) = (error.marker().line(), error.marker().col() + 1);
    let message = format!("not YAML at line {line} column {column}: {}; mend it there", error.info());
    Refusal::new(Code::BadDocument, message).into()
}
