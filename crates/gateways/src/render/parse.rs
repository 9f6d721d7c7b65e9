//! Markdown to a document.

mod definitions;
mod inline;

use std::borrow::Cow;
use std::ops::Range;

use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TextMergeStream};

use super::document::{Document, Gap, Node, Piece};
use super::mentions;
use crate::text::without_controls;

/// What a platform can show, and what notifies a room there.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rules {
    /// Quotations inside each other, at most.
    pub(super) quotes: usize,
    /// Whether a link may be a mail address.
    pub(super) mail: bool,
    /// What notifies a room after an `@`, in lower case.
    pub(super) rooms: &'static [&'static str],
    /// Whether `<` begins references to people, channels and rooms.
    pub(super) references: bool,
}

/// Lists inside each other, at most.
const LISTS: usize = 4;
/// What is shown for a thematic break.
const RULE: &str = "———";

/// Parses Markdown. Nodes are nested no deeper than platforms show them, so that what has to be
/// repeated in each part is short.
pub(super) fn parse(markdown: &str, rules: &Rules) -> Document {
    let markdown = if markdown.contains('\r') {
        Cow::Owned(markdown.replace("\r\n", "\n").replace('\r', "\n"))
    } else {
        Cow::Borrowed(markdown)
    };
    // A table is shown as it is written: with the extension, cells that its first row has none for
    // would be lost.
    let options = Options::ENABLE_STRIKETHROUGH;
    let markdown = definitions::without_false_ones(without_controls(&markdown), options);
    let mut builder = Builder::new(rules);
    for event in TextMergeStream::new(Parser::new_ext(&markdown, options)) {
        builder.event(event);
    }
    let mut document = builder.document;
    mentions::neutralise(&mut document, rules.rooms, rules.references);
    document.link();
    document
}

/// An element of the Markdown that has begun.
#[derive(Debug, Default)]
struct Frame {
    kind: Kind,
    /// Whether it began a node, which ends with it.
    node: bool,
    /// Whether it has content.
    any: bool,
    /// Whether its last content is a block.
    after_block: bool,
}

#[derive(Debug, Default)]
enum Kind {
    #[default]
    Block,
    List {
        /// The next item's number, in an ordered list.
        next: Option<u64>,
    },
    Item,
    Inline,
    /// A link or an image, with where it began and where it leads.
    Link {
        piece: usize,
        text: usize,
        to: String,
    },
}

struct Builder<'r> {
    rules: &'r Rules,
    document: Document,
    /// The nodes that have begun, as indexes of pieces.
    open: Vec<usize>,
    frames: Vec<Frame>,
}

