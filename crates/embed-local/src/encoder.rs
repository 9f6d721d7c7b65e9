//! The layers of BERT: from tokens to one vector for each text.
//!
//! Texts stand one after the other, without padding: a product takes the tokens of all of them, and
//! attention goes text by text.

use std::ops::Range;

use rten_gemm::{GemmExecutor, GemmInputA, GemmInputB, GemmOptions};
use rten_simd::{SimdOp, SimdUnaryOp};
use rten_tensor::NdTensorView;
use rten_vecmath::{Gelu, Normalize, NormalizeOptions, Softmax, Sum, SumSquareSub};

use crate::linear::{Integers, Linear, Steps};
use crate::manifest::Pooling;
use crate::shape::Shape;
use crate::weights::{Layer, Norm, Weights};

/// What computes vectors, with room for what is between the layers.
pub(crate) struct Encoder {
    weights: Weights,
    pooling: Pooling,
    steps: Steps,
    sums: Vec<i32>,
    /// `[tokens, hidden]`
    state: Vec<f32>,
    /// `[tokens, 3 * hidden]`: query, key and value of each token.
    parts: Vec<f32>,
    /// `[tokens, hidden]`: what attention gathers.
    gathered: Vec<f32>,
    /// `[tokens, hidden]`: what a part of a layer adds.
    added: Vec<f32>,
    /// `[tokens, inner]`
    inner: Vec<f32>,
    /// `[tokens, tokens]` of one text and one head.
    shares: Vec<f32>,
    /// `[tokens, numbers of a head]` of one text.
    of_head: Vec<f32>,
}

impl Encoder {
    pub(crate) fn new(weights: Weights, pooling: Pooling) -> Self {
        Self {
            weights,
            pooling,
            steps: Steps::new(&Integers::default()),
            sums: Vec::new(),
            state: Vec::new(),
            parts: Vec::new(),
            gathered: Vec::new(),
            added: Vec::new(),
            inner: Vec::new(),
            shares: Vec::new(),
            of_head: Vec::new(),
        }
    }

    /// The vector of each text of tokens, each of length 1. No text may be empty or longer than
    /// [`Shape::tokens`], and no token above the number of words.
    pub(crate) fn vectors(&mut self, texts: &[Vec<u32>]) -> Vec<Vec<f32>> {
        let hidden = self.weights.shape.hidden;
        let mut ranges = Vec::with_capacity(texts.len());
        let mut tokens = 0;
        self.state.clear();
        for text in texts {
            ranges.push(tokens..tokens + text.len());
            tokens += text.len();
            for (position, token) in text.iter().enumerate() {
                self.weights.embed(*token, position, &mut self.state);
            }
        }
        normalize(
            &mut self.state,
            &self.weights.norm,
            self.weights.shape.epsilon,
        );
        // Made anew because they cannot move between threads; they are small.
        let (integers, floats) = (Integers::default(), GemmExecutor::default());
        for layer in 0..self.weights.layers.len() {
            self.layer(layer, &ranges, (&integers, &floats));
        }
        ranges
            .into_iter()
            .map(|range| {
                let states = &self.state[range.start * hidden..range.end * hidden];
                pooled(states, hidden, self.pooling)
            })
            .collect()
    }

    fn layer(
        &mut self,
        number: usize,
        texts: &[Range<usize>],
        (integers, floats): (&Integers, &GemmExecutor),
    ) {
        let Shape {
            hidden,
            inner,
            epsilon,
            ..
        } = self.weights.shape;
        self.steps.take(&self.state, hidden);
        let layer = &self.weights.layers[number];
        apply(
            &layer.parts,
            (integers, &self.steps),
            &mut self.sums,
            &mut self.parts,
        );
        self.gathered.resize(self.state.len(), 0.0);
        for text in texts {
            self.attend(text, floats);
        }
        let Layer {
            attended,
            attended_norm,
            up,
            down,
            norm,
            ..
        } = &self.weights.layers[number];
        self.steps.take(&self.gathered, hidden);
        apply(
            attended,
            (integers, &self.steps),
            &mut self.sums,
            &mut self.added,
        );
        add(&mut self.state, &self.added);
        normalize(&mut self.state, attended_norm, epsilon);
        self.steps.take(&self.state, hidden);
        apply(up, (integers, &self.steps), &mut self.sums, &mut self.inner);
        Gelu {}.map_mut(&mut self.inner);
        self.steps.take(&self.inner, inner);
        apply(
            down,
            (integers, &self.steps),
            &mut self.sums,
            &mut self.added,
        );
        add(&mut self.state, &self.added);
        normalize(&mut self.state, norm, epsilon);
    }

