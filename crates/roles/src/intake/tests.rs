use threadlore_model::{
    Body, ChannelId, Event, MessagePosted, PersonHasher, PlatformEdit, PlatformMessage,
    PlatformReaction, PlatformRedaction, Timestamp,
};

use super::decide::{decide, identity};
use crate::testing::{at, channel, event, facts, posted, record, space};
use crate::{Decision, Input, IntakeParams, Refusal};

fn params() -> IntakeParams {
    IntakeParams {
        hasher: PersonHasher::new(&[7; 32]),
        max_text_bytes: 20,
        case_link_base: "https://lore.example/c/".to_owned(),
    }
}

fn said(text: &str) -> PlatformMessage {
    PlatformMessage {
        channel: channel(),
        native_id: "m1".into(),
        author_id: "u1".into(),
        author_name: Some("Ann".into()),
        author_is_bot: false,
        text: text.into(),
        sent_at: at(5),
        reply_to: None,
        mentions: Vec::new(),
        thread_root: None,
        to_bot: false,
    }
}

fn edit(revision: i64) -> PlatformEdit {
    PlatformEdit {
        channel: channel(),
        native_id: "m1".into(),
        author_id: "u1".into(),
        revision,
        text: "new".into(),
        edited_at: at(6),
    }
}

fn reaction(added: bool, seconds: i64, update_id: Option<&str>) -> PlatformReaction {
    PlatformReaction {
        channel: channel(),
        native_id: "m1".into(),
        author_id: "u2".into(),
        emoji: "👍".into(),
        added,
        at: at(seconds),
        update_id: update_id.map(str::to_owned),
    }
}

fn decided(event: &Event) -> Result<Decision, Refusal> {
    decide(&record(0, event, 0), &facts("intake", at(9)), &params())
}

fn taken(body: impl Into<Body>) -> Body {
    let decision = decided(&event(body, at(5))).expect("is taken");
    let [one] = decision.events.as_slice() else {
        panic!("one event, not {}", decision.events.len());
    };
    one.body.clone()
}

fn taken_post(message: PlatformMessage) -> MessagePosted {
    match taken(message) {
        Body::MessagePosted(posted) => posted,
        other => panic!("{} is no message", other.type_name()),
    }
}

fn refused(body: impl Into<Body>) -> String {
    decided(&event(body, at(5))).expect_err("is refused").0
}

#[test]
fn a_repeat_changes_nothing() {
    let event = event(said("hi"), at(5));
    let mut facts = facts("intake", at(9));
    facts.repeated = true;
    let decision = decide(&record(0, &event, 0), &facts, &params()).expect("is taken");
    assert_eq!(
        (decision.events.len(), decision.dropped),
        (0, Some("repeat"))
    );
}

#[test]
fn a_message_is_named_by_what_the_platform_calls_it() {
    let id = |body: Body| identity(&record(0, &event(body, at(5)), 0));
    let first = id(said("hi").into());
    let mut later = said("another text");
    later.sent_at = at(77);
    assert!(first.is_some());
    assert_eq!(first, id(later.into()));
    let mut other = said("hi");
    other.native_id = "m2".into();
    assert_ne!(first, id(other.into()));
    let mut elsewhere = said("hi");
    elsewhere.channel = ChannelId::parse("irc:#other").expect("a valid channel");
    assert_ne!(first, id(elsewhere.into()));
    let decision = decided(&event(said("hi"), at(5))).expect("is taken");
    assert_eq!(
        (decision.events[0].id, decision.events[0].time),
        (first, Some(at(5)))
    );
}

#[test]
fn edits_and_reactions_are_told_apart_by_revision_and_occurrence() {
    let id = |body: Body| identity(&record(0, &event(body, at(5)), 0)).expect("has an id");
    assert_ne!(id(edit(1).into()), id(edit(2).into()));
    let by_time = |seconds| id(reaction(true, seconds, None).into());
    assert_ne!(by_time(1), by_time(2));
    assert_eq!(
        id(reaction(true, 1, Some("x")).into()),
        id(reaction(true, 2, Some("x")).into())
    );
    assert_ne!(
        id(reaction(true, 1, None).into()),
        id(reaction(false, 1, None).into())
    );
    let empty = |seconds| id(reaction(true, seconds, Some("")).into());
    assert_ne!(empty(1), empty(2), "an empty update id is none");
}

#[test]
fn a_sender_is_a_keyed_hash() {
    let posted = taken_post(said("hi"));
    assert_eq!(posted.person, params().hasher.person(&space(), "irc", "u1"));
    assert_eq!(posted.author_native.text(), Some("u1"));
}

#[test]
fn a_case_link_marks_a_message_as_the_bots_own() {
    assert!(!taken_post(said("hi")).bot);
    assert!(taken_post(said("see https://lore.example/c/1")).bot);
    let mut bot = said("hi");
    bot.author_is_bot = true;
    assert!(taken_post(bot).bot);
    let mut no_pages = params();
    no_pages.case_link_base = String::new();
    let event = event(said("hi"), at(5));
    let decision = decide(&record(0, &event, 0), &facts("intake", at(9)), &no_pages);
    let body = decision.expect("is taken").events.remove(0).body;
    assert!(
        matches!(body, Body::MessagePosted(m) if !m.bot),
        "no base marks nothing"
    );
}

