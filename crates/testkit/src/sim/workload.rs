//! What invented people write in a run, and what must come of it.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::time::Duration;

use threadlore_model::{
    Audience, Body, ChannelConfigured, ChannelId, Envelope, Event, EventId, Key,
    MemoryErasureRequested, MemoryHome, MemoryId, MemoryRequested, MessageId, Mode, Partition,
    PersonHasher, PlatformEdit, PlatformEvent, PlatformHistoryEnded, PlatformMessage,
    PlatformReaction, PlatformRedaction, Private, SpaceId, Timestamp, Topic, partition_for,
};

use crate::sim::rng::Rng;
use crate::sim::sched::BEGIN;

/// Partitions of every topic in a run.
pub(crate) const PARTITIONS: u32 = 2;
/// Milliseconds over which the chat is written.
const LASTS: i64 = 9000;
const PEOPLE: [&str; 7] = ["ada", "bo", "cyd", "dov", "eli", "fay", "gus"];
const FACTS: [&str; 5] = [
    "we deploy on Fridays",
    "We deploy on Fridays!",
    "the wiki is down",
    "lunch is at noon",
    "my node is 7.6",
];
const HEARTS: [&str; 3] = ["👍", "❤️", "🎉"];
/// What the log takes from a gateway, and not from `intake`.
const UNFIT: &str = "unfit";

/// One thing that a gateway sends.
#[derive(Debug, Clone)]
pub(crate) enum Item {
    /// A platform event, or a setting.
    Event(Box<Event>),
    /// Bytes that are no event.
    Garbage(Partition),
    /// Somebody asks for windows to be examined once more.
    Requests,
}

/// What must be in the projections at the end.
#[derive(Debug, Default)]
pub(crate) struct Expected {
    /// Ids of all platform events that are to be accepted.
    pub(crate) accepted: HashSet<EventId>,
    /// Message → space, channel and text, if it has one.
    pub(crate) messages: BTreeMap<MessageId, (SpaceId, ChannelId, Option<String>)>,
    /// Reactions that stand: message, person's native id, emoji.
    pub(crate) reactions: BTreeSet<(MessageId, String, String)>,
    /// Ids of inputs of which what they lead to cannot be encoded.
    pub(crate) unfit: HashSet<EventId>,
    revisions: BTreeMap<MessageId, i64>,
    redacted: BTreeSet<MessageId>,
}

/// The chat of a run.
pub(crate) struct Workload {
    /// In the order of sending, with the time of sending in milliseconds.
    pub(crate) items: Vec<(i64, Item)>,
    pub(crate) expected: Expected,
}

struct Channel {
    space: SpaceId,
    channel: ChannelId,
    /// Sent long ago, or now.
    history: bool,
    bots: bool,
}

/// The key that people are hashed with.
pub(crate) fn hasher() -> PersonHasher {
    PersonHasher::new(&[3; 32])
}

fn key_is_in(space: &SpaceId, channel: &ChannelId, partition: i32) -> bool {
    let key = Key::of_channel(space, channel);
    partition_for(key.as_str().as_bytes(), PARTITIONS) == Partition(partition)
}

#[expect(
    clippy::expect_used,
    reason = "the names are written here and follow the rules"
)]
fn channels() -> (Vec<Channel>, [SpaceId; 2]) {
    let space = |name| SpaceId::parse(name).expect("a valid space");
    let (north, south) = (space("north"), space("south"));
    let named = |name: &str, fits: &dyn Fn(&ChannelId) -> bool| {
        (0..)
            .map(|n| ChannelId::parse(&format!("sim:{name}{n}")).expect("a valid channel"))
            .find(fits)
            .expect("one of the names fits")
    };
    let help = named("help", &|c| {
        key_is_in(&north, c, 0) && key_is_in(&south, c, 1)
    });
    let old = named("old", &|c| key_is_in(&north, c, 1));
    let dev = named("dev", &|c| key_is_in(&south, c, 0));
    let channel = |space: &SpaceId, channel: &ChannelId, history, bots| Channel {
        space: space.clone(),
        channel: channel.clone(),
        history,
        bots,
    };
    let all = vec![
        channel(&north, &help, false, false),
        channel(&south, &help, false, false),
        channel(&north, &old, true, false),
        channel(&south, &dev, false, true),
    ];
    (all, [north, south])
}

