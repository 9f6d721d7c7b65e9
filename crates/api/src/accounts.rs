//! Accounts of people who sign in to the pages: with a password that each chooses, or at a provider.
//!
//! Whoever may give rights gives somebody an account by its name, and then a link, with which they choose their
//! password. A session ends with the next password, a link also with other rights.

use std::time::Duration;

use anyhow::Context as _;
use argon2::Argon2;
use argon2::password_hash::{PasswordHash, PasswordHasher as _, PasswordVerifier as _, SaltString};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use threadlore_model::{Actor, SpaceId};
use threadlore_node::{BadInput, Node};
use threadlore_ports::{Authority, Right};
use threadlore_store_postgres::{AccountRecord, AccountsOf};
use utoipa::ToSchema;

use crate::access::{Access, random};
use crate::refused::Refused;
use crate::site::Visit;
use crate::wording::text;

/// The longest name, in characters.
pub(crate) const LONGEST_NAME: usize = 100;
/// The shortest password, in bytes.
pub(crate) const SHORTEST: usize = 10;
/// The shortest, and the longest.
const PASSWORD: std::ops::RangeInclusive<usize> = SHORTEST..=1_000;
/// How long somebody can choose a password by a link.
pub(crate) const INVITATION_LASTS: Duration = Duration::from_secs(7 * 86_400);
/// Bytes of a mark.
pub(crate) const MARK: usize = 9;

/// The accounts of people who may something in a space.
#[derive(Debug, Serialize, ToSchema)]
pub struct AccountList {
    /// By their names.
    pub accounts: Vec<AccountLine>,
}

/// What somebody may in a space.
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = AccountSummary)]
pub struct AccountLine {
    /// The name of the account.
    pub name: String,
    /// The space.
    pub space: String,
    /// The rights there: `ask`, `read`, `admin`.
    pub may: Vec<&'static str>,
    /// Whether there is a password; without one, people sign in at the provider of the installation alone.
    pub has_password: bool,
    /// When they signed in last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub signed_in_at: Option<String>,
    /// When the rights were given.
    pub given_at: String,
    /// Who gave them: `operator`, `account:NAME` or `token:NAME`.
    #[schema(value_type = String)]
    pub given_by: Actor,
}

/// What somebody is to be allowed in a space.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AccountRights {
    /// The rights: `ask`, `read`, `admin`; none includes another.
    #[schema(value_type = Vec<String>, min_items = 1, max_items = 3)]
    pub may: Vec<Right>,
}

/// A link with which somebody chooses the password of an account.
#[derive(Debug, Serialize, ToSchema)]
pub struct AccountLink {
    /// The name of the account.
    pub name: String,
    /// The address to open. Whoever has it can choose the password, once.
    pub link: String,
    /// From this time on it is good for nothing.
    pub until: String,
}

/// Whether an account can be called so.
pub(crate) fn is_name(name: &str) -> bool {
    let is_sign = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "._-@+".contains(c);
    !name.is_empty() && name.len() <= LONGEST_NAME && name.chars().all(is_sign)
}

/// A hash of no password that anybody can send, as long to check as every other.
const NOBODY: &str = "$argon2id$v=19$m=19456,t=2,p=1$bm9ib2R5bm9ib2R5bm9ib2R5$\
                      AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

/// Whether a password is the one of an account. Takes some hundredths of a second of a processor, whether or not there
/// is an account, and one with a password.
pub(crate) fn is_password(account: Option<&AccountRecord>, password: &str) -> bool {
    let hash = account.and_then(|account| account.password.as_deref());
    // Nobody's, so that who is not there takes as long.
    let Ok(hash) = PasswordHash::new(hash.unwrap_or(NOBODY)) else {
        return false;
    };
    let checked = Argon2::default().verify_password(password.as_bytes(), &hash);
    checked.is_ok() && PASSWORD.contains(&password.len())
}

/// Refuses what cannot be a password.
pub(crate) fn check_password(password: &str) -> Result<(), BadInput> {
    if PASSWORD.contains(&password.len()) {
        return Ok(());
    }
    let (least, most) = (*PASSWORD.start(), *PASSWORD.end());
    Err(BadInput(text!(
        "refused-password",
        least = least,
        most = most
    )))
}

/// A password as it is kept. Takes some hundredths of a second of a processor.
///
/// # Errors
/// The system gives no random bytes.
pub(crate) fn hashed(password: &str) -> anyhow::Result<String> {
    let salt =
        SaltString::encode_b64(&random()?).map_err(|e| anyhow::anyhow!("making a salt: {e}"))?;
    let hash = Argon2::default()
        .hash_password(password.as_bytes(), &salt)
        .map_err(|e| anyhow::anyhow!("hashing a password: {e}"))?;
    Ok(hash.to_string())
}

