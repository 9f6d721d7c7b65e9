//! Cuts texts into tokens by the library that models are published for.
//!
//! A text that looks like a special token is text here, never that token: chat cannot end its own
//! input or begin another.

use std::collections::{BTreeSet, HashMap};
use std::path::Path;

use tokenizers::models::unigram::Unigram;
use tokenizers::pre_tokenizers::metaspace::{Metaspace, PrependScheme};
use tokenizers::pre_tokenizers::sequence::Sequence;
use tokenizers::pre_tokenizers::whitespace::WhitespaceSplit;
use tokenizers::processors::template::TemplateProcessing;
use tokenizers::{Tokenizer as Library, TruncationParams};

/// The character that stands for the space before a word in a vocabulary of `sentencepiece`.
const SPACE: char = '\u{2581}';

/// Tokens that are not made of text, by their places in the vocabulary.
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
    library: Library,
    /// What single characters become before the library has them.
    characters: HashMap<char, String>,
    /// Tokens that no text has.
    marks: BTreeSet<u32>,
    /// The most tokens of a text that the tokenizer itself wants.
    most: Option<usize>,
}

impl Tokenizer {
    /// From a `tokenizer.json`. Says what is wrong with it.
    pub(crate) fn open(path: &Path) -> Result<Self, String> {
        let library = Library::from_file(path).map_err(|error| error.to_string())?;
        let added = library.get_added_tokens_decoder();
        let marks = added
            .into_iter()
            .filter(|(_, token)| token.special && !token.content.to_lowercase().contains("unk"));
        let marks = marks.map(|(id, _)| id).collect();
        Self::new(library, HashMap::new(), marks)
    }

    /// From the pieces of a unigram model with their scores; the place of a piece is its number.
    pub(crate) fn of_pieces(
        pieces: Vec<(String, f64)>,
        specials: Specials,
        characters: HashMap<char, String>,
    ) -> Result<Self, String> {
        let named = |id: u32| {
            let piece = pieces.get(id as usize).map(|(text, _)| text.clone());
            piece.ok_or_else(|| {
                format!(
                    "its special token {id} is none of its {} pieces",
                    pieces.len()
                )
            })
        };
        let (begin, end) = (named(specials.begin)?, named(specials.end)?);
        named(specials.unknown)?;
        if pieces.iter().any(|(_, score)| !score.is_finite()) {
            return Err("a score of its pieces is not finite".to_owned());
        }
        let is_mark = |(text, score): &(String, f64)| {
            text.starts_with('<') && text.ends_with('>') && score.abs() < f64::EPSILON
        };
        let mut marks: BTreeSet<u32> = (0..)
            .zip(&pieces)
            .filter(|(_, piece)| is_mark(piece))
            .map(|(id, _)| id)
            .collect();
        marks.extend([specials.begin, specials.end]);
        marks.remove(&specials.unknown);
        let around = TemplateProcessing::builder()
            .try_single(format!("{begin}:0 $A:0 {end}:0"))
            .map_err(|error| error.to_string())?
            .special_tokens(vec![(begin, specials.begin), (end, specials.end)])
            .build()
            .map_err(|error| error.to_string())?;
        let unigram = Unigram::from(pieces, Some(specials.unknown as usize), false);
        let mut library = Library::new(unigram.map_err(|error| error.to_string())?);
        let words = Metaspace::new(SPACE, PrependScheme::Always, true);
        library.with_pre_tokenizer(Some(Sequence::new(vec![
            WhitespaceSplit.into(),
            words.into(),
        ])));
        library.with_post_processor(Some(around));
        Self::new(library, characters, marks)
    }

    fn new(
        mut library: Library,
        characters: HashMap<char, String>,
        marks: BTreeSet<u32>,
    ) -> Result<Self, String> {
        let most = library.get_truncation().map(|own| own.max_length);
        library.with_padding(None);
        library.set_encode_special_tokens(true);
        let mut tokenizer = Self {
            library,
            characters,
            marks,
            most,
        };
        if tokenizer.pieces() == 0 {
            return Err("its vocabulary is empty".to_owned());
        }
        tokenizer.limit(usize::MAX)?;
        if tokenizer.tokens("")?.is_empty() {
            return Err(
                "it puts no token around a text, as models for vectors of texts do".to_owned(),
            );
        }
        Ok(tokenizer)
    }

    /// Cuts texts after so many tokens, those around them included, or earlier if the tokenizer
    /// says so.
    pub(crate) fn limit(&mut self, most: usize) -> Result<(), String> {
        let truncation = TruncationParams {
            max_length: self.most.map_or(most, |own| own.min(most)),
            ..TruncationParams::default()
        };
        let limited = self.library.with_truncation(Some(truncation));
        limited.map(drop).map_err(|error| error.to_string())
    }

    /// How many pieces there are: each token is below.
    pub(crate) fn pieces(&self) -> usize {
        self.library.get_vocab_size(true)
    }

    /// The tokens of a text, with those around it.
    pub(crate) fn tokens(&self, text: &str) -> Result<Vec<u32>, String> {
        let encoded = match self.characters.is_empty() {
            true => self.library.encode(text, true),
            false => {
                let mut all = String::with_capacity(text.len());
                for character in text.chars() {
                    match self.characters.get(&character) {
                        Some(others) => all.push_str(others),
                        None => all.push(character),
                    }
                }
                self.library.encode(all, true)
            }
        };
        let encoded = encoded.map_err(|error| error.to_string())?;
        let tokens = encoded
            .get_ids()
            .iter()
            .zip(encoded.get_special_tokens_mask());
        let is_text = |(id, around): &(&u32, &u32)| **around == 1 || !self.marks.contains(id);
        Ok(tokens.filter(is_text).map(|(id, _)| *id).collect())
    }
}
