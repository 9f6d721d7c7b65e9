//! What the bot was told to remember, and found out by its answers.

use serde::Serialize;
use threadlore_model::{MemoryHome, SpaceId};
use threadlore_node::Node;
use threadlore_store_postgres::{ListedExchange, ListedMemory, MemoryFilter};
use utoipa::ToSchema;

/// A memory, as it is shown.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Memory)]
pub struct Item {
    /// Its id.
    pub memory: String,
    /// `memory_bank` for what somebody said; else it is an exchange.
    pub tier: &'static str,
    /// `person`: only who said it is told; `bank`: everybody who can read the channel. Null for an
    /// exchange.
    pub home: Option<&'static str>,
    /// Where it was said, or asked.
    pub channel: String,
    /// Null for an exchange.
    pub person: Option<String>,
    /// Null when erased, and for what was said on the command line.
    pub name: Option<String>,
    /// The message that says it; null for what was said on the command line.
    pub message: Option<String>,
    /// Null when erased. Of an exchange, the question that was asked last.
    pub text: Option<String>,
    /// Whether a model that reads knows it with every question.
    pub always: bool,
    /// What is known of an exchange.
    pub exchange: Option<Exchange>,
    /// When it was said.
    pub said_at: String,
    /// Since when it is told no more.
    pub archived_at: Option<String>,
    /// `replaced`, `full`, `expired` or `failed`.
    pub archive_reason: Option<&'static str>,
    /// What came in its place.
    pub archived_by: Option<String>,
    /// When it was erased.
    pub erased_at: Option<String>,
    /// How many answers quote it.
    pub told: u64,
}

/// An exchange, as it is shown.
#[derive(Debug, Serialize, ToSchema)]
pub struct Exchange {
    /// The case whose words it has.
    pub case: String,
    /// Null when erased.
    pub title: Option<String>,
    /// The chance that it works when it is given again, in thousandths.
    pub score: i64,
    /// How many answers from it worked.
    pub worked: i64,
    /// How many failed.
    pub failed: i64,
    /// How many helped in part.
    pub partial: i64,
    /// When it was used last.
    pub used_at: String,
    /// When it leaves its tier; null where it does not.
    pub until: Option<String>,
}

/// Some memories of a space.
#[derive(Debug, Serialize, ToSchema)]
pub struct MemoryList {
    /// What somebody said first, then exchanges by how often they worked.
    pub memories: Vec<Item>,
    /// How many fit the filter, listed or not.
    pub fitting: u64,
    /// The last of these memories, where more follow: what `after` has to say to list those.
    pub next: Option<String>,
}

/// The memories of a space that a filter lets through.
///
/// # Errors
/// What the tables say.
pub async fn list(
    node: &Node,
    space: &SpaceId,
    filter: MemoryFilter<'_>,
) -> anyhow::Result<MemoryList> {
    // One more tells whether more follow.
    let (shown, limit) = (filter.limit as usize, filter.limit.saturating_add(1));
    let filter = MemoryFilter { limit, ..filter };
    let (mut found, fitting) = node.memories(space, filter).await?;
    let more = found.len() > shown;
    found.truncate(shown);
    let last = found.last().filter(|_| more);
    Ok(MemoryList {
        next: last.map(|memory| memory.memory.to_string()),
        memories: found.iter().map(Item::of).collect(),
        fitting,
    })
}

impl Exchange {
    fn of(exchange: &ListedExchange) -> Self {
        Self {
            case: exchange.case.to_string(),
            title: exchange.title.clone(),
            score: exchange.score,
            worked: exchange.worked,
            failed: exchange.failed,
            partial: exchange.partial,
            used_at: exchange.used_at.to_string(),
            until: exchange.until.map(|at| at.to_string()),
        }
    }

    /// How often it worked, in words.
    #[must_use]
    pub fn tried(&self) -> String {
        let uses = self.worked + self.failed + self.partial;
        format!("worked {} of {uses}", self.worked)
    }
}

impl Item {
    /// What is shown of a memory.
    #[must_use]
    pub fn of(memory: &ListedMemory) -> Self {
        let archived = memory.archived.as_ref();
        Self {
            memory: memory.memory.to_string(),
            tier: memory.tier.name(),
            home: memory.home.map(MemoryHome::name),
            channel: memory.channel.to_string(),
            person: memory.person.map(|person| person.to_string()),
            name: memory.name.clone(),
            message: memory.message.map(|message| message.to_string()),
            text: memory.text.clone(),
            always: memory.always,
            exchange: memory.exchange.as_ref().map(Exchange::of),
            said_at: memory.said_at.to_string(),
            archived_at: archived.map(|(at, _)| at.to_string()),
            archive_reason: archived.map(|(_, reason)| reason.name()),
            archived_by: memory.archived_by.map(|by| by.to_string()),
            erased_at: memory.erased_at.map(|at| at.to_string()),
            told: memory.told,
        }
    }

    /// What became of it, in one word.
    #[must_use]
    pub fn state(&self) -> &'static str {
        match (&self.erased_at, self.archive_reason) {
            (Some(_), _) => "erased",
            (None, Some(reason)) => reason,
            (None, None) => self.home.unwrap_or(self.tier),
        }
    }
}
