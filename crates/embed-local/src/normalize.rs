//! What characters of a text become before it is cut into tokens.

use std::collections::HashMap;

/// A map of characters.
pub(crate) enum Normalizer {
    /// Nothing changes.
    Nothing,
    /// One character becomes some, or none.
    Characters(HashMap<char, String>),
    /// A map that was compiled by `sentencepiece`: the longest run of characters that it knows
    /// becomes others.
    Compiled(Compiled),
}

impl Normalizer {
    /// A text as it is cut into tokens.
    pub(crate) fn apply(&self, text: &str) -> String {
        match self {
            Self::Nothing => text.to_owned(),
            Self::Characters(map) => {
                let mut all = String::with_capacity(text.len());
                for character in text.chars() {
                    match map.get(&character) {
                        Some(others) => all.push_str(others),
                        None => all.push(character),
                    }
                }
                all
            }
            Self::Compiled(map) => map.apply(text),
        }
    }
}

/// A map compiled by `sentencepiece`: a double array of what is known (as `darts-clone` writes it),
/// then what it becomes, each text with a zero byte after it.
pub(crate) struct Compiled {
    units: Vec<u32>,
    texts: String,
}

impl Compiled {
    /// Reads a map. `None` if it is none.
    pub(crate) fn read(bytes: &[u8]) -> Option<Self> {
        let (length, rest) = bytes.split_first_chunk::<4>()?;
        let length = u32::from_le_bytes(*length) as usize;
        let (units, texts) = rest.split_at_checked(length)?;
        let (units, []) = units.as_chunks::<4>() else {
            return None;
        };
        Some(Self {
            units: units.iter().map(|unit| u32::from_le_bytes(*unit)).collect(),
            texts: String::from_utf8(texts.to_vec()).ok()?,
        })
    }

    fn apply(&self, text: &str) -> String {
        let mut all = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let taken = match self.longest(rest) {
                Some((taken, becomes)) => {
                    all.push_str(becomes);
                    taken
                }
                None => {
                    all.push(first);
                    first.len_utf8()
                }
            };
            rest = &rest[taken..];
        }
        all
    }

    /// The longest beginning of `text` that is known: its bytes, and what it becomes.
    fn longest(&self, text: &str) -> Option<(usize, &str)> {
        let mut place = offset(*self.units.first()?);
        let mut found = None;
        for (index, byte) in text.bytes().enumerate() {
            place ^= usize::from(byte);
            let Some(unit) = self.units.get(place).copied() else {
                break;
            };
            if unit & 0x8000_00ff != u32::from(byte) {
                break;
            }
            place ^= offset(unit);
            let is_leaf = unit & 0x100 != 0;
            if is_leaf && text.is_char_boundary(index + 1) {
                let value = self.units.get(place).map(|unit| unit & 0x7fff_ffff);
                let becomes = value.and_then(|at| self.texts.get(at as usize..));
                let becomes = becomes.and_then(|text| text.split('\0').next());
                found = becomes.map(|text| (index + 1, text)).or(found);
            }
        }
        found
    }
}

/// How far the children of a unit are from it.
fn offset(unit: u32) -> usize {
    ((unit >> 10) << ((unit & 0x200) >> 6)) as usize
}
