//! `responder`: the steps of a turn. Each ends with an outcome, or passes on.
//!
//! 1. no text is left: `withdrawn`
//! 2. the turn is too old: `too_late`
//! 3. the gate: `noise`, `statement`
//! 4. memory is searched, a slow call: `not_configured`, `nothing_found`, `nothing_close`,
//!    `nothing_answers`, `search_failed`
//! 5. the steps 1 and 2 once more; where the question was changed meanwhile: `withdrawn`
//! 6. without an answer: who asked by name gets the nearest cases or a sentence (`mention`)
//! 7. the quiet rules: `answered_by_person`, `repeated`, `too_many`
//! 8. the answer: `answered`, `suggested`, `tracked`, `pointed`, `unknown`
//!
//! An answer whose question is deleted is withdrawn.
//!
//! One turn of a channel is searched at a time, in the order in which they were closed.

use threadlore_model::{
    Answer, AnswerComposed, AnswerId, AnswerWithdrawn, Body, EventId, GateTag, Line, Private,
    Recalled, TurnConsidered, TurnOutcome, WithdrawalReason,
};

use super::call::RecallCall;
use super::mention::{self, Reply};
use super::params::ResponderParams;
use super::question::{Question, question};
use super::state::{ResponderState, WaitingTurn};
use super::{Decision, Input, gate, quiet};
use crate::{Decided, Facts};

/// What became of turns, and the next call.
#[must_use]
pub(super) fn decide(
    state: &ResponderState,
    input: &Input<'_>,
    facts: &Facts,
    params: &ResponderParams,
) -> Decision {
    let mut decision = Decision::default();
    // What was just decided is about these turns.
    if matches!(input, Input::Decided(_)) {
        return decision;
    }
    decision.events.extend(withdrawn(state, input, facts));
    let answered = match input {
        Input::Answered { call, answer } => {
            let turn = state.turns.get(&call.turn);
            turn.map(|turn| (turn, &call.question, answer.ok()))
        }
        _ => None,
    };
    let mut is_free = facts.pending_calls == 0;
    for turn in state.turns.values() {
        if state.read < Some(turn.up_to) {
            continue;
        }
        let searched = answered.filter(|(answered, ..)| answered.cause == turn.cause);
        let searched = searched.map(|(_, question, found)| (question.as_str(), found));
        let look = Look {
            turn,
            state,
            facts,
            params,
        };
        match look.step(searched) {
            Step::Ask(call) if is_free => {
                is_free = false;
                decision.calls.push((turn.cause.clone(), call));
            }
            // It and those behind it wait for the call: a record costs no more the more of them wait.
            Step::Ask(_) => break,
            Step::End(events) => decision.events.extend(events),
        }
    }
    decision
}

/// The answer whose question was deleted by this record, if there is one, is taken back.
fn withdrawn(state: &ResponderState, input: &Input<'_>, facts: &Facts) -> Option<Decided> {
    let Input::Record { event, .. } = input else {
        return None;
    };
    let Body::MessageRedacted(redacted) = &event.body else {
        return None;
    };
    let mut given = state.given.iter().filter_map(|given| given.answer);
    let (answer, _) = given.find(|(_, question)| *question == redacted.message)?;
    let body = AnswerWithdrawn {
        answer,
        channel: facts.channel.clone()?,
        reason: WithdrawalReason::QuestionRedacted,
        now: facts.now,
    };
    Some(Body::from(body).into())
}

/// What follows for a turn.
enum Step {
    /// Memory is to be searched.
    Ask(RecallCall),
    /// The turn has its outcome.
    End(Vec<Decided>),
}

/// A turn, and what is known around it.
struct Look<'a> {
    turn: &'a WaitingTurn,
    state: &'a ResponderState,
    facts: &'a Facts,
    params: &'a ResponderParams,
}

