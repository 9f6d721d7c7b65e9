//! Cases of made-up chats.

mod busy;
mod hostile;
mod languages;
mod open;
mod plain;
mod quiet;
mod solved;
mod titles;

use threadlore_model::{
    CaseId, ChannelId, EventId, Extraction, Hint, KnownCase, Line, MessageId, Outcome,
    PersonHasher, Signal, SpaceId, Timestamp, Window,
};

use super::Builtin;

/// A line: who, what, the line it answers, what the lexical rules read in it.
pub(crate) type Said<'a> = (&'a str, &'a str, Option<usize>, &'a str);

/// A window of lines a minute apart. In the last part of a line `?` is a
/// question, `+` works, `t` thanks, `-` fails, `r` a positive reaction, `b` a bot.
pub(crate) fn window(script: &[Said<'_>]) -> Window {
    let space = SpaceId::parse("s").expect("a valid space");
    let channel = ChannelId::parse("irc:c").expect("a valid channel");
    let people = PersonHasher::new(&[1; 32]);
    let lines = script
        .iter()
        .enumerate()
        .map(|(at, (name, text, _, marks))| Line {
            message: MessageId::of_native(&space, &channel, &at.to_string()),
            person: people.person(&space, "irc", name),
            name: Some((*name).to_owned()),
            text: (*text).to_owned(),
            at: Timestamp::from_millis(i64::try_from(at).expect("small") * 60_000),
            reply_to: None,
            thread: None,
            mentions: Vec::new(),
            bot: marks.contains('b'),
            positive: u32::from(marks.contains('r')),
        });
    let hint = |marks: &str| Hint {
        question: marks.contains('?'),
        outcome: match marks {
            _ if marks.contains('+') => Some(Outcome::Works),
            _ if marks.contains('t') => Some(Outcome::Thanks),
            _ if marks.contains('-') => Some(Outcome::Fails),
            _ => None,
        },
    };
    Window {
        channel: channel.clone(),
        lines: lines.collect(),
        links: script.iter().map(|(_, _, link, _)| *link).collect(),
        hints: script.iter().map(|(_, _, _, marks)| hint(marks)).collect(),
        open: Vec::new(),
    }
}

/// What an engine that knows nothing yet finds.
fn extract(window: &Window) -> Extraction {
    Builtin::default().cases(window)
}

/// The only case of a script: title, solution, signal.
fn only(found: &Extraction) -> (&str, Option<&str>, Option<Signal>) {
    assert_eq!(found.cases.len(), 1, "{found:?}");
    let case = &found.cases[0];
    (&case.title, case.solution.as_deref(), case.signal)
}
