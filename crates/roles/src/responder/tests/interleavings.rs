//! Whatever people, bots, admins, the platform, memory and the clock do, in whatever order: every turn
//! has one outcome, nobody is answered twice, and no bot is answered.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use threadlore_model::{AnswerId, CaseErased, EraseReason, MessageId};

use super::*;
use crate::testing::{reacted, unreacted};

/// What somebody says.
const TEXTS: [&str; 8] = [
    "how do I get the wifi back after the update?",
    "@lore thoughts?",
    "@lore forget me",
    "@lore correct: reload the driver",
    "forget this",
    "thanks, that works!",
    "that didn't work, what else can I do?",
    "I had soup today",
];

#[derive(Debug, Clone)]
enum Step {
    /// A person says something, perhaps in reply to an earlier message.
    Say(u128, usize, Option<usize>),
    /// A bot says something, perhaps this one, in reply to a message.
    Bot(Option<usize>),
    Edit(usize, usize),
    Redact(usize),
    React(usize, u128, bool),
    /// A person's turn ends.
    Close(u128),
    /// A call is answered: nothing, something, or that it failed.
    Hear(u8),
    Erase(u128),
    Wait(i64),
    /// The process is started again.
    Restart,
}

fn step() -> impl Strategy<Value = Step> {
    let past = || 0_usize..64;
    prop_oneof![
        6 => (1_u128..4, 0..TEXTS.len(), proptest::option::of(past()))
            .prop_map(|(who, text, to)| Step::Say(who, text, to)),
        2 => proptest::option::of(past()).prop_map(Step::Bot),
        1 => (past(), 0..TEXTS.len()).prop_map(|(n, text)| Step::Edit(n, text)),
        1 => past().prop_map(Step::Redact),
        1 => (past(), 1_u128..4, any::<bool>()).prop_map(|(n, who, add)| Step::React(n, who, add)),
        5 => (1_u128..4).prop_map(Step::Close),
        5 => (0_u8..3).prop_map(Step::Hear),
        1 => (1_u128..3).prop_map(Step::Erase),
        2 => (1_i64..700).prop_map(Step::Wait),
        1 => Just(Step::Restart),
    ]
}

/// A room, and everything that was decided in it.
#[derive(Default)]
struct World {
    room: Room,
    /// Messages with their writers; `None` for bots.
    said: Vec<(u32, Option<u128>)>,
    /// Messages of people whose turn did not end.
    open: BTreeMap<u128, Vec<u32>>,
    calls: Vec<ResponderCall>,
    closed: usize,
    decided: Vec<Body>,
}

impl World {
    /// The number of the next message, which is its time.
    fn next(&mut self) -> u32 {
        self.room.now += 1;
        u32::try_from(self.room.now).expect("small")
    }

    fn read(&mut self, event: &Event) {
        self.room.lines += 1;
        let input = record(self.room.lines, event, 0);
        fold(&mut self.room.state, &input);
        self.decide(&input);
    }

    fn decide(&mut self, input: &Input<'_>) {
        let mut facts = facts("responder", at(self.room.now));
        facts.pending_calls = self.calls.len();
        let decision = decide(&self.room.state, input, &facts, &self.room.params);
        for decided in decision.events {
            let event = event(decided.body.clone(), at(self.room.now));
            fold_decided(&mut self.room.state, &event);
            self.decided.push(decided.body);
        }
        self.calls
            .extend(decision.calls.into_iter().map(|(_, call)| call));
    }

    fn past(&self, n: usize) -> Option<u32> {
        let at = n.checked_rem(self.said.len())?;
        self.said.get(at).map(|(message, _)| *message)
    }

