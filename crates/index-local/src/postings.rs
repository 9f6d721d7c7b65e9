//! Which points have a term, and with what weight.

use rustc_hash::FxHashMap;

/// The number of a point in its collection. A point that is put has a higher one than all before it.
pub(crate) type Slot = u32;

/// In place of a distance: the distance follows in four bytes.
const FAR: u8 = 0xff;

/// The points of one term, ascending by slot: for each the distance from the one before in a byte, or
/// [`FAR`] and four bytes, then the weight in two.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct Postings {
    /// Points in the list, dead ones too.
    pub(crate) count: u32,
    /// The slot of the last one.
    pub(crate) last: Slot,
    pub(crate) bytes: Vec<u8>,
}

impl Postings {
    /// Adds a point behind all that are there.
    pub(crate) fn push(&mut self, slot: Slot, weight: f32) {
        let distance = slot - self.last;
        match u8::try_from(distance) {
            Ok(near) if near < FAR => self.bytes.push(near),
            _ => {
                self.bytes.push(FAR);
                self.bytes.extend_from_slice(&distance.to_le_bytes());
            }
        }
        self.bytes.extend_from_slice(&short(weight).to_le_bytes());
        (self.last, self.count) = (slot, self.count + 1);
    }

    /// How many of the points are there.
    fn alive(&self, alive: &[bool]) -> u32 {
        let mut count = 0;
        self.each(|slot, _| {
            count += u32::from(alive.get(slot as usize).copied().unwrap_or_default());
        });
        count
    }

    /// Calls with each point and its weight. It ends early where the bytes are not whole.
    pub(crate) fn each(&self, mut with: impl FnMut(Slot, f32)) {
        let (mut bytes, mut slot) = (self.bytes.as_slice(), 0_u32);
        loop {
            let (distance, weight) = match bytes {
                [FAR, a, b, c, d, x, y, rest @ ..] => {
                    bytes = rest;
                    (u32::from_le_bytes([*a, *b, *c, *d]), [*x, *y])
                }
                [near, x, y, rest @ ..] if *near != FAR => {
                    bytes = rest;
                    (u32::from(*near), [*x, *y])
                }
                _ => return,
            };
            slot = slot.wrapping_add(distance);
            with(slot, long(u16::from_le_bytes(weight)));
        }
    }
}

/// The IDF of a term: ln(1 + (all − with + 0.5) / (with + 0.5)).
fn rarity(all: usize, with: u32) -> f32 {
    let (all, with) = (all as f32, with as f32);
    ((all - with + 0.5) / (with + 0.5)).ln_1p()
}

/// A positive weight in 16 bits, 5 of them its exponent: from 2^-14 to 2^16, each within 1/2048.
fn short(weight: f32) -> u16 {
    let bits = weight.clamp(LEAST, MOST).to_bits();
    // Half of what is cut off is added, so that it is rounded.
    ((bits - OFFSET + (1 << (CUT - 1))) >> CUT) as u16
}

fn long(short: u16) -> f32 {
    f32::from_bits((u32::from(short) << CUT) + OFFSET)
}

/// Bits of the fraction that are cut off.
const CUT: u32 = 13;
/// The exponent of 2^-15 in the bits of a number.
const OFFSET: u32 = 112 << 23;
const LEAST: f32 = 1.0 / 16_384.0;
const MOST: f32 = 65_000.0;

/// One sparse leg.
#[derive(Debug, Default, Clone, PartialEq)]
pub(crate) struct SparseLeg {
    pub(crate) terms: FxHashMap<u32, Postings>,
}

impl SparseLeg {
    /// Adds a point with its terms.
    pub(crate) fn push(&mut self, slot: Slot, terms: &[(u32, f32)]) {
        for (term, weight) in terms {
            self.terms.entry(*term).or_default().push(slot, *weight);
        }
    }

    /// Adds to the score of every point that shares a term with the query. `alive` says of each slot
    /// whether its point is there, and `all` how many are: dead points count for nothing, so that an
    /// index scores as one that is made anew.
    pub(crate) fn score(
        &self,
        query: &[(u32, f32)],
        (alive, all): (&[bool], usize),
        scores: &mut [f32],
    ) {
        for (term, weight) in query {
            if let Some(postings) = self.terms.get(term) {
                let with = match alive.len() == all {
                    true => postings.count,
                    false => postings.alive(alive),
                };
                let weight = weight * rarity(all, with);
                postings.each(|slot, has| {
                    if let Some(sum) = scores.get_mut(slot as usize) {
                        *sum += weight * has;
                    }
                });
            }
        }
    }

    /// Forgets the points that `renumbered` has no new slot for, one term after the other, so that
    /// nothing is there twice.
    pub(crate) fn compact(&mut self, renumbered: &[Option<Slot>]) {
        self.terms.retain(|_, postings| {
            let mut kept = Postings::default();
            postings.each(|slot, weight| {
                if let Some(Some(new)) = renumbered.get(slot as usize) {
                    kept.push(*new, weight);
                }
            });
            kept.bytes.shrink_to_fit();
            *postings = kept;
            postings.count > 0
        });
    }
}

#[cfg(test)]
mod tests {
    use proptest::collection::btree_map;
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_pushed_is_read(points in btree_map(0..u32::MAX, 0.001_f32..60_000.0, 0..50)) {
            let mut postings = Postings::default();
            points.iter().for_each(|(slot, weight)| postings.push(*slot, *weight));
            let mut read: Vec<(Slot, f32)> = Vec::new();
            postings.each(|slot, weight| read.push((slot, weight)));
            prop_assert_eq!(read.len(), points.len());
            for ((slot, weight), (is_slot, is)) in points.iter().zip(read) {
                prop_assert_eq!(*slot, is_slot);
                prop_assert!((weight - is).abs() <= weight / 1024.0, "{} is {}", weight, is);
            }
        }

        #[test]
        fn damaged_bytes_end_and_do_not_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            let postings = Postings { count: 1, last: 0, bytes };
            let mut count = 0;
            postings.each(|_, _| count += 1);
            prop_assert!(count <= 200);
        }
    }
}
