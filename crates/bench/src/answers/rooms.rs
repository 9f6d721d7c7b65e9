//! Lines of rooms: is chatter left alone, and is what asks heard? Each is a turn of a live room, after
//! the lines that stand before it in its log: the gate of the role `responder`, and, where that lets
//! it pass, memory, which has the log that the line is from, the time after it included.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use serde::Deserialize;
use threadlore_model::{
    Cause, ChannelId, Envelope, Event, EventId, Group, Key, MessageId, MessagePosted, Offset,
    Partition, PersonId, Private, Role, SpaceId, Timestamp, Topic, TopicPartition, TurnClosed,
};
use threadlore_node::Node;
use threadlore_ports::{Readable, Scope};
use threadlore_retrieval::{Inquiry, reply_to};
use threadlore_roles::{
    Facts, Input, Processor, Responder, ResponderCall, ResponderParams, ResponderState,
};

use super::material::{Half, lines};
use super::{irc, judged::share, room};
use crate::Row;

const CHATTER: &str = include_str!("../../labels/rooms/chatter.jsonl");
const ASKED: &str = include_str!("../../labels/rooms/asked.jsonl");
/// Lines before a line that the room remembers.
const BEFORE: usize = 60;
/// Time between two lines.
const STEP: Duration = Duration::from_secs(20);

/// A line with its label.
#[derive(Debug, Deserialize)]
struct Line {
    id: String,
    source: String,
    #[serde(default)]
    line: usize,
    kind: String,
    half: Half,
    text: String,
}

/// What became of lines of a kind.
#[derive(Debug, Default)]
struct Count {
    lines: usize,
    passed: usize,
    spoke: usize,
}

/// A row for each kind, and one for all.
///
/// # Errors
/// When a log cannot be read.
pub(super) async fn rows(
    node: &Node,
    scope: &Scope,
    (data, half): (&Path, Half),
) -> anyhow::Result<Vec<Row>> {
    let mut logs = HashMap::<String, Vec<(String, String)>>::new();
    let mut counts = BTreeMap::<String, Count>::new();
    for (file, text) in [("chatter", CHATTER), ("asked", ASKED)] {
        for line in lines::<Line>(text)? {
            if line.half != half {
                continue;
            }
            if line.source != "own" && !logs.contains_key(&line.source) {
                logs.insert(line.source.clone(), read(&data.join(&line.source))?);
            }
            let log = logs.get(&line.source).map(Vec::as_slice);
            let question = passes(scope.space(), &line, log.unwrap_or_default())?;
            let spoke = match &question {
                Some(question) => speaks(node, scope, &line, question).await?,
                None => false,
            };
            eprintln!("{} {}: {question:?} {spoke}", line.id, line.kind);
            for kind in [line.kind.as_str(), "all"] {
                let count = counts.entry(format!("rooms/{file}/{kind}")).or_default();
                count.lines += 1;
                count.passed += usize::from(question.is_some());
                count.spoke += usize::from(spoke);
            }
        }
    }
    let row = |(name, count): (String, Count)| Row {
        name,
        metrics: vec![
            ("lines", count.lines as f64),
            ("passed_the_gate", share(count.passed, count.lines)),
            ("left_alone", share(count.lines - count.spoke, count.lines)),
        ],
    };
    Ok(counts.into_iter().map(row).collect())
}

/// The speakers and texts of a log, line by line; a line of another form has no speaker.
fn read(path: &Path) -> anyhow::Result<Vec<(String, String)>> {
    let bytes = fs::read(path).with_context(|| format!("reading {}", path.display()))?;
    let text = String::from_utf8_lossy(&bytes);
    let spoken = |line: &str| {
        let (_, said) = line.split_once("] <")?;
        let (name, text) = said.split_once("> ")?;
        Some((name.to_owned(), text.to_owned()))
    };
    Ok(text
        .lines()
        .map(|line| spoken(line).unwrap_or_default())
        .collect())
}

fn channel(line: &Line) -> anyhow::Result<ChannelId> {
    match line.source.strip_prefix("livechat/") {
        Some(file) => room(file.trim_end_matches(".txt")),
        None => irc(),
    }
}