    fn take(&mut self, step: &Step) {
        match *step {
            Step::Say(who, text, to) => {
                let to = to.and_then(|to| self.past(to));
                let n = self.next();
                let mut event = named(posted(n, who, TEXTS[text]), who);
                if let Body::MessagePosted(posted) = &mut event.body {
                    posted.reply_to = to.map(message);
                }
                self.said.push((n, Some(who)));
                self.open.entry(who).or_default().push(n);
                self.read(&event);
            }
            Step::Bot(to) => {
                let to = to.and_then(|to| self.past(to));
                let n = self.next();
                let mut event = bot_posted(n, "@lore how do I get the wifi back?");
                if let Body::MessagePosted(posted) = &mut event.body {
                    posted.reply_to = to.map(message);
                }
                self.said.push((n, None));
                self.read(&event);
            }
            Step::Edit(n, text) => {
                if let Some(n) = self.past(n) {
                    self.read(&edited(n, self.room.now, TEXTS[text]));
                }
            }
            Step::Redact(n) => {
                if let Some(n) = self.past(n) {
                    let redacted = MessageRedacted {
                        message: message(n),
                        channel: channel(),
                        redacted_at: at(self.room.now),
                    };
                    self.read(&event(redacted, at(self.room.now)));
                }
            }
            Step::React(n, who, add) => {
                if let Some(n) = self.past(n) {
                    self.read(&match add {
                        true => reacted(n, who, "👍"),
                        false => unreacted(n, who, "👍"),
                    });
                }
            }
            Step::Close(who) => self.close(who),
            Step::Hear(what) => self.hear(what),
            Step::Erase(n) => {
                let erased = CaseErased {
                    case: case(n),
                    channel: channel(),
                    reason: EraseReason::Requested,
                    now: at(self.room.now),
                };
                let erased = event(erased, at(self.room.now));
                self.decide(&record(0, &erased, 0));
            }
            Step::Wait(seconds) => self.room.now += seconds,
            Step::Restart => {
                let stored = serde_json::to_string(&self.room.state).expect("written");
                let mut read: ResponderState = serde_json::from_str(&stored).expect("read");
                let lines = self.room.state.lines.iter();
                let lines: Vec<_> = lines.map(|(_, line)| line.clone()).collect();
                let turns = self.room.state.turns.iter();
                let turns: Vec<_> = turns.map(|(_, turn)| turn.clone()).collect();
                for line in lines {
                    read.put_part(crate::ResponderPart::Line(line));
                }
                for turn in turns {
                    read.put_part(crate::ResponderPart::Turn(turn));
                }
                self.room.state = read;
                self.decide(&Input::Resume);
            }
        }
    }

    fn close(&mut self, who: u128) {
        let Some(messages) = self.open.remove(&who) else {
            return;
        };
        let mut closed = self.room.turn(&messages, self.room.lines);
        if let Body::TurnClosed(turn) = &mut closed.body {
            turn.person = person(who);
        }
        self.closed += 1;
        let input = record(self.room.turns, &closed, 0);
        self.room.turns += 1;
        fold(&mut self.room.state, &input);
        self.decide(&input);
    }

    fn hear(&mut self, what: u8) {
        if self.calls.is_empty() {
            return;
        }
        let call = self.calls.remove(0);
        let found = match (&call, what) {
            (ResponderCall::TakeBack(_) | ResponderCall::Forget(_), _) => Ok(None),
            (_, 0) => found(1 + u128::from(self.room.now % 2 == 0)),
            (_, 1) => nothing(TurnOutcome::NothingFound),
            _ => Err("away".to_owned()),
        };
        self.decide(&heard(&call, &found));
    }

    /// What is open ends, and what is asked is answered.
    fn end(&mut self) {
        for who in 1..4 {
            self.close(who);
        }
        for _ in 0..10_000 {
            if self.calls.is_empty() {
                return;
            }
            self.hear(1);
        }
        panic!("calls lead to calls for ever");
    }
}

proptest! {
    #[test]
    fn every_turn_has_one_outcome_and_at_most_one_answer(
        steps in proptest::collection::vec(step(), 0..80)
    ) {
        let mut world = World::default();
        world.room.params.per_minute = 100;
        for step in &steps {
            world.take(step);
        }
        world.end();
        let mut considered: BTreeMap<EventId, usize> = BTreeMap::new();
        let mut answered: BTreeMap<EventId, usize> = BTreeMap::new();
        let (mut given, mut withdrawn) = (BTreeSet::new(), BTreeSet::<AnswerId>::new());
        let people: BTreeSet<MessageId> = world
            .said
            .iter()
            .filter(|(_, who)| who.is_some())
            .map(|(n, _)| message(*n))
            .collect();
        for body in &world.decided {
            match body {
                Body::TurnConsidered(turn) => *considered.entry(turn.turn).or_default() += 1,
                Body::AnswerComposed(answer) => {
                    *answered.entry(answer.turn).or_default() += 1;
                    given.insert(answer.answer);
                    prop_assert!(people.contains(&answer.reply_to), "no bot is answered");
                }
                Body::AnswerWithdrawn(of) => {
                    prop_assert!(given.contains(&of.answer), "only what was said is taken back");
                    prop_assert!(withdrawn.insert(of.answer), "once");
                }
                Body::AnswerRated(of) => prop_assert!(given.contains(&of.answer)),
                other => prop_assert!(false, "{other:?}"),
            }
        }
        prop_assert_eq!(considered.len(), world.closed, "every turn");
        prop_assert!(considered.values().all(|count| *count == 1), "one outcome each");
        prop_assert!(answered.values().all(|count| *count == 1), "one answer at most");
        prop_assert!(answered.keys().all(|turn| considered.contains_key(turn)));
        prop_assert_eq!(world.room.state.turns.len(), 0);
    }
}
