//! Documents: what is read whole from a file or a stream, and lists of operations in it, which are
//! `{"operations": [...]}` or the bare list.

use std::fmt;
use std::io::{self, Read};

use docet_core::error::{Code, Refusal};
use docet_core::operation::Operation;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, IgnoredAny, IntoDeserializer, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::error::Category;

use super::Failure;

/// The largest document that is read.
const MAX_BYTES: u64 = 64 << 20;

/// The most operations of one list: the largest capacity there is.
const MAX_OPERATIONS: usize = 100_000;

/// Reads a document from `source`, which `name` names to a person.
///
/// # Errors
/// `too_large` over 64 MiB, `io` where it cannot be read.
pub fn read_document(name: &str, source: io::Result<impl Read>) -> Result<Vec<u8>, Failure> {
    let mut bytes = Vec::new();
    let read = source.and_then(|source| source.take(MAX_BYTES + 1).read_to_end(&mut bytes));
    read.map_err(|cause| Refusal::new(Code::Io, format!("cannot read {name}: {cause}")))?;
    if bytes.len() as u64 <= MAX_BYTES {
        return Ok(bytes);
    }
    let message = format!("{name} is over 64 MiB; split it");
    Err(Refusal::new(Code::TooLarge, message).allowed("at most 64 MiB").into())
}

/// The lines of a document. A last line feed ends the last line and begins no other; all else is kept as it stands.
///
/// # Errors
/// `not_utf8`, with line and column.
pub fn lines(bytes: &[u8]) -> Result<Vec<&str>, Failure> {
    let text = utf8(bytes)?;
    let lines = text.strip_suffix('\n').unwrap_or(text).split('\n');
    Ok(if text.is_empty() { Vec::new() } else { lines.collect() })
}

/// Reads a document whole: one that is not JSON, or not of this shape, gives nothing.
///
/// # Errors
/// `not_utf8`, `bad_json` and `bad_document`, with line and column where there is one.
pub fn parse_operations(bytes: &[u8]) -> Result<Vec<Operation>, Failure> {
    let text = utf8(bytes)?;
    let operations = if text.trim_start().starts_with('[') {
        serde_json::from_str::<Vec<Object>>(text)
    } else {
        serde_json::from_str::<Document>(text).map(|document| document.operations)
    };
    let operations = operations.map_err(|error| failure(text, error))?;
    check_count(operations.len())?;
    let operations: Vec<Operation> = operations.into_iter().map(|object| object.0).collect();
    match operations.iter().position(changes_nothing) {
        Some(index) => Err(names_no_field(index)),
        None => Ok(operations),
    }
}

/// Bytes as text.
///
/// # Errors
/// `not_utf8`, with line and column of the first byte that is not.
pub fn utf8(bytes: &[u8]) -> Result<&str, Failure> {
    std::str::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        let column = 1 + before.iter().rev().take_while(|byte| **byte != b'\n').count();
        Refusal::new(Code::NotUtf8, format!("not UTF-8 at line {line} column {column}; save it as UTF-8")).into()
    })
}

/// Refuses a list that is longer than any library can be.
///
/// # Errors
/// `too_large` over 100,000 operations.
pub fn check_count(operations: usize) -> Result<(), Failure> {
    if operations <= MAX_OPERATIONS {
        return Ok(());
    }
    let message = format!("{operations} operations are too many at once; send them in parts of at most 100,000");
    Err(Refusal::new(Code::TooLarge, message).field("operations").value(operations).allowed("at most 100,000").into())
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "{\"operations\": [...]} or [...]")]
struct Document {
    operations: Vec<Object>,
}

/// An operation as an object that names it in words. What derives from serde would take a list of its fields, and a
/// number for its name, as well.
struct Object(Operation);

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = Object;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an operation such as {\"op\": \"add\", \"text\": \"...\"}")
            }

            fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<Object, A::Error> {
                let entries = NamedInWords { entries, is_name: false };
                Operation::deserialize(MapAccessDeserializer::new(entries)).map(Object)
            }
        }
        deserializer.deserialize_map(Fields)
    }
}

/// The entries of an object whose `op` is a text.
struct NamedInWords<A> {
    entries: A,
    is_name: bool,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for NamedInWords<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        let Some(key) = self.entries.next_key::<String>()? else { return Ok(None) };
        self.is_name = key == "op";
        seed.deserialize(key.into_deserializer()).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        if !self.is_name {
            return self.entries.next_value_seed(seed);
        }
        seed.deserialize(self.entries.next_value::<String>()?.into_deserializer())
    }
}

/// A modify without any field.
fn changes_nothing(operation: &Operation) -> bool {
    matches!(operation, Operation::Modify { text: None, domain: None, source: None, pinned: None, .. })
}

fn names_no_field(index: usize) -> Failure {
    let message = format!("operation {index} modifies nothing; name text, domain, source or pinned");
    Refusal::new(Code::BadDocument, message).field("operations").allowed("text, domain, source, pinned").into()
}

