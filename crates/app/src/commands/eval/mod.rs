//! `threadlore eval`: a user's own questions against the live index, by words, by vectors and by
//! both; and the threshold that suits them.
//!
//! | file | holds |
//! |---|---|
//! | `questions` | the lines of the file, and what is wrong with them |
//! | `measured` | what became of the questions in one way of searching |
//! | `report` | the output |

mod measured;
mod questions;
mod report;

use threadlore_model::SpaceId;
use threadlore_ports::{CaseReader as _, Readable, Right, Scope};
use threadlore_retrieval::judge::{Expected, Suggestion, suggest, tally};
use threadlore_retrieval::{By, Inquiry};

use super::cases::CaseName;
use super::{Call, ask};
use crate::cli::Eval;
use measured::{Measured, measure};
use questions::{Bad, Line, Wanted};
use report::Report;

/// A question that can be asked.
struct Question {
    /// Its line in the file, from 1 on.
    number: usize,
    line: Line,
    scope: Scope,
    readable: Readable,
    expected: Expected,
}

impl Question {
    fn asked(&self) -> Inquiry<'_> {
        Inquiry::new(&self.scope, &self.readable, &self.line.question)
    }
}

pub(super) async fn run(options: &Eval, call: &Call<'_>) -> anyhow::Result<u8> {
    let file = &options.file;
    let (lines, mut bad) = questions::read(call.dir, file)?;
    let mut questions = Vec::new();
    // It is looked up only where a line needs it.
    let mut default = options.space.clone();
    for (number, line) in lines {
        let space = match (&line.space, &default) {
            (Some(space), _) | (None, Some(space)) => space.clone(),
            (None, None) => default.insert(call.space(None).await?).clone(),
        };
        match question(number, line, &space, call).await? {
            Ok(question) => questions.push(question),
            Err(wrong) => bad.push(Bad { number, wrong }),
        }
    }
    questions::check(file, &questions, bad)?;
    ask::index_ready(call).await;
    let node = &call.host.node;
    let (retrieval, clock) = (node.memory.retrieval.as_ref(), node.clock.as_ref());
    let model = retrieval.model().map(str::to_owned);
    let mut ways = match model {
        Some(_) => vec![By::Words, By::Vectors, By::Both],
        None => vec![By::Words],
    };
    // What outcomes change is only of interest where there are some.
    for question in &questions {
        let known = node
            .store
            .precedents(&question.scope, &question.readable, 1);
        if !known.await?.is_empty() {
            ways.insert(ways.len() - 1, By::Untried);
            break;
        }
    }
    let mut ways_measured = Vec::new();
    for by in ways {
        ways_measured.push((
            by,
            measure(by, (retrieval, clock), &questions, call.out).await,
        ));
    }
    let now = retrieval.wrong_at_most();
    // The last way is the one that answers.
    let suggestion = ways_measured
        .last()
        .and_then(|(_, way)| better(way, &questions, now, options.wrong_costs));
    let report = Report::new(
        (model, now),
        (&questions, &ways_measured),
        (suggestion, options.wrong_costs),
    );
    if call.json {
        call.out.json(&report)?;
    } else {
        report.print(file, options.each, call.out);
    }
    Ok(0)
}

/// A value of `answer.wrong_at_most` that is better than what is set.
fn better(way: &Measured, questions: &[Question], now: u32, cost: u32) -> Option<Suggestion> {
    let trials = way.trials(questions);
    let best = suggest(&trials, cost)?;
    (best.tally.worth(cost) > tally(&trials, now).worth(cost)).then_some(best)
}

/// The question of a line, or what is wrong with it.
async fn question(
    number: usize,
    line: Line,
    space: &SpaceId,
    call: &Call<'_>,
) -> anyhow::Result<Result<Question, String>> {
    let node = &call.host.node;
    let scope = node.scope(space, Right::Ask)?;
    if !node.store.has_space(&scope).await? {
        return Ok(Err(format!(
            "the space {space} has no message, case or channel here: name another with `space` or \
             --space"
        )));
    }
    if let Some(channel) = &line.channel
        && node.store.channels(&scope, Some(channel)).await?.is_empty()
    {
        return Ok(Err(format!(
            "there is no channel {channel} in the space {space}: `threadlore channel show --space \
             {space}` lists those that are"
        )));
    }
    let readable = match &line.channel {
        Some(channel) => Readable::in_channel(channel, &node.store.configured(&scope).await?),
        None => Readable::all(),
    };
    let expected = match &line.wanted {
        Wanted::Silence => Expected::Silence,
        Wanted::Text(texts) => Expected::Text(texts.clone()),
        Wanted::Case(CaseName(id)) => {
            let Some(case) = node.store.case(&scope, *id).await? else {
                return Ok(Err(format!(
                    "there is no case {id} in the space {space}: `threadlore cases list --space \
                     {space}` lists those that are"
                )));
            };
            if case.erased_at.is_some() {
                return Ok(Err(format!(
                    "the case {id} was erased, so nothing can answer from it: take the line out, \
                     or name another case"
                )));
            }
            if let Some(channel) = &line.channel
                && *channel != case.channel
            {
                return Ok(Err(format!(
                    "the case {id} is of {}, and a question in {channel} never gets it: leave \
                     `channel` out, or name that one",
                    case.channel
                )));
            }
            // What was merged is answered by the case that stands for both.
            Expected::Case(case.merged_into.unwrap_or(*id))
        }
    };
    Ok(Ok(Question {
        number,
        line,
        scope,
        readable,
        expected,
    }))
}
