//! What people asked, as a list.

use std::collections::BTreeMap;
use utoipa::ToSchema;

use serde::Serialize;
use threadlore_model::MessageId;
use threadlore_node::Node;
use threadlore_ports::Scope;
use threadlore_store_postgres::{KeptMessage, ListedTurn, TurnFilter};

/// A question, as a line of a list.
#[derive(Debug, Serialize, ToSchema)]
pub struct Question {
    /// The event that closed its turn.
    pub turn: String,
    /// Where it was asked.
    pub channel: String,
    /// Null when erased or redacted.
    pub question: Option<String>,
    /// Who asked; null when erased.
    pub name: Option<String>,
    /// What became of it, such as `answered`.
    pub outcome: &'static str,
    /// The answer; null where there is none.
    pub answer: Option<String>,
    /// The link of the case that the answer rests on or points at; null where there is none.
    pub case: Option<String>,
    /// How many people say that the answer helped.
    pub helped: u64,
    /// How many people say that it failed.
    pub failed: u64,
    /// Channel time of the decision.
    pub at: String,
}

/// Some questions of a space.
#[derive(Debug, Serialize, ToSchema)]
pub struct Questions {
    /// Those considered last first.
    pub questions: Vec<Question>,
    /// How many questions fit the filter, listed or not.
    pub fitting: u64,
    /// The last of these questions, where more follow: what `after` has to say to list those.
    pub next: Option<String>,
}

/// The questions of a space that a filter lets through.
///
/// # Errors
/// What the tables say.
pub async fn list(node: &Node, scope: &Scope, filter: TurnFilter<'_>) -> anyhow::Result<Questions> {
    // One more tells whether more follow.
    let (shown, limit) = (filter.limit as usize, filter.limit.saturating_add(1));
    let (mut turns, fitting) = node
        .store
        .turns(scope, TurnFilter { limit, ..filter })
        .await?;
    let more = turns.len() > shown;
    turns.truncate(shown);
    let messages = turns.iter().flat_map(|turn| turn.messages.clone());
    let messages: Vec<MessageId> = messages.collect();
    let kept = node.store.kept(scope, &messages).await?;
    let question = |turn: &ListedTurn| Question {
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
    let questions = turns.iter().map(question).collect();
    let last = turns.last().filter(|_| more);
    Ok(Questions {
        questions,
        fitting,
        next: last.map(|turn| turn.turn.to_string()),
    })
}

/// What a turn says, as far as it is kept.
fn said(turn: &ListedTurn, kept: &BTreeMap<MessageId, KeptMessage>) -> Option<String> {
    let lines = turn.messages.iter().filter_map(|id| kept.get(id));
    let lines: Vec<&str> = lines.filter_map(|line| line.text.as_deref()).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}
