//! What there is of a person in a space, and forgetting them.

use serde::Serialize;
use threadlore_model::{ChannelId, PersonId};
use threadlore_node::Node;
use threadlore_store_postgres::{MemoryFilter, PersonSummary};
use utoipa::ToSchema;

use crate::memories::{self, Item};
use crate::refused::Refused;
use crate::site::Visit;
use crate::words::MOST;

/// What there is of a person in a space.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Person)]
pub(crate) struct PersonDetails {
    /// The person: a keyed hash of the platform's id.
    #[schema(value_type = String)]
    pub(crate) person: PersonId,
    /// The name of their last message; null when erased or unknown.
    pub(crate) name: Option<String>,
    /// The channels in which they wrote.
    pub(crate) channels: Vec<PersonChannel>,
    /// The cases that have words of theirs, as problem, solution or suggestion.
    #[schema(value_type = Vec<String>)]
    pub(crate) cases: Vec<threadlore_model::CaseId>,
    /// What they had remembered, at most 1,000.
    pub(crate) memories: Vec<Item>,
    /// Messages of others that mention them, by the platform's marks: they are theirs, and stay.
    pub(crate) mentioned_by_others: u64,
}

/// A channel in which somebody wrote.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PersonChannel {
    /// The channel.
    #[schema(value_type = String)]
    pub(crate) channel: ChannelId,
    /// How many of their messages can still be read.
    pub(crate) messages: u64,
}

impl PersonDetails {
    /// Whether anything of them can still be read.
    pub(crate) fn is_there(&self) -> bool {
        let written = self.channels.iter().any(|one| one.messages > 0);
        written || !self.cases.is_empty() || !self.memories.is_empty()
    }
}

fn unknown() -> Refused {
    Refused::NotThere("Nobody of that id wrote anything in this space.".to_owned())
}

impl Visit {
    /// Who a platform's id is of, if they wrote anything here.
    pub(crate) fn person_of(&self, platform: &str, native: &str) -> PersonId {
        self.node().hasher.person(self.space(), platform, native)
    }

    /// What there is of a person, by their id.
    pub(crate) async fn person(&self, person: &str) -> Result<PersonDetails, Refused> {
        let person: PersonId = person.parse().map_err(|_| unknown())?;
        let found = self.node().of_person(self.space(), person).await?;
        if found.channels.is_empty() {
            return Err(unknown());
        }
        Ok(self.details_of(person, found).await?)
    }

    async fn details_of(
        &self,
        person: PersonId,
        found: PersonSummary,
    ) -> anyhow::Result<PersonDetails> {
        let memories = match found.memories.is_empty() {
            true => Vec::new(),
            false => told_by(self.node(), self, person).await?,
        };
        let channels = found.channels.into_iter();
        Ok(PersonDetails {
            person,
            name: found.name,
            channels: channels
                .map(|(channel, messages)| PersonChannel { channel, messages })
                .collect(),
            cases: found.cases.into_iter().map(|(_, case)| case).collect(),
            memories,
            mentioned_by_others: found.mentioned,
        })
    }

    /// Forgets a person for good; what there is of them afterwards, `None` where it takes longer.
    pub(crate) async fn forget_person(
        &self,
        person: &str,
    ) -> Result<Option<PersonDetails>, Refused> {
        let person = self.person(person).await?.person;
        self.node().forget(self.space(), person, &self.by).await?;
        let look = async || {
            let left = self.person(&person.to_string()).await?;
            Ok((!left.is_there()).then_some(left))
        };
        let done = self.until(look).await?;
        if done.is_some() {
            // What came meanwhile.
            self.node().forget(self.space(), person, &self.by).await?;
        }
        Ok(done)
    }
}

async fn told_by(node: &Node, visit: &Visit, person: PersonId) -> anyhow::Result<Vec<Item>> {
    let filter = MemoryFilter {
        person: Some(person),
        limit: MOST,
        ..MemoryFilter::default()
    };
    Ok(memories::list(node, visit.space(), filter).await?.memories)
}
