//! Who may: a link for one sign-in and the session that it begins, for the operator; a name and a password, for
//! people with an account; a token, for programs. Links, sessions and tokens are signed with the session key of the
//! installation, so they outlive a restart. The database has the accounts; of tokens it knows what they are for, and
//! which were revoked. What a program sends is stored nowhere.

use std::collections::BTreeMap;
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use governor::clock::{Clock as _, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::HashMapStateStore;
use governor::{Quota, RateLimiter};
use hmac::{Hmac, Mac};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sha2::Sha256;
use threadlore_model::{Actor, SpaceId, Timestamp};
use threadlore_ports::{Authority, Right};
use threadlore_store_postgres::AccountRecord;

use crate::provider::SignInState;
use lookups::Lookups;
use tries::Tries;

pub(crate) use accounts::NotLetIn;
pub(crate) use readers::READER_LASTS;
pub(crate) use tokens::Bearer;
pub use tokens::Grant;

/// How long a link can be followed.
pub const LINK_LASTS: Duration = Duration::from_secs(600);
/// The most bytes of what is signed: a longer one is not looked at.
const LONGEST: usize = 200;
/// Random bytes that tell two links apart.
const NONCE: usize = 16;

/// The most bytes of a token.
const LONGEST_TOKEN: usize = 1000;

/// What is signed; a link is no session, and a session no link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    SignIn,
    Session,
    Person,
    Invitation,
    Token,
    SignInState,
    Reader,
}

impl Purpose {
    const fn name(self) -> &'static str {
        match self {
            Self::SignIn => "sign-in",
            Self::Session => "session",
            Self::Person => "person",
            Self::Invitation => "invitation",
            Self::Token => "token",
            Self::SignInState => "sign-in-state",
            Self::Reader => "reader",
        }
    }
}

/// Who looks at something, or asks for a change.
#[derive(Debug, Clone)]
pub(crate) struct Visitor {
    /// Who that is.
    pub(crate) by: Actor,
    /// What may be seen and done.
    pub(crate) authority: Authority,
}

/// Whether somebody looks after the whole installation: the operator, and whoever is admin of the space `system`.
pub(crate) fn runs_installation(authority: &Authority) -> bool {
    authority
        .authorise(&SpaceId::system(), Right::Admin)
        .is_ok()
}

impl Visitor {
    pub(crate) fn operator() -> Self {
        Self {
            by: Actor::Operator,
            authority: Authority::of_operator(),
        }
    }

    /// Whether something can be seen of a space.
    pub(crate) fn may_read(&self, space: &SpaceId) -> bool {
        self.authority.authorise(space, Right::Read).is_ok()
    }
}

/// What sessions and tokens are bound to.
pub(crate) struct Terms {
    /// How long a session lasts.
    pub(crate) session_lasts: Duration,
    /// The most requests of a minute by one token.
    pub(crate) requests_per_minute: u32,
}

/// Signs links, sessions and tokens, and knows which links were followed.
pub(crate) struct Access {
    key: [u8; 32],
    session_lasts: Duration,
    /// Links that began a session, until they would have run out.
    followed: Mutex<BTreeMap<String, Timestamp>>,
    /// Whether tokens count, by their ids.
    tokens: Lookups<bool>,
    /// The accounts of people who are signed in, by their names.
    accounts: Lookups<Option<Arc<AccountRecord>>>,
    /// The requests of each token, by its id.
    requests: Requests,
    /// The tries to sign in with each name, of which each costs the processor some hundredths of a second.
    sign_ins: Tries,
    /// The questions of each reader of the pages for everybody.
    questions: Tries,
}

/// Requests by the id of a token, with how many more there may be.
type Requests =
    RateLimiter<String, HashMapStateStore<String>, DefaultClock, StateInformationMiddleware>;

impl Access {
    /// With the key of the installation.
    #[must_use]
    pub(crate) fn new(key: [u8; 32], terms: Terms) -> Self {
        let per_minute = NonZeroU32::new(terms.requests_per_minute).unwrap_or(NonZeroU32::MIN);
        let requests = RateLimiter::hashmap(Quota::per_minute(per_minute));
        Self {
            key,
            session_lasts: terms.session_lasts,
            followed: Mutex::default(),
            tokens: Lookups::default(),
            accounts: Lookups::default(),
            requests: requests.with_middleware(),
            sign_ins: Tries::default(),
            questions: Tries::default(),
        }
    }

