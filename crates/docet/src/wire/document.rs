//! Documents: what is read whole from a file or a stream, and lists of operations in it, which are
//! `{"operations": [...]}` or the bare list.

use std::fmt;
use std::io::{self, Read};

use docet_core::error::{Code, Refusal, shortened};
use docet_core::operation::Operation;
use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, SeqAccess, Unexpected, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::error::Category;

use super::Failure;
use super::operation::{Object, is_field};

/// The largest document that is read.
const MAX_BYTES: u64 = 64 << 20;

/// The most operations of one list: the largest capacity there is.
const MAX_OPERATIONS: usize = 100_000;

/// What some editors put before a text in UTF-8.
const BYTE_ORDER_MARK: &[u8] = &[0xEF, 0xBB, 0xBF];

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
    let document: Document = serde_json::from_str(text).map_err(|error| failure(text, error))?;
    check_count(document.count)?;
    let operations = document.operations;
    match operations.iter().position(changes_nothing) {
        Some(index) => Err(names_no_field(index)),
        None => Ok(operations),
    }
}

/// Bytes as text, without the mark that some editors put before it.
///
/// # Errors
/// `not_utf8`, with line and column of the first byte that is not.
pub fn utf8(bytes: &[u8]) -> Result<&str, Failure> {
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        let column = 1 + before.iter().rev().take_while(|byte| **byte != b'\n').count();
        let is_wide = bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]);
        let what = if is_wide { "UTF-16 and not UTF-8" } else { "not UTF-8" };
        Refusal::new(Code::NotUtf8, format!("{what} at line {line} column {column}; save it as UTF-8")).into()
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

/// The operations of a document. Of more than a library can hold the rest is only counted.
struct Document {
    operations: Vec<Operation>,
    count: usize,
}

impl<'de> Deserialize<'de> for Document {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(Shape { is_list: false })
    }
}

/// What a document may be: an object that holds the list, or the list itself.
struct Shape {
    is_list: bool,
}

