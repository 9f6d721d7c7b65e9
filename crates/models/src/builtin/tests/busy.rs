//! A channel where several conversations go on at once.

use super::*;

/// Others who talk about something else.
const OTHERS: [Said<'static>; 2] = [
    ("dan", "eve: the projector lamp is at 2000 hours", None, ""),
    ("eve", "dan: that is a lot, order a spare", Some(0), ""),
];

/// A script after the talk of others, whose lines come first.
fn beside_others<'a>(script: &[Said<'a>]) -> Vec<Said<'a>> {
    let later = script
        .iter()
        .map(|(name, text, link, marks)| (*name, *text, link.map(|at| at + OTHERS.len()), *marks));
    OTHERS.into_iter().chain(later).collect()
}

fn suggestions(script: &[Said<'_>]) -> Vec<Option<String>> {
    let cases = extract(&window(&beside_others(script))).cases;
    cases.into_iter().map(|case| case.suggestion).collect()
}

#[test]
fn an_answer_may_be_no_more_than_a_name() {
    let asks = (
        "ann",
        "does anyone know a program that mirrors a directory to another disk?",
        None,
        "?",
    );
    let named = |answer| suggestions(&[asks, ("bob", answer, Some(0), "")]);
    assert_eq!(named("ann: rsync"), [Some("rsync".to_owned())]);
    for none in ["ann: yes", "ann: hello", "ann: lol", "eve: rsync"] {
        let found = named(none);
        assert!(found.iter().all(Option::is_none), "{none}: {found:?}");
    }
    let asked_back = suggestions(&[asks, ("bob", "ann: rsync", Some(0), "?")]);
    assert!(asked_back.iter().all(Option::is_none), "{asked_back:?}");
}

#[test]
fn who_is_not_answered_yet_goes_on_with_the_same_problem() {
    let script = [
        (
            "ann",
            "is it possible to use a 115V computer in Europe?",
            None,
            "?",
        ),
        ("gil", "hal: lunch is at one today", None, ""),
        ("ann", "what will I need to make it happen?", None, "?"),
        (
            "bob",
            "ann: flip the little switch on the power supply",
            Some(2),
            "",
        ),
    ];
    let found = extract(&window(&beside_others(&script)));
    assert_eq!(found.cases.len(), 1, "{found:?}");
    let case = &found.cases[0];
    assert!(case.problem.contains("115V"), "{case:?}");
    assert_eq!(case.solution_lines, [5]);
}

#[test]
fn a_question_after_words_about_the_talk_is_a_problem() {
    let answer = ("bob", "ann: put them into a folder VIDEO_TS", Some(0), "");
    for asks in [
        "I have a question about discs. How can I write vob files so that a player reads them?",
        "sorry for the off topic but does anyone know how I can write vob files to a disc?",
    ] {
        let found = suggestions(&[("ann", asks, None, "?"), answer]);
        assert_eq!(found.len(), 1, "{asks}: {found:?}");
    }
    let about = "is there a channel I can go to, to ask hardware questions or can I ask it here?";
    let found = suggestions(&[("ann", about, None, "?"), ("bob", "ann: ask", Some(0), "")]);
    assert!(found.is_empty(), "{found:?}");
}

/// The solution of the only case of a script beside the talk of others.
fn solution(script: &[Said<'_>]) -> Option<String> {
    let found = extract(&window(&beside_others(script)));
    assert_eq!(found.cases.len(), 1, "{:?}", found.cases);
    found.cases.into_iter().next()?.solution
}

const ASKS: Said<'static> = (
    "ann",
    "why does the scanner not send scans to the shared folder since the update?",
    None,
    "?",
);

#[test]
fn what_two_helpers_advise_one_after_the_other_is_the_solution() {
    let script = [
        ASKS,
        (
            "bob",
            "ann: the old protocol was switched off, choose SMB v3 in the menu of the scanner",
            Some(2),
            "",
        ),
        (
            "cid",
            "ann: and create a local user with a password for it",
            Some(2),
            "",
        ),
        ("ann", "cid: thanks, scans come in again", Some(4), "t"),
    ];
    let solution = solution(&script).expect("solved");
    assert!(
        solution.contains("SMB v3") && solution.contains("local user"),
        "{solution}"
    );
}

#[test]
fn advice_that_the_asker_came_back_from_is_no_part_of_the_solution() {
    let script = [
        ASKS,
        ("bob", "ann: restart the print spooler", Some(2), ""),
        ("ann", "restarted it, the folder stays empty", Some(3), ""),
        (
            "cid",
            "ann: choose SMB v3 in the menu of the scanner, and create a local user for it",
            Some(2),
            "",
        ),
        ("ann", "cid: thanks, scans come in again", Some(5), "t"),
    ];
    let solution = solution(&script).expect("solved");
    assert!(
        solution.contains("SMB v3") && !solution.contains("spooler"),
        "{solution}"
    );
}
