//! Suite `outcomes`: does what answers were worth bring the right case before the likest one? Each
//! question of `labels/outcomes.jsonl` has two cases in a memory of its language: one whose problem is
//! worded almost like it and whose answers failed, and one about the same in other words, whose answers
//! worked.

use anyhow::Context;
use serde::Deserialize;
use threadlore_language::retrieve::Synonyms;
use threadlore_model::EventId;
use threadlore_ports::CaseScore;

use crate::embedded::Model;
use crate::silence::{Match, Memory, Utterance, closest};
use crate::vectors::Vectors;
use crate::{Args, Row};

const ITEMS: &str = include_str!("../labels/outcomes.jsonl");
/// Answers from each case whose worth is known.
const ANSWERS: u32 = 3;
/// Draws of false outcomes, whose mean is told.
const DRAWS: u32 = 20;

#[derive(Deserialize)]
struct Item {
    language: String,
    question: String,
    likest: Problem,
    right: Problem,
}

#[derive(Deserialize)]
struct Problem {
    problem: String,
}

/// A row for each language, and one for all.
///
/// # Errors
/// When the model cannot be read.
pub(crate) fn run(args: &Args) -> anyhow::Result<Vec<Row>> {
    let items = ITEMS.lines().map(serde_json::from_str);
    let items: Vec<Item> = items
        .collect::<Result<_, _>>()
        .context("labels/outcomes.jsonl")?;
    let model = args.embedder.as_deref().map(Model::open).transpose()?;
    let mut languages: Vec<&str> = items.iter().map(|item| item.language.as_str()).collect();
    languages.dedup();
    let mut rows = Vec::new();
    let mut all = Vec::new();
    for language in languages {
        let of: Vec<&Item> = items
            .iter()
            .filter(|item| item.language == language)
            .collect();
        let judged = judged(&of, model.as_ref())?;
        rows.push(row(language, &judged));
        all.extend(judged);
    }
    rows.push(row("all", &all));
    Ok(rows)
}

/// What comes first for a question: shares of it where outcomes are drawn.
struct Ranks {
    is_found: bool,
    without: bool,
    with: bool,
    with_false: f64,
    /// Whether the right one is what is named beside the likest, which failed.
    named: bool,
}

/// The questions of a language, each asked of all cases of it.
fn judged(items: &[&Item], model: Option<&Model>) -> anyhow::Result<Vec<Ranks>> {
    // The cases of a question are at 2n, the likest, and 2n + 1, the right one.
    let known = items.iter().flat_map(|item| [&item.likest, &item.right]);
    let known = known.enumerate().map(|(n, stated)| Utterance {
        text: stated.problem.clone(),
        intent: n.to_string(),
    });
    let known: Vec<Utterance> = known.collect();
    let vectors = model
        .map(|model| vectors(model, items, &known))
        .transpose()?;
    let synonyms = Synonyms::builtin();
    let mut memory = Memory::of(&known, (vectors.as_ref(), model), &synonyms)?;
    let mut all = Vec::new();
    for (n, item) in items.iter().enumerate() {
        let asked = Utterance {
            text: item.question.clone(),
            intent: (2 * n + 1).to_string(),
        };
        memory.scores.clear();
        let without = memory.compared(&asked)?;
        memory.scores = scores(items.len(), None);
        let compared = memory.compared(&asked)?;
        let with = closest(&compared).right;
        // The cases whose answers worked are the right ones of all questions.
        let others: Vec<Match> = compared.into_iter().filter(|one| one.worked).collect();
        let mut with_false = 0.0;
        for draw in 0..DRAWS {
            memory.scores = scores(items.len(), Some(draw));
            let right = closest(&memory.compared(&asked)?).right;
            with_false += f64::from(u8::from(right)) / f64::from(DRAWS);
        }
        all.push(Ranks {
            is_found: without.iter().any(|one| one.right),
            without: closest(&without).right,
            with,
            with_false,
            named: closest(&others).right,
        });
    }
    Ok(all)
}

/// The scores of all cases; in a draw, three of ten outcomes are the other way round.
fn scores(items: usize, draw: Option<u32>) -> Vec<CaseScore> {
    let score = |case: usize| {
        let is_right = case % 2 == 1;
        let is_false = |n: &u32| {
            draw.is_some_and(|draw| {
                let name = format!("{draw}/{case}/{n}");
                EventId::of_content("false outcome", &[&name])
                    .as_uuid()
                    .as_u128()
                    % 10
                    < 3
            })
        };
        let turned = (0..ANSWERS).filter(is_false).count() as u32;
        let (worked, failed) = match is_right {
            true => (ANSWERS - turned, turned),
            false => (turned, ANSWERS - turned),
        };
        CaseScore { worked, failed }
    };
    (0..2 * items).map(score).collect()
}

fn vectors(model: &Model, items: &[&Item], known: &[Utterance]) -> anyhow::Result<Vectors> {
    let texts: Vec<&str> = known.iter().map(|one| one.text.as_str()).collect();
    let asked: Vec<&str> = items.iter().map(|item| item.question.as_str()).collect();
    let passages = texts.iter().map(|text| format!("passage: {text}"));
    let passages = passages.zip(model.passages(&texts)?);
    let questions = model.questions(&asked)?.into_iter();
    let questions = questions.map(|(text, vector)| (format!("query: {text}"), vector));
    Ok(passages.chain(questions).collect())
}

fn row(name: &str, judged: &[Ranks]) -> Row {
    let share = |of: f64| 100.0 * of / judged.len().max(1) as f64;
    let count = |is: &dyn Fn(&Ranks) -> bool| judged.iter().filter(|one| is(one)).count() as f64;
    let with_false: f64 = judged.iter().map(|one| one.with_false).sum();
    Row {
        name: name.to_owned(),
        metrics: vec![
            ("asked", judged.len() as f64),
            ("found", share(count(&|one| one.is_found))),
            ("without", share(count(&|one| one.without))),
            ("with", share(count(&|one| one.with))),
            ("with_30_false", share(with_false)),
            ("named", share(count(&|one| one.named))),
        ],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_language_has_as_many_questions_and_outcomes_take_nothing_away() {
        let items: Vec<Item> = ITEMS
            .lines()
            .map(|line| serde_json::from_str(line).expect("an item"))
            .collect();
        assert_eq!(items.len(), 200);
        let english: Vec<&Item> = items.iter().filter(|item| item.language == "en").collect();
        let judged = judged(&english, None).expect("no model");
        let count = |is: &dyn Fn(&Ranks) -> bool| judged.iter().filter(|one| is(one)).count();
        assert_eq!(judged.len(), 40);
        let (without, with) = (count(&|one| one.without), count(&|one| one.with));
        assert!(with >= without, "{without} {with}");
        assert!(count(&|one| one.named) > 0);
    }
}
