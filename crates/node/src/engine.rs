//! Makes the engines that the settings choose, and the lists of synonyms.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use async_trait::async_trait;
use threadlore_embed_local::{LocalEmbedder, LocalSettings};
use threadlore_language::retrieve::{BadLine, Synonyms};
use threadlore_model::{Extraction, Window};
use threadlore_models::{
    Builtin, ChatEngine, ChatReader, ChatSettings, EmbedSettings, HttpEmbedder, HttpReranker,
    HttpTools, RerankForm, RerankSettings,
};
use threadlore_ports::{Clock, EmbedEngine, ExtractEngine, PortError, Tokens};
use threadlore_retrieval::{Reader, Reranker};
use threadlore_settings::{AnswerReader, EmbedderEngine, Engine, RerankerEngine, Secret, Settings};
use threadlore_telemetry::Metrics;
use threadlore_telemetry::catalogue::{MODEL_TOKENS, TOOL_CALLS};
use tokio::runtime::{Handle, RuntimeFlavor};
use tokio::task::block_in_place;

use crate::error::BadInput;
use crate::models::models_dir;
use crate::wordings::OwnWords;

/// The engine that the settings choose. A model is not asked for anything yet.
pub(crate) fn chosen(
    settings: &Settings,
    clock: Arc<dyn Clock>,
    metrics: &Metrics,
) -> anyhow::Result<Arc<dyn ExtractEngine>> {
    match settings.extractor.engine {
        Engine::Builtin => Ok(Arc::new(OffThread::default())),
        Engine::OpenAi => {
            let window_chars = settings.openai.window_chars;
            let engine = ChatEngine::new(
                chat_model(settings, "extract", metrics)?,
                window_chars,
                clock,
            );
            let engine = engine.context(BadInput(
                "the model that `extractor.engine` chooses cannot be used: look at the table \
                 [openai] of the settings"
                    .to_owned(),
            ))?;
            Ok(Arc::new(engine))
        }
    }
}

/// The chat model of the settings, for a step whose calls are metered.
fn chat_model(
    settings: &Settings,
    step: &'static str,
    metrics: &Metrics,
) -> anyhow::Result<ChatSettings> {
    let openai = &settings.openai;
    let metrics = metrics.clone();
    let meter = move |tokens: Tokens| {
        for (kind, count) in [("prompt", tokens.prompt), ("answer", tokens.answer)] {
            metrics.record(&MODEL_TOKENS, &[step, kind], count as f64);
        }
    };
    Ok(ChatSettings {
        base_url: openai.base_url.clone().unwrap_or_default(),
        model: openai.model.clone().unwrap_or_default(),
        api_key: api_key(&openai.api_key, &openai.api_key_file, "openai")?,
        timeout: Duration::from_secs(openai.timeout_seconds),
        temperature_zero: openai.temperature_zero,
        meter: Some(Arc::new(meter)),
    })
}

/// What reads the cases that were found, if the settings choose something. No request is sent yet.
pub(crate) fn reader(
    settings: &Settings,
    mut own: OwnWords,
    clock: Arc<dyn Clock>,
    metrics: &Metrics,
) -> anyhow::Result<Option<Reader>> {
    let limit = Duration::from_secs(settings.answer.read_seconds);
    match settings.answer.reader {
        AnswerReader::None => Ok(None),
        AnswerReader::OpenAi => {
            let model = chat_model(settings, "read", metrics)?;
            let engine = ChatReader::new(model, Arc::clone(&clock));
            let engine = engine.context(BadInput(
                "the model that `answer.reader` chooses cannot be used: look at the table \
                 [openai] of the settings"
                    .to_owned(),
            ))?;
            Ok(Some(Reader {
                engine: Arc::new(engine),
                limit,
                tokens_per_day: settings.answer.tokens_per_day,
                instructions: std::mem::take(&mut own.instructions),
                tools: Some(Arc::new(tools(own, clock, metrics))),
                rewrites: settings.answer.rewrite,
            }))
        }
    }
}

