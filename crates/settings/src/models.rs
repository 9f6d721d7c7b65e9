//! Which settings of models fit together.

use crate::load::invalid;
use crate::secret::MASK;
use crate::sections::Settings;
use crate::{AnswerReader, EmbedderEngine, Engine, Error, RerankerEngine};

impl Settings {
    /// Whether every chosen model has a name and an address, and no address holds a secret.
    pub(crate) fn validate_models(&self) -> Result<(), Error> {
        let (openai, embedder) = (&self.openai, &self.embedder);
        let reranker = &self.reranker;
        server(
            ["openai.base_url", "openai.api_key", "openai.api_key_file"],
            openai.base_url.as_deref(),
            openai.api_key.is_some() && openai.api_key_file.is_some(),
        )?;
        server(
            [
                "embedder.base_url",
                "embedder.api_key",
                "embedder.api_key_file",
            ],
            embedder.base_url.as_deref(),
            embedder.api_key.is_some() && embedder.api_key_file.is_some(),
        )?;
        server(
            [
                "reranker.base_url",
                "reranker.api_key",
                "reranker.api_key_file",
            ],
            reranker.base_url.as_deref(),
            reranker.api_key.is_some() && reranker.api_key_file.is_some(),
        )?;
        let by_reader = vec![("answer.reader", self.answer.reader != AnswerReader::None)];
        let chosen = [
            (
                reranker.engine != RerankerEngine::None,
                ("reranker.engine", reranker.engine.name()),
                vec![("reranker.base_url", reranker.base_url.is_some())],
            ),
            (
                self.extractor.engine == Engine::OpenAi,
                ("extractor.engine", "openai"),
                vec![
                    ("openai.base_url", openai.base_url.is_some()),
                    ("openai.model", openai.model.is_some()),
                ],
            ),
            (
                self.answer.reader == AnswerReader::OpenAi,
                ("answer.reader", "openai"),
                vec![
                    ("openai.base_url", openai.base_url.is_some()),
                    ("openai.model", openai.model.is_some()),
                ],
            ),
            (self.answer.gate, ("answer.gate", "true"), by_reader.clone()),
            (
                self.answer.rewrite,
                ("answer.rewrite", "true"),
                by_reader.clone(),
            ),
            (
                self.answer.judge,
                ("answer.judge", "true"),
                by_reader.clone(),
            ),
            (self.answer.facts, ("answer.facts", "true"), by_reader),
            (
                embedder.engine == EmbedderEngine::OpenAi,
                ("embedder.engine", "openai"),
                vec![
                    ("embedder.base_url", embedder.base_url.is_some()),
                    ("embedder.model", embedder.model.is_some()),
                    ("embedder.dimensions", embedder.dimensions.is_some()),
                ],
            ),
            (
                embedder.engine == EmbedderEngine::Local,
                ("embedder.engine", "local"),
                vec![("embedder.model", embedder.model.is_some())],
            ),
        ];
        for (is_chosen, (engine, word), needed) in chosen {
            for (key, is_set) in needed {
                if is_chosen && !is_set {
                    let rule = format!("it must be set where `{engine}` is `\"{word}\"`");
                    return invalid(key, "not set".to_owned(), rule);
                }
            }
        }
        let long = embedder
            .model
            .as_ref()
            .filter(|model| model.len() > MODEL_MAX);
        if let Some(model) = long {
            let value = format!("{} bytes long", model.len());
            let rule = format!("a name has {MODEL_MAX} bytes at most");
            return invalid("embedder.model", value, rule);
        }
        Ok(())
    }
}

/// Longest name of a model of vectors, in bytes: it is part of the key of each.
const MODEL_MAX: usize = 200;

/// Whether a server's address holds no secret, and at most one key is set.
pub(crate) fn server(
    [key, api_key, api_key_file]: [&'static str; 3],
    base_url: Option<&str>,
    has_two_keys: bool,
) -> Result<(), Error> {
    if let Some(url) = base_url {
        let rest = url.strip_prefix("http://");
        let Some(rest) = rest.or_else(|| url.strip_prefix("https://")) else {
            let rule = "it must start with `http://` or `https://`".to_owned();
            return invalid(key, format!("{url:?}"), rule);
        };
        if rest.contains(['@', '?', '#']) || rest.contains(char::is_whitespace) {
            let rule = format!(
                "it must have no `@`, `?`, `#` and no blanks; a key goes into `{api_key}` or \
                 `{api_key_file}`"
            );
            return invalid(key, MASK.to_owned(), rule);
        }
    }
    if has_two_keys {
        let rule = format!("only one of it and `{api_key_file}` can be set");
        return invalid(api_key, MASK.to_owned(), rule);
    }
    Ok(())
}
