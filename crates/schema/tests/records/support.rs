//! Any event, for the tests of the codec.
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;
use threadlore_model::*;
use uuid::Uuid;

macro_rules! body {
    ($name:ident { $($field:ident: $strategy:expr),+ $(,)? }) => {
        ($($strategy,)+).prop_map(|($($field,)+)| Body::from($name { $($field),+ })).boxed()
    };
}

fn channel() -> impl Strategy<Value = ChannelId> {
    prop_oneof!["irc:#[a-z]{1,8}", "matrix:![a-zA-Z0-9:._%é漢]{1,20}"]
        .prop_map(|name| ChannelId::parse(&name).expect("a channel"))
}

fn space() -> impl Strategy<Value = SpaceId> {
    "[a-z0-9][a-z0-9_-]{0,20}".prop_map(|name| SpaceId::parse(&name).expect("a space"))
}

fn uuid() -> impl Strategy<Value = Uuid> {
    any::<u128>().prop_map(Uuid::from_u128)
}

fn message() -> impl Strategy<Value = MessageId> {
    uuid().prop_map(MessageId::from_uuid)
}

fn person() -> impl Strategy<Value = PersonId> {
    uuid().prop_map(PersonId::from_uuid)
}

fn event_id() -> impl Strategy<Value = EventId> {
    uuid().prop_map(EventId::from_uuid)
}

fn answer() -> impl Strategy<Value = AnswerId> {
    uuid().prop_map(AnswerId::from_uuid)
}

fn memory() -> impl Strategy<Value = MemoryId> {
    uuid().prop_map(MemoryId::from_uuid)
}

fn home() -> impl Strategy<Value = MemoryHome> {
    proptest::sample::select(MemoryHome::ALL.to_vec())
}

fn case() -> impl Strategy<Value = CaseId> {
    uuid().prop_map(CaseId::from_uuid)
}

fn time() -> impl Strategy<Value = Timestamp> {
    prop_oneof![
        0..=Timestamp::LATEST.as_millis(),
        any::<i64>(),
        Just(i64::MIN),
        Just(i64::MAX)
    ]
    .prop_map(Timestamp::from_millis)
}

/// A message; it has more fields than a tuple of strategies may have.
fn posted() -> BoxedStrategy<Body> {
    let who = (private(), of(private()), person(), vec(person(), 0..3));
    let place = (message(), channel(), text(), of(message()), of(text()));
    let rest = (private(), any::<bool>(), time(), any::<bool>());
    let all = (who, place, rest).prop_map(|(who, place, rest)| {
        let (author_native, author_name, person, mentions) = who;
        let (message, channel, native_id, reply_to, thread_root) = place;
        let (text, bot, sent_at, to_bot) = rest;
        Body::from(MessagePosted {
            message,
            channel,
            person,
            native_id,
            author_native,
            author_name,
            text,
            bot,
            reply_to,
            mentions,
            sent_at,
            thread_root,
            to_bot,
        })
    });
    all.boxed()
}

/// An answer; it has more fields than a tuple of strategies may have.
fn composed() -> BoxedStrategy<Body> {
    let about = (answer(), channel(), event_id(), person(), message());
    let words = (
        of(case()),
        of(memory()),
        of(memory()),
        private(),
        vec(cited(), 0..4),
    );
    let rest = (text(), time(), text(), of(text()));
    let all = (about, words, rest).prop_map(|(about, words, rest)| {
        let (answer, channel, turn, person, reply_to) = about;
        let (case, memory, precedent, text, cited) = words;
        let (composer, now, reply_to_native, thread_root) = rest;
        Body::from(AnswerComposed {
            answer,
            channel,
            turn,
            person,
            reply_to,
            case,
            memory,
            precedent,
            text,
            cited,
            composer,
            now,
            reply_to_native,
            thread_root,
        })
    });
    all.boxed()
}

/// An outcome; it has more fields than a tuple of strategies may have.
fn recorded() -> BoxedStrategy<Body> {
    let about = (answer(), channel(), event_id(), case(), any::<i64>());
    let worth = (
        memory(),
        proptest::sample::select(AnswerOutcome::ALL.to_vec()),
        proptest::sample::select(OutcomeSource::ALL.to_vec()),
    );
    let said = (any::<u32>(), any::<u32>(), vec(message(), 0..3));
    let all = (about, worth, said, time(), time());
    let all = all.prop_map(|(about, worth, said, given_at, now)| {
        let (answer, channel, turn, case, version) = about;
        let (memory, outcome, source) = worth;
        let (helped, failed, evidence) = said;
        Body::from(OutcomeRecorded {
            answer,
            channel,
            turn,
            case,
            version,
            memory,
            outcome,
            source,
            helped,
            failed,
            evidence,
            given_at,
            now,
        })
    });
    all.boxed()
}

