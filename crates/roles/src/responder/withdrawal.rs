//! What a record makes outdated: answers that were given, and what a message told the bot.

use threadlore_model::{
    AnswerWithdrawn, Body, CaseId, Cause, ChannelClock, EraseReason, Signal, Topic,
    WithdrawalReason,
};

use super::Input;
use super::call::{ResponderCall, TakeBackCall, UnsayCall};
use super::params::ResponderParams;
use super::state::{GivenAnswer, ResponderState};
use crate::{Decided, Facts};

/// Answers that a record makes outdated are taken back.
pub(super) fn withdrawn(state: &ResponderState, body: &Body, facts: &Facts) -> Vec<Decided> {
    let Some(channel) = &facts.channel else {
        return Vec::new();
    };
    let outdated = state.given.iter().filter_map(|given| {
        let (answer, _) = given.answer?;
        Some((answer, reason_to_withdraw(given, body)?))
    });
    let withdrawn = outdated.map(|(answer, reason)| AnswerWithdrawn {
        answer,
        channel: channel.clone(),
        reason,
        now: facts.now,
    });
    withdrawn.map(|body| Body::from(body).into()).collect()
}

/// Why a record has an answer taken back: its question was deleted, its case was corrected or
/// erased, or another channel asks for it.
fn reason_to_withdraw(given: &GivenAnswer, body: &Body) -> Option<WithdrawalReason> {
    let (answer, question) = given.answer?;
    match body {
        Body::MessageRedacted(redacted) if redacted.message == question => {
            Some(WithdrawalReason::QuestionRedacted)
        }
        Body::WithdrawalRequested(asked) if asked.answer == answer => Some(asked.reason),
        _ => {
            let (case, reason) = outdated(body)?;
            // The title of an erased case goes too.
            let has = match reason {
                WithdrawalReason::CaseErased => given.words_of,
                _ => given.case,
            };
            (has == Some(case)).then_some(reason)
        }
    }
}

/// The case whose words may not be given any more as they were, and why.
fn outdated(body: &Body) -> Option<(CaseId, WithdrawalReason)> {
    match body {
        Body::CaseErased(erased) => Some((erased.case, WithdrawalReason::CaseErased)),
        Body::CaseSolved(solved) if solved.signal == Signal::Admin => {
            Some((solved.case, WithdrawalReason::CaseCorrected))
        }
        _ => None,
    }
}

/// What is to be taken back in other channels. Of what was decided about history nothing was given.
pub(super) fn taken_back_elsewhere(
    input: &Input<'_>,
    facts: &Facts,
) -> Option<(Cause, ResponderCall)> {
    let Input::Record {
        at, arrived, event, ..
    } = input
    else {
        return None;
    };
    // What somebody asks for is asked now, however long ago its channel was spoken in.
    let is_asked_for = match &event.body {
        Body::CaseErased(erased) => erased.reason == EraseReason::Requested,
        _ => true,
    };
    let is_live = is_asked_for || ChannelClock::is_live_event(event.envelope.time, *arrived);
    if at.topic != Topic::KnowledgeCases || !is_live {
        return None;
    }
    let (case, reason) = outdated(&event.body)?;
    let call = TakeBackCall {
        case,
        channel: facts.channel.clone()?,
        reason,
    };
    Some((facts.cause.clone(), ResponderCall::TakeBack(call)))
}

/// What a deleted message told the bot goes with it.
pub(super) fn unsaid(
    state: &ResponderState,
    body: &Body,
    facts: &Facts,
    params: &ResponderParams,
) -> Option<(Cause, ResponderCall)> {
    let Body::MessageRedacted(redacted) = body else {
        return None;
    };
    let mut told = state.steered.iter();
    let told = told.find(|(message, _)| *message == redacted.message);
    let person = told.map(|(_, person)| *person);
    // What a model finds may be in any message.
    let may_tell = person.is_some() || params.facts_by_model;
    let message = may_tell.then_some(redacted.message)?;
    let call = UnsayCall { message, person };
    Some((facts.cause.clone(), ResponderCall::Unsay(call)))
}
