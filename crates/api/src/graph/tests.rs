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

/// A minute that ends so many seconds after the first one began.
fn during(seconds: i64) -> Range<Timestamp> {
    let end = Timestamp::from_millis(seconds * 1000);
    end.minus(KEPT_FOR)..end
}

fn link(case: CaseId) -> String {
    format!("/c/{case}")
}

fn counted() -> Questions {
    use TurnOutcome::{Answered, AnsweredByPerson, Muted, NothingClose};
    let (worked, failed) = (Some(AnswerOutcome::Worked), Some(AnswerOutcome::Failed));
    let turns = vec![
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
    ];
    Questions::of(turns, during(60), 6)
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
    let (wifi, turns) = counted.subject("What if my WIFI drops?", link);
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
    let (drivers, _) = counted.subject("drivers", link);
    assert_eq!(drivers.waiting.len(), 1, "{drivers:?}");
    assert_eq!(
        counted.subject("what is the", link).0.tally,
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

#[test]
fn many_questions_are_read_once_in_a_minute_and_few_each_time() {
    let graphs = Graphs::default();
    let of = |space: &str, days| (SpaceId::parse(space).expect("a space"), days);
    let keep = |name: &str, times: usize, end: i64, now: i64| {
        let one = |n| asked(n as u128, "wifi drops", TurnOutcome::NothingClose, None);
        let turns = (0..times).map(one).collect();
        let questions = Arc::new(Questions::of(turns, during(end), times as u64));
        graphs.keep(of(name, 30), &questions, Timestamp::from_millis(now * 1000));
    };
    let is_kept = |name: &str, days, until: i64| {
        let until = Timestamp::from_millis(until * 1000);
        graphs.kept(&of(name, days), until).is_some()
    };
    keep("few", MANY - 1, 100, 100);
    assert!(!is_kept("few", 30, 100));
    keep("old", MANY, 30, 100);
    assert!(!is_kept("old", 30, 30), "they do not end now");
    keep("many", MANY, 100, 100);
    assert!(is_kept("many", 30, 100) && is_kept("many", 30, 159));
    assert!(!is_kept("many", 30, 160), "that is too long ago");
    assert!(!is_kept("many", 30, 99), "then they were others");
    assert!(!is_kept("many", 7, 100) && !is_kept("other", 30, 100));
    keep("few", 1, 160, 160);
    assert!(graphs.all().is_empty(), "they were let go");
    for n in 0..=KEPT {
        let end = 200 + i64::try_from(n).expect("few");
        keep(&format!("s{n}"), MANY, end, end);
    }
    assert!(!is_kept("s0", 30, 208) && is_kept("s1", 30, 208) && is_kept("s8", 30, 208));
}
