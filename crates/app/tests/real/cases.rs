//! `cases list`, `show` and `why` on chat of which it is known what became of each problem.

use serde_json::Value;

use super::desk::{DESK, ISO, PRINTER, SHARE, WIFI, desk};
use super::support::Place;

fn list(value: &Value) -> &Vec<Value> {
    value.as_array().expect("a list")
}

fn text(value: &Value) -> &str {
    value.as_str().expect("a text")
}

/// The link of the case with this title.
fn link(place: &Place, title: &str) -> String {
    let listed = place.json(&["cases", "list"]);
    let mut cases = list(&listed["cases"]).iter();
    let case = cases.find(|case| text(&case["title"]).starts_with(title));
    let case = case.unwrap_or_else(|| panic!("no case {title:?}: {listed}"));
    text(&case["link"]).to_owned()
}

#[test]
fn cases_are_listed_by_state_channel_and_age() {
    let place = desk();
    let titles = |args: &[&str]| -> Vec<String> {
        let listed = place.json(&[&["cases", "list"], args].concat());
        let titles = list(&listed["cases"]).iter();
        titles.map(|case| text(&case["title"]).to_owned()).collect()
    };
    let newest = titles(&[]);
    assert_eq!(newest.len(), 4, "{newest:?}");
    assert_eq!(newest[0], WIFI, "found last: {newest:?}");
    let mut oldest = titles(&["--order", "oldest"]);
    assert_eq!(oldest[0], ISO, "found first: {oldest:?}");
    oldest.reverse();
    assert_eq!(oldest, newest);
    assert_eq!(titles(&["--state", "open"]), [WIFI]);
    assert_eq!(titles(&["--state", "solved"]).len(), 3);
    assert_eq!(titles(&["--state", "merged"]), [""; 0]);
    assert_eq!(titles(&["--channel", DESK]), newest);

    let two = place.run(&["cases", "list", "--limit", "2", "--order", "oldest"]);
    let lines: Vec<&str> = two.out.lines().collect();
    assert_eq!(lines.len(), 2, "{two:?}");
    assert!(lines[0].starts_with("2024-05-01  solved "), "{two:?}");
    assert!(lines[0].contains(&link(&place, ISO)), "{two:?}");
    assert!(two.err.contains("2 of 4 cases; --limit"), "{two:?}");
    let none = place.run(&["cases", "list", "--state", "erased"]);
    assert_eq!((none.code, none.out.as_str()), (Some(0), ""), "{none:?}");
    assert!(none.err.contains("there are no such cases"), "{none:?}");
}

#[test]
fn a_case_is_shown_with_its_texts_its_conversation_and_its_history() {
    let place = desk();
    let link = link(&place, ISO);
    let output = place.json(&["cases", "show", &link]);
    assert_eq!(output["status"], "solved", "{output}");
    assert_eq!(
        output["solution"], "sudo mount -o loop image.iso /mnt",
        "{output}"
    );
    let evidence = list(&output["evidence"]);
    let parts: Vec<&str> = evidence.iter().map(|line| text(&line["part"])).collect();
    assert_eq!(parts, ["problem", "solution", "context"], "{output}");
    assert_eq!(evidence[1]["name"], "bob", "{output}");
    assert_eq!(evidence[1]["native_id"], "2", "{output}");
    assert_eq!(evidence[1]["reply_to"], evidence[0]["message"], "{output}");
    let history = list(&output["history"]);
    let last = history.last().expect("an event");
    assert_eq!(last["event"], "CaseSolved", "{output}");
    assert_eq!(
        last["version"], output["version"],
        "folded as in the tables: {output}"
    );
    assert!(
        text(&last["record"]).starts_with("knowledge.cases/"),
        "{output}"
    );

    // The id alone names it as well.
    let id = text(&output["case"]);
    let shown = place.run(&["cases", "show", id]);
    assert_eq!(shown.code, Some(0), "{shown:?}");
    for words in [
        link.as_str(),
        "solved, in chat:desk",
        "solution:\n  sudo mount -o loop image.iso /mnt",
        "context    2024-05-01T12:02:00Z <ann> thanks bob, that works!",
        "history:",
    ] {
        assert!(shown.out.contains(words), "{words:?} is missing: {shown:?}");
    }
}

