//! From an answer to events.

use super::*;

/// What the answer leads to, in a chat with one window up to its end.
fn answer(events: Vec<Event>, extraction: Extraction) -> Vec<Body> {
    let mut desk = Desk::given(events);
    let window = desk.asked(4);
    bodies(desk.answered(4, &window, extraction))
}

#[test]
fn an_answer_out_of_range_is_rejected_whole() {
    for bad in [4, usize::MAX] {
        let mut desk = Desk::given(chat());
        let window = desk.asked(4);
        let extraction = cases([open_draft(&[0]), open_draft(&[bad])]);
        let decision = desk.answered(4, &window, extraction);
        assert!(decision.events.is_empty());
        assert!(decision.dropped.is_some());
        let mut desk = Desk::given(chat());
        let window = desk.asked(4);
        assert!(
            desk.answered(4, &window, resolves(case(1), bad))
                .dropped
                .is_some()
        );
    }
}

#[test]
fn a_rejected_answer_does_not_stop_the_next_look() {
    let mut desk = Desk::given(chat());
    let window = desk.asked(2);
    desk.read(&ready(4));
    let decision = desk.answered(2, &window, cases([open_draft(&[2])]));
    assert_eq!((decision.events.len(), decision.calls.len()), (0, 1));
}

#[test]
fn a_span_becomes_a_case_with_its_texts() {
    let decided = answer(chat(), cases([solved_draft(0, 1)]));
    let [Body::CaseSolved(s)] = decided.as_slice() else {
        panic!("one solved case, not {decided:?}");
    };
    assert_eq!(s.title.text(), Some("no sound"));
    assert_eq!(s.solution.text(), Some("install alsa-base"));
    assert_eq!(s.signal, Signal::Thanks);
    assert_eq!((s.engine.as_str(), s.now), ("test-1", at(5)));
}

#[test]
fn evidence_is_in_the_order_of_the_window_and_each_message_once() {
    let draft = Draft {
        other_lines: vec![3, 2, 0],
        solution_lines: vec![1, 1],
        ..solved_draft(0, 1)
    };
    let decided = answer(chat(), cases([draft]));
    let [Body::CaseSolved(s)] = decided.as_slice() else {
        panic!("one solved case");
    };
    let (p, s_, c) = (Part::Problem, Part::Solution, Part::Context);
    assert_eq!(numbers(&s.evidence), [(1, p), (2, s_), (3, c), (4, c)]);
}

#[test]
fn what_bots_wrote_is_no_evidence_and_no_case() {
    let mut events = chat();
    events[1] = bot_posted(2, "install alsa-base");
    let decided = answer(events, cases([solved_draft(0, 1)]));
    let [Body::CaseOpened(o)] = decided.as_slice() else {
        panic!("a bot's answer leaves the case open: {decided:?}");
    };
    assert_eq!(numbers(&o.evidence), [(1, Part::Problem)]);
    let mut events = chat();
    events[0] = bot_posted(1, "how do I get sound?");
    assert!(answer(events, cases([solved_draft(0, 1)])).is_empty());
}

#[test]
fn a_bots_line_resolves_no_case() {
    let mut desk = Desk::given([
        posted(1, 1, "how do I get sound?"),
        bot_posted(2, "like so"),
    ]);
    desk.looked(1, cases([open_draft(&[0])]));
    let id = desk.only_case().case;
    let window = desk.asked(2);
    assert!(bodies(desk.answered(2, &window, resolves(id, 1))).is_empty());
}

#[test]
fn a_case_with_a_blank_solution_is_open() {
    let draft = Draft {
        solution: Some(" \n".into()),
        ..solved_draft(0, 1)
    };
    assert!(matches!(
        answer(chat(), cases([draft])).as_slice(),
        [Body::CaseOpened(_)]
    ));
}

#[test]
fn advice_that_nobody_confirmed_is_context_of_an_open_case() {
    let mut draft = open_draft(&[0]);
    draft.solution_lines = vec![1];
    let events = answer(chat(), cases([draft]));
    let [Body::CaseOpened(opened)] = &events[..] else {
        panic!("{events:?}");
    };
    let parts: Vec<Part> = opened.evidence.iter().map(|e| e.part).collect();
    assert_eq!(parts, [Part::Problem, Part::Context]);
}

#[test]
fn a_case_without_a_problem_is_none() {
    let blank = Draft {
        problem: " ".into(),
        ..open_draft(&[0])
    };
    assert!(answer(chat(), cases([open_draft(&[]), blank])).is_empty());
}

#[test]
fn one_message_is_evidence_of_one_new_case() {
    let decided = answer(
        chat(),
        cases([open_draft(&[0]), open_draft(&[0, 3]), open_draft(&[3])]),
    );
    let ids: Vec<_> = decided
        .iter()
        .filter_map(|body| match body {
            Body::CaseOpened(o) => Some((o.case, numbers(&o.evidence)[0].0)),
            _ => None,
        })
        .collect();
    assert_eq!((ids.len(), ids[0].1, ids[1].1), (2, 1, 4));
    assert_ne!(ids[0].0, ids[1].0);
}

