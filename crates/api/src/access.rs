//! Who may: a link for one sign-in and the session that it begins, for people; a token, for programs. All
//! are signed with the session key of the installation, so nothing of them is stored, and they outlive a
//! restart.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use governor::clock::{Clock as _, DefaultClock};
use governor::middleware::StateInformationMiddleware;
use governor::state::keyed::HashMapStateStore;
use governor::{Quota, RateLimiter};
use hmac::{Hmac, Mac};
use serde::{Deserialize, Serialize};
use sha2::Sha256;
use threadlore_model::{SpaceId, Timestamp};
use threadlore_ports::{Authority, Right};

/// How long a link can be followed.
pub const LINK_LASTS: Duration = Duration::from_secs(600);
/// The most bytes of what is signed: a longer one is not looked at.
const LONGEST: usize = 200;
/// Random bytes that tell two links apart.
const NONCE: usize = 16;

/// The most bytes of a token.
const LONGEST_TOKEN: usize = 1000;
/// How every token begins, so that whoever finds one knows what it is.
const TOKEN: &str = "tl_";

/// What is signed; a link is no session, and a session no link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    SignIn,
    Session,
    Token,
}

impl Purpose {
    const fn name(self) -> &'static str {
        match self {
            Self::SignIn => "sign-in",
            Self::Session => "session",
            Self::Token => "token",
        }
    }
}

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
pub struct Token {
    /// What it is revoked by.
    pub id: String,
    /// What the program sends; it is shown once.
    pub token: String,
}

/// The claims of a token.
#[derive(Serialize, Deserialize)]
struct Claims {
    id: String,
    name: String,
    space: String,
    may: Vec<Right>,
    /// Milliseconds since 1970.
    until: i64,
}

impl Claims {
    fn of(id: String, grant: &Grant) -> Self {
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
    /// What it may.
    pub(crate) authority: Authority,
}

/// What sessions and tokens are bound to.
pub(crate) struct Terms {
    /// How long a session lasts.
    pub(crate) session_lasts: Duration,
    /// Ids of tokens that count no more.
    pub(crate) revoked: Vec<String>,
    /// The most requests of a minute by one token.
    pub(crate) requests_per_minute: u32,
}

/// Signs links, sessions and tokens, and knows which links were followed.
pub(crate) struct Access {
    key: [u8; 32],
    session_lasts: Duration,
    /// Links that began a session, until they would have run out.
    followed: Mutex<BTreeMap<String, Timestamp>>,
    /// Ids of tokens that count no more.
    revoked: BTreeSet<String>,
    /// The requests of each token, by its id.
    requests: Requests,
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
            revoked: terms.revoked.into_iter().collect(),
            requests: requests.with_middleware(),
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

    /// A token for a program.
    ///
    /// # Errors
    /// The system gives no random bytes; the grant's name is too long.
    pub(crate) fn token(&self, grant: &Grant) -> anyhow::Result<Token> {
        let id = URL_SAFE_NO_PAD.encode(&random()?[..6]);
        let said = serde_json::to_vec(&Claims::of(id.clone(), grant))?;
        let said = URL_SAFE_NO_PAD.encode(said);
        let signature = self.mac(Purpose::Token, &said).finalize().into_bytes();
        let token = format!("{TOKEN}{said}.{}", URL_SAFE_NO_PAD.encode(signature));
        anyhow::ensure!(token.len() <= LONGEST_TOKEN, "the token's name is too long");
        Ok(Token { id, token })
    }

