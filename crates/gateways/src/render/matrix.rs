//! The HTML that clients of Matrix show.

use super::dialect::{Dialect, Place, html, html_open, in_code_block};
use super::document::{Gap, Node};

pub(super) struct Matrix;

impl Dialect for Matrix {
    fn open(&self, out: &mut String, nodes: &[&Node], at: usize, _: bool) {
        match nodes[at] {
            Node::Paragraph => out.push_str("<p>"),
            Node::Heading(level) => html_open(out, "<h", &level.to_string(), ">"),
            Node::Quote => out.push_str("<blockquote>"),
            Node::List { ordered: false } => out.push_str("<ul>"),
            Node::List { ordered: true } => match nodes.get(at + 1) {
                Some(Node::Item(Some(first))) if *first != 1 => {
                    html_open(out, "<ol start=\"", &first.to_string(), "\">");
                }
                _ => out.push_str("<ol>"),
            },
            Node::Item(_) => out.push_str("<li>"),
            Node::CodeBlock { language } if language.is_empty() => out.push_str("<pre><code>"),
            Node::CodeBlock { language } => {
                html_open(out, "<pre><code class=\"language-", language, "\">");
            }
            Node::Bold => out.push_str("<strong>"),
            Node::Italic => out.push_str("<em>"),
            Node::Strike => out.push_str("<del>"),
            Node::Code { .. } => out.push_str("<code>"),
            Node::Link { to, .. } => html_open(out, "<a href=\"", to, "\">"),
        }
    }

    fn close(&self, out: &mut String, nodes: &[&Node], at: usize) {
        match nodes[at] {
            Node::Paragraph => out.push_str("</p>"),
            Node::Heading(level) => html_open(out, "</h", &level.to_string(), ">"),
            Node::Quote => out.push_str("</blockquote>"),
            Node::List { ordered: false } => out.push_str("</ul>"),
            Node::List { ordered: true } => out.push_str("</ol>"),
            Node::Item(_) => out.push_str("</li>"),
            Node::CodeBlock { .. } => out.push_str("</code></pre>"),
            Node::Bold => out.push_str("</strong>"),
            Node::Italic => out.push_str("</em>"),
            Node::Strike => out.push_str("</del>"),
            Node::Code { .. } => out.push_str("</code>"),
            Node::Link { .. } => out.push_str("</a>"),
        }
    }

    fn text(&self, out: &mut String, text: &str, _: &[&Node], _: Place) {
        html(out, text);
    }

    fn gap(&self, out: &mut String, gap: Gap, nodes: &[&Node], open: usize) {
        let text_of_item = nodes.len() == open && matches!(nodes.last(), Some(Node::Item(_)));
        match gap {
            Gap::Lines(count) if in_code_block(&nodes[..open]) => {
                out.push_str(&"\n".repeat(count));
            }
            Gap::Lines(count) => out.push_str(&"<br>".repeat(count)),
            // Between two texts of one item; all other blocks have tags of their own.
            Gap::Item | Gap::Block if text_of_item => out.push_str("<br>"),
            Gap::Item | Gap::Block => {}
        }
    }
}
