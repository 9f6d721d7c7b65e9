//! Windows that nobody would write.

use super::*;

#[test]
fn a_window_that_does_not_fit_together_gives_nothing() {
    let mut odd = window(&[(
        "ann",
        "how do I mount a usb stick in the terminal of ubuntu?",
        None,
        "?",
    )]);
    odd.hints.clear();
    assert_eq!(extract(&odd), Extraction::default());
}

#[test]
fn hostile_text_gives_indices_in_range() {
    let texts = [
        "",
        "?",
        "a: b",
        "@",
        ":",
        "\u{0}",
        "sudo -- ~/ /",
        "\u{202e}x: how do I install the kernel package?",
        "🙂 ok",
        "|||",
    ];
    let script: Vec<Said<'_>> = (0..200)
        .map(|at| {
            let link = (at % 3 > 0).then(|| at - 1);
            (
                ["a", "b", "ab"][at % 3],
                texts[at % texts.len()],
                link,
                ["?", "t", "-", "r", "+"][at % 5],
            )
        })
        .collect();
    let found = extract(&window(&script));
    for case in &found.cases {
        let lines = case
            .problem_lines
            .iter()
            .chain(&case.solution_lines)
            .chain(&case.other_lines);
        assert!(lines.clone().all(|at| *at < script.len()));
        assert!(!case.problem_lines.is_empty());
    }
}

#[test]
fn any_mixture_of_lines_and_links_is_read_without_harm() {
    let texts = [
        "how do I mount the usb stick in the terminal?",
        "ann: sudo mount /dev/sdb1 /mnt",
        "thanks, works",
        "same error, it does not work",
        "never mind, it was the cable of the drive",
        "can I ask something here?",
        "[photo]",
        "yes",
        "hmm",
        "bob: and what do you see in the syslog?",
    ];
    let marks = ["?", "", "+", "-", "", "?", "r", "t", "b", "?"];
    // A fixed sequence that visits many combinations.
    let mut seed = 7_usize;
    let mut next = |most: usize| {
        seed = seed
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % most
    };
    let engine = Builtin::default();
    for _ in 0..300 {
        let script: Vec<Said<'_>> = (0..24)
            .map(|at| {
                let link = (at > 0 && next(3) > 0).then(|| next(at));
                let (who, what) = (next(3), next(texts.len()));
                (
                    ["ann", "bob", "cid"][who],
                    texts[what],
                    link,
                    marks[next(marks.len())],
                )
            })
            .collect();
        let window = window(&script);
        let found = extract(&window);
        let again = engine.cases(&window);
        assert_eq!(again, found, "what was read before changes nothing");
        for case in &found.cases {
            assert_eq!(case.solution.is_some(), case.signal.is_some());
            assert!(case.solution.is_none() || !case.solution_lines.is_empty());
            let told = case.problem_lines.iter().chain(&case.solution_lines);
            assert!(
                told.clone().all(|at| !window.lines[*at].bot),
                "a bot is never learned from"
            );
            assert!(case.solution_lines.is_sorted() && case.problem_lines.is_sorted());
        }
    }
}