#[test]
fn a_draft_on_evidence_of_an_open_case_adds_no_second_one() {
    let mut desk = Desk::given(chat());
    desk.looked(1, cases([open_draft(&[0])]));
    let id = desk.only_case().case;
    let window = desk.asked(3);
    let decided = bodies(desk.answered(3, &window, cases([open_draft(&[0]), solved_draft(0, 1)])));
    let [Body::CaseSolved(s)] = decided.as_slice() else {
        panic!("the open case is solved: {decided:?}");
    };
    assert_eq!(s.case, id);
}

#[test]
fn a_case_confirmed_while_the_engine_worked_is_not_found_twice() {
    let mut desk = Desk::given(chat());
    desk.looked(1, cases([open_draft(&[0])]));
    let id = desk.only_case().case;
    let window = desk.asked(3);
    desk.read(&reacted(1, 2, "👍"));
    let decided = bodies(desk.answered(3, &window, cases([solved_draft(0, 1)])));
    assert!(
        matches!(decided.as_slice(), [Body::CaseSolved(s)]
            if s.case == id),
        "{decided:?}"
    );
}

#[test]
fn the_window_resolves_an_open_case() {
    let mut desk = Desk::given(chat());
    desk.looked(1, cases([open_draft(&[0])]));
    let id = desk.only_case().case;
    let decided = desk.looked(3, resolves(id, 1));
    let [Body::CaseSolved(s)] = decided.as_slice() else {
        panic!("the open case is solved: {decided:?}");
    };
    assert_eq!(s.case, id);
    assert_eq!(s.title.text(), Some("no sound"));
    let solved = desk.only_case();
    assert_eq!(
        (solved.status(), solved.evidence.len()),
        (Status::Solved, 2)
    );
}

#[test]
fn unknown_solved_and_blankly_resolved_cases_stay_as_they_are() {
    assert!(answer(chat(), resolves(case(12), 1)).is_empty());
    let mut desk = Desk::given(chat());
    desk.looked(1, cases([open_draft(&[0])]));
    let id = desk.only_case().case;
    let mut blank = resolves(id, 1);
    blank.resolved[0].solution = String::new();
    let twice = Extraction {
        resolved: [
            blank.resolved,
            resolves(id, 1).resolved,
            resolves(id, 2).resolved,
        ]
        .concat(),
        ..Extraction::default()
    };
    assert_eq!(desk.looked(3, twice).len(), 1);
    desk.read(&posted(9, 1, "more"));
    let window = desk.asked(9);
    assert!(bodies(desk.answered(9, &window, resolves(id, 0))).is_empty());
}

#[test]
fn a_message_redacted_while_the_engine_worked_is_in_no_case() {
    for gone in [1, 2] {
        let mut desk = Desk::given(chat());
        let window = desk.asked(4);
        desk.read(&redacted(gone));
        let extraction = cases([solved_draft(0, 1), open_draft(&[3])]);
        let decided = bodies(desk.answered(4, &window, extraction));
        assert_eq!(decided.len(), 1, "the other case is not lost");
        assert!(matches!(&decided[0], Body::CaseOpened(o) if o.evidence[0].message == message(4)));
    }
    let mut desk = Desk::given(chat());
    desk.looked(1, cases([open_draft(&[0])]));
    let id = desk.only_case().case;
    let window = desk.asked(4);
    desk.read(&redacted(2));
    assert!(bodies(desk.answered(4, &window, resolves(id, 1))).is_empty());
}

#[test]
fn old_and_many_lines_are_not_taken_for_redacted() {
    let mut desk = Desk::default();
    desk.params.window_messages = 1;
    for event in chat() {
        desk.read(&event);
    }
    let window = desk.asked(4);
    let decided = bodies(desk.answered(4, &window, cases([solved_draft(0, 1)])));
    assert_eq!(decided.len(), 1);
}

#[test]
fn the_same_answer_leads_to_the_same_ids() {
    let once = answer(chat(), cases([solved_draft(0, 1)]));
    assert_eq!(once, answer(chat(), cases([solved_draft(0, 1)])));
}

#[test]
fn a_solved_case_names_the_message_that_says_so_and_has_it_as_evidence() {
    let mut desk = Desk::given(chat());
    desk.looked(1, cases([open_draft(&[0])]));
    let id = desk.only_case().case;
    let mut extraction = resolves(id, 1);
    extraction.resolved[0].signal_line = Some(2);
    let decided = desk.looked(3, extraction);
    let [Body::CaseSolved(s)] = decided.as_slice() else {
        panic!("the open case is solved: {decided:?}");
    };
    let sign = s.evidence.last().expect("evidence");
    assert_eq!(Some(sign.message), s.signal_message);
    assert_eq!(sign.part, Part::Context);
    assert_eq!(desk.only_case().evidence.len(), 3);

    let mut drafted = solved_draft(0, 1);
    drafted.signal_line = Some(2);
    let decided = answer(chat(), cases([drafted.clone()]));
    let [Body::CaseSolved(s)] = decided.as_slice() else {
        panic!("one solved case, not {decided:?}");
    };
    assert_eq!(s.signal_message, Some(s.evidence[2].message));
    drafted.signal_line = Some(99);
    assert!(answer(chat(), cases([drafted])).is_empty(), "no such line");
}