#[test]
fn why_names_the_line_or_the_reaction_that_solved_a_case() {
    let place = desk();
    let why = |title: &str| place.json(&["cases", "why", &link(&place, title)]);
    let lines = |signal: &Value| -> Vec<(String, String)> {
        let lines = list(&signal["lines"]).iter();
        lines
            .map(|line| (text(&line["is"]).to_owned(), text(&line["text"]).to_owned()))
            .collect()
    };

    let output = why(ISO);
    let signals = list(&output["signals"]);
    assert_eq!(signals.len(), 1, "{output}");
    assert_eq!(signals[0]["signal"], "thanks", "{output}");
    assert!(
        text(&signals[0]["rules"]).starts_with("builtin-"),
        "{output}"
    );
    assert_eq!(signals[0]["counts"], true, "{output}");
    let expected = [
        ("solution", "sudo mount -o loop image.iso /mnt"),
        ("report", "thanks bob, that works!"),
    ];
    let expected = expected.map(|(is, text)| (is.to_owned(), text.to_owned()));
    assert_eq!(lines(&signals[0]), expected, "{output}");
    assert_eq!(signals[0]["note"], Value::Null, "the event names its line");

    let output = why("My printer");
    let signals = list(&output["signals"]);
    let of_person = signals.iter().find(|signal| signal["emoji"] == "👍");
    let of_person = of_person.unwrap_or_else(|| panic!("no reaction: {output}"));
    assert_eq!(of_person["what"], "cid reacted with 👍", "{output}");
    assert_eq!(of_person["counts"], true, "{output}");
    assert!(
        lines(of_person)
            .iter()
            .any(|(is, text)| is == "reacted to" && text.contains("print head")),
        "{output}"
    );

    let output = why("How can I change the keyboard");
    assert_eq!(output["signals"][0]["signal"], "thread_end", "{output}");
    assert!(text(&output["because"]).contains("weak"), "{output}");

    let output = why(WIFI);
    assert_eq!(output["status"], "open", "{output}");
    assert_eq!(output["signals"], serde_json::json!([]), "{output}");

    let shown = place.run(&["cases", "why", &link(&place, ISO)]);
    for words in [
        "solved: it was solved by the asker's thanks or report",
        "report     2024-05-01T12:02:00Z <ann> thanks bob, that works!",
        "rules builtin-",
        " at knowledge.cases/",
    ] {
        assert!(shown.out.contains(words), "{words:?} is missing: {shown:?}");
    }
}

#[test]
fn a_case_that_is_not_there_and_what_is_no_case_are_refused() {
    let place = desk();
    let other = "threadlore:case/0736391e-46af-58f2-8c90-46757a90b90d";
    for action in ["show", "why"] {
        let ran = place.run(&["cases", action, other]);
        assert_eq!(ran.code, Some(3), "{ran:?}");
        assert!(ran.err.contains("there is no case 0736391e"), "{ran:?}");
        assert!(ran.err.contains("threadlore cases list"), "{ran:?}");
        let ran = place.run(&["cases", action, SHARE]);
        assert_eq!(ran.code, Some(2), "{ran:?}");
        assert!(ran.err.contains("neither the link nor the id"), "{ran:?}");
        let ran = place.run(&["cases", action, &link(&place, ISO), "--space", "other"]);
        assert_eq!(ran.code, Some(3), "{ran:?}");
        assert!(ran.err.contains("check --space"), "{ran:?}");
    }
    for (args, code, words) in [
        (&["--space", "other"][..], 3, "check --space"),
        (
            &["--channel", "chat:other"],
            3,
            "there is no channel chat:other",
        ),
        (&["--state", "done"], 2, "possible values: open, solved"),
        (&["--limit", "0"], 2, "not in 1..=1000"),
    ] {
        let ran = place.run(&[&["cases", "list"], args].concat());
        assert_eq!(ran.code, Some(code), "{ran:?}");
        assert!(ran.err.contains(words), "{ran:?}");
    }
}

