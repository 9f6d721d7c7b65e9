//! The lines among which a mention's messages are looked for.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use threadlore_model::{Line, MessageId};

use super::generic::{is_generic, without_mentions};
use super::{Mention, Params};

/// More replies than this make a message a topic root, as in [`crate::threads`].
const ROOT_REPLIES: usize = 10;

/// The window, with its replies resolved.
pub(super) struct Room<'a> {
    earlier: Vec<&'a Line>,
    /// As the link scorer is to see it.
    trigger: Line,
    /// For each line the line that it replies to by the platform's word.
    pub(super) replies: Vec<Option<usize>>,
    pub(super) roots: BTreeSet<MessageId>,
    /// The line that the trigger replies to.
    pub(super) anchor: Option<usize>,
    /// The anchor is known from the platform's payload only.
    pub(super) snapshot: bool,
    /// The lines that the anchor replies to, directly and indirectly, the nearest first.
    pub(super) chain: Vec<usize>,
    /// For each line whether no long silence lies between it and the trigger or anchor.
    pub(super) stretch: Vec<bool>,
    gap: Duration,
    pub(super) missing: Option<MessageId>,
    pub(super) generic: bool,
}

impl<'a> Room<'a> {
    pub(super) fn new(mention: &Mention<'a>, params: &Params) -> Self {
        let trigger = mention.trigger;
        let known = before(mention);
        let roots = roots(mention, &known);
        let reply = |line: &Line| line.reply_to.filter(|message| !roots.contains(message));
        let place: HashMap<MessageId, usize> = known
            .iter()
            .enumerate()
            .map(|(at, l)| (l.message, at))
            .collect();

        let target = reply(trigger);
        let anchor = target.and_then(|message| place.get(&message).copied());
        let sent_along = mention.snapshot.filter(|line| Some(line.message) == target);
        let snapshot = sent_along.filter(|_| anchor.is_none());
        let mut chain = Vec::new();
        let mut link = anchor.map(|at| known[at]).or(snapshot).and_then(reply);
        while let Some(at) = link.and_then(|message| place.get(&message).copied()) {
            // A loop of replies is no chain.
            if chain.len() >= params.depth || chain.contains(&at) || Some(at) == anchor {
                break;
            }
            chain.push(at);
            link = reply(known[at]);
        }

        let mut window: BTreeSet<usize> = around(anchor, known.len(), params.look_back);
        window.extend(anchor.iter().chain(&chain));
        let earlier: Vec<&Line> = snapshot
            .into_iter()
            .chain(window.iter().map(|at| known[*at]))
            .collect();
        let place: HashMap<MessageId, usize> = earlier
            .iter()
            .enumerate()
            .map(|(at, l)| (l.message, at))
            .collect();
        let find = |message: &MessageId| place.get(message).copied();
        let anchor = target.as_ref().and_then(find);
        let replies = earlier.iter().copied().chain([trigger]).enumerate();
        let replies = replies
            .map(|(at, line)| reply(line).as_ref().and_then(find).filter(|to| *to < at))
            .collect();
        let generic = is_generic(&trigger.text, mention.names);
        Self {
            trigger: as_scored(mention, generic),
            replies,
            anchor,
            snapshot: snapshot.is_some(),
            chain: chain
                .iter()
                .filter_map(|at| find(&known[*at].message))
                .collect(),
            stretch: stretch(&earlier, trigger, anchor, params.gap),
            gap: params.gap,
            missing: target.filter(|_| anchor.is_none()),
            generic,
            earlier,
            roots,
        }
    }

    /// How many lines there are before the trigger, which is the line after them.
    pub(super) fn count(&self) -> usize {
        self.earlier.len()
    }

    pub(super) fn line(&self, at: usize) -> &Line {
        self.earlier.get(at).copied().unwrap_or(&self.trigger)
    }

    /// Whether a long silence lies between a line and the one before.
    pub(super) fn silence_before(&self, at: usize) -> bool {
        self.line(at).at.since(self.line(at - 1).at) >= self.gap
    }
}

/// Lines of the channel before the trigger, up to its own place, or by time: those of its thread, and those that
/// it replies to.
fn before<'a>(mention: &Mention<'a>) -> Vec<&'a Line> {
    let trigger = mention.trigger;
    let own = mention.lines.iter();
    let own = own.take_while(|line| line.message != trigger.message);
    let end = own.count();
    let is_seen =
        |line: &Line| line.is_seen_in(trigger.thread) || trigger.reply_to == Some(line.message);
    mention.lines[..end]
        .iter()
        .filter(|line| end < mention.lines.len() || line.at <= trigger.at)
        .filter(|line| is_seen(line))
        .collect()
}

fn roots(mention: &Mention<'_>, known: &[&Line]) -> BTreeSet<MessageId> {
    let mut replies: BTreeMap<MessageId, usize> = BTreeMap::new();
    let lines = known.iter().copied().chain([mention.trigger]);
    for message in lines.filter_map(|line| line.reply_to) {
        *replies.entry(message).or_default() += 1;
    }
    replies.retain(|_, count| *count > ROOT_REPLIES);
    replies
        .into_keys()
        .chain(mention.roots.iter().copied())
        .collect()
}

/// The last lines, or those on both sides of an anchor that is further back.
fn around(anchor: Option<usize>, count: usize, look_back: usize) -> BTreeSet<usize> {
    let last = count.saturating_sub(look_back);
    match anchor.filter(|anchor| *anchor < last) {
        None => (last..count).collect(),
        Some(anchor) => {
            let half = look_back / 2;
            (anchor.saturating_sub(half)..count.min(anchor + half)).collect()
        }
    }
}

/// The trigger without its mention of the bot, if it has nothing else. Otherwise the scorer would
/// count it as a line to the bot.
fn as_scored(mention: &Mention<'_>, generic: bool) -> Line {
    let mut line = mention.trigger.clone();
    if generic {
        line.text = without_mentions(&line.text, mention.names);
        line.mentions.retain(|person| Some(*person) != mention.bot);
    }
    line
}

/// For each line whether the walk back from the trigger, or from the anchor,
/// reaches it before a silence of `gap`.
fn stretch(earlier: &[&Line], trigger: &Line, anchor: Option<usize>, gap: Duration) -> Vec<bool> {
    let mut within = vec![false; earlier.len()];
    let mut walk = |from: usize, next: &Line| {
        let mut next = next.at;
        for at in (0..from).rev() {
            if next.since(earlier[at].at) >= gap {
                break;
            }
            within[at] = true;
            next = earlier[at].at;
        }
    };
    walk(earlier.len(), trigger);
    if let Some(anchor) = anchor {
        walk(anchor, earlier[anchor]);
    }
    within
}