impl Workload {
    /// At least 200 inputs.
    pub(crate) fn draw(rng: &mut Rng) -> Self {
        let (channels, spaces) = channels();
        // The first two channels are of two spaces and say the same, word for word.
        let twin = rng.fork();
        let mut timed: Vec<(i64, Item)> = Vec::new();
        for (i, channel) in channels.iter().enumerate() {
            let mut own = if i < 2 { twin.clone() } else { rng.fork() };
            timed.extend(Script::write(channel, &mut own));
        }
        for _ in 0..timed.len() / 12 {
            // A gateway that reconnects sends again what it sent before.
            let (at, item) = rng.pick(&timed).clone();
            timed.push((at + rng.between(0, 4000), item));
        }
        for (space, n) in spaces.iter().zip(0..) {
            timed.extend((0..2).map(|i| (700 * (n + 3 * i), configured(&channels, space, i))));
        }
        timed.push((
            rng.between(0, LASTS),
            Item::Garbage(Partition(rng.below(2) as i32)),
        ));
        timed.extend((0..6).map(|_| (rng.between(0, LASTS + 3000), Item::Requests)));
        for space in &spaces {
            timed.extend(told(space, &channels[0].channel, rng));
        }
        timed.sort_by_key(|(at, _)| *at);
        let mut expected = Expected::default();
        for (_, item) in &timed {
            if let Item::Event(event) = item {
                expected.take(event);
            }
        }
        Self {
            items: timed,
            expected,
        }
    }
}

/// What people of a space have remembered, some of it in the same words, and have forgotten again.
fn told(space: &SpaceId, channel: &ChannelId, rng: &mut Rng) -> Vec<(i64, Item)> {
    let mut all = Vec::new();
    for (n, home) in (0..8_usize).zip(MemoryHome::ALL.into_iter().cycle()) {
        let person = hasher().person(space, channel.platform(), PEOPLE[n / 2 % 2]);
        let key = home.key(space, person);
        let memory = MemoryId::of_request(&key, &n.to_string());
        let now = BEGIN.plus(Duration::from_secs(n as u64));
        let at = rng.between(0, LASTS);
        let asked = MemoryRequested {
            memory,
            home,
            channel: channel.clone(),
            person,
            message: None,
            text: Private::open(*rng.pick(&FACTS)),
            always: false,
            replaces: None,
            now,
        };
        all.push((at, of_home("told", n, (space, key.clone()), asked.into())));
        if n % 3 == 0 {
            let unwanted = MemoryErasureRequested {
                home,
                person,
                memory: Some(memory),
                now,
            };
            let later = at + rng.between(1, 2000);
            all.push((later, of_home("untold", n, (space, key), unwanted.into())));
        }
    }
    all
}

fn of_home(kind: &str, n: usize, (space, key): (&SpaceId, Key), body: Body) -> Item {
    let id = EventId::of_content(kind, &[space.as_str(), &n.to_string()]);
    let envelope = envelope(id, space, key, BEGIN);
    Item::Event(Box::new(Event { envelope, body }))
}

fn configured(channels: &[Channel], space: &SpaceId, round: i64) -> Item {
    let channel = channels
        .iter()
        .find(|c| c.space == *space)
        .map(|c| c.channel.clone());
    let channel = channel.unwrap_or_else(|| channels[0].channel.clone());
    let admin = PEOPLE[round as usize];
    let body = ChannelConfigured {
        admins: vec![hasher().person(space, channel.platform(), admin)],
        channel,
        audience: Audience::ALL[round as usize % Audience::ALL.len()],
        mode: Mode::Questions,
        docs: Vec::new(),
        published: false,
        now: BEGIN.plus(Duration::from_secs(round.unsigned_abs())),
    };
    let id = EventId::of_content("configured", &[space.as_str(), &round.to_string()]);
    let envelope = envelope(id, space, Key::of_space(space), body.now);
    Item::Event(Box::new(Event {
        envelope,
        body: body.into(),
    }))
}

fn envelope(id: EventId, space: &SpaceId, key: Key, time: Timestamp) -> Envelope {
    Envelope {
        id,
        space: space.clone(),
        key,
        time,
        producer: None,
        cause: None,
        actor: None,
        traceparent: None,
    }
}

struct Script<'a> {
    channel: &'a Channel,
    rng: &'a mut Rng,
    out: Vec<(i64, Item)>,
    natives: usize,
}

