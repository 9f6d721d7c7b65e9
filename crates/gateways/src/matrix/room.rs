//! What is known of a room, and what its events mean: without I/O.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, VecDeque};

use ruma::events::reaction::OriginalSyncReactionEvent;
use ruma::events::relation::Thread;
use ruma::events::room::join_rules::JoinRule;
use ruma::events::room::message::{
    MessageType, OriginalSyncRoomMessageEvent, Relation, RoomMessageEventContent,
    sanitize::remove_plain_reply_fallback,
};
use ruma::events::room::power_levels::RoomPowerLevelsEventContent;
use ruma::events::room::redaction::SyncRoomRedactionEvent;
use ruma::events::{
    AnySyncMessageLikeEvent, AnySyncStateEvent, AnySyncTimelineEvent, SyncMessageLikeEvent,
    SyncStateEvent,
};
use ruma::serde::Raw;
use ruma::{
    MilliSecondsSinceUnixEpoch, OwnedEventId, OwnedRoomId, OwnedUserId, RoomVersionId, UserId,
};
use threadlore_model::{
    Audience, Event, PlatformEdit, PlatformEvent, PlatformMessage, PlatformReaction,
    PlatformRedaction, Timestamp,
};

use crate::bots::Bots;
use crate::live::LiveChannel;
use crate::target::platform_event;
use crate::text::{NAME_MAX, TEXT_MAX, cut, with_file, without_controls};

/// A power level from which on somebody is a moderator, as clients show it.
const MODERATOR: i64 = 50;
/// Names that are remembered; in a larger room they are learned again.
const NAMES: usize = 20_000;
/// Reactions that are remembered, so that taking one back is known as that.
const REACTIONS: usize = 10_000;
/// People that a message names at most; further ones say nothing.
const MENTIONS: usize = 50;

/// A room that the bot is in.
pub(crate) struct Room {
    pub(super) channel: LiveChannel,
    pub(super) is_encrypted: bool,
    /// Whether it is somebody's conversation with the bot alone, so that all of it is said to the bot.
    pub(super) is_direct: bool,
    /// Who can read it; `None` until a rule of who may join was seen.
    pub(super) audience: Option<Audience>,
    /// The names of people who wrote.
    names: HashMap<OwnedUserId, String>,
    /// Moderators by their power level.
    moderators: Vec<OwnedUserId>,
    /// Those who made the room, where that gives power.
    creators: Vec<OwnedUserId>,
    reactions: VecDeque<(OwnedEventId, PlatformReaction)>,
}

/// What an event means.
#[derive(Debug, PartialEq)]
pub(crate) enum Heard {
    /// Somebody wrote, edited, took back or reacted.
    Event(Box<Event>),
    /// The admins may be others now, or those who can read the room.
    Channel,
    /// From now on nobody but the people in it can read the room.
    Encrypted,
    /// The room goes on in another one.
    Replaced(OwnedRoomId),
}

/// Who reads.
pub(crate) struct Reader<'a> {
    /// Other bots.
    pub(crate) bots: &'a Bots,
    /// Who the admins are; where there are none, a room's moderators are.
    pub(crate) admins: &'a [String],
    /// The bot.
    pub(crate) own: &'a UserId,
    pub(crate) now: Timestamp,
}

impl Room {
    pub(crate) fn new(channel: LiveChannel) -> Self {
        Self {
            channel,
            is_encrypted: false,
            is_direct: false,
            audience: None,
            names: HashMap::new(),
            moderators: Vec::new(),
            creators: Vec::new(),
            reactions: VecDeque::new(),
        }
    }

    /// Who the admins are, by user id.
    pub(super) fn admins(&self, reader: &Reader<'_>) -> Vec<String> {
        if !reader.admins.is_empty() {
            return reader.admins.to_vec();
        }
        let all: BTreeSet<&OwnedUserId> = self.moderators.iter().chain(&self.creators).collect();
        let people = all.into_iter().filter(|person| *person != reader.own);
        people.map(|person| person.to_string()).collect()
    }

    /// What everybody may join, everybody can read.
    pub(super) fn set_join_rule(&mut self, rule: &JoinRule) {
        self.audience = Some(match rule {
            JoinRule::Public => Audience::Public,
            _ => Audience::Members,
        });
    }

    /// An event of the room's past or present. `None` where it means nothing here, or is none of
    /// the specification's.
    pub(crate) fn read(
        &mut self,
        raw: &Raw<AnySyncTimelineEvent>,
        reader: &Reader<'_>,
    ) -> Option<Heard> {
        match raw.deserialize().ok()? {
            AnySyncTimelineEvent::MessageLike(event) => {
                if event.sender() == reader.own {
                    // What the gateway sent was handed over when it was sent.
                    return None;
                }
                self.read_message_like(event, reader)
                    .map(|event| Heard::Event(Box::new(event)))
            }
            AnySyncTimelineEvent::State(event) => self.read_state(event),
        }
    }

