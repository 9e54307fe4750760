//! Operations in a document: each an object that names its operation and its fields in words.
//!
//! What derives from serde would take a list of fields, and a number for a name, as well; and it would tell of a field
//! that is wrong where the object ends. So each name and each value is looked at where it stands.

use std::fmt;

use docet_core::error::shortened;
use docet_core::operation::Operation;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeSeed, Error, IntoDeserializer, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// What a field takes.
#[derive(Clone, Copy)]
enum Kind {
    Name,
    Text,
    Whole,
    Wholes,
    Number,
    Flag,
}

impl Kind {
    fn words(self) -> &'static str {
        match self {
            Self::Name => "add, modify, delete or merge",
            Self::Text => "a text",
            Self::Whole => "a whole number",
            Self::Wholes => "a list of whole numbers",
            Self::Number => "a number",
            Self::Flag => "true or false",
        }
    }
}

/// Every field of any operation, with what it takes.
const FIELDS: [(&str, Kind); 8] = [
    ("op", Kind::Name),
    ("id", Kind::Whole),
    ("ids", Kind::Wholes),
    ("text", Kind::Text),
    ("domain", Kind::Text),
    ("confidence", Kind::Number),
    ("source", Kind::Text),
    ("pinned", Kind::Flag),
];

/// Whether some operation has a field of that name.
pub(super) fn is_field(name: &str) -> bool {
    FIELDS.iter().any(|(known, _)| *known == name)
}

const OPERATIONS: [&str; 4] = ["add", "modify", "delete", "merge"];

/// An operation as it stands in a document.
pub(super) struct Object(pub(super) Operation);

impl<'de> Deserialize<'de> for Object {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Shape;
        impl<'de> Visitor<'de> for Shape {
            type Value = Object;

            fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                formatter.write_str("an operation such as {\"op\": \"add\", \"text\": \"...\"}")
            }

            fn visit_map<A: MapAccess<'de>>(self, entries: A) -> Result<Object, A::Error> {
                let entries = Checked { entries, seen: Vec::new(), value: None };
                Operation::deserialize(MapAccessDeserializer::new(entries)).map(Object)
            }
        }
        deserializer.deserialize_map(Shape)
    }
}

/// The entries of an object, each checked for itself; a field of `null` is as good as none.
struct Checked<A> {
    entries: A,
    seen: Vec<&'static str>,
    value: Option<Value>,
}

impl<'de, A: MapAccess<'de>> MapAccess<'de> for Checked<A> {
    type Error = A::Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Result<Option<K::Value>, A::Error> {
        while let Some((name, kind)) = self.entries.next_key_seed(Name { seen: &self.seen })? {
            self.seen.push(name);
            self.value = self.entries.next_value_seed(Field { name, kind })?;
            if self.value.is_some() {
                return seed.deserialize(name.into_deserializer()).map(Some);
            }
        }
        Ok(None)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, A::Error> {
        match self.value.take() {
            Some(Value::Text(text)) => seed.deserialize(text.into_deserializer()),
            Some(Value::Whole(number)) => seed.deserialize(number.into_deserializer()),
            Some(Value::Wholes(numbers)) => seed.deserialize(numbers.into_deserializer()),
            Some(Value::Number(number)) => seed.deserialize(number.into_deserializer()),
            Some(Value::Flag(flag)) => seed.deserialize(flag.into_deserializer()),
            None => Err(A::Error::custom("a field without a value")),
        }
    }
}

/// The name of a field that may still come.
struct Name<'a> {
    seen: &'a [&'static str],
}

impl<'de> DeserializeSeed<'de> for Name<'_> {
    type Value = (&'static str, Kind);

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl Visitor<'_> for Name<'_> {
    type Value = (&'static str, Kind);

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("the name of a field")
    }

    fn visit_str<E: Error>(self, name: &str) -> Result<Self::Value, E> {
        let known = FIELDS.into_iter().find(|(known, _)| *known == name);
        let (name, kind) = known.ok_or_else(|| {
            let allowed = FIELDS.map(|(name, _)| name).join(", ");
            E::custom(format!("unknown field \"{}\"; an operation has some of {allowed}", shortened(name)))
        })?;
        if self.seen.contains(&name) {
            return Err(E::custom(format!("duplicate field \"{name}\"")));
        }
        Ok((name, kind))
    }
}

enum Value {
    Text(String),
    Whole(u64),
    Wholes(Vec<u64>),
    Number(f64),
    Flag(bool),
}

/// The value of a field; none where it is `null`.
#[derive(Clone, Copy)]
struct Field {
    name: &'static str,
    kind: Kind,
}

impl Field {
    fn refuse<T, E: Error>(self, found: impl fmt::Display) -> Result<T, E> {
        Err(E::custom(format!("{} is {found}; it takes {}", self.name, self.kind.words())))
    }
}

impl<'de> DeserializeSeed<'de> for Field {
    type Value = Option<Value>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Field {
    type Value = Option<Value>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.kind.words())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Self::Value, E> {
        match self.kind {
            Kind::Text => Ok(Some(Value::Text(text.to_owned()))),
            Kind::Name if OPERATIONS.contains(&text) => Ok(Some(Value::Text(text.to_owned()))),
            _ => self.refuse(format_args!("\"{}\"", shortened(text))),
        }
    }

    fn visit_u64<E: Error>(self, number: u64) -> Result<Self::Value, E> {
        match self.kind {
            Kind::Whole => Ok(Some(Value::Whole(number))),
            Kind::Number => Ok(Some(Value::Number(number as f64))),
            _ => self.refuse(number),
        }
    }

    fn visit_i64<E: Error>(self, number: i64) -> Result<Self::Value, E> {
        match self.kind {
            Kind::Number => Ok(Some(Value::Number(number as f64))),
            _ => self.refuse(number),
        }
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Self::Value, E> {
        match self.kind {
            Kind::Number => Ok(Some(Value::Number(number))),
            _ => self.refuse(format_args!("{number:?}")),
        }
    }

    fn visit_bool<E: Error>(self, flag: bool) -> Result<Self::Value, E> {
        match self.kind {
            Kind::Flag => Ok(Some(Value::Flag(flag))),
            _ => self.refuse(flag),
        }
    }

    fn visit_unit<E: Error>(self) -> Result<Self::Value, E> {
        Ok(None)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Self::Value, A::Error> {
        let Kind::Wholes = self.kind else { return self.refuse("a list") };
        let mut numbers = Vec::new();
        let element = Self { name: "one of ids", kind: Kind::Whole };
        while let Some(value) = elements.next_element_seed(element)? {
            match value {
                Some(Value::Whole(number)) => numbers.push(number),
                _ => return element.refuse("null"),
            }
        }
        Ok(Some(Value::Wholes(numbers)))
    }

    fn visit_map<A: MapAccess<'de>>(self, _: A) -> Result<Self::Value, A::Error> {
        self.refuse("an object")
    }
}
