//! The envelope as headers: CloudEvents in binary mode, and our own; see [`HEADERS`].

use threadlore_model::{
    Body, Cause, Envelope, EventId, Group, Key, Offset, Partition, Producer, SpaceId, Timestamp,
    TopicPartition,
};

/// One header.
pub(crate) struct Header {
    pub(crate) name: &'static str,
    pub(crate) holds: &'static str,
    /// Whether every record has it, but for those that gateways send.
    pub(crate) required: bool,
}

const fn header(name: &'static str, required: bool, holds: &'static str) -> Header {
    Header {
        name,
        holds,
        required,
    }
}

/// Every header that is written; gateways may leave out any.
pub(crate) const HEADERS: [Header; 11] = [
    header("ce_specversion", true, "1.0"),
    header("ce_id", true, "Id of the event, a UUID."),
    header(TYPE, true, "Event type."),
    header(
        "ce_source",
        true,
        "/threadlore/<group> or /threadlore/external",
    ),
    header(
        "ce_time",
        true,
        "RFC 3339, UTC; outside the calendar milliseconds, as `7 ms`.",
    ),
    header("ce_space", true, "The space, which is the tenant."),
    header("content-type", true, "application/avro"),
    header(PRODUCER, false, "<group>/<partition>/<sequence>"),
    header(CAUSE, false, "<event id> <topic>/<partition> <offset>"),
    header(
        ACTOR,
        false,
        "Who asked for a change: operator, account:<name>, token:<name> or person:<id>.",
    ),
    header("traceparent", false, "W3C trace context."),
];

/// The header with the type of the event.
pub(crate) const TYPE: &str = "ce_type";
/// The header with the producer of a record, and its sequence.
pub const PRODUCER: &str = "ce_producer";
const CAUSE: &str = "ce_cause";
const ACTOR: &str = "ce_actor";

/// Longest trace context that is carried on; W3C's has 55 characters.
const TRACE_MAX: usize = 128;

type Headers<'a> = [(&'a str, &'a [u8])];

pub(crate) fn write(envelope: &Envelope, type_name: &str) -> Vec<(&'static str, Vec<u8>)> {
    let source = match &envelope.producer {
        Some(producer) => format!("/threadlore/{}", producer.group),
        None => "/threadlore/external".to_owned(),
    };
    let mut headers = vec![
        ("ce_specversion", b"1.0".to_vec()),
        ("ce_id", envelope.id.to_string().into_bytes()),
        (TYPE, type_name.as_bytes().to_vec()),
        ("ce_source", source.into_bytes()),
        ("ce_time", envelope.time.to_string().into_bytes()),
        ("ce_space", envelope.space.as_str().as_bytes().to_vec()),
        ("content-type", b"application/avro".to_vec()),
    ];
    if let Some(p) = &envelope.producer {
        headers.push((PRODUCER, producer_text(p)));
    }
    if let Some(cause) = &envelope.cause {
        headers.push((CAUSE, cause_text(cause)));
    }
    if let Some(actor) = &envelope.actor {
        headers.push((ACTOR, actor.to_string().into_bytes()));
    }
    if let Some(trace) = &envelope.traceparent {
        headers.push(("traceparent", trace.as_bytes().to_vec()));
    }
    headers
}

pub(crate) fn read(
    headers: &Headers<'_>,
    key: Key,
    body: &Body,
    value: &[u8],
) -> Result<Envelope, String> {
    let from_gateway = platform_time(body);
    let required = |name: &str| -> Result<Option<&str>, String> {
        match text(headers, name)? {
            None if from_gateway.is_none() => Err(format!("header {name} is missing")),
            found => Ok(found),
        }
    };
    if required(TYPE)?.is_some_and(|name| name != body.type_name()) {
        return Err("header ce_type names another event type than the value's".to_owned());
    }
    if text(headers, "ce_specversion")?.is_some_and(|version| version != "1.0") {
        return Err("header ce_specversion is not 1.0".to_owned());
    }
    let space = match required("ce_space")? {
        Some(space) => SpaceId::parse(space).map_err(|_| "header ce_space is no space")?,
        None => key.channel().map_err(|_| "the key is not space/channel")?.0,
    };
    let id = match required("ce_id")? {
        Some(id) => id.parse().map_err(|_| "header ce_id is no UUID")?,
        None => id_of_content(&key, value),
    };
    let time = match (required("ce_time")?, from_gateway) {
        (Some(time), _) => parse_time(time).ok_or("header ce_time is no RFC 3339 time")?,
        (None, Some(time)) => time,
        (None, None) => return Err("header ce_time is missing".to_owned()),
    };
    let producer = text(headers, PRODUCER)?
        .map(|p| parse_producer(p).ok_or("header ce_producer is not group/partition/sequence"))
        .transpose()?;
    let cause = text(headers, CAUSE)?
        .map(|c| parse_cause(c).ok_or("header ce_cause is not an id, a place and an offset"))
        .transpose()?;
    let actor = text(headers, ACTOR)?
        .map(|name| name.parse().map_err(|_| "header ce_actor names nobody"))
        .transpose()?;
    // A broken trace context is no reason to lose a message.
    let traceparent = text(headers, "traceparent")
        .ok()
        .flatten()
        .filter(|trace| trace.len() <= TRACE_MAX)
        .map(str::to_owned);
    Ok(Envelope {
        id,
        space,
        key,
        time,
        producer,
        cause,
        actor,
        traceparent,
    })
}

