//! Confidence and its learning rule (`eq:confidence-update`).

use serde::{Deserialize, Serialize};

use crate::error::{Code, Refusal};
use crate::settings::Settings;

/// How far a lesson is trusted, `c`: within (0, 1).
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Confidence(f64);

impl Confidence {
    /// Checks a caller's start.
    ///
    /// # Errors
    /// `bad_confidence` outside of (0, 1).
    pub fn parse(value: f64) -> Result<Self, Refusal> {
        if value > 0.0 && value < 1.0 {
            return Ok(Self(value));
        }
        let message = format!("confidence is {value}; allowed is above 0 and below 1");
        Err(Refusal::new(Code::BadConfidence, message).field("confidence").value(value).allowed("above 0, below 1"))
    }

    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }

    /// Itself within the settings' bounds.
    #[must_use]
    pub fn clamped(self, settings: &Settings) -> Self {
        Self(self.0.clamp(settings.min_confidence, settings.max_confidence))
    }

    /// After a session that the lesson improved: `c <- min(c + g(1 - c), c_max)`, never lower than before.
    #[must_use]
    pub fn improved(self, settings: &Settings) -> Self {
        let raised = self.0 + settings.learning_rate * (1.0 - self.0);
        Self(raised.min(settings.max_confidence).max(self.0))
    }

    /// After a session that it did not improve: `c <- max(c - g c, c_min)`, never higher than before.
    #[must_use]
    pub fn not_improved(self, settings: &Settings) -> Self {
        let lowered = self.0 - settings.learning_rate * self.0;
        Self(lowered.max(settings.min_confidence).min(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-12
    }

    #[test]
    fn eq_confidence_update_by_hand() {
        // (before, improved, not improved), g = 0.1, bounds 0.05 and 0.95:
        // 0.5 + 0.1 * 0.5 = 0.55;      0.5 - 0.1 * 0.5 = 0.45
        // 0.9 + 0.1 * 0.1 = 0.91;      0.9 - 0.09 = 0.81
        // 0.948 + 0.0052 = 0.9532 -> 0.95
        // 0.052 - 0.0052 = 0.0468 -> 0.05
        let table = [(0.5, 0.55, 0.45), (0.9, 0.91, 0.81), (0.948, 0.95, 0.8532), (0.052, 0.1468, 0.05)];
        let settings = Settings::default();
        for (before, up, down) in table {
            let confidence = Confidence::parse(before).unwrap();
            assert!(close(confidence.improved(&settings).get(), up), "{before} up");
            assert!(close(confidence.not_improved(&settings).get(), down), "{before} down");
        }
    }

    #[test]
    fn a_moved_bound_never_turns_a_verdict_round() {
        let settings = Settings { min_confidence: 0.4, max_confidence: 0.6, ..Settings::default() };
        let (high, low) = (Confidence::parse(0.9).unwrap(), Confidence::parse(0.1).unwrap());
        assert_eq!(high.improved(&settings), high);
        assert_eq!(low.not_improved(&settings), low);
        assert!(close(high.not_improved(&settings).get(), 0.81));
        assert!(close(low.improved(&settings).get(), 0.19));
    }

    #[test]
    fn only_what_lies_between_nought_and_one_is_a_confidence() {
        for bad in [0.0, 1.0, -0.1, f64::NAN, f64::INFINITY] {
            assert_eq!(Confidence::parse(bad).unwrap_err().code, Code::BadConfidence);
        }
    }
}
