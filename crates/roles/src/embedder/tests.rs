use std::collections::{BTreeMap, HashSet};

use proptest::prelude::*;
use threadlore_model::{
    Body, CaseErased, CaseMerged, CaseOpened, CaseSolved, EraseReason, Event, EventId, Offset,
    Private, Signal, parse_vector, source_text, vector_source,
};

use super::decide::{decide, flow};
use super::fold::{fold, fold_decided};
use super::{Decision, EmbedAnswer, EmbedCall, Input, WantedText};
use crate::testing::{at, case, channel, event, facts, record};
use crate::{EmbedderParams, EmbedderState};

fn private(text: &str) -> Private {
    match text {
        "" => Private::Erased,
        text => Private::open(text),
    }
}

fn opened(n: u128, problem: &str) -> Event {
    let opened = CaseOpened {
        case: case(n),
        channel: channel(),
        title: Private::Erased,
        problem: private(problem),
        tags: Vec::new(),
        evidence: Vec::new(),
        engine: "test-1".to_owned(),
        now: at(1),
    };
    event(opened, at(1))
}

fn solved(n: u128, title: &str, solution: &str) -> Event {
    let solved = CaseSolved {
        case: case(n),
        channel: channel(),
        title: private(title),
        problem: Private::open("problem\0"),
        solution: private(solution),
        tags: vec![
            Private::open("audio"),
            Private::Erased,
            Private::open("alsa"),
        ],
        evidence: Vec::new(),
        signal: Signal::Thanks,
        signal_message: None,
        engine: "test-1".to_owned(),
        now: at(1),
    };
    event(solved, at(1))
}

fn erased(n: u128) -> Event {
    let erased = CaseErased {
        case: case(n),
        channel: channel(),
        reason: EraseReason::Redacted,
        now: at(1),
    };
    event(erased, at(1))
}

fn merged(n: u128) -> Event {
    let merged = CaseMerged {
        case: case(n),
        channel: channel(),
        into: case(99),
        similarity: 900,
        comparer: "test-1".to_owned(),
        now: at(1),
    };
    event(merged, at(1))
}

/// The event as it is in the log: no other has its id.
fn numbered(event: &Event, offset: i64) -> Event {
    let mut event = event.clone();
    event.envelope.id = EventId::of_content("test", &[&offset.to_string()]);
    event
}

/// A vector that says which text it is of.
fn vector(text: &str) -> Vec<f32> {
    vec![text.len() as f32, -1.0]
}

/// An embedder with the one call that runs.
struct Desk {
    state: EmbedderState,
    params: EmbedderParams,
    next: i64,
    asked: Option<Vec<WantedText>>,
    /// What was decided: where it belongs in a recovery, and what it is.
    decided: Vec<(Offset, Event)>,
}

impl Desk {
    fn new() -> Self {
        Self {
            state: EmbedderState::default(),
            params: EmbedderParams::of_model("m/1"),
            next: 0,
            asked: None,
            decided: Vec::new(),
        }
    }

    fn given(events: &[Event]) -> Self {
        let mut desk = Self::new();
        for event in events {
            desk.read(event);
        }
        desk
    }

    fn read(&mut self, event: &Event) {
        let offset = self.next;
        self.next += 1;
        let event = numbered(event, offset);
        self.take(&record(offset, &event, 0), Offset(offset));
    }

    fn take(&mut self, input: &Input<'_>, cause: Offset) {
        fold(&mut self.state, input);
        let mut facts = facts("embedder", at(7));
        facts.pending_calls = usize::from(self.asked.is_some());
        let Decision { events, calls, .. } = decide(&self.state, input, &facts, &self.params);
        for decided in events {
            let mut event = event(decided.body, at(7));
            event.envelope.id = decided.id.expect("named by its text");
            fold_decided(&mut self.state, &event);
            self.decided.push((cause, event));
        }
        for (cause, EmbedCall { texts }) in calls {
            assert_eq!(Some(&cause), texts.last().map(|text| &text.cause));
            assert_eq!(self.asked.replace(texts), None, "one call at a time");
        }
    }

    /// The call is answered, or failed for good.
    fn answer(&mut self, ok: bool) {
        let texts = self.asked.take().expect("a call runs");
        let cause = texts.last().map(|text| text.cause.offset);
        let answer = EmbedAnswer {
            model: "m/1".to_owned(),
            vectors: texts.iter().map(|text| vector(&text.text)).collect(),
        };
        let input = Input::Answered {
            call: &EmbedCall { texts },
            answer: if ok { Ok(&answer) } else { Err("refused") },
        };
        self.take(&input, cause.expect("a call has texts"));
    }

    /// Texts that are asked about.
    fn asked(&self) -> Vec<&str> {
        let texts = self.asked.iter().flatten();
        texts.map(|text| text.text.as_str()).collect()
    }

