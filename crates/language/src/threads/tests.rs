//! Given a chat, when it is linked, then its conversations come apart.

mod laws;
mod platforms;
mod talk;

use threadlore_model::{ChannelId, Line, MessageId, PersonHasher, PersonId, SpaceId, Timestamp};

/// A chat that is written down line by line.
struct Chat {
    lines: Vec<Line>,
    space: SpaceId,
    channel: ChannelId,
    people: PersonHasher,
}

impl Chat {
    fn new() -> Self {
        Self {
            lines: Vec::new(),
            space: SpaceId::parse("s").expect("a valid space"),
            channel: ChannelId::parse("irc:c").expect("a valid channel"),
            people: PersonHasher::new(&[1; 32]),
        }
    }

    fn person(&self, name: &str) -> PersonId {
        self.people.person(&self.space, "irc", name)
    }

    fn message(&self, native: &str) -> MessageId {
        MessageId::of_native(&self.space, &self.channel, native)
    }

    /// Somebody says something; names that end in `bot` are bots.
    fn say(&mut self, second: i64, name: &str, text: &str) -> &mut Line {
        let line = Line {
            message: self.message(&self.lines.len().to_string()),
            person: self.person(name),
            name: Some(name.to_owned()),
            text: text.to_owned(),
            at: Timestamp::from_millis(second * 1000),
            reply_to: None,
            thread: None,
            mentions: Vec::new(),
            bot: name.ends_with("bot"),
            positive: 0,
        };
        self.lines.push(line);
        self.lines.last_mut().expect("just pushed")
    }

    /// The same, as a platform's reply to a message by its native id.
    fn reply(&mut self, second: i64, name: &str, to: &str, text: &str) {
        let to = self.message(to);
        self.say(second, name, text).reply_to = Some(to);
    }
}

/// Lines of `minute name text`.
fn chat(script: &[(i64, &str, &str)]) -> Vec<Line> {
    let mut chat = Chat::new();
    for (minute, name, text) in script {
        chat.say(minute * 60, name, text);
    }
    chat.lines
}

/// For each line the first line of its conversation.
fn roots(links: &[Option<usize>]) -> Vec<usize> {
    let mut roots: Vec<usize> = Vec::new();
    for (at, link) in links.iter().enumerate() {
        roots.push(link.map_or(at, |earlier| roots[earlier]));
    }
    roots
}
