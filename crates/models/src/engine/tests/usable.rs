//! Answers that can be used.

use super::*;
use threadlore_model::{Draft, Signal};

#[test]
fn a_window_becomes_spans_and_each_span_a_case() {
    let (found, asked) = extract(&chat(), told(spans(&[(1, 4)]), solved(&[1], &[3])));
    let expected = Draft {
        title: "No sound".to_owned(),
        problem: "The sound is gone.".to_owned(),
        solution: Some("Restart pulseaudio.".to_owned()),
        suggestion: None,
        tags: vec!["sound".to_owned()],
        problem_lines: vec![0],
        solution_lines: vec![2],
        other_lines: vec![3],
        signal: Some(Signal::Thanks),
        signal_line: Some(3),
    };
    assert_eq!(found.expect("an answer").cases, [expected]);
    assert_eq!(asked.len(), 2);
    assert_eq!(asked[0].line, "POST /v1/chat/completions HTTP/1.1");
    assert_eq!(asked[0].authorization.as_deref(), Some("Bearer s3cret"));
    assert_eq!(asked[0].body["model"], "double");
    assert_eq!(asked[0].body["temperature"], 0);
    let format = &asked[0].body["response_format"];
    assert_eq!(format["type"], "json_schema");
    assert_eq!(format["json_schema"]["schema"]["type"], "object");
    let (first, second) = (asked[0].messages(), asked[1].messages());
    assert!(first[1].contains("5 D 4m \"nice weather\""), "{}", first[1]);
    assert!(!second[1].contains("nice weather"), "only the span");
    assert!(
        !first[0].contains("pulseaudio"),
        "chat is not among the rules"
    );
}

#[test]
fn the_version_names_model_and_prompts() {
    let engine = engine("http://127.0.0.1:1/v1".to_owned());
    assert_eq!(engine.version(), "openai/double/p2");
    assert!(!engine.is_quick());
}

#[test]
fn open_cases_are_asked_about_where_there_are_any() {
    let asks = |window: &Window| {
        let (_, asked) = extract(window, told(spans(&[]), json!({})));
        let schema = &asked[0].body["response_format"]["json_schema"]["schema"];
        let fields = schema["properties"].as_object().expect("fields").len();
        (asked[0].messages()[0].contains("`resolved`"), fields)
    };
    assert_eq!(asks(&chat()), (false, 1));
    assert_eq!(asks(&chat_with_open_case()), (true, 2));
}

#[test]
fn no_list_of_an_answer_is_without_end() {
    fn lists(schema: &Value, out: &mut Vec<Option<u64>>) {
        if schema["type"] == "array" {
            out.push(schema["maxItems"].as_u64());
        }
        let inner = schema.as_object().into_iter().flatten();
        inner.for_each(|(_, schema)| lists(schema, out));
    }
    let window = chat_with_open_case();
    let (_, asked) = extract(&window, told(spans(&[(2, 4)]), json!({"keep": false})));
    let most = |asked: &Asked| {
        let mut found = Vec::new();
        let format = &asked.body["response_format"]["json_schema"];
        lists(&format["schema"], &mut found);
        found.sort();
        found
    };
    // Cases that are solved, their lines, and spans.
    assert_eq!(most(&asked[0]), [Some(1), Some(5), Some(12)]);
    // Lines of problem and solution, and tags.
    assert_eq!(most(&asked[1]), [Some(3), Some(3), Some(8)]);
}

#[test]
fn the_model_is_told_which_numbers_there_are() {
    let (_, asked) = extract(&chat(), told(spans(&[(2, 4)]), json!({"keep": false})));
    let last = |asked: &Asked| asked.messages()[1].lines().last().map(str::to_owned);
    let told = |numbers: &str| Some(format!("The lines are numbered {numbers}."));
    assert_eq!(last(&asked[0]), told("1 to 5"));
    assert_eq!(last(&asked[1]), told("2 to 4"));
}

#[test]
fn what_is_not_kept_is_no_case() {
    let (found, _) = extract(&chat(), told(spans(&[(5, 5)]), json!({"keep": false})));
    assert_eq!(found.expect("an answer"), Extraction::default());
}

#[test]
fn a_question_without_an_answer_is_open() {
    let mut case = solved(&[1], &[]);
    case["status"] = json!("open");
    case["solution"] = Value::Null;
    let (found, _) = extract(&chat(), told(spans(&[(1, 2)]), case));
    let found = found.expect("an answer").cases;
    assert_eq!((&found[0].solution, found[0].signal), (&None, None));
}

#[test]
fn an_open_case_is_solved_by_the_window() {
    let window = chat_with_open_case();
    let answer = json!({"spans": [], "resolved": [
        {"case": 1, "resolved": true, "solution": "restart pulseaudio", "lines": [2, 3]},
    ]});
    let (found, asked) = extract(&window, told(answer, Value::Null));
    let resolved = found.expect("an answer").resolved;
    assert_eq!(resolved.len(), 1);
    assert_eq!(resolved[0].case, window.open[0].case);
    assert_eq!(resolved[0].solution_lines, [2], "not what the bot said");
    assert_eq!(resolved[0].signal, Signal::Thanks);
    assert_eq!(resolved[0].signal_line, Some(3));
    assert!(asked[0].messages()[1].contains("1 \"no sound\" \"no sound\""));
}

#[test]
fn an_open_case_that_is_not_resolved_stays_open() {
    let answer = json!({"spans": [], "resolved": [
        {"case": 1, "resolved": false, "solution": null, "lines": []},
    ]});
    let (found, _) = extract(&chat_with_open_case(), told(answer, Value::Null));
    assert_eq!(found.expect("an answer"), Extraction::default());
}

#[test]
fn a_window_without_people_is_not_asked_about() {
    let bots = window(&[("helpbot", "hello", None, "b")]);
    let (found, asked) = extract(&bots, |_| Reply::Closes);
    assert_eq!(found.expect("an answer"), Extraction::default());
    assert!(asked.is_empty());
}

#[test]
fn a_fence_around_the_json_is_taken_off() {
    let answer = |asked: &Asked| match asked.format() {
        "spans" => Reply::Says(format!("```json\n{}\n```", spans(&[(1, 4)]))),
        _ => Reply::Says(format!("```\n{}\n```", solved(&[1], &[3]))),
    };
    let (found, asked) = extract(&chat(), answer);
    assert_eq!((found.expect("an answer").cases.len(), asked.len()), (1, 2));
}

#[test]
fn why_it_counts_as_solved_is_read_from_the_lines() {
    let of = |marks: [&'static str; 2]| {
        let window = window(&[
            ("ann", "no sound", None, "?"),
            ("bob", "restart it", Some(0), marks[0]),
            ("ann", "…", Some(1), marks[1]),
        ]);
        let (found, _) = extract(&window, told(spans(&[(1, 3)]), solved(&[1], &[2])));
        let case = found.expect("an answer").cases.remove(0);
        (case.signal, case.signal_line)
    };
    assert_eq!(of(["r", ""]), (Some(Signal::Reaction), Some(1)));
    assert_eq!(of(["", "+"]), (Some(Signal::Thanks), Some(2)));
    assert_eq!(of(["", ""]), (Some(Signal::ThreadEnd), None));
    assert_eq!(of(["", "-"]), (None, None), "it still fails: open");
}