/// The platform's own time, for events of gateways.
fn platform_time(body: &Body) -> Option<Timestamp> {
    match body {
        Body::PlatformMessage(e) => Some(e.sent_at),
        Body::PlatformEdit(e) => Some(e.edited_at),
        Body::PlatformRedaction(e) => Some(e.redacted_at),
        Body::PlatformReaction(e) => Some(e.at),
        Body::PlatformHistoryEnded(e) => Some(e.ended_at),
        Body::PersonErasureAsked(e) => Some(e.asked_at),
        _ => None,
    }
}

fn id_of_content(key: &Key, value: &[u8]) -> EventId {
    let hex: String = value.iter().map(|byte| format!("{byte:02x}")).collect();
    EventId::of_content("chat.inbox", &[key.as_str(), &hex])
}

fn text<'a>(headers: &Headers<'a>, name: &str) -> Result<Option<&'a str>, String> {
    headers
        .iter()
        .find(|(n, _)| *n == name)
        .map(|(_, bytes)| {
            std::str::from_utf8(bytes).map_err(|_| format!("header {name} is not UTF-8"))
        })
        .transpose()
}

/// Replaces the place of the cause by the one from `moved`, in encoded headers. A header that
/// cannot be read stays unchanged; its record cannot be decoded anyway.
pub fn move_cause(
    headers: &mut [(String, Vec<u8>)],
    moved: impl FnOnce(TopicPartition, Offset) -> (TopicPartition, Offset),
) {
    let Some((_, bytes)) = headers.iter_mut().find(|(name, _)| name == CAUSE) else {
        return;
    };
    let cause = std::str::from_utf8(bytes).ok().and_then(parse_cause);
    if let Some(cause) = cause {
        let (at, offset) = moved(cause.at, cause.offset);
        *bytes = cause_text(&Cause {
            at,
            offset,
            ..cause
        });
    }
}

/// Changes the producer, in encoded headers. A header that cannot be read stays unchanged; its
/// record cannot be decoded anyway.
pub fn move_producer(headers: &mut [(String, Vec<u8>)], change: impl FnOnce(&mut Producer)) {
    let Some((_, bytes)) = headers.iter_mut().find(|(name, _)| name == PRODUCER) else {
        return;
    };
    let producer = std::str::from_utf8(bytes).ok().and_then(parse_producer);
    if let Some(mut producer) = producer {
        change(&mut producer);
        *bytes = producer_text(&producer);
    }
}

fn producer_text(producer: &Producer) -> Vec<u8> {
    let Producer {
        group,
        partition,
        sequence,
    } = producer;
    format!("{group}/{partition}/{sequence}").into_bytes()
}

fn cause_text(cause: &Cause) -> Vec<u8> {
    format!("{} {} {}", cause.event, cause.at, cause.offset).into_bytes()
}

fn parse_time(text: &str) -> Option<Timestamp> {
    // Times outside the calendar are written in milliseconds.
    if let Some(ms) = text.strip_suffix(" ms") {
        return ms.parse().ok().map(Timestamp::from_millis);
    }
    let time: jiff::Timestamp = text.parse().ok()?;
    Some(Timestamp::from_millis(time.as_millisecond()))
}

fn parse_producer(text: &str) -> Option<Producer> {
    let (rest, sequence) = text.rsplit_once('/')?;
    let (group, partition) = rest.rsplit_once('/')?;
    Some(Producer {
        group: Group::from_name(group),
        partition: Partition(partition.parse().ok()?),
        sequence: sequence.parse().ok()?,
    })
}

fn parse_cause(text: &str) -> Option<Cause> {
    let mut parts = text.split(' ');
    let (event, place, offset) = (parts.next()?, parts.next()?, parts.next()?);
    let (topic, partition) = place.rsplit_once('/')?;
    let cause = Cause {
        event: event.parse().ok()?,
        at: TopicPartition {
            topic: topic.parse().ok()?,
            partition: Partition(partition.parse().ok()?),
        },
        offset: Offset(offset.parse().ok()?),
    };
    parts.next().is_none().then_some(cause)
}
