//! The page *Health*, and what it leads to: how far the builds of the tables are, and what the process runs with.

use serde_json::{Value, json};

use super::api::{Served, problem, with};
use super::browser::Browser;
use super::desk::desk;
use super::pages::up;

#[test]
fn how_far_each_build_is_can_be_seen() {
    let place = desk();
    let (owner, link) = up(&place);
    let browser = Browser::signed_in(&link);
    let replayed = place.run(&["replay", "--projection", "cases"]);
    assert_eq!(replayed.code, Some(0), "{}", replayed.err);
    let listed = place.json(&["replay", "list"]);
    let builds = listed["builds"].as_array().expect("builds");
    let number = |build: &serde_json::Value, name: &str| build[name].as_u64().expect("a number");
    assert!(
        builds
            .iter()
            .all(|build| number(build, "folded") == number(build, "records"))
    );
    let cases = builds.iter().filter(|build| build["projection"] == "cases");
    let cases: Vec<bool> = cases.map(|build| build["live"] == true).collect();
    assert_eq!(cases, [false, true]);
    let again = |path: &str| {
        let response = browser.ask(path).send().expect("an answer");
        response.headers().get("refresh").is_some()
    };
    assert!(!again("/health") && again("/health?again=true"));
    owner.stop();
    place.verified();
}

/// What is set, on the page and by the API, for the operator alone; a secret is not shown.
#[test]
fn what_a_process_runs_with_is_shown_without_its_secrets() {
    let place = desk();
    place.file(
        "threadlore.toml",
        "[responder]\nanswers_per_day = 77\n[openai]\napi_key = \"hunter2\"\n",
    );
    let served = Served::on(place, &[]);
    let all = with(
        200,
        served.get("/settings", &served.token("system", "admin")),
    );
    assert!(!all.to_string().contains("hunter2"), "{all}");
    let setting = |table: &str, key: &str| -> Value {
        let find = |list: &Value, name: &str, wanted: &str| -> Value {
            let list = list.as_array().expect("a list");
            let found = list.iter().find(|one| one[name] == wanted);
            found
                .unwrap_or_else(|| panic!("no {wanted}: {all}"))
                .clone()
        };
        find(
            &find(&all["sections"], "name", table)["settings"],
            "key",
            key,
        )
    };
    let most = setting("responder", "answers_per_day");
    assert_eq!(most["value"], "77");
    assert_eq!(
        (&most["default"], &most["is_default"]),
        (&json!("200"), &json!(false))
    );
    assert_eq!(most["allowed"], "1 to 1000000");
    assert_eq!(setting("openai", "api_key")["value"], "\"(secret)\"");
    let kept = setting("log", "engine");
    assert_eq!(
        (&kept["value"], &kept["is_default"]),
        (&json!("\"local\""), &json!(true))
    );
    assert!(setting("kafka", "bootstrap_servers").get("value").is_none());
    assert!(
        all["roles"]
            .as_array()
            .expect("roles")
            .contains(&json!("responder")),
        "{all}"
    );
    problem(
        403,
        "`system`",
        served.get("/settings", &served.token("default", "admin")),
    );

    let browser = Browser::signed_in(&served.link);
    let page = browser.page("/settings");
    assert!(
        page.contains("answers_per_day") && page.contains("<code>77</code>"),
        "{page}"
    );
    assert!(
        page.contains("(secret)") && !page.contains("hunter2"),
        "{page}"
    );
    assert!(
        !page.contains("turn_gap_ms"),
        "what has its default: {page}"
    );
    let buffer = browser.page("/settings?table=buffer");
    assert!(
        buffer.contains("turn_gap_ms") && buffer.contains("are one turn"),
        "{buffer}"
    );
    let top = browser.page("/settings?table=-");
    assert!(top.contains("data_dir"), "{top}");
}
