//! Strict JSON: an object names each field once, nothing nests deeper than a bound, and a document of many records is
//! walked one record at a time.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use docet_core::error::{Code, Refusal, shortened};
use serde::de::{DeserializeSeed, Error, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::Value;
use serde_json::error::Category;
use serde_json::value::RawValue;

use super::{MAX_DEPTH, MAX_LESSONS};
use crate::wire::Failure;

/// The largest record that is taken apart, in bytes. What is within one is held in memory as a tree.
const MAX_RECORD: usize = 1 << 20;

/// A part of a document, not taken apart yet.
#[derive(Clone, Copy, Debug)]
pub(super) struct Part<'a> {
    document: &'a str,
    text: &'a str,
}

/// A field of an object.
pub(super) type Member<'a> = (Cow<'a, str>, Part<'a>);

/// Checks a document whole.
///
/// # Errors
/// `bad_json` with line and column; `bad_document` for a field that an object names twice, for nesting too deep, and for an
/// object of more fields than any library has room for.
pub(super) fn document(text: &str) -> Result<Part<'_>, Refusal> {
    check(text)?;
    Ok(Part { document: text, text: text.trim_matches([' ', '\t', '\r', '\n']) })
}

/// Reads one record.
///
/// # Errors
/// As [`document`], and `too_large` where it is over 1 MiB.
pub(super) fn value(text: &str) -> Result<Value, Refusal> {
    if text.len() > MAX_RECORD {
        let message = "the record is over 1 MiB; keep its lesson and leave out the rest";
        return Err(Refusal::new(Code::TooLarge, message).allowed("at most 1 MiB a record"));
    }
    check(text)?;
    serde_json::from_str(text).map_err(|cause| refusal(&cause, text.contains('\n')))
}

impl<'a> Part<'a> {
    /// The part as it stands in the document.
    pub(super) fn text(self) -> &'a str {
        self.text
    }

    /// Whether it is an object.
    pub(super) fn is_object(self) -> bool {
        self.text.starts_with('{')
    }

    /// Whether it is a list.
    pub(super) fn is_list(self) -> bool {
        self.text.starts_with('[')
    }

    /// The record that it is.
    pub(super) fn value(self) -> Result<Value, Refusal> {
        value(self.text)
    }

    /// How many bytes stand before it in its document.
    pub(super) fn offset(self) -> usize {
        self.text.as_ptr() as usize - self.document.as_ptr() as usize
    }

    /// The fields of an object, in the order of the document; none where it is no object.
    pub(super) fn fields(self) -> Vec<Member<'a>> {
        let mut fields = Vec::new();
        let _: Result<(), Failure> = self.each_field(|field| {
            fields.push(field);
            Ok(())
        });
        fields
    }

    /// Calls `take` with each field of an object.
    ///
    /// # Errors
    /// The first that `take` returns.
    pub(super) fn each_field(self, take: impl FnMut(Member<'a>) -> Result<(), Failure>) -> Result<(), Failure> {
        if !self.is_object() {
            return Ok(());
        }
        self.walk(|walk, text| serde_json::Deserializer::from_str(text).deserialize_map(walk), take)
    }

    /// Calls `take` with each item of a list.
    ///
    /// # Errors
    /// The first that `take` returns.
    pub(super) fn each_item(self, mut take: impl FnMut(Part<'a>) -> Result<(), Failure>) -> Result<(), Failure> {
        if !self.is_list() {
            return Ok(());
        }
        let take = |(_, part): Member<'a>| take(part);
        self.walk(|walk, text| serde_json::Deserializer::from_str(text).deserialize_seq(walk), take)
    }

    /// The first item of a list, where it is a record.
    pub(super) fn first_item(self) -> Option<Value> {
        let mut first = None;
        let _: Result<(), Failure> = self.each_item(|item| {
            first = item.value().ok();
            Err(super::unreadable("the first is enough"))
        });
        first
    }

    fn walk<F: FnMut(Member<'a>) -> Result<(), Failure>>(
        self,
        read: impl FnOnce(&mut Walk<'a, '_, F>, &'a str) -> serde_json::Result<()>,
        mut take: F,
    ) -> Result<(), Failure> {
        let mut failure = None;
        let mut walk = Walk { document: self.document, take: &mut take, failure: &mut failure };
        let read = read(&mut walk, self.text);
        match failure {
            Some(failure) => Err(failure),
            None => read.map_err(|cause| refusal(&cause, true).into()),
        }
    }
}

/// Counts lines while a document is walked from its beginning to its end.
pub(super) struct LineCounter<'a> {
    document: &'a str,
    offset: usize,
    line: usize,
}

impl<'a> LineCounter<'a> {
    pub(super) fn of(part: Part<'a>) -> Self {
        Self { document: part.document, offset: 0, line: 1 }
    }

    /// The line on which `part` begins, from 1; parts come in the order of the document.
    pub(super) fn line(&mut self, part: Part<'_>) -> usize {
        let passed = self.document.as_bytes().get(self.offset..part.offset()).unwrap_or_default();
        self.line += passed.iter().filter(|byte| **byte == b'\n').count();
        self.offset = self.offset.max(part.offset());
        self.line
    }
}

/// A field's name, which is copied only where it is written with escapes.
#[derive(PartialEq, Eq, Hash, Deserialize)]
struct Name<'a>(#[serde(borrow)] Cow<'a, str>);

struct Walk<'a, 'w, F> {
    document: &'a str,
    take: &'w mut F,
    failure: &'w mut Option<Failure>,
}

