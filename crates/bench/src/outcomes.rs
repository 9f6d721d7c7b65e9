//! Suite `outcomes`: does what answers were worth bring the right case before the likest one? Each
//! question of `labels/outcomes.jsonl` has two cases in a memory of its language: one whose problem is
//! worded almost like it and whose answers failed, and one about the same in other words, whose answers
//! worked. Whoever asked first found that out, in one wording; what is measured is asked in another.

use anyhow::Context;
use serde::Deserialize;
use threadlore_language::retrieve::Synonyms;
use threadlore_model::{ChannelId, EventId, MemoryId};
use threadlore_ports::{CaseScore, EmbedEngine as _, Precedent};
use threadlore_retrieval::closeness::{WRONG_AT_MOST, least_chance};

use crate::embedded::Model;
use crate::silence::{Match, Memory, Utterance, case_of, closest, texts};
use crate::{Args, Row};

const ITEMS: &str = include_str!("../labels/outcomes.jsonl");
/// Answers from each case whose worth is known, all to the first wording of the question.
const ANSWERS: u32 = 3;
/// The same where many asked.
const MANY: u32 = 10;
/// Draws of false outcomes, whose mean is told.
const DRAWS: u32 = 10;

#[derive(Deserialize)]
struct Item {
    language: String,
    question: String,
    again: String,
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
    // What is chosen is chosen by the first of each two questions.
    let half = |rest: usize| {
        let of = all.iter().enumerate().filter(|(n, _)| n % 2 == rest);
        of.map(|(_, one)| *one).collect::<Vec<Ranks>>()
    };
    rows.push(row("tune", &half(0)));
    rows.push(row("final", &half(1)));
    rows.push(row("all", &all));
    Ok(rows)
}

/// What comes first for a question: shares of it where outcomes are drawn.
#[derive(Clone, Copy)]
struct Ranks {
    is_found: bool,
    without: bool,
    with: bool,
    /// With what answers from each case were worth, whoever asked what.
    with_scores: bool,
    /// With what they were worth for the question alone.
    with_earlier: bool,
    with_false: f64,
    /// The same where many asked.
    with_many_false: f64,
    /// Whether a case of another question is the answer, once it worked for that one.
    misled: bool,
    /// The same before it worked for that one.
    misled_before: bool,
    /// Whether it is close enough to be the answer.
    answered: bool,
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
    let asked: Vec<&str> = items.iter().map(|item| item.again.as_str()).collect();
    let vectors = model.map(|model| model.vectors(&texts(&known), &asked));
    let vectors = vectors.transpose()?;
    let synonyms = Synonyms::builtin();
    let mut memory = Memory::of(&known, (vectors.as_ref(), model), &synonyms)?;
    let least = least_chance(WRONG_AT_MOST, model.map(|model| model.embedder.model()));
    let mut all = Vec::new();
    for (n, item) in items.iter().enumerate() {
        let asked = Utterance {
            text: item.again.clone(),
            intent: (2 * n + 1).to_string(),
        };
        memory.scores.clear();
        memory.precedents.clear();
        let without = memory.compared(&asked)?;
        (memory.scores, memory.precedents) = outcomes(items, ANSWERS, None)?;
        let with = closest(&memory.compared(&asked)?);
        let scores = std::mem::take(&mut memory.scores);
        let with_earlier = closest(&memory.compared(&asked)?).right;
        memory.scores = scores;
        memory.precedents.clear();
        let with_scores = closest(&memory.compared(&asked)?).right;
        let mut with_drawn = |answers: u32| -> anyhow::Result<f64> {
            let mut right = 0;
            for draw in 0..DRAWS {
                (memory.scores, memory.precedents) = outcomes(items, answers, Some(draw))?;
                right += u32::from(closest(&memory.compared(&asked)?).right);
            }
            Ok(f64::from(right) / f64::from(DRAWS))
        };
        let (with_false, with_many_false) = (with_drawn(ANSWERS)?, with_drawn(MANY)?);
        // Nobody asked this one before.
        (memory.scores, memory.precedents) = outcomes(items, ANSWERS, None)?;
        let own = [2 * n, 2 * n + 1].map(case_of);
        memory
            .precedents
            .retain(|precedent| !own.contains(&precedent.case));
        let others = memory.compared(&asked)?;
        let is_misled = |others: &[Match]| {
            let best = others.iter().rev();
            let best = best.max_by(|a, b| a.chance.total_cmp(&b.chance));
            best.is_some_and(|one| !own.contains(&case_of(one.known)) && one.chance >= least)
        };
        let misled = is_misled(&others);
        memory.scores.clear();
        memory.precedents.clear();
        let misled_before = is_misled(&memory.compared(&asked)?);
        all.push(Ranks {
            is_found: without.iter().any(|one| one.right),
            without: closest(&without).right,
            with: with.right,
            with_scores,
            with_earlier,
            with_false,
            with_many_false,
            misled,
            misled_before,
            answered: with.right && with.chance >= least,
        });
    }
    Ok(all)
}

/// What answers from all cases were worth, in all and for the first wording of each question; in a draw,
/// three of ten outcomes are the other way round.
fn outcomes(
    items: &[&Item],
    answers: u32,
    draw: Option<u32>,
) -> anyhow::Result<(Vec<CaseScore>, Vec<Precedent>)> {
    let (mut scores, mut precedents) = (Vec::new(), Vec::new());
    let channel = ChannelId::parse("irc:#outcomes")?;
    for case in 0..2 * items.len() {
        let memory = MemoryId::from_uuid(case_of(case).as_uuid());
        let is_false = |n: u32| {
            draw.is_some_and(|draw| {
                let name = format!("{draw}/{case}/{n}");
                EventId::of_content("false outcome", &[&name])
                    .as_uuid()
                    .as_u128()
                    % 10
                    < 3
            })
        };
        let mut score = CaseScore::default();
        for n in 0..answers {
            let worked = (case % 2 == 1) != is_false(n);
            match worked {
                true => score.worked += 1,
                false => score.failed += 1,
            }
            precedents.push(Precedent {
                case: case_of(case),
                version: 1,
                channel: channel.clone(),
                memory,
                text: items[case / 2].question.clone(),
                worked,
            });
        }
        scores.push(score);
    }
    Ok((scores, precedents))
}

fn row(name: &str, judged: &[Ranks]) -> Row {
    let share = |of: f64| 100.0 * of / judged.len().max(1) as f64;
    let count = |is: &dyn Fn(&Ranks) -> bool| judged.iter().filter(|one| is(one)).count() as f64;
    let with_false: f64 = judged.iter().map(|one| one.with_false).sum();
    let with_many_false: f64 = judged.iter().map(|one| one.with_many_false).sum();
    Row {
        name: name.to_owned(),
        metrics: vec![
            ("asked", judged.len() as f64),
            ("found", share(count(&|one| one.is_found))),
            ("without", share(count(&|one| one.without))),
            ("with", share(count(&|one| one.with))),
            ("with_scores", share(count(&|one| one.with_scores))),
            ("with_earlier", share(count(&|one| one.with_earlier))),
            ("with_30_false", share(with_false)),
            ("many_30_false", share(with_many_false)),
            ("misled_before", share(count(&|one| one.misled_before))),
            ("misled", share(count(&|one| one.misled))),
            ("answered", share(count(&|one| one.answered))),
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
        assert!(with >= 2 * without && with > 10, "{without} {with}");
    }
}
