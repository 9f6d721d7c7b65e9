//! `threadlore answers list`.

use std::collections::BTreeMap;

use serde::Serialize;
use threadlore_model::{MessageId, TurnOutcome};
use threadlore_ports::Right;
use threadlore_store_postgres::{KeptMessage, ListedTurn, TurnFilter};

use super::Call;
use crate::cli::AnswersList;
use crate::output::cut;
use crate::printable::counted;

/// The outcomes of what asks something.
const ASKED: [TurnOutcome; 15] = [
    TurnOutcome::Answered,
    TurnOutcome::Suggested,
    TurnOutcome::Tracked,
    TurnOutcome::Pointed,
    TurnOutcome::Unknown,
    TurnOutcome::NotConfigured,
    TurnOutcome::Muted,
    TurnOutcome::TooLate,
    TurnOutcome::AnsweredByPerson,
    TurnOutcome::Repeated,
    TurnOutcome::TooMany,
    TurnOutcome::NothingFound,
    TurnOutcome::NothingClose,
    TurnOutcome::NothingAnswers,
    TurnOutcome::SearchFailed,
];

/// A question, as a line.
#[derive(Debug, Serialize)]
struct Row {
    turn: String,
    channel: String,
    /// Null when erased or redacted.
    question: Option<String>,
    /// Who asked; null when erased.
    name: Option<String>,
    outcome: &'static str,
    /// The answer, and the case that it rests on or points at; null where there is none.
    answer: Option<String>,
    case: Option<String>,
    /// How many people say that it helped, and that it failed.
    helped: u64,
    failed: u64,
    at: String,
}

#[derive(Serialize)]
struct Listed {
    questions: Vec<Row>,
    /// How many questions there are with these options, listed or not.
    fitting: u64,
}

pub(super) async fn run(options: &AnswersList, call: &Call<'_>) -> anyhow::Result<u8> {
    let node = &call.host.node;
    let space = call.space(options.space.as_ref()).await?;
    let scope = node.scope(&space, Right::Read)?;
    let channel = options.channel.as_ref();
    let outcomes: &[TurnOutcome] = match (options.unanswered, options.outcome.as_slice()) {
        (true, _) => &TurnOutcome::UNANSWERED,
        (false, []) => &ASKED,
        (false, outcomes) => outcomes,
    };
    let filter = TurnFilter {
        channel,
        outcomes,
        named: None,
        limit: options.limit.into(),
    };
    let (turns, fitting) = node.store.turns(&scope, filter).await?;
    if turns.is_empty() {
        call.check_there(&scope, channel).await?;
    }
    let messages: Vec<MessageId> = turns
        .iter()
        .flat_map(|turn| turn.messages.clone())
        .collect();
    let kept = node.store.kept(&scope, &messages).await?;
    let row = |turn: &ListedTurn| Row {
        turn: turn.turn.to_string(),
        channel: turn.channel.to_string(),
        question: said(turn, &kept),
        name: turn
            .messages
            .iter()
            .find_map(|id| kept.get(id)?.name.clone()),
        outcome: turn.outcome.name(),
        answer: turn.answer.as_ref().map(|(id, _)| id.to_string()),
        case: turn.case.map(|case| node.link(case)),
        helped: turn.rated.0,
        failed: turn.rated.1,
        at: turn.at.to_string(),
    };
    let questions: Vec<Row> = turns.iter().map(row).collect();
    if call.json {
        call.out.json(&Listed { questions, fitting })?;
        return Ok(0);
    }
    if questions.is_empty() {
        call.out.say("there are no such questions");
    }
    for row in &questions {
        let rated = match (row.helped, row.failed) {
            (0, 0) => String::new(),
            (helped, failed) => format!("  [{helped} helped, {failed} failed]"),
        };
        let minute = row.at.get(..16).unwrap_or(&row.at).replace('T', " ");
        call.out.print(format_args!(
            "{minute}  {:<18}  {}  {}{rated}",
            row.outcome,
            row.turn,
            cut(row.question.as_deref().unwrap_or("(erased)"), 70)
        ));
    }
    if fitting > questions.len() as u64 {
        call.out.say(format_args!(
            "{} of {}; --limit shows more",
            questions.len(),
            counted(fitting, "question")
        ));
    }
    Ok(0)
}

/// What a turn says, as far as it is kept.
fn said(turn: &ListedTurn, kept: &BTreeMap<MessageId, KeptMessage>) -> Option<String> {
    let lines = turn.messages.iter().filter_map(|id| kept.get(id));
    let lines: Vec<&str> = lines.filter_map(|line| line.text.as_deref()).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}
