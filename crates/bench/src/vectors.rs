//! Texts with the vectors that a model gave them, and more that are like them.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};

/// Texts and their vectors.
pub(crate) struct Vectors {
    texts: Vec<String>,
    rows: Vec<Vec<f32>>,
    /// Places of texts.
    of: HashMap<String, usize>,
}

impl Vectors {
    /// Reads `FILE` (the number of dimensions as u32, then rows of f32, both little
    /// endian) and `FILE.txt` (a text for each row, one a line).
    pub(crate) fn read(file: &Path) -> anyhow::Result<Self> {
        let bytes = fs::read(file).with_context(|| format!("reading {}", file.display()))?;
        let texts_file = PathBuf::from(format!("{}.txt", file.display()));
        let texts = fs::read_to_string(&texts_file)
            .with_context(|| format!("reading {}", texts_file.display()))?;
        let texts: Vec<String> = texts.lines().map(str::to_owned).collect();
        let (words, rest) = bytes.as_chunks::<4>();
        let (dimensions, numbers) = words.split_first().context("the file is empty")?;
        let dimensions = u32::from_le_bytes(*dimensions) as usize;
        ensure!(
            rest.is_empty() && dimensions > 0 && numbers.len() == dimensions * texts.len(),
            "{} has not one row of {dimensions} numbers for each of {} texts",
            file.display(),
            texts.len()
        );
        let row = |row: &[[u8; 4]]| row.iter().map(|n| f32::from_le_bytes(*n)).collect();
        let rows = numbers.chunks(dimensions).map(row).collect();
        let of = texts.iter().cloned().zip(0..).collect();
        Ok(Self { texts, rows, of })
    }

    /// The vector of a text.
    pub(crate) fn find(&self, text: &str) -> anyhow::Result<&[f32]> {
        let row = self.of.get(text).map(|n| self.rows[*n].as_slice());
        row.with_context(|| {
            format!("the file has no vector of {text:?}: make it of all texts, see docs/bench.md")
        })
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
