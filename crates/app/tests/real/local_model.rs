//! A model in this process: pulled, chosen, used by an import and by a question.

use serde_json::{Value, json};

use super::support::{Place, Ran};
use super::tiny_model as tiny;

const CHAT: &str = "[10:00] <ann> how do I mount an iso image in the terminal? no sound\n\
                    [10:01] <bob> ann: sudo mount -o loop file.iso /mnt\n\
                    [10:02] <ann> bob: thanks, that worked!\n";

/// Puts the tiny model into the data directory.
pub(crate) fn pull_tiny(place: &Place) -> Value {
    let hub = place.path().join("hub");
    std::fs::create_dir_all(&hub).expect("made");
    tiny::write_huggingface(&hub, &tiny::tensors());
    place.json(&["models", "pull", "tiny", "--from", "hub"])
}

/// Runs a command with the tiny model chosen.
pub(crate) fn with_tiny(place: &Place, args: &[&str]) -> Ran {
    let mut command = place.command(&[&["--json"], args].concat());
    command
        .env("THREADLORE__EMBEDDER__ENGINE", "local")
        .env("THREADLORE__EMBEDDER__MODEL", "tiny");
    Ran::of(command.output().expect("it starts"))
}

fn told(ran: &Ran) -> Value {
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    serde_json::from_str(&ran.out).expect("one JSON object")
}

#[test]
fn a_model_in_this_process_is_pulled_and_makes_the_vectors() {
    let place = Place::new();
    let chat = ["import", "2024-05-01.txt", "--channel", "irc:#help"];
    place.file("2024-05-01.txt", CHAT);
    let refused = with_tiny(&place, &chat);
    assert_eq!(refused.code, Some(3), "{}", refused.err);
    assert!(refused.err.contains("models pull"), "{}", refused.err);

    let pulled = pull_tiny(&place);
    assert_eq!(pulled["dimensions"], 32);
    let listed = place.json(&["models", "list"]);
    assert_eq!(listed["models"][0]["name"], "tiny");
    assert_eq!(listed["models"][0]["problem"], Value::Null);

    told(&with_tiny(&place, &chat));
    place.with_database(|ask| {
        let vectors = ask(
            "SELECT count(*) > 0 AND bool_and(model LIKE 'local/tiny/32/%') \
                           FROM lore.vectors",
        );
        assert_eq!(vectors, "t");
    });
    let found = told(&with_tiny(&place, &["ask", "how do I mount an iso image?"]));
    let legs = &found["retrieval"]["found"][0]["legs"];
    assert!(legs["dense"].is_number(), "{found}");

    let weights = place.data().join("models/tiny/model.safetensors");
    let mut bytes = std::fs::read(&weights).expect("read");
    bytes.pop();
    std::fs::write(&weights, bytes).expect("written");
    let refused = with_tiny(&place, &["ask", "and now?"]);
    assert_eq!(refused.code, Some(3), "{}", refused.err);
    assert!(
        refused.err.contains("model.safetensors is not the file"),
        "{}",
        refused.err
    );
}

#[test]
fn a_pull_that_is_refused_makes_nothing() {
    let place = Place::new();
    for (args, code) in [
        (&["models", "pull", "no-such-model"][..], 3),
        (&["models", "pull", "../x", "--from", "."], 3),
    ] {
        let ran = place.run(args);
        assert_eq!(ran.code, Some(code), "{}", ran.err);
        assert!(!place.data().exists(), "nothing was made");
    }
    let none = place.json(&["models", "list"]);
    assert_eq!(none, json!({ "models": [] }));
    let away = place.run(&["models", "pull", "x", "--from", "http://127.0.0.1:1"]);
    assert_eq!(away.code, Some(6), "{}", away.err);
}
