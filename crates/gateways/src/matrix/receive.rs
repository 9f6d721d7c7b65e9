//! What happens in the rooms of an account, and their past, handed over.

use std::collections::HashMap;
use std::time::Duration;

use ruma::api::Direction;
use ruma::api::client::account::whoami;
use ruma::api::client::filter::{FilterDefinition, LazyLoadOptions, RoomEventFilter, RoomFilter};
use ruma::api::client::membership::{join_room_by_id_or_alias, joined_rooms};
use ruma::api::client::message::get_message_events;
use ruma::api::client::read_marker::set_read_marker;
use ruma::api::client::sync::sync_events::v3 as sync;
use ruma::events::room::join_rules::RoomJoinRulesEventContent;
use ruma::events::room::member::MembershipState;
use ruma::events::room::power_levels::RoomPowerLevelsEventContent;
use ruma::events::{AnyStrippedStateEvent, AnySyncTimelineEvent, StateEventType};
use ruma::serde::Raw;
use ruma::{OwnedRoomId, OwnedRoomOrAliasId, OwnedUserId, RoomId};
use threadlore_model::{Body, Event, PlatformEvent, PlatformHistoryEnded, Timestamp};
use threadlore_ports::{Class, Inbox, PortError};

use crate::live::LiveChannel;

use super::client::Failure;
use super::direct::Direct;
use super::room::{Heard, Reader, Room};
use super::state::{Anything, Created};
use super::{CALL, MatrixGateway};

/// How long the server holds a call until something happens.
const POLL: Duration = Duration::from_secs(30);
/// Longest time of that call, and of the first one, which has all rooms.
const SYNC: Duration = Duration::from_secs(90);
/// Events of a room in one answer to that call.
const TIMELINE: u32 = 50;
/// Events of a room's past in one call.
const PAGE: u32 = 100;
/// Events that were missed while the bot was away which are fetched at most, for each room.
const MISSED: usize = 10_000;
/// Bytes of a room's past that are held at a time.
const PAST_BYTES: usize = 64 << 20;
/// Events handed over at a time.
const BATCH: usize = 100;

/// The account and its rooms.
pub(super) struct Account {
    own: OwnedUserId,
    rooms: HashMap<OwnedRoomId, Room>,
    direct: Direct,
}

impl MatrixGateway {
    fn reader<'a>(&'a self, own: &'a OwnedUserId) -> Reader<'a> {
        Reader {
            bots: &self.config.bots,
            admins: &self.config.admins,
            own,
            now: self.clock.now(),
        }
    }

    /// Who the account is and where it is already; the rooms of the settings are joined.
    pub(super) async fn begin(&self, inbox: &dyn Inbox) -> Result<Account, PortError> {
        let me = self.client.call(whoami::v3::Request::new(), CALL).await;
        let own = me.map_err(Failure::receiving)?.user_id;
        let joined = self
            .client
            .call(joined_rooms::v3::Request::new(), CALL)
            .await;
        let mut account = Account {
            rooms: HashMap::new(),
            direct: self.direct(&own).await?,
            own,
        };
        for id in joined.map_err(Failure::receiving)?.joined_rooms {
            self.known(&mut account, &id, inbox).await?;
        }
        for room in &self.config.rooms {
            match self.join(room.clone()).await {
                Ok(()) => {}
                Err(Failure::Refused(said)) => tracing::error!(
                    %room,
                    said,
                    "a room of `matrix.rooms` cannot be joined: invite the bot, or take the room out"
                ),
                Err(other) => return Err(other.receiving()),
            }
        }
        tracing::info!(
            user = %account.own,
            rooms = account.rooms.len(),
            "in rooms of Matrix"
        );
        Ok(account)
    }

    async fn join(&self, room: OwnedRoomOrAliasId) -> Result<(), Failure> {
        let via = room.server_name().map(ToOwned::to_owned);
        let mut request = join_room_by_id_or_alias::v3::Request::new(room);
        request.via = via.into_iter().collect();
        self.client.call(request, SYNC).await.map(|_| ())
    }

