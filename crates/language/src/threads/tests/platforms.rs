//! Reply links, mentions and topic roots, as chat platforms have them.

use super::super::{link, view::REACH};
use super::{Chat, roots};

#[test]
fn a_platform_reply_decides_alone() {
    let mut chat = Chat::new();
    chat.say(0, "ann", "how do I list open ports?");
    chat.say(90_000, "bob", "anyone here?");
    chat.reply(190_000, "cid", "0", "ss -tlnp");
    assert_eq!(link(&chat.lines)[2], Some(0));
}

#[test]
fn a_platform_reply_reaches_as_far_as_the_window() {
    let mut chat = Chat::new();
    chat.say(0, "ann", "how do I list open ports?");
    for second in 0..5 * REACH {
        chat.say(i64::try_from(second).expect("few"), "bob", "and on");
    }
    chat.reply(600, "cid", "0", "ss -tlnp");
    assert_eq!(link(&chat.lines).last(), Some(&Some(0)));
}

#[test]
fn a_reply_to_an_unknown_message_is_judged_by_its_words() {
    let mut chat = Chat::new();
    chat.say(0, "ann", "how do I list open ports?");
    chat.reply(20, "bob", "gone", "ann: ss -tlnp");
    assert_eq!(link(&chat.lines)[1], Some(0));
}

#[test]
fn a_platform_mention_addresses_without_a_name_in_the_text() {
    let mut chat = Chat::new();
    chat.say(0, "Ann K.", "the panel is gone after login, what now?");
    chat.say(5, "Bob", "does anyone use lvm here?");
    let ann = chat.person("Ann K.");
    chat.say(60, "Cid", "remove the folder .config/xfce4")
        .mentions = vec![ann];
    assert_eq!(link(&chat.lines)[2], Some(0));
}

#[test]
fn a_line_of_a_thread_answers_that_thread_or_the_message_with_which_it_begins() {
    let mut chat = Chat::new();
    chat.say(0, "ann", "how do I list open ports?");
    let ports = chat.message("0");
    chat.say(20, "cid", "ann: ss -tlnp");
    chat.say(25, "dan", "cid: since when does it list them?");
    assert_eq!(link(&chat.lines), [None, Some(0), Some(1)]);
    chat.lines[1].thread = Some(ports);
    // Who writes outside of the thread does not see it.
    assert_ne!(link(&chat.lines)[2], Some(1));
    chat.lines[2].thread = Some(chat.message("elsewhere"));
    assert_eq!(link(&chat.lines), [None, Some(0), None]);
    chat.lines[2].thread = Some(ports);
    assert_eq!(link(&chat.lines), [None, Some(0), Some(1)]);
    // What replies to a line is about it wherever it is written.
    chat.reply(30, "eve", "1", "that helps");
    assert_eq!(link(&chat.lines)[3], Some(1));
}

/// Two conversations of a forum topic whose every message replies to its root,
/// unless somebody used "reply".
fn topic(root_is_known: bool) -> Chat {
    let mut chat = Chat::new();
    if root_is_known {
        chat.say(0, "Admin", "Topic: printers");
    }
    let root = if root_is_known { "0" } else { "root" };
    for round in 0..8 {
        let at = 1000 + round * 90;
        chat.reply(
            at,
            "Ann",
            root,
            "the laser printer smears the toner, what could it be?",
        );
        chat.reply(
            at + 5,
            "Оля",
            root,
            "не бачу мережевого принтера, що робити?",
        );
        chat.reply(
            at + 30,
            "Bob",
            root,
            "Ann: clean the drum of the laser printer",
        );
        chat.reply(at + 40, "Петро", root, "Оля: перевір cups на сервері");
    }
    chat
}

#[test]
fn a_topic_root_is_not_what_its_messages_answer() {
    for root_is_known in [true, false] {
        let chat = topic(root_is_known);
        let links = link(&chat.lines);
        let roots = roots(&links);
        let first = usize::from(root_is_known);
        let to_root = links
            .iter()
            .filter(|link| root_is_known && **link == Some(0));
        assert!(to_root.count() <= 2, "{links:?}");
        assert_ne!(roots[first], roots[first + 1], "{links:?}");
        assert_eq!(roots[first], roots[first + 2], "{links:?}");
        assert_eq!(roots[first + 1], roots[first + 3], "{links:?}");
    }
}

#[test]
fn a_reply_inside_a_topic_still_decides() {
    let mut chat = topic(true);
    chat.reply(2000, "Zoe", "3", "the drum was it for me too");
    assert_eq!(link(&chat.lines).last(), Some(&Some(3)));
}

#[test]
fn what_is_said_in_one_topic_answers_nothing_in_another() {
    let mut chat = Chat::new();
    for round in 0..20 {
        chat.reply(round * 20, "Ann", "printers", "the printer smears, Bob?");
        chat.reply(
            round * 20 + 5,
            "Bob",
            "scanners",
            "the printer smears, Ann?",
        );
    }
    let roots = roots(&link(&chat.lines));
    let parity = |at: usize| roots[at] % 2 == at % 2;
    assert!((0..roots.len()).all(parity), "{roots:?}");
}

#[test]
fn a_question_with_a_few_answers_is_no_topic_root() {
    let mut chat = Chat::new();
    chat.say(0, "Ann", "which editor do you use?");
    for (second, name) in (10..).step_by(10).zip(["b", "c", "d", "e", "f", "g"]) {
        chat.reply(second, name, "0", "vim");
    }
    assert_eq!(link(&chat.lines)[1..], [Some(0); 6]);
}

#[test]
fn a_quotation_points_at_what_it_quotes() {
    let mut chat = Chat::new();
    chat.say(0, "Ann", "the panel is gone after login, what now?");
    chat.say(5, "Bob", "does anyone use lvm here?");
    for at in 0..6 {
        chat.say(10 + at, "Dan", "and then there is the other matter");
    }
    chat.say(60, "Cid", "> the panel is gone\nremove .config/xfce4");
    assert_eq!(link(&chat.lines).last(), Some(&Some(0)));
}
