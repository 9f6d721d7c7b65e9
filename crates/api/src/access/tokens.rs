//! Tokens of programs: signed, and looked up before they count.

use serde::{Deserialize, Serialize};
use threadlore_model::{Actor, SpaceId, Timestamp};
use threadlore_ports::{Authority, PortError, Right};
use threadlore_store_postgres::PostgresStore;

use super::{Access, LONGEST_TOKEN, Purpose, Visitor, random};

/// How every token begins, so that whoever finds one knows what it is.
const TOKEN: &str = "tl_";

/// What a token is for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Grant {
    /// What it is called, for who looks after them.
    pub name: String,
    /// The space.
    pub space: SpaceId,
    /// Its rights there: `ingest`, `ask`, `read`, `admin`; none includes another.
    pub may: Vec<Right>,
    /// From this time on it counts no more.
    pub until: Timestamp,
}

/// A token that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Token {
    /// What it is revoked by.
    pub(crate) id: String,
    /// What the program sends; it is shown once.
    pub(crate) token: String,
}

/// The claims of a token.
#[derive(Serialize, Deserialize)]
pub(super) struct Claims {
    id: String,
    name: String,
    space: String,
    may: Vec<Right>,
    /// Milliseconds since 1970.
    until: i64,
}

impl Claims {
    pub(super) fn of(id: String, grant: &Grant) -> Self {
        Self {
            id,
            name: grant.name.clone(),
            space: grant.space.to_string(),
            may: grant.may.clone(),
            until: grant.until.as_millis(),
        }
    }
}

/// Who sent a request, as its token says.
#[derive(Debug, Clone)]
pub(crate) struct Bearer {
    /// The id of the token.
    pub(crate) id: String,
    /// What it is called.
    pub(crate) name: String,
    /// The space that it is for.
    pub(crate) space: SpaceId,
    /// From this time on it counts no more.
    pub(crate) until: Timestamp,
    /// What it may.
    pub(crate) authority: Authority,
}

impl Bearer {
    pub(crate) fn visitor(&self) -> Visitor {
        Visitor {
            by: Actor::Token(self.name.clone()),
            authority: self.authority.clone(),
        }
    }
}

impl Access {
    /// A token for a program.
    ///
    /// # Errors
    /// The system gives no random bytes; the grant's name is too long.
    pub(crate) fn token(&self, grant: &Grant) -> anyhow::Result<Token> {
        // Hexadecimal digits: an id with a hyphen at its beginning is an option on a command line.
        let mut id = format!("{:032x}", u128::from_be_bytes(random()?));
        id.truncate(12);
        let said = self.said(Purpose::Token, &Claims::of(id.clone(), grant))?;
        let token = format!("{TOKEN}{said}");
        anyhow::ensure!(token.len() <= LONGEST_TOKEN, "the token's name is too long");
        Ok(Token { id, token })
    }

    /// Who sends this token; `None` where it is not ours, or ran out.
    #[must_use]
    pub(crate) fn bearer(&self, token: &str, now: Timestamp) -> Option<Bearer> {
        let said: Claims = self.claims(Purpose::Token, token.strip_prefix(TOKEN)?)?;
        if said.until <= now.as_millis() {
            return None;
        }
        let space = SpaceId::parse(&said.space).ok()?;
        let may = said.may.into_iter();
        let grants = may.map(|right| (space.clone(), right)).collect();
        Some(Bearer {
            id: said.id,
            name: said.name,
            until: Timestamp::from_millis(said.until),
            authority: Authority::of_grants(grants),
            space,
        })
    }

    /// Whether a token is one of those that are kept and was not revoked, as the database said some seconds ago at
    /// most. It notes then that the token is used.
    ///
    /// # Errors
    /// What the database says.
    pub(crate) async fn counts(
        &self,
        store: &PostgresStore,
        id: &str,
        now: Timestamp,
    ) -> Result<bool, PortError> {
        if let Some(counts) = self.tokens.get(id, now) {
            return Ok(counts);
        }
        let counts = store.use_token(id, now).await?;
        self.tokens.put(id.to_owned(), now, counts);
        Ok(counts)
    }
}