    fn channel(&self, room: &RoomId) -> Option<LiveChannel> {
        let channel = self.config.channel(room.as_str());
        if channel.is_none() {
            tracing::warn!(%room, "a room's id cannot be kept; it is not served");
        }
        Some(LiveChannel {
            space: self.config.space.clone(),
            channel: channel?,
        })
    }

    /// Learns what the server's changes will not say again about a room that the bot is in.
    async fn known(
        &self,
        account: &mut Account,
        id: &OwnedRoomId,
        inbox: &dyn Inbox,
    ) -> Result<(), PortError> {
        let Some(channel) = self.channel(id) else {
            return Ok(());
        };
        let mut room = Room::new(channel);
        room.is_direct = account.direct.has(id);
        let levels = StateEventType::RoomPowerLevels;
        if let Some(levels) = self
            .state::<RoomPowerLevelsEventContent>(id, levels)
            .await?
        {
            room.set_power(&levels);
        }
        if let Some(create) = self
            .state::<Created>(id, StateEventType::RoomCreate)
            .await?
        {
            let content = create.content;
            room.set_creators(
                &content.room_version,
                create.sender,
                content.additional_creators,
            );
        }
        let rules = StateEventType::RoomJoinRules;
        let rules = self.state::<RoomJoinRulesEventContent>(id, rules).await?;
        if let Some(rules) = rules {
            room.set_join_rule(&rules.join_rule);
        }
        let encryption = StateEventType::RoomEncryption;
        room.is_encrypted = self.state::<Anything>(id, encryption).await?.is_some();
        if room.is_encrypted {
            warn_of_encryption(id);
        }
        self.say_channel(id, &room, &account.own, inbox).await?;
        account.rooms.insert(id.clone(), room);
        Ok(())
    }

    async fn say_channel(
        &self,
        id: &RoomId,
        room: &Room,
        own: &OwnedUserId,
        inbox: &dyn Inbox,
    ) -> Result<(), PortError> {
        let admins = room.admins(&self.reader(own));
        // Without anybody, as for an instant in a new room, the last ones stay.
        if admins.is_empty() {
            return Ok(());
        }
        let LiveChannel { space, channel } = &room.channel;
        let is_new = inbox
            .channel(space, channel, &admins, room.audience)
            .await?;
        if is_new && !room.is_encrypted {
            self.greet(id).await?;
        }
        Ok(())
    }

    /// What happened since, and then the next.
    pub(super) async fn step(
        &self,
        account: &mut Account,
        since: Option<String>,
        inbox: &dyn Inbox,
    ) -> Result<String, PortError> {
        let mut request = sync::Request::new();
        request.filter = Some(sync::Filter::FilterDefinition(filter()));
        request.timeout = Some(if since.is_some() {
            POLL
        } else {
            Duration::ZERO
        });
        request.since.clone_from(&since);
        let answer = self.client.call(request, SYNC).await;
        let answer = answer.map_err(Failure::receiving)?;
        for (id, room) in answer.rooms.join {
            self.joined(account, (&id, room), since.as_deref(), inbox)
                .await?;
        }
        for (id, room) in answer.rooms.invite {
            self.invited(account, &id, &room.invite_state.events)
                .await?;
        }
        for id in answer.rooms.leave.keys() {
            if account.rooms.remove(id).is_some() {
                tracing::info!(room = %id, "no longer in a room of Matrix");
            }
        }
        inbox.keep(&answer.next_batch).await?;
        Ok(answer.next_batch)
    }

