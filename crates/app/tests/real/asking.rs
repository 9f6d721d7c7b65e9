//! What `ask` prints, as a person reads it and for machines.

use super::desk::{ISO, SHARE, WIFI, desk};

#[test]
fn under_a_silence_the_nearest_cases_are_named_and_never_as_an_answer() {
    let place = desk();
    let output = place.json(&["ask", SHARE]);
    assert_eq!(output["outcome"], "silent", "{output}");
    assert_eq!(output["citations"], serde_json::json!([]), "{output}");
    let nearest = output["nearest"].as_array().expect("a list");
    assert!((1..=3).contains(&nearest.len()), "{output}");
    assert_eq!(nearest[0]["title"], ISO, "{output}");
    let close: Vec<u64> = nearest
        .iter()
        .map(|near| near["close"].as_u64().expect("a number"))
        .collect();
    assert!(close.is_sorted_by(|a, b| a >= b), "{output}");
    assert!(
        close.iter().all(|close| (1..450).contains(close)),
        "{output}"
    );
    let link = nearest[0]["link"].as_str().expect("a link");

    let shown = place.run(&["ask", SHARE]).out;
    let mut lines = shown.lines();
    assert_eq!(lines.next(), Some(format!("Q: {SHARE}").as_str()));
    assert!(
        lines
            .next()
            .is_some_and(|line| line.starts_with("-  (silent: ")),
        "{shown}"
    );
    let heading = lines.next().unwrap_or_default();
    assert!(heading.contains("No case answers this"), "{shown}");
    assert!(
        lines.next().is_some_and(|line| line.contains(link)),
        "{shown}"
    );
    assert!(!shown.contains("A: "), "{shown}");
    assert!(
        !shown.contains("loop"),
        "no solution of another problem: {shown}"
    );

    for (question, outcome) in [(ISO, "answered"), (WIFI, "tracked")] {
        let output = place.json(&["ask", question]);
        assert_eq!(output["outcome"], outcome, "{output}");
        assert_eq!(output["nearest"], serde_json::json!([]), "{output}");
    }
}
