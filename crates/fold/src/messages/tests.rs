use proptest::prelude::*;
use threadlore_model::{
    Event, MessageEdited, MessageId, MessagePosted, MessageRedacted, Private, ReactionAdded,
    ReactionRemoved,
};

use super::{MessageRow, fold_message, fold_reaction};
use crate::Folded;
use crate::testing::{at, channel, event, message, person};

fn posted() -> Event {
    event(MessagePosted {
        message: message(1),
        channel: channel(),
        person: person(1),
        native_id: "n1".into(),
        author_native: Private::open("ann"),
        author_name: Some(Private::open("Ann")),
        text: Private::open("helo"),
        bot: false,
        reply_to: Some(message(9)),
        mentions: vec![person(3), person(2)],
        sent_at: at(10),
        thread_root: Some("n8".into()),
        to_bot: false,
    })
}

fn edited(revision: i64) -> Event {
    event(MessageEdited {
        message: message(1),
        channel: channel(),
        person: person(1),
        revision,
        text: Private::open(format!("text {revision}")),
        edited_at: at(revision),
    })
}

fn redacted() -> Event {
    event(MessageRedacted {
        message: message(1),
        channel: channel(),
        redacted_at: at(50),
    })
}

fn reaction(added: bool) -> Event {
    let (message, channel, person, emoji) = (message(1), channel(), person(1), "👍".to_owned());
    if added {
        event(ReactionAdded {
            message,
            channel,
            person,
            emoji,
            at: at(5),
        })
    } else {
        event(ReactionRemoved {
            message,
            channel,
            person,
            emoji,
            at: at(6),
        })
    }
}

fn folded(events: &[Event]) -> MessageRow {
    let mut row = None;
    for event in events {
        fold_message(&mut row, event);
    }
    row.expect("the events touch the message")
}

#[test]
fn the_highest_revision_wins_and_a_lower_one_changes_nothing() {
    let row = folded(&[posted(), edited(20), edited(15)]);
    assert_eq!(row.text.as_deref(), Some("text 20"));
    assert_eq!((row.revision, row.edited_at), (20, Some(at(20))));
    let mut row = Some(row);
    assert!(matches!(
        fold_message(&mut row, &edited(20)),
        Folded::Unchanged(_)
    ));
}

#[test]
fn a_redaction_wins_before_and_after() {
    let row = folded(&[redacted()]);
    assert_eq!((row.native_id, row.redacted_at), (None, Some(at(50))));
    let row = folded(&[posted(), redacted(), edited(60)]);
    assert_eq!((row.text, row.name), (None, None));
    let row = folded(&[redacted(), posted()]);
    assert_eq!((row.text, row.name), (None, None));
    assert!(row.native_id.is_some(), "that it was there stays");
}

#[test]
fn an_edit_before_its_post_is_kept() {
    let row = folded(&[edited(20), posted()]);
    assert_eq!(row.text.as_deref(), Some("text 20"));
    assert_eq!(row.native_id.as_deref(), Some("n1"));
}

#[test]
fn a_thread_is_named_by_the_message_with_which_it_begins() {
    let event = posted();
    let thread = folded(std::slice::from_ref(&event)).thread;
    let root = MessageId::of_native(&event.envelope.space, &channel(), "n8");
    assert_eq!(thread, Some(root));
}

#[test]
fn a_reaction_stands_until_it_is_taken_back() {
    let mut row = None;
    assert!(matches!(
        fold_reaction(&mut row, &reaction(false)),
        Folded::Unchanged(_)
    ));
    assert_eq!(fold_reaction(&mut row, &reaction(true)), Folded::Changed);
    assert!(matches!(
        fold_reaction(&mut row, &reaction(true)),
        Folded::Unchanged(_)
    ));
    assert_eq!(fold_reaction(&mut row, &reaction(false)), Folded::Changed);
    assert_eq!(row, None);
}

proptest! {
    #[test]
    fn the_order_does_not_matter_and_repeats_change_nothing(
        mut events in Just(vec![posted(), edited(20), edited(30), redacted()])
            .prop_shuffle(),
        repeat in 0..4_usize,
        with_redaction in any::<bool>(),
    ) {
        let mut straight = vec![posted(), edited(20), edited(30), redacted()];
        if !with_redaction {
            straight.pop();
            events.retain(|e| straight.contains(e));
        }
        events.push(events[repeat % events.len()].clone());
        let row = folded(&events);
        prop_assert_eq!(row.text.is_some(), !with_redaction);
        prop_assert_eq!(row, folded(&straight));
    }
}
