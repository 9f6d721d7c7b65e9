//! What is configured of a homeserver, checked once.

use std::fmt;

use reqwest::Url;
use ruma::{OwnedRoomOrAliasId, OwnedServerName, OwnedUserId, RoomOrAliasId, ServerName, UserId};
use threadlore_model::{ChannelId, SpaceId};

use crate::bots::Bots;

/// Why a Matrix gateway cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum MatrixError {
    /// A setting.
    #[error("`matrix.{key}` {reason}")]
    Setting {
        /// Its name in the table.
        key: &'static str,
        /// What is wrong, and what to write.
        reason: String,
    },
    /// No HTTP client, for example because the machine has no certificates.
    #[error("HTTP calls cannot be made")]
    Client(#[source] reqwest::Error),
}

impl MatrixError {
    fn new(key: &'static str, reason: impl Into<String>) -> Self {
        Self::Setting {
            key,
            reason: reason.into(),
        }
    }
}

/// Whose invitations are accepted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Inviter {
    Everybody,
    Person(OwnedUserId),
    Server(OwnedServerName),
}

/// An account, and the rooms that it may be in.
#[derive(Clone)]
pub struct MatrixConfig {
    /// Without a slash at its end.
    pub(super) homeserver: String,
    pub(super) token: String,
    pub(super) rooms: Vec<OwnedRoomOrAliasId>,
    pub(super) invited_by: Vec<Inviter>,
    pub(super) space: SpaceId,
    pub(super) platforms: Vec<String>,
    pub(super) bots: Bots,
    /// Who counts as admin in every room; where empty, its moderators do.
    pub(super) admins: Vec<String>,
    /// Messages of a room's past that are read.
    pub(super) history: usize,
}

/// The settings as they are written.
#[derive(Clone, Default)]
pub struct MatrixSettings {
    /// The address of the account's server.
    pub homeserver: String,
    /// The account's access token.
    pub token: String,
    /// Rooms to join, by name or id.
    pub rooms: Vec<String>,
    /// Whose invitations are accepted: people, servers, or `*`.
    pub invited_by: Vec<String>,
    /// The space of the rooms.
    pub space: String,
    /// The platform of the rooms' ids.
    pub platform: String,
    /// User ids of other bots, as `import --bots` takes names.
    pub bots: String,
    /// User ids that are admins; where empty, a room's moderators are.
    pub admins: Vec<String>,
    /// Messages of a room's past that are read when the bot joins it.
    pub history: u32,
}

/// Shows no token.
impl fmt::Debug for MatrixConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MatrixConfig")
            .field("homeserver", &self.homeserver)
            .field("rooms", &self.rooms)
            .finish_non_exhaustive()
    }
}

impl MatrixConfig {
    /// Checks the settings.
    ///
    /// # Errors
    /// Which of them is wrong, and what to write.
    pub fn new(settings: MatrixSettings) -> Result<Self, MatrixError> {
        let homeserver = settings.homeserver.trim_end_matches('/');
        let url = Url::parse(homeserver).ok().filter(|url| {
            matches!(url.scheme(), "http" | "https")
                && url.has_host()
                && url.username().is_empty()
                && url.query().is_none()
        });
        if url.is_none() {
            let reason = "is not the address of a server: write https://matrix.example.org, the \
                          address that clients use (look at \
                          https://example.org/.well-known/matrix/client)";
            return Err(MatrixError::new("homeserver", reason));
        }
        let token = settings.token;
        if token.is_empty() || !token.chars().all(|c| c.is_ascii_graphic()) {
            let reason = "or `matrix.access_token_file` is missing, or is no token: docs/matrix.md \
                          says how to get one";
            return Err(MatrixError::new("access_token", reason));
        }
        let mut rooms = Vec::new();
        for room in &settings.rooms {
            let parsed = RoomOrAliasId::parse(room).map_err(|error| {
                let reason =
                    format!("names {room:?}, which is no room: write #help:example.org ({error})");
                MatrixError::new("rooms", reason)
            })?;
            rooms.push(parsed);
        }
        let invited_by = settings.invited_by.iter().map(|one| inviter(one));
        let invited_by = invited_by.collect::<Result<_, _>>()?;
        for admin in &settings.admins {
            user("admins", admin)?;
        }
        let space = SpaceId::parse(&settings.space);
        let space = space.map_err(|error| MatrixError::new("space", error.to_string()))?;
        if ChannelId::new(&settings.platform, "!room").is_err() {
            let reason = "is not the part of a channel's name before the colon: write \"matrix\"";
            return Err(MatrixError::new("platform", reason));
        }
        let bots = Bots::parse(&settings.bots);
        let bots = bots.map_err(|error| MatrixError::new("bots", format!("is wrong: {error}")))?;
        Ok(Self {
            homeserver: homeserver.to_owned(),
            token,
            rooms,
            invited_by,
            space,
            platforms: vec![settings.platform],
            bots,
            admins: settings.admins,
            history: settings.history as usize,
        })
    }

