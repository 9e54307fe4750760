//! [`MiniLm`]: the whole way from texts to vectors.

use crate::activation::LayerNorm;
use crate::layer::{Layer, LayerSpace, WIDTH};
use crate::model::{Model, TOKENIZER, WEIGHTS};
use crate::tokenizer::{LIMIT, Tokenizer, Tokens};
use crate::weights::{Table, Weights};
use docet_core::embedding::Embedding;
use docet_core::ports::{Embedder, Encoded, EncoderError, EncoderId};
use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Transformer layers.
const LAYERS: usize = 6;

/// Tokens that go through the layers together at most: enough to use each weight often, few enough for the cache.
const CHUNK_TOKENS: usize = 256;

/// all-MiniLM-L6-v2 with its weights packed, ready to encode.
pub struct MiniLm {
    tokenizer: Tokenizer,
    words: Table,
    /// Position and token type added up, one row a position.
    positions: Vec<f32>,
    norm: LayerNorm,
    layers: Vec<Layer>,
    threads: Threads,
}

/// On how many threads to encode. One text is always encoded on one: its layers follow one upon another.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Threads {
    /// As many as the machine runs at once.
    #[default]
    Automatic,
    /// At most so many.
    Fixed(NonZeroUsize),
}

/// The one encoder of this crate, by the pinned hashes of its weights and its tokenizer.
pub fn encoder_id() -> EncoderId {
    EncoderId(format!("all-MiniLM-L6-v2 {} {}", WEIGHTS.sha256, TOKENIZER.sha256))
}

impl MiniLm {
    /// Maps the weights, packs them and reads the tokenizer.
    ///
    /// # Errors
    /// [`EncoderError`] where a file cannot be read or is not what its name says.
    pub fn open(model: &Model, threads: Threads) -> Result<Self, EncoderError> {
        let tokenizer = Tokenizer::open(&model.tokenizer())?;
        let weights = Weights::open(&model.weights())?;
        let layers = (0..LAYERS).map(|index| Layer::read(&weights, index)).collect::<Result<_, _>>()?;
        Ok(Self {
            tokenizer,
            positions: positions(&weights)?,
            norm: weights.layer_norm("embeddings.LayerNorm")?,
            layers,
            words: weights.into_table("embeddings.word_embeddings.weight")?,
            threads,
        })
    }

    /// Encodes chunks of texts, each on the next free thread, this one among them.
    fn encode(&self, texts: &[Tokens]) -> Vec<Embedding> {
        let chunks = chunks(texts, self.threads.count());
        let next = AtomicUsize::new(0);
        let work = || self.encode_chunks(&chunks, &next);
        let mut encoded = thread::scope(|scope| {
            // Where the system gives no more threads, fewer do the work.
            let helper = |_| thread::Builder::new().spawn_scoped(scope, work).ok();
            let helpers: Vec<_> = (1..self.threads.count().min(chunks.len())).filter_map(helper).collect();
            let mut encoded = work();
            for helper in helpers {
                encoded.extend(helper.join().unwrap_or_else(|panic| resume_unwind(panic)));
            }
            encoded
        });
        encoded.sort_unstable_by_key(|(index, _)| *index);
        encoded.into_iter().flat_map(|(_, embeddings)| embeddings).collect()
    }