impl<'r> Builder<'r> {
    fn new(rules: &'r Rules) -> Self {
        Self {
            rules,
            document: Document {
                text: String::new(),
                pieces: Vec::new(),
            },
            open: Vec::new(),
            frames: vec![Frame::default()],
        }
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(_) => self.end(),
            Event::Text(text) => self.text(&text),
            Event::Code(text) => self.code(&text),
            Event::Html(html) | Event::InlineHtml(html) => self.literal(&html),
            Event::SoftBreak | Event::HardBreak => self.gap(Gap::Lines(1)),
            Event::Rule => {
                self.block(Kind::Block, Some(Node::Paragraph));
                self.literal(RULE);
                self.end();
            }
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => {
                self.literal(&text);
            }
            Event::TaskListMarker(_) => {}
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Heading { level, .. } => {
                self.block(Kind::Block, Some(Node::Heading(level as u8)));
            }
            Tag::BlockQuote(_) => {
                let deep = self.depth(|node| *node == Node::Quote) >= self.rules.quotes;
                self.block(Kind::Block, (!deep).then_some(Node::Quote));
            }
            Tag::CodeBlock(kind) => {
                let language = match kind {
                    CodeBlockKind::Fenced(info) => language(&info),
                    CodeBlockKind::Indented => String::new(),
                };
                self.block(Kind::Block, Some(Node::CodeBlock { language }));
            }
            Tag::List(next) => {
                let deep = self.depth(|node| matches!(node, Node::List { .. })) >= LISTS;
                let ordered = next.is_some();
                let node = (!deep).then_some(Node::List { ordered });
                self.block(Kind::List { next }, node);
            }
            Tag::Item => self.item(),
            Tag::Emphasis => self.style(Node::Italic),
            Tag::Strong => self.style(Node::Bold),
            Tag::Strikethrough => self.style(Node::Strike),
            Tag::Link {
                link_type,
                dest_url,
                ..
            }
            | Tag::Image {
                link_type,
                dest_url,
                ..
            } => self.link(link_type, &dest_url),
            // Paragraphs, and blocks that are shown as such.
            _ => self.block(Kind::Block, Some(Node::Paragraph)),
        }
    }

    /// Ends what began last.
    fn end(&mut self) {
        // The first frame is the document's.
        let frame = if self.frames.len() > 1 {
            self.frames.pop()
        } else {
            None
        };
        let Some(frame) = frame else { return };
        match frame.kind {
            Kind::Link { piece, text, to } => self.end_link(piece, text, &to),
            Kind::Inline => self.end_node(frame.node),
            Kind::Block | Kind::List { .. } | Kind::Item => {
                self.end_node(frame.node);
                if let Some(parent) = self.frames.last_mut() {
                    parent.after_block = true;
                }
            }
        }
    }

    fn end_node(&mut self, node: bool) {
        if node {
            self.open.pop();
            self.document.pieces.push(Piece::End);
        }
    }

    /// Begins a block, apart from what is before it.
    fn block(&mut self, kind: Kind, node: Option<Node>) {
        let list = matches!(kind, Kind::List { .. });
        let parent = self.frames.last();
        let gap = match parent.map(|parent| &parent.kind) {
            Some(Kind::Item) if list => Gap::Item,
            _ => Gap::Block,
        };
        if parent.is_some_and(|parent| parent.any) {
            self.gap(gap);
        }
        self.content();
        self.push(kind, node);
    }

    fn item(&mut self) {
        let mut number = None;
        let (mut any, mut shown) = (false, false);
        if let Some(list) = self.frames.last_mut() {
            (any, shown) = (list.any, list.node);
            if let Kind::List { next } = &mut list.kind {
                number = *next;
                *next = next.map(|next| next.saturating_add(1));
            }
        }
        if any {
            self.gap(Gap::Item);
        }
        self.content();
        self.push(Kind::Item, shown.then_some(Node::Item(number)));
    }

    /// Begins what is inside a line, apart from a block before it.
    fn inline(&mut self) {
        if self.frames.last().is_some_and(|frame| frame.after_block) {
            self.gap(Gap::Item);
        }
        self.content();
    }

    /// Notes that the innermost element has content.
    fn content(&mut self) {
        if let Some(frame) = self.frames.last_mut() {
            frame.any = true;
            frame.after_block = false;
        }
    }

    fn push(&mut self, kind: Kind, node: Option<Node>) {
        self.frames.push(Frame {
            kind,
            node: node.is_some(),
            ..Frame::default()
        });
        if let Some(node) = node {
            self.open.push(self.document.pieces.len());
            self.document
                .pieces
                .push(Piece::Start { node, parent: None });
        }
    }

    fn gap(&mut self, gap: Gap) {
        self.document.pieces.push(Piece::Gap(gap));
    }

    /// How many nodes around this place are such.
    fn depth(&self, is: impl Fn(&Node) -> bool) -> usize {
        let pieces = self.open.iter().map(|at| &self.document.pieces[*at]);
        pieces
            .filter(|piece| matches!(piece, Piece::Start { node, .. } if is(node)))
            .count()
    }

    /// Adds text without line ends to the document.
    fn add(&mut self, text: &str) -> Option<Range<usize>> {
        let start = self.document.text.len();
        // They would turn the order of all that follows on the line.
        let turns = |c: char| c.is_control() && c != '\t' || matches!(c, '\u{202d}' | '\u{202e}');
        if text.contains(turns) {
            let kept = text.chars().filter(|c| !turns(*c));
            self.document.text.extend(kept);
        } else {
            self.document.text.push_str(text);
        }
        let end = self.document.text.len();
        (start < end).then_some(start..end)
    }
}

/// The first word after a fence, if it may be the name of a language.
fn language(info: &str) -> String {
    let name = info.split([' ', ',', '\t']).next().unwrap_or_default();
    let named = |c: char| c.is_ascii_alphanumeric() || "+-_#.".contains(c);
    if name.len() <= 32 && name.chars().all(named) {
        name.to_owned()
    } else {
        String::new()
    }
}
