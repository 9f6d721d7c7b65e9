//! `buffer`: decides when a channel's window is worth looking at, because
//! looking may cost a model call: after enough messages, after a pause, when
//! a person says or shows that it works, or when imported history ends. And closes the turns of people who
//! stopped writing.

use threadlore_model::{
    Body, ChannelClock, ChannelId, ExtractionRequested, ReadyReason, Timestamp, TurnClosed,
    WindowReady,
};

use crate::{BufferParams, BufferState, Decided, Decision, Facts, Input, WakeAt};

use threadlore_language::resolution;

/// Records of any kind after which a window is announced even where only bots
/// wrote: what reads the windows keeps the records until then.
const RECORDS_MAX: u32 = 500;

/// Closes turns and announces a window, or waits.
#[must_use]
pub(super) fn decide(
    state: &BufferState,
    input: &Input<'_>,
    facts: &Facts,
    params: &BufferParams,
) -> Decision {
    if let Input::Record { event, .. } = input
        && let Body::ExtractionRequested(request) = &event.body
    {
        return announce_again(state, request, facts);
    }
    // What was decided ends no turn, and may be because of a request.
    if matches!(input, Input::Decided(_)) {
        return Decision::default();
    }
    let Some(channel) = &facts.channel else {
        return Decision::default();
    };
    let mut events = closed(state, channel, facts.now, params);
    if let Some(reason) = reason(state, input, facts.now, params) {
        let ready = WindowReady {
            channel: channel.clone(),
            reason,
            messages: state.pending,
            up_to: state.last,
            now: facts.now,
        };
        events.push(Body::from(ready).into());
    }
    Decision {
        events,
        ..Decision::default()
    }
}

/// The turns whose writer has been silent for long enough, or asked the bot.
fn closed(
    state: &BufferState,
    channel: &ChannelId,
    now: Timestamp,
    params: &BufferParams,
) -> Vec<Decided> {
    let ended = state.turns.iter();
    let ended = ended.filter(|turn| turn.asks_bot || turn.at.plus(params.turn_gap) <= now);
    let closed = ended.map(|turn| TurnClosed {
        channel: channel.clone(),
        person: turn.person,
        messages: turn.messages.clone(),
        up_to: turn.last,
        now,
    });
    closed.map(|turn| Body::from(turn).into()).collect()
}

/// Announces a window once more, as it was: with its own time, so that nothing expires or is timed
/// differently because a cause was mended. A request does not apply where it was answered
/// before, or where no window can end.
fn announce_again(state: &BufferState, request: &ExtractionRequested, facts: &Facts) -> Decision {
    let dropped = |reason| Decision {
        dropped: Some(reason),
        ..Decision::default()
    };
    if state.requests.contains(&facts.cause.event) {
        return dropped("repeated request");
    }
    let is_read = state.clock != ChannelClock::default() && request.up_to <= state.last;
    if !is_read {
        return dropped("no such window");
    }
    let ready = WindowReady {
        channel: request.channel.clone(),
        reason: request.reason,
        messages: request.messages,
        up_to: request.up_to,
        now: request.announced_at,
    };
    let decided = Decided {
        time: Some(request.announced_at),
        ..Body::from(ready).into()
    };
    Decision {
        events: vec![decided],
        ..Decision::default()
    }
}

fn reason(
    state: &BufferState,
    input: &Input<'_>,
    now: Timestamp,
    params: &BufferParams,
) -> Option<ReadyReason> {
    match input {
        Input::Record { event, .. } if matches!(event.body, Body::HistoryEnded(_)) => {
            (state.records > 0).then_some(ReadyReason::StreamIdle)
        }
        Input::Record { .. } if state.records >= RECORDS_MAX => Some(ReadyReason::Count),
        Input::Wake { idle: true } => (state.records > 0).then_some(ReadyReason::StreamIdle),
        _ if state.pending == 0 => None,
        Input::Record { .. } if state.pending >= params.window_count => Some(ReadyReason::Count),
        Input::Record { .. } | Input::Wake { idle: false }
            if examined_at(state, params).is_some_and(|at| at <= now) =>
        {
            Some(ReadyReason::Resolution)
        }
        Input::Record { event, .. } => match &event.body {
            Body::MessagePosted(m)
                if !m.bot
                    && state.pending >= params.min_for_resolution
                    && m.text.text().is_some_and(|t| resolution(t).is_some()) =>
            {
                Some(ReadyReason::Resolution)
            }
            _ => None,
        },
        Input::Wake { idle: false } => {
            (paused_at(state, params) <= now).then_some(ReadyReason::Pause)
        }
        _ => None,
    }
}

/// When the window is announced because of a sign of resolution in a live channel.
fn examined_at(state: &BufferState, params: &BufferParams) -> Option<Timestamp> {
    Some(state.resolved?.plus(params.debounce?))
}

/// When the channel has been silent for long enough.
fn paused_at(state: &BufferState, params: &BufferParams) -> Timestamp {
    state.clock.now(Timestamp::EARLIEST).plus(params.pause)
}

/// The end of a turn, a pause, or a while after a sign of resolution, in channel time; and, for history that nothing says the end of, a
/// pause of its arrival.
#[must_use]
pub(super) fn wake(state: &BufferState, params: &BufferParams) -> WakeAt {
    let clock = &state.clock;
    let turns = state.turns.iter().map(|turn| turn.at.plus(params.turn_gap));
    let waits = state.pending > 0;
    let pause = waits.then(|| paused_at(state, params));
    let sign = examined_at(state, params).filter(|_| waits);
    let history = state.records > 0 && !clock.is_live();
    WakeAt {
        channel: turns.chain(pause).chain(sign).min(),
        wall: history.then(|| clock.arrived().plus(params.idle)),
    }
}
