//! The input and the result of an extraction: the contract of every engine, built in or a model.

use serde::{Deserialize, Serialize};

use crate::{CaseId, ChannelId, MessageId, PersonId, Signal, Timestamp};

/// One message as extraction sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Line {
    /// The message.
    pub message: MessageId,
    /// The writer.
    pub person: PersonId,
    /// The writer's name, when known: mentions in plain text are found by it.
    pub name: Option<String>,
    /// The text, edits applied.
    pub text: String,
    /// When it was sent.
    pub at: Timestamp,
    /// The message it replies to, when the platform says so.
    pub reply_to: Option<MessageId>,
    /// The message with which its thread begins, when the platform says that it is in one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thread: Option<MessageId>,
    /// The people that the message mentions, according to the platform.
    pub mentions: Vec<PersonId>,
    /// Written by a bot: context only, never part of a case.
    pub bot: bool,
    /// How many people reacted with a positive emoji.
    pub positive: u32,
}

impl Line {
    /// Whether a reader of a thread sees it; `None` is the channel outside of its threads. A line is seen where it
    /// was written, and in the thread that it begins.
    #[must_use]
    pub fn is_seen_in(&self, thread: Option<MessageId>) -> bool {
        self.thread == thread || thread == Some(self.message)
    }
}

/// What a message says about the state of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Something works or is solved.
    Works,
    /// Thanks for help.
    Thanks,
    /// Something still does not work.
    Fails,
}

/// What the lexical rules found in one line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hint {
    /// It asks something.
    pub question: bool,
    /// What it says about the state of a problem, if anything.
    pub outcome: Option<Outcome>,
}

/// A case that is open in the channel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KnownCase {
    /// The case.
    pub case: CaseId,
    /// Its title.
    pub title: String,
    /// Its problem.
    pub problem: String,
    /// What was suggested to it so far.
    #[serde(default)]
    pub suggestion: Option<String>,
    /// Messages it came from.
    pub evidence: Vec<MessageId>,
}

/// The window of a channel, oldest line first, with the thread structure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Window {
    /// The channel.
    pub channel: ChannelId,
    /// Lines in the order of the log.
    pub lines: Vec<Line>,
    /// For each line the index of the earlier line it answers or continues, or
    /// `None` where it starts a conversation. Same length as `lines`.
    pub links: Vec<Option<usize>>,
    /// What the lexical rules found in each line. Same length as `lines`.
    pub hints: Vec<Hint>,
    /// Cases that wait for a solution.
    pub open: Vec<KnownCase>,
}

/// A case found in a window. Indices point into [`Window::lines`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Draft {
    /// A short name for the problem.
    pub title: String,
    /// The problem, in the words of the chat.
    pub problem: String,
    /// The solution; `None` while open.
    pub solution: Option<String>,
    /// What may be the solution of an open case; `None` where nobody answered anything.
    #[serde(default)]
    pub suggestion: Option<String>,
    /// Lower-case key words.
    pub tags: Vec<String>,
    /// Lines that state the problem; never empty, ascending.
    pub problem_lines: Vec<usize>,
    /// Lines with the solution, ascending. While the case is open: lines with advice that may turn
    /// out to be the solution.
    pub solution_lines: Vec<usize>,
    /// Other lines of the same conversation that are evidence, ascending.
    pub other_lines: Vec<usize>,
    /// Why it counts as solved; `None` while open.
    pub signal: Option<Signal>,
    /// The line that says so: the asker's thanks or report, or what was reacted to. `None` while
    /// open, and where no line does.
    #[serde(default)]
    pub signal_line: Option<usize>,
}

/// An open case that the window resolves.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resolved {
    /// Which open case.
    pub case: CaseId,
    /// The solution.
    pub solution: String,
    /// Lines that carry it, ascending, never empty.
    pub solution_lines: Vec<usize>,
    /// Why it counts as solved.
    pub signal: Signal,
    /// The line that says so: the asker's thanks or report, or what was reacted to. `None` where no
    /// line does.
    #[serde(default)]
    pub signal_line: Option<usize>,
}

/// What may be the solution of an open case, as the window shows it: it takes the place of what
/// was suggested before.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Suggested {
    /// Which open case.
    pub case: CaseId,
    /// What was suggested; empty where all of it proved wrong.
    pub suggestion: String,
    /// Lines that carry it, ascending.
    pub lines: Vec<usize>,
}

/// The cases that an engine found in a window.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Extraction {
    /// New cases.
    pub cases: Vec<Draft>,
    /// Open cases that are solved now.
    pub resolved: Vec<Resolved>,
    /// Open cases with what may be their solution.
    #[serde(default)]
    pub suggested: Vec<Suggested>,
}
