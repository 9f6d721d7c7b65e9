//! What people say of answers.

use threadlore_model::{AnswerId, AnswerRated, CaseId, Rating, RatingRequested};

use super::*;
use crate::testing::{reacted, unreacted};

/// A room in which the message 10 was answered by the bot's message 11.
pub(super) fn answered() -> Room {
    let mut room = question();
    assert_eq!(room.outcome(&[10], &found(7)), TurnOutcome::Answered);
    room.and(replying(
        bot_posted(11, "Start the network manager again."),
        10,
    ))
}

pub(super) fn replying(mut event: Event, to: u32) -> Event {
    if let Body::MessagePosted(posted) = &mut event.body {
        posted.reply_to = Some(message(to));
    }
    event
}

pub(super) fn ratings(bodies: &[Body]) -> Vec<(u128, Option<Rating>)> {
    let rated = bodies.iter().filter_map(|body| match body {
        Body::AnswerRated(AnswerRated {
            person,
            rating,
            turn,
            ..
        }) => {
            assert_eq!(*turn, turn_id(0));
            Some((person.as_uuid().as_u128(), *rating))
        }
        _ => None,
    });
    rated.collect()
}

/// What a record of the room leads to.
fn hears(room: &mut Room, event: &Event) -> Vec<Body> {
    room.lines += 1;
    let input = record(room.lines, event, 0);
    fold(&mut room.state, &input);
    let decided = room.decide(&input).events.into_iter();
    decided.map(|decided| decided.body).collect()
}

/// What a turn of somebody leads to, without a question to memory.
fn says(room: Room, n: u32, event: Event) -> (Room, Vec<Body>) {
    let mut room = room.and(event);
    let writer = |room: &Room| room.state.line_of(message(n)).map(|line| line.line.person);
    let person = writer(&room).expect("the line");
    let mut closed = room.turn(&[n], room.lines);
    if let Body::TurnClosed(turn) = &mut closed.body {
        turn.person = person;
    }
    let input = record(room.turns, &closed, 0);
    room.turns += 1;
    fold(&mut room.state, &input);
    let decided = room.decide(&input).events.into_iter();
    let bodies = decided.map(|decided| decided.body).collect();
    (room, bodies)
}

#[test]
fn a_reaction_on_an_answer_rates_it_and_its_withdrawal_takes_that_back() {
    let mut room = answered();
    for (event, rating) in [
        (reacted(11, 5, "👍"), Some(Rating::Helped)),
        (reacted(11, 6, ":thumbsdown:"), Some(Rating::Failed)),
        (unreacted(11, 5, "👍"), None),
    ] {
        let bodies = hears(&mut room, &event);
        assert_eq!(ratings(&bodies).len(), 1, "{bodies:?}");
        assert_eq!(ratings(&bodies)[0].1, rating);
    }
    for event in [
        reacted(11, 5, "😂"),
        reacted(10, 5, "👍"),
        reacted(99, 5, "👍"),
    ] {
        assert_eq!(hears(&mut room, &event), [], "of no answer, or of no worth");
    }
}

#[test]
fn who_was_shown_an_answer_elsewhere_rates_it_by_a_request_however_old_it_is() {
    // The answer is none that the room remembers.
    let mut room = question();
    for rating in [Some(Rating::Helped), Some(Rating::Failed), None] {
        let request = RatingRequested {
            channel: channel(),
            answer: AnswerId::from_uuid(uuid::Uuid::from_u128(77)),
            turn: turn_id(0),
            person: person(5),
            rating,
            now: at(20),
        };
        let bodies = hears(&mut room, &event(request, at(20)));
        assert_eq!(ratings(&bodies), [(5, rating)], "{bodies:?}");
        assert!(
            matches!(&bodies[..], [Body::AnswerRated(rated)]
                if rated.answer.as_uuid().as_u128() == 77 && rated.message.is_none()),
            "{bodies:?}"
        );
    }
}

