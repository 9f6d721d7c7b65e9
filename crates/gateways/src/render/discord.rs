//! Discord's Markdown. Addresses are in angle brackets, which shows no preview of what they lead to.

use super::dialect::{Dialect, Place, in_code_block, indent, is_written, item, line_ends};
use super::document::{Gap, Node};
use super::mentions::BREAK;

pub(super) struct Discord;

/// The sign around a node's text.
fn mark(node: &Node) -> Option<&'static str> {
    match node {
        Node::Heading(_) | Node::Bold => Some("**"),
        Node::Italic => Some("*"),
        Node::Strike => Some("~~"),
        Node::Code { ticks: false } => Some("`"),
        Node::Code { ticks: true } => Some("``"),
        _ => None,
    }
}

/// Writes a sign apart from an equal one before it, which would make another sign of both.
fn write_mark(out: &mut String, mark: &str) {
    if mark.starts_with(|c| out.ends_with(c)) {
        out.push(BREAK);
    }
    out.push_str(mark);
}

/// What every line begins with. A block of code is not indented.
fn prefix(nodes: &[&Node], code: bool) -> String {
    nodes
        .iter()
        .map(|node| match node {
            Node::Quote => "> ",
            Node::Item(number) if !code => indent(*number),
            _ => "",
        })
        .collect()
}

impl Dialect for Discord {
    fn open(&self, out: &mut String, nodes: &[&Node], at: usize, resumed: bool) {
        if let Some(mark) = mark(nodes[at]) {
            write_mark(out, mark);
            return;
        }
        match nodes[at] {
            Node::Quote => out.push_str("> "),
            Node::Item(number) => item(out, *number, "- ", resumed),
            Node::CodeBlock { language } => {
                out.push_str("```");
                out.push_str(language);
                line_ends(out, Gap::Item, &prefix(&nodes[..at], true));
            }
            Node::Link { to, bare: true } => {
                out.push('<');
                out.push_str(to);
            }
            Node::Link { .. } => out.push('['),
            _ => {}
        }
    }

    fn close(&self, out: &mut String, nodes: &[&Node], at: usize) {
        if let Some(mark) = mark(nodes[at]) {
            write_mark(out, mark);
            return;
        }
        match nodes[at] {
            Node::CodeBlock { .. } => {
                line_ends(out, Gap::Item, &prefix(&nodes[..at], true));
                out.push_str("```");
            }
            Node::Link { bare: true, .. } => out.push('>'),
            Node::Link { to, .. } => {
                out.push_str("](<");
                out.push_str(to);
                out.push_str(">)");
            }
            _ => {}
        }
    }

    fn text(&self, out: &mut String, text: &str, nodes: &[&Node], place: Place) {
        if is_written(nodes) {
            return;
        }
        if in_code_block(nodes) {
            code(out, text, "``");
        } else if nodes.iter().any(|node| node.is_code()) {
            code(out, text, "`");
        } else {
            escape(out, text, place.line_start);
        }
    }

    fn gap(&self, out: &mut String, gap: Gap, nodes: &[&Node], open: usize) {
        let prefix = prefix(&nodes[..open], in_code_block(nodes));
        line_ends(out, gap, &prefix);
    }

    fn ends_marks_with_lines(&self) -> bool {
        true
    }
}

/// Escapes what Discord gives a meaning. Some signs have one only at the beginning of a line.
fn escape(out: &mut String, text: &str, line_start: bool) {
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    for (at, c) in text.char_indices() {
        let begins = line_start
            && match c {
                '#' | '>' | '-' | '+' => at == 0,
                '.' | ')' => at > 0 && at == digits,
                _ => false,
            };
        if begins || "\\*_~`|[]<".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
}

/// Code, in which a backtick after `most` of them is set apart.
fn code(out: &mut String, text: &str, most: &str) {
    for c in text.chars() {
        if c == '`' && out.ends_with(most) {
            out.push(BREAK);
        }
        out.push(c);
    }
}
