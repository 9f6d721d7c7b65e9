//! The search terms of a text, without a model and in any language.
//!
//! There are three legs, because none is best everywhere: whole **words**; **stems**, the first
//! letters of each word; and **grams**, three and four characters in a row. Grams match the forms
//! of a word in languages with many endings or with attached prefixes. A word is a run of letters
//! and digits, without case and without marks, so that two spellings of a word are the same.
//!
//! The index multiplies weights by the rarity of a term (its IDF). The weights here depend on the
//! text alone, with a constant for the usual length of a text: a point must not change because
//! others were added.

mod words;

use super::{SparseVector, Terms};

use words::Word;

/// Grows with every change by which a text gets other terms: points of two
/// versions cannot be searched together.
pub const TERMS_VERSION: u32 = 1;

/// The most characters of a text that are searched, counted after marks are removed. Each leg has
/// less than four times as many terms.
pub const MOST_CHARACTERS: usize = 20_000;

/// BM25: how soon repetitions of a term stop counting, and how much long texts are penalised. The
/// best of four pairs for paragraphs in three languages (XQuAD en and ru, HeQ he).
const K1: f32 = 0.9;
const B: f32 = 0.4;

/// How many terms a text of usual length has. The paragraphs of the same three
/// sets have 115 to 126 words and 970 to 1,300 grams on average; half or twice as
/// many move recall@1 by less than a point.
const USUAL_WORDS: f32 = 120.0;
const USUAL_GRAMS: f32 = 1_100.0;
/// With the runs of two characters.
const USUAL_ALIKE: f32 = 1_800.0;

/// Words are the same in the leg `stems` when this many first letters are equal.
const STEM: usize = 5;

/// The terms of a text that is to be found: BM25's weight without the IDF.
#[must_use]
pub fn document_terms(text: &str) -> Terms {
    terms(text, saturated)
}

/// The terms of a question, each once.
#[must_use]
pub fn query_terms(text: &str) -> Terms {
    terms(text, |hashes, _| {
        SparseVector::new(hashes.into_iter().map(|hash| (hash, 1.0)).collect())
    })
}

/// The words of a text, as the legs see them: lower case, without marks.
#[must_use]
pub fn words_of(text: &str) -> Vec<String> {
    let words = words::words(text, MOST_CHARACTERS).into_iter();
    let letters = words.map(|word| match word {
        Word::Spaced(letters) | Word::Unspaced(letters) => letters,
    });
    letters
        .map(|letters| letters.into_iter().collect())
        .collect()
}

/// The terms for comparing two short texts: the grams of a document and shorter ones, which match
/// misspelled words. The index does not have the shorter ones. Measured on the 10,003 questions of
/// BANKING77's train.csv, each compared with all others: with the shorter grams, the nearest
/// question has the same intent for 84.1 % instead of 83.8 %. Still shorter or longer grams, or
/// grams across words, do not improve that.
#[must_use]
pub fn alike_terms(text: &str) -> SparseVector {
    let mut hashes = Vec::new();
    for word in &words::words(text, MOST_CHARACTERS) {
        grams(word, &mut hashes);
        short_grams(word, &mut hashes);
    }
    saturated(hashes, USUAL_ALIKE)
}

/// The legs, weighed by a function of a leg's terms and their usual number.
fn terms(text: &str, weigh: fn(Vec<u32>, f32) -> SparseVector) -> Terms {
    let words = words::words(text, MOST_CHARACTERS);
    let leg = |of: fn(&Word, &mut Vec<u32>), usual| {
        let mut hashes = Vec::new();
        for word in &words {
            of(word, &mut hashes);
        }
        weigh(hashes, usual)
    };
    Terms {
        words: leg(whole, USUAL_WORDS),
        stems: leg(stem, USUAL_WORDS),
        grams: leg(grams, USUAL_GRAMS),
    }
}

fn saturated(mut hashes: Vec<u32>, usual: f32) -> SparseVector {
    let length = hashes.len() as f32;
    hashes.sort_unstable();
    let terms = hashes.chunk_by(|a, b| a == b).map(|same| {
        let times = same.len() as f32;
        let weight = times * (K1 + 1.0) / (times + K1 * (1.0 - B + B * length / usual));
        (same[0], weight)
    });
    SparseVector::new(terms.collect())
}

/// The word itself; of a script without spaces every two characters in a row.
fn whole(word: &Word, out: &mut Vec<u32>) {
    match word {
        Word::Spaced(letters) => out.push(hash(letters)),
        Word::Unspaced(letters) => runs(letters, 2, out),
    }
}

/// The first letters; in a script without spaces, every character.
fn stem(word: &Word, out: &mut Vec<u32>) {
    match word {
        Word::Spaced(letters) => out.push(hash(&letters[..letters.len().min(STEM)])),
        Word::Unspaced(letters) => runs(letters, 1, out),
    }
}

/// Three and four characters in a row, the ends of the word counted as one each;
/// of a script without spaces two and three.
fn grams(word: &Word, out: &mut Vec<u32>) {
    match word {
        Word::Spaced(letters) => {
            let bounded = bounded(letters);
            runs(&bounded, 3, out);
            out.extend(bounded.windows(4).map(hash));
        }
        Word::Unspaced(letters) => {
            runs(letters, 2, out);
            out.extend(letters.windows(3).map(hash));
        }
    }
}

/// Two characters in a row; of a script without spaces every character.
fn short_grams(word: &Word, out: &mut Vec<u32>) {
    match word {
        Word::Spaced(letters) => runs(&bounded(letters), 2, out),
        Word::Unspaced(letters) => runs(letters, 1, out),
    }
}

fn bounded(letters: &[char]) -> Vec<char> {
    let mut bounded = Vec::with_capacity(letters.len() + 2);
    // `_` is no letter, so no word contains it.
    bounded.push('_');
    bounded.extend(letters);
    bounded.push('_');
    bounded
}

/// Every run of `length` characters, or all characters if there are fewer.
fn runs(letters: &[char], length: usize, out: &mut Vec<u32>) {
    if letters.len() <= length {
        out.push(hash(letters));
    } else {
        out.extend(letters.windows(length).map(hash));
    }
}

/// FNV-1a of the UTF-8, 32 bits. The index stores these numbers, so they must be the same in every
/// version; therefore the function is written out here.
fn hash(letters: &[char]) -> u32 {
    let mut hash = 0x811c_9dc5_u32;
    let mut buffer = [0; 4];
    for letter in letters {
        for byte in letter.encode_utf8(&mut buffer).bytes() {
            hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        }
    }
    hash
}

#[cfg(test)]
mod tests;