impl<'a> Script<'a> {
    fn write(channel: &'a Channel, rng: &'a mut Rng) -> Vec<(i64, Item)> {
        let mut script = Script {
            channel,
            rng,
            out: Vec::new(),
            natives: 0,
        };
        for matter in 0..9 {
            script.matter(matter);
        }
        let chatter =
            if channel.bots { 20 } else { 8 }.max(46_usize.saturating_sub(script.out.len()));
        for n in 0..chatter {
            let at = script.rng.between(0, LASTS);
            let who = *script.rng.pick(&PEOPLE);
            let bot = script.channel.bots && n % 2 == 0;
            let native = script.message(at, who, &format!("by the way {n}"), None, bot);
            if script.rng.chance(1, 6) {
                let later = at + script.rng_ms(3000);
                script.redact(later, &native);
            }
        }
        let at = script.rng.between(0, LASTS);
        script.message(at, "", "nobody wrote this", None, false);
        let at = script.rng.between(0, LASTS);
        script.named(at, "ada", (UNFIT, "no log takes this"), None, false);
        if channel.history && script.rng.chance(1, 2) {
            let last = script.out.iter().map(|(at, _)| *at).max().unwrap_or(LASTS);
            script.end_history(last + 1);
        }
        script.out
    }

    fn rng_ms(&mut self, most: i64) -> i64 {
        self.rng.between(1, most)
    }

    fn matter(&mut self, n: usize) {
        let asker = *self.rng.pick(&PEOPLE);
        let helper = *self.rng.pick(&PEOPLE);
        let asked = self.rng.between(0, LASTS - 2000);
        let question = self.message(
            asked,
            asker,
            &format!("ask m{n} why does it fail?"),
            None,
            false,
        );
        if self.rng.chance(1, 3) {
            let (revision, early) = (self.rng.between(1, 3), self.rng.chance(1, 4));
            let at = if early {
                asked - self.rng_ms(200)
            } else {
                asked + self.rng_ms(1500)
            };
            self.edit(
                at,
                asker,
                &question,
                revision,
                &format!("ask m{n} edited {revision}"),
            );
        }
        if self.rng.chance(1, 8) {
            let at = asked + self.rng_ms(4000);
            self.redact(at, &question);
        }
        // Some answers come when the case is about to expire.
        let answered = asked + self.rng.between(50, 5000);
        if self.rng.chance(5, 6) {
            let text = format!("answer m{n} turn it off and on");
            let answer = self.message(answered, helper, &text, Some(&question), false);
            if self.rng.chance(1, 3) {
                let at = answered + self.rng_ms(2500);
                self.react(at, &answer);
            }
            if self.rng.chance(3, 5) {
                let at = answered + self.rng_ms(1500);
                self.message(
                    at,
                    asker,
                    &format!("thanks m{n} that works"),
                    Some(&answer),
                    false,
                );
            }
        }
        if self.rng.chance(1, 2) {
            let at = asked + self.rng_ms(5000);
            self.react(at, &question);
        }
    }

    fn sent(&self, at: i64) -> Timestamp {
        let live = Timestamp::from_millis(BEGIN.as_millis() + at);
        match self.channel.history {
            true => live.minus(Duration::from_secs(700 * 24 * 3600)),
            false => live,
        }
    }

    fn put(&mut self, at: i64, id: PlatformEvent<'_>, body: impl Into<Body>) {
        let Channel { space, channel, .. } = self.channel;
        let key = Key::of_channel(space, channel);
        let envelope = envelope(id.id(space, channel), space, key, self.sent(at));
        self.out.push((
            at.max(0),
            Item::Event(Box::new(Event {
                envelope,
                body: body.into(),
            })),
        ));
    }

    fn message(
        &mut self,
        at: i64,
        who: &str,
        text: &str,
        reply_to: Option<&str>,
        bot: bool,
    ) -> String {
        self.natives += 1;
        let native = self.natives.to_string();
        self.named(at, who, (&native, text), reply_to, bot);
        native
    }

    fn named(
        &mut self,
        at: i64,
        who: &str,
        (native, text): (&str, &str),
        reply_to: Option<&str>,
        bot: bool,
    ) {
        let body = PlatformMessage {
            channel: self.channel.channel.clone(),
            native_id: native.to_owned(),
            author_id: who.to_owned(),
            author_name: Some(who.to_owned()),
            author_is_bot: bot,
            text: text.to_owned(),
            sent_at: self.sent(at),
            reply_to: reply_to.map(str::to_owned),
            mentions: Vec::new(),
            thread_root: None,
            to_bot: false,
        };
        self.put(at, PlatformEvent::Message(native), body);
    }

