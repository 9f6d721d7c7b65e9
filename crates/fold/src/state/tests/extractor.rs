use threadlore_model::{
    Body, CaseId, Cause, Event, Input, Offset, Partition, Timestamp, Topic, TopicPartition,
};

use super::{Known, bot, edit, given, post, posted_at, react, ready, redact, unreact};
use crate::testing::{archived, at, case_id, confirmed, message, opened, solved};

#[test]
fn c1_a_message_that_comes_again_is_one_line() {
    let known = given([post(1), post(2), (9, post(1).1)]);
    assert_eq!(known.lines(), [1, 2]);
}

#[test]
fn c6_an_edit_replaces_the_text_and_a_lower_revision_does_not() {
    let known = given([post(1), edit(2, 1, 5, "new"), edit(3, 1, 4, "old")]);
    assert_eq!(known.text(1), Some("new"));
    let known = known.and([edit(4, 1, i64::MAX, "last"), edit(5, 1, i64::MIN, "first")]);
    assert_eq!(known.text(1), Some("last"));
    let known = given([post(1), edit(2, 1, 0, "not above the post")]);
    assert_eq!(known.text(1), Some("text 1"));
}

#[test]
fn c6_a_redacted_line_leaves() {
    let known = given([post(1), post(2), redact(3, 1), redact(4, 77)]);
    assert_eq!(known.lines(), [2]);
    assert_eq!(known.state.seen, Some(Offset(4)));
}

#[test]
fn c8_lines_of_people_stay_until_they_were_looked_at() {
    let mut known = given([]);
    known.params.window_messages = 3;
    known.params.window_age = std::time::Duration::from_secs(10);
    let known = known.and((1..=20).map(post));
    assert_eq!(known.lines().len(), 20);
    let known = known.looked_in_the_log(0, 20);
    assert_eq!(known.lines().len(), 20, "a look keeps what it covered");
    let known = known.and([post(21), post(22)]).looked_in_the_log(1, 22);
    assert_eq!(known.lines(), [20, 21, 22], "the count limit");
    let known = known.and([posted_at(23, 500)]).looked_in_the_log(2, 23);
    assert_eq!(known.lines(), [23], "the age limit");
}

#[test]
fn c8_age_is_counted_from_the_last_line_that_is_looked_at() {
    let week = 7 * 24 * 3600;
    let known = given([post(1), post(2), post(3), posted_at(4, week)]);
    let known = known.looked_in_the_log(0, 3);
    assert_eq!(
        known.lines(),
        [1, 2, 3, 4],
        "what was read ahead says nothing"
    );
}

#[test]
fn c8_lines_of_bots_are_bounded_where_only_bots_write() {
    let mut known = given([post(1)]);
    known.params.window_messages = 10;
    let known = known.and((2..=500).map(bot));
    let expected: Vec<i64> = [1].into_iter().chain(491..=500).collect();
    assert_eq!(known.lines(), expected);
}

#[test]
fn lines_that_arrive_after_their_look_are_bounded() {
    let mut known = given([]).looked_in_the_log(0, 1000);
    known.params.window_messages = 10;
    let known = known.and((1..=1005).map(post));
    let expected: Vec<i64> = (991..=1005).collect();
    assert_eq!(known.lines(), expected);
}

#[test]
fn a_clock_far_ahead_makes_no_line_older_or_immortal() {
    let (offset, mut far) = posted_at(1, 0);
    if let Body::MessagePosted(posted) = &mut far.body {
        posted.sent_at = Timestamp::LATEST;
    }
    let known = given([(offset, far), post(2)]);
    assert_eq!(known.state.window[0].line.at, at(300));
}

#[test]
fn a_window_is_awaited_until_it_was_looked_at() {
    let known = given([post(1), ready(0, 1), ready(1, 1), ready(2, 4)]);
    assert_eq!(known.state.awaiting.len(), 2);
    let known = known.looked_in_the_log(3, 4).and([ready(4, 3)]);
    assert!(
        known.state.awaiting.is_empty(),
        "one that comes late says nothing"
    );
    assert_eq!(known.state.looked, Some(Offset(4)));
}

#[test]
fn a_redrive_has_a_window_looked_at_again_and_hides_no_later_one() {
    let known = given([post(1), post(2)]).looked_in_the_log(0, 2);
    let (offset, mut again) = ready(5, 1);
    again.envelope.cause = Some(Cause {
        event: again.envelope.id,
        at: TopicPartition {
            topic: Topic::ChatTurnsDlq,
            partition: Partition(0),
        },
        offset: Offset(3),
    });
    let known = known.and([(offset, again.clone())]);
    assert_eq!(known.state.awaiting.len(), 1);
    // The same one twice is one look.
    let mut known = known.and([(offset + 1, again.clone())]);
    assert_eq!(known.state.awaiting.len(), 1);
    known.read(&(offset, again), true);
    assert!(known.state.awaiting.is_empty());
    assert_eq!(known.state.looked, Some(Offset(2)), "later looks count");
    assert_eq!(known.lines(), [1, 2]);
}

