//! Where a part ends.

use unicode_segmentation::UnicodeSegmentation as _;

use super::Part;
use super::dialect::Dialect;
use super::document::{Document, Gap, Piece};
use super::page::{Page, State};
use super::size::Limits;

/// What ends at a place, the better the later.
#[derive(Debug, Clone, Copy)]
enum Rank {
    Word,
    Sentence,
    Line,
    Paragraph,
}

/// A place where the part may end, and where the next one goes on.
#[derive(Debug, Clone, Copy)]
struct Mark {
    state: State,
    /// The piece that begins the innermost node.
    top: Option<usize>,
    next: Next,
}

/// The piece to go on with, and from where in the document's text.
#[derive(Debug, Clone, Copy)]
struct Next {
    piece: usize,
    from: usize,
}

/// The last places of a part.
#[derive(Debug, Default)]
struct Marks {
    /// By rank, in the second half of the part.
    late: [Option<Mark>; 4],
    /// Of any rank, anywhere but inside of what should not be cut.
    early: Option<Mark>,
    /// Of any rank, anywhere.
    latest: Option<Mark>,
    /// By rank, in the second half, inside of what should not be cut.
    inner: [Option<Mark>; 4],
}

impl Marks {
    /// Where to end a part that is full. What should not be cut goes to the next part as a whole,
    /// however short that leaves this one; it is cut where it began with the part.
    fn best(&self, in_entity: bool) -> Option<Mark> {
        let last = |marks: &[Option<Mark>; 4]| marks.iter().rev().find_map(|mark| *mark);
        let early = self.early.filter(|_| in_entity);
        last(&self.late).or(early).or_else(|| last(&self.inner))
    }
}

struct Splitter<'a> {
    document: &'a Document,
    page: Page<'a>,
    marks: Marks,
    parts: Vec<Part>,
}

/// Renders a document as parts within the limits.
pub(super) fn split(
    document: &Document,
    markup: Option<&dyn Dialect>,
    limits: Limits,
) -> Vec<Part> {
    let mut splitter = Splitter::new(document, markup, limits);
    splitter.run();
    splitter.parts
}

/// How many bytes are written for the parts of a document.
#[cfg(test)]
pub(super) fn work(document: &Document, markup: Option<&dyn Dialect>, limits: Limits) -> usize {
    let mut splitter = Splitter::new(document, markup, limits);
    splitter.run();
    splitter.page.work
}

impl<'a> Splitter<'a> {
    fn new(document: &'a Document, markup: Option<&'a dyn Dialect>, limits: Limits) -> Self {
        Self {
            document,
            page: Page::new(markup, limits),
            marks: Marks::default(),
            parts: Vec::new(),
        }
    }

    fn run(&mut self) {
        let mut next = Next { piece: 0, from: 0 };
        while let Some(piece) = self.document.pieces.get(next.piece) {
            next = self.piece(piece, next);
        }
        self.cut(self.here(next));
    }

    /// Takes a piece, and says where to go on.
    fn piece(&mut self, piece: &'a Piece, at: Next) -> Next {
        let after = Next {
            piece: at.piece + 1,
            ..at
        };
        match piece {
            Piece::Start { node, .. } => self.page.start(at.piece, node),
            Piece::End => self.page.end(),
            Piece::Gap(gap) => {
                let rank = match gap {
                    Gap::Lines(_) | Gap::Item => Rank::Line,
                    Gap::Block => Rank::Paragraph,
                };
                self.mark(rank, after);
                self.page.gap(*gap);
            }
            Piece::Text(range) | Piece::Aside(range) => {
                let from = at.from.max(range.start);
                let text = &self.document.text[from..range.end];
                let aside = matches!(piece, Piece::Aside(_));
                let start = Next { from, ..at };
                return self.text(text, aside, start).unwrap_or(after);
            }
            Piece::Nothing => {}
        }
        after
    }

