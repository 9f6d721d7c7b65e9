//! What solves a case.

use super::*;

#[test]
fn thanks_after_an_instruction_solve_a_case() {
    let found = extract(&window(&[
        (
            "ann",
            "hi all, how do I mount a usb stick in the terminal?",
            None,
            "?",
        ),
        ("bob", "ann: which version?", Some(0), "?"),
        ("ann", "bob: 9.10", Some(1), ""),
        ("bob", "ann: sudo mount /dev/sdb1 /mnt", Some(2), ""),
        ("bob", "ann: np if it asks for your password", Some(3), ""),
        ("ann", "bob: that worked, thanks", Some(3), "+"),
    ]));
    assert_eq!(
        only(&found),
        (
            "How do I mount a usb stick in the terminal?",
            Some("sudo mount /dev/sdb1 /mnt"),
            Some(Signal::Thanks)
        )
    );
    let case = &found.cases[0];
    assert_eq!(case.problem_lines, [0]);
    assert_eq!(case.solution_lines, [3]);
    assert_eq!(case.other_lines, [1, 2, 4, 5]);
    assert_eq!(case.signal_line, Some(5), "the line that thanks");
    assert!(case.tags.contains(&"mount".to_owned()), "{:?}", case.tags);
}

#[test]
fn a_reaction_is_stronger_than_thanks() {
    let found = extract(&window(&[
        (
            "ann",
            "my docker container cannot reach the host network, any idea?",
            None,
            "?",
        ),
        ("bob", "ann: start it with --network host", Some(0), "r"),
        (
            "cid",
            "ann: or publish the port with -p 8080:80",
            Some(0),
            "",
        ),
        ("ann", "cid: thanks", Some(2), "t"),
    ]));
    let (_, solution, signal) = only(&found);
    assert_eq!(solution, Some("start it with --network host"));
    assert_eq!(signal, Some(Signal::Reaction));
    assert_eq!(found.cases[0].signal_line, Some(1), "what was reacted to");
}

#[test]
fn what_failed_is_no_solution() {
    let found = extract(&window(&[
        (
            "ann",
            "my sound card is silent since the upgrade to karmic, any idea?",
            None,
            "?",
        ),
        ("bob", "ann: sudo alsa force-reload", Some(0), ""),
        ("ann", "bob: thanks", Some(1), "t"),
        ("ann", "bob: no, still does not work", Some(2), "-"),
    ]));
    let (_, solution, signal) = only(&found);
    assert_eq!((solution, signal), (None, None));
}

#[test]
fn an_instruction_after_a_failed_one_is_the_solution() {
    let found = extract(&window(&[
        (
            "ann",
            "my sound card is silent since the upgrade to karmic, any idea?",
            None,
            "?",
        ),
        ("bob", "ann: sudo alsa force-reload", Some(0), ""),
        ("ann", "bob: that did not help", Some(1), "-"),
        (
            "bob",
            "ann: open alsamixer and unmute the master channel",
            Some(2),
            "",
        ),
        ("ann", "bob: it was muted, works now", Some(3), "+"),
    ]));
    assert_eq!(
        only(&found).1,
        Some("open alsamixer and unmute the master channel")
    );
}

#[test]
fn a_bot_is_no_helper() {
    let found = extract(&window(&[
        (
            "ann",
            "how can I play mp3 files with totem on ubuntu 9.10?",
            None,
            "?",
        ),
        (
            "helperbot",
            "ann: sudo apt-get install ubuntu-restricted-extras",
            Some(0),
            "b",
        ),
        ("ann", "thanks, that worked", Some(1), "+"),
    ]));
    assert_eq!(only(&found).1, None);
    assert!(!found.cases[0].other_lines.contains(&1));
}

#[test]
fn questions_back_and_pleas_for_output_solve_nothing() {
    let found = extract(&window(&[
        (
            "ann",
            "my wireless card is not found after the kernel update on my laptop",
            None,
            "",
        ),
        ("bob", "ann: what is the output of lspci?", Some(0), "?"),
        ("bob", "ann: please pastebin /var/log/syslog", Some(0), ""),
        ("ann", "thanks", Some(2), "t"),
    ]));
    assert_eq!(only(&found).1, None);
}

/// A question, an answer, and somebody else's line `minutes` after it.
fn ended(answer: &'static str, minutes: i64, then: &[Said<'static>]) -> Extraction {
    let mut script = vec![
        (
            "ann",
            "how do I see which packages are installed?",
            None,
            "?",
        ),
        ("bob", answer, Some(0), ""),
    ];
    script.extend_from_slice(then);
    script.push(("cid", "good morning", None, ""));
    let mut window = window(&script);
    let last = window.lines.len() - 1;
    window.lines[last].at = Timestamp::from_millis((minutes + 1) * 60_000);
    extract(&window)
}

#[test]
fn a_talk_that_ended_with_an_exact_instruction_is_solved_weakly() {
    let exact = "ann: dpkg --get-selections | grep install";
    let found = ended(exact, 30, &[]);
    assert_eq!(only(&found).2, Some(Signal::ThreadEnd));
    assert_eq!(only(&found).1, Some("dpkg --get-selections | grep install"));
    let early = ended(exact, 29, &[]);
    assert_eq!((only(&early).1, only(&early).2), (None, None));
    assert_eq!(early.cases[0].solution_lines, [1]);
    let vague = ended("ann: synaptic shows them I believe", 30, &[]);
    assert_eq!(only(&vague).2, None);
    let back = ended(exact, 30, &[("ann", "bob: hmm let me see", Some(1), "")]);
    assert_eq!(only(&back).2, None);
}