    fn read_state(&mut self, event: AnySyncStateEvent) -> Option<Heard> {
        match event {
            AnySyncStateEvent::RoomMember(SyncStateEvent::Original(member)) => {
                let name = member.content.displayname.as_deref().unwrap_or_default();
                let name = kept(name.trim(), NAME_MAX);
                if self.names.len() >= NAMES {
                    self.names.clear();
                }
                match name.is_empty() {
                    true => self.names.remove(&member.state_key),
                    false => self.names.insert(member.state_key, name),
                };
                None
            }
            AnySyncStateEvent::RoomPowerLevels(SyncStateEvent::Original(levels)) => {
                self.set_power(&levels.content);
                Some(Heard::Channel)
            }
            AnySyncStateEvent::RoomJoinRules(SyncStateEvent::Original(rules)) => {
                self.set_join_rule(&rules.content.join_rule);
                Some(Heard::Channel)
            }
            AnySyncStateEvent::RoomCreate(SyncStateEvent::Original(create)) => {
                let content = create.content;
                self.set_creators(
                    &content.room_version,
                    create.sender,
                    content.additional_creators,
                );
                Some(Heard::Channel)
            }
            AnySyncStateEvent::RoomEncryption(_) => {
                let is_new = !self.is_encrypted;
                self.is_encrypted = true;
                is_new.then_some(Heard::Encrypted)
            }
            AnySyncStateEvent::RoomTombstone(SyncStateEvent::Original(tombstone)) => {
                Some(Heard::Replaced(tombstone.content.replacement_room))
            }
            _ => None,
        }
    }

    pub(super) fn set_power(&mut self, levels: &RoomPowerLevelsEventContent) {
        let users = levels.users.iter();
        let moderators = users.filter(|(_, level)| i64::from(**level) >= MODERATOR);
        self.moderators = moderators.map(|(person, _)| person.clone()).collect();
    }

    /// From version 12 on who made a room has all power, which no list of levels says.
    pub(super) fn set_creators(
        &mut self,
        version: &RoomVersionId,
        sender: OwnedUserId,
        others: Vec<OwnedUserId>,
    ) {
        let number: Option<u32> = version.as_str().parse().ok();
        self.creators = match number {
            Some(12..) => std::iter::once(sender).chain(others).collect(),
            _ => Vec::new(),
        };
    }

    fn read_message_like(
        &mut self,
        event: AnySyncMessageLikeEvent,
        reader: &Reader<'_>,
    ) -> Option<Event> {
        match event {
            AnySyncMessageLikeEvent::RoomMessage(SyncMessageLikeEvent::Original(message)) => {
                self.message(message, reader)
            }
            AnySyncMessageLikeEvent::Reaction(SyncMessageLikeEvent::Original(reaction)) => {
                Some(self.reaction(reaction, reader))
            }
            AnySyncMessageLikeEvent::RoomRedaction(SyncRoomRedactionEvent::Original(redaction)) => {
                let redacted = redaction.redacts.or(redaction.content.redacts)?;
                let at = time(redaction.origin_server_ts, reader.now);
                Some(self.redaction(&redacted, at))
            }
            _ => None,
        }
    }

    fn message(&self, event: OriginalSyncRoomMessageEvent, reader: &Reader<'_>) -> Option<Event> {
        let at = time(event.origin_server_ts, reader.now);
        let sender = event.sender;
        let relation = event.content.relates_to.clone();
        if let Some(Relation::Replacement(edit)) = relation {
            let text = kept(&text_of(&edit.new_content.msgtype)?, TEXT_MAX);
            if text.trim().is_empty() {
                return None;
            }
            let edit = PlatformEdit {
                channel: self.channel.channel.clone(),
                native_id: edit.event_id.to_string(),
                author_id: sender.to_string(),
                revision: i64::from(event.origin_server_ts.0),
                text,
                edited_at: at,
            };
            let native = edit.native_id.clone();
            return Some(self.event(PlatformEvent::Edit(&native, edit.revision), edit, at));
        }
        let (reply_to, thread_root) = match relation {
            Some(Relation::Reply(reply)) => (Some(reply.in_reply_to.event_id), None),
            Some(Relation::Thread(thread)) => replied_in(thread),
            _ => (None, None),
        };
        let text = text_of(&event.content.msgtype)?;
        let text = match reply_to {
            // Older clients quote what they answer.
            Some(_) => remove_plain_reply_fallback(&text),
            None => &text,
        };
        let text = kept(text, TEXT_MAX);
        if text.trim().is_empty() {
            return None;
        }
        let is_notice = matches!(event.content.msgtype, MessageType::Notice(_));
        let named = named(&event.content);
        let native = event.event_id.to_string();
        let message = PlatformMessage {
            channel: self.channel.channel.clone(),
            native_id: native.clone(),
            author_name: Some(self.name(&sender)),
            author_is_bot: is_notice || reader.bots.has(sender.as_str()),
            author_id: sender.to_string(),
            text,
            sent_at: at,
            reply_to: reply_to.map(|id| id.to_string()),
            mentions: named
                .iter()
                .filter(|one| *one != reader.own)
                .map(OwnedUserId::to_string)
                .take(MENTIONS)
                .collect(),
            thread_root: thread_root.map(|id| id.to_string()),
            to_bot: self.is_direct || named.iter().any(|one| one == reader.own),
        };
        Some(self.event(PlatformEvent::Message(&native), message, at))
    }

