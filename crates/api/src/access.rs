//! Who may: a link for one sign-in, and the session that it begins. Both are signed with the session
//! key of the installation, so nothing of them is stored, and a session outlives a restart.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, Mac};
use sha2::Sha256;
use threadlore_model::Timestamp;

/// How long a link can be followed.
pub const LINK_LASTS: Duration = Duration::from_secs(600);
/// The most bytes of what is signed: a longer one is not looked at.
const LONGEST: usize = 200;
/// Random bytes that tell two links apart.
const NONCE: usize = 16;

/// What is signed; a link is no session, and a session no link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Purpose {
    SignIn,
    Session,
}

impl Purpose {
    const fn name(self) -> &'static str {
        match self {
            Self::SignIn => "sign-in",
            Self::Session => "session",
        }
    }
}

/// Signs links and sessions, and knows which links were followed.
pub(crate) struct Access {
    key: [u8; 32],
    session_lasts: Duration,
    /// Links that began a session, until they would have run out.
    followed: Mutex<BTreeMap<String, Timestamp>>,
}

impl Access {
    /// With the key of the installation.
    #[must_use]
    pub(crate) fn new(key: [u8; 32], session_lasts: Duration) -> Self {
        Self {
            key,
            session_lasts,
            followed: Mutex::default(),
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
        let mut nonce = [0; NONCE];
        getrandom::fill(&mut nonce)
            .map_err(|e| anyhow::anyhow!("the system gives no random bytes: {e}"))?;
        let said = format!("{}.{}", until.as_millis(), URL_SAFE_NO_PAD.encode(nonce));
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

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(1_700_000_000_000);
    const HOUR: Duration = Duration::from_secs(3600);

    fn access() -> Access {
        Access::new([7; 32], HOUR)
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
        assert!(!Access::new([8; 32], HOUR).is_session(&session, NOW));
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
}
