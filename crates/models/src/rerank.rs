//! A model that reads a question and a text together: `POST {base_url}/rerank`, in the two forms that
//! servers speak.
//!
//! An answer is used only if it has one number for each text.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::json;
use threadlore_ports::{Clock, PortError, RankEngine};

use crate::server::{ClientError, Server, refused};

/// Bytes of an answer that are read for each text, which some servers send back, and besides.
const PER_CHAR: usize = 8;
const BESIDES: usize = 100_000;

/// How a server wants to be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RerankForm {
    /// `{"query", "documents"}`, answered by `{"results": [{"index", "relevance_score"}]}`.
    Documents,
    /// `{"query", "texts"}`, answered by `[{"index", "score"}]`.
    Texts,
}

/// Which model, and how to reach it.
pub struct RerankSettings {
    /// How it is asked.
    pub form: RerankForm,
    /// The URL without `/rerank`, such as `http://127.0.0.1:8080/v1`.
    pub base_url: String,
    /// The model's name.
    pub model: Option<String>,
    /// The key, for servers that want one.
    pub api_key: Option<String>,
    /// Longest time for one call.
    pub timeout: Duration,
    /// Characters of a text that are sent.
    pub text_chars: usize,
}

/// A model behind HTTP that says how well texts answer a question.
pub struct HttpReranker {
    server: Server,
    settings: RerankSettings,
    version: String,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Answer {
    Results { results: Vec<Scored> },
    Bare(Vec<Scored>),
}

#[derive(Deserialize)]
struct Scored {
    index: usize,
    #[serde(alias = "relevance_score")]
    score: f32,
}

impl HttpReranker {
    /// An engine for a model.
    ///
    /// # Errors
    /// When the settings cannot make a client.
    pub fn new(settings: RerankSettings, clock: Arc<dyn Clock>) -> Result<Self, ClientError> {
        let server = Server::new(
            (&settings.base_url, "rerank"),
            settings.api_key.as_deref(),
            settings.timeout,
            clock,
        )?;
        let model = settings.model.as_deref().unwrap_or("unnamed");
        Ok(Self {
            server,
            version: format!("rerank/{model}"),
            settings,
        })
    }
}

#[async_trait]
impl RankEngine for HttpReranker {
    fn version(&self) -> &str {
        &self.version
    }

