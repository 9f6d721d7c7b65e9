//! One error for all ports: what was being done, where, why, and its class.

use std::error::Error;

/// What the caller does about an error; decided by type, never by message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    /// Try again after a bounded pause.
    Retry,
    /// This one input cannot be taken; put it aside and go on.
    DeadLetter,
    /// Going on would do harm; stop and say so.
    Fatal,
}

/// Why nothing else is written while a space is restored.
pub const RESTORING: &str = "a restore is in progress: no role runs until it is complete; if it was \
     interrupted, run the same `threadlore restore` command again";

/// Why a port refused.
#[derive(Debug, thiserror::Error)]
pub enum PortError {
    /// Another owner took over this shard. Its holder changes nothing and stops.
    #[error("{shard} was taken over by another owner: epoch {epoch} is no longer current")]
    Fenced {
        /// Group and partition.
        shard: String,
        /// The epoch that was refused.
        epoch: i64,
    },
    /// The dependency could not be reached or did not answer; trying again may help.
    #[error("{doing}: {what} is not available")]
    Unavailable {
        /// What was being done.
        doing: &'static str,
        /// Which dependency.
        what: &'static str,
        /// Why.
        #[source]
        source: Option<Box<dyn Error + Send + Sync>>,
    },
    /// It is there, but cannot be used at this moment; trying again may help.
    #[error("{doing}: {reason}")]
    Busy {
        /// What was being done.
        doing: &'static str,
        /// Why not now, and what to do if that does not pass.
        reason: &'static str,
        /// Why.
        #[source]
        source: Option<Box<dyn Error + Send + Sync>>,
    },
    /// One input cannot be taken.
    #[error("{doing}: {reason}")]
    Refused {
        /// What was being done.
        doing: &'static str,
        /// Why, without private text.
        reason: String,
    },
    /// A promise is broken (corruption, lost range, wrong version); nothing may go on.
    #[error("{doing}: {reason}")]
    Broken {
        /// What was being done.
        doing: &'static str,
        /// What is wrong, where, and what to do.
        reason: String,
        /// Why.
        #[source]
        source: Option<Box<dyn Error + Send + Sync>>,
    },
}

impl PortError {
    /// What to do about it.
    #[must_use]
    pub const fn class(&self) -> Class {
        match self {
            Self::Unavailable { .. } | Self::Busy { .. } => Class::Retry,
            Self::Refused { .. } => Class::DeadLetter,
            Self::Fenced { .. } | Self::Broken { .. } => Class::Fatal,
        }
    }

    /// Whether another owner took over.
    #[must_use]
    pub const fn is_fenced(&self) -> bool {
        matches!(self, Self::Fenced { .. })
    }

    /// The same error for another caller who waited for the same work; its cause stays with
    /// the first.
    #[must_use]
    pub fn repeated(&self) -> Self {
        match self {
            Self::Fenced { shard, epoch } => Self::Fenced {
                shard: shard.clone(),
                epoch: *epoch,
            },
            Self::Unavailable { doing, what, .. } => Self::Unavailable {
                doing,
                what,
                source: None,
            },
            Self::Busy { doing, reason, .. } => Self::Busy {
                doing,
                reason,
                source: None,
            },
            Self::Refused { doing, reason } => Self::Refused {
                doing,
                reason: reason.clone(),
            },
            Self::Broken { doing, reason, .. } => Self::broken(doing, reason),
        }
    }

    /// A broken promise without an underlying error.
    #[must_use]
    pub fn broken(doing: &'static str, reason: impl Into<String>) -> Self {
        Self::Broken {
            doing,
            reason: reason.into(),
            source: None,
        }
    }
}
