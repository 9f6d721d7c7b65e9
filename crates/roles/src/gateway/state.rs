//! The state of `gateway`.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use threadlore_model::{AnswerId, Cause, ChannelClock, DeliveryAction, Offset, Timestamp};

use crate::{KeyState, Parts};

/// Something that is to be sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitingDelivery {
    /// The record that asks for it.
    pub cause: Cause,
    /// The answer.
    pub answer: AnswerId,
    /// What is to be done.
    pub task: Task,
    /// Channel time of the record.
    pub at: Timestamp,
    /// Whether it was begun: after a crash the platform may have it.
    pub attempted: bool,
}

/// What is to be done with an answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Task {
    /// It is to be posted.
    Post {
        /// Its text, in Markdown; `None` where it cannot be read any more.
        text: Option<String>,
        /// The platform's id of the message that it replies to.
        reply_to: String,
        /// The platform's id of the first message of its thread.
        thread: Option<String>,
    },
    /// It is to be taken back.
    Withdraw,
}

impl Task {
    /// The action, as events name it.
    #[must_use]
    pub const fn action(&self) -> DeliveryAction {
        match self {
            Self::Post { .. } => DeliveryAction::Post,
            Self::Withdraw => DeliveryAction::Withdraw,
        }
    }
}

/// An answer that was sent a short time ago.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SentAnswer {
    /// The answer.
    pub answer: AnswerId,
    /// The platform's ids of its messages.
    pub native_ids: Vec<String>,
    /// When it was sent.
    pub at: Timestamp,
}

/// What was decided about a delivery before the record that asks for it was folded. That happens only
/// while a lost state is rebuilt: the end of one delivery had led to the next.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EarlyDelivery {
    /// The answer.
    pub answer: AnswerId,
    /// What is to be done.
    pub what: DeliveryAction,
    /// Whether it has its result; else it was begun.
    pub ended: bool,
}

/// What `gateway` knows of a channel.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GatewayState {
    /// The channel's clock.
    pub clock: ChannelClock,
    /// Answers that were sent within a day, oldest first: they can be taken back.
    pub sent: VecDeque<SentAnswer>,
    /// Deliveries that were decided about before they were asked for.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    pub early: VecDeque<EarlyDelivery>,
    /// What is to be sent, by the offset in `answers` of the record that asks for it.
    #[serde(skip)]
    pub waiting: Parts<Offset, WaitingDelivery>,
}

impl KeyState for GatewayState {
    type Part = WaitingDelivery;

    fn take_changed(&mut self) -> Vec<(String, Option<WaitingDelivery>)> {
        let changed = self.waiting.take_changed();
        changed
            .map(|(at, waiting)| (at.to_string(), waiting.cloned()))
            .collect()
    }

    fn put_part(&mut self, waiting: WaitingDelivery) {
        self.waiting.put_stored(waiting.cause.offset, waiting);
    }

    fn clock(&self) -> &ChannelClock {
        &self.clock
    }

    fn clock_mut(&mut self) -> &mut ChannelClock {
        &mut self.clock
    }
}