    /// What happened in a room.
    async fn joined(
        &self,
        account: &mut Account,
        (id, joined): (&OwnedRoomId, sync::JoinedRoom),
        since: Option<&str>,
        inbox: &dyn Inbox,
    ) -> Result<(), PortError> {
        let is_new = !account.rooms.contains_key(id);
        if is_new {
            let Some(channel) = self.channel(id) else {
                return Ok(());
            };
            tracing::info!(room = %id, "in a room of Matrix");
            let mut room = Room::new(channel);
            room.is_direct = account.direct.has(id);
            account.rooms.insert(id.clone(), room);
        }
        let Some(room) = account.rooms.get_mut(id) else {
            return Ok(());
        };
        let reader = self.reader(&account.own);
        let before = match joined.state {
            sync::State::Before(state) | sync::State::After(state) => state.events,
            _ => Vec::new(),
        };
        let before = before.into_iter().map(Raw::cast_unchecked);
        let mut heard: Vec<Heard> = before
            .filter_map(|raw: Raw<AnySyncTimelineEvent>| room.read(&raw, &reader))
            .collect();
        let timeline = joined.timeline;
        // Of a room that is seen for the first time all that came before is its past.
        let begins = is_new || since.is_none();
        let mut past = Vec::new();
        if let Some(from) = timeline.prev_batch.filter(|_| begins || timeline.limited) {
            let (to, most) = match since {
                Some(since) if !begins => (Some(since.to_owned()), MISSED),
                _ => (
                    None,
                    self.config.history.saturating_sub(timeline.events.len()),
                ),
            };
            past = self.past(id, from, to, most).await?;
        }
        let last = timeline
            .events
            .last()
            .and_then(|raw| raw.get_field("event_id").ok().flatten());
        let events = past.iter().rev().chain(&timeline.events);
        heard.extend(events.filter_map(|raw| room.read(raw, &reader)));
        let history_ends = begins.then(|| history_end(room, &heard)).flatten();
        let mut events = Vec::new();
        let (mut is_configured, mut next) = (false, None);
        let mut becomes_encrypted = false;
        for heard in heard {
            match heard {
                Heard::Event(event) => events.push(*event),
                Heard::Channel => is_configured = true,
                Heard::Encrypted => becomes_encrypted = true,
                Heard::Replaced(room) => next = Some(room),
            }
        }
        events.extend(history_ends);
        hand_over(inbox, events).await?;
        // Who is admin is said after the past: nothing in it is to be answered.
        if is_configured || begins {
            self.say_channel(id, room, &account.own, inbox).await?;
        }
        if becomes_encrypted {
            warn_of_encryption(id);
            self.say_that_it_is_encrypted(id).await?;
        }
        if let Some(next) = next {
            self.follow(id, next).await?;
        }
        if let Some(last) = last {
            let mut request = set_read_marker::v3::Request::new(id.clone());
            request.fully_read = Some(last);
            request.read_receipt.clone_from(&request.fully_read);
            // For the people alone, who see how far the bot has read.
            if let Err(failure) = self.client.call(request, CALL).await {
                tracing::debug!(room = %id, ?failure, "the read marker was not moved");
            }
        }
        Ok(())
    }

    /// Events before a place in a room, newest first.
    async fn past(
        &self,
        room: &OwnedRoomId,
        from: String,
        to: Option<String>,
        most: usize,
    ) -> Result<Vec<Raw<AnySyncTimelineEvent>>, PortError> {
        let (mut all, mut read, mut bytes, mut from) = (Vec::new(), 0, 0, from);
        let mut filter = room_events();
        filter.types = Some(
            ["m.room.message", "m.reaction", "m.room.redaction"]
                .map(str::to_owned)
                .to_vec(),
        );
        while read < most && bytes < PAST_BYTES {
            let mut request =
                get_message_events::v3::Request::new(room.clone(), Direction::Backward);
            request.from = Some(from);
            request.to.clone_from(&to);
            let wanted = u32::try_from(most - read).unwrap_or(PAGE);
            request.limit = wanted.min(PAGE).into();
            request.filter = filter.clone();
            let page = match self.client.call(request, SYNC).await {
                Ok(page) => page,
                // What may not be read is not read.
                Err(Failure::Refused(said)) => {
                    tracing::warn!(%room, said, "a room's past cannot be read");
                    break;
                }
                Err(other) => return Err(other.receiving()),
            };
            bytes += page
                .chunk
                .iter()
                .map(|raw| raw.json().get().len())
                .sum::<usize>();
            read += page.chunk.len();
            // The names of those who wrote, before what they wrote once it is turned round.
            all.extend(page.chunk.into_iter().map(Raw::cast_unchecked));
            all.extend(page.state.into_iter().map(Raw::cast_unchecked));
            match page.end {
                Some(end) => from = end,
                None => break,
            }
        }
        Ok(all)
    }