fn action() -> impl Strategy<Value = DeliveryAction> {
    prop_oneof![Just(DeliveryAction::Post), Just(DeliveryAction::Withdraw)]
}

fn private() -> impl Strategy<Value = Private> {
    prop_oneof![
        vec(any::<u8>(), 1..60).prop_map(Private::Sealed),
        Just(Private::Erased)
    ]
}

fn text() -> impl Strategy<Value = String> {
    any::<String>()
}

fn topic() -> impl Strategy<Value = Topic> {
    proptest::sample::select(Topic::ALL.to_vec())
}

fn letter_topic() -> impl Strategy<Value = Topic> {
    topic().prop_filter("has dead letters", |topic| topic.dead_letters().is_some())
}

fn offset() -> impl Strategy<Value = Offset> {
    any::<i64>().prop_map(Offset)
}

fn evidence() -> impl Strategy<Value = Vec<Evidence>> {
    let part = proptest::sample::select(vec![Part::Problem, Part::Solution, Part::Context]);
    vec(
        (message(), part, any::<i64>()).prop_map(|(message, part, revision)| Evidence {
            message,
            part,
            revision,
        }),
        0..5,
    )
}

fn reason() -> impl Strategy<Value = ReadyReason> {
    proptest::sample::select(vec![
        ReadyReason::Pause,
        ReadyReason::Count,
        ReadyReason::Resolution,
        ReadyReason::StreamIdle,
    ])
}

fn signal() -> impl Strategy<Value = Signal> {
    proptest::sample::select(vec![
        Signal::Admin,
        Signal::Reaction,
        Signal::Thanks,
        Signal::ThreadEnd,
    ])
}

fn tag() -> impl Strategy<Value = GateTag> {
    proptest::sample::select(GateTag::ALL.to_vec())
}

fn context() -> impl Strategy<Value = ContextMessage> {
    (message(), text()).prop_map(|(message, reason)| ContextMessage { message, reason })
}

fn cited() -> impl Strategy<Value = CitedCase> {
    let lists = (vec(message(), 0..4), vec(person(), 0..3));
    let parts = (case(), any::<u32>(), any::<i64>(), lists);
    parts.prop_map(|(case, close, version, (evidence, authors))| CitedCase {
        case,
        close,
        version,
        evidence,
        authors,
    })
}