    /// Counts a request of a token: how many more it may make now.
    ///
    /// # Errors
    /// It made too many: how long it has to wait.
    pub(crate) fn count(&self, token: &str) -> Result<u32, Duration> {
        let counted = self.requests.check_key(&token.to_owned());
        match counted {
            Ok(left) => Ok(left.remaining_burst_capacity()),
            Err(not_before) => Err(not_before.wait_time_from(self.requests.clock().now())),
        }
    }

    /// What a new link says of itself. Whoever has it can sign in once, within [`LINK_LASTS`].
    ///
    /// # Errors
    /// The system gives no random bytes.
    pub(crate) fn link(&self, now: Timestamp) -> anyhow::Result<String> {
        self.signed(Purpose::SignIn, now.plus(LINK_LASTS))
    }

    /// Follows a link: the session that it begins, or `None` where it is not ours, ran out, or was
    /// followed before.
    ///
    /// # Errors
    /// The system gives no random bytes.
    pub(crate) fn follow(&self, link: &str, now: Timestamp) -> anyhow::Result<Option<String>> {
        let Some(until) = self.valid_until(Purpose::SignIn, link, now) else {
            return Ok(None);
        };
        {
            let mut followed = self.followed.lock().unwrap_or_else(PoisonError::into_inner);
            followed.retain(|_, until| *until > now);
            if followed.insert(link.to_owned(), until).is_some() {
                return Ok(None);
            }
        }
        let until = now.plus(self.session_lasts);
        self.signed(Purpose::Session, until).map(Some)
    }

    /// The state of a sign-in at the provider, as the cookie has it.
    ///
    /// # Errors
    /// What signing it says.
    pub(crate) fn signed_state(&self, state: &SignInState) -> anyhow::Result<String> {
        self.said(Purpose::SignInState, state)
    }

    /// The state of a sign-in that a cookie has; `None` where it is not ours, or too old.
    pub(crate) fn sign_in_state(&self, kept: &str, now: Timestamp) -> Option<SignInState> {
        let state: SignInState = self.claims(Purpose::SignInState, kept)?;
        (state.until > now.as_millis()).then_some(state)
    }

    /// Claims, signed for a purpose.
    fn said(&self, purpose: Purpose, claims: &impl Serialize) -> anyhow::Result<String> {
        let said = URL_SAFE_NO_PAD.encode(serde_json::to_vec(claims)?);
        let signature = self.mac(purpose, &said).finalize().into_bytes();
        Ok(format!("{said}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }

    /// What was signed for a purpose.
    fn claims<T: DeserializeOwned>(&self, purpose: Purpose, signed: &str) -> Option<T> {
        if signed.len() > LONGEST_TOKEN {
            return None;
        }
        let (said, signature) = signed.split_once('.')?;
        let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
        self.mac(purpose, said).verify_slice(&signature).ok()?;
        let said = URL_SAFE_NO_PAD.decode(said).ok()?;
        serde_json::from_slice(&said).ok()
    }

    /// How long a session lasts.
    #[must_use]
    pub(crate) fn session_lasts(&self) -> Duration {
        self.session_lasts
    }

    /// `MILLISECONDS.NONCE.SIGNATURE`.
    fn signed(&self, purpose: Purpose, until: Timestamp) -> anyhow::Result<String> {
        let nonce = URL_SAFE_NO_PAD.encode(random()?);
        let said = format!("{}.{nonce}", until.as_millis());
        let signature = self.mac(purpose, &said).finalize().into_bytes();
        Ok(format!("{said}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }

    fn mac(&self, purpose: Purpose, said: &str) -> Hmac<Sha256> {
        let mut mac = <Hmac<Sha256> as Mac>::new_from_slice(&self.key).expect("any length");
        mac.update(purpose.name().as_bytes());
        mac.update(b".");
        mac.update(said.as_bytes());
        mac
    }

    /// Until when it is valid, where it is.
    fn valid_until(&self, purpose: Purpose, text: &str, now: Timestamp) -> Option<Timestamp> {
        if text.len() > LONGEST {
            return None;
        }
        let (said, signature) = text.rsplit_once('.')?;
        let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
        self.mac(purpose, said).verify_slice(&signature).ok()?;
        let (until, _) = said.split_once('.')?;
        let until = Timestamp::from_millis(until.parse().ok()?);
        (until > now).then_some(until)
    }
}

pub(crate) fn random() -> anyhow::Result<[u8; NONCE]> {
    let mut bytes = [0; NONCE];
    getrandom::fill(&mut bytes)
        .map_err(|e| anyhow::anyhow!("the system gives no random bytes: {e}"))?;
    Ok(bytes)
}

mod accounts;
mod lookups;
mod readers;
mod tokens;
mod tries;

#[cfg(test)]
mod tests;
