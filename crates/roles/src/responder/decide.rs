//! `responder`: the steps of a turn. Each ends with an outcome, or passes on.
//!
//! 1. no text is left: `withdrawn`
//! 2. the turn is too old: `too_late`
//! 3. an instruction is carried out, a slow call: `steered`, `refused`
//! 4. it says whether an answer helped, and asks nothing: `rated`; where the rules see nothing in it and a
//!    model is to say so, after the slow call of 6
//! 5. the gate: `noise`, `statement`; where a model is to say so, after the slow call of 6
//! 6. memory is searched, a slow call: `not_configured`, `nothing_found`, `nothing_close`,
//!    `nothing_answers`, `search_failed`
//! 7. the steps 1 and 2 once more; where the question was changed meanwhile: `withdrawn`
//! 8. without an answer: who asked by name gets the nearest cases or a sentence (`mention`)
//! 9. the quiet rules: `answered_by_person`, `repeated`, `too_many`
//! 10. the answer: `answered`, `suggested`, `tracked`, `pointed`, `unknown`
//!
//! An answer is withdrawn when its question is deleted, and when the case whose words it has is
//! corrected or erased: in its own channel at once, in others by a slow call that asks there for it.
//!
//! One turn of a channel is searched at a time, in the order in which they were closed.

use threadlore_language::is_question;
use threadlore_language::wording::{Phrase, Voice};
use threadlore_model::{
    Answer, AnswerComposed, AnswerId, AnswerRated, Body, EventId, GateTag, Line, MessageId,
    Private, Recalled, TurnConsidered, TurnOutcome,
};

use super::before;
use super::call::{ForgetCall, RecallCall, RemarkCall, ResponderCall, SteerCall};
use super::mention::{self, Reply};
use super::params::ResponderParams;
use super::question::{Question, question, without_names};
use super::state::{GivenAnswer, ResponderState, WaitingTurn};
use super::steer::{Instruction, STEER_COMPOSER};
use super::{Decision, Input, feedback, gate, quiet, remember, withdrawal};
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
    if let Input::Record { event, .. } = input {
        decision
            .events
            .extend(withdrawal::withdrawn(state, &event.body, facts));
        decision
            .events
            .extend(feedback::by_reaction(state, event, facts));
        decision.events.extend(feedback::by_request(event, facts));
        decision
            .calls
            .extend(withdrawal::taken_back_elsewhere(input, facts));
        decision
            .calls
            .extend(withdrawal::unsaid(state, &event.body, facts, params));
    }
    let answered = match input {
        Input::Answered { call, answer } => {
            let turn = call.turn().and_then(|turn| state.turns.get(&turn));
            turn.map(|turn| (turn, *call, answer.ok().and_then(Option::as_ref)))
        }
        _ => None,
    };
    let mut is_free = facts.pending_calls == 0;
    for turn in state.turns.values() {
        if state.read < Some(turn.up_to) {
            continue;
        }
        let called = answered.filter(|(answered, ..)| answered.cause == turn.cause);
        let called = called.map(|(_, call, said)| (call, said));
        let look = Look {
            turn,
            state,
            facts,
            params,
        };
        match look.step(called) {
            Step::Ask(call) if is_free => {
                is_free = false;
                decision.calls.push((turn.cause.clone(), call));
            }
            // It and those behind it wait for the call: a record costs no more the more of them wait.
            Step::Ask(_) => break,
            Step::End(events) => {
                let notes = remember::notes((turn, &events), state, facts, params);
                is_free &= notes.is_empty();
                decision.events.extend(events);
                let notes = notes.into_iter().map(ResponderCall::Note);
                let notes = notes.map(|call| (turn.cause.clone(), call));
                decision.calls.extend(notes);
            }
            Step::Then(events, call) => {
                is_free = false;
                decision.events.extend(events);
                decision.calls.push((turn.cause.clone(), call));
            }
        }
    }
    decision
}

/// What follows for a turn.
enum Step {
    /// A slow call is to be made.
    Ask(ResponderCall),
    /// The turn has its outcome.
    End(Vec<Decided>),
    /// The same, and a call follows whose answer is not waited for.
    Then(Vec<Decided>, ResponderCall),
}

/// An answer that a turn is about.
type About<'a> = (&'a GivenAnswer, AnswerId);

/// A turn, and what is known around it.
struct Look<'a> {
    turn: &'a WaitingTurn,
    state: &'a ResponderState,
    facts: &'a Facts,
    params: &'a ResponderParams,
}

