//! What people say an answer was worth, where a program showed it or on a page.

use serde::Serialize;
use threadlore_model::{ChannelId, PersonId, Rating};
use threadlore_node::BadInput;
use threadlore_store_postgres::ListedTurn;
use utoipa::ToSchema;

use super::ask::check_id;
use crate::refused::Refused;
use crate::site::Visit;

/// What an answer is worth to people.
#[derive(Debug, Serialize, ToSchema)]
pub struct Ratings {
    /// The question.
    pub turn: String,
    /// How many people say that the answer helped.
    pub helped: u64,
    /// How many say that it failed.
    pub failed: u64,
}

impl Ratings {
    /// Those of the answer to a question.
    #[must_use]
    pub fn of(turn: &ListedTurn) -> Self {
        let (helped, failed) = turn.rated;
        Self {
            turn: turn.turn.to_string(),
            helped,
            failed,
        }
    }
}

impl Visit {
    /// Takes what a person says of the answer to a question; what it is worth to people then, `None` where that takes
    /// longer.
    pub(crate) async fn rate(
        &self,
        turn: &ListedTurn,
        person: PersonId,
        rating: Option<Rating>,
    ) -> Result<Option<Ratings>, Refused> {
        let (node, scope) = (self.node(), &self.scope);
        node.rate(scope, turn, (person, rating), &self.by).await?;
        let look = async || {
            let known = node.store.rating(scope, turn.turn, person).await?;
            Ok((known == rating).then_some(()))
        };
        if self.until(look).await?.is_none() {
            return Ok(None);
        }
        let turn = self.turn(&turn.turn.to_string()).await?;
        Ok(Some(Ratings::of(&turn)))
    }

    /// The visitor, as a person who rates answers.
    pub(crate) fn own_person(&self) -> PersonId {
        self.node().person_behind(self.space(), &self.by)
    }

    /// A person that a program names, by its id of them in a channel's platform; without one, the program itself.
    pub(crate) fn author(
        &self,
        channel: &ChannelId,
        author: Option<&str>,
    ) -> Result<PersonId, BadInput> {
        let Some(author) = author else {
            return Ok(self.own_person());
        };
        check_id("author", author)?;
        Ok(self.person_of(channel.platform(), author))
    }
}