    /// Who sends this token; `None` where it is not ours, ran out, or was revoked.
    #[must_use]
    pub(crate) fn bearer(&self, token: &str, now: Timestamp) -> Option<Bearer> {
        if token.len() > LONGEST_TOKEN {
            return None;
        }
        let (said, signature) = token.strip_prefix(TOKEN)?.split_once('.')?;
        let signature = URL_SAFE_NO_PAD.decode(signature).ok()?;
        self.mac(Purpose::Token, said)
            .verify_slice(&signature)
            .ok()?;
        let said = URL_SAFE_NO_PAD.decode(said).ok()?;
        let said: Claims = serde_json::from_slice(&said).ok()?;
        if said.until <= now.as_millis() || self.revoked.contains(&said.id) {
            return None;
        }
        let space = SpaceId::parse(&said.space).ok()?;
        let may = said.may.into_iter();
        let grants = may.map(|right| (space.clone(), right)).collect();
        Some(Bearer {
            id: said.id,
            name: said.name,
            authority: Authority::of_grants(grants),
            space,
        })
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

    /// Whether this is a session of ours that did not run out.
    #[must_use]
    pub(crate) fn is_session(&self, session: &str, now: Timestamp) -> bool {
        self.valid_until(Purpose::Session, session, now).is_some()
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

fn random() -> anyhow::Result<[u8; NONCE]> {
    let mut bytes = [0; NONCE];
    getrandom::fill(&mut bytes)
        .map_err(|e| anyhow::anyhow!("the system gives no random bytes: {e}"))?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_700_000_000_000);
    const HOUR: Duration = Duration::from_secs(3600);

    fn terms(revoked: Vec<String>) -> Terms {
        Terms {
            session_lasts: HOUR,
            revoked,
            requests_per_minute: 3,
        }
    }

    #[test]
    fn a_token_makes_so_many_requests_and_no_other_token_fewer() {
        let access = access();
        let counted = |token| access.count(token).ok();
        assert_eq!(
            [counted("a"), counted("a"), counted("a")],
            [2, 1, 0].map(Some)
        );
        let wait = access.count("a").expect_err("too many");
        assert!(
            wait > Duration::ZERO && wait <= Duration::from_secs(20),
            "{wait:?}"
        );
        assert_eq!(counted("b"), Some(2));
    }

    fn access() -> Access {
        Access::new([7; 32], terms(Vec::new()))
    }

    fn session(access: &Access) -> String {
        let link = access.link(NOW).expect("a link");
        let followed = access.follow(&link, NOW).expect("random bytes");
        followed.expect("a session")
    }

    #[test]
    fn a_link_begins_one_session_and_no_second_one() {
        let access = access();
        let link = access.link(NOW).expect("a link");
        let first = access.follow(&link, NOW).expect("random bytes");
        assert!(access.is_session(&first.expect("a session"), NOW));
        assert_eq!(access.follow(&link, NOW).expect("random bytes"), None);
        let other = access.link(NOW).expect("a link");
        assert!(access.follow(&other, NOW).expect("random bytes").is_some());
    }

    #[test]
    fn links_and_sessions_run_out() {
        let access = access();
        let link = access.link(NOW).expect("a link");
        let late = NOW.plus(LINK_LASTS);
        assert_eq!(access.follow(&link, late).expect("random bytes"), None);
        let session = session(&access);
        assert!(access.is_session(&session, NOW.plus(HOUR).minus(Duration::from_millis(1))));
        assert!(!access.is_session(&session, NOW.plus(HOUR)));
    }

    #[test]
    fn a_session_outlives_the_process_and_no_other_key_makes_one() {
        let session = session(&access());
        assert!(access().is_session(&session, NOW));
        assert!(!Access::new([8; 32], terms(Vec::new())).is_session(&session, NOW));
    }

    #[test]
    fn what_is_changed_or_meant_for_something_else_is_refused() {
        let access = access();
        let link = access.link(NOW).expect("a link");
        let session = session(&access);
        assert!(!access.is_session(&link, NOW), "a link is no session");
        assert_eq!(access.follow(&session, NOW).expect("random bytes"), None);
        let (until, rest) = session.split_once('.').expect("a dot");
        let later = until.parse::<i64>().expect("a number") + 1;
        let (said, signature) = session.rsplit_once('.').expect("a dot");
        for changed in [
            format!("{later}.{rest}"),
            format!("{said}."),
            said.to_owned(),
            format!("{said}.{}", &signature[2..]),
            format!("{said}.{signature}0"),
            format!("{said}.zz{}", &signature[2..]),
            format!("{said}.é"),
            format!("{session}{}", "0".repeat(LONGEST)),
            String::new(),
            "..".to_owned(),
        ] {
            assert!(!access.is_session(&changed, NOW), "{changed:?}");
        }
    }

    fn grant() -> Grant {
        Grant {
            name: "grafana".to_owned(),
            space: SpaceId::parse("acme").expect("valid"),
            may: vec![Right::Read, Right::Ask],
            until: NOW.plus(HOUR),
        }
    }

    #[test]
    fn a_token_may_what_it_was_made_for_and_nothing_else() {
        let access = access();
        let made = access.token(&grant()).expect("a token");
        let bearer = access.bearer(&made.token, NOW).expect("it counts");
        assert_eq!((bearer.id, bearer.name.as_str()), (made.id, "grafana"));
        let may = |space: &str, right| {
            let space = SpaceId::parse(space).expect("valid");
            bearer.authority.authorise(&space, right).is_ok()
        };
        assert!(may("acme", Right::Read) && may("acme", Right::Ask));
        assert!(!may("acme", Right::Admin) && !may("acme", Right::Ingest));
        assert!(!may("other", Right::Read));
    }

    #[test]
    fn a_token_that_ran_out_was_revoked_or_changed_is_none() {
        let ours = access();
        let made = ours.token(&grant()).expect("a token");
        assert!(
            ours.bearer(&made.token, NOW.plus(HOUR)).is_none(),
            "too old"
        );
        let revoked = Access::new([7; 32], terms(vec![made.id.clone()]));
        assert!(revoked.bearer(&made.token, NOW).is_none());
        assert!(
            Access::new([8; 32], terms(Vec::new()))
                .bearer(&made.token, NOW)
                .is_none()
        );
        let (said, signature) = made.token.split_once('.').expect("a dot");
        let more = Grant {
            may: vec![Right::Admin],
            ..grant()
        };
        let more = Claims::of(made.id.clone(), &more);
        let more = URL_SAFE_NO_PAD.encode(serde_json::to_vec(&more).expect("JSON"));
        for changed in [
            format!("tl_{more}.{signature}"),
            said.to_owned(),
            format!("{said}."),
            format!("{said}.{signature}0"),
            made.token.replacen("tl_", "", 1),
            format!("{}{}", made.token, "0".repeat(LONGEST_TOKEN)),
            session(&ours),
            String::new(),
        ] {
            assert!(ours.bearer(&changed, NOW).is_none(), "{changed:?}");
        }
        assert!(!ours.is_session(&made.token, NOW), "a token is no session");
    }
}
