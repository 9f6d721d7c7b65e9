//! The fold of channels, from `settings`: the last configuration counts.

use threadlore_model::{Audience, Body, ChannelId, Event, Mode, PersonId, SpaceId, Timestamp};

use crate::table::table;
use crate::text::{clean, clean_time};
use crate::{Folded, ProjectedRow};

/// A configured channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChannelRow {
    /// The tenant.
    pub space: SpaceId,
    /// The channel.
    pub channel: ChannelId,
    /// The admins of the channel, ascending, each once.
    pub admins: Vec<PersonId>,
    /// Who can read it.
    pub audience: Audience,
    /// When the bot speaks in it.
    pub mode: Mode,
    /// Addresses of documentation, which it names where it knows no answer.
    pub docs: Vec<String>,
    /// Whether its solved cases have pages that anybody can read, where everybody can read it.
    pub published: bool,
    /// When it was configured.
    pub configured_at: Timestamp,
    /// Who asked for it; `None` where the platform says so.
    pub configured_by: Option<String>,
}

table!(ChannelRow: "channels", key [space, channel], columns [admins, audience, mode, docs, published, configured_at, configured_by]);

impl ProjectedRow for ChannelRow {
    type Key = (SpaceId, ChannelId);

    fn touched(event: &Event) -> Option<Self::Key> {
        match &event.body {
            Body::ChannelConfigured(e) => Some((event.envelope.space.clone(), e.channel.clone())),
            _ => None,
        }
    }

    fn key(&self) -> Self::Key {
        (self.space.clone(), self.channel.clone())
    }

    fn fold(row: &mut Option<Self>, event: &Event) -> Folded {
        fold_channel(row, event)
    }
}

/// Folds an event into the channel it is about; others change nothing.
pub fn fold_channel(row: &mut Option<ChannelRow>, event: &Event) -> Folded {
    let Body::ChannelConfigured(configured) = &event.body else {
        return Folded::Unchanged("the event is not about a channel's settings");
    };
    let mut admins = configured.admins.clone();
    admins.sort_unstable();
    admins.dedup();
    let next = ChannelRow {
        space: event.envelope.space.clone(),
        channel: configured.channel.clone(),
        admins,
        audience: configured.audience,
        mode: configured.mode,
        docs: configured.docs.iter().map(|one| clean(one)).collect(),
        published: configured.published,
        configured_at: clean_time(configured.now),
        configured_by: event
            .envelope
            .actor
            .as_ref()
            .map(|by| clean(&by.to_string())),
    };
    if row.as_ref() == Some(&next) {
        return Folded::Unchanged("the channel is configured so");
    }
    *row = Some(next);
    Folded::Changed
}