    /// What was decided: case, and hash of the text.
    fn vectors(&self) -> Vec<(u128, String)> {
        let vectors = self.decided.iter().map(|(_, event)| match &event.body {
            Body::VectorComputed(v) => {
                assert_eq!((v.model.as_str(), v.now), ("m/1", at(7)));
                let vector = v.vector.text().and_then(parse_vector);
                assert_eq!(vector.map(|v| v.len()), Some(2));
                let source = v.source.text().expect("open").to_owned();
                (v.case.as_uuid().as_u128(), source)
            }
            other => panic!("{} is not the embedder's", other.type_name()),
        });
        vectors.collect()
    }
}

fn source(text: &str) -> String {
    source_text(&vector_source(text))
}

#[test]
fn the_text_of_an_opened_and_of_a_solved_case_gets_its_vector() {
    let mut desk = Desk::given(&[opened(1, "no\0sound")]);
    assert_eq!(desk.asked(), ["no\u{fffd}sound"], "as the rows have it");
    desk.read(&solved(1, "title", "alsamixer"));
    desk.answer(true);
    let whole = "title\nproblem\u{fffd}\nalsamixer\naudio alsa";
    assert_eq!(desk.asked(), [whole]);
    desk.answer(true);
    let expected = [(1, source("no\u{fffd}sound")), (1, source(whole))];
    assert_eq!(desk.vectors(), expected);
    assert_eq!(desk.asked, None);
    assert_eq!(desk.state.wanted.len(), 0);
}

#[test]
fn a_call_has_at_most_32_texts_the_first_ones_first() {
    let mut desk = Desk::given(&[opened(0, "first")]);
    for n in 1..=40 {
        desk.read(&opened(n, &format!("text {n}")));
    }
    assert_eq!(desk.asked(), ["first"]);
    desk.answer(true);
    assert_eq!(desk.asked().len(), 32);
    assert_eq!(desk.asked()[..2], ["text 1", "text 2"]);
    desk.answer(true);
    assert_eq!(desk.asked().len(), 8);
    desk.answer(true);
    assert_eq!(desk.vectors().len(), 41);
}

#[test]
fn a_case_without_words_is_not_asked_about() {
    assert_eq!(Desk::given(&[opened(1, ""), opened(2, " ")]).asked, None);
}

#[test]
fn of_an_erased_case_nothing_is_asked_or_decided() {
    let mut desk = Desk::given(&[opened(1, "a"), opened(2, "b"), opened(1, "c"), erased(1)]);
    assert_eq!(desk.asked(), ["a"]);
    desk.answer(true);
    assert_eq!(desk.vectors(), []);
    assert_eq!(desk.asked(), ["b"]);
    desk.answer(true);
    assert_eq!(desk.vectors(), [(2, source("b"))]);
}

#[test]
fn a_case_that_left_the_live_set_may_come_back_so_its_vector_is_computed() {
    let mut desk = Desk::given(&[opened(1, "a"), opened(2, "b"), merged(2)]);
    desk.answer(true);
    assert_eq!(desk.asked(), ["b"]);
}

#[test]
fn what_failed_for_good_is_not_asked_again_and_the_rest_goes_on() {
    let mut desk = Desk::given(&[opened(1, "a"), opened(2, "b")]);
    desk.answer(false);
    assert_eq!(desk.asked(), ["b"]);
    desk.answer(true);
    assert_eq!(desk.vectors(), [(2, source("b"))]);
    assert_eq!((desk.asked, desk.state.wanted.len()), (None, 0));
}

#[test]
fn after_a_lost_state_what_is_open_is_asked_for() {
    let mut desk = Desk::given(&[opened(1, "a"), opened(2, "b")]);
    desk.asked = None;
    desk.take(&Input::Resume, Offset(1));
    assert_eq!(desk.asked(), ["a", "b"]);
}

#[test]
fn cases_are_read_on_as_long_as_there_is_room() {
    let mut desk = Desk::given(&[opened(1, "a"), opened(2, "b")]);
    desk.params.backlog = 2;
    assert!(flow(&desk.state, &desk.params).full.is_empty());
    desk.read(&opened(3, "c"));
    let full = flow(&desk.state, &desk.params);
    assert_eq!(full.full, [threadlore_model::Topic::KnowledgeCases]);
    assert_eq!(full.needs, None);
    desk.answer(true);
    assert!(flow(&desk.state, &desk.params).full.is_empty());
}

#[test]
fn what_failed_once_and_was_wanted_again_is_not_asked_for_twice_after_a_loss() {
    let again = [opened(1, "a"), opened(1, "a")];
    let mut desk = Desk::given(&again[..1]);
    desk.answer(false);
    desk.read(&again[1]);
    desk.answer(true);
    assert!(desk.state.wanted.is_empty());
    let found = rebuilt(&again, &desk.decided);
    let wanted: Vec<Offset> = found.wanted.keys().copied().collect();
    assert_eq!(
        wanted,
        [Offset(0)],
        "the one that failed, which nobody answered"
    );
}

#[derive(Debug, Clone)]
enum Step {
    Opened(u128, String),
    Solved(u128, String),
    Erased(u128),
    Merged(u128),
    Answer(bool),
}