/// The tools that an operator declares, whose calls are counted.
fn tools(own: OwnWords, clock: Arc<dyn Clock>, metrics: &Metrics) -> HttpTools {
    let metrics = metrics.clone();
    let meter = move |answered: bool| {
        let result = if answered { "ok" } else { "failed" };
        metrics.record(&TOOL_CALLS, &[result], 1.0);
    };
    let of = own.tools_of.into_iter();
    let of = of.map(|(space, tools)| (space, tools.into_values().collect()));
    let all = own.tools.into_values().collect();
    HttpTools::new(all, of.collect(), clock, Arc::new(meter))
}

/// What reads a question and a case together, if the settings choose something. No request is sent yet.
pub(crate) fn reranker(
    settings: &Settings,
    clock: Arc<dyn Clock>,
) -> anyhow::Result<Option<Reranker>> {
    let chosen = &settings.reranker;
    let form = match chosen.engine {
        RerankerEngine::None => return Ok(None),
        RerankerEngine::Documents => RerankForm::Documents,
        RerankerEngine::Texts => RerankForm::Texts,
    };
    let model = RerankSettings {
        form,
        base_url: chosen.base_url.clone().unwrap_or_default(),
        model: chosen.model.clone(),
        api_key: api_key(&chosen.api_key, &chosen.api_key_file, "reranker")?,
        timeout: Duration::from_secs(chosen.timeout_seconds),
        text_chars: chosen.text_chars,
    };
    let engine = HttpReranker::new(model, clock).context(BadInput(
        "the model that `reranker.engine` chooses cannot be used: look at the table [reranker] of \
         the settings"
            .to_owned(),
    ))?;
    Ok(Some(Reranker {
        engine: Arc::new(engine),
        limit: Duration::from_secs(chosen.timeout_seconds),
    }))
}

/// The engine that makes vectors, if the settings choose one. No request is sent yet; a model in
/// this process is loaded.
pub(crate) fn embedder(
    settings: &Settings,
    clock: Arc<dyn Clock>,
) -> anyhow::Result<Option<Arc<dyn EmbedEngine>>> {
    match settings.embedder.engine {
        EmbedderEngine::None => Ok(None),
        EmbedderEngine::OpenAi => Ok(Some(Arc::new(http_embedder(settings, clock)?))),
        EmbedderEngine::Local => Ok(Some(Arc::new(local_embedder(settings)?))),
    }
}

fn local_embedder(settings: &Settings) -> anyhow::Result<LocalEmbedder> {
    let chosen = &settings.embedder;
    let name = chosen.model.clone().unwrap_or_default();
    let model = LocalSettings {
        model_dir: models_dir(&settings.data_dir).join(name),
        passage_prefix: chosen.passage_prefix.clone(),
        query_prefix: chosen.query_prefix.clone(),
        text_chars: chosen.text_chars,
    };
    let engine = LocalEmbedder::open(model).context(BadInput(
        "the model that `embedder.model` names cannot be used".to_owned(),
    ))?;
    let (has, says) = (engine.dimensions(), chosen.dimensions);
    if says.is_some_and(|says| says != has) {
        return Err(BadInput(format!(
            "the model that `embedder.model` names has {has} dimensions, and \
             `embedder.dimensions` is another number: leave that out"
        ))
        .into());
    }
    Ok(engine)
}

fn http_embedder(settings: &Settings, clock: Arc<dyn Clock>) -> anyhow::Result<HttpEmbedder> {
    let chosen = &settings.embedder;
    let model = EmbedSettings {
        base_url: chosen.base_url.clone().unwrap_or_default(),
        model: chosen.model.clone().unwrap_or_default(),
        dimensions: chosen.dimensions.unwrap_or_default(),
        api_key: api_key(&chosen.api_key, &chosen.api_key_file, "embedder")?,
        timeout: Duration::from_secs(chosen.timeout_seconds),
        passage_prefix: chosen.passage_prefix.clone().unwrap_or_default(),
        query_prefix: chosen.query_prefix.clone().unwrap_or_default(),
        text_chars: chosen.text_chars,
    };
    HttpEmbedder::new(model, clock).context(BadInput(
        "the model that `embedder.engine` chooses cannot be used: look at the table [embedder] of \
         the settings"
            .to_owned(),
    ))
}

