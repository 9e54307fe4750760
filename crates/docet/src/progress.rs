//! An encoder that says how far it has come.

use std::sync::Arc;

use docet_core::ports::{Embedder, Encoded, EncoderError, EncoderId};

/// Hears how many texts of a call are encoded, and how many there are: first none, at last all.
pub type Progress = dyn Fn(usize, usize) + Send + Sync;

/// Texts between two reports: enough to keep every core busy, few enough for several reports a second.
const STRETCH: usize = 128;

/// Encodes in stretches and reports after each. A text has the same bits in any batch, so nobody can tell.
pub(crate) struct Reporting {
    embedder: Arc<dyn Embedder>,
    progress: Arc<Progress>,
}

impl Reporting {
    pub(crate) fn new(embedder: Arc<dyn Embedder>, progress: Arc<Progress>) -> Self {
        Self { embedder, progress }
    }
}

impl Embedder for Reporting {
    fn encoder(&self) -> EncoderId {
        self.embedder.encoder()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Encoded>, EncoderError> {
        if texts.is_empty() {
            return self.embedder.embed(texts);
        }
        let mut encoded = Vec::with_capacity(texts.len());
        for stretch in texts.chunks(STRETCH) {
            (self.progress)(encoded.len(), texts.len());
            encoded.extend(self.embedder.embed(stretch)?);
        }
        (self.progress)(encoded.len(), texts.len());
        Ok(encoded)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use docet_core::in_memory::HashEmbedder;

    use super::*;

    #[test]
    fn all_texts_come_back_in_order_and_are_counted() {
        let reports = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&reports);
        let progress = move |done, total| heard.lock().unwrap().push((done, total));
        let reporting = Reporting::new(Arc::new(HashEmbedder), Arc::new(progress));
        let texts: Vec<String> = (0..300).map(|number| format!("lesson {number}")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        assert_eq!(reporting.embed(&texts).unwrap(), HashEmbedder.embed(&texts).unwrap());
        assert_eq!(*reports.lock().unwrap(), [(0, 300), (128, 300), (256, 300), (300, 300)]);
    }
}
