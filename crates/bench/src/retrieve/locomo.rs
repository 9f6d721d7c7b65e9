//! Suite `retrieve-locomo`: the turns of a very long conversation of two people
//! that the answer to a question rests on, searched among all its turns.

use std::collections::{HashMap, HashSet};
use std::fs;

use anyhow::Context;
use serde_json::Value;

use super::WITH_MODEL;
use crate::embedded::Model;
use crate::search::{SEARCHES, Search, with_model};
use crate::{Args, Row};

/// Questions of this category ask for what was never said.
const ADVERSARIAL: u64 = 5;

/// A question with the turns that it rests on.
struct Question {
    text: String,
    adversarial: bool,
    evidence: HashSet<usize>,
}

struct Conversation {
    turns: Vec<String>,
    questions: Vec<Question>,
}

/// A row for each way to search on all categories, then on those that can be answered.
///
/// # Errors
/// When the data or the model cannot be read.
pub(crate) fn run(args: &Args) -> anyhow::Result<Vec<Row>> {
    let model = args.embedder.as_deref().map(Model::open).transpose()?;
    let path = args.data.join("locomo").join("locomo5.json");
    let bytes = fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?;
    let value: Vec<Value> = serde_json::from_slice(&bytes)
        .with_context(|| format!("{} is no JSON list", path.display()))?;
    let conversations: Vec<Conversation> = value.iter().map(conversation).collect();
    let mut searched = Vec::new();
    for (name, make) in SEARCHES {
        let searches = conversations.iter().map(|talk| make(&talk.texts()));
        searched.push((*name, searches.collect::<Vec<_>>()));
    }
    if let Some(model) = &model {
        let with = |talk: &Conversation| with_model(model, &talk.texts(), &talk.asked());
        let searches = conversations.iter().map(with);
        searched.push((WITH_MODEL, searches.collect::<Result<_, _>>()?));
    }
    let mut rows = Vec::new();
    for (suffix, all) in [("", true), ("/1-4", false)] {
        for (name, searches) in &searched {
            let mut score = Score::default();
            for (talk, search) in conversations.iter().zip(searches) {
                for question in talk.questions.iter().filter(|q| all || !q.adversarial) {
                    score.add(question, search);
                }
            }
            rows.push(Row {
                name: format!("{name}{suffix}"),
                metrics: score.figures(),
            });
        }
    }
    Ok(rows)
}

impl Conversation {
    fn texts(&self) -> Vec<&str> {
        self.turns.iter().map(String::as_str).collect()
    }

    fn asked(&self) -> Vec<&str> {
        self.questions.iter().map(|q| q.text.as_str()).collect()
    }
}

/// Turns as "speaker: text"; questions whose evidence is in no turn are left out.
fn conversation(value: &Value) -> Conversation {
    let talk = &value["conversation"];
    let sessions = (1..).map(|n| format!("session_{n}"));
    let known =
        |name: &String| talk.get(format!("{name}_date_time")).is_some() || talk.get(name).is_some();
    let mut ids = HashMap::new();
    let mut turns = Vec::new();
    for name in sessions.take_while(known) {
        for turn in talk[&name].as_array().into_iter().flatten() {
            let said = |field: &str| turn[field].as_str().unwrap_or_default();
            ids.insert(said("dia_id").to_owned(), turns.len());
            turns.push(format!("{}: {}", said("speaker"), said("text")));
        }
    }
    let questions = value["qa"].as_array().into_iter().flatten().map(|asked| {
        let evidence = asked["evidence"].as_array().into_iter().flatten();
        let names = evidence
            .filter_map(Value::as_str)
            .flat_map(|names| names.split(|c: char| !c.is_ascii_alphanumeric() && c != ':'));
        Question {
            text: asked["question"].as_str().unwrap_or_default().to_owned(),
            adversarial: asked["category"] == ADVERSARIAL,
            evidence: names.filter_map(|name| ids.get(name).copied()).collect(),
        }
    });
    let questions = questions.filter(|q| !q.evidence.is_empty()).collect();
    Conversation { turns, questions }
}

/// Sums over questions.
#[derive(Default)]
struct Score {
    questions: usize,
    recall: [f64; 3],
    reciprocal: f64,
    gain: f64,
}

const DEPTHS: [usize; 3] = [5, 10, 20];

impl Score {
    fn add(&mut self, question: &Question, search: &Search) {
        let found = search(&question.text);
        let right: Vec<usize> = (0..found.len())
            .filter(|at| question.evidence.contains(&found[*at].0))
            .collect();
        let wanted = question.evidence.len();
        self.questions += 1;
        for (sum, depth) in self.recall.iter_mut().zip(DEPTHS) {
            let within = right.iter().filter(|at| **at < depth).count();
            *sum += within as f64 / wanted as f64;
        }
        let gain = |at: usize| 1.0 / (at as f64 + 2.0).log2();
        self.reciprocal += right.first().map_or(0.0, |at| 1.0 / (*at as f64 + 1.0));
        let best: f64 = (0..wanted.min(10)).map(gain).sum();
        let given = right.iter().copied().take_while(|at| *at < 10);
        self.gain += given.map(gain).sum::<f64>() / best;
    }

    fn figures(&self) -> Vec<(&'static str, f64)> {
        let all = self.questions.max(1) as f64;
        vec![
            ("r5", 100.0 * self.recall[0] / all),
            ("r10", 100.0 * self.recall[1] / all),
            ("r20", 100.0 * self.recall[2] / all),
            ("mrr", 100.0 * self.reciprocal / all),
            ("ndcg10", 100.0 * self.gain / all),
            ("questions", self.questions as f64),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_question_is_scored_by_where_its_evidence_stands() {
        let question = Question {
            text: String::new(),
            adversarial: false,
            evidence: HashSet::from([1, 7]),
        };
        let search: Search = Box::new(|_| (0..8).map(|id| (id, 1.0)).collect());
        let mut score = Score::default();
        score.add(&question, &search);
        assert_eq!(score.recall, [0.5, 1.0, 1.0]);
        assert!((score.reciprocal - 0.5).abs() < 1e-9);
        let gain = (1.0 / 3_f64.log2() + 1.0 / 9_f64.log2()) / (1.0 + 1.0 / 3_f64.log2());
        assert!((score.gain - gain).abs() < 1e-9);
    }
}