/// The synonyms: built-in lists, and those of the settings.
pub(crate) fn synonyms(settings: &Settings) -> anyhow::Result<Synonyms> {
    let mut synonyms = Synonyms::builtin();
    let Some(path) = &settings.search.synonyms_file else {
        return Ok(synonyms);
    };
    let shown = path.display();
    let of = "(settings key search.synonyms_file)";
    let text = std::fs::read_to_string(path)
        .with_context(|| BadInput(format!("synonyms cannot be read from {shown} {of}")))?;
    synonyms.extend(&text).map_err(|BadLine { line, reason }| {
        BadInput(format!("line {line} of {shown}: {reason} {of}"))
    })?;
    Ok(synonyms)
}

pub(crate) fn api_key(
    key: &Option<Secret>,
    file: &Option<PathBuf>,
    section: &str,
) -> anyhow::Result<Option<String>> {
    secret(key, file, &format!("{section}.api_key_file"))
}

/// A secret that is written in the settings, or in a file that the setting `file_key` names.
pub(crate) fn secret(
    written: &Option<Secret>,
    file: &Option<PathBuf>,
    file_key: &str,
) -> anyhow::Result<Option<String>> {
    match file {
        Some(path) => Ok(Some(read_key(path, file_key)?)),
        None => Ok(written.as_ref().map(|secret| secret.reveal().to_owned())),
    }
}

/// The key that a file holds, and nothing else; `setting` names the file.
pub(crate) fn read_key(path: &Path, setting: &str) -> anyhow::Result<String> {
    let shown = path.display();
    let text = std::fs::read_to_string(path).with_context(|| {
        BadInput(format!(
            "the key cannot be read from {shown} (settings key {setting})"
        ))
    })?;
    let key = text.trim();
    if key.is_empty() || key.contains(char::is_whitespace) {
        return Err(BadInput(format!(
            "{shown} must hold the key or password and nothing else (settings key {setting})"
        ))
        .into());
    }
    Ok(key.to_owned())
}

/// The built-in engine beside the runtime: it computes for milliseconds, and other tasks go on in
/// another thread meanwhile. Its role waits for each window: to hand it to another thread needs a
/// copy of the window and two wake-ups.
#[derive(Default)]
struct OffThread(Builtin);

#[async_trait]
impl ExtractEngine for OffThread {
    fn version(&self) -> &str {
        self.0.version()
    }

    fn is_quick(&self) -> bool {
        self.0.is_quick()
    }

