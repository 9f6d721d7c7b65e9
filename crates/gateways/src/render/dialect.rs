//! What a markup language is, and what several have in common.

use super::document::{Gap, Node};

/// A markup language: how nodes, texts and gaps are written. `nodes` are those around the place,
/// from the outermost.
///
/// An implementation must write the same for the same arguments and the same end of `out`, and
/// must not need more room to close a node than where it was asked with an empty `out`, but for
/// one character.
pub(super) trait Dialect {
    /// Begins `nodes[at]`; those before it are open. `resumed` if a part before this one began it.
    fn open(&self, out: &mut String, nodes: &[&Node], at: usize, resumed: bool);
    /// Ends `nodes[at]`, the last one that is open.
    fn close(&self, out: &mut String, nodes: &[&Node], at: usize);
    /// Writes a text without line ends.
    fn text(&self, out: &mut String, text: &str, nodes: &[&Node], place: Place);
    /// Writes what is between two texts. The first `open` nodes are open, and the others will be
    /// opened before the second text.
    fn gap(&self, out: &mut String, gap: Gap, nodes: &[&Node], open: usize);
    /// Whether bold text and the like have to end on the line where they begin.
    fn ends_marks_with_lines(&self) -> bool {
        false
    }
}

/// What is before a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// Nothing, or the beginning of a line.
    pub(super) line_start: bool,
    /// The end of a node.
    pub(super) after_close: bool,
}

/// What a line begins with inside of these: the sign of a quotation, and the indent of an item.
pub(super) fn line_prefix(nodes: &[&Node]) -> String {
    let prefix = nodes.iter().map(|node| match node {
        Node::Quote => "> ",
        Node::Item(number) => indent(*number),
        _ => "",
    });
    prefix.collect()
}

/// Ends lines. A prefix is repeated on empty lines if it can be seen.
pub(super) fn line_ends(out: &mut String, gap: Gap, prefix: &str) {
    let count = match gap {
        Gap::Lines(count) => count,
        Gap::Item => 1,
        Gap::Block => 2,
    };
    let shown = !prefix.trim().is_empty();
    for line in 1..=count {
        out.push('\n');
        if shown || line == count {
            out.push_str(prefix);
        }
    }
}

/// The beginning of an item, or of its rest in a later part.
pub(super) fn item(out: &mut String, number: Option<u64>, bullet: &str, resumed: bool) {
    match number {
        _ if resumed => out.push_str(indent(number)),
        Some(number) => {
            out.push_str(&number.to_string());
            out.push_str(". ");
        }
        None => out.push_str(bullet),
    }
}

/// The beginning of the later lines of an item.
pub(super) fn indent(number: Option<u64>) -> &'static str {
    if number.is_some() { "   " } else { "  " }
}

/// Whether any of the nodes is a block of code.
pub(super) fn in_code_block(nodes: &[&Node]) -> bool {
    nodes
        .iter()
        .any(|node| matches!(node, Node::CodeBlock { .. }))
}

/// Whether the text is the address of a link, which is written with the link itself.
pub(super) fn is_written(nodes: &[&Node]) -> bool {
    nodes
        .iter()
        .any(|node| matches!(node, Node::Link { bare: true, .. }))
}

/// Text in HTML, also in an attribute with double quotes.
pub(super) fn html(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            _ => out.push(c),
        }
    }
}

/// The opening tag of a link or of a block of code, the same in every HTML.
pub(super) fn html_open(out: &mut String, tag: &str, value: &str, end: &str) {
    out.push_str(tag);
    html(out, value);
    out.push_str(end);
}
