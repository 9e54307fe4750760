//! Every constant of the method, with its default and its range, checked in one place.

use serde::{Deserialize, Serialize};

use crate::domains::DomainThresholds;
use crate::error::{Code, Refusal, shortened};

/// Above this capacity a library may only use the strategies that sort.
pub const MAX_QUADRATIC_CAPACITY: usize = 20_000;

/// Declares [`Settings`]: a line a setting, with its type, its default and its range.
macro_rules! settings {
    ($($(#[doc = $meaning:literal])+ $key:ident: $kind:ty = $default:expr, $range:expr;)+) => {
        /// The settings of one library, named as users type them. Keys are set one by one; [`Settings::check`] then
        /// holds them together.
        #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(default)]
        pub struct Settings { $($(#[doc = $meaning])+ pub $key: $kind),+ }

        impl Default for Settings {
            fn default() -> Self {
                Self { $($key: $default),+ }
            }
        }

        impl Settings {
            /// Every key, in the order of the documentation.
            pub const KEYS: &[&str] = &[$(stringify!($key)),+];

            /// What each key means and may be, in the same order.
            pub fn reference() -> Vec<Reference> {
                vec![$(Reference {
                    key: stringify!($key),
                    meaning: concat!($($meaning),+).trim(),
                    allowed: <$kind as Value>::allowed(&$range),
                }),+]
            }

            /// Sets one key from what a person typed. [`Settings::check`] must follow once all keys are set.
            ///
            /// # Errors
            /// `bad_setting` where there is no such key or the value is outside of its range, which is named.
            pub fn set(&mut self, key: &str, text: &str) -> Result<(), Refusal> {
                match key {
                    $(stringify!($key) => self.$key = parse(key, text, &$range)?,)+
                    _ => return Err(unknown(key)),
                }
                Ok(())
            }

            /// Sets one key back to its default.
            ///
            /// # Errors
            /// `bad_setting` where there is no such key.
            pub fn reset(&mut self, key: &str) -> Result<(), Refusal> {
                match key {
                    $(stringify!($key) => self.$key = $default,)+
                    _ => return Err(unknown(key)),
                }
                Ok(())
            }

            /// The keys in which two differ.
            pub fn differences(&self, other: &Self) -> Vec<&'static str> {
                let mut keys = Vec::new();
                $(if self.$key != other.$key {
                    keys.push(stringify!($key));
                })+
                keys
            }

            /// Takes one key's value over from `other`; what is no key changes nothing.
            pub fn take_over(&mut self, key: &str, other: &Self) {
                match key {
                    $(stringify!($key) => self.$key = other.$key.clone(),)+
                    _ => {}
                }
            }
        }
    };
}

/// One line of a reference of settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// Its name.
    pub key: &'static str,
    /// What it means, one sentence.
    pub meaning: &'static str,
    /// What it may be.
    pub allowed: String,
}

settings! {
    /// The most entries after any change, `N_max`.
    capacity: usize = 500, Range::closed(1.0, 100_000.0);
    /// How a library over its capacity is compressed.
    strategy: Strategy = Strategy::Hybrid, Range::named(Strategy::NAMES);
    /// Guidelines handed out, `K`.
    top_k: usize = 5, Range::closed(1.0, 100.0);
    /// The weight of confidence in a score, `lambda` of `eq:conf-weighted-score`; 0 is pure similarity.
    confidence_weight: f64 = 0.2, Range::closed(0.0, 1.0);
    /// The least score that is handed out.
    min_score: Option<f64> = None, Range::closed(-1.0, 1.0).or("none");
    /// The least closeness of an inferred domain.
    domain_floor: f64 = DomainThresholds::default().floor, Range::closed(0.0, 1.0);
    /// How far an inferred domain must be ahead of the rest.
    domain_margin: f64 = DomainThresholds::default().margin, Range::closed(0.0, 1.0);
    /// The entries below which a domain is never inferred.
    domain_min_entries: usize = DomainThresholds::default().min_entries, Range::closed(1.0, 1_000.0);
    /// The confidence of a new entry, `c_0`.
    initial_confidence: f64 = 0.5, Range::open(0.0, 1.0);
    /// The lower bound of confidence, `c_min`.
    min_confidence: f64 = 0.05, Range::open(0.0, 1.0);
    /// The upper bound of confidence, `c_max`.
    max_confidence: f64 = 0.95, Range::open(0.0, 1.0);
    /// The step of the learning rule, `gamma` of `eq:confidence-update`.
    learning_rate: f64 = 0.1, Range::open(0.0, 1.0);
    /// What a reward equal to its baseline says.
    tie: Tie = Tie::NoEvidence, Range::named(Tie::NAMES);
    /// What a reward alone is compared with.
    baseline: Baseline = Baseline::Running, Range::FINITE.or("\"running\"");
    /// How many earlier sessions the running baseline averages at most.
    baseline_window: usize = 100, Range::closed(1.0, 10_000.0);
    /// How many it needs at least; no more than the window.
    baseline_min: usize = 5, Range::closed(1.0, 10_000.0);
    /// The cosine from which two entries are reported as similar.
    similar_at: f64 = 0.85, Range::above(0.0, 1.0);
    /// Hours after which an open session expires.
    session_ttl_hours: u32 = 24, Range::closed(1.0, 8_760.0);
    /// Days that the receipts of ended sessions are kept.
    receipt_days: u32 = 30, Range::closed(1.0, 3_650.0);
    /// Hours that the answer to an idempotency key is remembered.
    idempotency_hours: u32 = 24, Range::closed(1.0, 8_760.0);
    /// The share that importance compression drops, `p` of `eq:importance-compression`; 0 cuts exactly to capacity.
    discard_fraction: f64 = 0.2, Range::below(0.0, 1.0);
    /// The largest share that one temporal compression drops, unless capacity demands more.
    max_discard: f64 = 0.2, Range::closed(0.0, 1.0);
    /// The decay constant an epoch, `lambda` of `eq:temporal-decay`.
    decay_rate: f64 = 0.05, Range::above(0.0, 10.0);
    /// The time weight below which entries are pruned, `w_min`; 0 is off.
    min_time_weight: f64 = 0.1, Range::below(0.0, 1.0);
    /// From where an entry's age is counted.
    age_from: AgeFrom = AgeFrom::Improved, Range::named(AgeFrom::NAMES);
    /// `alpha` of `eq:hybrid-utility`; it cannot change an order.
    utility_scale: f64 = 1.0, Range::above(0.0, f64::MAX);
    /// `beta` of `eq:hybrid-utility`; 0 switches the factor off.
    confidence_exponent: f64 = 1.0, Range::closed(0.0, 10.0);
    /// `gamma` of `eq:hybrid-utility`; 0 switches the factor off.
    recency_exponent: f64 = 0.5, Range::closed(0.0, 10.0);
    /// `delta` of `eq:hybrid-utility`; 0 switches the factor off.
    diversity_exponent: f64 = 0.3, Range::closed(0.0, 10.0);
    /// Whether hybrid compression scores anew after each entry that leaves.
    rescore: Rescore = Rescore::Each, Range::named(Rescore::NAMES);
    /// Whether what a list just added is spared by the compression that follows it.
    spare_new: bool = true, Range::named(&["true", "false"]);
    /// The seed of k-means++.
    seed: u64 = 0, Range::closed(0.0, 9_007_199_254_740_991.0);
    /// Whether a text that looks like a key or a token is refused.
    refuse_secrets: bool = true, Range::named(&["true", "false"]);
}

/// Declares an enum that users type by name, with the list of its names.
macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub enum $name { $($(#[$variant_doc])* #[serde(rename = $text)] $variant),+ }

        impl $name {
            /// Every name, in order.
            pub const NAMES: &[&str] = &[$($text),+];

            /// The variant of that name.
            pub fn named(name: &str) -> Option<Self> {
                match name { $($text => Some(Self::$variant),)+ _ => None }
            }

            /// The name that users type.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }
        }
    };
}

named! {
    /// How a library is compressed (`sec:compression`).
    Strategy {
        /// `eq:diversity-compression`
        Diversity = "diversity",
        /// `eq:importance-compression`
        Importance = "importance",
        /// `eq:temporal-decay`
        Temporal = "temporal",
        /// `eq:hybrid-utility`
        Hybrid = "hybrid",
    }
}

named! {
    /// What a reward equal to its baseline says of the lessons applied.
    Tie {
        /// Nothing.
        NoEvidence = "no_evidence",
        /// That they did not improve it: the source's letter.
        NotImproved = "not_improved",
    }
}

named! {
    /// From where an entry's age is counted.
    AgeFrom {
        /// From its latest improvement, where that is later than its text.
        Improved = "improved",
        /// From its text alone: the source's letter.
        Created = "created",
    }
}

named! {
    /// When hybrid compression computes utilities.
    Rescore {
        /// After each entry that leaves.
        Each = "each",
        /// Once: the source's letter.
        Once = "once",
    }
}

named! {
    /// A named set of the choices in which the two readings of the source differ.
    Preset {
        /// What we recommend.
        Recommended = "recommended",
        /// The source's letter.
        Paper = "paper",
    }
}

/// What a reward alone is compared with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Baseline {
    /// The mean reward of earlier sessions of the same group.
    Running,
    /// A fixed number.
    Fixed(f64),
}

impl Serialize for Baseline {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Running => serializer.serialize_str("running"),
            Self::Fixed(value) => serializer.serialize_f64(*value),
        }
    }
}

impl<'de> Deserialize<'de> for Baseline {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Wire {
            Number(f64),
            Name(String),
        }
        match Wire::deserialize(deserializer)? {
            Wire::Number(value) => Ok(Self::Fixed(value)),
            Wire::Name(name) if name == "running" => Ok(Self::Running),
            Wire::Name(name) => Err(serde::de::Error::custom(format!("unknown baseline \"{name}\""))),
        }
    }
}

