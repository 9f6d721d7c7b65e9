//! The settings of pages and of the HTTP API.

use std::net::SocketAddr;
use std::path::PathBuf;

use crate::Secret;
use crate::choices::OidcClaim;
use crate::section::section;

section! {
    /// The pages for people who look after a space, and the HTTP API for programs. See pages.md and api.md.
    Api "api" {
        /// Where `standalone` and the role `api` of `run` serve pages over HTTP, for example `127.0.0.1:8600`; without
        /// it they serve none, and `up` serves them at that address. It has to be one that this
        /// machine alone can reach (127.0.0.0/8 or ::1), unless `public_url` is set.
        listen: Option<SocketAddr> = None;
        /// A file with the key that signs links, sessions and tokens, as 64 hexadecimal digits; whoever has it
        /// is let in. The default is `secrets/session.key` in the data directory, made when missing.
        session_key_file: Option<PathBuf> = None;
        /// The address that a proxy with TLS serves it at, for example `https://lore.example.org`. With it
        /// `listen` may be an address that others reach, such as that of a pod. Between the proxy and this
        /// process nothing is encrypted.
        public_url: Option<String> = None;
        /// The most requests of a minute that each token may make of this process: so many at once, and as
        /// many again within the next minute.
        requests_per_minute: u32 = 600, 1..=1_000_000;
        /// Hours after which somebody has to sign in again.
        session_hours: u32 = 12, 1..=8_760;
    }
}

section! {
    /// Signing in to the pages at a provider of OpenID Connect, such as that of your organisation. See pages.md.
    Oidc "oidc" {
        /// The provider's issuer, for example `https://id.example.org/realms/staff`; without it people sign in with
        /// a password alone.
        issuer: Option<String> = None;
        /// What the provider calls this installation. It has to send people back to `/sign-in/provider/callback` at
        /// the address of the pages.
        client_id: Option<String> = None;
        /// The secret that the provider gave to this installation, where it gave one.
        client_secret: Option<Secret> = None;
        /// A file with the secret and nothing else, in place of `client_secret`.
        client_secret_file: Option<PathBuf> = None;
        /// What the provider says of people that is the name of their account here: `email`, which counts where the
        /// provider has verified it, or `preferred_username`.
        claim: OidcClaim = OidcClaim::Email;
        /// What the page for signing in calls the provider; its host, unless it is said.
        name: Option<String> = None;
    }
}

impl Api {
    /// The host, and port, of the public address.
    #[must_use]
    pub fn public_authority(&self) -> Option<&str> {
        let url = self.public_url.as_deref()?;
        Some(url.trim_start_matches("https://").trim_end_matches('/'))
    }

    /// Where anybody reaches the pages of published cases: their ids follow it.
    pub(crate) fn case_pages(&self) -> Option<String> {
        let public = self.public_authority()?;
        Some(format!("https://{public}/case/"))
    }
}
