use threadlore_model::{ChannelId, Line, MessageId, PersonHasher, SpaceId, Timestamp};

use super::{REACH, link};

/// Lines of `minute name text`; `text` may begin with `^N ` for a platform reply to line N.
fn chat(script: &[(i64, &str, &str)]) -> Vec<Line> {
    let space = SpaceId::parse("s").expect("a valid space");
    let channel = ChannelId::parse("irc:c").expect("a valid channel");
    let people = PersonHasher::new(&[1; 32]);
    let id = |at: &str| MessageId::of_native(&space, &channel, at);
    let line = |(at, (minute, name, text)): (usize, &(i64, &str, &str))| {
        let reply = text.strip_prefix('^').and_then(|rest| rest.split_once(' '));
        Line {
            message: id(&at.to_string()),
            person: people.person(&space, "irc", name),
            name: Some((*name).to_owned()),
            text: reply.map_or(*text, |(_, said)| said).to_owned(),
            at: Timestamp::from_millis(minute * 60_000),
            reply_to: reply.map(|(target, _)| id(target)),
            mentions: Vec::new(),
            bot: *name == "helperbot",
            positive: 0,
        }
    };
    script.iter().enumerate().map(line).collect()
}

#[test]
fn two_conversations_that_run_through_each_other_come_apart() {
    let lines = chat(&[
        (
            0,
            "ann",
            "hi, how do I mount a usb stick from the terminal?",
        ),
        (
            0,
            "bob",
            "my sound card is silent since the upgrade, any idea?",
        ),
        (1, "cid", "ann: sudo mount /dev/sdb1 /mnt"),
        (
            1,
            "dan",
            "bob: open alsamixer and unmute the master channel",
        ),
        (2, "ann", "cid: thanks, that worked"),
        (2, "bob", "dan: it was muted, thanks"),
    ]);
    assert_eq!(
        link(&lines),
        [None, None, Some(0), Some(1), Some(2), Some(3)]
    );
}

#[test]
fn a_platform_reply_decides_alone() {
    let lines = chat(&[
        (0, "ann", "how do I list open ports?"),
        (900, "bob", "anyone here?"),
        (1900, "cid", "^0 ss -tlnp"),
    ]);
    assert_eq!(link(&lines)[2], Some(0));
}

#[test]
fn a_reply_to_an_unknown_message_is_judged_by_its_words() {
    let lines = chat(&[
        (0, "ann", "how do I list open ports?"),
        (0, "bob", "^77 ann: ss -tlnp"),
    ]);
    assert_eq!(link(&lines)[1], Some(0));
}

#[test]
fn a_bot_answers_the_command_before_it() {
    let lines = chat(&[
        (0, "ann", "where do I report a bug?"),
        (0, "bob", "!bugs | ann"),
        (
            0,
            "helperbot",
            "ann: report bugs with the command ubuntu-bug",
        ),
    ]);
    assert_eq!(link(&lines)[2], Some(1));
}

#[test]
fn a_shortened_name_still_addresses() {
    let lines = chat(&[
        (0, "television_", "the panel is gone after login"),
        (0, "eve", "does anyone use lvm here?"),
        (
            1,
            "cid",
            "Television: remove the folder .config/xfce4 and log in again",
        ),
    ]);
    assert_eq!(link(&lines)[2], Some(0));
}

#[test]
fn links_point_back_and_not_too_far_whatever_the_text() {
    let odd = [
        "",
        ":",
        "@",
        "!",
        "!x |",
        "a:",
        "\u{0}\u{202e}?",
        "🙂🙂",
        "^",
        "|||| > <",
    ];
    let script: Vec<(i64, &str, &str)> = (0..260)
        .map(|at| {
            (
                (at * 7919) % 50,
                ["a", "ab", "c_", "helperbot"][at as usize % 4],
                odd[at as usize % odd.len()],
            )
        })
        .collect();
    let links = link(&chat(&script));
    assert_eq!(links.len(), script.len());
    for (at, earlier) in links.iter().enumerate() {
        assert!(earlier.is_none_or(|earlier| earlier < at && at - earlier <= REACH));
    }
    assert!(link(&[]).is_empty());
}
