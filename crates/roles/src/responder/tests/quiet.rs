//! When the bot keeps quiet although memory knows an answer.

use std::time::Duration;

use super::*;

#[test]
fn what_was_said_long_ago_is_not_answered() {
    let mut room = question();
    let closed = room.turn(&[10], 1);
    let input = record(0, &closed, 0);
    fold(&mut room.state, &input);
    let limit = i64::try_from(room.params.answer_within.as_secs()).expect("seconds");
    room.now += limit;
    assert_eq!(room.decide(&input).calls.len(), 1);
    room.now += 1;
    assert_eq!(silent(&room.decide(&input)).0, TurnOutcome::TooLate);
}

#[test]
fn where_a_person_answered_first_the_bot_is_silent() {
    let mut room = question();
    let asked = asked(&room.closes(&[10]));
    let mut answer = posted(12, OTHER, "start the network manager again");
    if let Body::MessagePosted(posted) = &mut answer.body {
        posted.reply_to = Some(message(10));
    }
    let mut room = room.and(answer);
    let outcome = considered(&room.hears(&asked, &found(7))).outcome;
    assert_eq!(outcome, TurnOutcome::AnsweredByPerson);
    let mut room = question();
    let asked = super::asked(&room.closes(&[10]));
    let mut room = room.and(bot_posted(12, "read the wiki"));
    let outcome = considered(&room.hears(&asked, &found(7))).outcome;
    assert_eq!(outcome, TurnOutcome::Answered, "a bot is no person");
}

#[test]
fn the_same_answer_is_given_once_in_a_while_unless_the_bot_is_asked_by_name() {
    let mut room = question();
    assert_eq!(room.outcome(&[10], &found(7)), TurnOutcome::Answered);
    let mut room = room.says(20, ASKER, "how do I get the wifi back?");
    assert_eq!(room.outcome(&[20], &found(7)), TurnOutcome::Repeated);
    let mut room = room.says(30, ASKER, "@lore how do I get the wifi back?");
    assert_eq!(room.outcome(&[30], &found(7)), TurnOutcome::Answered);
    let mut room = room.says(40, ASKER, "how do I get the sound back?");
    assert_eq!(
        room.outcome(&[40], &found(8)),
        TurnOutcome::Answered,
        "another case"
    );
    let mut room = room.says(900, ASKER, "how do I get the wifi back?");
    assert_eq!(
        room.outcome(&[900], &found(7)),
        TurnOutcome::Answered,
        "long after"
    );
}

#[test]
fn a_channel_has_so_many_answers_a_minute_and_a_day() {
    let mut room = question();
    room.params.per_minute = 2;
    room.params.per_day = 3;
    room.params.repeat_after = Duration::ZERO;
    let mut outcomes = vec![room.outcome(&[10], &found(1))];
    for (n, known) in [(20, 2), (30, 3), (100, 4), (200, 5)] {
        room = room.says(n, ASKER, "how do I get that back?");
        outcomes.push(room.outcome(&[n], &found(known)));
    }
    use TurnOutcome::{Answered, TooMany};
    assert_eq!(outcomes, [Answered, Answered, TooMany, Answered, TooMany]);
    let day = 24 * 3600;
    let mut room = room.says(day + 300, ASKER, "how do I get that back?");
    assert_eq!(
        room.outcome(&[day + 300], &found(9)),
        Answered,
        "the next day"
    );
}

#[test]
fn who_says_in_the_same_breath_that_it_works_wants_no_help() {
    let mut told = room("my laptop wont suspend when i close the lid");
    assert_eq!(asked(&told.closes(&[10])).turn(), Some(Offset(0)));
    let mut told = room("my laptop wont suspend when i close the lid")
        .says(11, OTHER, "ann: set HandleLidSwitch=suspend")
        .says(12, ASKER, "thanks, that works!");
    assert_eq!(silent(&told.closes(&[10, 12])).0, TurnOutcome::Statement);
}

fn in_thread(mut event: Event, root: &str) -> Event {
    if let Body::MessagePosted(posted) = &mut event.body {
        posted.thread_root = Some(root.to_owned());
    }
    event
}

#[test]
fn each_thread_has_so_many_answers_and_the_same_one_again() {
    let mut room = question();
    room.params.per_minute = 1;
    assert_eq!(room.outcome(&[10], &found(7)), TurnOutcome::Answered);
    use TurnOutcome::{Answered, Repeated, TooMany};
    for (n, thread, known, wanted) in [
        (11, "$a", 7, Answered),
        (12, "$b", 7, Answered),
        (13, "$a", 7, Repeated),
        (14, "$b", 8, TooMany),
    ] {
        let asked = posted(n, ASKER, "how do I get the wifi back?");
        room = room.and(in_thread(asked, thread));
        assert_eq!(room.outcome(&[n], &found(known)), wanted, "{n} in {thread}");
    }
}

#[test]
fn what_is_said_in_another_thread_answers_nothing() {
    let answer = "start the network manager again, then the wifi is back";
    for (thread, wanted) in [
        ("$a", TurnOutcome::AnsweredByPerson),
        ("$b", TurnOutcome::Answered),
    ] {
        let asked = posted(10, ASKER, "how do I get the wifi back after the update?");
        let mut room = Room::default().and(in_thread(asked, "$a"));
        let asked = super::asked(&room.closes(&[10]));
        let mut room = room.and(in_thread(posted(12, OTHER, answer), thread));
        let outcome = considered(&room.hears(&asked, &found(7))).outcome;
        assert_eq!(outcome, wanted, "in {thread}");
    }
}
