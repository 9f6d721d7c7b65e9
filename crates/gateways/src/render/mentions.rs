//! Names that notify a whole room, made harmless by an invisible character.

use super::document::{Document, Piece};

/// Zero-width space: seen by nobody, and no part of a name.
pub(super) const BREAK: char = '\u{200b}';

/// Puts [`BREAK`] between `@` and each of the names (in lower case), and, with `references`, after
/// a `<` that begins a reference such as `<@1>` or `<!here>`. Marks around letters do not matter,
/// because the text without markup has none.
pub(super) fn neutralise(document: &mut Document, names: &[&str], references: bool) {
    let places = places(&document.text, names, references);
    if places.is_empty() {
        return;
    }
    let mut text = String::with_capacity(document.text.len() + 3 * places.len());
    let mut from = 0;
    for place in &places {
        text.push_str(&document.text[from..*place]);
        text.push(BREAK);
        from = *place;
    }
    text.push_str(&document.text[from..]);
    document.text = text;
    // Ranges follow each other, so one pass over both lists is enough.
    let mut before = 0;
    let mut moved = |at: usize| {
        while places.get(before).is_some_and(|place| *place <= at) {
            before += 1;
        }
        at + before * BREAK.len_utf8()
    };
    for piece in &mut document.pieces {
        if let Piece::Text(range) | Piece::Aside(range) = piece {
            *range = moved(range.start)..moved(range.end);
        }
    }
}

/// Where something has to be inserted, in order.
fn places(text: &str, names: &[&str], references: bool) -> Vec<usize> {
    let refers = |rest: &str| {
        let next = rest.chars().find(|c| !is_passed_over(*c));
        references && next.is_some_and(|c| matches!(c, '@' | '#' | '!' | '&'))
    };
    text.match_indices(['@', '<'])
        .filter(|(at, sign)| {
            let rest = &text[at + 1..];
            match *sign {
                "@" => names.iter().any(|name| starts_with(rest, name)),
                _ => refers(rest),
            }
        })
        .map(|(at, _)| at + 1)
        .collect()
}

/// Whether a text starts with a name, in any case, and with anything between the letters that a
/// platform may drop.
fn starts_with(text: &str, name: &str) -> bool {
    let mut seen = text.chars().filter(|c| !is_passed_over(*c));
    name.chars()
        .all(|letter| seen.next().is_some_and(|c| c.eq_ignore_ascii_case(&letter)))
}

/// Marks, joiners and the like: Discord drops many of them.
fn is_passed_over(c: char) -> bool {
    !c.is_ascii() && !c.is_alphanumeric()
}

/// A web address in which `@` before one of the names is escaped.
pub(super) fn escaped(address: &str, names: &[&str]) -> String {
    let mut out = String::with_capacity(address.len());
    let mut from = 0;
    for place in places(address, names, false) {
        out.push_str(&address[from..place - 1]);
        out.push_str("%40");
        from = place;
    }
    out.push_str(&address[from..]);
    out
}