/// Any body of any type.
pub(crate) fn body() -> impl Strategy<Value = Body> {
    proptest::strategy::Union::new([
        body!(PlatformMessage {
            channel: channel(),
            native_id: text(),
            author_id: text(),
            author_name: of(text()),
            author_is_bot: any::<bool>(),
            text: text(),
            sent_at: time(),
            reply_to: of(text()),
            mentions: vec(text(), 0..3),
            thread_root: of(text()),
            to_bot: any::<bool>(),
        }),
        body!(PlatformEdit {
            channel: channel(),
            native_id: text(),
            author_id: text(),
            revision: any::<i64>(),
            text: text(),
            edited_at: time(),
        }),
        body!(PlatformRedaction {
            channel: channel(),
            native_id: text(),
            redacted_at: time()
        }),
        body!(PlatformReaction {
            channel: channel(),
            native_id: text(),
            author_id: text(),
            emoji: text(),
            added: any::<bool>(),
            at: time(),
            update_id: of(text()),
        }),
        posted(),
        body!(MessageEdited {
            message: message(),
            channel: channel(),
            person: person(),
            revision: any::<i64>(),
            text: private(),
            edited_at: time(),
        }),
        body!(MessageRedacted {
            message: message(),
            channel: channel(),
            redacted_at: time()
        }),
        body!(ReactionAdded {
            message: message(),
            channel: channel(),
            person: person(),
            emoji: text(),
            at: time(),
        }),
        body!(ReactionRemoved {
            message: message(),
            channel: channel(),
            person: person(),
            emoji: text(),
            at: time(),
        }),
        body!(PersonErasureAsked {
            channel: channel(),
            person: person(),
            asked_at: time(),
        }),
        body!(PersonErased {
            channel: channel(),
            person: person(),
            asked_at: time(),
        }),
        body!(WindowReady {
            channel: channel(),
            reason: reason(),
            messages: any::<u32>(),
            up_to: offset(),
            now: time(),
        }),
        body!(TurnClosed {
            channel: channel(),
            person: person(),
            messages: vec(message(), 1..4),
            up_to: offset(),
            now: time(),
        }),
        body!(CaseOpened {
            case: case(),
            channel: channel(),
            title: private(),
            problem: private(),
            tags: vec(private(), 0..4),
            evidence: evidence(),
            engine: text(),
            now: time(),
        }),
        body!(CaseSolved {
            case: case(),
            channel: channel(),
            title: private(),
            problem: private(),
            solution: private(),
            tags: vec(private(), 0..4),
            evidence: evidence(),
            signal: signal(),
            signal_message: of(message()),
            engine: text(),
            now: time(),
        }),
        body!(CaseSuggested {
            case: case(),
            channel: channel(),
            title: private(),
            problem: private(),
            suggestion: private(),
            tags: vec(private(), 0..4),
            evidence: evidence(),
            engine: text(),
            now: time(),
        }),
        body!(CaseConfirmed {
            case: case(),
            channel: channel(),
            message: message(),
            person: person(),
            emoji: text(),
            now: time(),
        }),
        body!(ConfirmationWithdrawn {
            case: case(),
            channel: channel(),
            message: message(),
            person: person(),
            emoji: text(),
            now: time(),
        }),
        body!(CaseArchived {
            case: case(),
            channel: channel(),
            reason: proptest::sample::select(ArchiveReason::ALL.to_vec()),
            now: time(),
        }),
        body!(CaseErased {
            case: case(),
            channel: channel(),
            reason: prop_oneof![
                Just(EraseReason::Redacted),
                Just(EraseReason::Edited),
                Just(EraseReason::Requested)
            ],
            now: time(),
        }),
        body!(CaseMerged {
            case: case(),
            channel: channel(),
            into: case(),
            similarity: any::<i64>(),
            comparer: text(),
            now: time(),
        }),
        body!(CaseSplit {
            case: case(),
            channel: channel(),
            now: time(),
        }),
        body!(MemoryStored {
            memory: memory(),
            home: home(),
            channel: channel(),
            person: person(),
            message: of(message()),
            text: private(),
            always: any::<bool>(),
            now: time(),
        }),
        body!(MemoryArchived {
            memory: memory(),
            reason: proptest::sample::select(MemoryArchiveReason::ALL.to_vec()),
            by: of(memory()),
            now: time(),
        }),
        body!(MemoryScored {
            memory: memory(),
            channel: channel(),
            case: case(),
            version: any::<i64>(),
            tier: proptest::sample::select(MemoryTier::ALL.to_vec()),
            score: any::<u32>(),
            worked: any::<u32>(),
            failed: any::<u32>(),
            partial: any::<u32>(),
            used_at: time(),
            until: of(time()),
            now: time(),
        }),
        body!(MemoryErased {
            memory: memory(),
            now: time(),
        }),
        body!(MemoryRequested {
            memory: memory(),
            home: home(),
            channel: channel(),
            person: person(),
            message: of(message()),
            text: private(),
            always: any::<bool>(),
            replaces: of(memory()),
            now: time(),
        }),
        body!(MemoryErasureRequested {
            home: home(),
            person: person(),
            memory: of(memory()),
            now: time(),
        }),
        body!(ExtractionRequested {
            channel: channel(),
            reason: reason(),
            messages: any::<u32>(),
            up_to: offset(),
            announced_at: time(),
        }),
        body!(CorrectionRequested {
            case: case(),
            channel: channel(),
            title: private(),
            problem: private(),
            solution: private(),
            tags: vec(private(), 0..4),
            message: of(message()),
            asked: vec(message(), 0..3),
            now: time(),
        }),
        body!(ErasureRequested {
            case: case(),
            channel: channel(),
            now: time(),
        }),
        body!(ArchiveRequested {
            case: case(),
            channel: channel(),
            now: time(),
        }),
        body!(MergeRequested {
            case: case(),
            channel: channel(),
            into: proptest::option::of(case()),
            now: time(),
        }),
        body!(WithdrawalRequested {
            channel: channel(),
            answer: answer(),
            reason: proptest::sample::select(WithdrawalReason::ALL.to_vec()),
            now: time(),
        }),
        body!(RatingRequested {
            channel: channel(),
            answer: answer(),
            turn: event_id(),
            person: person(),
            rating: of(proptest::sample::select(Rating::ALL.to_vec())),
            now: time(),
        }),
        body!(ChannelConfigured {
            channel: channel(),
            admins: vec(person(), 0..3),
            audience: proptest::sample::select(Audience::ALL.to_vec()),
            mode: proptest::sample::select(Mode::ALL.to_vec()),
            docs: vec(text(), 0..3),
            published: any::<bool>(),
            now: time()
        }),
        body!(DecisionRunChanged {
            run: (1..u32::MAX).prop_map(Run::new),
            change: proptest::sample::select(vec![
                RunChange::Begun,
                RunChange::MadeLive,
                RunChange::Dropped,
            ]),
            engine: text(),
            now: time(),
        }),
        body!(TurnConsidered {
            channel: channel(),
            turn: event_id(),
            person: person(),
            messages: vec(message(), 0..4),
            outcome: proptest::sample::select(TurnOutcome::ALL.to_vec()),
            tag: of(tag()),
            context: vec(context(), 0..4),
            record: of(private()),
            asks_again: of(answer()),
            model_tokens: 0..1_000_000_i64,
            now: time(),
        }),
        composed(),
        body!(AnswerWithdrawn {
            answer: answer(),
            channel: channel(),
            reason: proptest::sample::select(WithdrawalReason::ALL.to_vec()),
            now: time(),
        }),
        body!(AnswerRated {
            answer: answer(),
            channel: channel(),
            turn: event_id(),
            person: person(),
            rating: of(proptest::sample::select(Rating::ALL.to_vec())),
            message: of(message()),
            now: time(),
        }),
        body!(DeliveryAttempted {
            answer: answer(),
            channel: channel(),
            gateway: text(),
            what: action(),
            now: time(),
        }),
        body!(AnswerDelivered {
            answer: answer(),
            channel: channel(),
            gateway: text(),
            what: action(),
            native_ids: vec(text(), 0..3),
            now: time(),
        }),
        body!(DeliveryFailed {
            answer: answer(),
            channel: channel(),
            gateway: text(),
            what: action(),
            reason: text(),
            now: time(),
        }),
        recorded(),
        body!(VectorComputed {
            case: case(),
            channel: channel(),
            model: text(),
            source: private(),
            vector: private(),
            now: time(),
        }),
        body!(RecordSkipped {
            role: text(),
            topic: topic(),
            partition: any::<i32>(),
            offset: offset(),
            reason: text(),
            now: time(),
        }),
        body!(DeadLetter {
            role: text(),
            topic: letter_topic(),
            partition: any::<i32>(),
            offset: offset(),
            reason: text(),
            value: vec(any::<u8>(), 0..50),
            now: time(),
        }),
    ])
}

