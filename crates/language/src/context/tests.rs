//! Given a chat and a mention, when its context is chosen, then it is what a
//! reader would point at.

mod generic;
mod laws;
mod replies;
mod rooms;

use std::collections::BTreeSet;

use threadlore_model::{ChannelId, Line, MessageId, PersonHasher, SpaceId, Timestamp};

use super::{Mention, Params, Selection, select};

fn message(native: &str) -> MessageId {
    let space = SpaceId::parse("s").expect("a valid space");
    let channel = ChannelId::parse("irc:c").expect("a valid channel");
    MessageId::of_native(&space, &channel, native)
}

/// A line; its native id is its first argument.
fn line(native: &str, minute: i64, name: &str, text: &str) -> Line {
    let space = SpaceId::parse("s").expect("a valid space");
    Line {
        message: message(native),
        person: PersonHasher::new(&[1; 32]).person(&space, "irc", name),
        name: Some(name.to_owned()),
        text: text.to_owned(),
        at: Timestamp::from_millis(minute * 60_000),
        reply_to: None,
        thread: None,
        mentions: Vec::new(),
        bot: name == "bot",
        positive: 0,
    }
}

/// Lines of `minute name text`, oldest first; native ids are `A`, `B` and so on.
fn chat(script: &[(i64, &str, &str)]) -> Vec<Line> {
    let id = |at: usize| char::from(b'A' + u8::try_from(at).expect("few lines"));
    script
        .iter()
        .enumerate()
        .map(|(at, (minute, name, text))| line(&id(at).to_string(), *minute, name, text))
        .collect()
}

fn reply(mut line: Line, to: &str) -> Line {
    line.reply_to = Some(message(to));
    line
}

fn ask(lines: &[Line], trigger: &Line, snapshot: Option<&Line>, params: &Params) -> Selection {
    let mention = Mention {
        lines,
        trigger,
        snapshot,
        bot: None,
        names: &["bot"],
        roots: &BTreeSet::new(),
    };
    select(&mention, params)
}

/// The native ids of what is chosen, in its order, and why: `A thread, C own`.
fn chosen(lines: &[Line], selection: &Selection) -> String {
    let name = |id: MessageId| {
        let at = lines.iter().position(|line| line.message == id);
        at.map_or_else(
            || "?".to_owned(),
            |at| char::from(b'A' + u8::try_from(at).expect("few lines")).to_string(),
        )
    };
    let each = selection.chosen.iter();
    let each = each.map(|c| format!("{} {}", name(c.message), c.reason.name()));
    each.collect::<Vec<_>>().join(", ")
}
