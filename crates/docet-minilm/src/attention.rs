//! Scaled dot-product attention of one text: each token looks at every token of its own text, in twelve heads.

use crate::activation::{LANES, exponentials};
use crate::layer::{PROJECTED, WIDTH};
use pulp::Arch;

/// Attention heads.
const HEADS: usize = 12;
/// Columns of a head.
const HEAD: usize = WIDTH / HEADS;

/// Work space that is kept from text to text.
#[derive(Default)]
pub(crate) struct AttentionSpace {
    /// The keys of a head, scaled, one row a column of the head, the tokens side by side.
    keys: Vec<f32>,
    /// The scores of one query, then its weights.
    scores: Vec<f32>,
}

/// Attends within one text: `projected` holds query, key and value of each token side by side, `mixed` gets for each
/// token the weighted mean of the values.
pub(crate) fn attend(projected: &[f32], mixed: &mut [f32], space: &mut AttentionSpace) {
    Arch::new().dispatch(|| {
        for head in 0..HEADS {
            attend_head(head * HEAD, projected, mixed, space);
        }
    });
}

#[inline(always)]
fn attend_head(offset: usize, projected: &[f32], mixed: &mut [f32], space: &mut AttentionSpace) {
    let tokens = projected.len() / PROJECTED;
    let padded = tokens.next_multiple_of(LANES);
    space.keys.clear();
    space.keys.resize(HEAD * padded, 0.0);
    space.scores.resize(padded, 0.0);
    let AttentionSpace { keys, scores } = space;
    transpose_keys(&projected[WIDTH + offset..], keys, padded);
    for (row, output) in projected.chunks_exact(PROJECTED).zip(mixed.chunks_exact_mut(WIDTH)) {
        score(&row[offset..][..HEAD], keys, scores);
        scores[tokens..].fill(f32::NEG_INFINITY);
        let total = exponentials(scores);
        mix(&projected[2 * WIDTH + offset..], scores, total, &mut output[offset..][..HEAD]);
    }
}

/// Scaled keys, so that a query meets many of them in one stride.
#[inline(always)]
fn transpose_keys(projected: &[f32], keys: &mut [f32], padded: usize) {
    let scale = 1.0 / (HEAD as f32).sqrt();
    for (token, row) in projected.chunks(PROJECTED).enumerate() {
        for column in 0..HEAD {
            keys[column * padded + token] = row[column] * scale;
        }
    }
}

/// The scalar products of one query with all keys.
#[inline(always)]
fn score(query: &[f32], keys: &[f32], scores: &mut [f32]) {
    let padded = scores.len();
    for (block, scores) in scores.chunks_exact_mut(LANES).enumerate() {
        let mut sums = [0.0; LANES];
        for (query, keys) in query.iter().zip(keys.chunks_exact(padded)) {
            let keys = &keys[block * LANES..][..LANES];
            for lane in 0..LANES {
                sums[lane] += query * keys[lane];
            }
        }
        scores.copy_from_slice(&sums);
    }
}

/// The mean of the values, weighted.
#[inline(always)]
fn mix(values: &[f32], weights: &[f32], total: f32, output: &mut [f32]) {
    let mut sums = [0.0; HEAD];
    for (row, weight) in values.chunks(PROJECTED).zip(weights) {
        let row = &row[..HEAD];
        for column in 0..HEAD {
            sums[column] += weight * row[column];
        }
    }
    for (output, sum) in output.iter_mut().zip(sums) {
        *output = sum / total;
    }
}
