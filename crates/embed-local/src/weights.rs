//! The weights of a model, as they are in memory.

use crate::Error;
use crate::linear::{Integers, Linear, Rows, rounded};
use crate::shape::Shape;
use crate::tensors::{BLOCK, Tensors};

/// All weights.
pub(crate) struct Weights {
    pub(crate) shape: Shape,
    /// `[words, hidden]` in steps of 8 bits, and a scale for each 32 of them.
    words: Vec<i8>,
    scales: Vec<f32>,
    /// `[tokens, hidden]`, with what the kind of token adds.
    positions: Vec<f32>,
    pub(crate) norm: Norm,
    pub(crate) layers: Vec<Layer>,
}

/// What a normalization multiplies and adds.
pub(crate) struct Norm {
    pub(crate) weight: Vec<f32>,
    pub(crate) bias: Vec<f32>,
}

/// One layer.
pub(crate) struct Layer {
    /// Query, key and value, side by side.
    pub(crate) parts: Linear,
    pub(crate) attended: Linear,
    pub(crate) attended_norm: Norm,
    pub(crate) up: Linear,
    pub(crate) down: Linear,
    pub(crate) norm: Norm,
}

impl Weights {
    /// Reads them.
    pub(crate) fn read(
        shape: Shape,
        tensors: &mut Tensors,
        integers: &Integers,
    ) -> Result<Self, Error> {
        let hidden = shape.hidden;
        let mut words = Vec::with_capacity(shape.words * hidden);
        let mut scales = Vec::with_capacity(shape.words * hidden / BLOCK);
        let table = [shape.words, hidden];
        tensors.rows("embeddings.word_embeddings.weight", table, |row| {
            for block in row.as_chunks::<BLOCK>().0 {
                let largest = block.iter().fold(0.0, |most: f32, n| most.max(n.abs()));
                let scale = largest / 127.0;
                let steps = if scale > 0.0 { 1.0 / scale } else { 0.0 };
                words.extend(block.iter().map(|number| rounded(number * steps)));
                scales.push(scale);
            }
        })?;
        let mut kind = Vec::new();
        let kinds = [shape.kinds, hidden];
        tensors.rows("embeddings.token_type_embeddings.weight", kinds, |row| {
            if kind.is_empty() {
                kind = row.to_vec();
            }
        })?;
        let mut positions = Vec::with_capacity(shape.positions * hidden);
        let table = [shape.positions, hidden];
        tensors.rows("embeddings.position_embeddings.weight", table, |row| {
            positions.extend(row.iter().zip(&kind).map(|(a, b)| a + b));
        })?;
        positions.drain(..shape.first_position * hidden);
        let norm = norm(tensors, "embeddings.LayerNorm", hidden)?;
        let layers = (0..shape.layers).map(|layer| read_layer(layer, &shape, tensors, integers));
        Ok(Self {
            words,
            scales,
            positions,
            norm,
            layers: layers.collect::<Result<_, Error>>()?,
            shape,
        })
    }

    /// Appends what the first layer gets for a token at a position of its text.
    pub(crate) fn embed(&self, token: u32, position: usize, state: &mut Vec<f32>) {
        let hidden = self.shape.hidden;
        let word = token as usize * hidden;
        let steps = self.words[word..word + hidden].as_chunks::<BLOCK>().0;
        let scales = &self.scales[word / BLOCK..];
        let positions = &self.positions[position * hidden..(position + 1) * hidden];
        let places = positions.as_chunks::<BLOCK>().0;
        for ((steps, scale), places) in steps.iter().zip(scales).zip(places) {
            let both = steps.iter().zip(places);
            state.extend(both.map(|(step, place)| f32::from(*step) * scale + place));
        }
    }
}

fn norm(tensors: &mut Tensors, name: &str, width: usize) -> Result<Norm, Error> {
    Ok(Norm {
        weight: tensors.whole(&format!("{name}.weight"), width)?,
        bias: tensors.whole(&format!("{name}.bias"), width)?,
    })
}

fn read_layer(
    layer: usize,
    shape: &Shape,
    tensors: &mut Tensors,
    integers: &Integers,
) -> Result<Layer, Error> {
    let (hidden, inner) = (shape.hidden, shape.inner);
    let name = |part: &str| format!("encoder.layer.{layer}.{part}");
    let mut linear = |parts: &[(&str, f32)], [outputs, inputs]: [usize; 2]| {
        let (mut rows, mut bias) = (Rows::new(inputs), Vec::new());
        for (part, factor) in parts {
            let weight = name(&format!("{part}.weight"));
            tensors.rows(&weight, [outputs, inputs], |row| rows.push(row, *factor))?;
            let more = tensors.whole(&name(&format!("{part}.bias")), outputs)?;
            bias.extend(more.iter().map(|number| number * factor));
        }
        Ok(rows.pack(integers, bias))
    };
    // The product of query and key is divided by this: the query is, once.
    let divided = 1.0 / (shape.head() as f32).sqrt();
    let parts = [
        ("attention.self.query", divided),
        ("attention.self.key", 1.0),
        ("attention.self.value", 1.0),
    ];
    Ok(Layer {
        parts: linear(&parts, [hidden, hidden])?,
        attended: linear(&[("attention.output.dense", 1.0)], [hidden, hidden])?,
        up: linear(&[("intermediate.dense", 1.0)], [inner, hidden])?,
        down: linear(&[("output.dense", 1.0)], [hidden, inner])?,
        attended_norm: norm(tensors, &name("attention.output.LayerNorm"), hidden)?,
        norm: norm(tensors, &name("output.LayerNorm"), hidden)?,
    })
}
