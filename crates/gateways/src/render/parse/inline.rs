//! What is inside a line: text, code, emphasis and links.

use pulldown_cmark::LinkType;

use super::{Builder, Kind};
use crate::render::address;
use crate::render::document::{Gap, Node, Piece};

const MAIL: &str = "mailto:";

impl Builder<'_> {
    /// Text in which web addresses become links.
    pub(super) fn text(&mut self, text: &str) {
        let plain = self.depth(|node| node.is_code() || matches!(node, Node::Link { .. })) > 0;
        let mut rest = text;
        while !plain && let Some(range) = address::find(rest) {
            let (before, found) = (&rest[..range.start], &rest[range.clone()]);
            self.literal(before);
            match address::target(found, self.rules) {
                Some(to) => self.bare_link(found, to),
                None => self.literal(found),
            }
            rest = &rest[range.end..];
        }
        self.literal(rest);
    }

    /// Text as it is.
    pub(super) fn literal(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        self.inline();
        for (number, line) in text.split('\n').enumerate() {
            if number > 0 {
                self.gap(Gap::Lines(1));
            }
            if let Some(range) = self.add(line) {
                self.document.pieces.push(Piece::Text(range));
            }
        }
    }

    pub(super) fn code(&mut self, text: &str) {
        let ticks = text.contains('`');
        self.style(Node::Code { ticks });
        self.literal(text);
        self.end();
    }

    /// Begins a style, unless the text has it already: headings are bold.
    pub(super) fn style(&mut self, node: Node) {
        let same = |other: &Node| match node {
            Node::Bold => matches!(other, Node::Bold | Node::Heading(_)),
            _ => *other == node,
        };
        let has = self.depth(same) > 0;
        self.inline();
        self.push(Kind::Inline, (!has).then_some(node));
    }

    /// Begins a link or an image; inside another one, it is its text.
    pub(super) fn link(&mut self, kind: LinkType, to: &str) {
        let inside = self.depth(|node| matches!(node, Node::Link { .. })) > 0;
        let to = match kind {
            LinkType::Email => format!("{MAIL}{to}"),
            _ => to.to_owned(),
        };
        let text = self.document.text.len();
        // Its end makes it what it is.
        self.style(Node::Link {
            to: String::new(),
            bare: false,
        });
        let (Some(piece), Some(frame)) = (self.open.last(), self.frames.last_mut()) else {
            return;
        };
        if !inside {
            let piece = *piece;
            frame.kind = Kind::Link { piece, text, to };
        }
    }

    /// Ends a link, once its text is known. What is no link is text, and its target is shown.
    pub(super) fn end_link(&mut self, piece: usize, text: usize, to: &str) {
        self.open.pop();
        let label = &self.document.text[text..];
        let blank = label.trim().is_empty();
        let bare = blank || label == to || Some(label) == to.strip_prefix(MAIL);
        let poses = !bare && address::poses_as_address(label);
        let target = address::target(to, self.rules).filter(|_| !poses);
        self.document.pieces[piece] = match &target {
            Some(target) => Piece::Start {
                node: Node::Link {
                    to: target.clone(),
                    bare: bare && !target.starts_with(MAIL),
                },
                parent: None,
            },
            None => Piece::Nothing,
        };
        if blank {
            self.literal(to);
        }
        match target {
            Some(target) => {
                let shown = format!(" ({target})");
                let range = if bare { None } else { self.add(&shown) };
                self.document.pieces.extend(range.map(Piece::Aside));
                self.document.pieces.push(Piece::End);
            }
            None if bare || to.is_empty() => {}
            None => self.shown_target(to),
        }
    }

    /// A target after a text that is no link.
    fn shown_target(&mut self, to: &str) {
        self.literal(" (");
        match address::target(to, self.rules) {
            Some(target) => self.bare_link(to, target),
            None => self.literal(to),
        }
        self.literal(")");
    }

    /// A link whose text is its address.
    fn bare_link(&mut self, text: &str, to: String) {
        self.style(Node::Link { to, bare: true });
        self.literal(text);
        self.end();
    }
}
