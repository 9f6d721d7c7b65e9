//! The terms by which a text is found, without a model and in any language.
//!
//! Three legs, because none is best everywhere: whole **words**; **stems**, the
//! first letters of each word; and **grams**, three and four characters in a row,
//! which hold together the forms of a word in languages with many endings or
//! with prefixes written on. A word is a run of letters and digits, without case
//! and without marks, so that the same word in two spellings is the same.
//!
//! The index multiplies by the rarity of a term (its IDF); what is here depends
//! on the text alone. That is why the usual length of a text is a constant: a
//! point must not change because others came.

mod words;

use super::{SparseVector, Terms};

use words::Word;

/// Grows with every change by which a text gets other terms: points of two
/// versions cannot be searched together.
pub const TERMS_VERSION: u32 = 1;

/// Of a longer text the beginning is searched: this many characters, after marks
/// are taken off. Each leg then has less than four times as many terms.
pub const MOST_CHARACTERS: usize = 20_000;

/// BM25: how soon more of the same term counts no more, and how much a long text
/// is held against it. Best of four pairs for paragraphs in three languages
/// (XQuAD en and ru, HeQ he).
const K1: f32 = 0.9;
const B: f32 = 0.4;

/// How many terms a text of usual length has. The paragraphs of the same three
/// sets have 115 to 126 words and 970 to 1,300 grams on average; half or twice as
/// many move recall@1 by less than a point.
const USUAL_WORDS: f32 = 120.0;
const USUAL_GRAMS: f32 = 1_100.0;
/// With the runs of two characters.
const USUAL_ALIKE: f32 = 1_800.0;

/// Words count as the same in the leg `stems` when they agree this far.
const STEM: usize = 5;

/// The terms of a text that is to be found: BM25's weight without the IDF.
#[must_use]
pub fn document_terms(text: &str) -> Terms {
    terms(text, saturated)
}

/// The terms of a question: each that stands in it, once.
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

/// The terms by which two short texts are compared: the grams of a document, and
/// with them shorter ones, which hold together what is misspelled. The index does
/// not have those. 10,003 questions of BANKING77's train.csv, each against all
/// others: the nearest has the same intent for 84.1 % instead of 83.8 %, and for no
/// more with still shorter or longer ones, or with those across words.
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

/// The first letters; of a script without spaces every character.
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
    // No letter: a word that has one is cut there.
    bounded.push('_');
    bounded.extend(letters);
    bounded.push('_');
    bounded
}

/// Every `length` characters in a row, or all of them where there are fewer.
fn runs(letters: &[char], length: usize, out: &mut Vec<u32>) {
    if letters.len() <= length {
        out.push(hash(letters));
    } else {
        out.extend(letters.windows(length).map(hash));
    }
}

/// FNV-1a of the UTF-8, 32 bits: the index names terms by such numbers. It must
/// be the same in every version, so it is spelled out.
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
