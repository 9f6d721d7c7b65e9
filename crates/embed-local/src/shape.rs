//! The sizes of a model.

/// The sizes of a model of BERT's architecture.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Shape {
    /// Numbers of one token between layers, and of a vector.
    pub(crate) hidden: usize,
    pub(crate) layers: usize,
    pub(crate) heads: usize,
    /// Numbers of one token inside a layer.
    pub(crate) inner: usize,
    /// Rows of the table of words.
    pub(crate) words: usize,
    /// Rows of the table of positions.
    pub(crate) positions: usize,
    /// Rows of the table of kinds of token; only the first is used.
    pub(crate) kinds: usize,
    /// What keeps a division by a spread of zero away.
    pub(crate) epsilon: f32,
    /// The position of the first token: 0 in BERT, 2 in XLM-RoBERTa.
    pub(crate) first_position: usize,
}

/// Highest size that is believed: a broken file must not ask for all memory.
const MOST: usize = 1 << 24;

impl Shape {
    /// What is wrong with it, if anything is.
    pub(crate) fn check(&self) -> Result<(), String> {
        let sizes = [
            ("hidden size", self.hidden),
            ("number of layers", self.layers),
            ("number of attention heads", self.heads),
            ("intermediate size", self.inner),
            ("number of words", self.words),
            ("number of positions", self.positions),
            ("number of token types", self.kinds),
        ];
        if let Some((name, size)) = sizes.iter().find(|(_, size)| !(1..=MOST).contains(size)) {
            return Err(format!("its {name} is {size}, which cannot be"));
        }
        let (hidden, heads) = (self.hidden, self.heads);
        if !hidden.is_multiple_of(heads) || !hidden.is_multiple_of(crate::tensors::BLOCK) {
            return Err(format!(
                "its hidden size is {hidden}; it must be a multiple of 32 and of its {heads} \
                 attention heads"
            ));
        }
        if self.tokens() < 3 {
            return Err(format!("it has only {} positions", self.positions));
        }
        if !(self.epsilon > 0.0 && self.epsilon < 1.0) {
            return Err(format!("its layer_norm_eps is {}", self.epsilon));
        }
        Ok(())
    }

    /// The most tokens of one text, with the two around it.
    pub(crate) fn tokens(&self) -> usize {
        self.positions.saturating_sub(self.first_position)
    }

    /// Numbers of one head.
    pub(crate) fn head(&self) -> usize {
        self.hidden / self.heads
    }

    /// Bytes that the weights need in memory.
    pub(crate) fn bytes(&self) -> u64 {
        let product = |a: usize, b: usize| (a as u64).saturating_mul(b as u64);
        let words = product(self.words, self.hidden).saturating_mul(9) / 8;
        let positions = product(self.positions, self.hidden).saturating_mul(4);
        let layer = product(self.hidden, self.hidden)
            .saturating_mul(4)
            .saturating_add(product(self.hidden, self.inner).saturating_mul(2));
        words
            .saturating_add(positions)
            .saturating_add(layer.saturating_mul(self.layers as u64))
    }
}