/// Another mark.
///
/// # Errors
/// The system gives no random bytes.
pub(crate) fn mark() -> anyhow::Result<String> {
    Ok(URL_SAFE_NO_PAD.encode(&random()?[..MARK]))
}

/// What the person of an account may.
pub(crate) fn authority(account: &AccountRecord) -> Authority {
    let grants = account.may.iter().flat_map(|(space, given)| {
        let rights = given.rights.iter();
        rights.map(|right| (space.clone(), *right))
    });
    Authority::of_grants(grants.collect())
}

/// Whether somebody could do all that an account can, and give it: then its password is theirs to replace.
fn covers(authority: &Authority, account: &AccountRecord) -> bool {
    account.may.iter().all(|(space, given)| {
        let may = |right: &Right| authority.authorise(space, *right).is_ok();
        may(&Right::Admin) && given.rights.iter().all(may)
    })
}

/// What people may in a space, or in all of them.
///
/// # Errors
/// What the database says.
pub async fn list(node: &Node, space: Option<&SpaceId>) -> anyhow::Result<AccountList> {
    let of = space.map_or(AccountsOf::Everybody, AccountsOf::Space);
    let kept = node.store.accounts(of).await?;
    Ok(AccountList {
        accounts: kept.into_iter().flat_map(lines).collect(),
    })
}

/// What the person of an account may in each space.
pub(crate) fn lines(account: AccountRecord) -> impl Iterator<Item = AccountLine> {
    let AccountRecord {
        name,
        password,
        signed_in_at,
        may,
        ..
    } = account;
    may.into_iter().map(move |(space, given)| AccountLine {
        name: name.clone(),
        space: space.to_string(),
        may: given.rights.iter().map(|right| right.name()).collect(),
        has_password: password.is_some(),
        signed_in_at: signed_in_at.map(|at| at.to_string()),
        given_at: given.given_at.to_string(),
        given_by: given.given_by,
    })
}

/// Gives somebody rights in spaces, in place of those that they have there, with an account where they have none. The
/// account, then.
///
/// # Errors
/// There can be no such account, or it would do nothing; what the database says.
pub async fn give(
    node: &Node,
    name: &str,
    (spaces, may): (&[SpaceId], &[Right]),
    by: &Actor,
) -> anyhow::Result<AccountRecord> {
    if !is_name(name) {
        return Err(BadInput(text!("refused-account-name")).into());
    }
    if may.contains(&Right::Ingest) {
        return Err(BadInput(text!("refused-account-ingest")).into());
    }
    let now = node.clock.now();
    let given = |right: &Right| may.contains(right);
    let rights: Vec<Right> = Right::ALL.into_iter().filter(given).collect();
    let mark = mark()?;
    let account = (name, mark.as_str());
    node.store
        .give_rights(account, spaces, &rights, (now, by))
        .await?;
    for space in spaces {
        tracing::info!(%by, account = name, %space, "somebody was given rights");
    }
    find(node, name)
        .await?
        .context("the account was taken away at once")
}

/// Takes away what somebody may in a space, or everywhere; an account that may nothing more is gone. Whether there was
/// something to take.
///
/// # Errors
/// What the database says.
pub async fn take(
    node: &Node,
    name: &str,
    space: Option<&SpaceId>,
    by: &Actor,
) -> anyhow::Result<bool> {
    let is_taken = is_name(name) && node.store.take_rights(name, space).await?;
    if is_taken {
        let space = space.map_or("all", SpaceId::as_str);
        tracing::info!(%by, account = name, space, "rights were taken away");
    }
    Ok(is_taken)
}

/// The account of a name.
///
/// # Errors
/// What the database says.
pub async fn find(node: &Node, name: &str) -> anyhow::Result<Option<AccountRecord>> {
    if !is_name(name) {
        return Ok(None);
    }
    Ok(node.store.accounts(AccountsOf::Name(name)).await?.pop())
}

pub(crate) fn no_account() -> Refused {
    Refused::NotThere(text!("refused-no-account"))
}

impl Visit {
    /// Gives somebody rights in the space: those that the giver has.
    pub(crate) async fn give_account(
        &self,
        access: &Access,
        name: &str,
        may: &[Right],
    ) -> Result<AccountRecord, Refused> {
        self.may_give(may)?;
        let given = (std::slice::from_ref(self.space()), may);
        let account = give(self.node(), name, given, &self.by).await?;
        access.look_again(name);
        Ok(account)
    }

    /// The account of a name, of somebody who may something in the space.
    pub(crate) async fn account(&self, name: &str) -> Result<AccountRecord, Refused> {
        let account = find(self.node(), name).await?;
        let is_here = |account: &AccountRecord| account.may.contains_key(self.space());
        account.filter(is_here).ok_or_else(no_account)
    }

