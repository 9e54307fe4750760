//! What runs on each number or row between the products: GELU, layer normalisation, softmax.
//!
//! Plain loops over blocks of [`LANES`] numbers, compiled for the widest vectors that the processor has. Nothing here
//! depends on the rows around a row, so a text keeps its bits in any batch.

use pulp::Arch;
use std::f32::consts::{FRAC_1_SQRT_2, FRAC_2_SQRT_PI, LOG2_E};

/// Numbers handled side by side: one 512-bit register, two 256-bit ones.
pub(crate) const LANES: usize = 16;

/// Added to a variance before the root, as the model's configuration says.
const EPSILON: f32 = 1e-12;

/// Gain and bias of a layer normalisation.
pub(crate) struct LayerNorm {
    gain: Vec<f32>,
    bias: Vec<f32>,
}

impl LayerNorm {
    /// Takes one gain and one bias a column.
    pub(crate) fn new(gain: &[f32], bias: &[f32]) -> Self {
        Self { gain: gain.to_vec(), bias: bias.to_vec() }
    }

    /// Brings each row to mean 0 and variance 1, then applies gain and bias.
    pub(crate) fn apply(&self, rows: &mut [f32]) {
        Arch::new().dispatch(|| {
            for row in rows.chunks_exact_mut(self.gain.len()) {
                self.apply_to_row(row);
            }
        });
    }

    #[inline(always)]
    fn apply_to_row(&self, row: &mut [f32]) {
        let length = row.len() as f32;
        let mean = sum_of(row, |value| value) / length;
        let variance = sum_of(row, |value| (value - mean) * (value - mean)) / length;
        let scale = 1.0 / (variance + EPSILON).sqrt();
        for ((value, gain), bias) in row.iter_mut().zip(&self.gain).zip(&self.bias) {
            *value = (*value - mean) * scale * gain + bias;
        }
    }
}

/// Replaces each x by x Φ(x), Φ the normal distribution, through the error function and not its tanh approximation.
pub(crate) fn gelu(values: &mut [f32]) {
    Arch::new().dispatch(|| {
        for value in values {
            *value = 0.5 * *value * (1.0 + error_function(*value * FRAC_1_SQRT_2));
        }
    });
}

/// Replaces scores by positive weights e^(score - highest) and gives their sum. The length is a multiple of [`LANES`];
/// scores of minus infinity get 0.
#[inline(always)]
pub(crate) fn exponentials(scores: &mut [f32]) -> f32 {
    let mut highest = [f32::NEG_INFINITY; LANES];
    for block in scores.chunks_exact(LANES) {
        for lane in 0..LANES {
            highest[lane] = if block[lane] > highest[lane] { block[lane] } else { highest[lane] };
        }
    }
    let highest = highest.into_iter().fold(f32::NEG_INFINITY, f32::max);
    for score in scores.iter_mut() {
        *score = exponential(*score - highest);
    }
    sum_of(scores, |weight| weight)
}

/// The sum of `term` over all values, in [`LANES`] partial sums. The length is a multiple of [`LANES`].
#[inline(always)]
fn sum_of(values: &[f32], term: impl Fn(f32) -> f32) -> f32 {
    let mut partial = [0.0; LANES];
    for block in values.chunks_exact(LANES) {
        for lane in 0..LANES {
            partial[lane] += term(block[lane]);
        }
    }
    for width in [8, 4, 2, 1] {
        for lane in 0..width {
            partial[lane] += partial[lane + width];
        }
    }
    partial[0]
}

/// erf(z) within 4e-7: z P(z²)/Q(z²), a minimax fit of our own on [0, 4] with a relative error of 2.5e-8; beyond 4 the
/// error function is 1 to eight digits.
#[inline(always)]
fn error_function(z: f32) -> f32 {
    const P: [f32; 6] = [1.986_755e-6, 2.845_626_1e-4, 3.883_310_1e-3, 5.310_164e-2, 0.193_544_66, FRAC_2_SQRT_PI];
    const Q: [f32; 6] = [3.741_971e-5, 1.185_557_9e-3, 1.520_718_7e-2, 0.115_349_784, 0.504_857_06, 1.0];
    let square = z * z;
    let inside = z * polynomial(&P, square) / polynomial(&Q, square);
    let clamped = if z > 4.0 { 1.0 } else { inside };
    if z < -4.0 { -1.0 } else { clamped }
}

/// e^x for x at most 0, within two units in the last place: 2^n e^r with r in [-ln 2 / 2, ln 2 / 2]. Below -87 it is 0.
#[inline(always)]
fn exponential(x: f32) -> f32 {
    /// Adding and subtracting 1.5 x 2^23 rounds to the nearest whole number.
    const ROUNDER: f32 = 12_582_912.0;
    /// ln 2 in two parts, the first with few enough digits that n times it is exact.
    const LN_2: [f32; 2] = [355.0 / 512.0, -2.121_944_4e-4];
    const TAYLOR: [f32; 7] = [1.0 / 720.0, 1.0 / 120.0, 1.0 / 24.0, 1.0 / 6.0, 0.5, 1.0, 1.0];
    let clamped = if x < -87.0 { -87.0 } else { x };
    let shifted = clamped * LOG2_E + ROUNDER;
    let n = shifted - ROUNDER;
    let r = clamped - n * LN_2[0] - n * LN_2[1];
    let power = f32::from_bits((shifted.to_bits() << 23).wrapping_add(1.0_f32.to_bits()));
    if x < -87.0 { 0.0 } else { polynomial(&TAYLOR, r) * power }
}

/// Horner's rule, highest coefficient first.
#[inline(always)]
fn polynomial<const N: usize>(coefficients: &[f32; N], x: f32) -> f32 {
    let mut value = coefficients[0];
    for coefficient in &coefficients[1..] {
        value = value * x + coefficient;
    }
    value
}

#[cfg(test)]
mod tests;
