//! Events about something, read from the log.

use std::collections::HashSet;

use threadlore_model::{ChannelId, Event, Group, Key, Offset, Role, SpaceId, Topic};
use threadlore_node::Node;
use threadlore_ports::place;
use threadlore_stream::{Vault, load_skips};

/// Records read at a time.
const READ: usize = 1000;

/// The events of a channel in a topic that are about something, in the order of the log, each once,
/// opened, with topic, partition and offset of its record. One that does not open, because a key is
/// destroyed, is left out: it is a dead letter of the projector, or has nothing left to say.
pub(crate) async fn events(
    node: &Node,
    topic: Topic,
    (space, channel): (&SpaceId, &ChannelId),
    is_about: impl Fn(&Event) -> bool,
) -> anyhow::Result<Vec<(Event, String)>> {
    let log = node.log.as_ref();
    let key = Key::of_channel(space, channel);
    let at = place(log, topic, key.as_str().as_bytes());
    let skipped = load_skips(log, &Group::of_role(Role::Projector)).await?;
    let range = log.range(at).await?;
    let (mut next, mut seen) = (range.start, HashSet::new());
    let (mut events, mut places): (Vec<Event>, Vec<Offset>) = (Vec::new(), Vec::new());
    while next < range.end {
        let records = log.read(at, next, READ).await?;
        let Some(last) = records.last() else { break };
        next = last.offset.next();
        for record in records {
            let offset = record.offset;
            if let Ok(event) = record.body
                && event.envelope.space == *space
                && is_about(&event)
                && !skipped.contains(&(at, offset))
                // A crash may have published it twice.
                && seen.insert(event.envelope.id)
            {
                events.push(*event);
                places.push(offset);
            }
        }
    }
    let opened = Vault::new(node.keys.clone()).open(events).await?;
    let placed = opened.into_iter().zip(places);
    let placed = placed.filter_map(|(event, offset)| Some((event.ok()?, format!("{at}/{offset}"))));
    Ok(placed.collect())
}
