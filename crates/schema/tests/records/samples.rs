//! One fixed event per type, for the tests of the codec.
use threadlore_model::*;
use uuid::Uuid;

use crate::support::key_of;

/// One fixed event per type, in the order of [`Body::TYPES`]. The fixtures hold these.
pub(crate) fn samples() -> Vec<Event> {
    let channel = ChannelId::parse("irc:#ubuntu").expect("a channel");
    let space = SpaceId::parse("acme").expect("a space");
    let at = Timestamp::from_millis(1_717_171_717_171);
    let id = |n: u128| Uuid::from_u128(0x1111_2222_3333_4444_5555_6666_7777_0000 + n);
    let (message, other) = (MessageId::from_uuid(id(1)), MessageId::from_uuid(id(2)));
    let (person, case) = (PersonId::from_uuid(id(3)), CaseId::from_uuid(id(4)));
    let memory = MemoryId::from_uuid(id(10));
    let sealed = |n: u8| Private::Sealed(vec![n; 41]);
    let text = |s: &str| s.to_owned();
    let evidence = vec![
        Evidence {
            message,
            part: Part::Problem,
            revision: 0,
        },
        Evidence {
            message: other,
            part: Part::Solution,
            revision: 2,
        },
    ];
    let (topic, partition, offset) = (Topic::ChatEvents, 3, Offset(77));
    let bodies: Vec<Body> = vec![
        PlatformMessage {
            channel: channel.clone(),
            native_id: text("m-1"),
            author_id: text("ann"),
            author_name: Some(text("Ann")),
            author_is_bot: false,
            text: text("wifi ist kaputt ☹"),
            sent_at: at,
            reply_to: Some(text("m-0")),
            mentions: vec![text("bob")],
            thread_root: None,
            to_bot: false,
        }
        .into(),
        PlatformEdit {
            channel: channel.clone(),
            native_id: text("m-1"),
            author_id: text("ann"),
            revision: 2,
            text: text("wifi works"),
            edited_at: at,
        }
        .into(),
        PlatformRedaction {
            channel: channel.clone(),
            native_id: text("m-1"),
            redacted_at: at,
        }
        .into(),
        PlatformReaction {
            channel: channel.clone(),
            native_id: text("m-1"),
            author_id: text("bob"),
            emoji: text("👍"),
            added: true,
            at,
            update_id: None,
        }
        .into(),
        PlatformHistoryEnded {
            channel: channel.clone(),
            history_id: text("h-1"),
            ended_at: at,
        }
        .into(),
        PersonErasureAsked {
            channel: channel.clone(),
            person,
            asked_at: at,
        }
        .into(),
        MessagePosted {
            message,
            channel: channel.clone(),
            person,
            native_id: text("m-1"),
            author_native: sealed(1),
            author_name: Some(sealed(2)),
            text: sealed(3),
            bot: false,
            reply_to: Some(other),
            mentions: vec![person],
            sent_at: at,
            thread_root: None,
            to_bot: false,
        }
        .into(),
        MessageEdited {
            message,
            channel: channel.clone(),
            person,
            revision: 2,
            text: Private::Erased,
            edited_at: at,
        }
        .into(),
        MessageRedacted {
            message,
            channel: channel.clone(),
            redacted_at: at,
        }
        .into(),
        ReactionAdded {
            message,
            channel: channel.clone(),
            person,
            emoji: text("👍"),
            at,
        }
        .into(),
        ReactionRemoved {
            message,
            channel: channel.clone(),
            person,
            emoji: text("👍"),
            at,
        }
        .into(),
        HistoryEnded {
            channel: channel.clone(),
            ended_at: at,
        }
        .into(),
        PersonErased {
            channel: channel.clone(),
            person,
            asked_at: at,
        }
        .into(),
        WindowReady {
            channel: channel.clone(),
            reason: ReadyReason::StreamIdle,
            messages: 12,
            up_to: offset,
            now: at,
        }
        .into(),
        TurnClosed {
            channel: channel.clone(),
            person,
            messages: vec![message, other],
            up_to: offset,
            now: at,
        }
        .into(),
        CaseOpened {
            case,
            channel: channel.clone(),
            title: sealed(4),
            problem: sealed(5),
            tags: vec![sealed(6), sealed(7)],
            evidence: evidence.clone(),
            engine: text("builtin/1"),
            now: at,
        }
        .into(),
        CaseSuggested {
            case,
            channel: channel.clone(),
            title: sealed(4),
            problem: sealed(5),
            suggestion: sealed(8),
            tags: vec![sealed(6)],
            evidence: vec![Evidence {
                message,
                part: Part::Suggestion,
                revision: 1,
            }],
            engine: text("builtin/4"),
            now: at,
        }
        .into(),
        CaseSolved {
            case,
            channel: channel.clone(),
            title: sealed(4),
            problem: sealed(5),
            solution: sealed(8),
            tags: vec![],
            evidence,
            signal: Signal::ThreadEnd,
            signal_message: Some(other),
            engine: text("builtin/1"),
            now: at,
        }
        .into(),
        CaseConfirmed {
            case,
            channel: channel.clone(),
            message,
            person,
            emoji: text("👍"),
            now: at,
        }
        .into(),
        ConfirmationWithdrawn {
            case,
            channel: channel.clone(),
            message,
            person,
            emoji: text("👍"),
            now: at,
        }
        .into(),
        CaseArchived {
            case,
            channel: channel.clone(),
            reason: ArchiveReason::Expired,
            now: at,
        }
        .into(),
        CaseErased {
            case,
            channel: channel.clone(),
            reason: EraseReason::Edited,
            now: at,
        }
        .into(),
        CaseMerged {
            case,
            channel: channel.clone(),
            into: CaseId::from_uuid(id(5)),
            similarity: 912,
            comparer: text("terms-1"),
            now: at,
        }
        .into(),
        CaseSplit {
            case,
            channel: channel.clone(),
            now: at,
        }
        .into(),
        MemoryStored {
            memory,
            home: MemoryHome::Bank,
            channel: channel.clone(),
            person,
            message: Some(message),
            text: sealed(8),
            always: true,
            now: at,
        }
        .into(),
        MemoryScored {
            memory,
            channel: channel.clone(),
            case,
            version: 4,
            tier: MemoryTier::Patterns,
            score: 909,
            worked: 3,
            failed: 0,
            partial: 0,
            used_at: at,
            until: None,
            now: at,
        }
        .into(),
        MemoryArchived {
            memory,
            reason: MemoryArchiveReason::Full,
            by: Some(MemoryId::from_uuid(id(11))),
            now: at,
        }
        .into(),
        MemoryErased { memory, now: at }.into(),
        ExtractionRequested {
            channel: channel.clone(),
            reason: ReadyReason::StreamIdle,
            messages: 12,
            up_to: offset,
            announced_at: at,
        }
        .into(),
        CorrectionRequested {
            case,
            channel: channel.clone(),
            title: sealed(4),
            problem: sealed(5),
            solution: sealed(8),
            tags: vec![sealed(6)],
            message: Some(message),
            asked: vec![other],
            now: at,
        }
        .into(),
        ErasureRequested {
            case,
            channel: channel.clone(),
            now: at,
        }
        .into(),
        ArchiveRequested {
            case,
            channel: channel.clone(),
            now: at,
        }
        .into(),
        MergeRequested {
            case,
            channel: channel.clone(),
            into: Some(CaseId::from_uuid(id(8))),
            now: at,
        }
        .into(),
        WithdrawalRequested {
            channel: channel.clone(),
            answer: AnswerId::from_uuid(id(9)),
            reason: WithdrawalReason::CaseErased,
            now: at,
        }
        .into(),
        RatingRequested {
            channel: channel.clone(),
            answer: AnswerId::from_uuid(id(9)),
            turn: EventId::from_uuid(id(6)),
            person,
            rating: Some(Rating::Failed),
            now: at,
        }
        .into(),
        MemoryRequested {
            memory,
            home: MemoryHome::Person,
            channel: channel.clone(),
            person,
            message: Some(message),
            text: sealed(8),
            always: true,
            replaces: Some(memory),
            now: at,
        }
        .into(),
        MemoryErasureRequested {
            home: MemoryHome::Bank,
            person,
            memory: Some(memory),
            now: at,
        }
        .into(),
        ChannelConfigured {
            channel: channel.clone(),
            admins: vec![person],
            audience: Audience::Public,
            mode: Mode::Mentions,
            docs: vec![text("https://wiki.example.org")],
            published: true,
            now: at,
        }
        .into(),
        DecisionRunChanged {
            run: Run::new(3),
            change: RunChange::MadeLive,
            engine: text("builtin/7"),
            now: at,
        }
        .into(),
        TurnConsidered {
            channel: channel.clone(),
            turn: EventId::from_uuid(id(8)),
            person,
            messages: vec![message],
            outcome: TurnOutcome::NothingClose,
            tag: Some(GateTag::NewQuestion),
            context: vec![ContextMessage {
                message: other,
                reason: text("thread"),
            }],
            record: Some(sealed(8)),
            asks_again: Some(AnswerId::from_uuid(id(10))),
            model_tokens: 1200,
            now: at,
        }
        .into(),
        AnswerComposed {
            answer: AnswerId::from_uuid(id(9)),
            channel: channel.clone(),
            turn: EventId::from_uuid(id(8)),
            person,
            reply_to: message,
            case: Some(case),
            memory: None,
            precedent: Some(memory),
            text: sealed(9),
            cited: vec![CitedCase {
                case,
                close: 612,
                version: 4,
                evidence: vec![other],
                authors: vec![person],
            }],
            composer: text("builtin-1"),
            now: at,
            reply_to_native: text("$question"),
            thread_root: Some(text("$root")),
        }
        .into(),
        AnswerWithdrawn {
            answer: AnswerId::from_uuid(id(9)),
            channel: channel.clone(),
            reason: WithdrawalReason::QuestionRedacted,
            now: at,
        }
        .into(),
        AnswerRated {
            answer: AnswerId::from_uuid(id(9)),
            channel: channel.clone(),
            turn: EventId::from_uuid(id(6)),
            person,
            rating: Some(Rating::Helped),
            message: Some(other),
            now: at,
        }
        .into(),
        DeliveryAttempted {
            answer: AnswerId::from_uuid(id(9)),
            channel: channel.clone(),
            gateway: text("matrix"),
            what: DeliveryAction::Post,
            now: at,
        }
        .into(),
        AnswerDelivered {
            answer: AnswerId::from_uuid(id(9)),
            channel: channel.clone(),
            gateway: text("matrix"),
            what: DeliveryAction::Post,
            native_ids: vec![text("$first"), text("$second")],
            now: at,
        }
        .into(),
        DeliveryFailed {
            answer: AnswerId::from_uuid(id(9)),
            channel: channel.clone(),
            gateway: text("matrix"),
            what: DeliveryAction::Withdraw,
            reason: text("the bot is not in the room"),
            now: at,
        }
        .into(),
        OutcomeRecorded {
            answer: AnswerId::from_uuid(id(9)),
            channel: channel.clone(),
            turn: EventId::from_uuid(id(6)),
            case,
            version: 4,
            memory,
            outcome: AnswerOutcome::Worked,
            source: OutcomeSource::Asker,
            helped: 2,
            failed: 1,
            evidence: vec![other],
            given_at: at,
            now: at,
        }
        .into(),
        VectorComputed {
            case,
            channel,
            model: text("openai/e5/4/00c0ffee"),
            source: sealed(9),
            vector: sealed(10),
            now: at,
        }
        .into(),
        RecordSkipped {
            role: text("intake"),
            topic,
            partition,
            offset,
            reason: text("the value is empty"),
            now: at,
        }
        .into(),
        DeadLetter {
            role: text("buffer"),
            topic,
            partition,
            offset,
            reason: text("the value is empty"),
            value: vec![0, 255, 7],
            now: at,
        }
        .into(),
    ];
    let with_envelope = |(n, body): (usize, Body)| Event {
        envelope: Envelope {
            id: EventId::from_uuid(id(100 + n as u128)),
            key: key_of(&space, &body),
            space: space.clone(),
            time: at,
            producer: Some(Producer {
                group: Group::of_role(Role::Intake),
                partition: Partition(2),
                sequence: 9,
            }),
            cause: Some(Cause {
                event: EventId::from_uuid(id(99)),
                at: TopicPartition {
                    topic: Topic::ChatInbox,
                    partition: Partition(2),
                },
                offset: Offset(8),
            }),
            actor: None,
            traceparent: None,
        },
        body,
    };
    bodies.into_iter().enumerate().map(with_envelope).collect()
}
