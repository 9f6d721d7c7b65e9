//! Conversations of a window, by its links.

use std::collections::{BTreeMap, BTreeSet};

use super::dialog::Dialog;
use super::lines::Lines;

/// The conversations of a window that begin with a problem, oldest first.
///
/// In a quiet channel answers need no addressee, so links are missing. Therefore a conversation
/// without a problem joins the one with the latest problem before it, if hardly anything else was
/// discussed since.
pub(super) fn all<'w>(said: &'w Lines<'w>) -> Vec<Dialog<'w>> {
    let mut found: BTreeMap<usize, Dialog<'w>> = BTreeMap::new();
    let mut grown: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for (root, lines) in conversations(said) {
        let own = Dialog::read(said, lines.clone(), &BTreeSet::new());
        let latest = found.range(..root).next_back().map(|(at, _)| *at);
        let host = latest.filter(|host| {
            let joins = own
                .as_ref()
                .is_none_or(|own| own.may_ask_back(&found[host]));
            joins
                && !said[root].to_stranger
                && lines.iter().any(|at| found[host].may_hear(*at))
                && found[host].is_quiet(*host..root)
        });
        let Some(host) = host else {
            found.extend(own.map(|own| (root, own)));
            continue;
        };
        let adopted = grown.entry(host).or_default();
        adopted.insert(root);
        let mut all = found[&host].lines.clone();
        all.extend(lines);
        all.sort_unstable();
        found.extend(Dialog::read(said, all, adopted).map(|grown| (host, grown)));
    }
    found.into_values().flat_map(Dialog::parts).collect()
}

/// Lines of people by the line that began their conversation.
fn conversations(said: &Lines<'_>) -> BTreeMap<usize, Vec<usize>> {
    let window = said.window;
    let mut roots: Vec<usize> = Vec::with_capacity(window.lines.len());
    let mut conversations: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (at, link) in window.links.iter().enumerate() {
        let root = link
            .filter(|earlier| *earlier < at)
            .map_or(at, |earlier| roots[earlier]);
        roots.push(root);
        if !window.lines[at].bot {
            conversations.entry(root).or_default().push(at);
        }
    }
    conversations
}
