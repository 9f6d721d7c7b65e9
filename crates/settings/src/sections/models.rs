//! The settings of models.

use std::path::PathBuf;

use crate::Secret;
use crate::choices::{EmbedderEngine, RerankerEngine};
use crate::section::section;

section! {
    /// A chat model behind OpenAI's protocol, on your machine or elsewhere. The chat is sent to it.
    /// See models.md.
    OpenAi "openai" {
        /// The URL without `/chat/completions`, for example `http://127.0.0.1:8080/v1`.
        base_url: Option<String> = None;
        /// The name of the model.
        model: Option<String> = None;
        /// The key, for servers that want one.
        api_key: Option<Secret> = None;
        /// A file with the key and nothing else, in place of `api_key`.
        api_key_file: Option<PathBuf> = None;
        /// Longest time for one call, in seconds.
        timeout_seconds: u64 = 60, 1..=3_600;
        /// The most characters of a window that are sent to the model; its latest lines are kept.
        /// Four characters are about one token. Leave room for the model's answer.
        window_chars: usize = 48_000, 1_000..=10_000_000;
        /// Whether temperature 0 is requested, so that answers vary less. Switch it off for models
        /// that refuse the parameter.
        temperature_zero: bool = true;
    }
}

section! {
    /// An embedding model, which makes vectors of cases: in this process, or behind OpenAI's
    /// protocol, where their texts are sent to it. Without a model, the search uses words alone. See
    /// models.md.
    Embedder "embedder" {
        /// `none` for no model, `local` for one in this process, or `openai` for a server of that
        /// protocol.
        engine: EmbedderEngine = EmbedderEngine::None;
        /// The URL without `/embeddings`, for example `http://127.0.0.1:8080/v1`.
        base_url: Option<String> = None;
        /// The name of the model; that of a local one is its directory in `models` of the data
        /// directory. With another model, or other dimensions, passage prefix or characters, the
        /// vectors of all cases are computed anew.
        model: Option<String> = None;
        /// The length of the model's vectors; an answer with another length is refused. A local
        /// model says it itself.
        dimensions: Option<u32> = None, 1..=8_192;
        /// The key, for servers that want one.
        api_key: Option<Secret> = None;
        /// A file with the key and nothing else, in place of `api_key`.
        api_key_file: Option<PathBuf> = None;
        /// Longest time for one call of at most 32 texts, in seconds.
        timeout_seconds: u64 = 10, 1..=3_600;
        /// Text to put before the text of a case; models of the e5 family need `"passage: "`. By
        /// default, a local model says what it needs.
        passage_prefix: Option<String> = None;
        /// Text to put before a question; models of the e5 family need `"query: "`. By default, a
        /// local model says what it needs.
        query_prefix: Option<String> = None;
        /// The most characters of a text that are sent or read. Many servers refuse a text that is longer
        /// than the model can read. Four characters are about one token.
        text_chars: usize = 1_600, 100..=1_000_000;
    }
}

section! {
    /// A model that reads a question together with each case that was found, and says how well it
    /// answers: a cross-encoder behind HTTP. The cases' texts are sent to it. See models.md.
    Reranker "reranker" {
        /// `none` for no model; `documents` for a server of the form that most speak (Cohere, Jina,
        /// vLLM, llama.cpp, Infinity), or `texts` for Text Embeddings Inference.
        engine: RerankerEngine = RerankerEngine::None;
        /// The URL without `/rerank`, for example `http://127.0.0.1:8080/v1`.
        base_url: Option<String> = None;
        /// The name of the model, for servers that want one.
        model: Option<String> = None;
        /// The key, for servers that want one.
        api_key: Option<Secret> = None;
        /// A file with the key and nothing else, in place of `api_key`.
        api_key_file: Option<PathBuf> = None;
        /// Longest time for one call, in seconds. Then the case is as close as without the model.
        timeout_seconds: u64 = 4, 1..=60;
        /// The most characters of a case that are sent. Four characters are about one token.
        text_chars: usize = 1_600, 100..=1_000_000;
    }
}