impl Look<'_> {
    /// `called`: what was called, and what came of it where that did not fail.
    fn step(&self, called: Option<(&ResponderCall, Option<&Recalled>)>) -> Step {
        let none = Question::default();
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
        if let Some(instruction) = self.instruction(&lines) {
            return self.steer(instruction, called);
        }
        let rated = feedback::by_words(self.turn, &lines, self.state, self.params, self.facts);
        let step = match &rated {
            Some(_) if !lines.iter().any(|line| is_question(&line.text)) => {
                self.end(TurnOutcome::Rated, None, &none, None)
            }
            _ => self.answered(&lines, rated.is_some(), called),
        };
        match (step, rated) {
            (Step::End(mut events), Some(rated)) => {
                events.push(self.rated(rated));
                Step::End(events)
            }
            (step, _) => step,
        }
    }

    /// The answer that a turn may say something of, with what a model is shown to say what that is.
    fn remark(&self, lines: &[&Line], asks: bool) -> Option<(About<'_>, RemarkCall)> {
        let asks_on = lines.iter().any(|line| is_question(&line.text));
        if asks_on || !self.params.judge_by_model {
            return None;
        }
        let (given, answer) = feedback::about(self.turn, lines, self.state, self.params)?;
        let before = feedback::conversation(self.turn, given.answer?, self.state)?;
        let texts = lines
            .iter()
            .map(|line| without_names(&line.text, &self.params.names));
        let call = RemarkCall {
            text: texts.collect::<Vec<_>>().join("\n"),
            before,
            asks,
        };
        Some(((given, answer), call))
    }

    fn rated(&self, rated: AnswerRated) -> Decided {
        Decided {
            id: Some(self.id(2)),
            ..Body::from(rated).into()
        }
    }

    /// The instruction of a turn, and the line that gives it.
    fn instruction<'a>(&self, lines: &[&'a Line]) -> Option<(&'a Line, Instruction)> {
        let mut to_bot = lines
            .iter()
            .filter(|line| gate::is_to_bot(line, self.state, self.params));
        to_bot.find_map(|line| {
            let text = without_names(&line.text, &self.params.names);
            Some((*line, Instruction::of(&text)?))
        })
    }

    /// Whether its writer may give an instruction is known outside.
    fn steer(
        &self,
        (line, instruction): (&Line, Instruction),
        called: Option<(&ResponderCall, Option<&Recalled>)>,
    ) -> Step {
        let none = &Question::default();
        let tag = GateTag::Mention;
        let Some((call, said)) = called else {
            let Some(channel) = self.facts.channel.clone() else {
                return Step::End(Vec::new());
            };
            let about = feedback::about(self.turn, &[line], self.state, self.params);
            return Step::Ask(ResponderCall::Steer(SteerCall {
                turn: self.turn.cause.offset,
                because: self.turn.cause.event,
                channel,
                person: self.turn.person,
                message: line.message,
                case: about.and_then(|(given, _)| given.case),
                memory: about.and_then(|(given, _)| given.memory),
                reply_to: line.reply_to.map(|message| self.question_of(message)),
                instruction,
                language: before::language(self.state, self.turn, &[line.text.as_str()]),
            }));
        };
        // What was done is said also where the words were changed meanwhile.
        let said = said.filter(|_| matches!(call, ResponderCall::Steer(_)));
        let failed = Answer {
            text: self.voice(&[line.text.as_str()]).say(Phrase::NotNow {}),
            cited: Vec::new(),
            memory: None,
            precedent: None,
            composer: STEER_COMPOSER.to_owned(),
        };
        let (outcome, answer) = match said {
            Some(said) => (said.outcome, said.answer.as_ref()),
            None => (TurnOutcome::Refused, Some(&failed)),
        };
        let limits = (self.facts.now, self.params);
        if outcome == TurnOutcome::Refused && quiet::is_full(line.thread, self.state, limits) {
            return self.end(TurnOutcome::TooMany, Some(tag), none, None);
        }
        let considered = self.considered(outcome, Some(tag), none, None);
        let composed = answer.and_then(|answer| self.composed(answer));
        let given = composed.as_ref().map(|_| AnswerId::carried_by(self.id(1)));
        let events = considered.into_iter().chain(composed).collect();
        match (said, instruction) {
            (Some(_), Instruction::ForgetMe) => {
                let Some(channel) = self.facts.channel.clone() else {
                    return Step::End(events);
                };
                let call = ForgetCall {
                    person: self.turn.person,
                    channel,
                    asked_at: self.facts.now,
                    answer: given,
                };
                Step::Then(events, ResponderCall::Forget(call))
            }
            _ => Step::End(events),
        }
    }

    /// The question that a message of the bot replies to; another message itself.
    fn question_of(&self, message: MessageId) -> MessageId {
        let line = self.state.line_of(message).filter(|line| line.line.bot);
        line.and_then(|line| line.line.reply_to).unwrap_or(message)
    }

    fn answered(
        &self,
        lines: &[&Line],
        is_rated: bool,
        called: Option<(&ResponderCall, Option<&Recalled>)>,
    ) -> Step {
        let none = Question::default();
        let (by_rules, is_sure) = gate::tag(lines, self.state, self.params);
        let gate = (self.params.gate_by_model && !is_sure).then_some(by_rules);
        // What is said to somebody else, or has no words, is about no answer.
        let may_rate = !is_rated && (!is_sure || by_rules == GateTag::Mention);
        let is_looked_up = by_rules.silence().is_none() || gate.is_some();
        let remark = may_rate.then(|| self.remark(lines, is_looked_up)).flatten();
        let question = question((self.turn, lines), by_rules, self.state, self.params);
        let is_asked = |call: &ResponderCall| matches!(call, ResponderCall::Recall(asked) if asked.question == question.text);
        // What a model says of words that were changed meanwhile does not count.
        let by_model = called
            .filter(|(call, _)| is_asked(call))
            .and_then(|(_, found)| found)
            .filter(|found| found.tag.is_some() || remark.is_some());
        let tag = by_model.and_then(|found| found.tag).unwrap_or(by_rules);
        if let Some(((about, _), found)) = remark.as_ref().zip(by_model)
            && let Some(rating) = found.rating
        {
            let said = (
                self.turn.person,
                Some(rating),
                lines.last().map(|line| line.message),
            );
            let rated = feedback::rated(*about, said, self.facts).map(|rated| self.rated(rated));
            let considered = self.considered(TurnOutcome::Rated, Some(tag), &none, by_model);
            return Step::End(considered.into_iter().chain(rated).collect());
        }
        let waits = (gate.is_some() || remark.is_some()) && called.is_none();
        if let Some(silence) = tag.silence().filter(|_| !waits) {
            return self.end(silence, Some(tag), &none, by_model);
        }
        // Who asks by name gets something, also where nothing can be searched.
        if question.text.is_empty() && tag != GateTag::Mention {
            return self.end(TurnOutcome::Noise, Some(tag), &question, None);
        }
        let Some((call, found)) = called else {
            return self.ask(question, tag, gate, remark.map(|(_, call)| call));
        };
        if !is_asked(call) || found.is_some_and(|found| found.rating.is_some()) {
            return self.end(TurnOutcome::Withdrawn, Some(tag), &question, None);
        }
        let Some(found) = found else {
            let failed = TurnOutcome::SearchFailed;
            let voice = self.voice(&[&question.text]);
            return match mention::reply(failed, &[], tag, &question.text, &[], voice) {
                Some(reply) => self.answer(&reply, tag, &question, None),
                None => self.end(failed, Some(tag), &question, None),
            };
        };
        let answered = found.answer.clone().map(|answer| Reply {
            outcome: found.outcome,
            answer,
        });
        let pointed = || {
            let (nearest, docs) = (&found.nearest, &found.docs);
            let voice = self.voice(&[&question.text]);
            mention::reply(found.outcome, nearest, tag, &question.text, docs, voice)
        };
        match answered.or_else(pointed) {
            Some(reply) => self.answer(&reply, tag, &question, Some(found)),
            None => self.end(found.outcome, Some(tag), &question, Some(found)),
        }
    }

    fn ask(
        &self,
        question: Question,
        tag: GateTag,
        gate: Option<GateTag>,
        remark: Option<RemarkCall>,
    ) -> Step {
        let Some(channel) = self.facts.channel.clone() else {
            return Step::End(Vec::new());
        };
        Step::Ask(ResponderCall::Recall(RecallCall {
            turn: self.turn.cause.offset,
            channel,
            person: self.turn.person,
            language: before::language(self.state, self.turn, &[&question.text]),
            earlier: before::earlier(self.state, self.turn),
            question: question.text,
            gate,
            remark,
            had: question.again.map(|(_, case)| case),
            is_named: tag == GateTag::Mention,
        }))
    }

    fn voice(&self, texts: &[&str]) -> Voice<'_> {
        let space = self.facts.space.as_ref();
        self.params
            .wordings
            .voice(space, before::language(self.state, self.turn, texts))
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
            asks_again: question.again.map(|(answer, _)| answer),
            model_tokens: found.map_or(0, |found| found.model_tokens),
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
            memory: answer.memory,
            precedent: answer.precedent,
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