impl Look<'_> {
    /// `searched`: what was asked, and what was found where the search did not fail.
    fn step(&self, searched: Option<(&str, Option<&Recalled>)>) -> Step {
        let none = Question {
            text: String::new(),
            context: Vec::new(),
        };
        let lines = self
            .turn
            .messages
            .iter()
            .filter_map(|message| self.state.line_of(*message));
        let lines: Vec<&Line> = lines.map(|line| &line.line).collect();
        if lines.iter().all(|line| line.text.trim().is_empty()) {
            return self.end(TurnOutcome::Withdrawn, None, &none, None);
        }
        if self.turn.at.plus(self.params.answer_within) < self.facts.now {
            return self.end(TurnOutcome::TooLate, None, &none, None);
        }
        let tag = gate::tag(&lines, self.state, self.params);
        match tag {
            GateTag::Noise => return self.end(TurnOutcome::Noise, Some(tag), &none, None),
            GateTag::Statement => return self.end(TurnOutcome::Statement, Some(tag), &none, None),
            _ => {}
        }
        let question = question(&lines, tag, self.state, self.params);
        // Who asks by name gets something, also where nothing can be searched.
        if question.text.is_empty() && tag != GateTag::Mention {
            return self.end(TurnOutcome::Noise, Some(tag), &question, None);
        }
        let Some((asked, found)) = searched else {
            return self.ask(question, tag);
        };
        if asked != question.text {
            return self.end(TurnOutcome::Withdrawn, Some(tag), &question, None);
        }
        let Some(found) = found else {
            let failed = TurnOutcome::SearchFailed;
            return match mention::reply(failed, &[], tag, &question.text) {
                Some(reply) => self.answer(&reply, tag, &question, None),
                None => self.end(failed, Some(tag), &question, None),
            };
        };
        let answered = found.answer.clone().map(|answer| Reply {
            outcome: found.outcome,
            answer,
        });
        let pointed = || mention::reply(found.outcome, &found.nearest, tag, &question.text);
        match answered.or_else(pointed) {
            Some(reply) => self.answer(&reply, tag, &question, Some(found)),
            None => self.end(found.outcome, Some(tag), &question, Some(found)),
        }
    }

    fn ask(&self, question: Question, tag: GateTag) -> Step {
        let Some(channel) = self.facts.channel.clone() else {
            return Step::End(Vec::new());
        };
        Step::Ask(RecallCall {
            turn: self.turn.cause.offset,
            channel,
            question: question.text,
            is_named: tag == GateTag::Mention,
        })
    }

    fn end(
        &self,
        outcome: TurnOutcome,
        tag: Option<GateTag>,
        question: &Question,
        found: Option<&Recalled>,
    ) -> Step {
        Step::End(
            self.considered(outcome, tag, question, found)
                .into_iter()
                .collect(),
        )
    }

    /// The id of an event about the turn: it follows from the turn, whatever led to the decision.
    fn id(&self, ordinal: usize) -> EventId {
        EventId::decided(self.facts.group.as_str(), self.turn.cause.event, ordinal)
    }

    fn considered(
        &self,
        outcome: TurnOutcome,
        tag: Option<GateTag>,
        question: &Question,
        found: Option<&Recalled>,
    ) -> Option<Decided> {
        let body = TurnConsidered {
            channel: self.facts.channel.clone()?,
            turn: self.turn.cause.event,
            person: self.turn.person,
            messages: self.turn.messages.clone(),
            outcome,
            tag,
            context: question.context.clone(),
            record: found.map(|found| Private::open(found.record.clone())),
            now: self.facts.now,
        };
        Some(Decided {
            id: Some(self.id(0)),
            ..Body::from(body).into()
        })
    }

    /// What is said, unless it is better not said now.
    fn answer(
        &self,
        reply: &Reply,
        tag: GateTag,
        question: &Question,
        found: Option<&Recalled>,
    ) -> Step {
        let limits = (self.facts.now, self.params);
        if let Some(reason) = quiet::reason(&reply.answer, self.turn, tag, self.state, limits) {
            return self.end(reason, Some(tag), question, found);
        }
        let considered = self.considered(reply.outcome, Some(tag), question, found);
        Step::End(
            considered
                .into_iter()
                .chain(self.composed(&reply.answer))
                .collect(),
        )
    }

    fn composed(&self, answer: &Answer) -> Option<Decided> {
        let id = self.id(1);
        let mut messages = self.turn.messages.iter().rev();
        let last = messages.find_map(|message| self.state.line_of(*message))?;
        let body = AnswerComposed {
            answer: AnswerId::carried_by(id),
            channel: self.facts.channel.clone()?,
            turn: self.turn.cause.event,
            person: self.turn.person,
            reply_to: last.line.message,
            case: answer.cited.first().map(|cited| cited.case),
            text: Private::open(answer.text.clone()),
            cited: answer.cited.clone(),
            composer: answer.composer.clone(),
            now: self.facts.now,
            reply_to_native: last.native_id.clone(),
            thread_root: last.thread_root.clone(),
        };
        Some(Decided {
            id: Some(id),
            ..Body::from(body).into()
        })
    }
}
