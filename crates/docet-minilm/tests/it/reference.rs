//! Cosines and token counts against the model in double precision.

use crate::support::{ENCODER, Row, own_rows, rows, shared};
use docet_core::ports::Embedder;

/// What the specification asks for.
const LEAST_COSINE: f64 = 0.999_999;

#[test]
fn our_own_texts_have_the_reference_vectors() {
    check(&own_rows());
}

#[test]
fn the_shared_texts_have_the_reference_vectors() {
    if let Some(path) = shared("embeddings/reference.jsonl") {
        check(&rows(&path));
    }
}

fn check(rows: &[Row]) {
    let texts: Vec<&str> = rows.iter().map(|row| row.text.as_str()).collect();
    let encoded = ENCODER.embed(&texts).expect("the encoder is open");
    assert_eq!(encoded.len(), rows.len());
    let mut worst = 1.0_f64;
    for (row, encoded) in rows.iter().zip(&encoded) {
        assert_eq!(encoded.tokens, row.tokens, "tokens of {:?}", row.text);
        worst = worst.min(cosine(encoded.embedding.as_slice(), &row.embedding));
    }
    eprintln!("worst cosine of {} texts: 1 - {:.1e}", rows.len(), 1.0 - worst);
    assert!(worst >= LEAST_COSINE, "worst cosine {worst}");
}

fn cosine(ours: &[f32], theirs: &[f64]) -> f64 {
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let ours: Vec<f64> = ours.iter().map(|&value| f64::from(value)).collect();
    dot(&ours, theirs) / (dot(&ours, &ours).sqrt() * dot(theirs, theirs).sqrt())
}
