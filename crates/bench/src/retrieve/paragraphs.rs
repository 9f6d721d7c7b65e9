//! Reads data in the format of SQuAD.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use anyhow::Context;
use serde_json::Value;

/// Distinct paragraphs, and questions with the position of theirs.
#[derive(Debug, Default)]
pub(super) struct Set {
    pub(super) paragraphs: Vec<String>,
    pub(super) questions: Vec<(String, usize)>,
}

impl Set {
    /// Questions that say of themselves that they have no answer are left out.
    pub(super) fn read(path: &Path) -> anyhow::Result<Self> {
        let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        let value: Value = serde_json::from_slice(&bytes)
            .with_context(|| format!("{} is no JSON", path.display()))?;
        let mut set = Self::default();
        let mut known = HashMap::new();
        for paragraph in list(&value, "data").flat_map(|article| list(article, "paragraphs")) {
            let text = paragraph["context"].as_str().unwrap_or_default();
            let next = set.paragraphs.len();
            let at = *known.entry(text.to_owned()).or_insert(next);
            if at == next {
                set.paragraphs.push(text.to_owned());
            }
            for asked in list(paragraph, "qas") {
                if asked["is_impossible"] != true {
                    let question = asked["question"].as_str().unwrap_or_default();
                    set.questions.push((question.to_owned(), at));
                }
            }
        }
        anyhow::ensure!(
            !set.questions.is_empty(),
            "{} has no question in the format of SQuAD",
            path.display()
        );
        Ok(set)
    }
}

fn list<'v>(value: &'v Value, name: &str) -> impl Iterator<Item = &'v Value> {
    value[name].as_array().into_iter().flatten()
}
