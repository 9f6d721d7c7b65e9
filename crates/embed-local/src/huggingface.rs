//! A model as Hugging Face's hub has it: `config.json`, `tokenizer.json`, `model.safetensors`.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use serde::Deserialize;
use serde::de::DeserializeOwned;

use crate::Error;
use crate::shape::Shape;
use crate::tensors::{Numbers, Place, Tensors};
use crate::tokenizer::Tokenizer;

/// The names of its files.
pub(crate) const CONFIG: &str = "config.json";
pub(crate) const TOKENIZER: &str = "tokenizer.json";
pub(crate) const WEIGHTS: &str = "model.safetensors";
/// Longest head of a file of tensors that is read, in bytes.
const HEAD: u64 = 16 << 20;

/// Reads all but the weights.
pub(crate) fn open(dir: &Path) -> Result<(Shape, Tokenizer, Tensors), Error> {
    let shape = config(&dir.join(CONFIG))?;
    let path = dir.join(TOKENIZER);
    let tokenizer = Tokenizer::open(&path).map_err(|what| Error::broken(&path, what))?;
    let tensors = tensors(&dir.join(WEIGHTS))?;
    Ok((shape, tokenizer, tensors))
}

/// Reads a file of JSON.
pub(crate) fn json<T: DeserializeOwned>(path: &Path) -> Result<T, Error> {
    let text = std::fs::read(path).map_err(|source| Error::read(path, source))?;
    serde_json::from_slice(&text)
        .map_err(|error| Error::broken(path, format!("it is not what such a file is: {error}")))
}

#[derive(Deserialize)]
struct Config {
    model_type: String,
    hidden_size: usize,
    num_hidden_layers: usize,
    num_attention_heads: usize,
    intermediate_size: usize,
    vocab_size: usize,
    max_position_embeddings: usize,
    type_vocab_size: usize,
    layer_norm_eps: f32,
    hidden_act: String,
    #[serde(default)]
    pad_token_id: usize,
    #[serde(default)]
    position_embedding_type: Option<String>,
}

/// The sizes that `config.json` tells.
pub(crate) fn config(path: &Path) -> Result<Shape, Error> {
    let config: Config = json(path)?;
    let first_position = match config.model_type.as_str() {
        "bert" => 0,
        "xlm-roberta" | "roberta" => config.pad_token_id.saturating_add(1),
        other => {
            let what = format!(
                "its architecture is `{other}`; known here are `bert`, `roberta` and `xlm-roberta`"
            );
            return Err(Error::broken(path, what));
        }
    };
    let positions = config.position_embedding_type.as_deref();
    for (key, is, known) in [
        ("hidden_act", config.hidden_act.as_str(), "gelu"),
        (
            "position_embedding_type",
            positions.unwrap_or("absolute"),
            "absolute",
        ),
    ] {
        if is != known {
            let what = format!("its {key} is `{is}`; known here is `{known}`");
            return Err(Error::broken(path, what));
        }
    }
    Ok(Shape {
        hidden: config.hidden_size,
        layers: config.num_hidden_layers,
        heads: config.num_attention_heads,
        inner: config.intermediate_size,
        words: config.vocab_size,
        positions: config.max_position_embeddings,
        kinds: config.type_vocab_size,
        epsilon: config.layer_norm_eps,
        first_position,
    })
}

#[derive(Deserialize)]
struct Tensor {
    dtype: String,
    shape: Vec<usize>,
    data_offsets: (u64, u64),
}

/// The head of a file of tensors: its length in 8 bytes, then an object of their names.
fn tensors(path: &Path) -> Result<Tensors, Error> {
    let failed = |source| Error::read(path, source);
    let mut file = BufReader::new(File::open(path).map_err(failed)?);
    let mut length = [0; 8];
    file.read_exact(&mut length).map_err(failed)?;
    let length = u64::from_le_bytes(length);
    if length > HEAD {
        return Err(Error::broken(
            path,
            "it does not begin as a safetensors file does",
        ));
    }
    let mut head = Vec::new();
    let read = file.by_ref().take(length).read_to_end(&mut head);
    if (read.map_err(failed)? as u64) < length {
        return Err(Error::broken(path, "it ends in its head: it was cut off"));
    }
    let head: HashMap<String, serde_json::Value> = serde_json::from_slice(&head)
        .map_err(|error| Error::broken(path, format!("its head cannot be read: {error}")))?;
    let mut places = HashMap::new();
    for (name, tensor) in head {
        // Others have metadata, or tensors that no vector needs.
        let Ok(tensor) = serde_json::from_value::<Tensor>(tensor) else {
            continue;
        };
        let numbers = match tensor.dtype.as_str() {
            "F32" => Numbers::F32,
            "F16" => Numbers::F16,
            "BF16" => Numbers::BF16,
            _ => continue,
        };
        let count = tensor
            .shape
            .iter()
            .try_fold(1, |all: usize, n| all.checked_mul(*n));
        let (from, to) = tensor.data_offsets;
        let bytes = count.and_then(|count| numbers.bytes(count));
        let (Some(count), true) = (count, bytes.map(|b| b as u64) == to.checked_sub(from)) else {
            let what = format!("its tensor `{name}` does not have the bytes of its shape");
            return Err(Error::broken(path, what));
        };
        // Models with a head of another task have the encoder under a name of its own.
        let inner = ["bert.", "roberta."]
            .iter()
            .find_map(|of| name.strip_prefix(of));
        let name = inner.unwrap_or(&name).to_owned();
        let offset = (8 + length).saturating_add(from);
        let place = Place {
            numbers,
            count,
            offset,
        };
        places.insert(name, place);
    }
    Tensors::new(path, file, places)
}