impl Settings {
    /// The defaults of a preset.
    pub fn preset(preset: Preset) -> Self {
        let mut settings = Self::default();
        settings.apply_preset(preset);
        settings
    }

    /// Sets the five choices in which the presets differ, and nothing else.
    pub fn apply_preset(&mut self, preset: Preset) {
        let paper = preset == Preset::Paper;
        self.tie = if paper { Tie::NotImproved } else { Tie::NoEvidence };
        self.rescore = if paper { Rescore::Once } else { Rescore::Each };
        self.age_from = if paper { AgeFrom::Created } else { AgeFrom::Improved };
        self.max_discard = if paper { 1.0 } else { 0.2 };
        self.spare_new = !paper;
    }

    /// Checks what no single range says.
    ///
    /// # Errors
    /// `bad_setting` where the bounds of confidence are out of order, the baseline needs more sessions than its window
    /// holds, or the capacity is too large for the strategy.
    pub fn check(&self) -> Result<(), Refusal> {
        let quadratic = matches!(self.strategy, Strategy::Hybrid | Strategy::Diversity);
        if self.min_confidence > self.initial_confidence {
            let allowed = format!("min_confidence, which is {}, or more", self.min_confidence);
            Err(bad("initial_confidence", &self.initial_confidence.to_string(), &allowed))
        } else if self.initial_confidence > self.max_confidence {
            let allowed = format!("max_confidence, which is {}, or less", self.max_confidence);
            Err(bad("initial_confidence", &self.initial_confidence.to_string(), &allowed))
        } else if self.baseline_min > self.baseline_window {
            let allowed = format!("a whole number from 1 to baseline_window, which is {}", self.baseline_window);
            Err(bad("baseline_min", &self.baseline_min.to_string(), &allowed))
        } else if quadratic && self.capacity > MAX_QUADRATIC_CAPACITY {
            let allowed = "at most 20,000, or strategy importance or temporal";
            Err(bad("capacity", &self.capacity.to_string(), allowed))
        } else {
            Ok(())
        }
    }
}