    /// The name that people see; of who has none, the first part of the user id.
    fn name(&self, person: &UserId) -> String {
        let known = self.names.get(person);
        known
            .cloned()
            .unwrap_or_else(|| person.localpart().to_owned())
    }

    fn reaction(&mut self, event: OriginalSyncReactionEvent, reader: &Reader<'_>) -> Event {
        let at = time(event.origin_server_ts, reader.now);
        let relation = event.content.relates_to;
        let reaction = PlatformReaction {
            channel: self.channel.channel.clone(),
            native_id: relation.event_id.to_string(),
            author_id: event.sender.to_string(),
            emoji: cut(&relation.key, 64).to_owned(),
            added: true,
            at,
            update_id: Some(event.event_id.to_string()),
        };
        if self.reactions.len() >= REACTIONS {
            self.reactions.pop_front();
        }
        self.reactions.push_back((event.event_id, reaction.clone()));
        self.reacted(reaction)
    }

    fn reacted(&self, reaction: PlatformReaction) -> Event {
        let (native, author, emoji) = (
            reaction.native_id.clone(),
            reaction.author_id.clone(),
            reaction.emoji.clone(),
        );
        let update = reaction.update_id.clone().unwrap_or_default();
        let what = PlatformEvent::Reaction(&native, &author, &emoji, reaction.added, &update);
        let at = reaction.at;
        self.event(what, reaction, at)
    }

    /// A message is taken back, or a reaction.
    fn redaction(&self, redacted: &OwnedEventId, at: Timestamp) -> Event {
        let known = self.reactions.iter().rev().find(|(id, _)| id == redacted);
        if let Some((_, reaction)) = known {
            return self.reacted(PlatformReaction {
                added: false,
                at,
                ..reaction.clone()
            });
        }
        let native = redacted.to_string();
        let redaction = PlatformRedaction {
            channel: self.channel.channel.clone(),
            native_id: native.clone(),
            redacted_at: at,
        };
        self.event(PlatformEvent::Redaction(&native), redaction, at)
    }

    pub(super) fn event(
        &self,
        what: PlatformEvent<'_>,
        body: impl Into<threadlore_model::Body>,
        at: Timestamp,
    ) -> Event {
        platform_event((&self.channel.space, &self.channel.channel), what, body, at)
    }
}

/// What a message says: its text, or what it carries with its caption.
fn text_of(message: &MessageType) -> Option<Cow<'_, str>> {
    /// The caption, the name, the media type and the size of what a message carries.
    macro_rules! file {
        ($file:ident) => {{
            let info = $file.info.as_deref();
            let media_type = info.and_then(|info| info.mimetype.as_deref());
            let bytes = info.and_then(|info| info.size).map(u64::from);
            let caption = $file.caption().unwrap_or_default();
            Cow::Owned(with_file(caption, $file.filename(), media_type, bytes))
        }};
    }
    match message {
        MessageType::Text(text) => Some(Cow::Borrowed(&text.body)),
        MessageType::Notice(notice) => Some(Cow::Borrowed(&notice.body)),
        MessageType::Emote(emote) => Some(Cow::Borrowed(&emote.body)),
        MessageType::Image(image) => Some(file!(image)),
        MessageType::File(file) => Some(file!(file)),
        MessageType::Video(video) => Some(file!(video)),
        MessageType::Audio(audio) => Some(file!(audio)),
        _ => None,
    }
}

/// The people that a message names.
fn named(content: &RoomMessageEventContent) -> Vec<OwnedUserId> {
    let mentions = content.mentions.as_ref();
    mentions.map_or_else(Vec::new, |all| all.user_ids.iter().cloned().collect())
}

/// What a message in a thread replies to, and the thread's first message. A client that shows no
/// threads is given a message to reply to; that is no reply.
fn replied_in(thread: Thread) -> (Option<OwnedEventId>, Option<OwnedEventId>) {
    let reply = thread.in_reply_to.filter(|_| !thread.is_falling_back);
    (reply.map(|reply| reply.event_id), Some(thread.event_id))
}

fn kept(text: &str, most: usize) -> String {
    cut(&without_controls(text), most).to_owned()
}

/// When something happened by the clock of its server; one that goes ahead is not believed.
fn time(at: MilliSecondsSinceUnixEpoch, now: Timestamp) -> Timestamp {
    Timestamp::from_millis(i64::from(at.0)).min(now)
}
