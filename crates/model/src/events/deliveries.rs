//! What gateways sent to their platforms.

use serde::{Deserialize, Serialize};

use crate::{AnswerId, ChannelId, Timestamp};

/// What is done in a channel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeliveryAction {
    /// An answer is posted.
    Post,
    /// An answer that was posted is taken back.
    Withdraw,
}

impl DeliveryAction {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Post, Self::Withdraw];

    /// Its name in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Post => "post",
            Self::Withdraw => "withdraw",
        }
    }
}

/// What became of a delivery.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DeliveryResult {
    /// The platform took it.
    Delivered,
    /// It was not sent.
    Failed,
}

impl DeliveryResult {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Delivered, Self::Failed];

    /// Its name in tables and metrics.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Delivered => "delivered",
            Self::Failed => "failed",
        }
    }
}

/// `deliveries`: a gateway is about to send. After a crash it may send the same once more.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveryAttempted {
    /// The answer.
    pub answer: AnswerId,
    /// The channel.
    pub channel: ChannelId,
    /// The gateway, such as `matrix`.
    pub gateway: String,
    /// What is done.
    pub what: DeliveryAction,
    /// Channel time of the decision.
    pub now: Timestamp,
}

/// `deliveries`: the platform took it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AnswerDelivered {
    /// The answer.
    pub answer: AnswerId,
    /// The channel.
    pub channel: ChannelId,
    /// The gateway.
    pub gateway: String,
    /// What was done.
    pub what: DeliveryAction,
    /// The platform's ids of the messages that were posted, in their order; empty for an answer
    /// that was taken back.
    pub native_ids: Vec<String>,
    /// Channel time of the decision.
    pub now: Timestamp,
}

/// `deliveries`: it was not sent, and is not tried again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DeliveryFailed {
    /// The answer.
    pub answer: AnswerId,
    /// The channel.
    pub channel: ChannelId,
    /// The gateway.
    pub gateway: String,
    /// What was to be done.
    pub what: DeliveryAction,
    /// Why, without any text of the answer.
    pub reason: String,
    /// Channel time of the decision.
    pub now: Timestamp,
}
