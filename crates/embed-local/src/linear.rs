//! Products of a matrix of weights with tokens, in integers of 8 bits.
//!
//! Weights get one scale for each output, tokens one scale and one zero for each token. The products
//! are exact, and a sum of them is one 32-bit integer, so results do not depend on the machine
//! beyond the rounding of the few operations around them.

use rten_gemm::{GemmExecutor, GemmInputA, GemmInputB, GemmOptions, PackedBMatrix};
use rten_simd::SimdOp;
use rten_tensor::prelude::*;
use rten_tensor::{NdTensor, NdTensorView};
use rten_vecmath::{ExtendInit, MinMax, Quantize};

/// What multiplies integers.
pub(crate) type Integers = GemmExecutor<u8, i8, i32>;

/// Largest weight, in steps of its scale.
const WEIGHT: f32 = 127.0;

/// Weights of `[outputs, inputs]`, and what is added to each output.
pub(crate) struct Linear {
    packed: PackedBMatrix<i8>,
    outputs: Vec<Output>,
}

/// What makes a number of a sum of products.
struct Output {
    /// The sum of the weights: times the zero of a token it is what the sum has too much.
    of_zero: i32,
    scale: f32,
    bias: f32,
}

/// Collects the rows of a [`Linear`].
pub(crate) struct Rows {
    inputs: usize,
    weights: Vec<i8>,
    scales: Vec<f32>,
}

impl Rows {
    pub(crate) fn new(inputs: usize) -> Self {
        Self {
            inputs,
            weights: Vec::new(),
            scales: Vec::new(),
        }
    }

    /// Adds the weights of one output, each times `factor`.
    pub(crate) fn push(&mut self, row: &[f32], factor: f32) {
        let largest = row.iter().fold(0.0, |most: f32, weight| most.max(weight.abs()));
        let scale = largest / WEIGHT;
        let steps = if scale > 0.0 { 1.0 / scale } else { 0.0 };
        let rounded = row.iter().map(|weight| (weight * steps).round() as i8);
        self.weights.extend(rounded);
        self.scales.push(scale * factor);
    }

    /// The weights, packed for `integers`.
    pub(crate) fn pack(self, integers: &Integers, bias: Vec<f32>) -> Linear {
        let rows = self.weights.chunks_exact(self.inputs).zip(&self.scales);
        let outputs = rows.zip(bias).map(|((row, scale), bias)| Output {
            of_zero: row.iter().map(|weight| i32::from(*weight)).sum(),
            scale: *scale,
            bias,
        });
        let outputs: Vec<Output> = outputs.collect();
        let rows = NdTensor::from_data([outputs.len(), self.inputs], self.weights);
        Linear {
            packed: integers.prepack_b(rows.transposed()),
            outputs,
        }
    }
}

/// Tokens as integers.
pub(crate) struct Steps {
    /// The highest step; the lowest is zero.
    highest: u8,
    steps: Vec<u8>,
    scales: Vec<f32>,
    zeros: Vec<u8>,
}

impl Steps {
    /// Room for tokens that `integers` multiplies.
    pub(crate) fn new(integers: &Integers) -> Self {
        Self {
            // Without a dot product of its own a machine adds two products in 16 bits first: with
            // 7 bits on one side they fit.
            highest: if integers.may_saturate() { 127 } else { 255 },
            steps: Vec::new(),
            scales: Vec::new(),
            zeros: Vec::new(),
        }
    }

    /// Takes tokens of `width` numbers each.
    pub(crate) fn take(&mut self, tokens: &[f32], width: usize) {
        self.steps.clear();
        self.scales.clear();
        self.zeros.clear();
        self.steps.reserve(tokens.len());
        let highest = f32::from(self.highest);
        for token in tokens.chunks_exact(width) {
            let (low, high) = MinMax::new(token).dispatch();
            let (low, high) = (low.min(0.0), high.max(0.0));
            let scale = ((high - low) / highest).max(f32::MIN_POSITIVE);
            let zero = (-low / scale).round().clamp(0.0, highest) as u8;
            self.scales.push(scale);
            self.zeros.push(zero);
            self.steps.extend_init(|room| {
                Quantize::new(token, &mut room[..width], 1.0 / scale, zero).dispatch()
            });
        }
    }
}

impl Linear {
    /// The outputs of all tokens of `steps`, into `out` of `[tokens, outputs]`. `sums` is room.
    pub(crate) fn apply(
        &self,
        integers: &Integers,
        steps: &Steps,
        sums: &mut Vec<i32>,
        out: &mut Vec<f32>,
    ) {
        let (tokens, outputs) = (steps.scales.len(), self.outputs.len());
        sums.resize(tokens * outputs, 0);
        out.resize(tokens * outputs, 0.0);
        let inputs = self.packed.rows();
        let a = NdTensorView::from_data([tokens, inputs], steps.steps.as_slice());
        let (a, b) = (GemmInputA::Unpacked(a), GemmInputB::Packed(&self.packed));
        // Zeros are not given to it: version 0.27 takes those of other tokens then.
        integers
            .gemm(sums, a, b, GemmOptions::default())
            .expect("the sizes fit");
        let rows = sums.chunks_exact(outputs).zip(out.chunks_exact_mut(outputs));
        let tokens = steps.scales.iter().zip(&steps.zeros);
        for ((sums, out), (scale, zero)) in rows.zip(tokens) {
            let zero = i32::from(*zero);
            for ((out, sum), of) in out.iter_mut().zip(sums).zip(&self.outputs) {
                *out = (sum - zero * of.of_zero) as f32 * (of.scale * scale) + of.bias;
            }
        }
    }
}
