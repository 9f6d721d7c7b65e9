//! `intake`: turns what gateways send into platform events that everything else
//! reads. Names each event by what the platform calls it, so that a repeat is
//! known; hashes people; checks and bounds everything from outside.

use threadlore_model::{
    Body, ChannelId, EventId, HistoryEnded, Key, MessageEdited, MessageId, MessagePosted,
    MessageRedacted, PersonErased, PersonId, PlatformEdit, PlatformEvent, PlatformHistoryEnded,
    PlatformMessage, PlatformReaction, PlatformRedaction, Private, ReactionAdded, ReactionRemoved,
    SpaceId, Timestamp,
};

use crate::{Decided, Decision, Facts, Input, IntakeParams, Refusal};

/// Longest native id, in bytes.
const NATIVE_MAX: usize = 256;
/// Longest name, in characters; the rest is cut.
const NAME_MAX: usize = 128;
/// Longest emoji or shortcode, in bytes.
const EMOJI_MAX: usize = 64;
/// People whom one message may mention; the rest is left out.
const MENTIONS_MAX: usize = 50;

/// The id under which an input is accepted once; `None` for what is no platform event.
#[must_use]
pub(super) fn identity(input: &Input<'_>) -> Option<EventId> {
    let Input::Record { event, .. } = input else {
        return None;
    };
    let space = &event.envelope.space;
    Some(match &event.body {
        Body::PlatformMessage(m) => PlatformEvent::Message(&m.native_id).id(space, &m.channel),
        Body::PlatformEdit(e) => {
            PlatformEvent::Edit(&e.native_id, e.revision).id(space, &e.channel)
        }
        Body::PlatformRedaction(r) => PlatformEvent::Redaction(&r.native_id).id(space, &r.channel),
        Body::PlatformReaction(r) => {
            let time = r.at.as_millis().to_string();
            let update = r.update_id.as_deref().filter(|id| !id.is_empty());
            let occurrence = update.unwrap_or(&time);
            PlatformEvent::Reaction(&r.native_id, &r.author_id, &r.emoji, r.added, occurrence)
                .id(space, &r.channel)
        }
        Body::PlatformHistoryEnded(h) => {
            PlatformEvent::HistoryEnded(&h.history_id).id(space, &h.channel)
        }
        Body::PersonErasureAsked(e) => {
            PlatformEvent::PersonErasure(&e.person.to_string()).id(space, &e.channel)
        }
        _ => return None,
    })
}

/// Accepts, drops as a repeat, or refuses.
///
/// # Errors
/// A [`Refusal`] that names the field and the rule.
pub(super) fn decide(
    input: &Input<'_>,
    facts: &Facts,
    params: &IntakeParams,
) -> Result<Decision, Refusal> {
    let Input::Record { event, .. } = input else {
        return Ok(Decision::default());
    };
    if facts.repeated {
        return Ok(Decision {
            dropped: Some("repeat"),
            ..Decision::default()
        });
    }
    let Some(id) = identity(input) else {
        return Err(Refusal(format!(
            "{} does not belong on chat.inbox",
            event.body.type_name()
        )));
    };
    let place = Place {
        space: &event.envelope.space,
        params,
    };
    if let Some(channel) = event.body.channel()
        && event.envelope.key != Key::of_channel(place.space, channel)
    {
        return Err(Refusal(
            "the record's key is not space/channel of its value".to_owned(),
        ));
    }
    let (time, body) = match &event.body {
        Body::PlatformMessage(m) => (m.sent_at, place.posted(id, m)?),
        Body::PlatformEdit(e) => (e.edited_at, place.edited(e)?),
        Body::PlatformRedaction(r) => (r.redacted_at, place.redacted(r)?),
        Body::PlatformReaction(r) => (r.at, place.reaction(r)?),
        Body::PlatformHistoryEnded(h) => (h.ended_at, history_ended(h)?),
        Body::PersonErasureAsked(e) => {
            let erased = PersonErased {
                channel: e.channel.clone(),
                person: e.person,
                asked_at: e.asked_at,
            };
            (e.asked_at, erased.into())
        }
        other => return Err(Refusal(format!("{} is not taken", other.type_name()))),
    };
    if !(Timestamp::EARLIEST..=Timestamp::LATEST).contains(&time) {
        return Err(Refusal("its time is not between 1970 and 9999".to_owned()));
    }
    let decided = Decided {
        id: Some(id),
        time: Some(time),
        body,
    };
    Ok(Decision {
        events: vec![decided],
        ..Decision::default()
    })
}

struct Place<'a> {
    space: &'a SpaceId,
    params: &'a IntakeParams,
}

