//! Numbers that follow from a seed and nothing else (SplitMix64).

/// A generator; equal seeds give equal numbers on every machine.
#[derive(Debug, Clone)]
pub struct Rng(u64);

impl Rng {
    /// A generator.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        // Seeds in use are small and close to each other: one step spreads them.
        let mut rng = Self(seed);
        Self(rng.next())
    }

    /// A generator of its own for one purpose, so that drawing more in one place
    /// does not move what is drawn in another.
    pub(crate) fn fork(&mut self) -> Self {
        Self(self.next())
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Below `n`; 0 when `n` is 0.
    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % (n.max(1) as u64)) as usize
    }

    /// From `low` to `high`, both included.
    pub(crate) fn between(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1).max(1) as usize) as i64
    }

    /// True in `n` of `of` cases.
    pub(crate) fn chance(&mut self, n: usize, of: usize) -> bool {
        self.below(of) < n
    }

    pub(crate) fn pick<'a, T>(&mut self, of: &'a [T]) -> &'a T {
        &of[self.below(of.len())]
    }
}