    async fn extract(&self, window: &Window) -> Result<Extraction, PortError> {
        let cases = || catch_unwind(AssertUnwindSafe(|| self.0.cases(window)));
        let cases = match Handle::current().runtime_flavor() {
            RuntimeFlavor::MultiThread => block_in_place(cases),
            _ => cases(),
        };
        cases.map_err(|_| PortError::Busy {
            doing: "finding cases in a window",
            reason: "the built-in engine panicked",
            source: None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::SystemClock;
    use threadlore_roles::ExtractorParams;

    fn version(change: impl FnOnce(&mut Settings)) -> Result<String, String> {
        let mut settings = Settings::default();
        settings.openai.base_url = Some("http://127.0.0.1:1/v1".to_owned());
        settings.openai.model = Some("m".to_owned());
        change(&mut settings);
        let metrics = Metrics::new().expect("metrics");
        let engine = chosen(&settings, Arc::new(SystemClock), &metrics);
        let engine = engine.map_err(|e| format!("{e:#}"))?;
        Ok(engine.version().to_owned())
    }

    #[test]
    fn the_settings_choose() {
        let builtin = version(|_| {});
        assert_eq!(builtin.as_deref(), Ok(Builtin::default().version()));
        let model = version(|settings| settings.extractor.engine = Engine::OpenAi);
        assert_eq!(model.as_deref(), Ok("openai/m/p2"));
    }

    #[test]
    fn synonyms_of_the_operator_come_on_top_and_a_bad_line_is_named() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("names.txt");
        let mut settings = Settings::default();
        settings.search.synonyms_file = Some(path.clone());
        let others = |text: &str| {
            std::fs::write(&path, text).expect("writes");
            let synonyms = synonyms(&settings).map_err(|e| e.to_string())?;
            Ok::<_, String>(synonyms.others("the db of edge 7").join(", "))
        };
        assert_eq!(
            others("edge-7 | the router\n").as_deref(),
            Ok("database, the router")
        );
        let refused = others("# ours\nedge-7\n").expect_err("one name");
        assert!(refused.starts_with("line 2 of ") && refused.contains("search.synonyms_file"));
        settings.search.synonyms_file = Some(dir.path().join("none.txt"));
        let refused = synonyms(&settings).expect_err("no file").to_string();
        assert!(refused.contains("none.txt") && refused.contains("search.synonyms_file"));
    }

    #[test]
    fn the_default_of_a_rule_is_that_of_the_settings() {
        let (rule, setting) = (ExtractorParams::default(), Settings::default().extractor);
        assert_eq!(rule.merge_at, i64::from(setting.merge_at));
    }

    #[test]
    fn vectors_are_made_only_where_a_model_is_chosen() {
        let mut settings = Settings::default();
        let made = |settings: &Settings| {
            let engine = embedder(settings, Arc::new(SystemClock));
            engine.map_err(|e| format!("{e:#}"))
        };
        assert!(made(&settings).expect("valid").is_none());
        settings.embedder.engine = EmbedderEngine::OpenAi;
        let said = made(&settings).err().expect("no URL");
        assert!(said.contains("[embedder]"), "{said}");
        settings.embedder.base_url = Some("http://127.0.0.1:1/v1".to_owned());
        settings.embedder.model = Some("e5".to_owned());
        settings.embedder.dimensions = Some(384);
        let engine = made(&settings).expect("valid").expect("chosen");
        assert!(engine.model().starts_with("openai/e5/384/"));
        settings.embedder.api_key_file = Some("/nowhere/key".into());
        let said = made(&settings).err().expect("no key");
        assert!(said.contains("embedder.api_key_file"), "{said}");
        settings.embedder.engine = EmbedderEngine::Local;
        settings.data_dir = "/nowhere".into();
        let said = made(&settings).err().expect("no model");
        assert!(
            said.contains("embedder.model") && said.contains("/nowhere/models/e5 has no model"),
            "{said}"
        );
    }

    #[test]
    fn the_default_is_what_the_weights_were_judged_with() {
        let set = Settings::default().answer.wrong_at_most;
        assert_eq!(set, threadlore_retrieval::closeness::WRONG_AT_MOST);
    }

    #[test]
    fn a_key_file_holds_a_key() {
        let dir = tempfile::tempdir().expect("a directory");
        let path = dir.path().join("key");
        let with_file = |settings: &mut Settings| {
            settings.extractor.engine = Engine::OpenAi;
            settings.openai.api_key_file = Some(path.clone());
        };
        let said = version(with_file).expect_err("missing");
        assert!(said.contains("openai.api_key_file"), "{said}");
        for bad in ["", " \n", "two words"] {
            std::fs::write(&path, bad).expect("written");
            let said = version(with_file).expect_err("no key");
            assert!(said.contains("nothing else"), "{said}");
        }
        std::fs::write(&path, "s3cret\n").expect("written");
        version(with_file).expect("a key");
    }
}
