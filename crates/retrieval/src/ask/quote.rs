//! The part of a solution that is quoted: the lines that matter for the question.

use threadlore_language::retrieve::Content;

/// A quotation is at most this long, in characters.
const LONGEST: usize = 500;
/// A line above this is divided into its sentences, and a sentence above it between words, so that
/// one long line does not take the place of a short one with the command in it.
const PIECE: usize = 160;
/// What a piece counts for a command, an address or a path, beside the share of the question's
/// words that it has (0 to 1).
const EXACT: f32 = 0.5;
/// What it counts for being the first or the last: the last is often what helped.
const AT_END: f32 = 0.25;
/// The share of the weight of the piece before it: what follows a line that matters is often its
/// other half.
const FOLLOWS: f32 = 0.3;
/// Space at the beginning of a line is kept up to here, in bytes.
const DEEPEST: usize = 40;
/// Stands for what is left out.
const GAP: &str = "…";
/// Characters between two pieces at most: a gap on a line of its own.
const BETWEEN: usize = 3;

/// A part of the text.
struct Piece<'t> {
    text: &'t str,
    /// The number of its line.
    line: usize,
    /// Whether no space is between it and the piece before it in its line.
    is_glued: bool,
}

/// The text, or the lines and sentences of it that have most to do with the question where it is
/// too long: in their order and in its words, with `…` wherever something is left out.
pub(super) fn quote(text: &str, question: &str) -> String {
    let text = text.trim();
    if length(text) <= LONGEST {
        return text.to_owned();
    }
    let pieces = pieces(text);
    let weights = weights(&pieces, question);
    let mut ranked: Vec<usize> = (0..pieces.len()).collect();
    ranked.sort_by(|a, b| weights[*b].total_cmp(&weights[*a]).then(a.cmp(b)));
    let mut chosen: Vec<usize> = Vec::new();
    // A gap at the beginning, and one at the end.
    let mut room = LONGEST - 2 * BETWEEN;
    for at in ranked {
        let needs = length(pieces[at].text) + BETWEEN;
        if needs <= room {
            room -= needs;
            chosen.push(at);
        }
        if room <= BETWEEN {
            break;
        }
    }
    chosen.sort_unstable();
    joined(&pieces, &chosen)
}

/// The pieces with these numbers, with a mark where others are left out.
fn joined(pieces: &[Piece<'_>], chosen: &[usize]) -> String {
    let mut quoted = String::new();
    let (mut next, mut line) = (0, 0);
    for &at in chosen {
        let piece = &pieces[at];
        let between = match piece.line == line {
            true if piece.is_glued && at == next => "",
            true => " ",
            false => "\n",
        };
        if at > next {
            if !quoted.is_empty() {
                quoted.push_str(between);
            }
            quoted.push_str(GAP);
        }
        if !quoted.is_empty() {
            quoted.push_str(between);
        }
        quoted.push_str(piece.text);
        (next, line) = (at + 1, piece.line);
    }
    if let Some(left_out) = pieces.get(next) {
        let between = if left_out.line == line { " " } else { "\n" };
        quoted.push_str(between);
        quoted.push_str(GAP);
    }
    quoted
}

fn weights(pieces: &[Piece<'_>], question: &str) -> Vec<f32> {
    let (asked, none) = (Content::of(question), Content::default());
    let last = pieces.len() - 1;
    let own = |(at, piece): (usize, &Piece<'_>)| {
        let end = if at == 0 || at == last { AT_END } else { 0.0 };
        let exact = if is_exact(piece.text) { EXACT } else { 0.0 };
        asked.met_by(&Content::of(piece.text), &none, &none) + end + exact
    };
    let own: Vec<f32> = pieces.iter().enumerate().map(own).collect();
    let before = std::iter::once(&0.0).chain(&own);
    let both = own.iter().zip(before);
    both.map(|(own, before)| own + FOLLOWS * before).collect()
}

/// The lines, those that are long in sentences, and those that are too long between words.
fn pieces(text: &str) -> Vec<Piece<'_>> {
    let lines = text.lines().map(indented).filter(|line| !line.is_empty());
    let mut pieces = Vec::new();
    for (number, mut rest) in lines.enumerate() {
        let mut is_glued = false;
        while !rest.is_empty() {
            let (piece, after) = rest.split_at(end_of_piece(rest));
            pieces.push(Piece {
                text: piece.trim_end(),
                line: number,
                is_glued,
            });
            rest = after.trim_start();
            is_glued = piece.trim_end().len() == piece.len() && rest.len() == after.len();
        }
    }
    pieces
}

/// A line without the space at its end, and with that at its beginning where it is a program's.
fn indented(line: &str) -> &str {
    let bare = line.trim();
    let line = line.trim_end();
    if line.len() - bare.len() <= DEEPEST {
        line
    } else {
        bare
    }
}

/// Where the first piece of a line ends: with the line, after a sentence, between words, or where
/// there is none of these. It is never 0.
fn end_of_piece(line: &str) -> usize {
    let Some((most, _)) = line.char_indices().nth(PIECE) else {
        return line.len();
    };
    let start = &line[..most];
    // A sentence may end with the last character that fits.
    let after = |at: usize| line[at..].chars().next().is_none_or(char::is_whitespace);
    let ends = start.char_indices().rev();
    let mut ends = ends.map(|(at, c)| (at + c.len_utf8(), c));
    let sentence = ends.find(|(end, c)| match c {
        '.' | '!' | '?' | '؟' | ';' => after(*end),
        '。' | '！' | '？' => true,
        _ => false,
    });
    let sentence = sentence.map(|(end, _)| end);
    let said = start.len() - start.trim_start().len();
    let word = || start.rfind(char::is_whitespace).filter(|at| *at > said);
    sentence.or_else(word).unwrap_or_else(|| whole(line, most))
}

/// `most`, or after the marks and joiners that belong to the character before it, if they are few.
fn whole(line: &str, most: usize) -> usize {
    const FEW: usize = 8;
    let belongs = |c: char| matches!(c, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5bd}' | '\u{64b}'..='\u{65f}' | '\u{200d}' | '\u{fe0f}');
    let marks = line[most..].chars().take(FEW).take_while(|c| belongs(*c));
    most + marks.map(char::len_utf8).sum::<usize>()
}

/// Whether a text has a command, a path or an address.
fn is_exact(text: &str) -> bool {
    text.contains('`') || text.split_whitespace().any(is_exact_word)
}

fn is_exact_word(word: &str) -> bool {
    let letters = |text: &str| text.chars().take(2).filter(|c| c.is_alphanumeric()).count();
    let option = word.trim_start_matches('-');
    let is_option = option.len() < word.len() && word.len() - option.len() <= 2;
    let named = |mark| {
        let mut parts = word.split(mark);
        parts.next().is_some_and(|part| letters(part) == 2)
            && parts.next().is_some_and(|part| letters(part) == 2)
    };
    word.contains("://")
        || word
            .strip_prefix("~/")
            .or_else(|| word.strip_prefix('/'))
            .is_some_and(|path| letters(path) > 0)
        || is_option && option.starts_with(char::is_alphanumeric)
        || word == "sudo"
        || named('_')
        || named('.')
        || named('/')
}

fn length(text: &str) -> usize {
    text.chars().count()
}

#[cfg(test)]
mod tests;
