//! The state of `extractor`.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use threadlore_language::hint;
use threadlore_language::threads::Linker;
use threadlore_model::{
    Case, CaseId, ChannelClock, Confirmation, Hint, Line, MessageId, Offset, SparseVector,
    Timestamp, alike_terms,
};

use super::{ExtractorParams, QueuedRecord, RecordQueue};
use crate::{KeyState, Parts};

/// A line of the window with its place in `chat.events`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WindowLine {
    /// The offset of the message in `chat.events`.
    pub offset: Offset,
    /// Revision of the text; 0 is the post.
    pub revision: i64,
    /// Revision of the edit that last changed the words.
    pub reworded: Option<i64>,
    /// The message. Its time is at most five minutes after its arrival.
    pub line: Line,
    /// The earlier message that it answers or continues, found when it was posted.
    pub link: Option<MessageId>,
    /// What its text says of a problem.
    pub hint: Hint,
}

/// What `extractor` knows of a channel.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct ExtractorState {
    /// The channel's clock.
    pub clock: ChannelClock,
    /// Reactions not withdrawn, on messages of the window and of known cases.
    pub reactions: BTreeSet<Confirmation>,
    /// Records that were read and wait for their turn. All else here follows from
    /// those whose turn came.
    pub queue: RecordQueue,
    /// An extraction covered the lines up to this offset.
    pub looked: Option<Offset>,
    /// Recent lines, by their offsets: those that the next window may show, and a few
    /// before them, by which threads are found. Lines of people that no extraction covered
    /// yet stay whatever the limits say.
    #[serde(skip)]
    window: Parts<Offset, WindowLine>,
    /// Cases of the channel: those that are open, the latest others, and those with a
    /// line in the window. This role owns them, so what it decides counts at once.
    #[serde(skip)]
    pub cases: Parts<CaseId, Case>,
    /// What the cases are compared by; it follows from them, and is found when it is needed.
    #[serde(skip)]
    terms: BTreeMap<CaseId, OnceLock<SparseVector>>,
    /// What is remembered of the window's lines to find threads; it follows from them.
    #[serde(skip)]
    linker: Option<Linker>,
    /// Lines were removed that `linker` still remembers.
    #[serde(skip)]
    lines_left: bool,
}

/// By what is stored.
impl PartialEq for ExtractorState {
    fn eq(&self, other: &Self) -> bool {
        self.clock == other.clock
            && self.reactions == other.reactions
            && self.queue == other.queue
            && self.looked == other.looked
            && self.window == other.window
            && self.cases == other.cases
    }
}

impl Eq for ExtractorState {}

impl ExtractorState {
    /// The lines, oldest first.
    pub fn lines(&self) -> impl DoubleEndedIterator<Item = &WindowLine> {
        self.window.values()
    }

    /// The line of a message.
    #[must_use]
    pub fn line_of(&self, message: MessageId) -> Option<&WindowLine> {
        self.lines().find(|line| line.line.message == message)
    }

    /// Adds the line of a message, and finds what it answers.
    pub(super) fn add_line(&mut self, offset: Offset, line: Line) {
        let reply = self.linker().reply_of(&line);
        let reply = reply.filter(|message| self.line_of(*message).is_some());
        let (link, hint) = match reply {
            Some(_) => (reply, self.linker().remember(&line, reply)),
            None => self.linker().judge(&line),
        };
        let line = WindowLine {
            offset,
            revision: 0,
            reworded: None,
            hint,
            line,
            link,
        };
        self.window.insert(offset, line);
    }

    /// Replaces a line's text by an edit's.
    pub(super) fn reword(&mut self, message: MessageId, revision: i64, text: &str) {
        let Some(mut line) = self.line_of(message).cloned() else {
            return;
        };
        if revision <= line.revision {
            return;
        }
        line.revision = revision;
        if line.line.text != text {
            line.reworded = Some(revision);
            text.clone_into(&mut line.line.text);
            line.hint = hint(text);
            self.linker = None;
        }
        self.window.insert(line.offset, line);
    }

    /// Removes lines.
    pub(super) fn remove_lines(&mut self, offsets: impl IntoIterator<Item = Offset>) {
        for offset in offsets {
            self.window.remove(&offset);
            self.lines_left = true;
        }
    }

