//! What people asked, and what became of it.

mod ask;
mod list;
mod rating;
mod why;

pub(crate) use ask::{ChannelQuestion, ChannelReply, OwnQuestion};
pub use list::{Question, Questions, list};
pub use rating::Ratings;
pub use why::{Answer, Context, Delivery, Happened, Line, Why, candidates, case_of, why};

use threadlore_model::TurnOutcome;
use threadlore_node::Node;
use threadlore_ports::Scope;
use threadlore_store_postgres::{ListedTurn, TurnFilter, TurnName};

/// The turn that is named, the last one of several, and how many have that name.
///
/// # Errors
/// What the tables say.
pub async fn find(
    node: &Node,
    scope: &Scope,
    name: &TurnName,
) -> anyhow::Result<Option<(ListedTurn, u64)>> {
    let filter = TurnFilter {
        channel: None,
        outcomes: &TurnOutcome::ALL,
        after: None,
        named: Some(name),
        limit: 1,
    };
    let (turns, fitting) = node.store.turns(scope, filter).await?;
    Ok(turns.into_iter().next().map(|turn| (turn, fitting)))
}

/// Sets of outcomes that have a name of their own, and what they are in words.
pub(crate) const SETS: [(&str, &str, &[TurnOutcome]); 3] = [
    ("asked", "everything that was asked", &TurnOutcome::ASKED),
    (
        "unanswered",
        "what nobody could answer",
        &TurnOutcome::UNANSWERED,
    ),
    (
        "answered",
        "what was answered",
        &[TurnOutcome::Answered, TurnOutcome::Suggested],
    ),
];

/// The outcomes of a set, or the one of this name; `None` where there is none.
pub(crate) fn outcomes(name: &str) -> Option<Vec<TurnOutcome>> {
    let set = SETS.into_iter().find(|(known, ..)| *known == name);
    let one = || TurnOutcome::ALL.into_iter().find(|one| one.name() == name);
    match set {
        Some((.., outcomes)) => Some(outcomes.to_vec()),
        None => one().map(|one| vec![one]),
    }
}