/// What is no JSON is called so, even where its shape went wrong before.
fn failure(text: &str, error: serde_json::Error) -> Failure {
    let error = match error.classify() {
        Category::Data => serde_json::from_str::<IgnoredAny>(text).err().unwrap_or(error),
        _ => error,
    };
    let code = match error.classify() {
        Category::Syntax | Category::Eof | Category::Io => Code::BadJson,
        Category::Data => Code::BadDocument,
    };
    let allowed = "{\"operations\": [...]} or [...], of add, modify, delete and merge";
    let message = match code {
        Code::BadJson => format!("not JSON: {error}"),
        _ => format!("not a document of operations: {error}"),
    };
    Refusal::new(code, message).field("operations").allowed(allowed).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(document: &str) -> (Code, String) {
        let failure = parse_operations(document.as_bytes()).unwrap_err();
        (failure.code, failure.message)
    }

    #[test]
    fn both_shapes_are_read() {
        let add = r#"{"op": "add", "text": "Read first.", "domain": null}"#;
        let bare = parse_operations(format!("[{add}]").as_bytes()).unwrap();
        assert_eq!(parse_operations(format!("{{\"operations\": [{add}]}}").as_bytes()).unwrap(), bare);
        assert_eq!(bare.len(), 1);
        assert!(parse_operations(b"[]").unwrap().is_empty());
    }

    #[test]
    fn a_wrong_document_is_refused_with_its_place() {
        let table = [
            ("", Code::BadJson, "line 1 column 0"),
            ("[", Code::BadJson, "line 1 column 1"),
            ("[{\"op\": \"add\",\n \"text\": \"a\"} x]", Code::BadJson, "line 2 column 15"),
            ("3", Code::BadDocument, "line 1 column 1"),
            ("[3,]", Code::BadJson, "line 1 column 4"),
            (r#"{"operations": [], "operations": []}"#, Code::BadDocument, "duplicate field"),
            (r#"[{"op": "add", "text": "a", "text": "b"}]"#, Code::BadDocument, "duplicate field"),
            (r#"[{"op": "add", "text": "a", "colour": 1}]"#, Code::BadDocument, "unknown field"),
            (r#"[{"op": "add"}]"#, Code::BadDocument, "missing field"),
            (r#"[{"op": "ad", "text": "a"}]"#, Code::BadDocument, "unknown variant"),
            (r#"[{"op": "delete", "id": "3"}]"#, Code::BadDocument, "invalid type"),
            (r#"[{"op": "delete", "id": 18446744073709551616}]"#, Code::BadDocument, "line 1 column"),
            (r#"[{"op": "add", "text": "a", "confidence": 1e400}]"#, Code::BadJson, "number out of range"),
            (r#"[["delete", 1]]"#, Code::BadDocument, "invalid type: sequence, expected an operation"),
            (r#"{"operations": [["add", "a", "general", 0.7, "b", true]]}"#, Code::BadDocument, "an operation such as"),
            (r#"[{"op": 2, "id": 1}]"#, Code::BadDocument, "expected a string"),
            (r#"["delete"]"#, Code::BadDocument, "an operation such as"),
            ("null", Code::BadDocument, r#"expected {"operations": [...]} or [...]"#),
            (r#"[{"op": "modify", "id": 3}]"#, Code::BadDocument, "modifies nothing"),
        ];
        for (document, code, words) in table {
            let (found, message) = refused(document);
            assert_eq!(found, code, "{document}");
            assert!(message.contains(words), "{document}: {message}");
        }
    }

    #[test]
    fn a_last_line_feed_begins_no_line() {
        let table: [(&str, &[&str]); 6] = [
            ("", &[]),
            ("\n", &[""]),
            ("a", &["a"]),
            ("a\n", &["a"]),
            ("a\n\n", &["a", ""]),
            ("a\r\n b \n", &["a\r", " b "]),
        ];
        for (text, expected) in table {
            assert_eq!(lines(text.as_bytes()).unwrap(), expected, "{text:?}");
        }
    }

    #[test]
    fn a_document_has_an_end() {
        assert_eq!(read_document("it", Ok(&b"abc"[..])).unwrap(), b"abc");
        let endless = read_document("it", Ok(io::repeat(b' '))).unwrap_err();
        assert_eq!((endless.code, endless.message.as_str()), (Code::TooLarge, "it is over 64 MiB; split it"));
        let missing: io::Result<io::Empty> = Err(io::ErrorKind::NotFound.into());
        assert_eq!(read_document("it", missing).unwrap_err().code, Code::Io);
    }

    #[test]
    fn bytes_that_are_no_text_are_refused_with_their_place() {
        let failure = parse_operations(b"[{\"op\":\n\"a\xff\"}]").unwrap_err();
        assert_eq!(failure.code, Code::NotUtf8);
        assert!(failure.message.contains("line 2 column 3"), "{}", failure.message);
    }
}
