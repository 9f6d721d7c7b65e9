//! `gateway`: what is sent next, and what became of it.
//!
//! One delivery of a channel is under way at a time, in the order in which they were asked for. That
//! it is tried is decided before it is sent, so the log shows what a crash left in doubt.

use threadlore_model::{
    AnswerDelivered, Body, ChannelId, Delivery, DeliveryAction, DeliveryAttempted, DeliveryFailed,
    DeliveryKind, EventId,
};

use super::params::GatewayParams;
use super::state::{GatewayState, Task, WaitingDelivery};
use super::{Decision, Input};
use crate::{Decided, Facts};

/// What became of the delivery that was under way, or else the first one that waits. The end of a
/// delivery is decided, folded, and seen here again: then the next one begins.
#[must_use]
pub(super) fn decide(
    state: &GatewayState,
    input: &Input<'_>,
    facts: &Facts,
    params: &GatewayParams,
) -> Decision {
    let Some(channel) = &facts.channel else {
        return Decision::default();
    };
    let look = |waiting| Look {
        waiting,
        state,
        facts,
        channel,
        params,
    };
    match input {
        Input::Answered { call, answer } => {
            let mut waiting = state.waiting.values().map(look);
            let about = waiting.find(|look| look.is_about(call));
            about.map_or_else(Decision::default, |look| look.ended(*answer))
        }
        Input::Decided(event) if !ends_delivery(&event.body) => Decision::default(),
        _ if facts.pending_calls > 0 => Decision::default(),
        _ => {
            let mut waiting = state.waiting.values().map(look);
            let first = waiting.next();
            first.map_or_else(Decision::default, |look| look.begin())
        }
    }
}

const fn ends_delivery(body: &Body) -> bool {
    matches!(body, Body::AnswerDelivered(_) | Body::DeliveryFailed(_))
}

/// A delivery, and what is known around it.
struct Look<'a> {
    waiting: &'a WaitingDelivery,
    state: &'a GatewayState,
    facts: &'a Facts,
    channel: &'a ChannelId,
    params: &'a GatewayParams,
}

impl Look<'_> {
    fn action(&self) -> DeliveryAction {
        self.waiting.task.action()
    }

    fn is_about(&self, delivery: &Delivery) -> bool {
        let same_kind = match delivery.what {
            DeliveryKind::Answer { .. } => self.action() == DeliveryAction::Post,
            DeliveryKind::Withdrawal { .. } => self.action() == DeliveryAction::Withdraw,
        };
        delivery.answer == self.waiting.answer && same_kind
    }

    fn begin(&self) -> Decision {
        let until = self.waiting.at.plus(self.params.deliver_within);
        // What was begun may be with the platform, so it is tried again to learn that.
        if until < self.facts.now && !self.waiting.attempted {
            return self.failed("it was not sent in time, because the gateway did not run");
        }
        let what = match self.what() {
            Ok(what) => what,
            Err(reason) => return self.failed(reason),
        };
        let attempt = DeliveryAttempted {
            answer: self.waiting.answer,
            channel: self.channel.clone(),
            gateway: self.params.name.clone(),
            what: self.action(),
            now: self.facts.now,
        };
        let delivery = Delivery {
            answer: self.waiting.answer,
            channel: self.channel.clone(),
            what,
            until,
        };
        let attempt = (!self.waiting.attempted).then(|| self.event(0, attempt));
        Decision {
            events: attempt.into_iter().collect(),
            calls: vec![(self.waiting.cause.clone(), delivery)],
            dropped: None,
        }
    }

    /// What is to be sent; or why nothing is.
    fn what(&self) -> Result<DeliveryKind, &'static str> {
        let answer = self.waiting.answer;
        match &self.waiting.task {
            Task::Post {
                text,
                reply_to,
                thread,
            } => {
                let mut others = self.state.waiting.values();
                let is_withdrawn =
                    others.any(|other| other.answer == answer && other.task == Task::Withdraw);
                if is_withdrawn && !self.waiting.attempted {
                    return Err("it was withdrawn before it was sent");
                }
                Ok(DeliveryKind::Answer {
                    text: text.clone().ok_or("its case was erased")?,
                    reply_to: reply_to.clone(),
                    thread: thread.clone(),
                })
            }
            Task::Withdraw => {
                let mut sent = self.state.sent.iter();
                let sent = sent.find(|sent| sent.answer == answer);
                let sent = sent.ok_or("it was not sent within the last day")?;
                Ok(DeliveryKind::Withdrawal {
                    native_ids: sent.native_ids.clone(),
                })
            }
        }
    }

    fn ended(&self, answer: Result<&Vec<String>, &str>) -> Decision {
        let native_ids = match answer {
            Ok(native_ids) => native_ids,
            Err(reason) => return self.failed(reason),
        };
        let delivered = AnswerDelivered {
            answer: self.waiting.answer,
            channel: self.channel.clone(),
            gateway: self.params.name.clone(),
            what: self.action(),
            native_ids: native_ids.clone(),
            now: self.facts.now,
        };
        self.end(delivered)
    }

    fn failed(&self, reason: &str) -> Decision {
        self.end(DeliveryFailed {
            answer: self.waiting.answer,
            channel: self.channel.clone(),
            gateway: self.params.name.clone(),
            what: self.action(),
            reason: reason.to_owned(),
            now: self.facts.now,
        })
    }

    fn end(&self, body: impl Into<Body>) -> Decision {
        Decision {
            events: vec![self.event(1, body)],
            ..Decision::default()
        }
    }

    /// An event whose id follows from what asked for the delivery, whatever led to the decision.
    fn event(&self, ordinal: usize, body: impl Into<Body>) -> Decided {
        let group = self.facts.group.as_str();
        Decided {
            id: Some(EventId::decided(group, self.waiting.cause.event, ordinal)),
            ..body.into().into()
        }
    }
}