    /// The id of a room's channel; `None` for an id that cannot be kept.
    pub(super) fn channel(&self, room: &str) -> Option<ChannelId> {
        ChannelId::new(&self.platforms[0], &room.replace('/', "%2F")).ok()
    }

    /// Whether an invitation by this person is accepted.
    pub(super) fn accepts(&self, person: &UserId) -> bool {
        self.invited_by.iter().any(|by| match by {
            Inviter::Everybody => true,
            Inviter::Person(one) => one == person,
            Inviter::Server(server) => server == person.server_name(),
        })
    }
}

fn inviter(text: &str) -> Result<Inviter, MatrixError> {
    if text == "*" {
        return Ok(Inviter::Everybody);
    }
    if text.starts_with('@') {
        return user("invited_by", text).map(Inviter::Person);
    }
    let server = ServerName::parse(text).map_err(|_| {
        let reason = format!(
            "names {text:?}, which is neither a person nor a server: write @anna:example.org, \
             example.org or *"
        );
        MatrixError::new("invited_by", reason)
    })?;
    Ok(Inviter::Server(server))
}

fn user(key: &'static str, text: &str) -> Result<OwnedUserId, MatrixError> {
    UserId::parse(text).map_err(|error| {
        let reason =
            format!("names {text:?}, which is no user id: write @anna:example.org ({error})");
        MatrixError::new(key, reason)
    })
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Settings that can be used.
    pub(in super::super) fn settings() -> MatrixSettings {
        MatrixSettings {
            homeserver: "https://matrix.example.org/".to_owned(),
            token: "syt_token".to_owned(),
            rooms: vec!["#help:example.org".to_owned()],
            invited_by: vec!["@anna:example.org".to_owned(), "friends.test".to_owned()],
            space: "default".to_owned(),
            platform: "matrix".to_owned(),
            history: 100,
            ..MatrixSettings::default()
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_what_to_write() {
        let config = MatrixConfig::new(settings()).expect("it can be used");
        let shown = format!("{config:?}");
        assert!(shown.contains("https://matrix.example.org"), "{shown}");
        assert!(!shown.contains("syt_token"), "{shown}");
        type Change = fn(&mut MatrixSettings);
        let wrong: [(Change, &str); 8] = [
            (
                |s| s.homeserver = "example.org".to_owned(),
                "`matrix.homeserver`",
            ),
            (
                |s| s.homeserver = "https://a:b@c.org".to_owned(),
                "address that clients use",
            ),
            (|s| s.token.clear(), "docs/matrix.md"),
            (|s| s.rooms.push("help".to_owned()), "#help:example.org"),
            (
                |s| s.invited_by.push("@anna".to_owned()),
                "@anna:example.org",
            ),
            (|s| s.admins.push("anna".to_owned()), "`matrix.admins`"),
            (|s| s.space = "No Space".to_owned(), "`matrix.space`"),
            (|s| s.bots = "a*b".to_owned(), "`matrix.bots`"),
        ];
        for (change, words) in wrong {
            let mut changed = settings();
            change(&mut changed);
            let error = MatrixConfig::new(changed).expect_err("wrong").to_string();
            assert!(error.contains(words), "{words}: {error}");
        }
    }

    #[test]
    fn invitations_are_accepted_from_people_servers_or_everybody() {
        let accepts = |invited_by: &[&str], person: &str| {
            let mut settings = settings();
            settings.invited_by = invited_by.iter().map(|one| (*one).to_owned()).collect();
            let person = UserId::parse(person).expect("a user");
            MatrixConfig::new(settings)
                .expect("it can be used")
                .accepts(&person)
        };
        let list = ["@anna:example.org", "friends.test"];
        for (person, accepted) in [
            ("@anna:example.org", true),
            ("@ben:example.org", false),
            ("@ben:friends.test", true),
            ("@ben:friends.test.evil.org", false),
        ] {
            assert_eq!(accepts(&list, person), accepted, "{person}");
        }
        assert!(accepts(&["*"], "@ben:anywhere.net"));
        assert!(!accepts(&[], "@anna:example.org"));
    }
}
