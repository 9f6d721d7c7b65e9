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

#[cfg(test)]
mod tests {
    use super::*;

    /// A compiled map in which `a` becomes nothing and `ab` becomes `X`.
    fn compiled() -> Vec<u8> {
        let mut units = vec![0_u32; 0x800];
        let leaf = |value: u32| value | 0x8000_0000;
        units[0] = 0x100 << 10;
        units[0x100 ^ 0x61] = 0x61 | 0x100 | (0x200 << 10);
        units[0x361] = leaf(0);
        units[0x361 ^ 0x62] = 0x62 | 0x100 | (0x400 << 10);
        units[0x703] = leaf(1);
        let mut bytes = 0x2000_u32.to_le_bytes().to_vec();
        bytes.extend(units.iter().flat_map(|unit| unit.to_le_bytes()));
        bytes.extend(b"\0X\0");
        bytes
    }

    #[test]
    fn the_longest_run_that_is_known_becomes_others() {
        let map = Normalizer::Compiled(Compiled::read(&compiled()).expect("a map"));
        assert_eq!(map.apply("aab b\u{431}a\0"), "X b\u{431}\0");
        assert_eq!(map.apply(""), "");
    }

    #[test]
    fn a_broken_map_is_none_or_changes_nothing_it_must_not() {
        let whole = compiled();
        for cut in [0, 3, 5, 0x2003] {
            assert!(Compiled::read(&whole[..cut]).is_none(), "{cut}");
        }
        for at in (4..whole.len()).step_by(3) {
            let mut other = whole.clone();
            other[at] ^= 0xff;
            if let Some(map) = Compiled::read(&other) {
                map.apply("aab \u{1f600}");
            }
        }
    }
}