impl<'de> DeserializeSeed<'de> for Shape {
    type Value = Document;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Document, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Shape {
    type Value = Document;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(if self.is_list { "a list of operations" } else { "{\"operations\": [...]} or [...]" })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Document, A::Error> {
        let mut operations = Vec::new();
        while operations.len() < MAX_OPERATIONS {
            match elements.next_element()? {
                Some(Object(operation)) => operations.push(operation),
                None => return Ok(Document { count: operations.len(), operations }),
            }
        }
        let mut count = operations.len();
        while elements.next_element::<IgnoredAny>()?.is_some() {
            count += 1;
        }
        Ok(Document { operations, count })
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Document, A::Error> {
        if self.is_list {
            return Err(A::Error::invalid_type(Unexpected::Map, &self));
        }
        let mut document = None;
        while let Some(name) = entries.next_key::<String>()? {
            match name.as_str() {
                "operations" if document.is_some() => return Err(A::Error::custom("duplicate field \"operations\"")),
                "operations" => document = Some(entries.next_value_seed(Self { is_list: true })?),
                name if is_field(name) => {
                    return Err(A::Error::custom("an operation stands in a list, also a single one: [{\"op\": ...}]"));
                }
                _ => {
                    let message = format!("unknown field \"{}\"; allowed is operations", shortened(&name));
                    return Err(A::Error::custom(message));
                }
            }
        }
        document.ok_or_else(|| A::Error::custom("missing field \"operations\""))
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
            (
                r#"[{"op": "ad", "text": "a"}]"#,
                Code::BadDocument,
                "op is \"ad\"; it takes add, modify, delete or merge",
            ),
            (r#"[{"op": "delete", "id": "3"}]"#, Code::BadDocument, "id is \"3\"; it takes a whole number"),
            (r#"[{"op": "delete", "id": -3}]"#, Code::BadDocument, "id is -3; it takes a whole number"),
            (r#"[{"op": "delete", "id": 1.0}]"#, Code::BadDocument, "id is 1.0; it takes a whole number"),
            (r#"[{"op": "delete", "id": null}]"#, Code::BadDocument, "missing field `id`"),
            (
                r#"[{"op": "merge", "ids": [1, "2"]}]"#,
                Code::BadDocument,
                "one of ids is \"2\"; it takes a whole number",
            ),
            (r#"[{"op": "merge", "ids": 1}]"#, Code::BadDocument, "ids is 1; it takes a list of whole numbers"),
            (r#"[{"op": "add", "text": 3}]"#, Code::BadDocument, "text is 3; it takes a text"),
            (r#"[{"op": "add", "text": ["a"]}]"#, Code::BadDocument, "text is a list; it takes a text"),
            (r#"[{"op": "add", "confidence": "high"}]"#, Code::BadDocument, "it takes a number"),
            (r#"[{"op": "add", "pinned": 1}]"#, Code::BadDocument, "pinned is 1; it takes true or false"),
            (r#"[{"op": "delete", "id": 1, "text": "a"}]"#, Code::BadDocument, "unknown field `text`"),
            (r#"{"op": "delete", "id": 1}"#, Code::BadDocument, "also a single one: [{\"op\": ...}]"),
            (r#"{"text": "a", "op": "add"}"#, Code::BadDocument, "also a single one: [{\"op\": ...}]"),
            (r#"{"operations": {}}"#, Code::BadDocument, "expected a list of operations"),
            (r#"{"operation": []}"#, Code::BadDocument, "unknown field \"operation\"; allowed is operations"),
            ("{}", Code::BadDocument, "missing field \"operations\""),
            (r#"[{"op": "delete", "id": 18446744073709551616}]"#, Code::BadDocument, "line 1 column"),
            (r#"[{"op": "add", "text": "a", "confidence": 1e400}]"#, Code::BadJson, "number out of range"),
            (r#"[["delete", 1]]"#, Code::BadDocument, "invalid type: sequence, expected an operation"),
            (r#"{"operations": [["add", "a", "general", 0.7, "b", true]]}"#, Code::BadDocument, "an operation such as"),
            (r#"[{"op": 2, "id": 1}]"#, Code::BadDocument, "op is 2; it takes add"),
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
    fn what_is_wrong_is_refused_where_it_stands() {
        let table = [
            ("[{\"op\": \"add\",\n \"colour\": 1,\n \"text\": \"a\"}]", "line 2"),
            ("[{\"op\": \"add\",\n \"text\": 1,\n \"source\": \"a\"}]", "line 2"),
            ("[{\"op\": \"add\",\n \"text\": \"a\",\n \"text\": \"b\",\n \"source\": \"a\"}]", "line 3"),
            ("[{\"op\": \"ad\",\n \"text\": \"a\"}]", "line 1"),
            ("[{\"op\": \"merge\",\n \"ids\": [1,\n true],\n \"text\": \"a\"}]", "line 3"),
        ];
        for (document, place) in table {
            let (code, message) = refused(document);
            assert_eq!(code, Code::BadDocument);
            assert!(message.contains(place), "{document}: {message}");
        }
    }

    #[test]
    fn every_operation_is_read_as_it_is_written() {
        let list = r#"[{"op":"add","text":"a","domain":"b","confidence":1,"source":"c","pinned":true},
            {"pinned":false,"source":"c","domain":"b","text":"a","id":7,"op":"modify"},
            {"op":"delete","id":8},{"op":"merge","ids":[1,2],"text":"a","domain":"b","source":"c"}]"#;
        let operations = parse_operations(list.as_bytes()).unwrap();
        let written = serde_json::to_string(&operations).unwrap();
        assert_eq!(parse_operations(written.as_bytes()).unwrap(), operations);
        assert_eq!(serde_json::from_str::<Vec<Operation>>(&written).unwrap(), operations);
    }

    #[test]
    fn a_mark_before_the_text_is_skipped() {
        assert_eq!(parse_operations(b"\xEF\xBB\xBF[]").unwrap(), []);
        assert_eq!(lines(b"\xEF\xBB\xBFa\nb").unwrap(), ["a", "b"]);
        let wide: Vec<u8> = "\u{feff}[]".encode_utf16().flat_map(u16::to_le_bytes).collect();
        let failure = parse_operations(&wide).unwrap_err();
        assert_eq!((failure.code, failure.message.contains("UTF-16")), (Code::NotUtf8, true));
    }

    #[test]
    fn a_list_too_long_is_counted() {
        let list = format!("[{}]", vec![r#"{"op":"delete","id":1}"#; MAX_OPERATIONS + 2].join(","));
        let (code, message) = refused(&list);
        assert!(code == Code::TooLarge && message.contains("100002"), "{message}");
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
