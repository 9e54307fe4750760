//! One of the six transformer layers: attention, then a small network on each token, each added to what went in and
//! normalised.

use crate::activation::{LayerNorm, gelu};
use crate::attention::{AttentionSpace, attend};
use crate::linear::Linear;
use crate::weights::Weights;
use docet_core::ports::EncoderError;

/// Columns of a token's state.
pub(crate) const WIDTH: usize = 384;
/// Query, key and value side by side.
pub(crate) const PROJECTED: usize = 3 * WIDTH;
/// Columns inside the small network.
const INNER: usize = 4 * WIDTH;

/// The weights of a layer.
pub(crate) struct Layer {
    query_key_value: Linear,
    attention_output: Linear,
    attention_norm: LayerNorm,
    inner: Linear,
    output: Linear,
    output_norm: LayerNorm,
}

/// Work space that is kept from layer to layer.
#[derive(Default)]
pub(crate) struct LayerSpace {
    wide: Vec<f32>,
    mixed: Vec<f32>,
    attention: AttentionSpace,
}

impl Layer {
    /// Reads and packs the weights of layer `index`.
    pub(crate) fn read(weights: &Weights, index: usize) -> Result<Self, EncoderError> {
        let prefix = format!("encoder.layer.{index}");
        let attention = format!("{prefix}.attention");
        Ok(Self {
            query_key_value: weights
                .linear(&["query", "key", "value"].map(|part| format!("{attention}.self.{part}")))?,
            attention_output: weights.linear(&[format!("{attention}.output.dense")])?,
            attention_norm: weights.layer_norm(&format!("{attention}.output.LayerNorm"))?,
            inner: weights.linear(&[format!("{prefix}.intermediate.dense")])?,
            output: weights.linear(&[format!("{prefix}.output.dense")])?,
            output_norm: weights.layer_norm(&format!("{prefix}.output.LayerNorm"))?,
        })
    }

    /// Runs the layer on the states of several texts one after another; `lengths` are their numbers of tokens.
    pub(crate) fn run(&self, states: &mut [f32], lengths: &[usize], space: &mut LayerSpace) {
        let tokens = states.len() / WIDTH;
        space.wide.resize(tokens * INNER, 0.0);
        space.mixed.resize(tokens * WIDTH, 0.0);
        let projected = &mut space.wide[..tokens * PROJECTED];
        self.query_key_value.apply(states, projected);
        attend_each(projected, &mut space.mixed, lengths, &mut space.attention);
        self.attention_output.add(&space.mixed, states);
        self.attention_norm.apply(states);
        self.inner.apply(states, &mut space.wide);
        gelu(&mut space.wide);
        self.output.add(&space.wide, states);
        self.output_norm.apply(states);
    }
}

fn attend_each(mut projected: &[f32], mut mixed: &mut [f32], lengths: &[usize], space: &mut AttentionSpace) {
    for &tokens in lengths {
        let (text, rest) = projected.split_at(tokens * PROJECTED);
        let (output, output_rest) = mixed.split_at_mut(tokens * WIDTH);
        attend(text, output, space);
        (projected, mixed) = (rest, output_rest);
    }
}
