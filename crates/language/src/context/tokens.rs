//! Estimates the tokens of a message, without a tokenizer.

/// Tokens for the name, the time and the separator of messages.
const FRAME: usize = 8;
/// Quarters of a token of a character: of Latin letters, digits and signs four
/// make a token, of other alphabets two, and of scripts of syllables or
/// words every sign is one. Tokenizers of today's models do a little better.
const ASCII: usize = 1;
const ALPHABET: usize = 2;
const SIGN: usize = 4;

/// An estimate of the tokens of a message with its name and time. It is not below the count of
/// common tokenizers for plain text.
#[must_use]
pub fn tokens(text: &str) -> usize {
    FRAME + text.chars().map(quarters).sum::<usize>().div_ceil(4)
}

/// How many characters of a text fit into this many tokens, and their estimate.
pub(super) fn cut(text: &str, tokens: usize) -> (usize, usize) {
    let (mut characters, mut used) = (0, 0);
    for c in text.chars() {
        let next = used + quarters(c);
        if FRAME + next.div_ceil(4) > tokens {
            break;
        }
        (characters, used) = (characters + 1, next);
    }
    (characters, FRAME + used.div_ceil(4))
}

fn quarters(c: char) -> usize {
    match c {
        '\0'..='\u{7f}' => ASCII,
        '\u{80}'..='\u{6ff}' => ALPHABET,
        _ => SIGN,
    }
}
