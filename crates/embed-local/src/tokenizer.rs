//! Cuts texts into tokens, as `sentencepiece` does with a unigram model: of all ways to make a word
//! of pieces the one whose scores add up highest.
//!
//! A text that looks like a special token is text here, never that token: chat cannot end its own
//! input or begin another.

use std::ops::Range;

use crate::normalize::Normalizer;

/// Stands for the space before a word.
const SPACE: char = '\u{2581}';
/// How much less than the lowest piece a character scores that no piece has.
const UNKNOWN: f32 = 10.0;

/// A piece: a token's text and its score (a logarithm of how frequent it is).
pub(crate) struct Piece {
    pub(crate) text: String,
    pub(crate) score: f32,
}

/// Tokens that are not made of text.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Specials {
    /// Before a text.
    pub(crate) begin: u32,
    /// After it.
    pub(crate) end: u32,
    /// Characters that no piece has.
    pub(crate) unknown: u32,
}

/// A tokenizer.
pub(crate) struct Tokenizer {
    /// Texts of all pieces, in the order of their bytes.
    texts: String,
    /// Each piece in that order.
    sorted: Vec<Sorted>,
    /// Which of them begin with each byte.
    first: Vec<Range<u32>>,
    specials: Specials,
    normalizer: Normalizer,
    unknown_score: f32,
    pieces: usize,
}

struct Sorted {
    from: u32,
    to: u32,
    id: u32,
    score: f32,
}

impl Tokenizer {
    /// A tokenizer; the place of a piece is its number. Says what is wrong with them.
    pub(crate) fn new(
        pieces: Vec<Piece>,
        specials: Specials,
        normalizer: Normalizer,
    ) -> Result<Self, String> {
        let count = pieces.len();
        for id in [specials.begin, specials.end, specials.unknown] {
            if id as usize >= count {
                return Err(format!(
                    "its special token {id} is none of its {count} pieces"
                ));
            }
        }
        if pieces.iter().any(|piece| !piece.score.is_finite()) {
            return Err("a score of its pieces is not finite".to_owned());
        }
        let mut of_text: Vec<(u32, Piece)> = (0..).zip(pieces).collect();
        of_text.retain(|(id, piece)| !piece.text.is_empty() && !is_special(*id, piece, specials));
        of_text.sort_by(|(_, a), (_, b)| a.text.as_bytes().cmp(b.text.as_bytes()));
        of_text.dedup_by(|(_, later), (_, earlier)| later.text == earlier.text);
        let lowest = of_text.iter().map(|(_, piece)| piece.score);
        let unknown_score = lowest.fold(0.0, f32::min) - UNKNOWN;
        let mut texts = String::new();
        let mut sorted = Vec::with_capacity(of_text.len());
        let mut first = vec![0..0; 256];
        for (place, (id, piece)) in (0..).zip(of_text) {
            let range = &mut first[usize::from(piece.text.as_bytes()[0])];
            if range.end == 0 {
                range.start = place;
            }
            range.end = place + 1;
            let length = |texts: &String| {
                u32::try_from(texts.len()).map_err(|_| "its pieces are too many".to_owned())
            };
            let from = length(&texts)?;
            texts.push_str(&piece.text);
            sorted.push(Sorted {
                from,
                to: length(&texts)?,
                id,
                score: piece.score,
            });
        }
        Ok(Self {
            texts,
            sorted,
            first,
            specials,
            normalizer,
            unknown_score,
            pieces: count,
        })
    }

    /// How many pieces there are: each token is below.
    pub(crate) fn pieces(&self) -> usize {
        self.pieces
    }

    /// The tokens of a text, at most `most` with the two around it.
    pub(crate) fn tokens(&self, text: &str, most: usize) -> Vec<u32> {
        let room = most.saturating_sub(1);
        let mut tokens = vec![self.specials.begin];
        let text = self.normalizer.apply(text);
        let mut word = String::new();
        for one in text.split_whitespace() {
            if tokens.len() >= room {
                break;
            }
            word.clear();
            word.push(SPACE);
            word.push_str(one);
            self.word(&word, &mut tokens);
        }
        tokens.truncate(room);
        tokens.push(self.specials.end);
        tokens
    }

    /// Adds the tokens of one word.
    fn word(&self, word: &str, tokens: &mut Vec<u32>) {
        // For each byte at which a character ends: the best score up to it, where the last piece
        // begins, and which it is.
        let mut best = vec![(f32::NEG_INFINITY, 0, self.specials.unknown); word.len() + 1];
        best[0].0 = 0.0;
        for (from, character) in word.char_indices() {
            let so_far = best[from].0;
            self.pieces_at(&word.as_bytes()[from..], |length, piece| {
                let score = so_far + piece.score;
                if score > best[from + length].0 {
                    best[from + length] = (score, from, piece.id);
                }
            });
            let unknown = &mut best[from + character.len_utf8()];
            if so_far + self.unknown_score > unknown.0 {
                *unknown = (so_far + self.unknown_score, from, self.specials.unknown);
            }
        }
        let begin = tokens.len();
        let mut at = word.len();
        while at > 0 {
            let (_, from, id) = best[at];
            // Unknown characters side by side are one token.
            let again = id == self.specials.unknown && tokens[begin..].last() == Some(&id);
            if !again {
                tokens.push(id);
            }
            at = from;
        }
        tokens[begin..].reverse();
    }

    /// Calls `found` with each piece that `bytes` begins with, and its length in bytes.
    fn pieces_at(&self, bytes: &[u8], mut found: impl FnMut(usize, &Sorted)) {
        let Some(range) = bytes.first().map(|byte| &self.first[usize::from(*byte)]) else {
            return;
        };
        let mut within = &self.sorted[range.start as usize..range.end as usize];
        for depth in 1.. {
            let Some(shortest) = within.first() else {
                return;
            };
            if (shortest.to - shortest.from) as usize == depth {
                found(depth, shortest);
            }
            let Some(next) = bytes.get(depth) else { return };
            let byte_of = |piece: &Sorted| {
                let text = &self.texts.as_bytes()[piece.from as usize..piece.to as usize];
                text.get(depth).copied()
            };
            let start = within.partition_point(|piece| byte_of(piece) < Some(*next));
            within = &within[start..];
            let end = within.partition_point(|piece| byte_of(piece) == Some(*next));
            within = &within[..end];
        }
    }
}

/// Whether a piece is a mark and no text: `<s>`, `<mask>` and the like.
fn is_special(id: u32, piece: &Piece, specials: Specials) -> bool {
    let named = [specials.begin, specials.end, specials.unknown].contains(&id);
    let looks = piece.text.starts_with('<') && piece.text.ends_with('>');
    named || (looks && piece.score.abs() < f32::EPSILON)
}
