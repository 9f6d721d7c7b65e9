//! The result of parsing a line.

use threadlore_model::Event;

/// A line of a file, read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Line number, from 1.
    pub line: u64,
    /// The parsed line.
    pub parsed: Parsed,
    /// The alterations that were needed, each at most once.
    pub changes: Vec<Change>,
}

/// The kinds of lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Parsed {
    /// Something happened on the platform: one of the `Platform…` bodies.
    Event(Box<Event>),
    /// The log says something about itself: joins, parts, modes.
    System,
    /// Who the admins of the channel are, by the platform's ids. An import counts it as a line of
    /// the system.
    Admins(Vec<String>),
    /// Nothing but blanks.
    Blank,
    /// Skipped.
    Skip(Skip),
}

impl Parsed {
    /// A skipped line whose reason needs no details.
    pub(crate) const fn skip(reason: SkipReason) -> Self {
        Self::Skip(Skip {
            reason,
            detail: None,
        })
    }
}

/// Why a line was skipped, with details.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Skip {
    /// The reason.
    pub reason: SkipReason,
    /// The field and its problem, without its value.
    pub detail: Option<String>,
}

impl Skip {
    /// A line of which one field is wrong.
    pub(crate) fn of_field(reason: SkipReason, field: &str, problem: &str) -> Self {
        let detail = Some(format!("field {field:?}: {problem}"));
        Self { reason, detail }
    }
}

impl From<SkipReason> for Skip {
    fn from(reason: SkipReason) -> Self {
        Self {
            reason,
            detail: None,
        }
    }
}

macro_rules! reasons {
    ($(#[$doc:meta])* $name:ident { $($(#[$each:meta])* $variant:ident => $text:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$each])* $variant),+ }

        impl $name {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// In a few words without any text of the line, as in the closing count
            /// and in `docs/import-format.md`.
            #[must_use]
            pub const fn text(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }
        }
    };
}

reasons! {
    /// Why a line was skipped.
    SkipReason {
        /// Over the limit of one line.
        LineTooLong => "line longer than 1 MiB",
        /// JSON lines are UTF-8.
        NotUtf8 => "not UTF-8",
        /// JSON does not parse, or is no object.
        NotJson => "not a JSON object",
        /// The file ends within a JSON value.
        CutOff => "cut off at the end of the file",
        /// JSON, but not of the documented format.
        NotOfFormat => "a field is missing, unknown or of the wrong kind",
        /// An identifier that cannot be kept.
        BadId => "an id is empty, longer than 256 bytes or has control characters",
        /// The time does not parse.
        BadTime => "time cannot be read",
        /// The time is not of a chat.
        OutOfRange => "dated before 1970 or after 9999",
        /// The time is in the future.
        Future => "dated more than a day in the future",
        /// No nick.
        NoSender => "message without a sender",
        /// No text.
        NoText => "message without text",
        /// None of the line forms of an IRC log.
        NotIrc => "not a line of an IRC log",
    }
}

impl SkipReason {
    /// The reasons that may mean that a whole file is of another format.
    pub(crate) const OF_FORM: [Self; 6] = [
        Self::LineTooLong,
        Self::NotUtf8,
        Self::NotJson,
        Self::NotOfFormat,
        Self::BadTime,
        Self::NotIrc,
    ];
}

reasons! {
    /// How a line was altered.
    Change {
        /// The line was not UTF-8.
        Decoded => "not UTF-8, read as windows-1252",
        /// Half of a pair of surrogates, or an escape that is none.
        Mended => "JSON that no parser reads, mended",
        /// Control characters were removed.
        ControlsRemoved => "control characters removed",
        /// The end of the text was cut.
        TextCut => "text cut at 64 KiB",
        /// The end of a name was cut.
        NameCut => "name cut at 256 bytes",
    }
}