    fn end_history(&mut self, at: i64) {
        let body = PlatformHistoryEnded {
            channel: self.channel.channel.clone(),
            history_id: "all".to_owned(),
            ended_at: self.sent(at),
        };
        self.put(at, PlatformEvent::HistoryEnded("all"), body);
    }

    fn edit(&mut self, at: i64, who: &str, native: &str, revision: i64, text: &str) {
        let body = PlatformEdit {
            channel: self.channel.channel.clone(),
            native_id: native.to_owned(),
            author_id: who.to_owned(),
            revision,
            text: text.to_owned(),
            edited_at: self.sent(at),
        };
        self.put(at, PlatformEvent::Edit(native, revision), body);
    }

    fn redact(&mut self, at: i64, native: &str) {
        let body = PlatformRedaction {
            channel: self.channel.channel.clone(),
            native_id: native.to_owned(),
            redacted_at: self.sent(at),
        };
        self.put(at, PlatformEvent::Redaction(native), body);
    }

    fn react(&mut self, at: i64, native: &str) {
        let (who, emoji) = (*self.rng.pick(&PEOPLE), *self.rng.pick(&HEARTS));
        self.reaction(at, native, who, emoji, true);
        if self.rng.chance(1, 3) {
            let later = at + self.rng_ms(2000);
            self.reaction(later, native, who, emoji, false);
        }
    }

    fn reaction(&mut self, at: i64, native: &str, who: &str, emoji: &str, added: bool) {
        let update = format!("u{}", self.out.len());
        let id = PlatformEvent::Reaction(native, who, emoji, added, &update);
        let body = PlatformReaction {
            channel: self.channel.channel.clone(),
            native_id: native.to_owned(),
            author_id: who.to_owned(),
            emoji: emoji.to_owned(),
            added,
            at: self.sent(at),
            update_id: Some(update.clone()),
        };
        self.put(at, id, body);
    }
}

/// Whether the log does not take an event that a role decided.
pub(crate) fn is_unfit(event: &Event) -> bool {
    matches!(&event.body, Body::MessagePosted(m) if m.native_id == UNFIT)
}

impl Expected {
    fn take(&mut self, event: &Event) {
        let space = &event.envelope.space;
        if event.body.topic() == Some(Topic::KnowledgeRequests) {
            return;
        }
        let Some(channel) = event.body.channel() else {
            return;
        };
        let refused = matches!(&event.body, Body::PlatformMessage(m) if m.author_id.is_empty());
        if matches!(&event.body, Body::PlatformMessage(m) if m.native_id == UNFIT) {
            self.unfit.insert(event.envelope.id);
            return;
        }
        let setting = matches!(&event.body, Body::ChannelConfigured(_));
        if refused || setting || !self.accepted.insert(event.envelope.id) {
            return;
        }
        let message = |native: &str| MessageId::of_native(space, channel, native);
        match &event.body {
            Body::PlatformMessage(m) => {
                self.text(message(&m.native_id), space, channel, 0, &m.text)
            }
            Body::PlatformEdit(e) => {
                self.text(message(&e.native_id), space, channel, e.revision, &e.text);
            }
            Body::PlatformRedaction(r) => {
                self.redacted.insert(message(&r.native_id));
                self.text(message(&r.native_id), space, channel, i64::MAX, "");
            }
            Body::PlatformReaction(r) => {
                let id = clean(message(&r.native_id), r);
                if r.added {
                    self.reactions.insert(id);
                } else {
                    self.reactions.remove(&id);
                }
            }
            _ => {}
        }
    }

    fn text(
        &mut self,
        message: MessageId,
        space: &SpaceId,
        channel: &ChannelId,
        revision: i64,
        text: &str,
    ) {
        let known = self.revisions.entry(message).or_insert(-1);
        if revision > *known {
            *known = revision;
            let text = (!self.redacted.contains(&message)).then(|| text.to_owned());
            self.messages
                .insert(message, (space.clone(), channel.clone(), text));
        }
    }
}

fn clean(message: MessageId, reaction: &PlatformReaction) -> (MessageId, String, String) {
    (message, reaction.author_id.clone(), reaction.emoji.clone())
}
