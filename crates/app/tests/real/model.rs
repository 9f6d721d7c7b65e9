//! A chat model as the engine, over a real socket.

use std::net::{SocketAddr, TcpListener};
use std::process::Command;

use serde_json::json;
use threadlore_model::partition_for;
use threadlore_testkit::{Asked, ModelDouble, Reply};

use super::support::{Place, Ran};

const CHAT: &str = "\
[12:00] <ann> my sound is gone after the upgrade, any idea?
[12:01] <bob> run alsamixer and unmute Master
[12:02] <ann> that works, thanks
";

/// One problem in the first three lines, solved in the second.
fn sensible(asked: &Asked) -> Reply {
    Reply::json(&match asked.format() {
        "spans" => json!({"spans": [{"start": 1, "end": 3}], "resolved": []}),
        _ => json!({
            "keep": true, "status": "solved", "title": "Sound is gone",
            "problem": "The sound is gone after the upgrade.",
            "solution": "Run alsamixer and unmute Master.", "tags": ["sound"],
            "problem_lines": [1], "solution_lines": [2],
        }),
    })
}

/// What a model says that does not do what it was asked.
fn prose(_: &Asked) -> Reply {
    Reply::Says("There was some talk about sound.".to_owned())
}

/// A chat in a space at which a model failed for good: one dead letter, and no case.
pub(crate) fn a_failed_look(place: &Place, space: &str) {
    let double = ModelDouble::start(prose).expect("a double");
    place.file("2024-05-01.txt", CHAT);
    let import = [
        "import",
        "2024-05-01.txt",
        "--channel",
        "irc:#help",
        "--space",
        space,
    ];
    let ran = with_model(place, double.address(), &import).output();
    let ran = Ran::of(ran.expect("it starts"));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
}

/// The import of the chat, with a model at `address`.
fn import(place: &Place, address: SocketAddr) -> Command {
    let log = place.file("2024-05-01.txt", CHAT);
    let log = log.to_str().expect("UTF-8");
    let args = ["import", log, "--channel", "irc:#help", "--space", "one"];
    with_model(place, address, &args)
}

/// A command with a model at `address`.
fn with_model(place: &Place, address: SocketAddr, args: &[&str]) -> Command {
    let mut command = place.command(args);
    command
        .env("THREADLORE__EXTRACTOR__ENGINE", "openai")
        .env(
            "THREADLORE__OPENAI__BASE_URL",
            format!("http://{address}/v1"),
        )
        .env("THREADLORE__OPENAI__MODEL", "double")
        .env("THREADLORE__OPENAI__API_KEY", "s3cret");
    command
}

#[test]
fn a_model_that_is_down_at_first_finds_cases_once_it_is_up() {
    let place = Place::new();
    let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    drop(listener);
    let mut command = import(&place, address);
    command.env("THREADLORE__EFFECTS__ATTEMPTS", "20");
    let mut importing = place.start(&mut command);
    assert!(
        importing.wait_for("a call is tried again"),
        "{}",
        importing.said()
    );
    let double = ModelDouble::start_at(address, sensible).expect("the port is free again");
    let ended = importing.end();
    println!("{}", ended.err);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert!(ended.err.contains("cannot be reached"), "{}", ended.err);
    assert!(!ended.err.contains("s3cret"), "{}", ended.err);
    assert!(!ended.err.contains("failed for good"), "{}", ended.err);
    assert_eq!(
        double.asked()[0].authorization.as_deref(),
        Some("Bearer s3cret")
    );

    let verified = place.verified();
    assert_eq!(
        (verified.table("messages").0, verified.table("cases").0),
        (3, 1)
    );
    let found = place.with_database(|sql| {
        sql("SELECT title, solution, signal, engine FROM lore.cases WHERE solved_at IS NOT NULL")
    });
    let expected = "Sound is gone|Run alsamixer and unmute Master.|thanks|openai/double/p2";
    assert_eq!(found, expected);
    let told = place.json(&["ask", "my sound is gone", "--space", "one"]);
    assert_eq!(told["outcome"], "answered", "{told}");
}

