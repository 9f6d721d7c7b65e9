//! What is configured, checked once.

use std::fmt;
use std::path::PathBuf;

use threadlore_model::{ChannelId, SpaceId};

use crate::bots::Bots;

/// What is configured wrongly: which setting, why, and what to write.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`irc.{setting}` {reason}")]
pub struct IrcError {
    setting: &'static str,
    reason: String,
}

impl IrcError {
    pub(super) fn new(setting: &'static str, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self { setting, reason }
    }
}

/// A server and the channels that the bot is in.
#[derive(Clone)]
pub struct IrcConfig {
    pub(super) host: String,
    pub(super) port: u16,
    /// Whether the connection is encrypted, and with which further authorities.
    pub(super) tls: bool,
    pub(super) authorities: Option<PathBuf>,
    pub(super) nick: String,
    pub(super) channels: Vec<String>,
    pub(super) space: SpaceId,
    pub(super) platforms: Vec<String>,
    pub(super) bots: Bots,
    /// Who counts as admin in every channel; where empty, its operators do.
    pub(super) admins: Vec<String>,
    /// The password of the server.
    pub(super) password: Option<String>,
    /// User and password for SASL.
    pub(super) login: Option<(String, String)>,
}

/// The settings as they are written.
#[derive(Clone, Default)]
pub struct IrcSettings {
    /// `host:port`.
    pub server: String,
    /// Whether the connection is encrypted.
    pub tls: bool,
    /// A file of certificates that are trusted too.
    pub authorities: Option<PathBuf>,
    /// The bot's nick.
    pub nick: String,
    /// Channels, each with its mark.
    pub channels: Vec<String>,
    /// The space of the channels.
    pub space: String,
    /// The platform of the channels' ids.
    pub platform: String,
    /// Nicks of other bots, as `import --bots` takes them.
    pub bots: String,
    /// Nicks or accounts that are admins; where empty, a channel's operators are.
    pub admins: Vec<String>,
    /// The password of the server.
    pub password: Option<String>,
    /// User and password for SASL.
    pub login: Option<(String, String)>,
}

/// Shows no password.
impl fmt::Debug for IrcConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IrcConfig")
            .field("server", &format!("{}:{}", self.host, self.port))
            .field("tls", &self.tls)
            .field("nick", &self.nick)
            .field("channels", &self.channels)
            .finish_non_exhaustive()
    }
}

impl IrcConfig {
    /// Checks the settings.
    ///
    /// # Errors
    /// Which of them is wrong, and what to write.
    pub fn new(settings: IrcSettings) -> Result<Self, IrcError> {
        let (host, port) = settings
            .server
            .rsplit_once(':')
            .and_then(|(host, port)| Some((host, port.parse().ok()?)))
            .filter(|(host, port)| !host.is_empty() && *port > 0)
            .ok_or_else(|| {
                let reason = "is not a server: write host:port, for example irc.libera.chat:6697";
                IrcError::new("server", reason)
            })?;
        let is_nick = |nick: &str| {
            let is_mark = |c: char| c.is_ascii_alphanumeric() || "-_[]\\`^{}|".contains(c);
            !nick.starts_with(|c: char| c.is_ascii_digit() || c == '-')
                && (1..=30).contains(&nick.len())
                && nick.chars().all(is_mark)
        };
        if !is_nick(&settings.nick) {
            let reason = "is not a nick: write up to 30 letters, digits and -_[]\\`^{}|, not a digit \
                          first";
            return Err(IrcError::new("nick", reason));
        }
        let space = SpaceId::parse(&settings.space);
        let space = space.map_err(|error| IrcError::new("space", error.to_string()))?;
        if settings.channels.is_empty() {
            let reason = "is empty: name the channels to be in, for example \"#help, #chat\"";
            return Err(IrcError::new("channels", reason));
        }
        for channel in &settings.channels {
            let is_one = channel.starts_with(['#', '&', '+', '!'])
                && channel.len() <= 64
                && !channel.contains([' ', ',', '\u{7}'])
                && !channel.contains(char::is_control);
            let id = channel_id(&settings.platform, channel);
            if !is_one || id.is_none() {
                let reason = format!("names {channel:?}, which is no channel: write \"#help\"");
                return Err(IrcError::new("channels", reason));
            }
        }
        let bots = Bots::parse(&settings.bots);
        let bots = bots.map_err(|error| IrcError::new("bots", format!("is wrong: {error}")))?;
        Ok(Self {
            host: host.to_owned(),
            port,
            tls: settings.tls,
            authorities: settings.authorities,
            nick: settings.nick,
            channels: settings.channels,
            space,
            platforms: vec![settings.platform],
            bots,
            admins: settings.admins,
            password: settings.password,
            login: settings.login,
        })
    }

    /// The id of a channel.
    pub(super) fn channel(&self, name: &str) -> Option<ChannelId> {
        channel_id(&self.platforms[0], name)
    }
}

/// Names of channels have no case on IRC.
fn channel_id(platform: &str, name: &str) -> Option<ChannelId> {
    let name = crate::format::fold(name).replace('/', "%2F");
    ChannelId::parse(&format!("{platform}:{name}")).ok()
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// Settings that can be used.
    pub(in super::super) fn settings() -> IrcSettings {
        IrcSettings {
            server: "127.0.0.1:6667".to_owned(),
            nick: "lore".to_owned(),
            channels: vec!["#help".to_owned()],
            space: "default".to_owned(),
            platform: "irc".to_owned(),
            bots: "ubottu".to_owned(),
            ..IrcSettings::default()
        }
    }

    #[test]
    fn what_is_wrong_is_named_with_what_to_write() {
        let config = IrcConfig::new(settings()).expect("it can be used");
        let shown = format!("{config:?}");
        assert!(shown.contains("127.0.0.1:6667"), "{shown}");
        type Change = fn(&mut IrcSettings);
        let wrong: [(Change, &str); 7] = [
            (|s| s.server = "irc.test".to_owned(), "`irc.server`"),
            (|s| s.server = "irc.test:0".to_owned(), "host:port"),
            (|s| s.nick = "7up".to_owned(), "`irc.nick`"),
            (|s| s.channels.clear(), "`irc.channels` is empty"),
            (|s| s.channels.push("help".to_owned()), "no channel"),
            (|s| s.space = "No Space".to_owned(), "`irc.space`"),
            (|s| s.bots = "a*b".to_owned(), "`irc.bots`"),
        ];
        for (change, words) in wrong {
            let mut changed = settings();
            change(&mut changed);
            let error = IrcConfig::new(changed).expect_err("wrong").to_string();
            assert!(error.contains(words), "{words}: {error}");
        }
    }

    #[test]
    fn a_password_is_never_shown() {
        let mut settings = settings();
        settings.password = Some("s3cret".to_owned());
        settings.login = Some(("lore".to_owned(), "s3cret".to_owned()));
        let config = IrcConfig::new(settings).expect("it can be used");
        assert!(!format!("{config:?}").contains("s3cret"));
    }
}