    /// An invitation is accepted from who may invite, and else left for the operator to see.
    async fn invited(
        &self,
        account: &mut Account,
        room: &OwnedRoomId,
        state: &[Raw<AnyStrippedStateEvent>],
    ) -> Result<(), PortError> {
        let inviter = state.iter().find_map(|raw| match raw.deserialize().ok()? {
            AnyStrippedStateEvent::RoomMember(member)
                if member.state_key == account.own
                    && member.content.membership == MembershipState::Invite =>
            {
                Some((member.sender, member.content.is_direct == Some(true)))
            }
            _ => None,
        });
        let Some((inviter, is_direct)) = inviter else {
            return Ok(());
        };
        if !self.config.accepts(&inviter) {
            tracing::warn!(
                %room,
                %inviter,
                "an invitation is not accepted: `matrix.invited_by` does not name who invites"
            );
            return Ok(());
        }
        if is_direct && !account.direct.has(room) {
            // Before joining: nobody says it again.
            let Account { own, direct, .. } = account;
            self.remember_direct((own, direct), room, &inviter).await?;
        }
        match self.join(room.clone().into()).await {
            Ok(()) => {
                tracing::info!(%room, %inviter, "an invitation is accepted");
                Ok(())
            }
            Err(Failure::Refused(said)) => {
                tracing::warn!(%room, said, "a room that the bot is invited to cannot be joined");
                Ok(())
            }
            Err(other) => Err(other.receiving()),
        }
    }

    /// A room was replaced by another one, as an upgrade does.
    async fn follow(&self, old: &OwnedRoomId, new: OwnedRoomId) -> Result<(), PortError> {
        match self.join(new.clone().into()).await {
            Ok(()) => tracing::info!(%old, %new, "joined the room that replaces one"),
            Err(Failure::Refused(said)) => {
                tracing::warn!(%old, %new, said, "the room that replaces one cannot be joined");
            }
            Err(other) => return Err(other.receiving()),
        }
        Ok(())
    }
}

fn warn_of_encryption(room: &RoomId) {
    tracing::warn!(
        %room,
        "a room is encrypted, which the bot cannot read: use a room without encryption"
    );
}

/// What is asked of a room: its events, with the names of those who wrote them.
fn room_events() -> RoomEventFilter {
    let mut filter = RoomEventFilter::empty();
    filter.lazy_load_options = LazyLoadOptions::Enabled {
        include_redundant_members: true,
    };
    filter
}

fn filter() -> FilterDefinition {
    let mut rooms = RoomFilter::empty();
    rooms.timeline = room_events();
    rooms.timeline.limit = Some(TIMELINE.into());
    rooms.state = room_events();
    rooms.ephemeral = RoomEventFilter::ignore_all();
    rooms.account_data = RoomEventFilter::ignore_all();
    let mut filter = FilterDefinition::ignore_all();
    filter.room = rooms;
    filter
}

/// Says that a room's past ends with what was heard; `None` without any of it.
fn history_end(room: &Room, heard: &[Heard]) -> Option<Event> {
    let mut messages = heard.iter().filter_map(|heard| match heard {
        Heard::Event(event) => match &event.body {
            Body::PlatformMessage(message) => Some((message.sent_at, &message.native_id)),
            _ => None,
        },
        _ => None,
    });
    let (ended_at, history_id): (Timestamp, &String) = messages.next_back()?;
    let ended = PlatformHistoryEnded {
        channel: room.channel.channel.clone(),
        history_id: history_id.clone(),
        ended_at,
    };
    Some(room.event(PlatformEvent::HistoryEnded(history_id), ended, ended_at))
}

/// Hands events over. One that can never be taken must not keep the others from it.
async fn hand_over(inbox: &dyn Inbox, events: Vec<Event>) -> Result<(), PortError> {
    for batch in events.chunks(BATCH) {
        match inbox.take(batch.to_vec()).await {
            Err(error) if error.class() == Class::DeadLetter => {
                for event in batch {
                    match inbox.take(vec![event.clone()]).await {
                        Err(error) if error.class() == Class::DeadLetter => {
                            tracing::error!(%error, "what Matrix said cannot be taken");
                        }
                        done => done?,
                    }
                }
            }
            done => done?,
        }
    }
    Ok(())
}
