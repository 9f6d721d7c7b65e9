//! The state of `responder`.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use threadlore_model::{
    AnswerId, CaseId, Cause, ChannelClock, EventId, Line, MemoryId, MessageId, Offset, PersonId,
    Timestamp,
};

use crate::{KeyState, Parts};

/// A line of the channel with its place in `chat.events`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RoomLine {
    /// The offset of the message in `chat.events`.
    pub offset: Offset,
    /// Revision of the text; 0 is the post.
    pub revision: i64,
    /// The message.
    pub line: Line,
    /// The platform's id of it.
    pub native_id: String,
    /// The platform's id of the first message of its thread.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread_root: Option<String>,
    /// Whether it is addressed to the bot, as the platform says.
    pub to_bot: bool,
}

/// A turn that was not considered yet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WaitingTurn {
    /// The record that closed it.
    pub cause: Cause,
    /// Who wrote it.
    pub person: PersonId,
    /// Its messages, in the order of the log; never empty.
    pub messages: Vec<MessageId>,
    /// Offset in `chat.events` of the last of them.
    pub up_to: Offset,
    /// Channel time of its end.
    pub at: Timestamp,
}

/// An answer that was given a short time ago.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GivenAnswer {
    /// The turn that it answers.
    pub turn: EventId,
    /// The answer and the message that it replies to; `None` once it is withdrawn.
    #[serde(default)]
    pub answer: Option<(AnswerId, MessageId)>,
    /// The case that it quotes; of one that it only points at, it has the title.
    pub case: Option<CaseId>,
    /// The case whose words it has, if it has any.
    #[serde(default)]
    pub words_of: Option<CaseId>,
    /// The memory that it quotes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub memory: Option<MemoryId>,
    /// The thread in which it was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<MessageId>,
    /// When.
    pub at: Timestamp,
}

/// What `responder` knows of a channel.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResponderState {
    /// The channel's clock.
    pub clock: ChannelClock,
    /// Offset of the last record of `chat.events` that was read.
    pub read: Option<Offset>,
    /// Answers of the last 24 hours, oldest first.
    pub given: VecDeque<GivenAnswer>,
    /// Turns that were considered and are not read yet: a rebuilt state may learn so in this order.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    pub considered: VecDeque<EventId>,
    /// Answers that were withdrawn and are not read yet, for the same reason.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    pub withdrawn: VecDeque<AnswerId>,
    /// Messages that told the bot something that it did, with who wrote them, oldest first.
    #[serde(default, skip_serializing_if = "VecDeque::is_empty")]
    pub steered: VecDeque<(MessageId, PersonId)>,
    /// Recent lines, by their offsets.
    #[serde(skip)]
    pub lines: Parts<Offset, RoomLine>,
    /// Turns that were not considered yet, by their offsets in `chat.turns`.
    #[serde(skip)]
    pub turns: Parts<Offset, WaitingTurn>,
}

impl ResponderState {
    /// The line of a message; `None` where it is redacted, or no recent one.
    #[must_use]
    pub fn line_of(&self, message: MessageId) -> Option<&RoomLine> {
        let mut lines = self.lines.values().rev();
        lines.find(|line| line.line.message == message)
    }

    /// The thread that a turn is in, which is where it is answered; `None` for one that is in none.
    #[must_use]
    pub fn thread_of(&self, turn: &WaitingTurn) -> Option<MessageId> {
        let mut messages = turn.messages.iter().rev();
        let last = messages.find_map(|message| self.line_of(*message));
        last.and_then(|line| line.line.thread)
    }

    /// The lines that a reader of this thread sees, oldest first.
    pub fn lines_in(
        &self,
        thread: Option<MessageId>,
    ) -> impl DoubleEndedIterator<Item = &Line> + Clone {
        let lines = self.lines.values().map(|line| &line.line);
        lines.filter(move |line| line.is_seen_in(thread))
    }
}

/// What of the state is stored by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ResponderPart {
    /// A line of the channel.
    Line(RoomLine),
    /// A turn that waits.
    Turn(WaitingTurn),
}

impl KeyState for ResponderState {
    type Part = ResponderPart;

    fn take_changed(&mut self) -> Vec<(String, Option<ResponderPart>)> {
        let lines = self.lines.take_changed();
        let lines = lines.map(|(at, line)| {
            let part = line.cloned().map(ResponderPart::Line);
            (format!("line:{at}"), part)
        });
        let turns = self.turns.take_changed();
        let turns = turns.map(|(at, turn)| {
            let part = turn.cloned().map(ResponderPart::Turn);
            (format!("turn:{at}"), part)
        });
        lines.chain(turns).collect()
    }

    fn put_part(&mut self, part: ResponderPart) {
        match part {
            ResponderPart::Line(line) => self.lines.put_stored(line.offset, line),
            ResponderPart::Turn(turn) => self.turns.put_stored(turn.cause.offset, turn),
        }
    }

    fn clock(&self) -> &ChannelClock {
        &self.clock
    }

    fn clock_mut(&mut self) -> &mut ChannelClock {
        &mut self.clock
    }
}
