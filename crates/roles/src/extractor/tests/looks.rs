//! What an engine gets to see, and when.

use super::*;

/// Whether messages are not to be read on.
fn is_full(desk: &Desk) -> bool {
    flow(&desk.state, &desk.params)
        .full
        .contains(&threadlore_model::Topic::ChatEvents)
}

#[test]
fn a_window_is_asked_for_once_its_messages_were_read() {
    let mut desk = Desk::given(chat());
    assert!(desk.read(&ready(6)).calls.is_empty());
    assert!(desk.read(&posted(5, 1, "hi")).calls.is_empty());
    let decision = desk.read(&posted(6, 1, "hi"));
    let [(_, ExtractCall { up_to, window, .. })] = decision.calls.as_slice() else {
        panic!("one window");
    };
    assert_eq!((*up_to, window.lines.len()), (Offset(6), 6));
    assert_eq!((window.links.len(), window.hints.len()), (6, 6));
}

#[test]
fn one_window_at_a_time_and_the_next_after_any_answer() {
    let mut desk = Desk::given(chat());
    let window = desk.asked(2);
    assert!(desk.read(&ready(4)).calls.is_empty());
    let decision = desk.answered(2, &window, Extraction::default());
    assert_eq!(decision.calls.len(), 1);
    let (cause, ExtractCall { up_to, .. }) = &decision.calls[0];
    assert_eq!((*up_to, cause.offset), (Offset(4), Offset(6)));
}

#[test]
fn a_failed_look_does_not_stop_the_next() {
    let mut desk = Desk::given(chat());
    let window = desk.asked(2);
    desk.read(&ready(4));
    desk.busy = 0;
    let call = ExtractCall {
        up_to: Offset(2),
        now: at(2),
        window,
    };
    let decision = desk.take(&Input::Answered {
        call: &call,
        answer: Err("the model is away"),
    });
    assert_eq!((decision.events.len(), decision.calls.len()), (0, 1));
}

#[test]
fn old_lines_leave_only_after_they_were_looked_at() {
    let mut desk = Desk::given(chat());
    let week = 7 * 24 * 3600;
    desk.read(&posted(week, 5, "a week later, read ahead"));
    assert_eq!(desk.asked(4).lines.len(), 4);
}

#[test]
fn history_imported_after_newer_messages_is_looked_at() {
    let mut desk = Desk::default();
    let now = posted(40 * 24 * 3600, 1, "today");
    desk.take(&record(0, &now, 0));
    for (offset, event) in (1..).zip(&chat()) {
        desk.take(&record(offset, event, 40 * 24 * 3600));
    }
    desk.state.looked = Some(Offset(0));
    assert_eq!(
        desk.asked(4).lines.len(),
        5,
        "today's line is younger than the history"
    );
}

#[test]
fn a_window_has_what_is_new_and_context_up_to_the_limits() {
    let mut desk = Desk::default();
    desk.params.window_messages = 5;
    for n in 1..=20 {
        desk.read(&posted(n, 1, &n.to_string()));
    }
    assert_eq!(
        desk.asked(8).lines.len(),
        8,
        "new lines, whatever the limit says"
    );
    let mut state = desk.state.clone();
    state.looked = Some(Offset(8));
    let window = super::super::window::of(&state, channel(), Offset(10), &desk.params);
    assert_eq!(texts(&window), ["6", "7", "8", "9", "10"]);
}

#[test]
fn a_line_counts_the_people_who_reacted_positively_but_not_its_writer() {
    let mut desk = Desk::given(chat());
    for (who, emoji) in [(1, "👍"), (1, "❤️"), (3, "👎"), (2, "👍")] {
        desk.read(&reacted(2, who, emoji));
    }
    let positive: Vec<u32> = desk.asked(4).lines.iter().map(|l| l.positive).collect();
    assert_eq!(positive, [0, 1, 0, 0]);
}

#[test]
fn evidence_of_a_solved_case_leaves_the_window() {
    let mut desk = Desk::given(chat());
    desk.looked(4, cases([solved_draft(0, 1)]));
    desk.read(&posted(50, 3, "still nice"));
    let window = desk.asked(50);
    assert_eq!(texts(&window), ["thanks", "nice weather", "still nice"]);
    assert!(window.open.is_empty());
}

