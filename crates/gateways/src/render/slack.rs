//! Slack's mrkdwn. Only `&`, `<` and `>` can be escaped in it, so that a sign which might begin
//! bold text or code gets an invisible character after it.

use super::dialect::{Dialect, Place, in_code_block, is_written, item, line_ends, line_prefix};
use super::document::{Gap, Node};
use super::mentions::BREAK;

pub(super) struct Slack;

/// The sign around a node's text. There is none in the text of a link, and a run of code that has a
/// backtick is written as text.
fn mark(nodes: &[&Node], at: usize) -> Option<&'static str> {
    let in_link = nodes[..at]
        .iter()
        .any(|node| matches!(node, Node::Link { .. }));
    match nodes[at] {
        _ if in_link => None,
        Node::Heading(_) | Node::Bold => Some("*"),
        Node::Italic => Some("_"),
        Node::Strike => Some("~"),
        Node::Code { ticks: false } => Some("`"),
        _ => None,
    }
}

impl Dialect for Slack {
    fn open(&self, out: &mut String, nodes: &[&Node], at: usize, resumed: bool) {
        if let Some(mark) = mark(nodes, at) {
            // A sign inside a word would be shown.
            if out.ends_with(char::is_alphanumeric) {
                out.push(BREAK);
            }
            out.push_str(mark);
            return;
        }
        match nodes[at] {
            // A block of code in a quotation is one on its own.
            Node::Quote if !in_code_block(nodes) => out.push_str("> "),
            Node::Item(number) => item(out, *number, "• ", resumed),
            Node::CodeBlock { .. } => out.push_str("```\n"),
            Node::Link { to, bare } => {
                out.push('<');
                escape(out, to);
                out.push_str(if *bare { "" } else { "|" });
            }
            _ => {}
        }
    }

    fn close(&self, out: &mut String, nodes: &[&Node], at: usize) {
        if let Some(mark) = mark(nodes, at) {
            out.push_str(mark);
            return;
        }
        match nodes[at] {
            Node::CodeBlock { .. } => out.push_str("\n```"),
            Node::Link { .. } => out.push('>'),
            _ => {}
        }
    }

    fn text(&self, out: &mut String, text: &str, nodes: &[&Node], place: Place) {
        if is_written(nodes) {
            return;
        }
        if nodes
            .iter()
            .any(|node| matches!(node, Node::CodeBlock { .. } | Node::Code { ticks: false }))
        {
            code(out, text);
            return;
        }
        let after_mark = place.after_close && out.ends_with(['*', '_', '~', '`']);
        let quote = place.line_start && text.starts_with('>');
        if quote || after_mark && text.starts_with(char::is_alphanumeric) {
            out.push(BREAK);
        }
        let mut chars = text.chars().peekable();
        let mut in_word = out.ends_with(char::is_alphanumeric);
        while let Some(c) = chars.next() {
            escape(out, c.encode_utf8(&mut [0; 4]));
            let begins = matches!(c, '*' | '_' | '~') && !in_word;
            if c == '`' || begins && chars.peek().is_some_and(|next| !next.is_whitespace()) {
                out.push(BREAK);
            }
            in_word = c.is_alphanumeric();
        }
    }

    fn gap(&self, out: &mut String, gap: Gap, nodes: &[&Node], open: usize) {
        let within = if in_code_block(nodes) { 0 } else { open };
        line_ends(out, gap, &line_prefix(&nodes[..within]));
    }

    fn ends_marks_with_lines(&self) -> bool {
        true
    }
}

fn escape(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            _ => out.push(c),
        }
    }
}

/// A third backtick in a row would end a block of code.
fn code(out: &mut String, text: &str) {
    for c in text.chars() {
        if c == '`' && out.ends_with("``") {
            out.push(BREAK);
        }
        escape(out, c.encode_utf8(&mut [0; 4]));
    }
}
