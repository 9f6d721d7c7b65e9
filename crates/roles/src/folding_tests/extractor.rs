use threadlore_model::{
    Body, CaseId, Cause, Event, Offset, Partition, Timestamp, Topic, TopicPartition,
};

use super::{Known, bot, edit, given, post, posted_at, react, ready, redact, spoken, unreact};
use crate::extractor::fold::fold as extractor;
use crate::testing::{archived, at, case_id, message, opened, solved};

#[test]
fn a_message_that_comes_again_is_one_line() {
    let known = given([post(1), post(2), (9, post(1).1)]);
    assert_eq!(known.lines(), [1, 2]);
}

#[test]
fn an_edit_replaces_the_text_and_a_lower_revision_does_not() {
    let known = given([post(1), edit(2, 1, 5, "new"), edit(3, 1, 4, "old")]);
    assert_eq!(known.text(1), Some("new"));
    let known = known.and([edit(4, 1, i64::MAX, "last"), edit(5, 1, i64::MIN, "first")]);
    assert_eq!(known.text(1), Some("last"));
    let known = given([post(1), edit(2, 1, 0, "not above the post")]);
    assert_eq!(known.text(1), Some("text 1"));
}

#[test]
fn a_redacted_line_leaves() {
    let known = given([post(1), post(2), redact(3, 1), redact(4, 77)]);
    assert_eq!(known.lines(), [2]);
}

#[test]
fn lines_of_people_stay_until_they_were_looked_at() {
    let mut known = given([]);
    known.params.window_messages = 3;
    known.params.window_age = std::time::Duration::from_secs(10);
    let known = known.and((1..=20).map(post));
    assert_eq!(known.lines().len(), 20);
    let known = known.and([ready(0, 20)]);
    assert_eq!(known.lines().len(), 20, "a look keeps what it covered");
    let known = known.and([post(21), post(22), ready(1, 22)]);
    assert_eq!(known.shown(22), [20, 21, 22], "the count limit");
    let known = known.and([posted_at(23, 500), ready(2, 23)]);
    assert_eq!(known.shown(23), [23], "the age limit");
}

#[test]
fn lines_that_left_the_window_stay_a_while_and_leave_together() {
    let mut known = given([]);
    known.params.window_messages = 3;
    let mut known = known.and((1..=102).map(post)).and([ready(0, 102)]);
    assert_eq!(known.lines().len(), 102, "all were shown");
    known = known.and([post(103), ready(1, 103)]);
    assert_eq!(known.lines(), [101, 102, 103]);
    known = known.and([post(104), ready(2, 104)]);
    assert_eq!(known.shown(104), [102, 103, 104]);
    assert_eq!(known.lines(), [101, 102, 103, 104]);
}

/// What a window shows is linked the same by a state that was stored between any two records.
#[test]
fn a_stored_state_links_as_the_one_that_lived() {
    let said = |n: u32| match n % 5 {
        0 => "how do I mount the usb stick?",
        1 => "ann: which device is it?",
        2 => "bob: /dev/sdb1, it says busy",
        3 => "umount /dev/sdb1 first",
        _ => "that works, thanks",
    };
    let records = (1..=260).flat_map(|n: u32| {
        let (offset, event) = spoken(n, u128::from(n % 7), said(n));
        let edited = n
            .is_multiple_of(31)
            .then(|| edit(i64::from(n), n - 1, 1, "never mind"));
        let gone = n.is_multiple_of(47).then(|| redact(i64::from(n), n - 2));
        let look = n
            .is_multiple_of(20)
            .then(|| ready(n.into(), 2 * i64::from(n)));
        [
            Some((2 * offset, event)),
            edited.or(gone).map(|(at, e)| (2 * at + 1, e)),
            look,
        ]
    });
    let mut lived = given([]);
    let mut stored = given([]);
    lived.params.window_messages = 60;
    stored.params.window_messages = 60;
    for record in records.flatten() {
        lived = lived.and([record.clone()]);
        stored = stored.and([record]).stored();
        assert!(lived.state == stored.state);
    }
    let linked = lived.state.lines().filter(|line| line.link.is_some());
    assert!(linked.count() > 50);
}

#[test]
fn age_is_counted_from_the_last_line_that_is_looked_at() {
    let week = 7 * 24 * 3600;
    let known = given([post(1), post(2), post(3), posted_at(4, week), ready(0, 3)]);
    assert_eq!(known.lines(), [1, 2, 3, 4], "what came later says nothing");
}

#[test]
fn lines_of_bots_are_bounded_where_only_bots_write() {
    let mut known = given([post(1)]);
    known.params.window_messages = 10;
    let known = known.and((2..=500).map(bot));
    let lines = known.lines();
    assert_eq!(lines[0], 1, "a person's line stays");
    assert!((11..=111).contains(&lines.len()), "{}", lines.len());
    assert_eq!(lines.last(), Some(&500));
}

#[test]
fn a_clock_far_ahead_makes_no_line_older_or_immortal() {
    let (offset, mut far) = posted_at(1, 0);
    if let Body::MessagePosted(posted) = &mut far.body {
        posted.sent_at = Timestamp::LATEST;
    }
    let known = given([(offset, far), post(2)]);
    assert_eq!(known.state.lines().next().expect("a line").line.at, at(300));
}

#[test]
fn a_window_waits_for_the_records_that_it_covers() {
    let known = given([post(1), ready(0, 1), ready(1, 1), ready(2, 4)]);
    assert_eq!(known.state.queue.waiting_windows(), 1);
    assert!(known.state.queue.wants_events());
    let known = known.and([post(2), post(4), ready(4, 3)]);
    assert_eq!(
        known.state.queue.waiting_windows(),
        0,
        "one that comes late says nothing"
    );
    assert_eq!(known.state.looked, Some(Offset(4)));
}