    /// Writes a text. `Some` if the part was full: then another one has begun, and goes on there.
    fn text(&mut self, text: &str, aside: bool, start: Next) -> Option<Next> {
        let code = self.page.is_in_code();
        let place = |at: usize| Next {
            from: start.from + at,
            ..start
        };
        let mut at = 0;
        while at < text.len() {
            let word = Word::first(&text[at..], self.page.most_bytes());
            if let Some(rank) = rank(self.page.body(), word.blanks > 0, code) {
                self.mark(rank, place(at + if code { 0 } else { word.blanks }));
            }
            let dropped = self.page.is_blank() && !code;
            let from = at + if dropped { word.blanks } else { 0 };
            let end = at + word.length;
            if from < end && !self.page.text(&text[from..end], aside) {
                // A target is not cut where it can begin the next part.
                let whole = self.marks.latest.filter(|_| aside);
                let mark = match self.marks.best(self.page.is_in_entity()).or(whole) {
                    Some(mark) => mark,
                    None => {
                        let end = from + self.fill(&text[from..end], aside);
                        let before = self.marks.latest.filter(|_| end == from);
                        before.unwrap_or_else(|| self.here(place(end)))
                    }
                };
                return Some(self.cut(mark));
            }
            at = end;
        }
        None
    }

    /// Writes as much of a text as fits, and says how many bytes that is.
    fn fill(&mut self, text: &str, aside: bool) -> usize {
        let mut end = 0;
        for cluster in text.graphemes(true) {
            if !self.page.text(cluster, aside) {
                break;
            }
            end += cluster.len();
        }
        if end > 0 || !self.page.is_blank() {
            return end;
        }
        // One cluster is longer than a part.
        for c in text.chars() {
            let mut bytes = [0; 4];
            let c = c.encode_utf8(&mut bytes);
            if !self.page.text(c, aside) {
                if end > 0 {
                    break;
                }
                // No part is so short; but a text must come to an end.
                self.page.write(c, aside);
            }
            end += c.len();
        }
        end
    }

    fn here(&self, next: Next) -> Mark {
        Mark {
            state: self.page.state(),
            top: self.page.top(),
            next,
        }
    }

    /// Notes that the part may end here.
    fn mark(&mut self, rank: Rank, next: Next) {
        if self.page.is_blank() {
            return;
        }
        let mark = Some(self.here(next));
        let late = self.page.is_half_full();
        self.marks.latest = mark;
        if self.page.is_in_entity() {
            if late {
                self.marks.inner[rank as usize] = mark;
            }
            return;
        }
        self.marks.early = mark;
        if late {
            self.marks.late[rank as usize] = mark;
        }
    }

    /// Ends the part, and says where the next one goes on.
    fn cut(&mut self, mark: Mark) -> Next {
        self.parts
            .extend(self.page.cut(self.document, mark.state, mark.top));
        self.marks = Marks::default();
        mark.next
    }
}

/// What ended with a text, if a part may end there.
fn rank(before: &str, blank: bool, code: bool) -> Option<Rank> {
    let mut last = before.chars().rev();
    if !blank {
        // These scripts have no blanks.
        let wide = last.next().is_some_and(is_wide_stop);
        return (wide && !code).then_some(Rank::Sentence);
    }
    let closing = |c: &char| matches!(c, '"' | '\'' | ')' | ']' | '”' | '’' | '»');
    let stop = last.take(3).find(|c| !closing(c));
    let sentence =
        stop.is_some_and(|c| is_wide_stop(c) || matches!(c, '.' | '!' | '?' | '…' | '؟'));
    Some(if sentence && !code {
        Rank::Sentence
    } else {
        Rank::Word
    })
}

fn is_wide_stop(c: char) -> bool {
    matches!(c, '。' | '！' | '？' | '；')
}

/// White space and the word after it.
struct Word {
    /// Bytes of the white space.
    blanks: usize,
    /// Bytes of both.
    length: usize,
}

impl Word {
    /// The first one of a text, or a beginning of it where it has more than `most` bytes.
    fn first(text: &str, most: usize) -> Self {
        let most = text.floor_char_boundary(most.saturating_add(4));
        let text = &text[..most];
        let blanks = text.find(|c| !is_blank(c)).unwrap_or(text.len());
        let word = &text[blanks..];
        let end = word
            .char_indices()
            .find(|(_, c)| is_blank(*c) || is_wide_stop(*c));
        let length = end.map_or(word.len(), |(at, c)| {
            at + if is_blank(c) { 0 } else { c.len_utf8() }
        });
        Self {
            blanks,
            length: blanks + length,
        }
    }
}

/// White space at which a line may be broken.
fn is_blank(c: char) -> bool {
    c.is_whitespace() && !matches!(c, '\u{a0}' | '\u{2007}' | '\u{202f}')
}
