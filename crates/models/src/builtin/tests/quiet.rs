//! Quiet channels, where hardly anybody says whom an answer is for.

use super::*;

#[test]
fn an_answer_that_nothing_links_is_advice() {
    let found = extract(&window(&[
        (
            "ann",
            "does the build need its own network, or can it use the host's?",
            None,
            "?",
        ),
        ("bob", "it can use the one of the host", None, ""),
    ]));
    let case = &found.cases[0];
    assert_eq!((case.solution.as_deref(), case.signal), (None, None));
    assert_eq!(case.solution_lines, [1]);
    assert!(case.other_lines.is_empty());
}

#[test]
fn an_answer_among_other_talk_is_not_taken_in() {
    let talk = |at| ("cid", "gonebefore: fine weather here today", at, "");
    let found = extract(&window(&[
        (
            "ann",
            "does the build need its own network, or can it use the host's?",
            None,
            "?",
        ),
        talk(None),
        talk(Some(1)),
        ("bob", "it can use the one of the host", None, ""),
    ]));
    assert_eq!(found.cases[0].solution_lines, [0_usize; 0]);
}

#[test]
fn what_is_said_to_others_is_no_advice() {
    let found = extract(&window(&[
        (
            "ann",
            "does the build need its own network, or can it use the host's?",
            None,
            "?",
        ),
        ("bob", "gonebefore: restart the docker daemon", None, ""),
    ]));
    assert_eq!(found.cases[0].solution_lines, [0_usize; 0]);
}

#[test]
fn a_question_back_joins_and_small_talk_is_no_advice() {
    let found = extract(&window(&[
        (
            "ann",
            "my container cannot reach the host network, any idea?",
            None,
            "?",
        ),
        ("bob", "which port do you map on your side?", None, "?"),
        ("ann", "8080", Some(1), ""),
        ("bob", "hmm", Some(2), ""),
        ("bob", "paste your config", Some(3), ""),
        ("bob", "you map it to another port there", Some(4), ""),
        ("bob", "no idea about the rest", Some(5), ""),
    ]));
    assert_eq!(found.cases.len(), 1);
    assert_eq!(found.cases[0].solution_lines, [5]);
}

#[test]
fn what_failed_is_no_advice_and_a_report_is() {
    let found = extract(&window(&[
        (
            "ann",
            "my container cannot reach the host network, any idea?",
            None,
            "?",
        ),
        ("bob", "restart the docker daemon", Some(0), ""),
        ("ann", "same error", Some(1), "-"),
        (
            "ann",
            "never mind, the firewall of the host was in between",
            Some(2),
            "",
        ),
    ]));
    assert_eq!(found.cases[0].solution_lines, [3]);
    assert_eq!(found.cases[0].solution, None);
}

#[test]
fn thanks_for_plain_words_count_where_only_one_person_helps() {
    let question = (
        "ann",
        "is there a shortcut to scroll up in the message list?",
        None,
        "?",
    );
    let answer = ("bob", "page up and page down work for it", Some(0), "");
    let thanks = (
        "ann",
        "that is what I was looking for, thanks",
        Some(1),
        "t",
    );
    let alone = extract(&window(&[question, answer, thanks]));
    let (_, solution, signal) = only(&alone);
    assert_eq!(solution, Some(answer.1));
    assert_eq!(signal, Some(Signal::Thanks));

    let other = ("cid", "anyone up for lunch", None, "");
    let among = extract(&window(&[question, answer, other, other, thanks]));
    assert_eq!(only(&among).1, Some(answer.1));

    // Of two who help in a busy channel it is not clear who is meant.
    let second = ("cid", "and the wheel of course", Some(0), "");
    let thanks = ("ann", thanks.1, None, "t");
    let talk = ["dan", "eve", "fay", "dan"].map(|name| (name, "anyone up for lunch", None, "?"));
    let script: Vec<Said<'_>> = [question, answer, second]
        .into_iter()
        .chain(talk)
        .chain([thanks])
        .collect();
    assert_eq!(only(&extract(&window(&script))).1, None);
}

#[test]
fn the_next_question_after_thanks_is_a_case_of_its_own() {
    let found = extract(&window(&[
        ("ann", "how do I list the containers that run?", None, "?"),
        ("bob", "ann: docker ps --all", Some(0), ""),
        ("ann", "bob: thanks", Some(1), "t"),
        (
            "ann",
            "how can I remove the images that nothing uses?",
            Some(2),
            "?",
        ),
        ("bob", "ann: docker image prune -a", Some(3), ""),
        ("ann", "bob: works, thanks", Some(4), "+"),
    ]));
    let solutions: Vec<_> = found
        .cases
        .iter()
        .map(|case| &case.solution_lines)
        .collect();
    assert_eq!(solutions, [&[1], &[4]]);
}

#[test]
fn a_bare_link_to_the_asker_is_advice_and_company_is_none() {
    let found = extract(&window(&[
        (
            "ann",
            "how can I build a compose file for php and mongo on my server?",
            None,
            "?",
        ),
        ("bob", "ann: https://example.org/compose", Some(0), ""),
        ("ann", "will read it", Some(1), ""),
        ("bob", "no problem", Some(2), ""),
    ]));
    assert_eq!(found.cases.len(), 1);
    assert_eq!(found.cases[0].solution_lines, [1]);
}

#[test]
fn what_became_of_a_problem_is_no_part_of_it() {
    let found = extract(&window(&[
        (
            "ann",
            "the android app is stuck at the login and my code never arrives, is this a bug?",
            None,
            "?",
        ),
        (
            "ann",
            "never mind, turns out the code is sent after a long wait",
            Some(0),
            "",
        ),
    ]));
    assert_eq!(found.cases[0].problem_lines, [0]);
    assert!(!found.cases[0].problem.contains("long wait"));
}

#[test]
fn an_opinion_is_advice_and_a_wish_for_logs_is_none() {
    let found = extract(&window(&[
        (
            "ann",
            "does the build of a container support two networks at the same time?",
            None,
            "?",
        ),
        (
            "bob",
            "i don't think so, unless the driver allows it",
            Some(0),
            "",
        ),
        ("bob", "logs will help, then I can assist you", Some(1), ""),
        ("bob", "I'll look this up for you", Some(2), ""),
        ("ann", "thx", Some(3), "t"),
    ]));
    assert_eq!(found.cases.len(), 1);
    assert_eq!(found.cases[0].solution_lines, [1]);
}