    /// Whether the password of an account may be replaced: by who could do all that the account can. Whoever changes
    /// one's own has to know it.
    pub(crate) fn may_replace_password(&self, account: &AccountRecord) -> bool {
        self.by.account() != Some(&account.name) && covers(self.authority(), account)
    }

    /// A link with which somebody chooses the password of an account.
    pub(crate) fn account_link(
        &self,
        access: &Access,
        account: &AccountRecord,
        origin: &str,
    ) -> Result<AccountLink, Refused> {
        if !self.may_replace_password(account) {
            return Err(Refused::Bad(text!("refused-account-link")));
        }
        tracing::info!(by = %self.by, account = account.name, "a link to choose a password was made");
        let now = self.node().clock.now();
        Ok(access.link_of(account, origin, now)?)
    }

    /// Takes away what somebody may in the space; those that there are then.
    pub(crate) async fn take_account(
        &self,
        access: &Access,
        name: &str,
    ) -> Result<AccountList, Refused> {
        let taken = take(self.node(), name, Some(self.space()), &self.by).await;
        access.look_again(name);
        if !taken? {
            return Err(no_account());
        }
        Ok(list(self.node(), Some(self.space())).await?)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use threadlore_model::Timestamp;
    use threadlore_store_postgres::GivenRights;

    use super::*;

    const WORD: &str = "correct horse";

    fn space(name: &str) -> SpaceId {
        SpaceId::parse(name).expect("a space")
    }

    fn account(password: Option<&str>, may: &[(&str, &[Right])]) -> AccountRecord {
        let given = |rights: &[Right]| GivenRights {
            rights: rights.to_vec(),
            given_at: Timestamp::from_millis(0),
            given_by: Actor::Operator,
        };
        let may = may
            .iter()
            .map(|(name, rights)| (space(name), given(rights)));
        AccountRecord {
            name: "anna".to_owned(),
            password: password.map(|word| hashed(word).expect("random bytes")),
            mark: "m".to_owned(),
            signed_in_at: None,
            may: BTreeMap::from_iter(may),
        }
    }

    #[test]
    fn who_knows_the_password_is_let_in_and_nobody_without_one() {
        let anna = account(Some(WORD), &[("acme", &[Right::Read])]);
        assert!(is_password(Some(&anna), WORD));
        assert!(!anna.password.as_deref().expect("one").contains(WORD));
        for wrong in ["correct hors", "", "correct horse "] {
            assert!(!is_password(Some(&anna), wrong), "{wrong}");
        }
        let provider_alone = account(None, &[]);
        for word in [WORD, "", "nobody"] {
            assert!(!is_password(Some(&provider_alone), word), "{word}");
            assert!(!is_password(None, word), "{word}");
        }
        let may = authority(&anna);
        assert!(may.authorise(&space("acme"), Right::Read).is_ok());
        assert!(may.authorise(&space("acme"), Right::Admin).is_err());
        assert!(may.authorise(&space("b"), Right::Read).is_err());
    }

    #[test]
    fn what_cannot_be_a_name_or_a_password_is_refused() {
        for name in ["", "Anna", "an na", "anna\n", "äh", "a/b", &"x".repeat(101)] {
            assert!(!is_name(name), "{name}");
        }
        for name in ["anna", "anna.b+lore@example.org", &"x".repeat(100)] {
            assert!(is_name(name), "{name}");
        }
        for (length, can_be) in [(9, false), (10, true), (1000, true), (1001, false)] {
            assert_eq!(
                check_password(&"x".repeat(length)).is_ok(),
                can_be,
                "{length}"
            );
        }
    }

    #[test]
    fn a_password_is_replaced_by_who_may_all_that_its_account_may() {
        use Right::{Admin, Ask, Read};
        let of = |may: &[(&str, &[Right])]| authority(&account(None, may));
        let moderator = of(&[("a", &[Read, Admin])]);
        for (may, can) in [
            (&[("a", [Read].as_slice())][..], true),
            (&[("a", &[Read, Admin])], true),
            // More here, something elsewhere, everything.
            (&[("a", &[Ask])], false),
            (&[("a", &[Read]), ("b", &[Read])], false),
            (&[("a", &[Read]), ("system", &[Admin])], false),
        ] {
            assert_eq!(covers(&moderator, &account(None, may)), can, "{may:?}");
        }
        assert!(!covers(
            &of(&[("a", &[Read])]),
            &account(None, &[("a", &[Read])])
        ));
        let all = account(None, &[("a", &[Ask, Read, Admin]), ("system", &[Admin])]);
        assert!(covers(&Authority::of_operator(), &all));
    }
}