/// What one setting may be.
struct Range {
    low: f64,
    high: f64,
    /// Whether the bounds themselves are allowed.
    closed: (bool, bool),
    names: &'static [&'static str],
    or: Option<&'static str>,
}

impl Range {
    const FINITE: Self = Self::between(f64::MIN, f64::MAX, (true, true));

    const fn between(low: f64, high: f64, closed: (bool, bool)) -> Self {
        Self { low, high, closed, names: &[], or: None }
    }

    const fn closed(low: f64, high: f64) -> Self {
        Self::between(low, high, (true, true))
    }

    const fn open(low: f64, high: f64) -> Self {
        Self::between(low, high, (false, false))
    }

    /// Above `low`, at most `high`.
    const fn above(low: f64, high: f64) -> Self {
        Self::between(low, high, (false, true))
    }

    /// `low` to below `high`.
    const fn below(low: f64, high: f64) -> Self {
        Self::between(low, high, (true, false))
    }

    const fn named(names: &'static [&'static str]) -> Self {
        Self { names, ..Self::FINITE }
    }

    const fn or(self, word: &'static str) -> Self {
        Self { or: Some(word), ..self }
    }

    fn contains(&self, value: f64) -> bool {
        let above = if self.closed.0 { value >= self.low } else { value > self.low };
        let below = if self.closed.1 { value <= self.high } else { value < self.high };
        above && below
    }

    /// The whole numbers within, which are never without bounds.
    fn allowed_whole(&self) -> String {
        format!("a whole number from {} to {}", grouped(self.low), grouped(self.high))
    }

    fn allowed(&self) -> String {
        let numbers = if !self.names.is_empty() {
            self.names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
        } else if self.low == f64::MIN {
            "a finite number".to_owned()
        } else if self.high == f64::MAX {
            format!("above {}", self.low)
        } else {
            match self.closed {
                (true, true) => format!("{} to {}", self.low, self.high),
                (true, false) => format!("{} to below {}", self.low, self.high),
                (false, true) => format!("above {}, at most {}", self.low, self.high),
                (false, false) => format!("above {}, below {}", self.low, self.high),
            }
        };
        match self.or {
            Some(word) => format!("{numbers}, or {word}"),
            None => numbers,
        }
    }
}

