//! Confirmations.

use super::*;

fn with_open_case() -> Desk {
    let mut desk = Desk::given(chat());
    desk.looked(4, cases([open_draft(&[0])]));
    desk
}

#[test]
fn a_positive_reaction_on_evidence_confirms_its_cases() {
    for emoji in ["👍", "👍🏿", "❤️", "❤", "✅", "+1"] {
        let mut desk = with_open_case();
        let decided = bodies(desk.read(&reacted(1, 2, emoji)));
        assert!(
            matches!(decided.as_slice(), [Body::CaseConfirmed(c)]
                if c.emoji == emoji && c.message == message(1)),
            "{emoji}"
        );
        assert_eq!(desk.only_case().status(), Status::Solved);
        assert_eq!(desk.only_case().closing_emoji.as_deref(), Some(emoji));
    }
}

#[test]
fn other_reactions_and_other_messages_confirm_nothing() {
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
fn a_reaction_that_stood_before_its_case_confirms_it() {
    let mut desk = Desk::given(chat());
    desk.read(&reacted(1, 2, "👍"));
    desk.read(&reacted(2, 3, "👍"));
    let decided = desk.looked(4, cases([open_draft(&[0])]));
    assert!(
        matches!(&decided[..], [Body::CaseOpened(_), Body::CaseConfirmed(c)]
            if c.message == message(1)),
        "{decided:?}"
    );
}

#[test]
fn a_live_reaction_while_the_engine_works_confirms_the_case() {
    let mut desk = Desk::given(chat());
    let window = desk.asked(4);
    assert!(bodies(desk.read(&reacted(1, 2, "👍"))).is_empty());
    let decided = bodies(desk.answered(4, &window, cases([open_draft(&[0])])));
    assert!(matches!(
        &decided[..],
        [Body::CaseOpened(_), Body::CaseConfirmed(_)]
    ));
}

/// A case without a solution, to which message 2 was suggested.
fn with_suggestion() -> Desk {
    let mut desk = Desk::given(chat());
    let mut draft = open_draft(&[0]);
    draft.other_lines = vec![1];
    desk.looked(4, cases([draft]));
    desk
}

#[test]
fn the_suggestion_that_is_reacted_to_is_the_solution() {
    let mut desk = with_suggestion();
    let decided = bodies(desk.read(&reacted(2, 1, "👍")));
    assert!(
        matches!(&decided[..], [Body::CaseSolved(s), Body::CaseConfirmed(c)]
            if s.solution.text() == Some("install alsa-base")
            && s.signal == Signal::Reaction && c.message == message(2)),
        "{decided:?}"
    );
    let case = desk.only_case();
    assert_eq!(case.status(), Status::Solved);
    assert_eq!(case.solution.as_deref(), Some("install alsa-base"));
    let parts = [(1, Part::Problem), (2, Part::Solution)];
    assert_eq!(numbers(&case.evidence), parts);
    assert_eq!(
        bodies(desk.read(&reacted(2, 3, "✅"))).len(),
        1,
        "only confirmed"
    );
    for who in [1, 3] {
        let emoji = if who == 1 { "👍" } else { "✅" };
        desk.read(&unreacted(2, who, emoji));
    }
    assert_eq!(
        desk.only_case().status(),
        Status::Open,
        "with the last of them"
    );
}

#[test]
fn who_suggested_it_does_not_make_it_the_solution() {
    let mut desk = with_suggestion();
    let decided = bodies(desk.read(&reacted(2, 2, "👍")));
    assert!(
        matches!(&decided[..], [Body::CaseConfirmed(_)]),
        "{decided:?}"
    );
}

#[test]
fn a_reaction_on_a_suggestion_before_its_case_solves_it() {
    let mut desk = Desk::given(chat());
    desk.read(&reacted(2, 1, "👍"));
    desk.read(&reacted(2, 3, "👍"));
    let mut draft = open_draft(&[0]);
    draft.other_lines = vec![1];
    let decided = desk.looked(4, cases([draft]));
    let confirmed = |b: &&Body| matches!(b, Body::CaseConfirmed(_));
    assert!(
        matches!(&decided[..2], [Body::CaseOpened(_), Body::CaseSolved(_)]),
        "{decided:?}"
    );
    assert_eq!(decided.iter().filter(confirmed).count(), 2);
    assert_eq!(
        desk.only_case().solution.as_deref(),
        Some("install alsa-base")
    );
}

#[test]
fn a_repeated_reaction_changes_nothing() {
    let mut desk = with_open_case();
    for _ in 0..3 {
        desk.read(&reacted(1, 2, "👍"));
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
fn removing_the_last_positive_reaction_opens_the_case_again() {
    let mut desk = with_open_case();
    for event in [
        reacted(1, 2, "👍"),
        unreacted(1, 2, "👎"),
        unreacted(1, 2, "👍"),
    ] {
        desk.read(&event);
    }
    let open = desk.only_case();
    assert_eq!((open.status(), open.version), (Status::Open, 3));
    assert_eq!(open.closing_emoji, None);
}

#[test]
fn a_reaction_on_an_expired_case_does_not_revive_it() {
    let mut desk = with_open_case();
    desk.offset = 30 * 24 * 3600;
    desk.take(&Input::Wake { idle: false });
    assert_eq!(desk.only_case().status(), Status::Archived);
    assert!(bodies(desk.read(&reacted(1, 2, "👍"))).is_empty());
    assert!(bodies(desk.take(&Input::Resume)).is_empty());
}