#[test]
fn a_model_that_answers_nonsense_costs_cases_and_nothing_else() {
    let place = Place::new();
    let double = ModelDouble::start(prose).expect("a double");
    let ended = place.start(&mut import(&place, double.address())).end();
    println!("{}", ended.err);
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert!(ended.err.contains("failed for good"), "{}", ended.err);
    assert!(ended.err.contains("it is no JSON"), "{}", ended.err);
    assert!(!ended.err.contains("some talk"), "{}", ended.err);
    let asked = double.asked().len();
    assert_eq!(asked, 2, "told once, and not tried again");
    let verified = place.verified();
    assert_eq!(
        (verified.table("messages").0, verified.table("cases").0),
        (3, 0)
    );
}

/// Nine lines, looked at by three, and a model that talks about the second three.
fn with_a_failing_look(json: bool) -> Ran {
    let place = Place::new();
    let mut asked = 0;
    let double = ModelDouble::start(move |question| {
        asked += usize::from(question.format() == "spans" && !question.is_repair());
        match asked {
            1 => sensible(question),
            2 => Reply::Says("Nothing but the weather.".to_owned()),
            _ => Reply::json(&json!({"spans": [], "resolved": []})),
        }
    });
    let double = double.expect("a double");
    let weather = ["12:10", "12:11", "12:12", "12:20", "12:21", "12:22"];
    let weather = weather.map(|at| format!("[{at}] <cid> lovely weather today\n"));
    let mut command = import(&place, double.address());
    place.file("2024-05-01.txt", format!("{CHAT}{}", weather.concat()));
    command
        .env("THREADLORE__BUFFER__WINDOW_COUNT", "3")
        .env("THREADLORE__BUFFER__MIN_FOR_RESOLUTION", "3");
    if json {
        command.arg("--json");
    }
    let ran = Ran::of(command.output().expect("it starts"));
    println!("{}{}", ran.err, ran.out);
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert_eq!(place.verified().table("cases").0, 1, "the others go on");
    ran
}

#[test]
fn a_window_that_could_not_be_looked_at_is_told_with_its_reason() {
    let ran = with_a_failing_look(false);
    let told: Vec<&str> = ran.out.lines().collect();
    let expected = "1 window could not be looked at; `chat.turns.dlq` has why:";
    assert!(told.contains(&expected), "{}", ran.out);
    let look = "  irc:#help, 3 messages up to 2024-05-01T12:12:00Z (";
    let look = told.iter().find(|line| line.starts_with(look));
    let look = look.expect("the window's channel and time");
    assert!(look.contains("cannot be used"), "{look}");
    assert!(!ran.out.contains("Nothing but"), "{}", ran.out);

    let ran = with_a_failing_look(true);
    let told: serde_json::Value = serde_json::from_str(&ran.out).expect("one JSON object");
    let failed = &told["failed_looks"];
    assert_eq!(
        (&told["messages"], &failed["count"]),
        (&json!(9), &json!(1))
    );
    assert_eq!(failed["first"][0]["channel"], "irc:#help");
    assert_eq!(failed["first"][0]["at"], "2024-05-01T12:12:00Z");
}

