//! The private state of each processor, one value per partition key. Changed
//! only by `fold`, read only by `decide`, reconstructible from the log.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use crate::{Case, CaseId, Cause, ChannelClock, Confirmation, Line, MessageId, Offset};

/// What every processor state has: the channel's clock.
pub trait KeyState {
    /// The clock of the channel that the key names.
    fn clock(&self) -> &ChannelClock;
    /// The same, to be moved on.
    fn clock_mut(&mut self) -> &mut ChannelClock;
}

/// `intake` keeps no state per channel but the clock; repeats are known by
/// unique key in the store.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct IntakeState {
    /// The channel's clock.
    pub clock: ChannelClock,
}

/// What `buffer` knows of a channel: what came since the last window.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BufferState {
    /// The channel's clock.
    pub clock: ChannelClock,
    /// Messages since the last window.
    pub pending: u32,
    /// Offset of the last message in `chat.events`.
    pub last: Offset,
}

/// A line of the window with its place in `chat.events`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowLine {
    /// Where the message stands in `chat.events`.
    pub offset: Offset,
    /// The message.
    pub line: Line,
}

/// What `extractor` knows of a channel.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtractorState {
    /// The channel's clock.
    pub clock: ChannelClock,
    /// The window (B2): recent lines, oldest first; those of solved cases have
    /// left. Lines that were not looked at yet stay whatever the limits say.
    pub window: Vec<WindowLine>,
    /// Positive reactions on messages of the window and of known cases.
    pub reactions: BTreeSet<Confirmation>,
    /// Offset of the last record of `chat.events` folded, if any.
    pub seen: Option<Offset>,
    /// Windows that are to be looked at: the offset in `chat.events` that each must
    /// cover, and the record that said so.
    pub awaiting: BTreeMap<Offset, Cause>,
    /// Lines up to this offset were looked at.
    pub looked: Option<Offset>,
    /// Evidence of cases that were decided here and not yet read back.
    pub claimed: BTreeSet<MessageId>,
    /// Cases of the channel: all open ones, and the latest others.
    pub cases: BTreeMap<CaseId, Case>,
}

/// What `promoter` knows of a channel: cases that may still expire.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PromoterState {
    /// The channel's clock.
    pub clock: ChannelClock,
    /// Cases that are neither solved by an extractor nor archived.
    pub watched: BTreeMap<CaseId, Case>,
    /// Versions on which expiry was decided, until that event is read back.
    pub deciding: BTreeMap<CaseId, i64>,
}

macro_rules! key_state {
    ($($name:ident),+) => {
        $(impl KeyState for $name {
            fn clock(&self) -> &ChannelClock { &self.clock }
            fn clock_mut(&mut self) -> &mut ChannelClock { &mut self.clock }
        })+
    };
}
key_state!(IntakeState, BufferState, ExtractorState, PromoterState);
