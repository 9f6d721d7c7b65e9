//! Products of a matrix of weights with tokens, in integers of 8 bits.
//!
//! Weights get one scale for each output, tokens one scale and one zero for each token. The products
//! are exact, and a sum of them is one 32-bit integer, so results do not depend on the machine
//! beyond the rounding of the few operations around them.

use rten_gemm::{GemmExecutor, GemmInputA, GemmInputB, GemmOptions, PackedBMatrix};
use rten_simd::ops::{BitOps, FloatOps, NarrowSaturate, NumOps, ToFloat};
use rten_simd::{Isa, SimdOp};
use rten_tensor::prelude::*;
use rten_tensor::{NdTensor, NdTensorView};
use rten_vecmath::MinMax;

/// What multiplies integers.
pub(crate) type Integers = GemmExecutor<u8, i8, i32>;

/// Largest weight, in steps of its scale.
const WEIGHT: f32 = 127.0;

/// Weights of `[outputs, inputs]`, and what is added to each output.
pub(crate) struct Linear {
    packed: PackedBMatrix<i8>,
    scales: Vec<f32>,
    bias: Vec<f32>,
    /// The sum of the weights of each output: times the zero of a token it is what a sum of
    /// products has too much.
    of_zero: Vec<i32>,
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
        let largest = row
            .iter()
            .fold(0.0, |most: f32, weight| most.max(weight.abs()));
        let scale = largest / WEIGHT;
        let steps = if scale > 0.0 { 1.0 / scale } else { 0.0 };
        let rounded = row.iter().map(|weight| rounded(weight * steps));
        self.weights.extend(rounded);
        self.scales.push(scale * factor);
    }

    /// The weights, packed for `integers`.
    pub(crate) fn pack(self, integers: &Integers, bias: Vec<f32>) -> Linear {
        let rows = self.weights.chunks_exact(self.inputs);
        let of_zero = rows.map(|row| row.iter().map(|weight| i32::from(*weight)).sum());
        let of_zero = of_zero.collect();
        let rows = NdTensor::from_data([self.scales.len(), self.inputs], self.weights);
        Linear {
            packed: integers.prepack_b(rows.transposed()),
            scales: self.scales,
            bias,
            of_zero,
        }
    }
}

/// A number of at most 127 as the nearest whole one. Beside this addend a number has no bits for
/// fractions, and its lowest bits are the whole one; to call a function for each is ten times slower.
pub(crate) fn rounded(number: f32) -> i8 {
    const ADDEND: f32 = 12_582_912.0;
    (number + ADDEND).to_bits().to_le_bytes()[0].cast_signed()
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
        self.scales.clear();
        self.zeros.clear();
        self.steps.resize(tokens.len(), 0);
        let highest = f32::from(self.highest);
        for token in tokens.chunks_exact(width) {
            let (low, high) = MinMax::new(token).dispatch();
            let (low, high) = (low.min(0.0), high.max(0.0));
            let scale = ((high - low) / highest).max(f32::MIN_POSITIVE);
            let zero = (-low / scale).round().clamp(0.0, highest) as u8;
            self.scales.push(scale);
            self.zeros.push(zero);
        }
        let rows = tokens
            .chunks_exact(width)
            .zip(self.steps.chunks_exact_mut(width));
        for ((token, steps), (scale, zero)) in rows.zip(self.scales.iter().zip(&self.zeros)) {
            Round {
                token,
                per_number: 1.0 / scale,
                zero: i32::from(*zero),
                steps,
            }
            .dispatch();
        }
    }
}

/// Makes steps of the numbers of one token.
struct Round<'a> {
    token: &'a [f32],
    per_number: f32,
    zero: i32,
    steps: &'a mut [u8],
}

impl SimdOp for Round<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let (floats, integers, halves) = (isa.f32(), isa.i32(), isa.i16());
        let (per_number, zero) = (floats.splat(self.per_number), integers.splat(self.zero));
        let lanes = floats.len();
        let whole = self.token.len() - self.token.len() % (4 * lanes);
        for at in (0..whole).step_by(4 * lanes) {
            let [mut a, mut b, mut c, mut d] = [integers.zero(); 4];
            for (index, quarter) in [&mut a, &mut b, &mut c, &mut d].into_iter().enumerate() {
                let number = floats.load(&self.token[at + index * lanes..]);
                let step = floats.to_int_round(floats.mul(number, per_number));
                *quarter = integers.add(step, zero);
            }
            let low = integers.narrow_saturate(a, b);
            let high = integers.narrow_saturate(c, d);
            let all = halves.narrow_saturate(low, high);
            isa.u8().store(all, &mut self.steps[at..]);
        }
        let rest = self.token[whole..].iter().zip(&mut self.steps[whole..]);
        for (number, step) in rest {
            let rounded = (number * self.per_number).round_ties_even() as i32;
            *step = (rounded + self.zero).clamp(0, 255) as u8;
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
        let (tokens, outputs) = (steps.scales.len(), self.scales.len());
        sums.resize(tokens * outputs, 0);
        out.resize(tokens * outputs, 0.0);
        let inputs = self.packed.rows();
        let a = NdTensorView::from_data([tokens, inputs], steps.steps.as_slice());
        let (a, b) = (GemmInputA::Unpacked(a), GemmInputB::Packed(&self.packed));
        // Zeros are not given to it: version 0.27 takes those of other tokens then.
        integers
            .gemm(sums, a, b, GemmOptions::default())
            .expect("the sizes fit");
        let rows = sums
            .chunks_exact(outputs)
            .zip(out.chunks_exact_mut(outputs));
        let tokens = steps.scales.iter().zip(&steps.zeros);
        for ((sums, out), (scale, zero)) in rows.zip(tokens) {
            Finish {
                linear: self,
                sums,
                scale: *scale,
                zero: i32::from(*zero),
                out,
            }
            .dispatch();
        }
    }
}