impl Place<'_> {
    fn person(&self, channel: &ChannelId, native: &str) -> Result<PersonId, Refusal> {
        check("author_id", native, NATIVE_MAX)?;
        Ok(self
            .params
            .hasher
            .person(self.space, channel.platform(), native))
    }

    fn message(&self, channel: &ChannelId, native: &str) -> Result<MessageId, Refusal> {
        check("native_id", native, NATIVE_MAX)?;
        Ok(MessageId::of_native(self.space, channel, native))
    }

    fn text(&self, text: &str) -> Private {
        Private::open(clean(text, self.params.max_text_bytes))
    }

    fn posted(&self, id: EventId, m: &PlatformMessage) -> Result<Body, Refusal> {
        let person = self.person(&m.channel, &m.author_id)?;
        self.message(&m.channel, &m.native_id)?;
        let reply_to = match &m.reply_to {
            Some(native) => Some(self.message(&m.channel, native)?),
            None => None,
        };
        let mentions = m
            .mentions
            .iter()
            .take(MENTIONS_MAX)
            .map(|native| self.person(&m.channel, native))
            .collect::<Result<_, _>>()?;
        if let Some(root) = &m.thread_root {
            check("thread_root", root, NATIVE_MAX)?;
        }
        let link = &self.params.case_link_base;
        let name = m.author_name.as_deref().map(|name| {
            let name = name.chars().filter(|c| !c.is_control());
            name.take(NAME_MAX).collect::<String>()
        });
        Ok(MessagePosted {
            message: MessageId::from_uuid(id.as_uuid()),
            channel: m.channel.clone(),
            person,
            native_id: m.native_id.clone(),
            author_native: Private::open(m.author_id.clone()),
            author_name: name.filter(|n| !n.trim().is_empty()).map(Private::open),
            text: self.text(&m.text),
            bot: m.author_is_bot || (!link.is_empty() && m.text.contains(link.as_str())),
            reply_to,
            mentions,
            sent_at: m.sent_at,
            thread_root: m.thread_root.clone(),
            to_bot: m.to_bot,
        }
        .into())
    }

    fn edited(&self, e: &PlatformEdit) -> Result<Body, Refusal> {
        if e.revision < 1 {
            return Err(Refusal(
                "revision must be 1 or more: 0 is the message as it was posted".to_owned(),
            ));
        }
        Ok(MessageEdited {
            message: self.message(&e.channel, &e.native_id)?,
            channel: e.channel.clone(),
            person: self.person(&e.channel, &e.author_id)?,
            revision: e.revision,
            text: self.text(&e.text),
            edited_at: e.edited_at,
        }
        .into())
    }

    fn redacted(&self, r: &PlatformRedaction) -> Result<Body, Refusal> {
        Ok(MessageRedacted {
            message: self.message(&r.channel, &r.native_id)?,
            channel: r.channel.clone(),
            redacted_at: r.redacted_at,
        }
        .into())
    }

    fn reaction(&self, r: &PlatformReaction) -> Result<Body, Refusal> {
        check("emoji", &r.emoji, EMOJI_MAX)?;
        if let Some(id) = r.update_id.as_deref().filter(|id| !id.is_empty()) {
            check("update_id", id, NATIVE_MAX)?;
        }
        let message = self.message(&r.channel, &r.native_id)?;
        let person = self.person(&r.channel, &r.author_id)?;
        let (channel, emoji, at) = (r.channel.clone(), r.emoji.clone(), r.at);
        Ok(if r.added {
            ReactionAdded {
                message,
                channel,
                person,
                emoji,
                at,
            }
            .into()
        } else {
            ReactionRemoved {
                message,
                channel,
                person,
                emoji,
                at,
            }
            .into()
        })
    }
}

fn history_ended(h: &PlatformHistoryEnded) -> Result<Body, Refusal> {
    check("history_id", &h.history_id, NATIVE_MAX)?;
    Ok(HistoryEnded {
        channel: h.channel.clone(),
        ended_at: h.ended_at,
    }
    .into())
}

fn check(field: &str, value: &str, max: usize) -> Result<(), Refusal> {
    if value.is_empty() || value.len() > max || value.chars().any(char::is_control) {
        return Err(Refusal(format!(
            "{field} must have 1 to {max} bytes without control characters"
        )));
    }
    Ok(())
}

/// Without control characters (but line breaks and tabs), cut at a character.
fn clean(text: &str, max: usize) -> String {
    let mut out = String::with_capacity(text.len().min(max));
    for c in text
        .chars()
        .filter(|c| !c.is_control() || matches!(c, '\n' | '\t'))
    {
        if out.len() + c.len_utf8() > max {
            break;
        }
        out.push(c);
    }
    out
}
