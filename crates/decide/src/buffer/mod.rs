//! `buffer`: decides when a channel's window is worth looking at, because
//! looking may cost a model call: after enough messages, after a pause, when
//! somebody says that it works, or when imported history stops arriving.

use threadlore_model::{
    Body, BufferParams, BufferState, Decision, Facts, Input, ReadyReason, Timestamp, WakeAt,
    WindowReady,
};

use crate::signals::resolution;

/// Announces a window, or waits.
#[must_use]
pub fn decide(
    state: &BufferState,
    input: &Input<'_>,
    facts: &Facts,
    params: &BufferParams,
) -> Decision {
    let Some(reason) = reason(state, input, params) else {
        return Decision::default();
    };
    let Some(channel) = facts.channel.clone() else {
        return Decision::default();
    };
    let ready = WindowReady {
        channel,
        reason,
        messages: state.pending,
        up_to: state.last,
        now: facts.now,
    };
    Decision {
        events: vec![Body::from(ready).into()],
        ..Decision::default()
    }
}

fn reason(state: &BufferState, input: &Input<'_>, params: &BufferParams) -> Option<ReadyReason> {
    if state.pending == 0 {
        return None;
    }
    match input {
        Input::Record { .. } if state.pending >= params.window_count => Some(ReadyReason::Count),
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
        Input::Wake { idle: true } => Some(ReadyReason::StreamIdle),
        Input::Wake { idle: false } => Some(ReadyReason::Pause),
        Input::Outcome { .. } | Input::Resume => None,
    }
}

/// A pause in channel time; and, for history, a pause of its arrival.
#[must_use]
pub fn wake(state: &BufferState, params: &BufferParams) -> WakeAt {
    if state.pending == 0 {
        return WakeAt::default();
    }
    let clock = &state.clock;
    let latest = clock.now(Timestamp::EARLIEST);
    WakeAt {
        channel: Some(latest.plus(params.pause)),
        wall: (!clock.is_live()).then(|| clock.arrived().plus(params.idle)),
    }
}

#[cfg(test)]
mod tests;
