//! The features of a line, and of an earlier line that it may answer.

/// The value for "never" and "nobody", in features that count lines or time.
pub(crate) const NEVER: i16 = i16::MAX;

macro_rules! features {
    ($($(#[doc = $doc:literal])+ $name:ident = $text:literal,)+) => {
        /// A number measured of a line, or of a line and an earlier one.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Feature {
            $($(#[doc = $doc])+ $name,)+
        }

        impl Feature {
            /// All features; each has its own place in a [`Row`].
            pub const ALL: &[Self] = &[$(Self::$name),+];

            /// The name in a file of weights.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$name => $text),+ }
            }
        }
    };
}

features! {
    // Of the line alone.
    /// It asks something.
    Asks = "asks",
    /// What it says about a problem: nothing, thanks, works, fails.
    Outcome = "outcome",
    /// It begins with a greeting.
    Greets = "greets",
    /// How many words it has.
    Words = "words",
    /// How many people it addresses.
    Addresses = "addresses",
    /// It begins like an address of a person, but of an unknown one.
    AddressesUnknown = "addresses-unknown",
    /// How many people it names inside its text.
    Names = "names",
    /// A bot wrote it.
    Bot = "bot",
    /// It is a command to a bot.
    Command = "command",
    /// It speaks of the one spoken to.
    You = "you",
    /// It speaks of the speaker.
    Me = "me",
    /// It begins as an answer does.
    BeginsAsAnswer = "begins-as-answer",
    /// It has the address of a page.
    Page = "page",
    /// Lines since the speaker's last one.
    OwnAge = "own-age",
    /// Time since the speaker's last line, in the channel's rhythm.
    OwnGap = "own-gap",
    /// How many remembered lines the speaker wrote.
    OwnLines = "own-lines",
    /// The speaker's last line asks something.
    OwnAsked = "own-asked",
    /// The speaker's last line ends as if more were to come.
    OwnOpen = "own-open",
    /// How many people the speaker's remembered lines address.
    OwnPartners = "own-partners",
    /// How many remembered lines of the speaker started a conversation.
    OwnStarts = "own-starts",
    /// How many lines addressed the speaker since their last one.
    AddressedSince = "addressed-since",
    /// Lines since one addressed the speaker.
    AddressedAge = "addressed-age",
    /// Lines since somebody answered the speaker, by the links found so far.
    AnsweredAge = "answered-age",
    /// Lines since one by somebody whom the line addresses or names.
    TargetAge = "target-age",
    /// Time since the line before, in the channel's rhythm.
    Quiet = "quiet",
    /// How many people wrote the last twenty lines.
    Crowd = "crowd",
    /// The largest weight of words shared with one earlier line.
    MostShared = "most-shared",

    // Of the earlier line, seen from the line.
    /// Lines from one to the other.
    Lines = "lines",
    /// Time between them, in the channel's rhythm.
    Gap = "gap",
    /// The same person wrote both.
    Own = "own",
    /// Lines between them by the speaker.
    OwnBetween = "own-between",
    /// Lines between them by the earlier line's writer.
    WriterBetween = "writer-between",
    /// Whether the line names (1) or addresses (2) the earlier line's writer.
    To = "to",
    /// Whether the earlier line names (1) or addresses (2) the speaker.
    From = "from",
    /// Both address the same person.
    SameTarget = "same-target",
    /// The line addresses somebody who is not the earlier line's writer.
    Elsewhere = "elsewhere",
    /// The earlier line addresses somebody who is not the speaker.
    WasElsewhere = "was-elsewhere",
    /// Lines between them that address the speaker.
    ToSpeakerBetween = "to-speaker-between",
    /// Lines between them that address the earlier line's writer.
    ToWriterBetween = "to-writer-between",
    /// Lines between them in which the writer addresses the speaker.
    WriterToSpeakerBetween = "writer-to-speaker-between",
    /// Lines to the writer's next line after the earlier one.
    WriterNext = "writer-next",
    /// Lines from the writer's line before the earlier one.
    WriterBefore = "writer-before",
    /// How many remembered lines of the two address the other.
    Pair = "pair",
    /// Lines since the writer addressed the speaker.
    ToSpeakerAge = "to-speaker-age",
    /// Lines since the speaker addressed the writer.
    ToWriterAge = "to-writer-age",
    /// How many others had an exchange with the speaker since the writer had.
    PartnerRank = "partner-rank",
    /// How many people the writer's remembered lines address.
    WriterPartners = "writer-partners",
    /// The speaker's line before answered the writer, by the links found so far.
    Partner = "partner",
    /// The earlier line asks something.
    WasAsking = "was-asking",
    /// What the earlier line says about a problem.
    WasOutcome = "was-outcome",
    /// The earlier line begins with a greeting.
    WasGreeting = "was-greeting",
    /// How many words the earlier line has.
    WasWords = "was-words",
    /// The earlier line speaks of the one spoken to.
    WasYou = "was-you",
    /// The earlier line speaks of its writer.
    WasMe = "was-me",
    /// The earlier line has the address of a page.
    WasPage = "was-page",
    /// The earlier line ends as if more were to come.
    WasOpen = "was-open",
    /// A bot wrote the earlier line.
    WasBot = "was-bot",
    /// The earlier line is a command to a bot.
    WasCommand = "was-command",
    /// Commands to bots between them.
    CommandsBetween = "commands-between",

    // By the links found so far.
    /// The earlier line starts its conversation.
    WasStart = "was-start",
    /// How many lines answer the earlier one.
    Answers = "answers",
    /// The earlier line answers the speaker (1), and their last line (2).
    AnswersSpeaker = "answers-speaker",
    /// How many lines the conversation has.
    Size = "size",
    /// How many people take part in it.
    People = "people",
    /// The speaker started it (1), the writer did (2), or both are one (3).
    Starter = "starter",
    /// How many lines it has after the earlier one.
    ThereAfter = "there-after",
    /// How many conversations have a later last line.
    ThereRank = "there-rank",
    /// Lines since its last one.
    ThereAge = "there-age",
    /// Lines since the speaker's last one in it.
    SpeakerThereAge = "speaker-there-age",
    /// Lines since the last one in it of somebody whom the line addresses.
    TargetThereAge = "target-there-age",
    /// The speaker's last line is in another conversation; never where there is none.
    SpeakerElsewhere = "speaker-elsewhere",

    // Words.
    /// The weight of the words that both have.
    Shared = "shared",
    /// How much more than that the best other line shares.
    SharedLess = "shared-less",
    /// The weight of the words shared with the conversation.
    SharedThere = "shared-there",
    /// How many words the line quotes of the earlier one.
    Quoted = "quoted",
}

/// How many features there are.
pub const FEATURES: usize = Feature::ALL.len();

/// A value for each feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row([i16; FEATURES]);

impl Row {
    pub(super) const fn new() -> Self {
        Self([0; FEATURES])
    }

    pub(super) fn set(&mut self, feature: Feature, value: usize) {
        self.0[feature as usize] = i16::try_from(value).unwrap_or(NEVER);
    }

    pub(super) fn flag(&mut self, feature: Feature, holds: bool) {
        self.0[feature as usize] = i16::from(holds);
    }

    /// A count of lines or time, or never.
    pub(super) fn since(&mut self, feature: Feature, value: Option<usize>) {
        self.set(feature, value.unwrap_or(usize::MAX));
    }

    /// The value of a feature.
    #[must_use]
    #[inline]
    pub const fn get(&self, feature: Feature) -> i16 {
        self.0[feature as usize]
    }
}
