//! What `eval` prints.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Serialize;
use threadlore_retrieval::By;
use threadlore_retrieval::judge::{Expected, Outcome, Suggestion, Tally, WITHIN};

use super::Question;
use super::measured::{Measured, Stages};
use crate::output::{Output, cut};
use crate::printable::counted;

/// Below this many questions, one more or less changes what is suggested.
const FEW: usize = 50;

/// The output of the command.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    /// The model of the vectors; null where there is none.
    model: Option<String>,
    questions: usize,
    /// What became of them by words, by vectors and by both.
    ways: BTreeMap<&'static str, Way>,
    /// `answer.wrong_at_most` as it is set.
    wrong_at_most: u32,
    /// A better value; null where there is none.
    suggestion: Option<Better>,
    each: Vec<Each>,
}

/// What became of the questions.
#[derive(Debug, Serialize)]
struct Counts {
    with_answer: u32,
    right: u32,
    /// Of the right ones, those that were only suggested in the chat.
    suggested: u32,
    wrong: u32,
    silent: u32,
    without_answer: u32,
    rightly_silent: u32,
    wrongly_answered: u32,
}

/// One way of searching.
#[derive(Debug, Serialize)]
struct Way {
    #[serde(flatten)]
    counts: Counts,
    /// Shares of the questions with an answer, in thousandths; null without such questions.
    top_1: Option<u32>,
    mrr: Option<u32>,
    recall_at: BTreeMap<usize, Option<u32>>,
    /// The time of a stage for one question.
    milliseconds: Stages,
    /// How often a part of the search did not answer.
    degraded: BTreeMap<&'static str, usize>,
}

/// A better value of the setting.
#[derive(Debug, Serialize)]
struct Better {
    wrong_at_most: u32,
    /// What a wrong answer cost.
    wrong_costs: u32,
    would_give: Counts,
}

/// One question.
#[derive(Debug, Serialize)]
struct Each {
    line: usize,
    question: String,
    /// Whether nothing answers it.
    silence_is_right: bool,
    /// What became of it, and the place of the right case among the candidates, by way.
    outcome: BTreeMap<&'static str, &'static str>,
    place: BTreeMap<&'static str, Option<usize>>,
}

impl Counts {
    fn of(tally: &Tally) -> Self {
        Self {
            with_answer: tally.with_answer,
            right: tally.right,
            suggested: tally.suggested,
            wrong: tally.wrong,
            silent: tally.silent(),
            without_answer: tally.without_answer,
            rightly_silent: tally.rightly_silent(),
            wrongly_answered: tally.wrongly_answered,
        }
    }
}

impl Way {
    fn of(measured: &Measured) -> Self {
        let tally = &measured.tally;
        let some = tally.with_answer > 0;
        let share =
            |count: u32| some.then(|| (1000 * count + tally.with_answer / 2) / tally.with_answer);
        let degraded = measured.degraded.iter();
        Self {
            counts: Counts::of(tally),
            top_1: share(tally.within[0]),
            mrr: tally.mrr().map(|mrr| (1000.0 * mrr).round() as u32),
            recall_at: WITHIN.into_iter().zip(tally.within.map(share)).collect(),
            milliseconds: measured.took,
            degraded: degraded
                .map(|(part, count)| (part.sentence(), *count))
                .collect(),
        }
    }
}

/// The ways of searching, in the order in which they are printed.
const KEYS: [&str; 4] = ["words", "vectors", "no_outcomes", "both"];

const fn key(by: By) -> &'static str {
    match by {
        By::Words => "words",
        By::Vectors => "vectors",
        By::Both => "both",
        By::Untried => "no_outcomes",
    }
}

impl Report {
    pub(super) fn new(
        (model, wrong_at_most): (Option<String>, u32),
        (questions, ways): (&[Question], &[(By, Measured)]),
        (suggestion, wrong_costs): (Option<Suggestion>, u32),
    ) -> Self {
        let better = |one: &Suggestion| Better {
            wrong_at_most: one.wrong_at_most,
            wrong_costs,
            would_give: Counts::of(&one.tally),
        };
        let each = |(at, question): (usize, &Question)| Each {
            line: question.number,
            question: question.line.question.clone(),
            silence_is_right: question.expected == Expected::Silence,
            outcome: of_ways(ways, |way| outcome(way.found[at].outcome)),
            place: of_ways(ways, |way| way.found[at].place),
        };
        Self {
            wrong_at_most,
            model,
            questions: questions.len(),
            ways: of_ways(ways, Way::of),
            suggestion: suggestion.as_ref().map(better),
            each: questions.iter().enumerate().map(each).collect(),
        }
    }