#[test]
fn words_about_an_answer_rate_it_in_five_languages() {
    for (text, rating) in [
        ("thanks, that works!", Rating::Helped),
        ("that didn't work", Rating::Failed),
        ("спасибо, помогло", Rating::Helped),
        ("не работает", Rating::Failed),
        ("дякую, працює", Rating::Helped),
        ("не працює", Rating::Failed),
        ("תודה, עובד", Rating::Helped),
        ("לא עובד", Rating::Failed),
        ("danke, das funktioniert", Rating::Helped),
        ("das funktioniert nicht", Rating::Failed),
        ("this solved it", Rating::Helped),
        ("wrong", Rating::Failed),
        ("that is wrong", Rating::Failed),
        ("неправильно", Rating::Failed),
        ("неправильно, це не те", Rating::Failed),
        ("לא נכון", Rating::Failed),
        ("das ist falsch", Rating::Failed),
    ] {
        // A reply, whoever writes it; and the asker's next line.
        let reply = replying(posted(12, OTHER, text), 11);
        let next = posted(12, ASKER, text);
        for (event, who) in [(reply, OTHER), (next, ASKER)] {
            let (_, bodies) = says(answered(), 12, event);
            assert_eq!(ratings(&bodies), [(who, Some(rating))], "{text}");
            let considered = considered(&bodies);
            assert_eq!(considered.outcome, TurnOutcome::Rated, "{text}");
        }
    }
}

#[test]
fn thanks_to_somebody_else_or_long_after_are_not_about_the_answer() {
    let others = answered().says(12, OTHER, "or reload the driver");
    let (_, bodies) = says(others, 13, posted(13, ASKER, "thanks, that works!"));
    assert_eq!(ratings(&bodies), [], "another person wrote last");
    let (_, bodies) = says(answered(), 12, posted(12, OTHER, "thanks, that works!"));
    assert_eq!(ratings(&bodies), [], "it was not given to them");
    let (_, bodies) = says(answered(), 2000, posted(2000, ASKER, "thanks, that works!"));
    assert_eq!(ratings(&bodies), [], "long after");
    let (_, bodies) = says(answered(), 12, posted(12, ASKER, "I had soup today"));
    assert_eq!(ratings(&bodies), []);
}

#[test]
fn who_says_that_it_did_not_help_and_asks_on_is_heard_twice() {
    let mut room = answered().and(replying(
        posted(
            12,
            ASKER,
            "that didn't work, what else can I do about the wifi?",
        ),
        11,
    ));
    let closed = room.turn(&[12], room.lines);
    let input = record(room.turns, &closed, 0);
    fold(&mut room.state, &input);
    let asked = asked(&room.decide(&input));
    let bodies = room.hears(&asked, &nothing(TurnOutcome::NothingFound));
    assert_eq!(ratings(&bodies), [(ASKER, Some(Rating::Failed))]);
    assert_eq!(considered(&bodies).tag, Some(GateTag::Mention));
}

/// What is asked of memory where somebody asks this in a room with an answer, and which answer the turn
/// says that it had before.
fn asks(room: Room, n: u32, who: u128, text: &str) -> (Option<CaseId>, Option<AnswerId>) {
    let mut room = room.says(n, who, text);
    let mut closed = room.turn(&[n], room.lines);
    if let Body::TurnClosed(turn) = &mut closed.body {
        turn.person = person(who);
    }
    let input = record(room.turns, &closed, 0);
    room.turns += 1;
    fold(&mut room.state, &input);
    let asked = asked(&room.decide(&input));
    let ResponderCall::Recall(call) = &asked else {
        panic!("a question: {asked:?}")
    };
    let had = call.had;
    let bodies = room.hears(&asked, &nothing(TurnOutcome::NothingClose));
    (had, considered(&bodies).asks_again)
}

#[test]
fn who_asks_the_same_again_had_an_answer_that_failed() {
    const SAME: &str = "how can I get the wifi back after that update?";
    let given = answered().state.given[0].clone();
    let again = (Some(case(7)), given.answer.map(|(answer, _)| answer));
    assert_eq!(asks(answered(), 100, ASKER, SAME), again);
    let twice = format!("hello?\n{SAME}");
    assert_eq!(asks(answered(), 100, ASKER, &twice).0, again.0);
    // Who tells the bot to has read what it said.
    assert_eq!(asks(answered(), 30, ASKER, &format!("@lore {SAME}")), again);
    for (n, who, text, why) in [
        (30, ASKER, SAME, "it may not have been read yet"),
        (4000, ASKER, SAME, "long after"),
        (100, OTHER, SAME, "they had no answer"),
        (100, ASKER, "does the wifi know 6 GHz?", "another question"),
        (100, ASKER, "and on fedora?", "it goes on"),
    ] {
        assert_eq!(asks(answered(), n, who, text), (None, None), "{why}");
    }
}
