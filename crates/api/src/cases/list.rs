//! Cases, as a list.

use serde::Serialize;
use threadlore_model::{Case, Signal};
use threadlore_node::Node;
use threadlore_ports::{Readable, Scope};
use threadlore_retrieval::Inquiry;
use threadlore_retrieval::ask::Candidate;
use threadlore_store_postgres::CaseFilter;
use utoipa::ToSchema;

/// Cases that a search finds at most, of those that are solved and of those that are not.
const FOUND: usize = 20;

/// A case, as a line.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = CaseItem)]
pub struct Item {
    /// Its id.
    pub case: String,
    /// Its link.
    pub link: String,
    /// How it stands.
    pub status: &'static str,
    /// Null when erased.
    pub title: Option<String>,
    /// Where it was born.
    pub channel: String,
    /// What made it solved.
    #[schema(value_type = Option<String>)]
    pub signal: Option<Signal>,
    /// How many reactions confirm it.
    pub confirmations: usize,
    /// Whether it is open and somebody suggested an answer.
    pub suggested: bool,
    /// Channel time at which it was found.
    pub opened_at: String,
    /// Channel time at which it became solved.
    pub solved_at: Option<String>,
}

/// Some cases of a space.
#[derive(Debug, Serialize, ToSchema)]
pub struct CaseList {
    /// In the order that was asked for.
    pub cases: Vec<Item>,
    /// How many cases there are with these options, listed or not; 10,000 stands for that many or more.
    pub fitting: u64,
    /// The last of these cases, where more follow: what `after` has to say to list those.
    pub next: Option<String>,
}

/// The cases of a space that a filter lets through.
///
/// # Errors
/// What the tables say.
pub async fn list(node: &Node, scope: &Scope, filter: CaseFilter<'_>) -> anyhow::Result<CaseList> {
    // One more tells whether more follow.
    let (shown, limit) = (filter.limit as usize, filter.limit.saturating_add(1));
    let (mut cases, fitting) = node
        .store
        .cases(scope, CaseFilter { limit, ..filter })
        .await?;
    let more = cases.len() > shown;
    cases.truncate(shown);
    let last = cases.last().filter(|_| more);
    Ok(CaseList {
        next: last.map(|case| case.case.to_string()),
        cases: cases.iter().map(|case| item(node, case)).collect(),
        fitting,
    })
}

/// The cases that are nearest to these words, the nearest first, whatever channel they are from.
pub async fn search(node: &Node, scope: &Scope, text: &str) -> Vec<Item> {
    let found = near(node, (scope, &Readable::all()), text, FOUND).await;
    found.iter().map(|one| item(node, &one.case)).collect()
}

/// The cases that are nearest to these words among those that may be read, the nearest first: of each way to search
/// at most so many.
pub(crate) async fn near(
    node: &Node,
    (scope, readable): (&Scope, &Readable),
    text: &str,
    most: usize,
) -> Vec<Candidate> {
    let asked = Inquiry::new(scope, readable, text);
    let mut found = node.memory.retrieval.search(asked, most).await.candidates;
    found.sort_by_key(|one| std::cmp::Reverse(one.close));
    found
}

fn item(node: &Node, case: &Case) -> Item {
    Item {
        case: case.case.to_string(),
        link: node.link(case.case),
        status: case.status().name(),
        title: case.title.clone(),
        channel: case.channel.to_string(),
        signal: case.signal,
        confirmations: case.confirmations.len(),
        suggested: case.suggestion.is_some(),
        opened_at: case.opened_at.to_string(),
        solved_at: case.solved_at.map(|at| at.to_string()),
    }
}
