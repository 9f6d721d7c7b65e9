use threadlore_model::{
    Body, BufferState, Input, IntakeState, Offset, Partition, PromoterState, ReadyReason, Topic,
    TopicPartition, WindowReady,
};

use super::{Record, arrive, bot, edit, post, react, unreact};
use crate::state::{buffer, buffer_decided, intake, promoter, promoter_decided};
use crate::testing::{archived, at, case_id, channel, confirmed, event, opened, solved, withdrawn};

fn buffered(records: &[Record]) -> BufferState {
    let mut state = BufferState::default();
    for record in records {
        arrive(&mut state, buffer, record, false);
    }
    state
}

fn watched(records: &[Record]) -> PromoterState {
    let mut state = PromoterState::default();
    for record in records {
        arrive(&mut state, promoter, record, false);
    }
    state
}

#[test]
fn intake_keeps_the_clock_only() {
    let mut state = IntakeState::default();
    arrive(&mut state, intake, &post(7), false);
    assert_eq!(state.clock.now(at(0)), at(7));
}

#[test]
fn buffer_counts_messages_of_people_their_edits_and_reactions() {
    let state = buffered(&[
        post(1),
        bot(2),
        react(3, 1, 7),
        unreact(4, 1, 7),
        edit(5, 1, 1, "x"),
    ]);
    assert_eq!((state.pending, state.last), (3, Offset(5)));
}

#[test]
fn buffer_starts_afresh_after_a_window() {
    let mut state = buffered(&[post(1)]);
    let ready = WindowReady {
        channel: channel(),
        reason: ReadyReason::Pause,
        messages: 1,
        up_to: Offset(1),
        now: at(1),
    };
    buffer_decided(&mut state, &Body::from(ready));
    assert_eq!(state.pending, 0);
}

#[test]
fn buffer_does_not_count_beyond_what_it_can_hold() {
    let mut state = BufferState {
        pending: u32::MAX,
        ..BufferState::default()
    };
    arrive(&mut state, buffer, &post(1), false);
    assert_eq!(state.pending, u32::MAX);
}

#[test]
fn c31_cases_are_watched_while_they_may_expire() {
    let open = [(0, opened(1, &[1]))];
    assert_eq!(watched(&open).watched.len(), 1);
    let mut records = open.to_vec();
    records.push((1, confirmed(2, 7, "👍")));
    assert_eq!(watched(&records).watched.len(), 1, "it may be withdrawn");
    records.push((2, withdrawn(3, 7, "👍")));
    records.push((3, solved(4, Some(3), &[2])));
    assert!(watched(&records).watched.is_empty());
    assert!(
        watched(&[open[0].clone(), (1, archived(9, 1))])
            .watched
            .is_empty()
    );
}

#[test]
fn c31_imported_windows_do_not_move_the_time_by_which_cases_expire() {
    let ready = |seconds| {
        event(WindowReady {
            channel: channel(),
            reason: ReadyReason::Count,
            messages: 1,
            up_to: Offset(1),
            now: at(seconds),
        })
    };
    let mut window = ready(1000);
    window.envelope.time = at(1000);
    let arrived = |late: i64| Input::Record {
        at: TopicPartition {
            topic: Topic::ChatTurns,
            partition: Partition(0),
        },
        offset: Offset(0),
        arrived: at(1000 + late),
        event: &window,
        decided: false,
    };
    let mut state = PromoterState::default();
    promoter(&mut state, &arrived(100_000));
    assert_eq!(state.clock.now(at(200_000)), at(0));
    promoter(&mut state, &arrived(1));
    assert_eq!(state.clock.now(at(1001)), at(1000));
}

#[test]
fn watched_cases_carry_no_text() {
    let state = watched(&[(0, opened(1, &[1])), (1, confirmed(2, 7, "👍"))]);
    let case = &state.watched[&case_id()];
    assert_eq!((case.version, case.changed_at), (2, at(2)));
    assert_eq!((&case.title, &case.problem), (&None, &None));
    assert!(case.tags.is_empty() && case.evidence.is_empty());
}

#[test]
fn an_expiry_is_remembered_until_it_is_read_back() {
    let mut state = watched(&[(0, opened(1, &[1]))]);
    promoter_decided(&mut state, &archived(9, 1).body);
    assert_eq!(state.deciding.len(), 1);
    arrive(&mut state, promoter, &(1, archived(9, 1)), false);
    assert!(state.deciding.is_empty() && state.watched.is_empty());
}

#[test]
fn an_expiry_that_was_refused_may_be_decided_on_the_new_version() {
    let records = [
        (0, opened(1, &[1])),
        (1, confirmed(2, 7, "👍")),
        (2, withdrawn(3, 7, "👍")),
    ];
    let mut state = watched(&records[..1]);
    promoter_decided(&mut state, &archived(9, 1).body);
    arrive(&mut state, promoter, &records[1], false);
    arrive(&mut state, promoter, &records[2], false);
    promoter_decided(&mut state, &archived(9, 3).body);
    arrive(&mut state, promoter, &(3, archived(9, 1)), false);
    assert_eq!(
        state.deciding.get(&case_id()),
        Some(&3),
        "the other is on its way"
    );
    assert_eq!(state.watched.len(), 1);
}

#[test]
fn an_expiry_that_was_read_back_before_it_is_folded_is_not_kept() {
    let mut state = watched(&[(0, opened(1, &[1])), (1, archived(9, 1))]);
    promoter_decided(&mut state, &archived(9, 1).body);
    assert!(state.deciding.is_empty());
}
