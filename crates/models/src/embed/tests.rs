//! The client against a double of a model server, over real sockets.

use std::sync::Mutex;

use serde_json::Value;
use threadlore_model::Timestamp;
use threadlore_testkit::{Asked, ModelDouble, Reply};

use super::*;

/// A clock that a test turns.
#[derive(Default)]
struct Turned(Mutex<Timestamp>);

#[async_trait]
impl Clock for Turned {
    fn now(&self) -> Timestamp {
        *self.0.lock().expect("not poisoned")
    }
    async fn sleep(&self, _by: Duration) {}
}

fn settings(base_url: String) -> EmbedSettings {
    EmbedSettings {
        base_url,
        model: "e5".to_owned(),
        dimensions: 3,
        api_key: Some("s3cret".to_owned()),
        timeout: Duration::from_secs(60),
        passage_prefix: "passage: ".to_owned(),
        query_prefix: "query: ".to_owned(),
        text_chars: 8,
    }
}

fn engine(settings: EmbedSettings, clock: &Arc<Turned>) -> HttpEmbedder {
    HttpEmbedder::new(settings, Arc::clone(clock) as Arc<dyn Clock>).expect("an engine")
}

fn run<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build();
    runtime.expect("a runtime").block_on(work)
}

const TEXTS: [&str; 2] = ["no sound at all", "né\u{301}t"];

/// What comes of two texts, asking a double, and what that was asked.
fn embed(
    what_for: EmbedFor,
    answer: impl FnMut(&Asked) -> Reply + Send + 'static,
) -> (Result<Vec<Vec<f32>>, PortError>, Vec<Asked>) {
    let double = ModelDouble::start(answer).expect("a double");
    let engine = engine(settings(double.base_url()), &Arc::default());
    let found = run(engine.embed(&TEXTS.map(str::to_owned), what_for));
    (found, double.asked())
}

fn says(value: &Value) -> Reply {
    Reply::Body(value.to_string().into_bytes())
}

/// Why it was refused; and that no text is in it.
fn refused_for(answer: Reply) -> String {
    let (found, asked) = embed(EmbedFor::Passage, move |_| answer.clone());
    assert_eq!(asked.len(), 1);
    match found {
        Err(error @ PortError::Refused { .. }) => {
            let said = error.to_string();
            assert!(!said.contains("sound") && !said.contains("leak"), "{said}");
            said
        }
        other => panic!("refused, not {other:?}"),
    }
}

fn unavailable(found: Result<Vec<Vec<f32>>, PortError>) -> String {
    match found {
        Err(error @ PortError::Unavailable { .. }) => error.to_string(),
        other => panic!("unavailable, not {other:?}"),
    }
}

#[test]
fn texts_are_cut_and_told_what_they_are_for() {
    for (what_for, first, second) in [
        (
            EmbedFor::Passage,
            "passage: no sound",
            "passage: né\u{301}t",
        ),
        (EmbedFor::Query, "query: no sound", "query: né\u{301}t"),
    ] {
        let (found, asked) = embed(what_for, |_| {
            says(&json!({"data": [
                {"index": 1, "embedding": [0.5, -1, 2e-3]},
                {"index": 0, "embedding": [1.0, 0.0, 0.0]},
            ]}))
        });
        let vectors = found.expect("vectors");
        assert_eq!(vectors, [[1.0, 0.0, 0.0], [0.5, -1.0, 0.002]], "by index");
        assert_eq!(asked.len(), 1);
        assert_eq!(asked[0].line, "POST /v1/embeddings HTTP/1.1");
        assert_eq!(asked[0].authorization.as_deref(), Some("Bearer s3cret"));
        let expected = json!({"model": "e5", "input": [first, second], "encoding_format": "float"});
        assert_eq!(asked[0].body, expected);
    }
}

#[test]
fn without_numbers_the_order_is_that_of_the_texts() {
    let (found, _) = embed(EmbedFor::Query, |_| {
        says(&json!({"data": [{"embedding": [1, 2, 3]}, {"embedding": [4, 5, 6]}]}))
    });
    assert_eq!(found.expect("vectors"), [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]);
}