    async fn rank(&self, question: &str, texts: &[String]) -> Result<Vec<f32>, PortError> {
        if texts.is_empty() {
            return Ok(Vec::new());
        }
        let cut = |text: &str| text.chars().take(self.settings.text_chars).collect();
        let sent: Vec<String> = texts.iter().map(|text| cut(text)).collect();
        let most = BESIDES + sent.iter().map(String::len).sum::<usize>() * PER_CHAR;
        let name = match self.settings.form {
            RerankForm::Documents => "documents",
            RerankForm::Texts => "texts",
        };
        let mut body = json!({ "query": cut(question), name: sent });
        if let Some(model) = &self.settings.model {
            body["model"] = json!(model);
        }
        let answer: Answer = self.server.ask(&body, most, "no list of scores").await?;
        let (Answer::Results { results: scored } | Answer::Bare(scored)) = answer;
        chances(&scored, texts.len()).map_err(refused)
    }
}

/// The scores as chances in the order of the texts, or why they cannot be used. Servers answer chances or the
/// numbers before the logistic function: where one is no chance, all are such.
fn chances(scored: &[Scored], texts: usize) -> Result<Vec<f32>, String> {
    let mut chances = vec![None; texts];
    for one in scored {
        if !one.score.is_finite() {
            return Err("the model server answered a score that is not finite".to_owned());
        }
        match chances.get_mut(one.index) {
            Some(chance @ None) => *chance = Some(one.score),
            _ => {
                return Err(format!(
                    "the model server answered score {} twice, or has no text of that number",
                    one.index
                ));
            }
        }
    }
    let all: Option<Vec<f32>> = chances.into_iter().collect();
    let all = all.ok_or_else(|| {
        let got = scored.len();
        format!("the model server answered {got} scores for {texts} texts")
    })?;
    let is_chance = all.iter().all(|score| (0.0..=1.0).contains(score));
    let logistic = |score: f32| 1.0 / (1.0 + (-score).exp());
    Ok(match is_chance {
        true => all,
        false => all.into_iter().map(logistic).collect(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::Value;
    use threadlore_model::Timestamp;
    use threadlore_testkit::{ModelDouble, Reply};

    use super::*;

    struct Still;

    #[async_trait]
    impl Clock for Still {
        fn now(&self) -> Timestamp {
            Timestamp::EARLIEST
        }
        async fn sleep(&self, _by: Duration) {}
    }

    /// What comes of two texts, and what the server was asked.
    fn rank(form: RerankForm, answer: &str) -> (Result<Vec<f32>, String>, Value) {
        let answer = answer.to_owned();
        let double = ModelDouble::start(move |_| Reply::Body(answer.clone().into_bytes()));
        let double = double.expect("a double");
        let settings = RerankSettings {
            form,
            base_url: double.base_url(),
            model: Some("ce".to_owned()),
            api_key: Some("s3cret".to_owned()),
            timeout: Duration::from_secs(60),
            text_chars: 5,
        };
        let engine = HttpReranker::new(settings, Arc::new(Still)).expect("an engine");
        assert_eq!(engine.version(), "rerank/ce");
        let texts = ["no sound at all".to_owned(), "wifi".to_owned()];
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        let ranked = runtime.block_on(engine.rank("no sound?", &texts));
        let asked = double.asked();
        assert!(asked[0].line.contains("/rerank "), "{}", asked[0].line);
        let ranked = ranked.map_err(|error| error.to_string());
        (ranked, asked[0].body.clone())
    }

    #[test]
    fn both_forms_are_spoken_and_texts_are_cut() {
        let results = r#"{"results": [{"index": 1, "relevance_score": 0.25}, {"index": 0, "relevance_score": 0.75}]}"#;
        let (ranked, asked) = rank(RerankForm::Documents, results);
        assert_eq!(ranked, Ok(vec![0.75, 0.25]));
        let wanted = json!({ "model": "ce", "query": "no so", "documents": ["no so", "wifi"] });
        assert_eq!(asked, wanted);
        let bare = r#"[{"index": 0, "score": 0.75}, {"index": 1, "score": 0.25}]"#;
        let (ranked, asked) = rank(RerankForm::Texts, bare);
        assert_eq!(ranked, Ok(vec![0.75, 0.25]));
        assert_eq!(asked["texts"], json!(["no so", "wifi"]));
    }

    #[test]
    fn numbers_that_are_no_chances_become_some() {
        let bare = r#"[{"index": 0, "score": 2.0}, {"index": 1, "score": 0.0}]"#;
        let (ranked, _) = rank(RerankForm::Texts, bare);
        let ranked = ranked.expect("scores");
        assert!((ranked[0] - 0.8808).abs() < 1e-3 && (ranked[1] - 0.5).abs() < 1e-6);
    }

    #[test]
    fn an_answer_that_has_not_one_score_for_each_text_is_refused() {
        for (answer, words) in [
            ("[]", "0 scores for 2 texts"),
            (r#"[{"index": 0, "score": 1}]"#, "1 scores for 2 texts"),
            (
                r#"[{"index": 0, "score": 1}, {"index": 0, "score": 1}]"#,
                "score 0 twice",
            ),
            (
                r#"[{"index": 0, "score": 1}, {"index": 7, "score": 1}]"#,
                "score 7 twice, or",
            ),
            (
                r#"[{"index": 0, "score": 1e99}, {"index": 1, "score": 1}]"#,
                "not finite",
            ),
            (r#"{"data": "no sound"}"#, "no list of scores"),
            ("sound", "no list of scores"),
        ] {
            let (ranked, _) = rank(RerankForm::Texts, answer);
            let told = ranked.expect_err(answer);
            assert!(told.contains(words), "{answer}: {told}");
            assert!(!told.contains("sound at"), "{told}");
        }
    }
}
