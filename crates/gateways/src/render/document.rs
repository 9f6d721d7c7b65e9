//! A text as a list of pieces: what all platforms have in common.

use std::ops::Range;

/// What a piece of text is inside of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Node {
    Paragraph,
    /// Its level, 1 to 6.
    Heading(u8),
    Quote,
    List {
        ordered: bool,
    },
    /// Its number, in an ordered list.
    Item(Option<u64>),
    CodeBlock {
        /// Letters, digits and a few signs, or empty.
        language: String,
    },
    Bold,
    Italic,
    Strike,
    Code {
        /// Whether it contains a backtick.
        ticks: bool,
    },
    Link {
        to: String,
        /// Whether its text is its address.
        bare: bool,
    },
}

impl Node {
    /// Whether it is a part of a line, which is not cut if it fits into a message.
    pub(super) fn is_inline(&self) -> bool {
        matches!(
            self,
            Self::Bold | Self::Italic | Self::Strike | Self::Code { .. } | Self::Link { .. }
        )
    }

    /// Whether white space matters in it.
    pub(super) fn is_code(&self) -> bool {
        matches!(self, Self::CodeBlock { .. } | Self::Code { .. })
    }
}

/// What is between two texts, the stronger the later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Gap {
    /// Line ends inside a block, how many.
    Lines(usize),
    /// The end of a line between blocks.
    Item,
    /// An empty line between blocks.
    Block,
}

impl Gap {
    /// Two gaps without text between them.
    pub(super) fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Lines(a), Self::Lines(b)) => Self::Lines(a.saturating_add(b)),
            _ => self.max(other),
        }
    }
}

#[derive(Debug)]
pub(super) enum Piece {
    /// A node begins. `parent` is the index of the piece that begins the node around it.
    Start {
        node: Node,
        parent: Option<usize>,
    },
    /// The node that began last ends.
    End,
    /// Where in [`Document::text`] it is. It has no line ends.
    Text(Range<usize>),
    /// A text that is needed only where there is no markup.
    Aside(Range<usize>),
    Gap(Gap),
    /// A node that was not kept.
    Nothing,
}

#[derive(Debug)]
pub(super) struct Document {
    pub(super) text: String,
    pub(super) pieces: Vec<Piece>,
}

impl Document {
    /// The nodes from the outermost to the one that begins at `top`, with their indexes.
    pub(super) fn path(&self, top: Option<usize>) -> Vec<(usize, &Node)> {
        let mut path = Vec::new();
        let mut at = top;
        while let Some(Piece::Start { node, parent }) = at.and_then(|at| self.pieces.get(at)) {
            path.extend(at.map(|at| (at, node)));
            at = *parent;
        }
        path.reverse();
        path
    }

    /// Fills in the parents.
    pub(super) fn link(&mut self) {
        let mut open = Vec::new();
        for (at, piece) in self.pieces.iter_mut().enumerate() {
            match piece {
                Piece::Start { parent, .. } => {
                    *parent = open.last().copied();
                    open.push(at);
                }
                Piece::End => {
                    open.pop();
                }
                _ => {}
            }
        }
    }
}
