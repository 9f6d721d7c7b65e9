//! The HTML of Telegram's Bot API: it has no paragraphs, headings or lists.

use super::dialect::{Dialect, Place, html, html_open, in_code_block, indent, item, line_ends};
use super::document::{Gap, Node};

pub(super) struct Telegram;

impl Dialect for Telegram {
    fn open(&self, out: &mut String, nodes: &[&Node], at: usize, resumed: bool) {
        match nodes[at] {
            Node::Paragraph | Node::List { .. } => {}
            Node::Heading(_) | Node::Bold => out.push_str("<b>"),
            Node::Italic => out.push_str("<i>"),
            Node::Strike => out.push_str("<s>"),
            Node::Quote => out.push_str("<blockquote>"),
            Node::Item(number) => item(out, *number, "• ", resumed),
            Node::CodeBlock { language } if language.is_empty() => out.push_str("<pre>"),
            Node::CodeBlock { language } => {
                html_open(out, "<pre><code class=\"language-", language, "\">");
            }
            Node::Code { .. } => out.push_str("<code>"),
            Node::Link { to, .. } => html_open(out, "<a href=\"", to, "\">"),
        }
    }

    fn close(&self, out: &mut String, nodes: &[&Node], at: usize) {
        match nodes[at] {
            Node::Paragraph | Node::List { .. } | Node::Item(_) => {}
            Node::Heading(_) | Node::Bold => out.push_str("</b>"),
            Node::Italic => out.push_str("</i>"),
            Node::Strike => out.push_str("</s>"),
            Node::Quote => out.push_str("</blockquote>"),
            Node::CodeBlock { language } if language.is_empty() => out.push_str("</pre>"),
            Node::CodeBlock { .. } => out.push_str("</code></pre>"),
            Node::Code { .. } => out.push_str("</code>"),
            Node::Link { .. } => out.push_str("</a>"),
        }
    }

    fn text(&self, out: &mut String, text: &str, _: &[&Node], _: Place) {
        html(out, text);
    }

    fn gap(&self, out: &mut String, gap: Gap, nodes: &[&Node], open: usize) {
        let open = &nodes[..open];
        let prefix: String = open
            .iter()
            .filter(|_| !in_code_block(open))
            .map(|node| match node {
                Node::Item(number) => indent(*number),
                _ => "",
            })
            .collect();
        line_ends(out, gap, &prefix);
    }
}
