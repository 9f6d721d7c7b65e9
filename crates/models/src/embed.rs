//! Vectors by a model behind OpenAI's protocol: `POST {base_url}/embeddings`.
//!
//! An answer is used only if it has one vector for each text, each with as many finite numbers as
//! the settings say. Any other answer is refused as a whole, because it would be a guess which text
//! a vector belongs to.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::json;
use threadlore_model::vector_source;
use threadlore_ports::{Clock, EmbedEngine, EmbedFor, PortError};

use crate::server::{ClientError, Server, refused};

/// Bytes of an answer that are read for each number asked for, and besides.
const PER_NUMBER: usize = 32;
const BESIDES: usize = 100_000;

/// Which model, and how to reach it.
pub struct EmbedSettings {
    /// The URL without `/embeddings`, such as `http://127.0.0.1:8080/v1`.
    pub base_url: String,
    /// The model's name.
    pub model: String,
    /// Numbers in each of its vectors.
    pub dimensions: u32,
    /// The key, for servers that want one.
    pub api_key: Option<String>,
    /// Longest time for one call.
    pub timeout: Duration,
    /// Text to put before the text of a case.
    pub passage_prefix: String,
    /// Text to put before a question.
    pub query_prefix: String,
    /// Characters of a text that are sent.
    pub text_chars: usize,
}

/// Vectors by a model behind OpenAI's protocol.
pub struct HttpEmbedder {
    server: Server,
    settings: EmbedSettings,
    version: String,
}

#[derive(Deserialize)]
struct Embeddings {
    data: Vec<Embedding>,
}

#[derive(Deserialize)]
struct Embedding {
    index: Option<usize>,
    embedding: Vec<f32>,
}

impl HttpEmbedder {
    /// An engine for a model.
    ///
    /// # Errors
    /// When the settings cannot make a client.
    pub fn new(settings: EmbedSettings, clock: Arc<dyn Clock>) -> Result<Self, ClientError> {
        let server = Server::new(
            (&settings.base_url, "embeddings"),
            settings.api_key.as_deref(),
            settings.timeout,
            clock,
        )?;
        let version = version(&settings);
        Ok(Self {
            server,
            settings,
            version,
        })
    }

    fn sent(&self, text: &str, what_for: EmbedFor) -> String {
        let prefix = match what_for {
            EmbedFor::Passage => &self.settings.passage_prefix,
            EmbedFor::Query => &self.settings.query_prefix,
        };
        let text = text.chars().take(self.settings.text_chars);
        prefix.chars().chain(text).collect()
    }
}

/// The model, with all settings that influence the vectors of cases.
fn version(settings: &EmbedSettings) -> String {
    let shape = format!("{}\0{}", settings.passage_prefix, settings.text_chars);
    let hash = vector_source(&shape);
    let hash: String = hash[..4].iter().map(|byte| format!("{byte:02x}")).collect();
    format!("openai/{}/{}/{hash}", settings.model, settings.dimensions)
}

#[async_trait]
impl EmbedEngine for HttpEmbedder {
    fn model(&self) -> &str {
        &self.version
    }

    fn dimensions(&self) -> u32 {
        self.settings.dimensions
    }

    async fn embed(
        &self,
        texts: &[String],
        what_for: EmbedFor,
    ) -> Result<Vec<Vec<f32>>, PortError> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let input: Vec<String> = texts.iter().map(|text| self.sent(text, what_for)).collect();
        let body = json!({
            "model": self.settings.model,
            "input": input,
            "encoding_format": "float",
        });
        let dimensions = self.settings.dimensions as usize;
        let most = BESIDES + texts.len() * dimensions * PER_NUMBER;
        let answer: Embeddings = self.server.ask(&body, most, "no list of vectors").await?;
        in_order(answer.data, texts.len(), dimensions).map_err(refused)
    }
}

/// The vectors in the order of the texts, or why they cannot be used.
fn in_order(
    data: Vec<Embedding>,
    texts: usize,
    dimensions: usize,
) -> Result<Vec<Vec<f32>>, String> {
    let got = data.len();
    if got != texts {
        return Err(format!(
            "the model server answered {got} vectors for {texts} texts"
        ));
    }
    let mut vectors = vec![Vec::new(); texts];
    for (place, one) in data.into_iter().enumerate() {
        let index = one.index.unwrap_or(place);
        let numbers = one.embedding.len();
        if numbers != dimensions {
            return Err(format!(
                "the model server answered a vector of {numbers} numbers, not {dimensions}: look \
                 at the name of the model and at its dimensions"
            ));
        }
        if !one.embedding.iter().all(|n| n.is_finite()) {
            return Err("the model server answered a vector that is not finite".to_owned());
        }
        match vectors.get_mut(index) {
            Some(vector) if vector.is_empty() => *vector = one.embedding,
            _ => {
                return Err(format!(
                    "the model server answered vector {index} twice, or has no text of that number"
                ));
            }
        }
    }
    Ok(vectors)
}

#[cfg(test)]
mod tests;
