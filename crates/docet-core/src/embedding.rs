//! The vector of a text and its arithmetic: dot product, cosine, distance.
//!
//! All sums run in double precision over sixteen partial sums in a fixed order, so that a result has the same
//! bits on every machine and on any number of threads.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// The dimension of an [`Embedding`].
pub const DIMENSION: usize = 384;

/// Partial sums of a reduction: enough independent chains to keep a vector unit busy.
const LANES: usize = 16;

/// A sentence embedding: 384 finite reals of unit length (`def:experience`, `v`). Cheap to clone.
#[derive(Clone, Debug, PartialEq)]
pub struct Embedding {
    values: Arc<[f32; DIMENSION]>,
    squared_norm: f64,
}

/// Why numbers are no [`Embedding`].
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum BadEmbedding {
    /// Not 384 numbers.
    #[error("an embedding has {DIMENSION} numbers, this has {0}")]
    Length(usize),
    /// NaN, an infinity, or a length that is not 1 within 1e-3.
    #[error("an embedding has length 1, this has {0}")]
    Norm(f64),
}

/// Which encoder made a vector: the hashes of its weights and tokenizer. Vectors of two encoders are never compared.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct EncoderId(pub String);

/// A text as the encoder read it.
#[derive(Clone, Debug, PartialEq)]
pub struct Encoded {
    /// Its vector.
    pub embedding: Embedding,
    /// Tokens read by the model, `[CLS]` and `[SEP]` included.
    pub tokens: usize,
    /// Whether the text was longer than the model reads.
    pub truncated: bool,
}

impl Embedding {
    /// Takes numbers that already have unit length.
    ///
    /// # Errors
    /// [`BadEmbedding`] where there are not 384 of them or their length is not 1 within 1e-3.
    pub fn new(values: &[f32]) -> Result<Self, BadEmbedding> {
        let array: [f32; DIMENSION] = values.try_into().map_err(|_| BadEmbedding::Length(values.len()))?;
        let squared_norm = dot(&array, &array);
        let norm = squared_norm.sqrt();
        if (norm - 1.0).abs() > 1e-3 || norm.is_nan() {
            return Err(BadEmbedding::Norm(norm));
        }
        Ok(Self { values: Arc::new(array), squared_norm })
    }

    /// The 384 numbers.
    pub fn as_slice(&self) -> &[f32] {
        &self.values[..]
    }

    /// Cosine similarity (`eq:retrieval-score`), in [-1, 1] up to rounding.
    pub fn cosine(&self, other: &Self) -> f64 {
        // One root of the product: it makes the cosine of equal vectors exactly 1.
        dot(&self.values, &other.values) / (self.squared_norm * other.squared_norm).sqrt()
    }

    /// Euclidean distance (the distance of `eq:hybrid-utility`), in [0, 2] up to rounding.
    pub fn distance(&self, other: &Self) -> f64 {
        sum_over(DIMENSION, |i| {
            let difference = f64::from(self.values[i]) - f64::from(other.values[i]);
            difference * difference
        })
        .sqrt()
    }
}

fn dot(a: &[f32; DIMENSION], b: &[f32; DIMENSION]) -> f64 {
    sum_over(DIMENSION, |i| f64::from(a[i]) * f64::from(b[i]))
}

/// The sum of `term` over the numbers of a vector, in partial sums of fixed order.
pub(crate) fn sum_over(length: usize, term: impl Fn(usize) -> f64) -> f64 {
    let mut partial = [0.0; LANES];
    let whole = length / LANES * LANES;
    for block in (0..whole).step_by(LANES) {
        for (lane, sum) in partial.iter_mut().enumerate() {
            *sum += term(block + lane);
        }
    }
    partial.iter().sum::<f64>() + (whole..length).map(term).sum::<f64>()
}

#[cfg(test)]
impl Embedding {
    /// The direction of some coordinates, the other dimensions being 0.
    pub(crate) fn towards(coordinates: &[f32]) -> Self {
        let norm = coordinates.iter().map(|value| value * value).sum::<f32>().sqrt();
        let mut values = [0.0; DIMENSION];
        for (value, coordinate) in values.iter_mut().zip(coordinates) {
            *value = coordinate / norm;
        }
        Self::new(&values).expect("a direction has length 1")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cosine_and_distance_by_hand() {
        // (1, 0) and (3, 4) / 5: cosine 0.6, distance sqrt(0.4^2 + 0.8^2) = sqrt(0.8) = 0.894427191
        // (1, 0) and (0, 1): 0 and sqrt 2; (1, 0) and (-1, 0): -1 and 2
        let table = [([3.0, 4.0], 0.6, 0.894_427_191), ([0.0, 1.0], 0.0, 2_f64.sqrt()), ([-1.0, 0.0], -1.0, 2.0)];
        let first = Embedding::towards(&[1.0, 0.0]);
        for (coordinates, cosine, distance) in table {
            let second = Embedding::towards(&coordinates);
            assert!((first.cosine(&second) - cosine).abs() < 1e-7, "{coordinates:?}");
            assert!((first.distance(&second) - distance).abs() < 1e-7, "{coordinates:?}");
        }
        let odd = Embedding::towards(&[0.3, -0.7, 0.1]);
        assert_eq!((odd.cosine(&odd), odd.distance(&odd)), (1.0, 0.0));
    }

    #[test]
    fn what_has_not_length_one_is_no_embedding() {
        let of = |value: f32| {
            let mut values = [0.0; DIMENSION];
            values[7] = value;
            Embedding::new(&values)
        };
        assert!(of(-1.0).is_ok() && of(1.000_9).is_ok());
        for bad in [0.0, 0.998, 1.002, f32::NAN, f32::INFINITY, f32::MAX] {
            assert!(matches!(of(bad), Err(BadEmbedding::Norm(_))), "{bad}");
        }
        assert_eq!(Embedding::new(&[1.0]), Err(BadEmbedding::Length(1)));
    }
}