#[test]
fn the_only_space_there_is_is_taken_and_several_are_listed() {
    let place = Place::new();
    place.file("desk.jsonl", super::desk::chat());
    let import = |space: &str| {
        place.json(&["import", "desk.jsonl", "--channel", DESK, "--space", space]);
    };
    import("acme");
    assert_eq!(
        place.json(&["space", "list"])["spaces"],
        serde_json::json!(["acme"])
    );
    for args in [
        &["cases", "list"][..],
        &["channel", "show"],
        &["ask", super::desk::ISO],
    ] {
        let ran = place.run(args);
        assert_eq!(ran.code, Some(0), "{args:?}: {}", ran.err);
        assert!(
            ran.err.contains("in the space acme"),
            "{args:?}: {}",
            ran.err
        );
        assert!(!ran.out.is_empty(), "{args:?}");
    }
    // What is named is not taken for something else.
    let named = place.run(&["cases", "list", "--space", "default"]);
    assert_eq!(named.code, Some(3), "{}", named.err);
    assert!(named.err.contains("there are: acme"), "{}", named.err);
    import("beta");
    let several = place.run(&["cases", "list"]);
    assert_eq!(several.code, Some(3), "{}", several.err);
    assert!(
        several.err.contains("there are: acme, beta"),
        "{}",
        several.err
    );
    let mistyped = place.run(&["cases", "list", "--space", "acne"]);
    assert_eq!(mistyped.code, Some(3), "{}", mistyped.err);
    assert!(
        mistyped.err.contains("there are: acme, beta"),
        "{}",
        mistyped.err
    );
    // The space that is used where none is named needs no name.
    import("default");
    let ran = place.run(&["cases", "list"]);
    assert!(!ran.err.contains("in the space"), "{}", ran.err);
}

#[test]
fn a_corrected_case_is_answered_with_the_correction_and_an_erased_one_not_at_all() {
    let place = desk();
    let link = link(&place, ISO);
    let fixed = "use the disk tool: gnome-disks, then Attach Disk Image";
    let output = place.json(&["cases", "correct", &link, "--solution", fixed]);
    assert_eq!(output["solution"], fixed, "{output}");
    assert_eq!(output["signal"], "admin", "{output}");
    let asked = place.json(&["ask", ISO]);
    let answer = text(&asked["answer"]);
    assert!(answer.contains("gnome-disks"), "{asked}");
    assert!(!answer.contains("mount -o loop"), "{asked}");
    let why = place.run(&["cases", "why", &link]);
    assert!(why.out.contains("solved by an admin's word"), "{why:?}");

    let erased = place.json(&["cases", "erase", &link]);
    assert_eq!(erased["status"], "erased", "{erased}");
    assert_eq!(erased["solution"], Value::Null, "{erased}");
    let asked = place.run(&["ask", ISO]);
    assert!(!asked.out.contains("gnome-disks"), "{asked:?}");
    assert!(!asked.out.contains("mount -o loop"), "{asked:?}");
    let verified = place.run(&["verify", "--projection", "cases"]);
    assert_eq!(verified.code, Some(0), "{verified:?}");

    for (args, words) in [
        (
            &["cases", "correct", &link, "--solution", "x"][..],
            "is erased",
        ),
        (&["cases", "correct", &link, "--solution", " "], "1 to 8000"),
        (
            &["cases", "erase", "0736391e-46af-58f2-8c90-000000000000"],
            "no case",
        ),
    ] {
        let ran = place.run(args);
        assert_eq!(ran.code, Some(3), "{args:?}: {ran:?}");
        assert!(ran.err.contains(words), "{args:?}: {ran:?}");
    }
}

#[test]
fn an_outdated_case_is_told_to_nobody_until_it_is_corrected() {
    let place = desk();
    let link = link(&place, ISO);
    let told = || place.run(&["ask", ISO]).out;
    assert!(told().contains("mount -o loop"));
    for _ in 0..2 {
        let output = place.json(&["cases", "archive", &link]);
        assert_eq!(output["status"], "archived", "{output}");
        assert_eq!(
            output["solution"], "sudo mount -o loop image.iso /mnt",
            "{output}"
        );
    }
    assert!(!told().contains("mount -o loop"), "{}", told());
    let why = place.run(&["cases", "show", &link]);
    assert!(why.out.contains("archived"), "{why:?}");
    let fixed = "use gnome-disks, then Attach Disk Image";
    let output = place.json(&["cases", "correct", &link, "--solution", fixed]);
    assert_eq!(output["status"], "solved", "{output}");
    assert!(told().contains("gnome-disks"), "{}", told());
    place.json(&["cases", "archive", &link]);
    place.json(&["cases", "erase", &link]);
    let output = place.json(&["cases", "archive", &link]);
    assert_eq!(output["status"], "erased", "{output}");
    let verified = place.run(&["verify", "--projection", "cases"]);
    assert_eq!(verified.code, Some(0), "{verified:?}");
}

