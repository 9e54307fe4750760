//! [`OnDemand`]: finds and opens the encoder when the first text comes.

use crate::minilm::{MiniLm, Threads, encoder_id};
use crate::model::{Places, find};
use docet_core::ports::{Embedder, Encoded, EncoderError, EncoderId};
use std::sync::{Mutex, OnceLock, PoisonError};

/// The encoder for callers that may need none: nothing is looked for or read before the first text.
pub struct OnDemand {
    places: Places,
    threads: Threads,
    encoder: OnceLock<MiniLm>,
    opening: Mutex<()>,
}

impl OnDemand {
    /// Remembers where to look; looks nowhere yet.
    pub fn new(places: Places, threads: Threads) -> Self {
        Self { places, threads, encoder: OnceLock::new(), opening: Mutex::new(()) }
    }

    /// The encoder, opened by the first caller; a failure is not kept, so that the next caller tries again.
    fn encoder(&self) -> Result<&MiniLm, EncoderError> {
        let _opening = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(encoder) = self.encoder.get() {
            return Ok(encoder);
        }
        let encoder = MiniLm::open(&find(&self.places)?, self.threads)?;
        Ok(self.encoder.get_or_init(|| encoder))
    }
}

impl Embedder for OnDemand {
    fn encoder(&self) -> EncoderId {
        encoder_id()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Encoded>, EncoderError> {
        self.encoder()?.embed(texts)
    }
}
