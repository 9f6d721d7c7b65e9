//! What people say of answers: by a reaction on one, by a reply to it, by naming the bot, or right
//! after it by whom it was given to; or where a program showed it, or on a page.

use std::time::Duration;

use threadlore_language::context::is_follow_up;
use threadlore_language::retrieve::{ASKS_THE_SAME, Forms};
use threadlore_language::{is_negative_emoji, is_positive_emoji, outcome, rejects};
use threadlore_model::{
    AnswerId, AnswerRated, Body, CaseId, Event, Line, MessageId, Outcome, PersonId, Rating,
};

use super::gate;
use super::params::ResponderParams;
use super::question::without_names;
use super::state::{GivenAnswer, ResponderState, WaitingTurn};
use crate::{Decided, Facts};

/// How long after an answer words are about it that do not reply to it.
const ABOUT_IT: Duration = Duration::from_secs(10 * 60);
/// Lines that were said since an answer, of which a model is shown the last ones.
const SINCE: usize = 8;
/// Who asks everybody the same again sooner may not have seen the answer. Chosen.
const READ_WITHIN: Duration = Duration::from_secs(60);
/// Who asks the same again later may have a new reason to. Chosen.
const ASKED_AGAIN_WITHIN: Duration = Duration::from_secs(60 * 60);

/// What a reaction on an answer says of it.
pub(super) fn by_reaction(state: &ResponderState, event: &Event, facts: &Facts) -> Option<Decided> {
    let (message, person, emoji, is_added) = match &event.body {
        Body::ReactionAdded(e) => (e.message, e.person, &e.emoji, true),
        Body::ReactionRemoved(e) => (e.message, e.person, &e.emoji, false),
        _ => return None,
    };
    let rating = match () {
        () if is_positive_emoji(emoji) => Rating::Helped,
        () if is_negative_emoji(emoji) => Rating::Failed,
        () => return None,
    };
    let (given, answer) = posted_as(state, message)?;
    let rating = is_added.then_some(rating);
    let rated = rated((given, answer), (person, rating, None), facts)?;
    Some(Body::from(rated).into())
}

/// What a person said of an answer where a program showed it, or on a page.
pub(super) fn by_request(event: &Event, facts: &Facts) -> Option<Decided> {
    let Body::RatingRequested(said) = &event.body else {
        return None;
    };
    let rated = AnswerRated {
        answer: said.answer,
        channel: said.channel.clone(),
        turn: said.turn,
        person: said.person,
        rating: said.rating,
        message: None,
        now: facts.now,
    };
    Some(Body::from(rated).into())
}

/// The answer that a turn is about, and what it says of it. `lines` are its lines, oldest first,
/// never empty.
pub(super) fn by_words(
    turn: &WaitingTurn,
    lines: &[&Line],
    state: &ResponderState,
    params: &ResponderParams,
    facts: &Facts,
) -> Option<AnswerRated> {
    let (line, rating) = lines
        .iter()
        .find_map(|line| Some((line, rating(&line.text)?)))?;
    let about = about(turn, lines, state, params)?;
    rated(
        about,
        (turn.person, Some(rating), Some(line.message)),
        facts,
    )
}

/// The answer that a turn is about: the one that it replies to; or the last one, a short time ago,
/// where the bot is named, or where nobody else wrote since and it was given to who writes.
pub(super) fn about<'a>(
    turn: &WaitingTurn,
    lines: &[&Line],
    state: &'a ResponderState,
    params: &ResponderParams,
) -> Option<(&'a GivenAnswer, AnswerId)> {
    let replied = lines.iter().filter_map(|line| line.reply_to);
    let replied = replied.rev().find_map(|message| posted_as(state, message));
    if replied.is_some() {
        return replied;
    }
    let first = lines.first()?;
    let recent = state.given.iter().rev();
    let mut recent = recent.filter(|given| given.thread == first.thread);
    let last = recent
        .find(|given| given.answer.is_some() && (given.case.is_some() || given.memory.is_some()))?;
    let (answer, question) = last.answer?;
    let is_recent = last.at.plus(ABOUT_IT) >= turn.at;
    let is_named = lines
        .iter()
        .any(|line| gate::is_to_bot(line, state, params));
    let follows = || {
        let asked_by = state.line_of(question).map(|line| line.line.person);
        let before = state.lines_in(first.thread).rev();
        let mut before = before.skip_while(|line| line.message != first.message);
        let previous = before.find(|line| line.person != turn.person);
        asked_by == Some(turn.person) && previous.is_some_and(|line| line.bot)
    };
    (is_recent && (is_named || follows())).then_some((last, answer))
}

