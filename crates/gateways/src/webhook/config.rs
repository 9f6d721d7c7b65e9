//! What is configured, checked once.

use std::fmt;
use std::net::SocketAddr;
use std::str::FromStr;
use std::time::Duration;

use reqwest::Url;
use threadlore_model::ChannelId;

use super::signature::{BadSecret, Secret};
use crate::format::listed;
use crate::render::Platform;

/// Longest time of one call, in both directions.
const TIME_LIMIT: Duration = Duration::from_secs(10);

/// How answers are written for the receiver of deliveries.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum WebhookFormat {
    /// The Markdown of the answer as it is, in one message.
    #[default]
    Markdown,
    /// Text without markup, in one message.
    Plain,
    /// HTML of Telegram's Bot API.
    Telegram,
    /// Slack's mrkdwn.
    Slack,
    /// Markdown of Discord.
    Discord,
}

impl WebhookFormat {
    /// Every format.
    pub const ALL: [Self; 5] = [
        Self::Markdown,
        Self::Plain,
        Self::Telegram,
        Self::Slack,
        Self::Discord,
    ];

    /// The name in settings.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Markdown => "markdown",
            Self::Plain => "plain",
            Self::Telegram => "telegram",
            Self::Slack => "slack",
            Self::Discord => "discord",
        }
    }

    /// What the answer is rendered for; `None` where it is sent as it is.
    pub(super) const fn platform(self) -> Option<Platform> {
        match self {
            Self::Markdown => None,
            Self::Plain => Some(Platform::Plain { limit: usize::MAX }),
            Self::Telegram => Some(Platform::Telegram),
            Self::Slack => Some(Platform::Slack),
            Self::Discord => Some(Platform::Discord),
        }
    }
}

impl fmt::Display for WebhookFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for WebhookFormat {
    type Err = WebhookError;

    fn from_str(name: &str) -> Result<Self, WebhookError> {
        let mut all = Self::ALL.into_iter();
        all.find(|format| format.name() == name)
            .ok_or(WebhookError::Format)
    }
}

/// Why a webhook gateway cannot be made. No text has the secret or the URL.
#[derive(Debug, thiserror::Error)]
pub enum WebhookError {
    /// The secret is none.
    #[error(
        "The secret of the webhook gateway is not valid: {0}. Write whsec_ and behind it the \
         base64 of at least 24 random bytes, such as echo \"whsec_$(openssl rand -base64 32)\" \
         prints."
    )]
    Secret(&'static str),
    /// The URL is none.
    #[error(
        "The URL that webhook deliveries are sent to is no http or https URL with a host. Write \
         one such as https://chat.example/threadlore."
    )]
    Url,
    /// There is no platform.
    #[error(
        "The list of platforms of the webhook gateway is empty. Name at least one, such as \
         webhook: the part of a channel's id before the colon."
    )]
    NoPlatform,
    /// A platform's name is none.
    #[error(
        "The platform {0:?} of the webhook gateway is not valid. Write 1 to 32 of a-z, 0-9 and '-'."
    )]
    Platform(String),
    /// A format's name is none.
    #[error(
        "The format of webhook deliveries is not known. Write {}.",
        listed(WebhookFormat::ALL.map(WebhookFormat::name))
    )]
    Format,
    /// TLS or the like.
    #[error("The HTTP client of the webhook gateway cannot be set up.")]
    Client(#[source] reqwest::Error),
}

impl From<BadSecret> for WebhookError {
    fn from(bad: BadSecret) -> Self {
        Self::Secret(bad.reason())
    }
}

/// The configuration of a webhook gateway, which passed its checks.
#[derive(Clone)]
pub struct WebhookConfig {
    pub(super) listen: SocketAddr,
    pub(super) deliver_url: Url,
    pub(super) secret: Secret,
    pub(super) platforms: Vec<String>,
    pub(super) format: WebhookFormat,
    pub(super) time_limit: Duration,
}

/// Shows neither the secret nor what a URL may hold of secrets.
impl fmt::Debug for WebhookConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WebhookConfig")
            .field("listen", &self.listen)
            .field("deliver_host", &self.deliver_url.host_str())
            .field("secret", &self.secret)
            .field("platforms", &self.platforms)
            .field("format", &self.format)
            .field("time_limit", &self.time_limit)
            .finish()
    }
}

