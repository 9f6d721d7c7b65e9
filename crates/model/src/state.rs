//! The private state of each processor, one value per partition key. Changed
//! only by `fold`, read only by `decide`, reconstructible from the log.

use std::collections::BTreeSet;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::{
    Case, CaseId, Cause, ChannelClock, Confirmation, ExtractorParams, Line, Offset, Parts,
    RecordQueue,
};

/// What every processor state has: the channel's clock, and parts that are stored
/// one by one, because they are many and few of them change at a time.
pub trait KeyState {
    /// What is stored by itself; `()` where nothing is.
    type Part: Serialize + DeserializeOwned;
    /// Parts that changed since this was last asked, by name; `None` for one that
    /// is gone.
    fn take_changed(&mut self) -> Vec<(String, Option<&Self::Part>)>;
    /// Takes in a part as it was stored.
    fn put_part(&mut self, part: Self::Part);
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

/// What `buffer` knows of a channel: what was read since the last window.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct BufferState {
    /// The channel's clock.
    pub clock: ChannelClock,
    /// Messages, edits and reactions since the last window.
    pub pending: u32,
    /// Records of any kind since the last window.
    #[serde(default)]
    pub records: u32,
    /// Offset of the last message in `chat.events`.
    pub last: Offset,
}

/// A line of the window with its place in `chat.events`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowLine {
    /// Where the message stands in `chat.events`.
    pub offset: Offset,
    /// Revision of the text; 0 is the post.
    pub revision: i64,
    /// Revision of the edit that last changed the words.
    #[serde(default)]
    pub reworded: Option<i64>,
    /// The message. Its time is at most five minutes after its arrival.
    pub line: Line,
}

/// What `extractor` knows of a channel.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExtractorState {
    /// The channel's clock.
    pub clock: ChannelClock,
    /// The window (B2): recent lines, oldest first. Lines of people that were not
    /// looked at yet stay whatever the limits say.
    pub window: Vec<WindowLine>,
    /// Reactions that stand on messages of the window and of known cases.
    pub reactions: BTreeSet<Confirmation>,
    /// Records that were read and wait for their turn. All else here follows from
    /// those whose turn came.
    #[serde(default)]
    pub queue: RecordQueue,
    /// Lines up to this offset were looked at.
    pub looked: Option<Offset>,
    /// Cases of the channel: those that are open, the latest others, and those with a
    /// line in the window. This role owns them, so what it decides counts at once.
    #[serde(default, skip_serializing)]
    pub cases: Parts<CaseId, Case>,
}

impl ExtractorState {
    /// The lines that a look up to `up_to` covers, oldest first, and that stay
    /// after it: lines of people that were not looked at, and before them the
    /// latest others within the limits of age and count (C8). Age is counted back
    /// from the last of the lines, so that history imported into a channel that
    /// already has newer messages is looked at like any other.
    #[must_use]
    pub fn covered(&self, up_to: Offset, params: &ExtractorParams) -> Vec<&WindowLine> {
        let end = self.window.partition_point(|l| l.offset <= up_to);
        let Some(last) = self.window[..end].last() else {
            return Vec::new();
        };
        let oldest = last.line.at.minus(params.window_age);
        let fresh = |l: &WindowLine| !l.line.bot && Some(l.offset) > self.looked;
        let lines = &self.window[..end];
        let count = lines.iter().filter(|l| fresh(l)).count();
        let mut room = params.window_messages.saturating_sub(count);
        let mut covered = Vec::new();
        for line in lines.iter().rev() {
            if fresh(line) {
                covered.push(line);
            } else if room > 0 && line.line.at >= oldest {
                room -= 1;
                covered.push(line);
            }
        }
        covered.reverse();
        covered
    }
}

/// A text of a case that is to have a vector.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WantedText {
    /// The record that says so; no other record wants the same.
    pub cause: Cause,
    /// The case.
    pub case: CaseId,
    /// The text.
    pub text: String,
}

/// What `embedder` knows of a channel: texts whose vectors were not decided yet.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EmbedderState {
    /// The channel's clock.
    pub clock: ChannelClock,
    /// By the offset of what wants them, so in the order of the log.
    #[serde(default, skip_serializing)]
    pub wanted: Parts<Offset, WantedText>,
}

impl KeyState for EmbedderState {
    type Part = WantedText;
    fn take_changed(&mut self) -> Vec<(String, Option<&WantedText>)> {
        let changed = self.wanted.take_changed();
        changed.map(|(at, text)| (at.to_string(), text)).collect()
    }
    fn put_part(&mut self, text: WantedText) {
        self.wanted.put_stored(text.cause.offset, text);
    }
    fn clock(&self) -> &ChannelClock {
        &self.clock
    }
    fn clock_mut(&mut self) -> &mut ChannelClock {
        &mut self.clock
    }
}

macro_rules! key_state {
    ($($name:ident),+; $($parted:ident . $parts:ident),+) => {
        $(impl KeyState for $name {
            type Part = ();
            fn take_changed(&mut self) -> Vec<(String, Option<&()>)> { Vec::new() }
            fn put_part(&mut self, (): ()) {}
            fn clock(&self) -> &ChannelClock { &self.clock }
            fn clock_mut(&mut self) -> &mut ChannelClock { &mut self.clock }
        })+
        $(impl KeyState for $parted {
            type Part = Case;
            fn take_changed(&mut self) -> Vec<(String, Option<&Case>)> {
                let changed = self.$parts.take_changed();
                changed.map(|(id, case)| (id.to_string(), case)).collect()
            }
            fn put_part(&mut self, case: Case) {
                self.$parts.put_stored(case.case, case);
            }
            fn clock(&self) -> &ChannelClock { &self.clock }
            fn clock_mut(&mut self) -> &mut ChannelClock { &mut self.clock }
        })+
    };
}
key_state!(IntakeState, BufferState; ExtractorState.cases);