#[test]
fn answers_that_cannot_be_used_are_refused() {
    let good = json!({"index": 0, "embedding": [1, 2, 3]});
    let two = |other: Value| json!({"data": [good, other]});
    for (answer, words) in [
        (json!({"data": [good]}), "1 vectors for 2 texts"),
        (json!({"data": [good, good, good]}), "3 vectors for 2 texts"),
        (
            two(json!({"index": 1, "embedding": [1, 2]})),
            "of 2 numbers, not 3",
        ),
        (
            two(json!({"index": 1, "embedding": []})),
            "of 0 numbers, not 3",
        ),
        (
            two(json!({"index": 1, "embedding": [1, 2, 1e39]})),
            "not finite",
        ),
        (
            two(json!({"index": 0, "embedding": [1, 2, 3]})),
            "vector 0 twice",
        ),
        (
            two(json!({"index": 2, "embedding": [1, 2, 3]})),
            "no text of that number",
        ),
        (
            two(json!({"index": 1, "embedding": "leak"})),
            "no list of vectors",
        ),
        (json!({"error": "leak"}), "no list of vectors"),
    ] {
        let said = refused_for(says(&answer));
        assert!(said.contains(words), "{answer}: {said}");
    }
    let broken = refused_for(Reply::Body(b"<html>leak".to_vec()));
    assert!(broken.contains("no list of vectors"), "{broken}");
}

#[test]
fn ten_megabytes_are_refused_unread() {
    let said = refused_for(Reply::Body(vec![b' '; 10_000_000]));
    assert!(said.contains("longer than 100192 bytes"), "{said}");
}

#[test]
fn statuses_say_whether_to_try_again() {
    for status in [429, 408, 500, 503] {
        let (found, _) = embed(EmbedFor::Passage, move |_| Reply::Status(status));
        unavailable(found);
    }
    for status in [400, 401, 403, 404, 413, 307] {
        let said = refused_for(Reply::Status(status));
        assert!(said.contains(&status.to_string()), "{said}");
    }
}

#[test]
fn silence_and_broken_connections_are_tried_again() {
    let (found, _) = embed(EmbedFor::Passage, |_| Reply::Closes);
    assert!(unavailable(found).contains("broke off"));
    let double = ModelDouble::start(|_| Reply::Hangs).expect("a double");
    let settings = EmbedSettings {
        timeout: Duration::from_millis(50),
        ..settings(double.base_url())
    };
    let engine = engine(settings, &Arc::default());
    let said = unavailable(run(engine.embed(&["a".to_owned()], EmbedFor::Query)));
    assert!(said.contains("in time"), "{said}");
}

#[test]
fn after_five_failures_the_server_is_left_alone_for_half_a_minute() {
    let mut calls = 0;
    let double = ModelDouble::start(move |_| {
        calls += 1;
        match calls {
            1..=5 => Reply::Status(500),
            _ => says(&json!({"data": [{"embedding": [1, 2, 3]}]})),
        }
    });
    let double = double.expect("a double");
    let clock = Arc::new(Turned::default());
    let engine = engine(settings(double.base_url()), &clock);
    let texts = ["a".to_owned()];
    run(async {
        for _ in 0..6 {
            unavailable(engine.embed(&texts, EmbedFor::Passage).await);
        }
        assert_eq!(double.asked().len(), 5);
        let later = clock.now().plus(Duration::from_secs(30));
        *clock.0.lock().expect("not poisoned") = later;
        let found = engine.embed(&texts, EmbedFor::Passage).await;
        found.expect("it answers again");
    });
}

#[test]
fn nothing_is_asked_for_no_texts() {
    let double = ModelDouble::start(|_| Reply::Closes).expect("a double");
    let engine = engine(settings(double.base_url()), &Arc::default());
    let found = run(engine.embed(&[], EmbedFor::Passage));
    assert_eq!(found.expect("nothing").len(), 0);
    assert_eq!(double.asked().len(), 0);
}

#[test]
fn the_version_changes_with_what_shapes_vectors_and_with_nothing_else() {
    let base = || settings("http://a/v1".to_owned());
    assert!(
        version(&base()).starts_with("openai/e5/3/"),
        "{}",
        version(&base())
    );
    let others = [
        EmbedSettings {
            model: "e6".to_owned(),
            ..base()
        },
        EmbedSettings {
            dimensions: 4,
            ..base()
        },
        EmbedSettings {
            passage_prefix: String::new(),
            ..base()
        },
        EmbedSettings {
            text_chars: 9,
            ..base()
        },
    ];
    for other in &others {
        assert_ne!(version(other), version(&base()));
    }
    let elsewhere = EmbedSettings {
        base_url: "http://b/v1".to_owned(),
        api_key: None,
        query_prefix: String::new(),
        timeout: Duration::from_secs(1),
        ..base()
    };
    assert_eq!(version(&elsewhere), version(&base()));
}
