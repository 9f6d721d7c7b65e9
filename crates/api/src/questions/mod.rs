//! What people asked, and what became of it.

mod list;
mod why;

pub use list::{Question, Questions, list};
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
        named: Some(name),
        limit: 1,
    };
    let (turns, fitting) = node.store.turns(scope, filter).await?;
    Ok(turns.into_iter().next().map(|turn| (turn, fitting)))
}