/// What a model is shown to say what a turn tells of an answer: the question, the answer, and what was said
/// since. `None` where the answer was not seen in the room.
pub(super) fn conversation(
    turn: &WaitingTurn,
    (_, question): (AnswerId, MessageId),
    state: &ResponderState,
) -> Option<Vec<MessageId>> {
    let lines = state.lines_in(state.thread_of(turn));
    let is_answer = |line: &&Line| line.bot && line.reply_to == Some(question);
    let said = lines.clone().find(is_answer)?;
    let since = lines.skip_while(|line| line.message != said.message);
    let since = since.skip(1).map(|line| line.message);
    let since = since.take_while(|message| !turn.messages.contains(message));
    let since: Vec<MessageId> = since.collect();
    let last = since.len().saturating_sub(SINCE);
    let both = [question, said.message].into_iter();
    Some(both.chain(since.into_iter().skip(last)).collect())
}

/// The last answer that who asks had to the same question, with its case: long enough ago to have read it,
/// unless the bot is told to answer again. `lines` are those of the turn. What only goes on about an answer is another question.
pub(super) fn again(
    turn: &WaitingTurn,
    lines: &[&Line],
    state: &ResponderState,
    params: &ResponderParams,
) -> Option<(AnswerId, CaseId)> {
    let texts = lines
        .iter()
        .map(|line| without_names(&line.text, &params.names));
    let mut texts: Vec<String> = texts.filter(|text| !is_follow_up(text)).collect();
    texts.push(texts.join("\n"));
    let asked: Vec<Forms> = texts.iter().map(|text| Forms::new(text, &[])).collect();
    let at = lines.first()?.at;
    let mut lines = lines.iter();
    let read_within = match lines.any(|line| gate::is_to_bot(line, state, params)) {
        true => Duration::ZERO,
        false => READ_WITHIN,
    };
    let mut had = state.given.iter().rev().filter(|given| {
        given.at.plus(read_within) <= at && at <= given.at.plus(ASKED_AGAIN_WITHIN)
    });
    had.find_map(|given| {
        let ((answer, question), case) = given.answer.zip(given.case)?;
        let before = &state.line_of(question)?.line;
        let text = without_names(&before.text, &params.names);
        let mut likeness = asked.iter().map(|asked| asked.likeness(&text));
        let is_same = before.person == turn.person && likeness.any(|by| by >= ASKS_THE_SAME);
        is_same.then_some((answer, case))
    })
}

/// The answer that a message of the bot is.
pub(super) fn posted_as(
    state: &ResponderState,
    message: MessageId,
) -> Option<(&GivenAnswer, AnswerId)> {
    let line = &state.line_of(message)?.line;
    let question = line.reply_to.filter(|_| line.bot)?;
    state.given.iter().find_map(|given| {
        let (answer, to) = given.answer?;
        (to == question).then_some((given, answer))
    })
}

fn rating(text: &str) -> Option<Rating> {
    match outcome(text) {
        Some(Outcome::Fails) => Some(Rating::Failed),
        _ if rejects(text) => Some(Rating::Failed),
        Some(Outcome::Works | Outcome::Thanks) => Some(Rating::Helped),
        None => None,
    }
}

pub(super) fn rated(
    (given, answer): (&GivenAnswer, AnswerId),
    (person, rating, message): (PersonId, Option<Rating>, Option<MessageId>),
    facts: &Facts,
) -> Option<AnswerRated> {
    Some(AnswerRated {
        answer,
        channel: facts.channel.clone()?,
        turn: given.turn,
        person,
        rating,
        message,
        now: facts.now,
    })
}