/// What a line asks of memory; `None` where the gate leaves it alone.
fn passes(
    space: &SpaceId,
    line: &Line,
    log: &[(String, String)],
) -> anyhow::Result<Option<(String, bool)>> {
    let channel = channel(line)?;
    let responder = Responder(ResponderParams::default());
    let mut state = ResponderState::default();
    let before = log.get(line.line.saturating_sub(BEFORE)..line.line);
    let before = before.unwrap_or_default();
    let own = log.get(line.line).map_or("somebody", |(name, _)| name);
    let said = before
        .iter()
        .filter(|(name, _)| !name.is_empty())
        .map(|(name, text)| (name.as_str(), text.as_str()));
    let mut now = Timestamp::from_millis(1_700_000_000_000);
    let (mut offset, mut last) = (Offset(0), None);
    for (name, text) in said.chain([(own, line.text.as_str())]) {
        now = now.plus(STEP);
        offset = offset.next();
        let message = MessageId::of_native(space, &channel, &offset.to_string());
        let person = person(name);
        let posted = MessagePosted {
            message,
            channel: channel.clone(),
            person,
            native_id: offset.to_string(),
            author_native: Private::open(name),
            author_name: Some(Private::open(name)),
            text: Private::open(text),
            bot: false,
            reply_to: None,
            mentions: Vec::new(),
            sent_at: now,
            thread_root: None,
            to_bot: false,
        };
        let event = event(space, &channel, posted, now);
        responder.fold(&mut state, &record(Topic::ChatEvents, offset, &event, now));
        last = Some((message, person));
    }
    let (message, person) = last.context("a line")?;
    let closed = TurnClosed {
        channel: channel.clone(),
        person,
        messages: vec![message],
        up_to: offset,
        now,
    };
    let event = event(space, &channel, closed, now);
    let input = record(Topic::ChatTurns, Offset(0), &event, now);
    responder.fold(&mut state, &input);
    let facts = Facts {
        now,
        group: Group::of_role(Role::Responder),
        space: Some(space.clone()),
        channel: Some(channel),
        cause: Cause {
            event: event.envelope.id,
            at: place(Topic::ChatTurns),
            offset: Offset(0),
        },
        repeated: false,
        pending_calls: 0,
    };
    let decision = responder.decide(&state, &input, &facts)?;
    let asked = decision.calls.into_iter().find_map(|(_, call)| match call {
        ResponderCall::Recall(call) => Some((call.question, call.is_named)),
        _ => None,
    });
    Ok(asked)
}

/// Whether anything is said. Who asks by name always gets something.
async fn speaks(
    node: &Node,
    scope: &Scope,
    line: &Line,
    (question, is_named): &(String, bool),
) -> anyhow::Result<bool> {
    let readable = Readable::in_channel(&channel(line)?, &BTreeMap::new());
    let asked = Inquiry::new(scope, &readable, question);
    let (_, reply) = reply_to(&node.memory.retrieval, asked, &[]).await;
    let is_silent = matches!(reply, threadlore_retrieval::ask::Reply::Silent(_));
    Ok(*is_named || !is_silent)
}

fn person(name: &str) -> PersonId {
    PersonId::from_uuid(EventId::of_content("person", &[name]).as_uuid())
}

fn place(topic: Topic) -> TopicPartition {
    TopicPartition {
        topic,
        partition: Partition(0),
    }
}

fn record<C, A>(topic: Topic, offset: Offset, event: &Event, now: Timestamp) -> Input<'_, C, A> {
    Input::Record {
        at: place(topic),
        offset,
        arrived: now,
        event,
    }
}

fn event(
    space: &SpaceId,
    channel: &ChannelId,
    body: impl Into<threadlore_model::Body>,
    now: Timestamp,
) -> Event {
    let body = body.into();
    let id = EventId::of_content("rooms", &[body.type_name(), &now.as_millis().to_string()]);
    Event {
        envelope: Envelope {
            id,
            space: space.clone(),
            key: Key::of_channel(space, channel),
            time: now,
            producer: None,
            cause: None,
            actor: None,
            traceparent: None,
        },
        body,
    }
}