impl<'a, F: FnMut(Member<'a>) -> Result<(), Failure>> Walk<'a, '_, F> {
    fn hand_over<E: Error>(&mut self, name: Cow<'a, str>, raw: &'a RawValue) -> Result<(), E> {
        let part = Part { document: self.document, text: raw.get() };
        (self.take)((name, part)).map_err(|failure| {
            *self.failure = Some(failure);
            E::custom("stopped")
        })
    }
}

impl<'a, F: FnMut(Member<'a>) -> Result<(), Failure>> Visitor<'a> for &mut Walk<'a, '_, F> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a list or an object")
    }

    fn visit_map<A: MapAccess<'a>>(self, mut fields: A) -> Result<(), A::Error> {
        while let Some((Name(name), raw)) = fields.next_entry()? {
            self.hand_over(name, raw)?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut items: A) -> Result<(), A::Error> {
        while let Some(raw) = items.next_element()? {
            self.hand_over(Cow::Borrowed(""), raw)?;
        }
        Ok(())
    }
}

fn check(text: &str) -> Result<(), Refusal> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let checked = Strict { depth: 0 }.deserialize(&mut reader).and_then(|()| reader.end());
    checked.map_err(|cause| refusal(&cause, text.contains('\n')))
}

fn refusal(cause: &serde_json::Error, has_lines: bool) -> Refusal {
    let (line, column) = (cause.line(), cause.column());
    let place = format!(" at line {line} column {column}");
    let words = cause.to_string();
    let words = words.strip_suffix(&place).unwrap_or(&words);
    let place = if has_lines { place } else { format!(" at column {column}") };
    match cause.classify() {
        Category::Data => Refusal::new(Code::BadDocument, format!("{words}{place}")),
        _ => Refusal::new(Code::BadJson, format!("not JSON: {words}{place}")),
    }
}

/// Walks a value without keeping it.
#[derive(Clone, Copy)]
struct Strict {
    depth: usize,
}

impl Strict {
    fn deeper<E: Error>(self) -> Result<Self, E> {
        if self.depth < MAX_DEPTH {
            return Ok(Self { depth: self.depth + 1 });
        }
        Err(E::custom(format_args!("nested more than {MAX_DEPTH} deep; keep the lessons and leave out the rest")))
    }
}

impl<'a> DeserializeSeed<'a> for Strict {
    type Value = ();

    fn deserialize<D: Deserializer<'a>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'a> Visitor<'a> for Strict {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E: Error>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E: Error>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E: Error>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E: Error>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E: Error>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'a>>(self, mut items: A) -> Result<(), A::Error> {
        let deeper = self.deeper()?;
        while items.next_element_seed(deeper)?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'a>>(self, mut fields: A) -> Result<(), A::Error> {
        let deeper = self.deeper()?;
        let mut names = HashSet::new();
        while let Some(Name(name)) = fields.next_key()? {
            if names.len() > MAX_LESSONS {
                return Err(A::Error::custom("an object of more than 100,000 fields; split it"));
            }
            let shown = shortened(&name);
            if !names.insert(name) {
                return Err(A::Error::custom(format_args!("the field \"{shown}\" stands twice; keep one of them")));
            }
            fields.next_value_seed(deeper)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_is_checked_whole() {
        let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
        assert!(document(&deep(64)).is_ok());
        let table = [
            (deep(65), Code::BadDocument, "nested more than 64 deep"),
            (deep(1_000_000), Code::BadDocument, "nested more than 64 deep"),
            ("[".repeat(1_000_000), Code::BadDocument, "nested more than 64 deep"),
            (r#"{"a": 1, "\u0061": 2}"#.to_owned(), Code::BadDocument, "the field \"a\" stands twice"),
            ("[1,\n 2,]".to_owned(), Code::BadJson, "at line 2 column 4"),
            ("[1, 2,]".to_owned(), Code::BadJson, "trailing comma at column 7"),
            (String::new(), Code::BadJson, "not JSON: EOF"),
            ("[1e999]".to_owned(), Code::BadJson, "number out of range"),
            ("[1] 2".to_owned(), Code::BadJson, "trailing characters"),
        ];
        for (text, code, words) in table {
            let refusal = document(&text).unwrap_err();
            assert_eq!(refusal.code, code, "{}", shortened(&text));
            assert!(refusal.message.contains(words), "{}: {}", shortened(&text), refusal.message);
        }
    }

    #[test]
    fn an_object_has_an_end() {
        let fields: Vec<String> = (0..=MAX_LESSONS + 1).map(|number| format!("\"{number}\":0")).collect();
        let refusal = document(&format!("{{{}}}", fields.join(","))).unwrap_err();
        assert!(refusal.message.contains("more than 100,000 fields"), "{}", refusal.message);
    }

    #[test]
    fn parts_know_where_they_stand() {
        let text = "\n{\"a\\n\": [1,\n 2],\n \"b\": {}}\n";
        let whole = document(text).unwrap();
        let mut counter = LineCounter::of(whole);
        let places: Vec<(String, usize)> =
            whole.fields().into_iter().map(|(name, part)| (name.into_owned(), counter.line(part))).collect();
        assert_eq!(places, [("a\n".to_owned(), 2), ("b".to_owned(), 4)]);
        let mut items = Vec::new();
        let list = whole.fields()[0].1;
        list.each_item(|item| {
            items.push(item.text());
            Ok(())
        })
        .unwrap();
        assert_eq!(items, ["1", "2"]);
    }
}
