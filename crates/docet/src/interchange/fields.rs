//! The fields of a record: where each is found, unless told by its usual names.

use docet_core::error::{Code, Refusal, shortened};
use serde_json::{Map, Value};

/// A field of a lesson that records can carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "each is named as the lesson's own field")]
pub enum Field {
    Text,
    Domain,
    Confidence,
    Successes,
    Failures,
    UsageCount,
    Pinned,
    Source,
    Id,
}

impl Field {
    /// Every field.
    pub const ALL: [Self; 9] = [
        Self::Text,
        Self::Domain,
        Self::Confidence,
        Self::Successes,
        Self::Failures,
        Self::UsageCount,
        Self::Pinned,
        Self::Source,
        Self::Id,
    ];

    /// The name that users type.
    pub fn name(self) -> &'static str {
        self.usual_names()[0]
    }

    /// What records call it, in any case of letters; the first that a record has counts.
    pub fn usual_names(self) -> &'static [&'static str] {
        match self {
            Self::Text => {
                &["text", "content", "lesson", "insight", "experience", "guideline", "rule", "memory", "learning"]
            }
            Self::Domain => &["domain", "section", "category", "topic"],
            Self::Confidence => &["confidence"],
            Self::Successes => &["successes", "helpful", "helpful_count", "helpfulCount"],
            Self::Failures => &["failures", "harmful", "harmful_count", "harmfulCount"],
            Self::UsageCount => &["usage_count", "usageCount", "usage", "uses"],
            Self::Pinned => &["pinned"],
            Self::Source => &["source", "author"],
            Self::Id => &["id"],
        }
    }
}

/// Where records keep their fields, where that is not under a usual name: `text=note,successes=meta.helpful`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldMap(Vec<(Field, String)>);

impl FieldMap {
    /// Reads what a person typed.
    ///
    /// ```
    /// use docet::interchange::FieldMap;
    /// assert!(FieldMap::parse("text=content,domain=section,successes=meta.helpful").is_ok());
    /// assert!(FieldMap::parse("colour=section").is_err());
    /// ```
    ///
    /// # Errors
    /// `bad_value` for an unknown field, one without a path, or one that is named twice.
    pub fn parse(text: &str) -> Result<Self, Refusal> {
        let mut pairs: Vec<(Field, String)> = Vec::new();
        for pair in text.split(',') {
            let (name, path) = pair.split_once('=').ok_or_else(|| bad(pair, "has no ="))?;
            let (name, path) = (name.trim(), path.trim());
            let field = Field::ALL.into_iter().find(|field| field.name() == name);
            let field = field.ok_or_else(|| bad(pair, "names no field of a lesson"))?;
            if path.is_empty() {
                return Err(bad(pair, "says no path"));
            }
            if pairs.iter().any(|(known, _)| *known == field) {
                return Err(bad(pair, "names a field a second time"));
            }
            pairs.push((field, path.to_owned()));
        }
        Ok(Self(pairs))
    }

    /// The path that was given for a field.
    pub fn path(&self, field: Field) -> Option<&str> {
        self.0.iter().find(|(known, _)| *known == field).map(|(_, path)| path.as_str())
    }

    /// The name of the record's own field that holds `field`, and the value there.
    pub(super) fn find<'r>(&self, field: Field, record: &'r Map<String, Value>) -> Option<(&'r str, &'r Value)> {
        if let Some(path) = self.path(field) {
            return look_up(record, path);
        }
        let usual = field.usual_names().iter().find_map(|name| named(record, name))?;
        let is_mapped = self.0.iter().any(|(_, path)| first_of(record, path) == Some(usual.0));
        (!is_mapped).then_some(usual)
    }

    /// Whether `header` names the text of a lesson.
    pub(super) fn names_text(&self, header: &str) -> bool {
        match self.path(Field::Text) {
            Some(path) => header == path,
            None => Field::Text.usual_names().iter().any(|name| header.eq_ignore_ascii_case(name)),
        }
    }
}

fn bad(pair: &str, what: &str) -> Refusal {
    let names = Field::ALL.map(Field::name).join(", ");
    let message = format!("\"{}\" {what}; write FIELD=PATH,... with the fields {names}", shortened(pair));
    Refusal::new(Code::BadValue, message).field("map").value(pair).allowed(names)
}

fn named<'r>(record: &'r Map<String, Value>, name: &str) -> Option<(&'r str, &'r Value)> {
    record.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(key, value)| (key.as_str(), value))
}

/// A field of that whole name, or what a path of names and places in lists leads to.
fn look_up<'r>(record: &'r Map<String, Value>, path: &str) -> Option<(&'r str, &'r Value)> {
    if let Some((key, value)) = record.get_key_value(path) {
        return Some((key, value));
    }
    let mut steps = path.split('.');
    let (key, mut value) = record.get_key_value(steps.next()?)?;
    for step in steps {
        value = match value {
            Value::Object(fields) => fields.get(step)?,
            Value::Array(items) => items.get(step.parse::<usize>().ok()?)?,
            _ => return None,
        };
    }
    Some((key, value))
}

fn first_of<'r>(record: &'r Map<String, Value>, path: &str) -> Option<&'r str> {
    look_up(record, path).map(|(key, _)| key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_is_read_or_refused_with_its_fault() {
        let map = FieldMap::parse("text=content, successes = meta.helpful").unwrap();
        assert_eq!(map.path(Field::Text), Some("content"));
        assert_eq!(map.path(Field::Successes), Some("meta.helpful"));
        let table = [
            ("", "has no ="),
            ("text", "has no ="),
            ("text=", "no path"),
            ("words=a", "no field"),
            ("id=a,id=b", "second"),
        ];
        for (text, words) in table {
            let refusal = FieldMap::parse(text).unwrap_err();
            assert_eq!(refusal.code, Code::BadValue, "{text:?}");
            assert!(refusal.message.contains(words), "{text:?}: {}", refusal.message);
        }
    }

    #[test]
    fn paths_lead_through_objects_and_lists() {
        let record = serde_json::json!({"a.b": 1, "a": {"b": 2, "c": [3, {"d": 4}]}, "Content": "x", "text": "y"});
        let record = record.as_object().unwrap();
        let found = |path: &str| look_up(record, path).map(|(key, value)| (key, value.clone()));
        assert_eq!(found("a.b"), Some(("a.b", Value::from(1))));
        assert_eq!(found("a.c.1.d"), Some(("a", Value::from(4))));
        assert_eq!(found("a.c.2"), None);
        assert_eq!(found("a.c.0.e"), None);
        let find = |map: &str, field| FieldMap::parse(map).unwrap().find(field, record).map(|(key, _)| key);
        assert_eq!(find("domain=x", Field::Text), Some("text"));
        assert_eq!(find("text=Content", Field::Text), Some("Content"));
        assert_eq!(find("domain=text", Field::Text), None);
    }
}
