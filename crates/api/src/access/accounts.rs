//! Sessions of people with an account, and links with which they choose a password.

use std::sync::Arc;
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use threadlore_model::{Actor, Timestamp};
use threadlore_ports::PortError;
use threadlore_store_postgres::{AccountRecord, AccountsOf, PostgresStore};

use super::{Access, Purpose, Visitor};
use crate::accounts::{
    AccountLink, INVITATION_LASTS, MARK, authority, check_password, hashed, is_name, is_password,
    mark,
};

/// The claims of a session, and of a link to choose a password.
#[derive(Serialize, Deserialize)]
pub(super) struct Claims {
    name: String,
    /// Of the password that a session was begun with; of a link, [`mark_with_rights`].
    mark: String,
    /// Milliseconds since 1970.
    until: i64,
}

/// Why somebody with a name and a password is not let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotLetIn {
    /// There is no such account, or its password is another.
    Wrong,
    /// It was tried too often: so many seconds are to be waited.
    TooOften(u64),
}

impl NotLetIn {
    const fn too_often(wait: Duration) -> Self {
        Self::TooOften(wait.as_secs() + 1)
    }
}

/// A mark of the password and the rights of an account. A link counts while both are the same: a link of before takes
/// over no account that was given more rights.
fn mark_with_rights(account: &AccountRecord) -> String {
    let mut hash = Sha256::new();
    hash.update(&account.mark);
    for (space, given) in &account.may {
        let rights: Vec<&str> = given.rights.iter().map(|right| right.name()).collect();
        hash.update(format!(" {space} {}", rights.join(",")));
    }
    URL_SAFE_NO_PAD.encode(&hash.finalize()[..MARK])
}

impl Access {
    /// Whose session this is; `None` where it is none of ours, ran out, or its account or password is gone, as the
    /// database said some seconds ago at most.
    ///
    /// # Errors
    /// What the database says.
    pub(crate) async fn visitor(
        &self,
        store: &PostgresStore,
        session: &str,
        now: Timestamp,
    ) -> Result<Option<Visitor>, PortError> {
        if self.valid_until(Purpose::Session, session, now).is_some() {
            return Ok(Some(Visitor::operator()));
        }
        let Some(claims) = self.person_claims(Purpose::Person, session, now) else {
            return Ok(None);
        };
        let account = match self.accounts.get(&claims.name, now) {
            Some(known) => known,
            None => {
                let found = store.accounts(AccountsOf::Name(&claims.name)).await?.pop();
                let found = found.map(Arc::new);
                self.accounts.put(claims.name, now, found.clone());
                found
            }
        };
        let account = account.filter(|account| account.mark == claims.mark);
        Ok(account.map(|account| Visitor {
            authority: authority(&account),
            by: Actor::Account(account.name.clone()),
        }))
    }

    pub(super) fn person_claims(
        &self,
        purpose: Purpose,
        signed: &str,
        now: Timestamp,
    ) -> Option<Claims> {
        let claims: Claims = self.claims(purpose, signed)?;
        (claims.until > now.as_millis() && is_name(&claims.name)).then_some(claims)
    }

    /// The account of this name was changed: it is looked up with the next request.
    pub(crate) fn look_again(&self, name: &str) {
        self.accounts.forget(name);
    }

    /// The account with this name and password. Takes some hundredths of a second of a processor, away from the
    /// threads that serve others.
    ///
    /// # Errors
    /// What the database says.
    pub(crate) async fn with_password(
        &self,
        store: &PostgresStore,
        name: &str,
        password: String,
    ) -> anyhow::Result<Result<AccountRecord, NotLetIn>> {
        let name: String = name.trim().to_lowercase();
        if !is_name(&name) {
            return Ok(Err(NotLetIn::Wrong));
        }
        if let Err(why) = self.one_more_try_of(&name) {
            return Ok(Err(why));
        }
        let account = store.accounts(AccountsOf::Name(&name)).await?.pop();
        let checked = tokio::task::spawn_blocking(move || {
            let is_it = is_password(account.as_ref(), &password);
            account.filter(|_| is_it)
        });
        Ok(checked.await?.ok_or(NotLetIn::Wrong))
    }

    /// Counts a try to sign in with a name.
    ///
    /// # Errors
    /// There were too many.
    pub(super) fn one_more_try_of(&self, name: &str) -> Result<(), NotLetIn> {
        self.sign_ins.count_of(name).map_err(NotLetIn::too_often)
    }

    /// Counts a try to sign in, with whatever name.
    ///
    /// # Errors
    /// There were too many.
    pub(crate) fn one_more_try(&self) -> Result<(), NotLetIn> {
        self.sign_ins.count().map_err(NotLetIn::too_often)
    }

    /// The session of somebody who signs in.
    ///
    /// # Errors
    /// What the database says.
    pub(crate) async fn let_in(
        &self,
        store: &PostgresStore,
        account: &AccountRecord,
        now: Timestamp,
    ) -> anyhow::Result<String> {
        store.note_sign_in(&account.name, now).await?;
        let of = (account.name.as_str(), account.mark.clone());
        self.said_of(Purpose::Person, of, now.plus(self.session_lasts))
    }

    /// A link with which somebody chooses the password of an account, to pages at `origin`.
    ///
    /// # Errors
    /// What signing it says.
    pub(crate) fn link_of(
        &self,
        account: &AccountRecord,
        origin: &str,
        now: Timestamp,
    ) -> anyhow::Result<AccountLink> {
        let until = now.plus(INVITATION_LASTS);
        let of = (account.name.as_str(), mark_with_rights(account));
        let said = self.said_of(Purpose::Invitation, of, until)?;
        Ok(AccountLink {
            name: account.name.clone(),
            link: format!("{origin}/join?link={said}"),
            until: until.to_string(),
        })
    }

    /// Whose password is chosen by a link; `None` where it is none of ours, ran out, was used, or the account may
    /// something else by now.
    ///
    /// # Errors
    /// What the database says.
    pub(crate) async fn invited(
        &self,
        store: &PostgresStore,
        invitation: &str,
        now: Timestamp,
    ) -> Result<Option<AccountRecord>, PortError> {
        let Some(claims) = self.person_claims(Purpose::Invitation, invitation, now) else {
            return Ok(None);
        };
        let found = store.accounts(AccountsOf::Name(&claims.name)).await?.pop();
        Ok(found.filter(|account| mark_with_rights(account) == claims.mark))
    }

    /// Gives an account another password, and its person a session with it; `None` where somebody was quicker.
    ///
    /// # Errors
    /// It can be no password; what the database says.
    pub(crate) async fn choose_password(
        &self,
        store: &PostgresStore,
        mut account: AccountRecord,
        password: String,
        now: Timestamp,
    ) -> anyhow::Result<Option<String>> {
        check_password(&password)?;
        let hash = tokio::task::spawn_blocking(move || hashed(&password)).await??;
        let mark = mark()?;
        let of = (account.name.as_str(), account.mark.as_str());
        if !store.set_password(of, (&hash, &mark)).await? {
            return Ok(None);
        }
        self.look_again(&account.name);
        account.mark = mark;
        self.let_in(store, &account, now).await.map(Some)
    }

    pub(super) fn said_of(
        &self,
        purpose: Purpose,
        (name, mark): (&str, String),
        until: Timestamp,
    ) -> anyhow::Result<String> {
        let claims = Claims {
            name: name.to_owned(),
            mark,
            until: until.as_millis(),
        };
        self.said(purpose, &claims)
    }
}
