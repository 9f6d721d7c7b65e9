use threadlore_model::{CaseId, EventId, GateTag};
use uuid::Uuid;

use super::*;

fn asked(n: u128, text: &str, outcome: TurnOutcome, worth: Option<AnswerOutcome>) -> AskedTurn {
    let is_answer = outcome == TurnOutcome::Answered;
    let case = CaseId::from_uuid(Uuid::from_u128(n % 10));
    AskedTurn {
        turn: EventId::from_uuid(Uuid::from_u128(n)),
        text: (!text.is_empty()).then(|| text.to_owned()),
        outcome,
        tag: Some(GateTag::NewQuestion),
        at: Timestamp::from_millis(1000 - n as i64),
        case: is_answer.then_some((case, Some("a title".to_owned()))),
        memory: None,
        worth,
    }
}

fn counted() -> Counted {
    use TurnOutcome::{Answered, AnsweredByPerson, Muted, NothingClose};
    let (worked, failed) = (Some(AnswerOutcome::Worked), Some(AnswerOutcome::Failed));
    Counted::of(vec![
        asked(1, "@lore my wifi drops after suspend", Answered, worked),
        asked(11, "wifi drops since the kernel update", Answered, failed),
        asked(
            2,
            "which kernel has drivers for wifi?",
            AnsweredByPerson,
            None,
        ),
        asked(3, "kernel panics on drivers of nvidia", NothingClose, None),
        asked(4, "nvidia drivers and wayland?", Muted, None),
        asked(5, "", NothingClose, None),
    ])
}

fn names(words: &[Word]) -> Vec<&str> {
    words.iter().map(|word| word.word.as_str()).collect()
}

#[test]
fn words_are_counted_with_who_answered_the_questions_that_have_them() {
    let words = counted().words(None);
    assert_eq!(names(&words)[..3], ["drivers", "kernel", "wifi"]);
    let Tally {
        asked,
        cases,
        people,
        nobody,
        silent,
        worked,
        failed,
        ..
    } = words[2].tally;
    assert_eq!((asked, cases, people, nobody, silent), (3, 2, 1, 0, 0));
    assert_eq!((worked, failed), (1, 1));
    assert!(
        !names(&words).contains(&"lore"),
        "that is whom it is said to"
    );
}

#[test]
fn a_subject_has_the_questions_with_most_of_its_words() {
    let counted = counted();
    let (wifi, turns) = counted.subject("What if my WIFI drops?");
    assert_eq!((wifi.tally.asked, turns.len()), (2, 2), "{wifi:?}");
    assert_eq!(wifi.answered_by.len(), 1);
    assert_eq!(
        (wifi.answered_by[0].answers, wifi.answered_by[0].failed),
        (2, 1)
    );
    let beside = counted.words(Some((&wifi, &turns)));
    assert!(!names(&beside).contains(&"wifi"), "{beside:?}");
    let kernel = beside
        .iter()
        .find(|word| word.word == "kernel")
        .expect("beside it");
    // One of two questions, and of three with "kernel".
    assert_eq!((kernel.tally.asked, kernel.strength), (1, 250));
    let (drivers, _) = counted.subject("drivers");
    assert_eq!(drivers.waiting.len(), 1, "{drivers:?}");
    assert_eq!(
        counted.subject("what is the").0.tally,
        Tally::default(),
        "no telling word"
    );
}

#[test]
fn a_path_leads_from_a_word_to_another_by_the_fewest_questions() {
    let counted = counted();
    let steps = counted.path("suspend", "Wayland");
    let named: Vec<&str> = steps.iter().map(|step| step.to.as_str()).collect();
    assert_eq!(named, ["wifi", "drivers", "wayland"]);
    assert_eq!(steps[0].from, "suspend");
    assert_eq!(counted.path("suspend", "coffee"), []);
    assert_eq!(counted.path("coffee", "suspend"), []);
}

#[test]
fn acts_say_how_what_the_bot_did_went() {
    let acts = counted().acts(None);
    let answered = acts
        .iter()
        .find(|act| act.outcome == "answered")
        .expect("one");
    assert_eq!(
        (answered.times, answered.worked, answered.failed),
        (2, 1, 1)
    );
    assert_eq!(answered.tag, Some("new_question"));
    let all: u64 = acts.iter().map(|act| act.times).sum();
    assert_eq!(all, 6);
}