#[test]
fn a_redrive_has_a_window_looked_at_again_and_hides_no_later_one() {
    let known = given([post(1), post(2), ready(0, 2)]);
    let (offset, mut again) = ready(5, 1);
    again.envelope.cause = Some(Cause {
        event: again.envelope.id,
        at: TopicPartition {
            topic: Topic::ChatTurnsDlq,
            partition: Partition(0),
        },
        offset: Offset(3),
    });
    let known = known.and([(offset, again)]);
    assert!(known.state.queue.is_taken(&Cause {
        event: threadlore_model::EventId::of_content("any", &[]),
        at: TopicPartition {
            topic: Topic::ChatTurns,
            partition: Partition(0),
        },
        offset: Offset(5),
    }));
    assert_eq!(known.state.looked, Some(Offset(2)), "later looks count");
    assert_eq!(known.lines(), [1, 2]);
}

#[test]
fn a_reaction_is_kept_once_and_taken_back() {
    let known = given([post(1), react(2, 1, 7), react(3, 1, 7), react(4, 1, 8)]);
    assert_eq!(known.state.reactions.len(), 2);
    let known = known.and([unreact(5, 1, 7), unreact(6, 1, 9)]);
    assert_eq!(known.state.reactions.len(), 1);
}

#[test]
fn a_reaction_before_its_message_is_kept_for_it() {
    let known = given([react(0, 1, 7), post(1), ready(0, 1)]);
    assert_eq!(known.state.reactions.len(), 1);
}

#[test]
fn reactions_stay_on_lines_and_on_cases_only() {
    let records = [
        post(1),
        react(2, 1, 7),
        react(3, 50, 7),
        react(4, 60, 7),
        react(5, 70, 7),
    ];
    let known = given(records)
        .decided(&opened(5, &[50]))
        .decided(&solved(6, &[60]))
        .and([ready(0, 5)]);
    let left: Vec<_> = known.state.reactions.iter().map(|r| r.message).collect();
    assert_eq!(left, [message(1), message(50), message(60)]);
}

#[test]
fn a_flood_of_reactions_is_cut() {
    let strangers = (0..30_000).map(|who| react(1 + who as i64, 99, who));
    let known = given(strangers);
    assert!(known.state.reactions.len() <= crate::extractor::fold::REACTIONS_MAX);
    let known = known.and([post(30_002), react(30_003, 30_002, 5)]);
    assert!(
        known
            .state
            .reactions
            .iter()
            .any(|r| r.message == message(30_002))
    );
}

#[test]
fn a_decision_counts_at_once() {
    let known = given([post(1)])
        .decided(&opened(5, &[1, 2]))
        .decided(&solved(6, &[3]));
    let case = &known.state.cases[&case_id()];
    assert_eq!((case.version, case.evidence.len()), (2, 3));
}

fn named(n: u32, now: i64) -> Event {
    let mut event = opened(now, &[n]);
    if let Body::CaseOpened(body) = &mut event.body {
        body.case = CaseId::from_uuid(uuid::Uuid::from_u128(n.into()));
    }
    event
}

/// A case that was opened and archived.
fn closed(known: Known, n: u32, now: i64) -> Known {
    let mut gone = archived(now);
    if let Body::CaseArchived(body) = &mut gone.body {
        body.case = CaseId::from_uuid(uuid::Uuid::from_u128(n.into()));
    }
    known.decided(&named(n, now)).decided(&gone)
}

fn known_cases(known: &Known) -> Vec<u128> {
    let ids = known.state.cases.keys();
    ids.map(|c| c.as_uuid().as_u128()).collect()
}

#[test]
fn those_changed_longest_ago_are_forgotten_first_and_open_ones_never() {
    let mut known = given([]);
    known.params.known_cases = 2;
    let known = closed(closed(closed(known, 1, 1), 2, 8), 3, 2);
    assert_eq!(known_cases(&known), [2, 3]);
    let known = known.decided(&named(4, 1)).decided(&named(5, 1));
    assert_eq!(known_cases(&known), [4, 5]);
    assert_eq!(known_cases(&known.decided(&named(6, 1))), [4, 5, 6]);
}

#[test]
fn a_case_with_a_line_in_the_window_is_forgotten_last() {
    let mut known = given([post(1)]);
    known.params.known_cases = 2;
    let known = closed(closed(closed(known, 1, 1), 3, 2), 4, 3);
    assert_eq!(known_cases(&known), [1, 4], "line 1 would be found again");
}

/// Windows that wait after one was announced once more, because of a record of this topic.
fn announced_again(topic: Topic, mut window: Event) -> usize {
    window.envelope.cause = Some(Cause {
        event: window.envelope.id,
        at: TopicPartition {
            topic,
            partition: Partition(0),
        },
        offset: Offset(0),
    });
    let known = given([post(1), ready(0, 1)]);
    let (mut state, params) = (known.state, known.params);
    super::arrive(
        &mut state,
        |state, input| extractor(state, input, &params),
        &(1, window),
        std::time::Duration::ZERO,
    );
    state.queue.waiting_windows()
}

#[test]
fn a_window_is_taken_again_where_somebody_asked_for_it() {
    let (_, window) = ready(1, 1);
    let buffers = crate::testing::by("buffer", window);
    let requested = announced_again(Topic::KnowledgeRequests, buffers.clone());
    assert_eq!(requested, 1, "a request led to it");
    let repeated = announced_again(Topic::ChatEvents, buffers);
    assert_eq!(repeated, 0, "announced before");
}
