//! The settings of gateways.

use std::net::SocketAddr;
use std::path::PathBuf;

use crate::choices::WebhookFormat;
use crate::section::section;
use crate::{Secret, Settings};

section! {
    /// The gateway for platforms that join by two HTTP calls. It runs where `listen` is set. See
    /// webhook.md.
    Webhook "webhook" {
        /// Where it takes events over HTTP, for example `127.0.0.1:8090`; without it there is no such
        /// gateway.
        listen: Option<SocketAddr> = None;
        /// The URL that it sends answers to.
        deliver_url: Option<String> = None;
        /// The secret that signs both directions: `whsec_` and 24 to 64 bytes in base64.
        secret: Option<Secret> = None;
        /// A file with the secret and nothing else, in place of `secret`.
        secret_file: Option<PathBuf> = None;
        /// The platforms whose channels it serves, separated by commas: the part of a channel's name
        /// before the colon.
        platforms: String = "webhook".to_owned();
        /// How the texts of answers are written: `markdown`, `plain`, `telegram`, `slack` or
        /// `discord`.
        format: WebhookFormat = WebhookFormat::Markdown;
    }
}

section! {
    /// The gateway for channels of an IRC server. It runs where `server` is set. See irc.md.
    Irc "irc" {
        /// The server as `host:port`, for example `irc.libera.chat:6697`; without it there is no such
        /// gateway.
        server: Option<String> = None;
        /// Whether the connection is encrypted.
        tls: bool = true;
        /// A file of certificates (PEM) that are trusted beside those of the machine, for a server with
        /// an authority of its own.
        ca_file: Option<PathBuf> = None;
        /// The nick of the bot. Where it is taken, up to three `_` are added. People ask the bot by it,
        /// and by `responder.names`.
        nick: String = "lore".to_owned();
        /// The channels to be in, separated by commas, for example `#help, #chat`.
        channels: Option<String> = None;
        /// The space of these channels.
        space: String = "default".to_owned();
        /// The part of the channels' names before the colon, one for each network.
        platform: String = "irc".to_owned();
        /// Nicks of other bots, separated by commas, with `*` at the end of a name for any rest.
        bots: Option<String> = None;
        /// Nicks or accounts of the admins of these channels, separated by commas; without it, the
        /// operators of a channel are.
        admins: Option<String> = None;
        /// The password of the server.
        password: Option<Secret> = None;
        /// A file with this password and nothing else, in place of `password`.
        password_file: Option<PathBuf> = None;
        /// The account to log in to (SASL PLAIN).
        sasl_user: Option<String> = None;
        /// The password of this account.
        sasl_password: Option<Secret> = None;
        /// A file with this password and nothing else, in place of `sasl_password`.
        sasl_password_file: Option<PathBuf> = None;
    }
}

section! {
    /// The gateway for rooms of Matrix. It runs where `homeserver` is set. See matrix.md.
    Matrix "matrix" {
        /// The server of the bot's account, for example `https://matrix.example.org`; without it there is
        /// no such gateway.
        homeserver: Option<String> = None;
        /// The access token of the bot's account.
        access_token: Option<Secret> = None;
        /// A file with the access token and nothing else, in place of `access_token`.
        access_token_file: Option<PathBuf> = None;
        /// Rooms to join, by name or id, separated by commas, for example `#help:example.org`. The rooms
        /// that the account is in already are served too.
        rooms: Option<String> = None;
        /// Whose invitations are accepted, separated by commas: people (`@anna:example.org`), whole
        /// servers (`example.org`), or `*` for everybody. Without it none is.
        invited_by: Option<String> = None;
        /// The space of the rooms.
        space: String = "default".to_owned();
        /// The part of the rooms' names before the colon.
        platform: String = "matrix".to_owned();
        /// User ids of other bots, separated by commas, with `*` at the end of an id for any rest.
        /// Notices count as written by a bot whoever sends them.
        bots: Option<String> = None;
        /// User ids of the admins of these rooms, separated by commas; without it, those with a power
        /// level of 50 or more (moderators) are.
        admins: Option<String> = None;
        /// Messages of a room's past that are read when the bot joins it; it learns from them, and answers
        /// none of them.
        history: u32 = 1000, 0..=100_000;
    }
}

/// A gateway, as it is named.
#[derive(Debug, Clone, Copy)]
pub struct GatewayName {
    /// The table of the settings, and the page in `docs`.
    pub name: &'static str,
    /// The name on the command line.
    pub role: &'static str,
    /// The setting that chooses it.
    pub key: &'static str,
    is_chosen: fn(&Settings) -> bool,
    leave_out: fn(&mut Settings),
}

/// Every gateway.
pub const GATEWAYS: [GatewayName; 3] = [
    GatewayName {
        name: "irc",
        role: "gateway-irc",
        key: "irc.server",
        is_chosen: |settings| settings.irc.server.is_some(),
        leave_out: |settings| settings.irc = Irc::default(),
    },
    GatewayName {
        name: "matrix",
        role: "gateway-matrix",
        key: "matrix.homeserver",
        is_chosen: |settings| settings.matrix.homeserver.is_some(),
        leave_out: |settings| settings.matrix = Matrix::default(),
    },
    GatewayName {
        name: "webhook",
        role: "gateway-webhook",
        key: "webhook.listen",
        is_chosen: |settings| settings.webhook.listen.is_some(),
        leave_out: |settings| settings.webhook = Webhook::default(),
    },
];

impl Webhook {
    /// The platforms.
    #[must_use]
    pub fn platforms(&self) -> Vec<String> {
        listed(&self.platforms)
    }
}

impl Settings {
    /// The gateways that are chosen, by their names.
    #[must_use]
    pub fn gateways(&self) -> Vec<&'static str> {
        let chosen = GATEWAYS.iter().filter(|one| (one.is_chosen)(self));
        chosen.map(|one| one.name).collect()
    }

    /// Leaves out every gateway but these, for a process of their own.
    ///
    /// # Errors
    /// One of them is not chosen: what to set.
    pub fn only_gateways(&mut self, only: &[&str]) -> Result<(), String> {
        let chosen = self.gateways();
        if let Some(missing) = only.iter().find(|gateway| !chosen.contains(gateway)) {
            let key = GATEWAYS.iter().find(|one| one.name == *missing);
            return Err(format!(
                "the gateway {missing} is not set up: set `{}` and what it needs (see \
                 docs/{missing}.md)",
                key.map_or("", |one| one.key)
            ));
        }
        for gateway in GATEWAYS.iter().filter(|one| !only.contains(&one.name)) {
            (gateway.leave_out)(self);
        }
        Ok(())
    }
}

/// What is separated by commas.
#[must_use]
pub fn listed(all: &str) -> Vec<String> {
    let all = all.split(',').map(|one| one.trim().to_owned());
    all.filter(|one| !one.is_empty()).collect()
}
