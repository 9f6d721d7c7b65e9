//! Confirmations.

use super::*;

fn with_open_case() -> Desk {
    let mut desk = Desk::given(chat());
    desk.looked(4, cases([open_draft(&[0])]));
    desk
}

#[test]
fn c18_a_positive_reaction_on_evidence_confirms_its_cases() {
    for emoji in ["👍", "👍🏿", "❤️", "❤", "✅", "+1"] {
        let mut desk = with_open_case();
        let decided = bodies(desk.read(&reacted(1, 2, emoji)));
        assert!(
            matches!(decided.as_slice(), [Body::CaseConfirmed(c)]
                if c.emoji == emoji && c.message == message(1)),
            "{emoji}"
        );
        desk.read_back(&decided[0]);
        assert_eq!(desk.only_case().status(), Status::Solved);
        assert_eq!(desk.only_case().closing_emoji.as_deref(), Some(emoji));
    }
}

#[test]
fn c18_other_reactions_and_other_messages_confirm_nothing() {
    let mut desk = with_open_case();
    for event in [
        reacted(1, 2, "👎"),
        reacted(1, 2, ""),
        reacted(2, 2, "👍"),
        reacted(77, 2, "👍"),
    ] {
        assert!(bodies(desk.read(&event)).is_empty());
    }
}

#[test]
fn c18_a_reaction_that_stood_before_its_case_confirms_it() {
    let mut desk = Desk::given(chat());
    desk.read(&reacted(1, 2, "👍"));
    desk.read(&reacted(2, 3, "👍"));
    let window = desk.asked(4);
    let opened = bodies(desk.answered(4, &window, cases([open_draft(&[0])])));
    let decided = desk.read_back(&opened[0]);
    assert!(matches!(decided.as_slice(), [Body::CaseConfirmed(c)] if c.message == message(1)));
}

#[test]
fn c18_a_reaction_while_the_case_is_on_its_way_confirms_it_when_it_is_read() {
    let mut desk = Desk::given(chat());
    let window = desk.asked(4);
    let opened = bodies(desk.answered(4, &window, cases([open_draft(&[0])])));
    assert!(bodies(desk.read(&reacted(1, 2, "👍"))).is_empty());
    assert_eq!(desk.read_back(&opened[0]).len(), 1);
}

#[test]
fn c18_a_reaction_outlives_the_looks_until_its_case_is_read() {
    let mut desk = Desk::default();
    desk.params.window_messages = 1;
    for event in chat() {
        desk.read(&event);
    }
    desk.read(&reacted(1, 2, "👍"));
    let window = desk.asked(4);
    let opened = bodies(desk.answered(4, &window, cases([open_draft(&[0])])));
    desk.read(&posted(50, 3, "next"));
    assert!(desk.read(&ready(50)).effects.is_empty(), "the look waits");
    assert_eq!(desk.read_back(&opened[0]).len(), 1);
}

#[test]
fn c18_a_repeated_reaction_changes_nothing() {
    let mut desk = with_open_case();
    for _ in 0..3 {
        for body in bodies(desk.read(&reacted(1, 2, "👍"))) {
            desk.read_back(&body);
        }
    }
    assert_eq!(
        (
            desk.only_case().version,
            desk.only_case().confirmations.len()
        ),
        (2, 1)
    );
}

#[test]
fn c19_removing_the_last_positive_reaction_opens_the_case_again() {
    let mut desk = with_open_case();
    for event in [
        reacted(1, 2, "👍"),
        unreacted(1, 2, "👎"),
        unreacted(1, 2, "👍"),
    ] {
        for body in bodies(desk.read(&event)) {
            desk.read_back(&body);
        }
    }
    let open = desk.only_case();
    assert_eq!((open.status(), open.version), (Status::Open, 3));
    assert_eq!(open.closing_emoji, None);
}

#[test]
fn c19_quick_changes_of_mind_end_as_they_were_meant() {
    let mut desk = with_open_case();
    let clicks = [
        reacted(1, 2, "👍"),
        unreacted(1, 2, "👍"),
        reacted(1, 2, "👍"),
    ];
    let decided: Vec<Body> = clicks.iter().flat_map(|e| bodies(desk.read(e))).collect();
    for body in &decided {
        desk.read_back(body);
    }
    assert_eq!(desk.only_case().status(), Status::Solved);
    let mut desk = with_open_case();
    desk.read(&reacted(1, 2, "👍"));
    let first = bodies(desk.read(&unreacted(1, 2, "👍")));
    assert_eq!(first.len(), 1, "even before the confirmation is read back");
}

#[test]
fn c18_a_lost_state_takes_up_reactions_that_nothing_in_the_log_speaks_of() {
    let mut desk = with_open_case();
    let late = reacted(1, 2, "👍");
    let input = record(desk.offset, &late, 0);
    state::extractor(&mut desk.state, &input, &desk.params);
    let decided = bodies(desk.take(&Input::Resume));
    assert!(matches!(decided.as_slice(), [Body::CaseConfirmed(_)]));
    desk.read_back(&decided[0]);
    assert!(bodies(desk.take(&Input::Resume)).is_empty());
}

#[test]
fn a_reaction_on_an_expired_case_does_not_revive_it() {
    let mut desk = with_open_case();
    let archived = CaseArchived {
        case: desk.only_case().case,
        expected_version: 1,
        channel: channel(),
        reason: ArchiveReason::Expired,
        now: at(90),
    };
    desk.read(&by("promoter", event(archived, at(90))));
    assert!(bodies(desk.read(&reacted(1, 2, "👍"))).is_empty());
    assert!(bodies(desk.take(&Input::Resume)).is_empty());
}
