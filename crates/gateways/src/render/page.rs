//! One part while it is written: its texts, their size, and the nodes that are open.

use super::Part;
use super::dialect::{Dialect, Place};
use super::document::{Document, Gap, Node};
use super::plain::Plain;
use super::size::{Limits, Size};

/// All that changes when a text is written, so that it can be taken back.
#[derive(Debug, Clone, Copy)]
pub(super) struct State {
    /// Bytes of the texts.
    body: usize,
    formatted: usize,
    size: Size,
    /// Room for the ends of the open nodes.
    reserve: Size,
    /// How many nodes, from the outermost, are open in this part.
    open: usize,
    /// How many nodes, from the outermost, were ever open: their beginning is written.
    begun: usize,
    gap: Option<Gap>,
    /// Whether the part has no text yet.
    blank: bool,
    line_start: bool,
    after_close: bool,
}

impl State {
    fn new(begun: usize) -> Self {
        Self {
            body: 0,
            formatted: 0,
            size: Size::default(),
            reserve: Size::default(),
            open: 0,
            begun,
            gap: None,
            blank: true,
            line_start: true,
            after_close: false,
        }
    }
}

/// One character, as large as [`BREAK`](super::mentions::BREAK).
const APART: &str = "\u{200b}";

/// Nodes are opened, and gaps written, only with the text that follows them. So nothing is ever
/// open around no text, and no part begins or ends with a gap.
pub(super) struct Page<'a> {
    markup: Option<&'a dyn Dialect>,
    limits: Limits,
    body: String,
    formatted: String,
    nodes: Vec<&'a Node>,
    /// The piece that begins each node, and the room for its end.
    starts: Vec<(usize, Size)>,
    state: State,
    /// Bytes that were written, also those that were taken back.
    #[cfg(test)]
    pub(super) work: usize,
}

impl<'a> Page<'a> {
    pub(super) fn new(markup: Option<&'a dyn Dialect>, limits: Limits) -> Self {
        Self {
            markup,
            limits,
            body: String::new(),
            formatted: String::new(),
            nodes: Vec::new(),
            starts: Vec::new(),
            state: State::new(0),
            #[cfg(test)]
            work: 0,
        }
    }

    pub(super) fn state(&self) -> State {
        self.state
    }

    /// The piece that begins the innermost node.
    pub(super) fn top(&self) -> Option<usize> {
        self.starts.last().map(|(start, _)| *start)
    }

    /// Whether the part has no text yet.
    pub(super) fn is_blank(&self) -> bool {
        self.state.blank
    }

    /// Whether the part is at least half full.
    pub(super) fn is_half_full(&self) -> bool {
        self.limits.are_half_used(self.state.size)
    }

    /// A text of more bytes does not fit into any part.
    pub(super) fn most_bytes(&self) -> usize {
        self.limits.most_bytes()
    }

    /// Whether something that should not be cut has begun.
    pub(super) fn is_in_entity(&self) -> bool {
        let begun = &self.nodes[..self.state.begun];
        begun.iter().any(|node| node.is_inline())
    }

    pub(super) fn is_in_code(&self) -> bool {
        self.nodes.iter().any(|node| node.is_code())
    }

    /// What the part has until now.
    pub(super) fn body(&self) -> &str {
        &self.body
    }

    pub(super) fn start(&mut self, piece: usize, node: &'a Node) {
        self.nodes.push(node);
        self.starts.push((piece, Size::default()));
    }

    pub(super) fn end(&mut self) {
        if self.state.open == self.nodes.len() {
            self.close();
        }
        self.nodes.pop();
        self.starts.pop();
        self.state.begun = self.state.begun.min(self.nodes.len());
    }

    pub(super) fn gap(&mut self, gap: Gap) {
        // A block of code begins and ends with text.
        let opening = self.state.begun < self.nodes.len()
            && matches!(self.nodes.last(), Some(Node::CodeBlock { .. }));
        if self.state.blank || opening {
            return;
        }
        self.state.gap = Some(self.state.gap.map_or(gap, |before| before.and(gap)));
    }

    /// Writes a text, with `aside` into the body alone. `false`, and nothing is written, if it does
    /// not fit.
    pub(super) fn text(&mut self, text: &str, aside: bool) -> bool {
        let before = self.state;
        self.write(text, aside);
        let fits = self.fits();
        if !fits {
            self.restore(before);
        }
        fits
    }

