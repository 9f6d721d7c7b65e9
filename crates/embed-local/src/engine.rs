//! The port's engine: one thread of its own that computes, and calls that wait for it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use rayon::{ThreadPool, ThreadPoolBuilder};
use threadlore_model::vector_source;
use threadlore_ports::{EmbedEngine, EmbedFor, PortError};
use tokio::sync::oneshot;

use crate::Error;
use crate::manifest::{Manifest, hex};
use crate::model::Model;

/// The most tokens that are computed at once, but for one text that has more. A question waits
/// for so many at most, and what is between the layers stays in the processor's cache.
const AT_ONCE: usize = 512;
/// The version of how vectors are computed: another one makes other vectors.
const ARITHMETIC: &str = "int8/2";
const DOING: &str = "computing vectors";

/// Which model, and what it gets to read.
#[derive(Debug, Clone)]
pub struct LocalSettings {
    /// The directory of the model, with its `model.json`.
    pub model_dir: PathBuf,
    /// Text to put before the text of a case, in place of the model's own.
    pub passage_prefix: Option<String>,
    /// Text to put before a question, in place of the model's own.
    pub query_prefix: Option<String>,
    /// Characters of a text that are read; tokens beyond the model's own limit are cut as well.
    pub text_chars: usize,
}

/// Vectors by a model in this process. It computes in one thread of its own, in the order of calls,
/// at most 512 tokens (or one text) at a time; no more memory is needed for more texts than that.
pub struct LocalEmbedder {
    thread: ThreadPool,
    model: Arc<Mutex<Model>>,
    version: String,
    dimensions: u32,
    passage_prefix: String,
    query_prefix: String,
    text_chars: usize,
}

impl LocalEmbedder {
    /// Loads a model; takes about a second, and memory as its size.
    ///
    /// # Errors
    /// When a file is missing, cut off or another one, when it is of a kind that is not known here,
    /// or when memory would not suffice.
    pub fn open(settings: LocalSettings) -> Result<Self, Error> {
        let manifest = Manifest::read(&settings.model_dir)?;
        let model = Model::load(&settings.model_dir, &manifest)?;
        let thread = ThreadPoolBuilder::new()
            .num_threads(1)
            .thread_name(|_| "embed-local".to_owned())
            .build()
            .map_err(Error::Thread)?;
        let prefix = |own: Option<String>, of_model: &String| own.unwrap_or(of_model.clone());
        let passage_prefix = prefix(settings.passage_prefix, &manifest.passage_prefix);
        let query_prefix = prefix(settings.query_prefix, &manifest.query_prefix);
        Ok(Self {
            thread,
            model: Arc::new(Mutex::new(model)),
            version: version(&manifest, &passage_prefix, settings.text_chars),
            dimensions: manifest.dimensions,
            passage_prefix,
            query_prefix,
            text_chars: settings.text_chars,
        })
    }

    fn read(&self, text: &str, what_for: EmbedFor) -> String {
        let prefix = match what_for {
            EmbedFor::Passage => &self.passage_prefix,
            EmbedFor::Query => &self.query_prefix,
        };
        let text = text.chars().take(self.text_chars);
        prefix.chars().chain(text).collect()
    }

    /// Has the thread do something with the model, and waits without keeping a worker.
    async fn on_thread<T: Send + 'static>(
        &self,
        work: impl FnOnce(&mut Model) -> T + Send + 'static,
    ) -> Result<T, PortError> {
        let (done, result) = oneshot::channel();
        let model = Arc::clone(&self.model);
        self.thread.spawn_fifo(move || {
            // Whoever asked may be gone.
            if done.is_closed() {
                return;
            }
            let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
                // What a call leaves between the layers the next one writes over.
                work(&mut model.lock().unwrap_or_else(PoisonError::into_inner))
            }));
            let _gone = done.send(caught);
        });
        match result.await {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(_)) => Err(PortError::Refused {
                doing: DOING,
                reason: "the model in this process panicked".to_owned(),
            }),
            Err(_) => Err(PortError::broken(DOING, "the thread of the model is gone")),
        }
    }
}

/// The model, with all that influences the vectors of cases.
fn version(manifest: &Manifest, passage_prefix: &str, text_chars: usize) -> String {
    let Manifest {
        name,
        dimensions,
        pooling,
        files,
        ..
    } = manifest;
    let mut shape = format!("{ARITHMETIC}\0{pooling:?}\0{passage_prefix}\0{text_chars}");
    for file in files {
        shape.push('\0');
        shape.push_str(&file.sha256);
    }
    let hash = hex(&vector_source(&shape)[..4]);
    format!("local/{name}/{dimensions}/{hash}")
}

#[async_trait]
impl EmbedEngine for LocalEmbedder {
    fn model(&self) -> &str {
        &self.version
    }

    fn dimensions(&self) -> u32 {
        self.dimensions
    }

    async fn embed(
        &self,
        texts: &[String],
        what_for: EmbedFor,
    ) -> Result<Vec<Vec<f32>>, PortError> {
        let texts: Vec<String> = texts.iter().map(|text| self.read(text, what_for)).collect();
        let mut vectors = Vec::with_capacity(texts.len());
        let cut = move |model: &mut Model| -> Result<Vec<Vec<u32>>, String> {
            texts.iter().map(|text| model.tokens(text)).collect()
        };
        let cut = self.on_thread(cut).await?;
        let texts = cut.map_err(|what| PortError::Refused {
            doing: DOING,
            reason: format!("the model's tokenizer does not take the text: {what}"),
        })?;
        let mut texts = texts.into_iter().peekable();
        while let Some(first) = texts.next() {
            let (mut tokens, mut batch) = (first.len(), vec![first]);
            while let Some(next) = texts.next_if(|next| tokens + next.len() <= AT_ONCE) {
                tokens += next.len();
                batch.push(next);
            }
            vectors.extend(self.on_thread(move |model| model.vectors(&batch)).await?);
        }
        match vectors
            .iter()
            .flatten()
            .all(|number: &f32| number.is_finite())
        {
            true => Ok(vectors),
            false => Err(PortError::Refused {
                doing: DOING,
                reason: "the model computed a vector that is not finite".to_owned(),
            }),
        }
    }
}
