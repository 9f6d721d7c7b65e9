//! What looks like a secret, so that it is not kept to be told again.

/// A kind of secret, as a sentence names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Secret {
    /// The number of a payment card.
    Card,
    /// A key, a token or a certificate's private part.
    Key,
}

impl Secret {
    /// With its article, for a sentence.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Card => "a card number",
            Self::Key => "a key or a token",
        }
    }
}

/// Beginnings of keys and tokens that services issue, as their documentation shows them.
const BEGINNINGS: [&str; 16] = [
    "AKIA",
    "ASIA",
    "AIza",
    "eyJ",
    "gho_",
    "ghp_",
    "ghs_",
    "ghu_",
    "github_pat_",
    "glpat-",
    "hf_",
    "npm_",
    "pypi-",
    "sk-",
    "sk_live_",
    "xox",
];
/// A word with such a beginning is a key from this length on, in characters.
const SHORTEST: usize = 16;
/// A word of capitals, small letters and digits is a key from this length on, in characters.
const MIXED: usize = 32;
/// Digits of the number of a payment card (ISO/IEC 7812).
const CARD: std::ops::RangeInclusive<usize> = 13..=19;

/// The first secret that a text seems to have.
#[must_use]
pub fn secret(text: &str) -> Option<Secret> {
    if text.contains("-----BEGIN") || text.split_whitespace().any(is_key) {
        return Some(Secret::Key);
    }
    has_card(text).then_some(Secret::Card)
}

fn is_key(word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_-+/=.".contains(c);
    let mut parts = word.split(|c| !is_part(c));
    parts.any(|part| {
        let part = part.trim_matches(['.', '=', '/']);
        let is_named = BEGINNINGS.iter().any(|begins| part.starts_with(begins));
        let has = |test: fn(&char) -> bool| part.chars().any(|c| test(&c));
        let is_mixed = has(char::is_ascii_uppercase)
            && has(char::is_ascii_lowercase)
            && has(char::is_ascii_digit)
            && !part.contains(['/', '.']);
        (is_named && part.len() >= SHORTEST && has(char::is_ascii_digit))
            || (is_mixed && part.len() >= MIXED)
    })
}

/// Whether digits, in groups or not, are the number of a card by its check digit (Luhn).
fn has_card(text: &str) -> bool {
    let mut digits: Vec<u32> = Vec::new();
    let mut ends = text.chars().map(Some).chain([None]).peekable();
    let mut before = None;
    while let Some(next) = ends.next() {
        match next.and_then(|c| c.to_digit(10)) {
            Some(digit) => digits.push(digit),
            None => {
                let goes_on = ends.peek().copied().flatten();
                let goes_on = goes_on.is_some_and(|c| c.is_ascii_digit());
                let is_between = matches!(next, Some(' ' | '-')) && goes_on && before.is_some();
                if !is_between {
                    if CARD.contains(&digits.len()) && is_checked(&digits) {
                        return true;
                    }
                    digits.clear();
                }
            }
        }
        before = next.and_then(|c| c.to_digit(10));
    }
    false
}

fn is_checked(digits: &[u32]) -> bool {
    let doubled = |(at, digit): (usize, &u32)| match at % 2 {
        0 => *digit,
        _ if *digit > 4 => 2 * digit - 9,
        _ => 2 * digit,
    };
    let sum: u32 = digits.iter().rev().enumerate().map(doubled).sum();
    sum.is_multiple_of(10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_card_numbers_are_seen() {
        for text in [
            "my token is ghp_16C7e42F292c6912E7710c838347Ae178B4a",
            "the key: AKIAIOSFODNN7EXAMPLE.",
            "-----BEGIN OPENSSH PRIVATE KEY----- abc",
            "secret=wJalrXUtnFEMIK7MDENGbPxRfiCYEXAMPLEKEY",
        ] {
            assert_eq!(secret(text), Some(Secret::Key), "{text}");
        }
        for text in [
            "my card is 4111 1111 1111 1111",
            "4111-1111-1111-1111, valid until May",
            "мой номер 5500000000000004",
        ] {
            assert_eq!(secret(text), Some(Secret::Card), "{text}");
        }
    }

    #[test]
    fn what_people_say_is_no_secret() {
        for text in [
            "my node is 7.6",
            "we deploy on Fridays at 16:00",
            "the commit is 2fd4e1c67a2d28fced849ee1bb76e7391b93eb12",
            "see https://example.org/Very/Long/Path/With/Numbers/2026/11/27/ItIsHere",
            "call +49 30 1234567 or 4111 1111 1111 1112",
            "the ids are 1234567890123456789012345",
            "my sk- prefix",
            "",
        ] {
            assert_eq!(secret(text), None, "{text}");
        }
    }
}
