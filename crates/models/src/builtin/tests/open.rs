//! Which problems are cases, and what is known of open ones.

use super::*;

/// An open case whose evidence is the message at `at`.
fn open_case(window: &Window, at: usize, problem: &str) -> KnownCase {
    KnownCase {
        case: CaseId::first_carried_by(EventId::of_content("test", &["case"])),
        title: "t".to_owned(),
        problem: problem.to_owned(),
        suggestion: None,
        evidence: vec![window.lines[at].message],
    }
}

#[test]
fn no_case_from_chatter() {
    let scripts: &[&[Said<'_>]] = &[
        &[
            ("ann", "hello", None, ""),
            ("bob", "hi ann", Some(0), ""),
            ("ann", "thanks", Some(1), "t"),
        ],
        &[
            ("ann", "can anyone help me?", None, "?"),
            ("bob", "ann: just ask your question", Some(0), ""),
        ],
        &[
            ("ann", "who watched the game last night?", None, "?"),
            ("bob", "ann: I did, try to find it on tv", Some(0), ""),
            ("ann", "thanks", Some(1), "t"),
        ],
        &[
            (
                "helperbot",
                "how do I install packages on the server? see sudo apt-get install",
                None,
                "?b",
            ),
            ("ann", "thanks", Some(0), "t"),
        ],
        &[
            ("bob", "ann: sudo apt-get install vlc", None, ""),
            ("ann", "thanks, it works", Some(0), "+"),
        ],
    ];
    for script in scripts {
        let found = extract(&window(script));
        assert!(
            found.cases.is_empty() && found.resolved.is_empty(),
            "{found:?}"
        );
    }
}

#[test]
fn an_open_case_is_resolved_once_and_not_drafted_again() {
    let mut solved = window(&[
        (
            "ann",
            "how do I mount a usb stick in the terminal of ubuntu?",
            None,
            "?",
        ),
        ("bob", "ann: sudo mount /dev/sdb1 /mnt", Some(0), ""),
        ("ann", "bob: thanks", Some(1), "t"),
    ]);
    solved.open = vec![open_case(&solved, 0, "other words")];
    let found = extract(&solved);
    assert!(found.cases.is_empty());
    assert_eq!(found.resolved.len(), 1);
    assert_eq!(found.resolved[0].case, solved.open[0].case);
    assert_eq!(found.resolved[0].solution, "sudo mount /dev/sdb1 /mnt");
    assert_eq!(found.resolved[0].solution_lines, [1]);

    let mut waiting = window(&[(
        "ann",
        "how do I mount a usb stick in the terminal of ubuntu?",
        None,
        "?",
    )]);
    waiting.open = vec![open_case(&waiting, 0, "other words")];
    assert_eq!(extract(&waiting), Extraction::default());
}

#[test]
fn no_word_of_a_text_stays_with_the_engine() {
    let mut again = window(&[("ann", "how do I mount a usb stick?", None, "?")]);
    again.open = vec![open_case(&again, 0, "how do I mount a usb stick?")];
    let engine = Builtin::default();
    let _found = engine.cases(&again);
    let kept = format!("{engine:?}");
    assert!(kept.contains("Topic") && kept.contains("Reading"), "{kept}");
    assert!(!kept.contains("mount") && !kept.contains("stick"), "{kept}");
}

#[test]
fn a_question_asked_again_is_the_same_case() {
    let question = "how do I mount a usb stick in the terminal of ubuntu?";
    let mut again = window(&[
        ("zed", "unrelated words", None, ""),
        ("ann", question, None, "?"),
    ]);
    again.open = vec![open_case(&again, 0, question)];
    assert_eq!(extract(&again), Extraction::default());
    again.open.clear();
    assert_eq!(extract(&again).cases.len(), 1);
}

#[test]
fn a_whole_question_stands_alone_however_it_begins() {
    let question = "and has anyone else seen that the search fails now and then, with an error in \
                    the console of the browser, since the update of last week?";
    let found = extract(&window(&[("ann", question, None, "?")]));
    assert_eq!(found.cases.len(), 1);
    let short = "and has anyone else seen that the search fails with an error?";
    assert_eq!(
        extract(&window(&[("ann", short, None, "?")])).cases.len(),
        0
    );
}