#[test]
fn the_replied_message_is_named_whether_or_not_it_was_seen() {
    let mut reply = said("yes");
    reply.reply_to = Some("m0".into());
    let mut quoted = said("?");
    quoted.native_id = "m0".into();
    assert_eq!(taken_post(reply).reply_to, Some(taken_post(quoted).message));
}

#[test]
fn edits_and_redactions_name_the_message() {
    let message = taken_post(said("hi")).message;
    assert!(matches!(taken(edit(3)), Body::MessageEdited(e)
        if e.message == message && e.revision == 3 && e.text.text() == Some("new")));
    let redaction = PlatformRedaction {
        channel: channel(),
        native_id: "m1".into(),
        redacted_at: at(8),
    };
    assert!(matches!(taken(redaction), Body::MessageRedacted(r) if r.message == message));
}

#[test]
fn reactions_are_added_and_removed() {
    assert!(matches!(taken(reaction(true, 1, None)), Body::ReactionAdded(r) if r.emoji == "👍"));
    assert!(matches!(
        taken(reaction(false, 1, None)),
        Body::ReactionRemoved(_)
    ));
}

#[test]
fn text_loses_control_characters_and_what_is_too_long() {
    let text = |text: &str| taken_post(said(text)).text.text().map(str::to_owned);
    assert_eq!(
        text("a\0b\u{1b}c\nd\te\u{9f}").as_deref(),
        Some("abc\nd\te")
    );
    let long = text(&"é".repeat(100)).expect("open");
    assert_eq!(long, "é".repeat(10), "20 bytes, cut at a character");
    assert_eq!(
        text("").as_deref(),
        Some(""),
        "a picture may come without a text"
    );
}

#[test]
fn names_are_cleaned_cut_and_dropped_when_nothing_is_left() {
    let name = |name: &str| {
        let mut message = said("hi");
        message.author_name = Some(name.to_owned());
        taken_post(message)
            .author_name
            .map(|n| n.text().unwrap_or_default().to_owned())
    };
    assert_eq!(name("A\u{7}nn").as_deref(), Some("Ann"));
    assert_eq!(name(&"x".repeat(500)).map(|n| n.len()), Some(128));
    assert_eq!(name("\u{1} \u{2}"), None);
}

#[test]
fn ids_are_checked_before_any_work() {
    let long = "x".repeat(257);
    for bad in ["", "a\nb", "a\0", long.as_str()] {
        let with = |change: fn(&mut PlatformMessage, String)| {
            let mut message = said("hi");
            change(&mut message, bad.to_owned());
            refused(message)
        };
        assert!(with(|m, id| m.native_id = id).starts_with("native_id"));
        assert!(with(|m, id| m.author_id = id).starts_with("author_id"));
        assert!(with(|m, id| m.reply_to = Some(id)).starts_with("native_id"));
        assert!(with(|m, id| m.mentions = vec![id]).starts_with("author_id"));
        let mut bare = reaction(true, 1, None);
        bare.emoji = bad.to_owned();
        assert!(refused(bare).starts_with("emoji"));
        if !bad.is_empty() {
            assert!(refused(reaction(true, 1, Some(bad))).starts_with("update_id"));
        }
    }
    let mut most = said("hi");
    most.native_id = "x".repeat(256);
    taken_post(most);
}

#[test]
fn a_message_mentions_fifty_people_at_most() {
    let mut crowd = said("hi");
    crowd.mentions = (0..500).map(|n| n.to_string()).collect();
    assert_eq!(taken_post(crowd).mentions.len(), 50);
}

#[test]
fn times_outside_the_calendar_are_refused() {
    for millis in [i64::MIN, -1, Timestamp::LATEST.as_millis() + 1, i64::MAX] {
        let mut message = said("hi");
        message.sent_at = Timestamp::from_millis(millis);
        assert!(refused(message).contains("1970"), "{millis}");
    }
    for fine in [Timestamp::EARLIEST, Timestamp::LATEST] {
        let mut message = said("hi");
        message.sent_at = fine;
        assert_eq!(taken_post(message).sent_at, fine);
    }
}

#[test]
fn a_revision_that_could_never_apply_is_refused() {
    for revision in [0, -1, i64::MIN] {
        assert!(refused(edit(revision)).starts_with("revision"));
    }
    taken(edit(i64::MAX));
}

#[test]
fn a_key_of_another_channel_is_refused() {
    let mut message = said("hi");
    message.channel = ChannelId::parse("irc:#other").expect("a valid channel");
    assert!(refused(message).contains("key"));
}

#[test]
fn what_is_no_platform_event_is_refused() {
    let stranger = posted(1, 1, "hi");
    assert_eq!(identity(&record(0, &stranger, 0)), None);
    assert!(
        decided(&stranger)
            .expect_err("is refused")
            .0
            .contains("MessagePosted")
    );
}

#[test]
fn a_wake_leads_to_nothing() {
    let wake = Input::Wake { idle: false };
    let decision = decide(&wake, &facts("intake", at(9)), &params());
    assert_eq!(decision, Ok(Decision::default()));
    assert_eq!(identity(&wake), None);
}