#[test]
fn a_look_that_failed_is_redriven_once_the_model_is_mended() {
    let place = Place::new();
    a_failed_look(&place, "one");
    assert_eq!(place.verified().table("cases").0, 0);
    let listed = place.json(&["dlq", "list", "--topic", "chat.turns"]);
    let letters = listed["letters"].as_array().expect("a list");
    assert_eq!((letters.len(), &listed["next"]), (1, &json!(null)));
    let letter = letters[0]["letter"].as_str().expect("a place").to_owned();
    assert_eq!(letters[0]["redriven"], json!(null));

    let double = ModelDouble::start(sensible).expect("a double");
    let redrive = |args: &[&str]| -> serde_json::Value {
        let args = [&["--json", "dlq", "redrive"], args].concat();
        let output = with_model(&place, double.address(), &args).output();
        let ran = Ran::of(output.expect("it starts"));
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        serde_json::from_str(&ran.out).expect("one JSON object")
    };
    assert_eq!(redrive(&[&letter, "--dry-run"])["redriven"], 1);
    assert!(double.asked().is_empty(), "nothing was done");
    let unlike = redrive(&["--topic", "chat.turns", "--reason", "no such reason"]);
    assert_eq!(unlike["redriven"], 0, "{unlike}");
    assert_eq!(redrive(&[&letter])["redriven"], 1);
    let verified = place.verified();
    assert_eq!(verified.table("cases").0, 1, "the case is found");
    // The same redrive adds nothing.
    let asked = double.asked().len();
    let again = redrive(&["--topic", "chat.turns"]);
    assert_eq!(
        (&again["redriven"], &again["already"]),
        (&json!(0), &json!(1))
    );
    assert_eq!(double.asked().len(), asked);
    let shown = place.json(&["dlq", "show", &letter]);
    let place_of = shown["redriven"].as_str().expect("a place");
    assert!(place_of.starts_with("knowledge.requests/"), "{shown}");
    assert_eq!(shown["source_is"], "WindowReady, which can be read");
    // Without the database all of it is folded again, and nothing is asked.
    std::fs::remove_dir_all(place.data().join("postgres")).expect("removed");
    let output = with_model(&place, double.address(), &["--json", "verify"]).output();
    assert_eq!(Ran::of(output.expect("it starts")).code, Some(0));
    assert_eq!(double.asked().len(), asked, "what was decided is decided");
    assert_eq!(place.verified().table("cases"), verified.table("cases"));
}

#[test]
fn a_model_that_is_not_named_stops_the_start() {
    let place = Place::new();
    let mut command = place.command(&["standalone"]);
    command.env("THREADLORE__EXTRACTOR__ENGINE", "openai");
    let ended = place.start(&mut command).end();
    assert_eq!(ended.code, Some(3), "{}", ended.err);
    assert!(ended.err.contains("`openai.base_url`"), "{}", ended.err);
    command
        .env("THREADLORE__OPENAI__BASE_URL", "http://127.0.0.1:1/v1")
        .env("THREADLORE__OPENAI__MODEL", "m")
        .env("THREADLORE__OPENAI__API_KEY_FILE", "no-such-file");
    let ended = place.start(&mut command).end();
    assert_eq!(ended.code, Some(3), "{}", ended.err);
    assert!(ended.err.contains("openai.api_key_file"), "{}", ended.err);
    assert!(!place.data().exists(), "nothing was made");
}

/// A look that found nothing leaves no event behind, and is not taken again because another
/// space comes into its partition.
#[test]
fn a_restore_asks_a_model_nothing_about_other_spaces() {
    let from = Place::new();
    let target = Place::beside(&from);
    from.file("2024-05-01.txt", CHAT);
    let log = ["import", "2024-05-01.txt", "--channel", "irc:#help"];
    from.json(&[&log[..], &["--space", "one"]].concat());
    let dir = from.path().join("out");
    let path = dir.to_str().expect("UTF-8");
    from.json(&["export", "--space", "one", path]);

    let double = ModelDouble::start(|_| Reply::json(&json!({"spans": [], "resolved": []})));
    let double = double.expect("starts");
    let run = |args: &[&str]| {
        let ran = Ran::of(
            with_model(&target, double.address(), args)
                .output()
                .expect("it starts"),
        );
        assert_eq!(ran.code, Some(0), "{}", ran.err);
    };
    // In the partition that the other space comes into.
    let partition =
        |space: &str, channel: &str| partition_for(format!("{space}/{channel}").as_bytes(), 4);
    let channels = (0..).map(|n| format!("irc:#c{n}"));
    let mut fit = channels.filter(|c| partition("two", c) == partition("one", "irc:#help"));
    let channel = fit.next().expect("one of many");
    target.file("2024-05-02.txt", CHAT.replace("sound", "printer"));
    let other = ["import", "2024-05-02.txt", "--space", "two", "--channel"];
    run(&[&other[..], &[&channel]].concat());
    let before = double.asked().len();
    assert!(before > 0, "a window was looked at");
    run(&["restore", path]);
    let asked = double.asked();
    let about = |asked: &Asked| asked.messages().iter().any(|text| text.contains("printer"));
    assert!(about(&asked[0]));
    assert!(!asked[before..].iter().any(about), "asked again");
    assert_eq!(target.verified().table("messages").0, 6);
}
