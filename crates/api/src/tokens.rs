//! Tokens of programs: made, listed and revoked.

use std::time::Duration;

use serde::{Deserialize, Serialize};
use threadlore_model::{Actor, SpaceId, Timestamp};
use threadlore_node::Node;
use threadlore_ports::Right;
use threadlore_store_postgres::TokenRecord;
use utoipa::ToSchema;

use crate::access::{Access, Grant};
use crate::refused::Refused;
use crate::site::Visit;
use crate::wording::text;

/// The longest name of a token, in characters.
const LONGEST_NAME: usize = 100;
/// The most days that a token counts.
pub const MOST_DAYS: u32 = 3_650;
/// The days that a token counts where nothing else is said.
pub const DAYS: u32 = 90;

/// The tokens of a space.
#[derive(Debug, Serialize, ToSchema)]
pub struct TokenList {
    /// The latest first.
    pub tokens: Vec<TokenLine>,
}

/// What a program was given.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = TokenSummary)]
pub struct TokenLine {
    /// What it is revoked by.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// Its rights: `ingest`, `ask`, `read`, `admin`.
    pub may: Vec<&'static str>,
    /// From this time on it counts no more.
    pub until: String,
    /// When it was made.
    pub made_at: String,
    /// Who made it: `operator`, `account:NAME` or `token:NAME`.
    #[schema(value_type = String)]
    pub made_by: Actor,
    /// When it was used last, to some seconds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub used_at: Option<String>,
    /// When it was revoked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<String>,
    /// Who revoked it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    pub revoked_by: Option<Actor>,
    /// Whether it counts: it was not revoked and has not run out.
    pub counts: bool,
}

/// A token that was made.
#[derive(Debug, Serialize, ToSchema)]
pub struct FreshToken {
    /// What it is revoked by.
    pub id: String,
    /// What it is called.
    pub name: String,
    /// The space that it is for.
    pub space: String,
    /// Its rights there.
    pub may: Vec<&'static str>,
    /// From this time on it counts no more.
    pub until: String,
    /// What the program sends. It is not kept, so it is shown this once.
    pub token: String,
}

/// What a program is to be given.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct NewToken {
    /// What it is called, for who looks after them: 1 to 100 characters.
    #[schema(min_length = 1, max_length = 100)]
    pub name: String,
    /// Its rights: `ingest`, `ask`, `read`, `admin`; none includes another.
    #[schema(value_type = Vec<String>, min_items = 1, max_items = 4)]
    pub may: Vec<Right>,
    /// How many days it counts: 1 to 3,650.
    #[serde(default = "days")]
    #[schema(minimum = 1, maximum = 3650, default = 90)]
    pub days: u32,
}

const fn days() -> u32 {
    DAYS
}

/// Makes a token, and keeps what is known of it.
///
/// # Errors
/// What signing it and the database say.
pub(crate) async fn make(
    node: &Node,
    access: &Access,
    grant: Grant,
    by: &Actor,
) -> anyhow::Result<FreshToken> {
    let made = access.token(&grant)?;
    let Grant {
        name,
        space,
        may,
        until,
    } = grant;
    let record = TokenRecord {
        id: made.id,
        space,
        name,
        rights: may,
        until,
        made_at: node.clock.now(),
        made_by: by.clone(),
        used_at: None,
        revoked: None,
    };
    node.store.add_token(&record).await?;
    tracing::info!(%by, token = record.id, name = record.name, space = %record.space, "a token was made");
    Ok(FreshToken {
        may: names(&record.rights),
        id: record.id,
        name: record.name,
        space: record.space.to_string(),
        until: record.until.to_string(),
        token: made.token,
    })
}

/// Whether a token can be called so.
#[must_use]
pub fn is_name(name: &str) -> bool {
    let is_short = (1..=LONGEST_NAME).contains(&name.chars().count());
    is_short && !name.chars().any(char::is_control)
}

fn names(rights: &[Right]) -> Vec<&'static str> {
    rights.iter().map(|right| right.name()).collect()
}

/// The tokens of a space, the latest first.
///
/// # Errors
/// What the database says.
pub async fn list(node: &Node, space: &SpaceId) -> anyhow::Result<TokenList> {
    let now = node.clock.now();
    let kept = node.store.tokens(space).await?;
    let line = |one: TokenRecord| {
        let counts = one.revoked.is_none() && one.until > now;
        let (revoked_at, revoked_by) = one.revoked.unzip();
        TokenLine {
            id: one.id,
            name: one.name,
            may: names(&one.rights),
            until: one.until.to_string(),
            made_at: one.made_at.to_string(),
            made_by: one.made_by,
            used_at: one.used_at.map(|at| at.to_string()),
            revoked_at: revoked_at.map(|at| at.to_string()),
            revoked_by,
            counts,
        }
    };
    Ok(TokenList {
        tokens: kept.into_iter().map(line).collect(),
    })
}

/// Revokes a token of a space, unless it was before; whether there is such a one. It counts no more within some seconds.
///
/// # Errors
/// What the database says.
pub async fn revoke(node: &Node, space: &SpaceId, id: &str, by: &Actor) -> anyhow::Result<bool> {
    let now = node.clock.now();
    let is_there = node.store.revoke_token(space, id, (now, by)).await?;
    if is_there {
        tracing::info!(%by, token = id, %space, "a token was revoked");
    }
    Ok(is_there)
}

impl Visit {
    /// Makes a token for the space. A maker gives the rights that they have, and a program no token that counts longer
    /// than its own, whose end `own` says.
    pub(crate) async fn make_token(
        &self,
        access: &Access,
        wanted: NewToken,
        own: Option<Timestamp>,
    ) -> Result<FreshToken, Refused> {
        let name = wanted.name.trim();
        if !is_name(name) {
            return Err(Refused::Bad(text!("refused-token-name")));
        }
        if !(1..=MOST_DAYS).contains(&wanted.days) {
            return Err(Refused::Bad(text!("refused-days", days = wanted.days)));
        }
        self.may_give(&wanted.may)?;
        let given = |right: &Right| wanted.may.contains(right);
        let lasts = Duration::from_secs(u64::from(wanted.days) * 86_400);
        let until = self.node().clock.now().plus(lasts);
        let grant = Grant {
            name: name.to_owned(),
            space: self.space().clone(),
            may: Right::ALL.into_iter().filter(given).collect(),
            until: own.map_or(until, |own| own.min(until)),
        };
        Ok(make(self.node(), access, grant, &self.by).await?)
    }

    /// Revokes a token of the space; those that there are then.
    pub(crate) async fn revoke_token(&self, id: &str) -> Result<TokenList, Refused> {
        if !revoke(self.node(), self.space(), id, &self.by).await? {
            return Err(Refused::NotThere(text!("refused-no-token")));
        }
        Ok(list(self.node(), self.space()).await?)
    }
}