/// A whole number with its digits in groups of three: `100,000`.
fn grouped(whole: f64) -> String {
    let digits = whole.to_string();
    let mut shown = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            shown.push(',');
        }
        shown.push(digit);
    }
    shown
}

/// A kind of setting's value.
trait Value: Sized {
    /// The value that `text` spells, where `range` allows it.
    fn read(text: &str, range: &Range) -> Option<Self>;

    /// What `range` allows, in words.
    fn allowed(range: &Range) -> String {
        range.allowed()
    }
}

impl Value for f64 {
    fn read(text: &str, range: &Range) -> Option<Self> {
        text.parse().ok().filter(|value| range.contains(*value))
    }
}

impl Value for Option<f64> {
    fn read(text: &str, range: &Range) -> Option<Self> {
        if text == "none" { Some(None) } else { f64::read(text, range).map(Some) }
    }
}

impl Value for Baseline {
    fn read(text: &str, range: &Range) -> Option<Self> {
        if text == "running" { Some(Self::Running) } else { f64::read(text, range).map(Self::Fixed) }
    }
}

/// Implements [`Value`] for whole numbers and for names.
macro_rules! values {
    (whole: $($whole:ty),+; named: $($named:ty),+) => {
        $(impl Value for $whole {
            fn read(text: &str, range: &Range) -> Option<Self> {
                let value = f64::read(text, range)?;
                (value.fract() == 0.0).then_some(value as $whole)
            }

            fn allowed(range: &Range) -> String {
                range.allowed_whole()
            }
        })+
        $(impl Value for $named {
            fn read(text: &str, _: &Range) -> Option<Self> {
                Self::named(text)
            }
        })+
    };
}

values!(whole: usize, u32, u64; named: Strategy, Tie, AgeFrom, Rescore);

impl Value for bool {
    fn read(text: &str, _: &Range) -> Option<Self> {
        text.parse().ok()
    }
}

fn parse<T: Value>(key: &str, text: &str, range: &Range) -> Result<T, Refusal> {
    T::read(text, range).ok_or_else(|| bad(key, text, &T::allowed(range)))
}

fn bad(key: &str, value: &str, allowed: &str) -> Refusal {
    let message = format!("{key} cannot be {}; allowed is {allowed}", shortened(value));
    Refusal::new(Code::BadSetting, message).field(key).value(value).allowed(allowed)
}

