//! The page *Health*: how far the builds of the tables are.

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
