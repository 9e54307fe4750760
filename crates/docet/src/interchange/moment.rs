//! Moments as the wire writes them: RFC 3339 in UTC with milliseconds.

use docet_core::experience::Timestamp;
use jiff::fmt::temporal::DateTimePrinter;
use serde::{Deserialize, Deserializer, Serializer, de};

/// What serde calls to write.
pub(super) fn serialize<S: Serializer>(moment: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(&format(*moment))
}

/// What serde calls to read.
pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Timestamp, D::Error> {
    let text = String::deserialize(deserializer)?;
    let moment: jiff::Timestamp = text
        .parse()
        .map_err(|_| de::Error::custom(format!("\"{text}\" is no moment such as 2026-12-01T14:00:00.000Z")))?;
    Ok(Timestamp(moment.as_millisecond()))
}

/// A moment beyond what RFC 3339 can say is written as the nearest that it can.
pub(super) fn format(moment: Timestamp) -> String {
    let nearest = if moment.0 < 0 { jiff::Timestamp::MIN } else { jiff::Timestamp::MAX };
    let moment = jiff::Timestamp::from_millisecond(moment.0).unwrap_or(nearest);
    DateTimePrinter::new().precision(Some(3)).timestamp_to_string(&moment)
}
