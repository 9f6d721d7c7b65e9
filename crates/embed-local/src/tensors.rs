//! A file of tensors: where each one is, and its rows as numbers.
//!
//! Nothing is mapped and nothing is read whole: a table of a quarter of a million words is read
//! row by row.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

use crate::Error;

/// Numbers in one block of [`Numbers::Blocks4`], and bytes of it.
pub(crate) const BLOCK: usize = 32;
const BLOCK_BYTES: usize = 18;

/// How the numbers of a tensor are written. All are little-endian.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Numbers {
    F32,
    F16,
    BF16,
    /// Blocks of 32 numbers: an `F16` scale, then 16 bytes. The low half of byte `i` is number `i`
    /// plus eight, the high half is number `i + 16` plus eight.
    Blocks4,
}

impl Numbers {
    /// Bytes of so many numbers; a row of blocks has whole blocks only.
    pub(crate) fn bytes(self, count: usize) -> Option<usize> {
        match self {
            Self::F32 => count.checked_mul(4),
            Self::F16 | Self::BF16 => count.checked_mul(2),
            Self::Blocks4 if count.is_multiple_of(BLOCK) => {
                (count / BLOCK).checked_mul(BLOCK_BYTES)
            }
            Self::Blocks4 => None,
        }
    }

    /// `bytes` as numbers, as many as `row` has.
    fn read(self, bytes: &[u8], row: &mut [f32]) {
        match self {
            Self::F32 => {
                for (number, four) in row.iter_mut().zip(bytes.as_chunks().0) {
                    *number = f32::from_le_bytes(*four);
                }
            }
            Self::F16 => {
                for (number, two) in row.iter_mut().zip(bytes.as_chunks().0) {
                    *number = half(u16::from_le_bytes(*two));
                }
            }
            Self::BF16 => {
                for (number, two) in row.iter_mut().zip(bytes.as_chunks().0) {
                    *number = f32::from_bits(u32::from(u16::from_le_bytes(*two)) << 16);
                }
            }
            Self::Blocks4 => {
                let blocks = bytes.as_chunks::<BLOCK_BYTES>().0;
                for (block, numbers) in blocks.iter().zip(row.as_chunks_mut::<BLOCK>().0) {
                    let scale = half(u16::from_le_bytes([block[0], block[1]]));
                    let (low, high) = numbers.split_at_mut(BLOCK / 2);
                    for ((pair, low), high) in block[2..].iter().zip(low).zip(high) {
                        *low = (f32::from(pair & 15) - 8.0) * scale;
                        *high = (f32::from(pair >> 4) - 8.0) * scale;
                    }
                }
            }
        }
    }
}

/// A number of 16 bits (IEEE 754) as one of 32.
fn half(bits: u16) -> f32 {
    let magnitude = f32::from_bits(u32::from(bits & 0x7fff) << 13) * 2f32.powi(112);
    // Infinities and NaN stay what they are: the checks of what is read find them.
    let magnitude = match bits & 0x7c00 {
        0x7c00 => f32::from_bits(0x7f80_0000 | (u32::from(bits & 0x3ff) << 13)),
        _ => magnitude,
    };
    if bits & 0x8000 == 0 {
        magnitude
    } else {
        -magnitude
    }
}

/// Where a tensor is.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Place {
    pub(crate) numbers: Numbers,
    /// How many numbers it has.
    pub(crate) count: usize,
    /// Its first byte in the file.
    pub(crate) offset: u64,
}

/// A file of tensors.
pub(crate) struct Tensors {
    path: PathBuf,
    file: BufReader<File>,
    places: HashMap<String, Place>,
}

impl Tensors {
    /// Tensors of a file whose head is read. Every place is checked against the file's length.
    pub(crate) fn new(
        path: &Path,
        file: BufReader<File>,
        places: HashMap<String, Place>,
    ) -> Result<Self, Error> {
        let length = file
            .get_ref()
            .metadata()
            .map_err(|source| Error::read(path, source))?
            .len();
        for (name, place) in &places {
            let end = place
                .numbers
                .bytes(place.count)
                .and_then(|bytes| place.offset.checked_add(bytes as u64));
            if end.is_none_or(|end| end > length) {
                let what = format!("its tensor `{name}` reaches beyond the end of the file");
                return Err(Error::broken(path, what));
            }
        }
        Ok(Self {
            path: path.to_owned(),
            file,
            places,
        })
    }

    /// Reads a tensor of `[rows, columns]`, row by row.
    pub(crate) fn rows(
        &mut self,
        name: &str,
        [rows, columns]: [usize; 2],
        mut each: impl FnMut(&[f32]),
    ) -> Result<(), Error> {
        let Some(place) = self.places.get(name).copied() else {
            let what = format!("it lacks the tensor `{name}`");
            return Err(Error::broken(&self.path, what));
        };
        let bytes = place.numbers.bytes(columns);
        let (true, Some(bytes)) = (rows.checked_mul(columns) == Some(place.count), bytes) else {
            let what = format!(
                "its tensor `{name}` has {} numbers, not {rows} times {columns}",
                place.count
            );
            return Err(Error::broken(&self.path, what));
        };
        let failed = |source| Error::read(&self.path, source);
        self.file
            .seek(SeekFrom::Start(place.offset))
            .map_err(failed)?;
        let (mut raw, mut row) = (vec![0; bytes], vec![0.0; columns]);
        for _ in 0..rows {
            self.file.read_exact(&mut raw).map_err(failed)?;
            place.numbers.read(&raw, &mut row);
            // What is not finite stays so times zero, and in a sum: no branch for each number.
            if !row
                .iter()
                .fold(0.0, |sum, number| sum + number * 0.0)
                .is_finite()
            {
                let what = format!("its tensor `{name}` has a number that is not finite");
                return Err(Error::broken(&self.path, what));
            }
            each(&row);
        }
        Ok(())
    }

    /// A tensor of `count` numbers.
    pub(crate) fn whole(&mut self, name: &str, count: usize) -> Result<Vec<f32>, Error> {
        let mut all = Vec::with_capacity(count);
        self.rows(name, [1, count], |row| all.extend_from_slice(row))?;
        Ok(all)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_16_bits_are_what_they_say() {
        for (bits, number) in [
            (0x0000, 0.0),
            (0x3c00, 1.0),
            (0xc000, -2.0),
            (0x7bff, 65504.0),
            (0x0001, 2f32.powi(-24)),
            (0x3555, 0.333_251_95),
        ] {
            assert!(
                (half(bits) - number).abs() <= f32::EPSILON * number.abs(),
                "{bits:x}"
            );
        }
        assert!(half(0x7c00).is_infinite() && half(0x7e00).is_nan());
    }

    #[test]
    fn a_block_is_a_scale_and_halves_of_bytes() {
        let mut bytes = [0u8; BLOCK_BYTES];
        (bytes[0], bytes[1]) = (0x00, 0x3c); // a scale of 1
        (bytes[2], bytes[17]) = (0x0f, 0x90);
        let mut row = [0.0; BLOCK];
        Numbers::Blocks4.read(&bytes, &mut row);
        assert_eq!([row[0], row[16], row[15], row[31]], [7.0, -8.0, -8.0, 1.0]);
    }
}