#[test]
fn the_next_look_knows_what_was_decided_about_the_one_before() {
    let mut desk = Desk::given(chat());
    let window = desk.asked(3);
    desk.read(&ready(4));
    let decision = desk.answered(3, &window, cases([solved_draft(0, 1)]));
    let (_, ExtractCall { window, .. }) = &decision.calls[0];
    assert_eq!(texts(window), ["thanks", "nice weather"]);
}

#[test]
fn a_case_is_solved_by_the_look_after_its_opening() {
    let mut desk = Desk::given(chat());
    desk.looked(1, cases([open_draft(&[0])]));
    let window = desk.asked(4);
    let id = window.open[0].case;
    desk.answered(4, &window, resolves(id, 1));
    let case = desk.only_case();
    assert_eq!((case.status(), case.version), (Status::Solved, 2));
}

#[test]
fn an_open_case_keeps_its_lines_in_the_window() {
    let mut desk = Desk::given(chat());
    desk.looked(1, cases([open_draft(&[0])]));
    let window = desk.asked(4);
    assert_eq!(window.lines.len(), 4);
    assert_eq!(window.open[0].case, desk.only_case().case);
    assert_eq!(window.open[0].evidence, [message(1)]);
}

#[test]
fn a_case_confirmed_before_its_solution_was_found_still_waits_for_one() {
    let mut desk = Desk::given(chat());
    desk.looked(1, cases([open_draft(&[0])]));
    desk.read(&reacted(1, 2, "👍"));
    assert_eq!(desk.only_case().status(), Status::Solved);
    let id = desk.only_case().case;
    assert_eq!(desk.asked(4).open[0].case, id);
    let window = desk.asked_again();
    let decided = bodies(desk.answered(4, &window, resolves(id, 1)));
    assert!(matches!(&decided[0], Body::CaseSolved(s) if s.case == id));
}

impl Desk {
    /// The window that is out, once more.
    fn asked_again(&self) -> Window {
        super::super::window::of(&self.state, channel(), Offset(4), &self.params)
    }
}

#[test]
fn a_window_without_lines_is_asked_for_and_answered_with_nothing() {
    let mut desk = Desk::given([bot_posted(1, "news"), redacted(1)]);
    let window = desk.asked(2);
    assert!(window.lines.is_empty());
    assert!(bodies(desk.answered(2, &window, Extraction::default())).is_empty());
}

#[test]
fn reading_stops_when_too_many_lines_wait_and_goes_on_when_a_look_needs_more() {
    let mut desk = Desk::default();
    desk.params.backlog = 3;
    let mut chat = (1..).map(|n| posted(n, 1, "hi"));
    let mut next = || chat.next().expect("endless");
    for _ in 0..3 {
        desk.read(&next());
    }
    assert!(!is_full(&desk));
    desk.read(&next());
    assert!(is_full(&desk));
    desk.read(&ready(6));
    assert!(!is_full(&desk), "the window ends with the sixth");
    desk.read(&next());
    desk.read(&next());
    assert!(is_full(&desk), "now the extraction can go on");
}

#[test]
fn bots_alone_never_stop_the_reading() {
    let mut desk = Desk::default();
    desk.params.backlog = 3;
    for n in 1..500 {
        desk.read(&bot_posted(n, "news"));
    }
    assert!(!is_full(&desk));
    assert!(desk.state.lines().count() <= desk.params.window_messages + 100);
}

#[test]
fn a_case_opens_at_the_time_of_its_window_however_long_the_answer_takes() {
    let mut desk = Desk::given(chat());
    let window = desk.asked(3);
    let asked = desk.asked_at;
    desk.read(&posted(100, 3, "a year later"));
    let decision = desk.answered(3, &window, cases([open_draft(&[0])]));
    let decided = &decision.events[0];
    let Body::CaseOpened(opened) = &decided.body else {
        panic!("a case");
    };
    assert_eq!((opened.now, decided.time), (asked, Some(asked)));
}