#[test]
fn two_cases_are_merged_by_hand_and_apart_again() {
    let place = desk();
    let (iso, printer) = (link(&place, ISO), link(&place, PRINTER));
    let told = || place.run(&["ask", PRINTER]).out;
    assert!(told().contains("clean the print head"), "{}", told());
    for (args, words) in [
        (
            &["cases", "merge", &printer, "--into", &printer][..],
            "merged into itself",
        ),
        (
            &["cases", "split", &printer],
            "not merged into another one: it is solved",
        ),
        (
            &[
                "cases",
                "merge",
                &printer,
                "--into",
                "5f0c6d0e-6d1c-4d55-8f4f-6d1c4d558f4f",
            ],
            "there is no case 5f0c6d0e",
        ),
    ] {
        let ran = place.run(args);
        assert_eq!(ran.code, Some(3), "{args:?}: {ran:?}");
        assert!(ran.err.contains(words), "{args:?}: {ran:?}");
    }
    for _ in 0..2 {
        let output = place.json(&["cases", "merge", &printer, "--into", &iso]);
        assert_eq!(output["status"], "merged", "{output}");
    }
    assert!(!told().contains("clean the print head"), "{}", told());
    let shown = place.run(&["cases", "show", &iso]).out;
    assert!(
        shown.contains("prints stripes")
            && shown.contains("was merged into it: an operator said so"),
        "{shown}"
    );
    let back = place.run(&["cases", "merge", &iso, "--into", &printer]);
    assert!(
        back.err.contains("the case that should stay is merged"),
        "{back:?}"
    );
    let output = place.json(&["cases", "split", &printer]);
    assert_eq!(output["status"], "solved", "{output}");
    assert!(told().contains("clean the print head"), "{}", told());
    let verified = place.run(&["verify", "--projection", "cases"]);
    assert_eq!(verified.code, Some(0), "{verified:?}");
}

#[test]
fn a_week_is_reported_beside_the_week_before() {
    let place = desk();
    let report = |until: &str| place.json(&["report", "--until", until]);
    let week = report("2024-05-08T00:00:00Z");
    let now = |name: &str| week[name]["now"].as_u64().expect("a number");
    assert_eq!((now("messages"), now("people")), (8, 6), "{week}");
    // The wifi card's is open.
    assert_eq!((now("cases_opened"), now("cases_solved")), (4, 3), "{week}");
    // Each was answered a minute after it was asked.
    assert_eq!(week["median_seconds_to_solution"], 60, "{week}");
    assert_eq!(
        (now("asked"), &week["outcomes"]),
        (0, &serde_json::json!([])),
        "{week}"
    );
    // A week later all of that is of the week before.
    let later = report("2024-05-15T00:00:00Z");
    for name in ["messages", "people", "cases_opened", "cases_solved"] {
        assert_eq!(later[name]["before"], week[name]["now"], "{name}: {later}");
        assert_eq!(later[name]["now"], 0, "{name}: {later}");
    }
    assert_eq!(later["median_seconds_before"], 60, "{later}");

    let question = "bob: @lore how do I brew <b> coffee on the moon?";
    let lines = [
        "good morning",
        question,
        "eve: @lore how do I mount an iso image?",
    ];
    let ran = place.run_with(&["chat"], &lines);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let told = place.run(&["report"]);
    for words in [
        "| questions | 2 | 0 |",
        "| answered | 1 | 0 |",
        "| nothing known | 1 | 0 |",
        "- 1 unknown (before 0)",
        "- 1 × How do I mount an iso image",
        "coffee on the moon? (`threadlore answers teach ",
    ] {
        assert!(told.out.contains(words), "{words}: {}", told.out);
    }
    // The same as text, and as a document by itself.
    assert!(told.out.contains("brew \\<b\\> coffee"), "{}", told.out);
    let text = place.run(&["report", "--format", "text"]).out;
    assert!(
        text.contains("\nanswered                             1           0\n"),
        "{text}"
    );
    assert!(text.contains("brew <b> coffee"), "{text}");
    let html = place.run(&["report", "--format", "html"]).out;
    assert!(html.starts_with("<!DOCTYPE html>"), "{html}");
    for words in [
        "brew &lt;b&gt; coffee",
        "<th scope=\"row\">answered</th><td class=\"number\">1</td><td class=\"number\">0</td>",
    ] {
        assert!(html.contains(words), "{words}: {html}");
    }
    for loaded in ["<script", "<link", "<img", "url("] {
        assert!(!html.contains(loaded), "{loaded}: {html}");
    }
    let unknown = place.run(&["report", "--space", "typo"]);
    assert_eq!(unknown.code, Some(3), "{}", unknown.err);
}