impl WebhookConfig {
    /// `listen` is where events are received, `deliver_url` where deliveries are sent. `secret` is
    /// `whsec_` and the base64 of at least 24 bytes. `platforms` are those of the channels that
    /// may come and be answered.
    ///
    /// # Errors
    /// A sentence that says what is not valid and what to write instead.
    pub fn new(
        listen: SocketAddr,
        deliver_url: &str,
        secret: &str,
        platforms: Vec<String>,
        format: WebhookFormat,
    ) -> Result<Self, WebhookError> {
        let secret = Secret::parse(secret)?;
        let deliver_url = Url::parse(deliver_url)
            .ok()
            .filter(|url| matches!(url.scheme(), "http" | "https") && url.has_host())
            .ok_or(WebhookError::Url)?;
        if platforms.is_empty() {
            return Err(WebhookError::NoPlatform);
        }
        if let Some(bad) = platforms.iter().find(|name| !is_platform(name)) {
            return Err(WebhookError::Platform(bad.chars().take(80).collect()));
        }
        Ok(Self {
            listen,
            deliver_url,
            secret,
            platforms,
            format,
            time_limit: TIME_LIMIT,
        })
    }

    /// The longest time of one call, in both directions; ten seconds without this.
    #[must_use]
    pub fn with_time_limit(mut self, limit: Duration) -> Self {
        self.time_limit = limit;
        self
    }
}

fn is_platform(name: &str) -> bool {
    ChannelId::parse(&format!("{name}:x")).is_ok_and(|channel| channel.platform() == name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";

    fn config(url: &str, secret: &str, platforms: &[&str]) -> Result<WebhookConfig, WebhookError> {
        let platforms = platforms.iter().map(|name| (*name).to_owned()).collect();
        let listen = SocketAddr::from(([127, 0, 0, 1], 0));
        WebhookConfig::new(listen, url, secret, platforms, WebhookFormat::default())
    }

    #[test]
    fn given_a_bad_value_when_it_is_configured_then_a_sentence_says_what_to_write() {
        let url = "https://chat.example/hook";
        for (url, secret, platforms, expect) in [
            (url, "MfKQ9r8GKYqr", &["webhook"][..], "begin with whsec_"),
            (url, "whsec_MfKQ*", &["webhook"], "not base64"),
            (url, "whsec_MfKQ9r8G", &["webhook"], "fewer than 24 bytes"),
            ("ftp://MfKQ", SECRET, &["webhook"], "no http or https URL"),
            ("MfKQ9r8GKYqr", SECRET, &["webhook"], "no http or https URL"),
            ("", SECRET, &["webhook"], "no http or https URL"),
            (url, SECRET, &[], "Name at least one"),
            (url, SECRET, &["webhook", "My Chat"], "\"My Chat\""),
            (url, SECRET, &["a:b"], "\"a:b\""),
            (url, SECRET, &[""], "1 to 32 of a-z"),
        ] {
            let error = config(url, secret, platforms).expect_err(expect);
            let text = error.to_string();
            assert!(text.contains(expect), "{text}");
            assert!(text.ends_with('.') && !text.contains("MfKQ"), "{text}");
        }
    }

    #[test]
    fn given_a_configuration_when_it_is_shown_then_nothing_secret_is_in_it() {
        let url = "https://user:MfKQpass@chat.example/MfKQpath?key=MfKQquery";
        let config = config(url, SECRET, &["webhook", "forum"]).expect("a configuration");
        let shown = format!("{config:?}");
        assert!(
            !shown.contains("MfKQ") && shown.contains("chat.example"),
            "{shown}"
        );
    }

    #[test]
    fn names_of_formats_go_both_ways() {
        for format in WebhookFormat::ALL {
            let name = format.to_string();
            assert_eq!(name.parse::<WebhookFormat>().ok(), Some(format));
        }
        let error = "html".parse::<WebhookFormat>().expect_err("unknown");
        assert!(error.to_string().ends_with("slack or discord."), "{error}");
    }
}