    /// Writes a text whether or not it fits.
    pub(super) fn write(&mut self, text: &str, aside: bool) {
        let aside = aside && !self.state.blank && self.state.gap.is_none();
        if !aside {
            self.flush();
        }
        let place = Place {
            line_start: self.state.line_start,
            after_close: self.state.after_close,
        };
        self.add(|dialect, out, nodes, plain| {
            if plain || !aside {
                dialect.text(out, text, nodes, place);
            }
        });
        self.state.blank = false;
        self.state.line_start &= text.trim_start().is_empty();
        self.state.after_close = false;
    }

    fn fits(&self) -> bool {
        self.limits.hold(self.state.size, self.state.reserve)
    }

    fn restore(&mut self, state: State) {
        self.body.truncate(state.body);
        self.formatted.truncate(state.formatted);
        self.state = state;
    }

    /// Writes the gap and opens the nodes.
    fn flush(&mut self) {
        if let Some(gap) = self.state.gap.take() {
            if self
                .markup
                .is_some_and(|markup| markup.ends_marks_with_lines())
            {
                let is_mark = |node: &Node| node.is_inline() || matches!(node, Node::Heading(_));
                while self.state.open > 0 && is_mark(self.nodes[self.state.open - 1]) {
                    self.close();
                }
            }
            let open = self.state.open;
            self.add(|dialect, out, nodes, _| dialect.gap(out, gap, nodes, open));
            self.state.line_start = true;
            self.state.after_close = false;
        }
        while self.state.open < self.nodes.len() {
            self.open();
        }
    }

    fn open(&mut self) {
        let at = self.state.open;
        let resumed = at < self.state.begun;
        self.add(|dialect, out, nodes, _| dialect.open(out, nodes, at, resumed));
        let unit = self.limits.unit;
        let room = |dialect: &dyn Dialect, nodes: &[&Node]| {
            let mut end = String::new();
            dialect.close(&mut end, nodes, at);
            // An end may have to be set apart.
            unit.count(&end) + usize::from(!end.is_empty()) * unit.count(APART)
        };
        let size = Size {
            body: room(&Plain, &self.nodes),
            formatted: self.markup.map_or(0, |markup| room(markup, &self.nodes)),
            entities: 0,
        };
        if let Some((_, place)) = self.starts.get_mut(at) {
            *place = size;
        }
        self.state.reserve.body += size.body;
        self.state.reserve.formatted += size.formatted;
        // What has no end is no entity: it is a sign at the beginning of a line.
        self.state.size.entities += usize::from(size.formatted > 0);
        self.state.open += 1;
        self.state.begun = self.state.begun.max(self.state.open);
    }

    /// Closes the innermost open node.
    fn close(&mut self) {
        let at = self.state.open - 1;
        self.add(|dialect, out, nodes, _| dialect.close(out, nodes, at));
        let (_, size) = self.starts[at];
        self.state.reserve.body -= size.body;
        self.state.reserve.formatted -= size.formatted;
        self.state.open = at;
        self.state.after_close = true;
    }

    /// Lets the languages of both texts (`true`: of the body) write, and counts what they wrote.
    fn add(&mut self, write: impl Fn(&dyn Dialect, &mut String, &[&Node], bool)) {
        let unit = self.limits.unit;
        #[cfg(test)]
        let before = self.body.len() + self.formatted.len();
        write(&Plain, &mut self.body, &self.nodes, true);
        self.state.size.body += unit.count(&self.body[self.state.body..]);
        self.state.body = self.body.len();
        if let Some(markup) = self.markup {
            write(markup, &mut self.formatted, &self.nodes, false);
            self.state.size.formatted += unit.count(&self.formatted[self.state.formatted..]);
            self.state.formatted = self.formatted.len();
        }
        #[cfg(test)]
        {
            self.work += self.body.len() + self.formatted.len() - before;
        }
    }

    /// Ends the part as it was in `state`, inside the node that begins at `top`, and begins the
    /// next one there. `None` if nothing of the part can be seen.
    pub(super) fn cut(
        &mut self,
        document: &'a Document,
        state: State,
        top: Option<usize>,
    ) -> Option<Part> {
        let path = document.path(top);
        self.restore(state);
        self.nodes = path.iter().map(|(_, node)| *node).collect();
        let sizes = std::iter::repeat(Size::default());
        self.starts = path.iter().map(|(at, _)| *at).zip(sizes).collect();
        while self.state.open > 0 {
            self.close();
        }
        self.state = State::new(state.begun);
        let part = Part {
            body: std::mem::take(&mut self.body),
            formatted: self.markup.map(|_| std::mem::take(&mut self.formatted)),
        };
        part.body.contains(is_visible).then_some(part)
    }
}

pub(super) fn is_visible(c: char) -> bool {
    let hidden = matches!(
        c,
        '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
    );
    !hidden && !c.is_whitespace() && !c.is_control()
}
