//! A text has the same bits alone and in any batch, on any number of threads.

use crate::support::{ENCODER, open, own_rows};
use docet_core::ports::{Embedder, Encoded};
use std::collections::HashMap;

/// Random batches for each number of threads.
const BATCHES: usize = 6;

#[test]
fn alone_and_in_any_batch_on_any_threads() {
    let rows = own_rows();
    let texts: Vec<&str> = rows.iter().map(|row| row.text.as_str()).collect();
    let alone: HashMap<&str, Encoded> = texts.iter().map(|text| (*text, embed_one(text))).collect();
    let mut random = Random(7);
    for threads in [1, 2, 3, 8] {
        let encoder = open(threads);
        for _ in 0..BATCHES {
            let length = 1 + random.below(40);
            let batch: Vec<&str> = (0..length).map(|_| texts[random.below(texts.len())]).collect();
            let encoded = encoder.embed(&batch).expect("the encoder is open");
            for (text, encoded) in batch.iter().zip(&encoded) {
                assert_eq!(bits(encoded), bits(&alone[text]), "{threads} threads, batch of {length}: {text:?}");
            }
        }
    }
}

#[test]
fn each_length_alone_and_among_others() {
    let words = "check the plan ".repeat(100);
    let texts: Vec<&str> = (0..=80).map(|count| &words[..5 * count]).collect();
    let together = ENCODER.embed(&texts).expect("the encoder is open");
    for (text, together) in texts.iter().zip(&together) {
        assert_eq!(bits(together), bits(&embed_one(text)), "{} tokens", together.tokens);
    }
}

fn embed_one(text: &str) -> Encoded {
    ENCODER.embed(&[text]).expect("the encoder is open").remove(0)
}

fn bits(encoded: &Encoded) -> Vec<u32> {
    encoded.embedding.as_slice().iter().map(|value| value.to_bits()).collect()
}

/// A small generator, so that a failure comes back.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }
}