#[test]
fn every_record_of_the_topic_counts_as_seen() {
    let mut stranger = ready(0, 0).1;
    stranger.body = opened(1, &[1]).body;
    let mut known = given([post(1)]);
    let input = Input::Record {
        at: TopicPartition {
            topic: Topic::ChatEvents,
            partition: Partition(0),
        },
        offset: Offset(7),
        arrived: at(7),
        event: &stranger,
        decided: false,
    };
    super::super::extractor(&mut known.state, &input, &known.params);
    assert_eq!(known.state.seen, Some(Offset(7)));
}

#[test]
fn c17_a_reaction_is_kept_once_and_taken_back() {
    let known = given([post(1), react(2, 1, 7), react(3, 1, 7), react(4, 1, 8)]);
    assert_eq!(known.state.reactions.len(), 2);
    let known = known.and([unreact(5, 1, 7), unreact(6, 1, 9)]);
    assert_eq!(known.state.reactions.len(), 1);
}

#[test]
fn c17_a_reaction_before_its_message_is_kept_for_it() {
    let known = given([react(0, 1, 7), post(1)]).looked_in_the_log(0, 1);
    assert_eq!(known.state.reactions.len(), 1);
}

#[test]
fn c17_reactions_stay_on_lines_on_claims_and_on_cases_only() {
    let records = [
        post(1),
        react(2, 1, 7),
        react(3, 50, 7),
        react(4, 60, 7),
        react(5, 70, 7),
    ];
    let known = given(records)
        .and([(0, opened(5, &[50]))])
        .decided(&solved(6, Some(1), &[60]))
        .looked_in_the_log(0, 5);
    let left: Vec<_> = known.state.reactions.iter().map(|r| r.message).collect();
    assert_eq!(left, [message(1), message(50), message(60)]);
}

#[test]
fn a_flood_of_reactions_is_cut() {
    let strangers = (0..30_000).map(|who| react(1, 99, who));
    let known = given(strangers);
    assert!(known.state.reactions.len() <= super::super::extractor::REACTIONS_MAX);
    let known = known.and([post(2), react(3, 2, 5)]);
    assert!(
        known
            .state
            .reactions
            .iter()
            .any(|r| r.message == message(2))
    );
}

#[test]
fn a_decision_counts_before_it_is_read_back() {
    let (first, second) = (opened(5, &[1, 2]), solved(6, Some(1), &[3]));
    let known = given([post(1)]).decided(&first).decided(&second);
    assert_eq!(known.state.cases[&case_id()].version, 2);
    let known = known.and([(0, first)]);
    assert_eq!(known.state.cases[&case_id()].version, 2);
    assert_eq!(
        known.state.logged.len(),
        1,
        "the second is still on its way"
    );
    let known = known.and([(1, second)]);
    assert!(known.state.logged.is_empty());
    assert_eq!(known.state.cases[&case_id()].evidence.len(), 3);
}

#[test]
fn what_the_log_refused_does_not_count_any_more() {
    let records = [(0, opened(5, &[1])), (1, confirmed(6, 1, "👍"))];
    let stale = solved(7, Some(1), &[2]);
    let known = given([(0, opened(5, &[1]))]).decided(&stale);
    assert!(known.state.cases[&case_id()].signal.is_some());
    let known = known.and([records[1].clone()]);
    assert!(known.state.cases[&case_id()].signal.is_some());
    let known = known.and([(2, stale)]);
    assert!(known.state.logged.is_empty());
    assert_eq!(known.state.cases, given(records).state.cases);
}

#[test]
fn a_decision_that_was_read_back_before_it_is_folded_changes_nothing() {
    let event = opened(5, &[1]);
    let known = given([(0, event.clone())]);
    let before = known.state.clone();
    assert_eq!(known.decided(&event).state, before);
}

fn named(n: u128, now: i64) -> Event {
    let mut event = opened(now, &[n]);
    if let Body::CaseOpened(body) = &mut event.body {
        body.case = CaseId::from_uuid(uuid::Uuid::from_u128(n));
    }
    event
}

fn known_cases(known: &Known) -> Vec<u128> {
    let ids = known.state.cases.keys();
    ids.map(|c| c.as_uuid().as_u128()).collect()
}

#[test]
fn archived_cases_are_forgotten_first_then_those_changed_longest_ago() {
    let mut known = given([]);
    known.params.known_cases = 2;
    let known = known.and([(0, named(1, 1)), (1, opened(8, &[2]))]);
    let known = known.and([(2, archived(9, 1)), (3, named(3, 2))]);
    assert_eq!(known_cases(&known), [1, 3]);
    let known = known.and([(4, named(4, 3))]);
    assert_eq!(known_cases(&known), [3, 4]);
}

#[test]
fn a_case_with_a_line_in_the_window_is_forgotten_last() {
    let mut known = given([post(1)]);
    known.params.known_cases = 2;
    let known = known.and([(2, named(1, 1)), (3, named(3, 2)), (4, named(4, 3))]);
    assert_eq!(known_cases(&known), [1, 4], "line 1 would be found again");
}
