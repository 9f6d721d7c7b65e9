//! A message as roles look at it.

use threadlore_model::{
    ChannelClock, ChannelId, Line, MessageId, MessagePosted, Private, SpaceId, Timestamp,
};

/// The line of a message that arrived then. Erased texts are empty.
pub(crate) fn line_of(space: &SpaceId, posted: &MessagePosted, arrived: Timestamp) -> Line {
    let text = |field: &Private| field.text().unwrap_or_default().to_owned();
    Line {
        message: posted.message,
        person: posted.person,
        name: posted.author_name.as_ref().map(text),
        text: text(&posted.text),
        at: ChannelClock::clamp(posted.sent_at, arrived),
        reply_to: posted.reply_to,
        thread: thread_of(space, &posted.channel, posted.thread_root.as_deref()),
        mentions: posted.mentions.clone(),
        bot: posted.bot,
        positive: 0,
    }
}

/// The message with which a thread begins, of what the platform calls it.
pub(crate) fn thread_of(
    space: &SpaceId,
    channel: &ChannelId,
    root: Option<&str>,
) -> Option<MessageId> {
    root.map(|root| MessageId::of_native(space, channel, root))
}
