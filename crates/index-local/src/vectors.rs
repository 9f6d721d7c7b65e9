//! Vectors of a model: each scaled to the length 1, in 16-bit numbers.

use std::ops::Range;

/// What 1 is. The product of two vectors is at most its square, so a sum of 32 bits holds it.
const ONE: f32 = 32_767.0;

/// One vector for each slot; of a point without one all numbers are 0.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Vectors {
    /// Numbers in each.
    pub(crate) dimensions: usize,
    pub(crate) numbers: Vec<i16>,
}

impl Vectors {
    pub(crate) fn new(dimensions: usize) -> Self {
        Self {
            dimensions,
            numbers: Vec::new(),
        }
    }

    /// Whether vectors of this length can be compared.
    pub(crate) fn fits(&self, vector: &[f32]) -> bool {
        self.dimensions > 0 && vector.len() == self.dimensions
    }

    /// Adds the vector of the next slot.
    pub(crate) fn push(&mut self, vector: Option<&[f32]>) {
        match vector.filter(|vector| self.fits(vector)) {
            Some(vector) => self.numbers.extend(scaled(vector)),
            None => {
                let end = self.numbers.len() + self.dimensions;
                self.numbers.resize(end, 0);
            }
        }
    }

    /// The cosines of these slots and a vector, in the order of the slots.
    pub(crate) fn cosines(
        &self,
        vector: &[f32],
        slots: Range<usize>,
    ) -> impl Iterator<Item = f32> + use<'_> {
        let query: Vec<i16> = scaled(vector).collect();
        let numbers = slots.start * self.dimensions..slots.end * self.dimensions;
        let all = self.numbers[numbers].chunks_exact(self.dimensions.max(1));
        all.map(move |one| product(one, &query) as f32 / (ONE * ONE))
    }

    /// The vectors of the slots that have a new one, in their order.
    pub(crate) fn compacted(&self, renumbered: &[Option<u32>]) -> Self {
        let all = self.numbers.chunks_exact(self.dimensions.max(1));
        let kept = all.zip(renumbered).filter(|(_, new)| new.is_some());
        Self {
            dimensions: self.dimensions,
            numbers: kept.flat_map(|(one, _)| one).copied().collect(),
        }
    }
}

/// The vector with the length 1; one without a length stays 0.
fn scaled(vector: &[f32]) -> impl Iterator<Item = i16> + '_ {
    let length = vector.iter().map(|n| n * n).sum::<f32>().sqrt();
    let by = if length > 0.0 && length.is_finite() {
        ONE / length
    } else {
        0.0
    };
    // `as` takes what is no number for 0.
    vector.iter().map(move |n| (n * by).round() as i16)
}

fn product(a: &[i16], b: &[i16]) -> i32 {
    let pairs = a.iter().zip(b);
    pairs.fold(0_i32, |sum, (a, b)| {
        sum.wrapping_add(i32::from(*a) * i32::from(*b))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn cosines_are_those_of_the_numbers(
            (a, b) in (1_usize..400).prop_flat_map(|n| {
                let vector = || prop::collection::vec(-3.0_f32..3.0, n);
                (vector(), vector())
            })
        ) {
            let mut vectors = Vectors::new(a.len());
            vectors.push(Some(&a));
            vectors.push(None);
            let cosines: Vec<f32> = vectors.cosines(&b, 0..2).collect();
            let dot = |a: &[f32], b: &[f32]| -> f32 { a.iter().zip(b).map(|(a, b)| a * b).sum() };
            let lengths = (dot(&a, &a) * dot(&b, &b)).sqrt();
            let expected = if lengths > 0.0 { dot(&a, &b) / lengths } else { 0.0 };
            prop_assert!((cosines[0] - expected).abs() < 1e-3, "{} is {}", expected, cosines[0]);
            prop_assert_eq!(cosines[1], 0.0);
        }
    }

    #[test]
    fn what_is_no_number_is_nothing() {
        let mut vectors = Vectors::new(2);
        vectors.push(Some(&[f32::NAN, 1.0]));
        vectors.push(Some(&[f32::INFINITY, 1.0]));
        vectors.push(Some(&[0.0, 0.0]));
        assert_eq!(vectors.numbers, [0; 6]);
    }
}