fn unknown(key: &str) -> Refusal {
    let near = Settings::KEYS.iter().map(|known| (strsim::osa_distance(key, known), *known)).min();
    let hint = match near {
        Some((distance, known)) if distance <= known.len() / 3 => format!("; did you mean \"{known}\"?"),
        _ => "; `docet settings` lists them".to_owned(),
    };
    Refusal::new(Code::BadSetting, format!("there is no setting \"{}\"{hint}", shortened(key)))
        .field(shortened(key))
        .allowed(Settings::KEYS.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(key: &str, value: &str) -> Option<String> {
        Settings::default().set(key, value).err().and_then(|refusal| refusal.allowed)
    }

    #[test]
    fn every_key_has_a_range_that_refuses() {
        let out_of_range = |key: &str| if key == "utility_scale" { "0" } else { "nan" };
        for key in Settings::KEYS {
            assert!(refused(key, out_of_range(key)).is_some(), "{key}");
        }
    }

    #[test]
    fn ranges_are_those_of_the_contract() {
        // (key, allowed at the edges, refused just beyond)
        let table: &[(&str, &[&str], &[&str])] = &[
            ("capacity", &["1", "100000"], &["0", "100001", "1.5", "-1", "inf", "18446744073709551616"]),
            ("top_k", &["1", "100"], &["0", "101"]),
            ("confidence_weight", &["0", "1"], &["-0.01", "1.01"]),
            ("min_score", &["-1", "1", "none"], &["-1.01", "1.01", "null"]),
            ("min_confidence", &["0.01"], &["0", "1"]),
            ("learning_rate", &["0.5"], &["0", "1"]),
            ("tie", &["no_evidence", "not_improved"], &["improved"]),
            ("baseline", &["running", "-3.5", "1e300"], &["1e400", "walking"]),
            ("similar_at", &["1", "0.001"], &["0", "1.01"]),
            ("discard_fraction", &["0", "0.99"], &["1", "-0.1"]),
            ("max_discard", &["0", "1"], &["1.1"]),
            ("decay_rate", &["10", "0.001"], &["0", "10.1"]),
            ("min_time_weight", &["0"], &["1"]),
            ("utility_scale", &["1e300"], &["0", "-1"]),
            ("recency_exponent", &["0", "10"], &["10.5"]),
            ("spare_new", &["true", "false"], &["yes"]),
            ("refuse_secrets", &["true", "false"], &["1"]),
            ("idempotency_hours", &["1", "8760"], &["0", "8761"]),
            ("seed", &["0", "9007199254740991"], &["9007199254740992"]),
        ];
        for (key, allowed, beyond) in table {
            for value in *allowed {
                assert_eq!(refused(key, value), None, "{key}={value}");
            }
            for value in *beyond {
                assert!(refused(key, value).is_some(), "{key}={value}");
            }
        }
    }

    #[test]
    fn what_is_allowed_is_said_in_words() {
        for (key, allowed) in [
            ("capacity", "a whole number from 1 to 100,000"),
            ("session_ttl_hours", "a whole number from 1 to 8,760"),
            ("seed", "a whole number from 0 to 9,007,199,254,740,991"),
            ("confidence_weight", "0 to 1"),
            ("min_score", "-1 to 1, or none"),
            ("baseline", "a finite number, or \"running\""),
            ("spare_new", "\"true\", \"false\""),
        ] {
            assert_eq!(refused(key, "nan").as_deref(), Some(allowed), "{key}");
            assert!(Settings::reference().iter().any(|line| line.key == key && line.allowed == allowed), "{key}");
        }
    }

    #[test]
    fn settings_are_checked_as_a_whole() {
        let defaults = Settings::default;
        assert!(defaults().check().is_ok());
        for broken in [
            Settings { min_confidence: 0.6, ..defaults() },
            Settings { max_confidence: 0.4, ..defaults() },
            Settings { baseline_window: 4, ..defaults() },
            Settings { capacity: 20_001, ..defaults() },
        ] {
            assert_eq!(broken.check().unwrap_err().code, Code::BadSetting);
        }
        assert!(Settings { capacity: 100_000, strategy: Strategy::Importance, ..defaults() }.check().is_ok());
    }

    #[test]
    fn presets_differ_in_the_departures_alone() {
        let paper = Settings::preset(Preset::Paper);
        let expected = Settings {
            tie: Tie::NotImproved,
            rescore: Rescore::Once,
            age_from: AgeFrom::Created,
            max_discard: 1.0,
            spare_new: false,
            ..Settings::default()
        };
        assert_eq!(paper, expected);
        assert_eq!(Settings::preset(Preset::Recommended), Settings::default());
    }

    #[test]
    fn a_misspelt_key_gets_a_suggestion() {
        let message = Settings::default().set("capcity", "3").unwrap_err().message;
        assert!(message.contains("did you mean \"capacity\""), "{message}");
    }
}
