//! A model in this process, for suites that search in memory.

use std::collections::HashMap;
use std::path::Path;

use anyhow::Context;
use threadlore_embed_local::{LocalEmbedder, LocalSettings};
use threadlore_model::{Found, Leg};
use threadlore_ports::{EmbedEngine as _, EmbedFor};
use threadlore_retrieval::backdrop::{Background, OTHER_SUBJECTS};

use crate::fresh;
use crate::vectors::Vectors;

/// Characters of a text that are read: the default of `embedder.text_chars`.
const TEXT_CHARS: usize = 1_600;
/// Texts of a call.
const AT_ONCE: usize = 256;

/// A model, with its vectors of texts on many subjects.
pub(crate) struct Model {
    pub(crate) embedder: LocalEmbedder,
    pub(crate) background: Background,
}

impl Model {
    /// Loads a model from its directory.
    ///
    /// # Errors
    /// When a file is missing or of another kind.
    pub(crate) fn open(dir: &Path) -> anyhow::Result<Self> {
        let embedder = LocalEmbedder::open(LocalSettings {
            model_dir: dir.to_owned(),
            passage_prefix: None,
            query_prefix: None,
            text_chars: TEXT_CHARS,
        })
        .with_context(|| format!("loading {}", dir.display()))?;
        let others = embedded(&embedder, &OTHER_SUBJECTS, EmbedFor::Passage)?;
        Ok(Self {
            background: Background::new(others),
            embedder,
        })
    }

    /// The vectors of texts, as those of cases.
    ///
    /// # Errors
    /// What the model says.
    pub(crate) fn passages(&self, texts: &[&str]) -> anyhow::Result<Vec<Vec<f32>>> {
        embedded(&self.embedder, texts, EmbedFor::Passage)
    }

    /// The vectors of questions by their texts.
    ///
    /// # Errors
    /// What the model says.
    pub(crate) fn questions(&self, texts: &[&str]) -> anyhow::Result<HashMap<String, Vec<f32>>> {
        let vectors = embedded(&self.embedder, texts, EmbedFor::Query)?;
        let texts = texts.iter().map(|text| (*text).to_owned());
        Ok(texts.zip(vectors).collect())
    }

    /// The vectors of what is known, as `passage: TEXT`, and of what is asked, as `query: TEXT`.
    ///
    /// # Errors
    /// What the model says.
    pub(crate) fn vectors(&self, known: &[&str], asked: &[&str]) -> anyhow::Result<Vectors> {
        let named = known.iter().map(|text| format!("passage: {text}"));
        let passages = named.zip(self.passages(known)?);
        let questions = self.questions(asked)?.into_iter();
        let questions = questions.map(|(text, vector)| (format!("query: {text}"), vector));
        Ok(passages.chain(questions).collect())
    }
}

fn embedded(
    embedder: &LocalEmbedder,
    texts: &[&str],
    what_for: EmbedFor,
) -> anyhow::Result<Vec<Vec<f32>>> {
    let runtime = fresh::runtime()?;
    let mut vectors = Vec::with_capacity(texts.len());
    for texts in texts.chunks(AT_ONCE) {
        let texts: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
        vectors.extend(runtime.block_on(embedder.embed(&texts, what_for))?);
    }
    Ok(vectors)
}

/// The leg of a model, by looking at every vector; all have the length 1.
pub(crate) fn nearest<V: AsRef<[f32]>>(known: &[V], asked: &[f32], most: usize) -> Found<usize> {
    let cosine = |row: &V| {
        let pairs = row.as_ref().iter().zip(asked);
        pairs.map(|(a, b)| a * b).sum()
    };
    let mut candidates: Vec<(usize, f32)> = known.iter().map(cosine).enumerate().collect();
    candidates.sort_by(|a, b| b.1.total_cmp(&a.1));
    candidates.truncate(most);
    Found {
        leg: Leg::Dense,
        candidates,
    }
}