    /// Gathers for each token of one text what it attends to.
    fn attend(&mut self, text: &Range<usize>, floats: &GemmExecutor) {
        let Shape { hidden, heads, .. } = self.weights.shape;
        let (width, length) = (self.weights.shape.head(), text.len());
        let rows = 3 * hidden;
        let parts = &self.parts[text.start * rows..text.end * rows];
        let parts = NdTensorView::from_data([length, rows], parts);
        let gathered = &mut self.gathered[text.start * hidden..text.end * hidden];
        self.shares.resize(length * length, 0.0);
        self.of_head.resize(length * width, 0.0);
        for head in 0..heads {
            let part = |which: usize| {
                let from = which * hidden + head * width;
                parts.slice((.., from..from + width))
            };
            let (query, key, value) = (part(0), part(1), part(2));
            floats
                .gemm(
                    &mut self.shares,
                    GemmInputA::Unpacked(query),
                    GemmInputB::Unpacked(key.transposed()),
                    GemmOptions::default(),
                )
                .expect("the sizes fit");
            for row in self.shares.chunks_exact_mut(length) {
                Softmax::new_mut(row).dispatch();
            }
            let shares = NdTensorView::from_data([length, length], self.shares.as_slice());
            floats
                .gemm(
                    &mut self.of_head,
                    GemmInputA::Unpacked(shares),
                    GemmInputB::Unpacked(value),
                    GemmOptions::default(),
                )
                .expect("the sizes fit");
            let rows = gathered.chunks_exact_mut(hidden);
            for (row, from) in rows.zip(self.of_head.chunks_exact(width)) {
                row[head * width..(head + 1) * width].copy_from_slice(from);
            }
        }
    }
}

fn apply(
    linear: &Linear,
    (integers, steps): (&Integers, &Steps),
    sums: &mut Vec<i32>,
    out: &mut Vec<f32>,
) {
    linear.apply(integers, steps, sums, out);
}

fn add(state: &mut [f32], added: &[f32]) {
    for (number, more) in state.iter_mut().zip(added) {
        *number += more;
    }
}

/// Gives each token a mean of 0 and a spread of 1, then its weights.
fn normalize(state: &mut [f32], norm: &Norm, epsilon: f32) {
    let width = norm.weight.len();
    for token in state.chunks_exact_mut(width) {
        let mean = Sum::new(token).dispatch() / width as f32;
        let spread = SumSquareSub::new(token, mean).dispatch() / width as f32;
        let options = NormalizeOptions {
            pre_scale_bias: mean,
            scale: 1.0 / (spread + epsilon).sqrt(),
            element_scale: Some(&norm.weight),
            element_bias: Some(&norm.bias),
            ..NormalizeOptions::default()
        };
        Normalize::new_mut(token, options).dispatch();
    }
}

/// One vector of length 1 for the tokens of a text.
fn pooled(states: &[f32], hidden: usize, pooling: Pooling) -> Vec<f32> {
    let mut vector = vec![0.0; hidden];
    match pooling {
        Pooling::Mean => states
            .chunks_exact(hidden)
            .for_each(|token| add(&mut vector, token)),
        Pooling::First => add(&mut vector, states),
    }
    let length = vector
        .iter()
        .map(|number| number * number)
        .sum::<f32>()
        .sqrt();
    let scale = 1.0 / length.max(f32::MIN_POSITIVE);
    vector.iter_mut().for_each(|number| *number *= scale);
    vector
}
