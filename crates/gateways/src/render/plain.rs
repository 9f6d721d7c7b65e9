//! Text without markup: the body of every part.

use super::dialect::{Dialect, Place, item, line_ends, line_prefix};
use super::document::{Gap, Node};

pub(super) struct Plain;

impl Dialect for Plain {
    fn open(&self, out: &mut String, nodes: &[&Node], at: usize, resumed: bool) {
        match nodes[at] {
            Node::Quote => out.push_str("> "),
            Node::Item(number) => item(out, *number, "- ", resumed),
            _ => {}
        }
    }

    fn close(&self, _: &mut String, _: &[&Node], _: usize) {}

    fn text(&self, out: &mut String, text: &str, _: &[&Node], _: Place) {
        out.push_str(text);
    }

    fn gap(&self, out: &mut String, gap: Gap, nodes: &[&Node], open: usize) {
        line_ends(out, gap, &line_prefix(&nodes[..open]));
    }
}