fn producer() -> impl Strategy<Value = Producer> {
    ("[a-z]{1,8}(\\.[a-z0-9/]{1,8})?", any::<i32>(), any::<u64>()).prop_map(
        |(group, partition, sequence)| Producer {
            group: Group::from_name(group),
            partition: Partition(partition),
            sequence,
        },
    )
}

fn cause() -> impl Strategy<Value = Cause> {
    (uuid(), topic(), any::<i32>(), offset()).prop_map(|(id, topic, partition, offset)| Cause {
        event: EventId::from_uuid(id),
        at: TopicPartition {
            topic,
            partition: Partition(partition),
        },
        offset,
    })
}

/// The key that an event of this body has in a space.
pub(crate) fn key_of(space: &SpaceId, body: &Body) -> Key {
    body.key(space).unwrap_or_else(|| Key::of_space(space))
}

fn actor() -> impl Strategy<Value = Actor> {
    prop_oneof![
        Just(Actor::Operator),
        any::<String>().prop_map(Actor::Account),
        any::<String>().prop_map(Actor::Token),
        person().prop_map(Actor::Person),
    ]
}

/// Any event whose key, space and body agree.
pub(crate) fn event() -> impl Strategy<Value = Event> {
    let trace = of("00-[0-9a-f]{32}-[0-9a-f]{16}-01");
    (
        body(),
        space(),
        uuid(),
        time(),
        of(producer()),
        of(cause()),
        of(actor()),
        trace,
    )
        .prop_map(
            |(body, space, id, time, producer, cause, actor, traceparent)| Event {
                envelope: Envelope {
                    id: EventId::from_uuid(id),
                    key: key_of(&space, &body),
                    space,
                    time,
                    producer,
                    cause,
                    actor,
                    traceparent,
                },
                body,
            },
        )
}
