//! A message as roles look at it.

use threadlore_model::{ChannelClock, Line, MessagePosted, Private, Timestamp};

/// The line of a message that arrived then. Erased texts are empty.
pub(crate) fn line_of(posted: &MessagePosted, arrived: Timestamp) -> Line {
    let text = |field: &Private| field.text().unwrap_or_default().to_owned();
    Line {
        message: posted.message,
        person: posted.person,
        name: posted.author_name.as_ref().map(text),
        text: text(&posted.text),
        at: ChannelClock::clamp(posted.sent_at, arrived),
        reply_to: posted.reply_to,
        mentions: posted.mentions.clone(),
        bot: posted.bot,
        positive: 0,
    }
}