/// Makes numbers of the sums of one token.
struct Finish<'a> {
    linear: &'a Linear,
    sums: &'a [i32],
    scale: f32,
    zero: i32,
    out: &'a mut [f32],
}

impl SimdOp for Finish<'_> {
    type Output = ();

    #[inline(always)]
    fn eval<I: Isa>(self, isa: I) {
        let (floats, integers) = (isa.f32(), isa.i32());
        let Linear {
            scales,
            bias,
            of_zero,
            ..
        } = self.linear;
        let (scale, zero) = (floats.splat(self.scale), integers.splat(self.zero));
        let (lanes, outputs) = (floats.len(), self.out.len());
        let whole = outputs - outputs % lanes;
        for at in (0..whole).step_by(lanes) {
            let too_much = integers.mul(integers.load(&of_zero[at..]), zero);
            let sum = integers.sub(integers.load(&self.sums[at..]), too_much);
            let scale = floats.mul(floats.load(&scales[at..]), scale);
            let bias = floats.load(&bias[at..]);
            let number = floats.mul_add(integers.to_float(sum), scale, bias);
            floats.store(number, &mut self.out[at..]);
        }
        for at in whole..outputs {
            let sum = self.sums[at] - of_zero[at] * self.zero;
            self.out[at] = sum as f32 * (scales[at] * self.scale) + bias[at];
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whole numbers from 0 to `below`, made up.
    fn made_up(below: u32) -> impl FnMut() -> u32 {
        let mut state = 7_u64;
        move || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            ((state >> 33) as u32) % below
        }
    }

    #[test]
    fn a_number_is_rounded_to_the_nearest_whole_one() {
        for (number, wanted) in [(0.0, 0), (-127.0, -127), (126.6, 127), (-0.4, 0), (3.49, 3)] {
            assert_eq!(rounded(number), wanted);
        }
    }

    /// Numbers that are whole steps from the first on: nothing is lost by rounding.
    #[test]
    fn products_of_whole_steps_are_exact_for_any_number_of_tokens() {
        let integers = Integers::default();
        let mut steps = Steps::new(&integers);
        let highest = u32::from(steps.highest);
        for (tokens, inputs, outputs) in
            [1, 2, 7, 8, 9, 15, 16, 17, 31, 64, 130].map(|tokens| (tokens, 96, 70))
        {
            let (mut of_weight, mut of_token) = (made_up(255), made_up(highest + 1));
            let mut rows = Rows::new(inputs);
            let mut weights = Vec::new();
            for _ in 0..outputs {
                let mut row: Vec<f32> = (0..inputs).map(|_| of_weight() as f32 - 127.0).collect();
                row[0] = 127.0;
                rows.push(&row, 1.0);
                weights.push(row);
            }
            let linear = rows.pack(&integers, vec![1.0; outputs]);
            let mut all = Vec::new();
            for token in 0..tokens {
                let lowest = (token * 5 % 100) as f32;
                let mut one: Vec<f32> = (0..inputs).map(|_| of_token() as f32 - lowest).collect();
                (one[0], one[1]) = (-lowest, highest as f32 - lowest);
                all.extend(one);
            }
            steps.take(&all, inputs);
            let (mut sums, mut out) = (Vec::new(), Vec::new());
            linear.apply(&integers, &steps, &mut sums, &mut out);
            for (token, out) in all.chunks_exact(inputs).zip(out.chunks_exact(outputs)) {
                for (row, number) in weights.iter().zip(out) {
                    let wanted: f32 = row.iter().zip(token).map(|(a, b)| a * b).sum::<f32>() + 1.0;
                    let off = (wanted - number).abs();
                    assert!(
                        off <= wanted.abs() * 1e-5 + 0.5,
                        "{tokens}: {wanted}, {number}"
                    );
                }
            }
        }
    }
}