    /// For people.
    pub(super) fn print(&self, file: &Path, each: bool, out: &Output) {
        if each {
            self.each.iter().for_each(|one| out.print(one.shown()));
        }
        let first = self.ways.values().next();
        let (with, without) = first.map_or((0, 0), |way| {
            (way.counts.with_answer, way.counts.without_answer)
        });
        out.print(format_args!(
            "{} of {}: {with} with an answer, {without} where silence is right",
            counted(self.questions as u64, "question"),
            file.display()
        ));
        out.print(
            "             right (suggested)  wrong  silent  rightly silent  wrongly answered  \
             top-1    MRR  recall@3  recall@5",
        );
        for (name, way) in self.in_order() {
            out.print(format_args!("{name:<11}  {}", way.shown()));
        }
        out.print("milliseconds for a question, half of them and 95 of 100 within:");
        for (name, way) in self.in_order() {
            let Stages {
                model,
                index,
                tables,
                all,
            } = way.milliseconds;
            let stages = [
                ("model", model),
                ("index", index),
                ("tables", tables),
                ("all", all),
            ];
            let stages = stages.map(|(name, of)| format!("{name} {}/{}", of.p50, of.p95));
            out.print(format_args!("{name:<11}  {}", stages.join("  ")));
        }
        for (name, way) in self.in_order() {
            for (part, count) in &way.degraded {
                out.say(format_args!(
                    "{}, {name}: {part}",
                    counted(*count as u64, "question")
                ));
            }
        }
        self.print_threshold(out);
    }

    /// The ways from the simplest on.
    fn in_order(&self) -> impl Iterator<Item = (&'static str, &Way)> {
        KEYS.into_iter()
            .filter_map(|key| Some((key, self.ways.get(key)?)))
    }

    fn print_threshold(&self, out: &Output) {
        if self.model.is_none() {
            out.print(
                "no model makes vectors here, so words alone were searched (docs/models.md says how \
                 to get a model)",
            );
        }
        out.print(format_args!(
            "now: answer.wrong_at_most = {}",
            self.wrong_at_most
        ));
        match &self.suggestion {
            None => out.print("no other value is better for these questions"),
            Some(better) => {
                let Counts {
                    right,
                    wrong,
                    silent,
                    rightly_silent,
                    wrongly_answered,
                    ..
                } = better.would_give;
                out.print(format_args!(
                    "suggested: answer.wrong_at_most = {}\n  it would give {right} right, {wrong} wrong, {silent} \
                     silent, {rightly_silent} rightly silent, {wrongly_answered} wrongly answered \
                     on the same questions (a wrong answer costs as much as {} right)",
                    better.wrong_at_most, better.wrong_costs
                ));
            }
        }
        if self.questions < FEW {
            out.say(format_args!(
                "{} are few: with {FEW} and more, half of them with other wordings, the suggestion \
                 holds better",
                counted(self.questions as u64, "question")
            ));
        }
    }
}

fn of_ways<T>(ways: &[(By, Measured)], of: impl Fn(&Measured) -> T) -> BTreeMap<&'static str, T> {
    let ways = ways.iter();
    ways.map(|(by, measured)| (key(*by), of(measured)))
        .collect()
}

const fn outcome(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Right => "right",
        Outcome::Suggested => "suggested",
        Outcome::Wrong => "wrong",
        Outcome::Silent => "silent",
    }
}

impl Way {
    /// The row of the table.
    fn shown(&self) -> String {
        let Counts {
            right,
            suggested,
            wrong,
            silent,
            rightly_silent,
            wrongly_answered,
            ..
        } = self.counts;
        let share = |share: Option<u32>| match share {
            Some(share) => format!("{}.{:03}", share / 1000, share % 1000),
            None => "–".to_owned(),
        };
        let recall = |within| share(self.recall_at.get(&within).copied().flatten());
        format!(
            "{right:>5} {:<11}  {wrong:>5}  {silent:>6}  {rightly_silent:>14}  \
             {wrongly_answered:>16}  {:>5}  {:>5}  {:>8}  {:>8}",
            format!("({suggested})"),
            share(self.top_1),
            share(self.mrr),
            recall(3),
            recall(5)
        )
    }
}

impl Each {
    /// The question for people: what each way gave, with the place of the right case.
    fn shown(&self) -> String {
        let keys = KEYS.into_iter();
        let ways = keys.filter_map(|key| {
            let place = self.place.get(key).copied().flatten();
            let place = place.map_or(String::new(), |place| format!(" #{place}"));
            Some(format!("{key} {}{place}", self.outcome.get(key)?))
        });
        let ways: Vec<String> = ways.collect();
        let right = if self.silence_is_right {
            " (silence is right)"
        } else {
            ""
        };
        format!(
            "line {}: {}  {}{right}",
            self.line,
            ways.join(", "),
            cut(&self.question, 60)
        )
    }
}