    /// Takes chunk after chunk from the counter `next` until there are no more.
    fn encode_chunks(&self, chunks: &[&[Tokens]], next: &AtomicUsize) -> Vec<(usize, Vec<Embedding>)> {
        let mut space = LayerSpace::default();
        let mut encoded = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(chunk) = chunks.get(index) else { return encoded };
            encoded.push((index, self.encode_chunk(chunk, &mut space)));
        }
    }

    fn encode_chunk(&self, texts: &[Tokens], space: &mut LayerSpace) -> Vec<Embedding> {
        let mut states = self.states(texts);
        let lengths: Vec<usize> = texts.iter().map(|text| text.ids.len()).collect();
        for layer in &self.layers {
            layer.run(&mut states, &lengths, space);
        }
        let mut rest = &states[..];
        let pool_next = |tokens: &usize| {
            let (text, after) = rest.split_at(tokens * WIDTH);
            rest = after;
            pool(text)
        };
        lengths.iter().map(pool_next).collect()
    }

    /// What goes into the first layer: word, position and token type, normalised.
    fn states(&self, texts: &[Tokens]) -> Vec<f32> {
        let mut states = Vec::with_capacity(texts.iter().map(|text| text.ids.len() * WIDTH).sum());
        for text in texts {
            for (&id, position) in text.ids.iter().zip(self.positions.chunks_exact(WIDTH)) {
                let word = self.words.row(id as usize);
                states.extend(word.iter().zip(position).map(|(word, position)| word + position));
            }
        }
        self.norm.apply(&mut states);
        states
    }
}

impl Embedder for MiniLm {
    fn encoder(&self) -> EncoderId {
        encoder_id()
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Encoded>, EncoderError> {
        let tokens: Vec<Tokens> = texts.iter().map(|text| self.tokenizer.encode(text)).collect();
        let embeddings = self.encode(&tokens);
        let encoded = |(tokens, embedding): (Tokens, Embedding)| Encoded {
            embedding,
            tokens: tokens.ids.len(),
            truncated: tokens.truncated,
        };
        Ok(tokens.into_iter().zip(embeddings).map(encoded).collect())
    }
}

impl Threads {
    fn count(self) -> usize {
        match self {
            Self::Automatic => thread::available_parallelism().map_or(1, NonZeroUsize::get),
            Self::Fixed(count) => count.get(),
        }
    }
}

/// Position embeddings with the one token type in use added to each.
fn positions(weights: &Weights) -> Result<Vec<f32>, EncoderError> {
    let token_type = &weights.tensor("embeddings.token_type_embeddings.weight")?[..WIDTH];
    let positions = &weights.tensor("embeddings.position_embeddings.weight")?[..LIMIT * WIDTH];
    let sums = positions.chunks_exact(WIDTH).flat_map(|position| position.iter().zip(token_type).map(|(a, b)| a + b));
    Ok(sums.collect())
}

/// Cuts texts into runs of like numbers of tokens, so many that `threads` threads end together, each run at most about
/// [`CHUNK_TOKENS`] long.
fn chunks(texts: &[Tokens], threads: usize) -> Vec<&[Tokens]> {
    let total: usize = texts.iter().map(|text| text.ids.len()).sum();
    let rounds = total.div_ceil(CHUNK_TOKENS.saturating_mul(threads));
    let chunk_tokens = total.div_ceil(rounds.saturating_mul(threads).max(1));
    let mut read = 0;
    let mut chunk_of = |text: &Tokens| {
        let chunk = read / chunk_tokens;
        read += text.ids.len();
        chunk
    };
    let numbers: Vec<usize> = texts.iter().map(&mut chunk_of).collect();
    let mut rest = texts;
    let take = |run: &[usize]| {
        let (chunk, after) = rest.split_at(run.len());
        rest = after;
        chunk
    };
    numbers.chunk_by(|a, b| a == b).map(take).collect()
}

/// The mean over all tokens, brought to unit length. (The length makes dividing by their number superfluous.)
fn pool(states: &[f32]) -> Embedding {
    let mut sum = [0.0_f64; WIDTH];
    for state in states.chunks_exact(WIDTH) {
        for (sum, value) in sum.iter_mut().zip(state) {
            *sum += f64::from(*value);
        }
    }
    let length = sum.iter().map(|value| value * value).sum::<f64>().sqrt();
    let unit = sum.map(|value| (value / length) as f32);
    Embedding::new(&unit).expect("finite weights give a vector that can be brought to unit length")
}