    /// Adds or replaces a case.
    pub(super) fn put_case(&mut self, case: Case) {
        self.terms.insert(case.case, OnceLock::new());
        self.cases.insert(case.case, case);
    }

    /// Removes a case.
    pub(super) fn take_case(&mut self, id: &CaseId) -> Option<Case> {
        self.terms.remove(id);
        self.cases.remove(id)
    }

    /// What a known case is compared by.
    pub(super) fn terms_of(&self, case: &Case) -> Cow<'_, SparseVector> {
        let terms = || {
            let text = |text: &Option<String>| text.clone().unwrap_or_default();
            alike_terms(&format!("{}\n{}", text(&case.title), text(&case.problem)))
        };
        match self.terms.get(&case.case) {
            Some(known) => Cow::Borrowed(known.get_or_init(terms)),
            None => Cow::Owned(terms()),
        }
    }

    fn linker(&mut self) -> &mut Linker {
        let is_current = self.linker.is_some() && !self.lines_left;
        let linker = self.linker.get_or_insert_default();
        if !is_current {
            let lines = self.window.values();
            linker.remember_only(lines.map(|line| (&line.line, line.link)));
            self.lines_left = false;
        }
        linker
    }

    /// The lines that an extraction up to `up_to` covers, oldest first: lines of people that no
    /// extraction covered, and before them the latest others within the limits of age and count.
    /// Age is counted back from the last of the lines, so that history imported into a
    /// channel that already has newer messages is extracted from like any other.
    #[must_use]
    pub fn covered(&self, up_to: Offset, params: &ExtractorParams) -> Vec<&WindowLine> {
        let lines = || self.window.range(..=up_to).map(|(_, line)| line);
        let Some(last) = lines().next_back() else {
            return Vec::new();
        };
        let oldest: Timestamp = last.line.at.minus(params.window_age);
        let fresh = |l: &WindowLine| !l.line.bot && Some(l.offset) > self.looked;
        let count = lines().filter(|l| fresh(l)).count();
        let mut room = params.window_messages.saturating_sub(count);
        let mut covered = Vec::new();
        for line in lines().rev() {
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

/// The order in which cases are looked through where one is chosen: the same in every decision run,
/// while ids of cases differ from run to run.
pub(super) fn age(case: &Case) -> impl Ord + use<> {
    let first = case.evidence.first().map(|evidence| evidence.message);
    (case.opened_at, first, case.case)
}

/// What of the state is stored by itself.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExtractorPart {
    /// A line of the window.
    Line(WindowLine),
    /// A case.
    Case(Box<Case>),
    /// A record that waits for its turn.
    Queued(QueuedRecord),
}

impl KeyState for ExtractorState {
    type Part = ExtractorPart;

    fn take_changed(&mut self) -> Vec<(String, Option<ExtractorPart>)> {
        let lines = self.window.take_changed().map(|(at, line)| {
            let part = line.cloned().map(ExtractorPart::Line);
            (format!("line:{at}"), part)
        });
        let cases = self.cases.take_changed().map(|(id, case)| {
            let part = case
                .cloned()
                .map(|case| ExtractorPart::Case(Box::new(case)));
            (format!("case:{id}"), part)
        });
        let queued = self.queue.take_changed().into_iter();
        let queued = queued.map(|(name, part)| (name, part.map(ExtractorPart::Queued)));
        lines.chain(cases).chain(queued).collect()
    }

    fn put_part(&mut self, part: ExtractorPart) {
        match part {
            ExtractorPart::Line(line) => self.window.put_stored(line.offset, line),
            ExtractorPart::Case(case) => {
                self.terms.insert(case.case, OnceLock::new());
                self.cases.put_stored(case.case, *case);
            }
            ExtractorPart::Queued(part) => self.queue.put_stored(part),
        }
    }

    fn drop_derived(&mut self) {
        self.linker = None;
        self.terms.values_mut().for_each(|terms| drop(terms.take()));
    }

    fn clock(&self) -> &ChannelClock {
        &self.clock
    }

    fn clock_mut(&mut self) -> &mut ChannelClock {
        &mut self.clock
    }
}
