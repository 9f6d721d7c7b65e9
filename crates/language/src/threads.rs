//! Who answers whom: links every line of a window to the earlier line it
//! answers or continues, so that conversations which run through each other
//! come apart.
//!
//! Lines are processed in order. A line may start a conversation or answer one of the earlier lines
//! that it has some tie to (`view`). Every possibility is described by the numbers in [`Feature`].
//! A learned scorer ([`Weights`]) turns them into a score; the best score wins, and the nearer line
//! wins a tie.
//!
//! A platform's reply link decides alone, unless it points at a **topic root**,
//! a message that very many lines reply to (the first message of a forum topic).
//! That says where a line was written, not what it answers: such a line is
//! judged among the lines of its topic.
//!
//! A line in a **thread** of a platform answers lines of that thread, or the one that begins it. A line outside of
//! threads answers no line in one. A reply link decides before that.
//!
//! **Same everywhere:** all arithmetic is on integers. Time is measured in the
//! channel's own rhythm, so a slow channel is judged like a busy one.
//!
//! **Bounded:** the last 400 lines are remembered (`memory::KEPT`), and a line is
//! compared with a few dozen of the last 100 (`view::REACH`).
//!
//! `threadlore-train` writes the weights in `threads/weights.txt`, with notes on the data
//! that they were learned from.

mod feature;
mod linker;
mod look;
mod memory;
mod people;
mod view;
mod weights;
mod words;

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::LazyLock;

use threadlore_model::{Line, MessageId};

pub use feature::{FEATURES, Feature, Row};
pub use linker::{Choice, Linker};
pub use weights::{Tree, Weights};

/// A test holds that the file can be read.
static BUILT_IN: LazyLock<Weights> =
    LazyLock::new(|| Weights::parse(include_str!("threads/weights.txt")).unwrap_or_default());

/// More replies than this make a message a topic root.
const ROOT_REPLIES: usize = 10;

/// For each line the index of the earlier line it answers or continues, `None`
/// where it starts a conversation. The result has the length of `lines`, and
/// every index in it is smaller than its own position.
#[must_use]
pub fn link(lines: &[Line]) -> Vec<Option<usize>> {
    link_with(lines, &BUILT_IN)
}

/// [`link`] with other weights than the built-in ones.
#[must_use]
pub fn link_with(lines: &[Line], weights: &Weights) -> Vec<Option<usize>> {
    let mut linker = Linker::new(topic_roots(lines));
    let mut places: HashMap<MessageId, usize> = HashMap::new();
    let mut links = Vec::with_capacity(lines.len());
    for (at, line) in lines.iter().enumerate() {
        let reply = linker.reply_of(line);
        let replied = reply.and_then(|message| places.get(&message).copied());
        links.push(match replied {
            Some(_) => {
                linker.remember(line, reply);
                replied
            }
            None => linker.judge_by(line, weights).map(|(number, _)| number),
        });
        places.insert(line.message, at);
    }
    links
}

/// Messages that very many lines reply to.
fn topic_roots(lines: &[Line]) -> BTreeSet<MessageId> {
    let mut replies: BTreeMap<MessageId, usize> = BTreeMap::new();
    for message in lines.iter().filter_map(|line| line.reply_to) {
        *replies.entry(message).or_default() += 1;
    }
    replies.retain(|_, count| *count > ROOT_REPLIES);
    replies.into_keys().collect()
}

#[cfg(test)]
mod tests;
