//! Answers that cannot be used: told so once, then refused.

use super::*;

/// The first answer is `bad`, the one after the model was told is `good`.
fn mended(bad: Reply, good: Value) -> (Result<Extraction, PortError>, Vec<Asked>) {
    let answer = move |asked: &Asked| match (asked.format(), asked.is_repair()) {
        ("spans", false) => bad.clone(),
        ("spans", true) => Reply::json(&good),
        _ => Reply::json(&solved(&[1], &[3])),
    };
    extract(&chat(), answer)
}

/// Both answers are `bad`; why it was refused.
fn never(bad: &str) -> String {
    let bad = bad.to_owned();
    let (found, asked) = extract(&chat(), move |_| Reply::Says(bad.clone()));
    assert_eq!(asked.len(), 2, "one retry");
    refused(found)
}

#[test]
fn a_broken_answer_is_shown_to_the_model_with_what_is_wrong() {
    let broken = "{\"spans\": [{\"start\": 1, \"en";
    let (found, asked) = mended(Reply::Says(broken.to_owned()), spans(&[(1, 4)]));
    assert_eq!(found.expect("mended").cases.len(), 1);
    assert_eq!(asked.len(), 3);
    let messages = asked[1].messages();
    assert_eq!(messages[..2], asked[0].messages()[..]);
    assert_eq!(messages[2], broken);
    assert!(
        messages[3].contains("it is no JSON: EOF"),
        "{}",
        messages[3]
    );
}

#[test]
fn prose_is_refused() {
    let reason = never("Sure! I found one problem, about sound.");
    assert!(
        reason.contains("it is no JSON (line 1, column 1)"),
        "{reason}"
    );
    assert!(reason.contains("`spans`"), "{reason}");
    assert!(!reason.contains("Sure"), "no text of the answer: {reason}");
}

#[test]
fn json_broken_twice_is_refused() {
    assert!(never("{\"spans\": [").contains("it is no JSON"));
}

#[test]
fn another_schema_is_refused_without_its_text() {
    for other in [r#"{"answer": 42}"#, "[1]", r#"{"spans": "private words"}"#] {
        let reason = never(other);
        assert!(reason.contains("JSON of another shape"), "{reason}");
        assert!(!reason.contains("private"), "{reason}");
    }
}

#[test]
fn nothing_is_refused() {
    assert!(never("").contains("it is empty"));
    assert!(never(" \n").contains("it is empty"));
}

#[test]
fn ten_megabytes_are_refused_unread() {
    for body in [
        Reply::Says("x".repeat(10_000_000)),
        Reply::Body(vec![b' '; 10_000_000]),
    ] {
        let (found, asked) = extract(&chat(), move |_| body.clone());
        assert!(refused(found).contains("longer than 1000000 bytes"));
        assert_eq!(asked.len(), 1, "nothing to show to the model");
    }
}

#[test]
fn what_is_no_completion_is_refused() {
    for body in ["<html>login</html>", "{}", r#"{"choices": []}"#] {
        let (found, asked) = extract(&chat(), move |_| Reply::Body(body.into()));
        assert!(refused(found).contains("model server"));
        assert_eq!(asked.len(), 1);
    }
}

#[test]
fn one_span_out_of_range_rejects_all() {
    for wrong in [(0, 4), (1, 6), (4, 1), (7, 9)] {
        let reason = never(&spans(&[(1, 4), wrong]).to_string());
        let (start, end) = wrong;
        let expected = format!("the span {start} to {end} is not within the lines 1 to 5");
        assert!(reason.contains(&expected), "{reason}");
    }
    assert!(never(r#"{"spans": [{"start": -1, "end": 2}]}"#).contains("another shape"));
}

#[test]
fn a_span_out_of_range_can_be_mended() {
    let (found, asked) = mended(Reply::json(&spans(&[(1, 99)])), spans(&[(1, 4)]));
    assert_eq!(found.expect("mended").cases.len(), 1);
    assert!(asked[1].messages()[3].contains("the span 1 to 99"));
}

#[test]
fn too_many_spans_are_refused() {
    let lines: Vec<Said<'_>> = (0..20).map(|_| ("ann", "hi", None, "")).collect();
    let many: Vec<(usize, usize)> = (1..=13).map(|n| (n, n)).collect();
    let answer = told(spans(&many), Value::Null);
    let (found, asked) = extract(&window(&lines), answer);
    assert!(refused(found).contains("13 spans, and 12 is the most"));
    assert_eq!(asked.len(), 2);
}

#[test]
fn a_case_that_is_not_open_or_a_line_that_is_not_there_is_refused() {
    let of = |case: usize, line: usize| {
        let answer = json!({"spans": [], "resolved": [
            {"case": case, "resolved": true, "solution": "x", "lines": [line]},
        ]});
        let (found, _) = extract(&chat_with_open_case(), told(answer, Value::Null));
        refused(found)
    };
    assert!(of(0, 1).contains("case 0 of 1"));
    assert!(of(2, 1).contains("case 2 of 1"));
    assert!(of(1, 6).contains("line 6"));
}

/// Why a second answer is refused.
fn case(change: impl Fn(&mut Value)) -> String {
    let mut case = solved(&[1], &[3]);
    change(&mut case);
    let (found, asked) = extract(&chat(), told(spans(&[(1, 4)]), case));
    assert_eq!(asked.len(), 3, "one retry");
    refused(found)
}

#[test]
fn a_case_that_lacks_what_it_needs_is_refused() {
    for missing in [
        "status",
        "title",
        "problem",
        "problem_lines",
        "solution",
        "solution_lines",
    ] {
        let reason = case(|case| {
            case.as_object_mut().expect("an object").remove(missing);
        });
        let expected = format!("`case` cannot be used, also after it was told so: `{missing}`");
        assert!(reason.contains(&expected), "{reason}");
    }
    assert!(case(|case| case["status"] = json!("finished")).contains("another shape"));
    assert!(case(|case| case["keep"] = json!("yes")).contains("another shape"));
}

#[test]
fn a_case_with_lines_outside_its_span_is_refused() {
    for lines in ["problem_lines", "solution_lines"] {
        let reason = case(|case| case[lines] = json!([1, 5]));
        assert!(
            reason.contains("line 5, which is not within the lines 1 to 4"),
            "{reason}"
        );
    }
}

#[test]
fn a_refusal_of_one_case_refuses_the_window() {
    let mut calls = 0;
    let answer = move |asked: &Asked| match asked.format() {
        "spans" => Reply::json(&spans(&[(1, 4), (5, 5)])),
        _ => {
            calls += 1;
            match calls {
                1 => Reply::json(&solved(&[1], &[3])),
                _ => Reply::Says("no".to_owned()),
            }
        }
    };
    let (found, asked) = extract(&chat(), answer);
    refused(found);
    assert_eq!(asked.len(), 4);
}
