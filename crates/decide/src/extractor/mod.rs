//! `extractor`: asks an engine for the cases in a window and turns its answer
//! into case events; decides confirmation and withdrawal by reactions.
//!
//! What is known of a case is folded from `knowledge.cases`, in the order of the
//! log, and from what was decided here and is on its way there. A decision that
//! was made on an older version is seen refused there, and is decided again.
//!
//! | file | says |
//! |---|---|
//! | `window` | what an engine gets to see |
//! | `answer` | which events its answer leads to |
//! | `merge` | which cases are about the same problem |
//! | `confirm` | what reactions, redactions, edits and refused decisions lead to |

mod answer;
mod confirm;
mod merge;
mod window;

use threadlore_model::{
    Body, Case, Decision, EffectOutcome, EffectRequest, Event, Evidence, ExtractorParams,
    ExtractorState, Facts, Flow, Input, Refusal, Role, Timestamp, Topic,
};

/// Why an answer was not used.
const OUT_OF_RANGE: &str = "the engine's answer names a line outside its window";

/// What follows from an input: events, or else a look at the next window that is
/// due. An answer that points outside its window leads to no event (C10).
///
/// # Errors
/// None: nothing that an extractor reads comes from outside unchecked.
pub fn decide(
    state: &ExtractorState,
    input: &Input<'_>,
    facts: &Facts,
    params: &ExtractorParams,
) -> Result<Decision, Refusal> {
    let mut decision = Decision::default();
    let then = time_of(state, input, facts);
    let facts = &Facts {
        now: then.unwrap_or(facts.now),
        ..facts.clone()
    };
    match input {
        Input::Record { event, .. } => {
            decision.events = confirm::by_record(state, event, facts);
            // A case that is to be erased, or decided again, is not compared.
            if decision
                .events
                .iter()
                .all(|d| d.body.case() != event.body.case())
            {
                let merges = merge::by_record(state, event, facts, params);
                decision.events.extend(merges);
            }
        }
        Input::Resume => decision.events = confirm::by_standing(state, facts),
        Input::Outcome {
            request: EffectRequest::Extract { window, .. },
            outcome: EffectOutcome::Extracted { engine, extraction },
        } => match answer::decide(state, (window, engine, extraction), facts) {
            Some(events) => decision.events = events,
            None => decision.dropped = Some(OUT_OF_RANGE),
        },
        Input::Outcome { .. } | Input::Wake { .. } => {}
    }
    for decided in &mut decision.events {
        decided.time = then;
    }
    // The next look is to know what was decided before, and what followed from that when
    // it was read back: then it does not matter how fast it was.
    if facts.pending_effects == 0
        && decision.events.is_empty()
        && state.logged.is_empty()
        && let Some((&up_to, cause)) = state.awaiting.first_key_value()
        && state.seen >= Some(up_to)
        && let Some(channel) = facts.channel.clone()
    {
        let window = window::of(state, channel, up_to, params);
        let request = EffectRequest::Extract { up_to, window };
        decision.effects.push((cause.clone(), request));
    }
    Ok(decision)
}

/// When the decision is made, in channel time, where that is not now. Imported messages are read, and their
/// windows announced, faster than they are looked at: what lies beyond a window had
/// not happened when its cases came up, nor when what was decided about them is
/// read back.
fn time_of(state: &ExtractorState, input: &Input<'_>, facts: &Facts) -> Option<Timestamp> {
    let then = match input {
        Input::Record { event, .. } if is_ours(event) => Some(event.envelope.time),
        Input::Outcome {
            request: EffectRequest::Extract { up_to, .. },
            ..
        } if state.seen > Some(*up_to) || !state.awaiting.is_empty() => window::end(state, *up_to),
        _ => None,
    };
    then.filter(|then| *then < facts.now)
}

/// What is not to be read while this channel has too much waiting, and what it
/// waits for itself. A look that can go on makes room without anything else.
#[must_use]
pub fn flow(state: &ExtractorState, params: &ExtractorParams) -> Flow {
    let lines = is_full(state, params).then_some(Topic::ChatEvents);
    let windows = (state.awaiting.len() > params.backlog).then_some(Topic::ChatTurns);
    let needs = match state.awaiting.first_key_value() {
        Some((up_to, _)) => (state.seen < Some(*up_to)).then_some(Topic::ChatEvents),
        None => lines.map(|_| Topic::ChatTurns),
    };
    Flow {
        full: lines.into_iter().chain(windows).collect(),
        needs,
    }
}

/// Whether more lines wait to be looked at than may. Never while the next look
/// itself waits for messages that were not read yet; and lines of bots do not
/// count, for which no look is announced.
fn is_full(state: &ExtractorState, params: &ExtractorParams) -> bool {
    let next = state.awaiting.first_key_value();
    if next.is_some_and(|(up_to, _)| state.seen < Some(*up_to)) {
        return false;
    }
    let waiting = state
        .window
        .iter()
        .rev()
        .take_while(|l| Some(l.offset) > state.looked)
        .filter(|l| !l.line.bot)
        .count();
    waiting > params.backlog
}

/// Whether the case has no solution at that time, and may get one. A reaction may
/// have confirmed it before anybody extracted what the solution was; and in history
/// that is imported into a live channel it may expire before all of its own time
/// was looked at.
fn waits(case: &Case, at: Option<Timestamp>) -> bool {
    let expires_later = case.merged_into.is_none() && case.archived_at > at;
    case.signal.is_none() && (case.archived_at.is_none() || at.is_some() && expires_later)
}

/// Whether this role decided the event.
fn is_ours(event: &Event) -> bool {
    let producer = event.envelope.producer.as_ref();
    producer.is_some_and(|p| p.group.as_str() == Role::Extractor.name())
}

fn evidence_of(body: &Body) -> &[Evidence] {
    match body {
        Body::CaseOpened(c) => &c.evidence,
        Body::CaseSolved(c) => &c.evidence,
        _ => &[],
    }
}

#[cfg(test)]
mod tests;