fn step() -> impl Strategy<Value = Step> {
    let case = || 0..3_u128;
    prop_oneof![
        3 => (case(), "[ab]?").prop_map(|(n, text)| Step::Opened(n, text)),
        3 => (case(), "[ab]?").prop_map(|(n, text)| Step::Solved(n, text)),
        1 => case().prop_map(Step::Erased),
        1 => case().prop_map(Step::Merged),
        3 => any::<bool>().prop_map(Step::Answer),
    ]
}

/// What is to happen, without the rules: what is wanted, by offset, and what is done.
#[derive(Default)]
struct Model {
    wanted: BTreeMap<Offset, (u128, String)>,
    failed: Vec<(u128, String)>,
    done: Vec<(u128, String)>,
}

impl Model {
    fn answered(&mut self, asked: &[WantedText], ok: bool) {
        for text in asked {
            if let Some((case, text)) = self.wanted.remove(&text.cause.offset) {
                match ok {
                    true => self.done.push((case, source(&text))),
                    false => self.failed.push((case, text)),
                }
            }
        }
    }

    fn erased(&mut self, case: u128) {
        self.wanted.retain(|_, (of, _)| *of != case);
        self.failed.retain(|(of, _)| *of != case);
    }
}

/// A state that was lost and rebuilt: every record, then what the log says it led to.
fn rebuilt(events: &[Event], decided: &[(Offset, Event)]) -> EmbedderState {
    let mut rebuilt = EmbedderState::default();
    for (offset, event) in (0..).zip(events) {
        fold(&mut rebuilt, &record(offset, &numbered(event, offset), 0));
        for (_, event) in decided.iter().filter(|(at, _)| *at == Offset(offset)) {
            fold_decided(&mut rebuilt, event);
        }
    }
    rebuilt
}

/// An embedder that lost its state: as a recovery does it, up to the last cause first;
/// then what is open is asked for, before the rest is read.
fn recovered(events: &[Event], lost: &Desk) -> Desk {
    let causes = lost.decided.iter().map(|(cause, _)| *cause);
    let read = causes.max().map_or(0, |last| last.next().0);
    let (known, rest) = events.split_at(usize::try_from(read).expect("small"));
    let mut desk = Desk::new();
    desk.params = lost.params.clone();
    desk.state = rebuilt(known, &lost.decided);
    desk.next = read;
    desk.take(&Input::Resume, Offset(read - 1));
    for event in rest {
        desk.read(event);
    }
    while desk.asked.is_some() {
        desk.answer(true);
    }
    desk
}

proptest! {
    #[test]
    fn every_text_that_stands_gets_exactly_one_vector(
        steps in prop::collection::vec(step(), 1..60),
        batch in 1..5_usize,
    ) {
        let (mut desk, mut model, mut events) = (Desk::new(), Model::default(), Vec::new());
        desk.params.batch = batch;
        for step in steps {
            let (event, case, text) = match step {
                Step::Answer(ok) => {
                    if let Some(asked) = desk.asked.clone() {
                        prop_assert!(asked.len() <= batch);
                        model.answered(&asked, ok);
                        desk.answer(ok);
                    }
                    continue;
                }
                Step::Opened(n, text) => (opened(n, &text), n, text),
                Step::Solved(n, text) => {
                    let solved = solved(n, &text, "");
                    let lines = ["problem\u{fffd}", "audio alsa"].join("\n");
                    let text = if text.is_empty() { lines } else { format!("{text}\n{lines}") };
                    (solved, n, text)
                }
                Step::Erased(n) => {
                    model.erased(n);
                    (erased(n), n, String::new())
                }
                Step::Merged(n) => (merged(n), n, String::new()),
            };
            if !text.is_empty() {
                model.wanted.insert(Offset(desk.next), (case, text));
            }
            desk.read(&event);
            events.push(event);
        }

        // Nothing that the log has is wanted in a rebuilt state, and nothing else is lost.
        let found = rebuilt(&events, &desk.decided);
        let mut found: Vec<_> = found.wanted.values().map(|w| (w.case, w.text.clone())).collect();
        let open = desk.state.wanted.values().map(|w| (w.case, w.text.clone()));
        let failed = model.failed.iter().map(|(n, text)| (case(*n), text.clone()));
        let mut expected: Vec<_> = open.chain(failed).collect();
        found.sort();
        expected.sort();
        prop_assert_eq!(found, expected);

        // Whoever takes over decides nothing that was decided, under no id that was given.
        let after = recovered(&events, &desk);
        let ids = desk.decided.iter().chain(&after.decided).map(|(_, event)| event.envelope.id);
        let distinct: HashSet<EventId> = ids.clone().collect();
        prop_assert_eq!(distinct.len(), ids.count());

        while let Some(asked) = desk.asked.clone() {
            model.answered(&asked, true);
            desk.answer(true);
        }
        let (mut vectors, mut done) = (desk.vectors(), model.done);
        vectors.sort();
        done.sort();
        prop_assert_eq!(vectors, done);
        prop_assert!(model.wanted.is_empty() && desk.state.wanted.is_empty());
    }
}
