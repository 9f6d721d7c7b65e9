//! Texts with the vectors that a model gave them, and more that are like them.

use std::collections::HashMap;

use anyhow::Context;

/// Texts and their vectors.
pub(crate) struct Vectors {
    texts: Vec<String>,
    rows: Vec<Vec<f32>>,
    /// Places of texts.
    of: HashMap<String, usize>,
}

impl FromIterator<(String, Vec<f32>)> for Vectors {
    fn from_iter<T: IntoIterator<Item = (String, Vec<f32>)>>(pairs: T) -> Self {
        let (texts, rows): (Vec<String>, Vec<Vec<f32>>) = pairs.into_iter().unzip();
        let of = texts.iter().cloned().zip(0..).collect();
        Self { texts, rows, of }
    }
}

impl Vectors {
    /// The vector of a text.
    pub(crate) fn find(&self, text: &str) -> anyhow::Result<&[f32]> {
        let row = self.of.get(text).map(|n| self.rows[*n].as_slice());
        row.with_context(|| format!("the model made no vector of {text:?}"))
    }

    pub(crate) fn dimensions(&self) -> u32 {
        self.rows.first().map_or(0, Vec::len) as u32
    }

    /// A text of the set, counted round.
    pub(crate) fn text(&self, n: usize) -> &str {
        &self.texts[n % self.texts.len()]
    }

    /// The vector of a text, moved in a direction that follows from `seed`, so that
    /// the cosine to where it was is about 0.95: as far as texts that say nearly the
    /// same. Its length is 1.
    pub(crate) fn jittered(&self, n: usize, seed: u64) -> Vec<f32> {
        let row = &self.rows[n % self.rows.len()];
        let mut state = seed;
        let noise: Vec<f32> = row.iter().map(|_| bell(&mut state)).collect();
        let by = 0.33 * length(row) / length(&noise);
        let moved: Vec<f32> = row.iter().zip(&noise).map(|(a, b)| a + by * b).collect();
        let length = length(&moved);
        moved.iter().map(|a| a / length).collect()
    }
}

fn length(row: &[f32]) -> f32 {
    row.iter().map(|a| a * a).sum::<f32>().sqrt()
}

/// About normal: the sum of four draws.
fn bell(state: &mut u64) -> f32 {
    (0..4).map(|_| draw(state)).sum()
}

/// From -0.5 to 0.5 (SplitMix64).
fn draw(state: &mut u64) -> f32 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 40) as f32 / (1_u64 << 24) as f32 - 0.5
}
