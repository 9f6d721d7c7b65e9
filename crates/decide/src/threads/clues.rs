//! What can be observed about a line and an earlier one.

/// An observation that speaks for or against a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Clue {
    // How far: lines between, counted from the later line.
    Lines1,
    Lines2,
    Lines3,
    Lines5,
    Lines10,
    Lines20,
    Lines40,
    LinesMore,
    // How far: minutes between.
    Minutes0,
    Minutes1,
    Minutes3,
    Minutes6,
    Minutes12,
    MinutesMore,
    // The speaker's own earlier line.
    /// It is the speaker's own.
    Own,
    /// It is the speaker's last.
    OwnLast,
    /// It is the line just before.
    OwnAdjacent,
    /// Somebody addressed the speaker since.
    OwnAnswered,
    /// Both address the same person.
    OwnSameTarget,
    /// The later line addresses someone whom the own one does not.
    OwnOtherTarget,
    /// The own line asks, and nobody answered.
    OwnQuestion,
    /// Neither addresses anybody.
    OwnUnaddressed,
    // The later line addresses the earlier one's writer.
    /// By address.
    To,
    /// It is that writer's last line.
    ToLast,
    /// It asks something.
    ToQuestion,
    /// It addresses the speaker.
    ToWhoAddressed,
    /// It is the last that this writer addressed to the speaker.
    ToWhoAddressedLast,
    /// It addresses someone other than the speaker.
    ToBusy,
    /// It addresses nobody.
    ToUnaddressed,
    /// By a name inside the text.
    Named,
    /// By a name inside the text, and it is that writer's last line.
    NamedLast,
    /// The later line addresses somebody else.
    Elsewhere,
    /// Both address the same person.
    SameTarget,
    // The earlier line addresses the speaker.
    /// By address.
    From,
    /// It is the last that addressed the speaker.
    FromLast,
    /// The speaker has not spoken since.
    FromUnanswered,
    /// The later line says thanks or that it works.
    FromResolved,
    /// It asks something.
    FromQuestion,
    /// It names the speaker inside the text.
    FromNamed,
    // Neither addresses the other.
    /// The earlier line addresses somebody else.
    Private,
    /// The earlier line asks, the later addresses nobody.
    Question,
    /// The earlier line asks and nobody addressed its writer since.
    QuestionOpen,
    /// Both lines ask.
    BothAsk,
    /// The earlier line addresses nobody and does not ask.
    Statement,
    // What the conversation of the earlier line looks like.
    /// The speaker took part in it.
    TookPart,
    /// The speaker spoke last in it.
    SpokeLastThere,
    /// The person addressed took part in it.
    TargetTookPart,
    /// The earlier line is its last so far.
    LastThere,
    /// The earlier line is its first.
    FirstThere,
    /// The speaker's last line was in another conversation.
    SpeakerElsewhere,
    // Words in common.
    Shared1,
    Shared2,
    Shared3,
    // Bots.
    /// A bot speaks after a command.
    BotAfterCommand,
    /// A bot speaks after the latest command.
    BotAfterLastCommand,
    /// A bot speaks after something else.
    BotAfterOther,
    /// The earlier line is a bot's.
    AfterBot,
    /// The earlier line is a bot's, just before.
    AfterBotAdjacent,
    /// The earlier line is a command to a bot.
    AfterCommand,
    // Starting a conversation.
    Start,
    /// The speaker has not been seen.
    StartUnseen,
    /// The speaker has not been seen lately.
    StartUnseenLately,
    /// The speaker's last line is near.
    StartNear,
    /// It asks something.
    StartQuestion,
    /// It asks, and the speaker has not been seen lately.
    StartUnseenQuestion,
    /// It greets.
    StartGreeting,
    /// It addresses somebody.
    StartAddressing,
    /// It names somebody inside the text.
    StartNaming,
    /// The speaker was addressed since they last spoke.
    StartAddressed,
    /// Few words.
    StartShort,
    /// Many words.
    StartLong,
    /// It says thanks or that it works.
    StartResolved,
    /// A bot speaks.
    StartBot,
    /// A bot command.
    StartCommand,
    /// The channel was quiet before.
    StartAfterQuiet,
}
