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

impl Webhook {
    /// The platforms.
    #[must_use]
    pub fn platforms(&self) -> Vec<String> {
        listed(&self.platforms)
    }
}

impl Settings {
    /// The gateways that are chosen, by their names: `webhook`.
    #[must_use]
    pub fn gateways(&self) -> Vec<&'static str> {
        let webhook = self.webhook.listen.is_some().then_some("webhook");
        webhook.into_iter().collect()
    }

    /// Leaves out every gateway but these, for a process of their own.
    ///
    /// # Errors
    /// One of them is not chosen: what to set.
    pub fn only_gateways(&mut self, only: &[&str]) -> Result<(), String> {
        let chosen = self.gateways();
        if let Some(missing) = only.iter().find(|gateway| !chosen.contains(gateway)) {
            return Err(format!(
                "the gateway {missing} is not set up: set `{missing}.listen` and what it needs (see \
                 docs/{missing}.md)"
            ));
        }
        if !only.contains(&"webhook") {
            self.webhook = Webhook::default();
        }
        Ok(())
    }
}

/// What is separated by commas.
pub(super) fn listed(all: &str) -> Vec<String> {
    let all = all.split(',').map(|one| one.trim().to_owned());
    all.filter(|one| !one.is_empty()).collect()
}
