//! Signing in at a provider of OpenID Connect.
//!
//! It is the authorization code flow (OpenID Connect Core 1.0, 3.1) with PKCE (RFC 7636), a state and a nonce. The
//! provider's metadata and keys are read at each sign-in, so a rotated key needs no restart.

use std::time::Duration;

use anyhow::Context as _;
use openidconnect::core::{
    CoreAuthenticationFlow, CoreClient, CoreIdTokenClaims, CoreJwsSigningAlgorithm,
    CoreProviderMetadata, CoreUserInfoClaims,
};
use openidconnect::{
    AuthorizationCode, ClientId, ClientSecret, CsrfToken, EndpointMaybeSet, EndpointNotSet,
    EndpointSet, IssuerUrl, Nonce, OAuth2TokenResponse as _, PkceCodeChallenge, PkceCodeVerifier,
    RedirectUrl, Scope, TokenResponse as _,
};
use reqwest::redirect::Policy;
use serde::{Deserialize, Serialize};
use threadlore_model::Timestamp;
use threadlore_node::{BadInput, Node};
use threadlore_settings::{Oidc, OidcClaim};

/// The path of the redirect URI, at the address of the pages.
pub(crate) const CALLBACK: &str = "/sign-in/provider/callback";
/// How long somebody may be at the provider.
pub(crate) const LASTS: Duration = Duration::from_secs(600);
/// The longest answer to one request that is waited for.
const PATIENCE: Duration = Duration::from_secs(10);
/// Signatures that count, each of a key that the provider alone has.
const SIGNATURES: [CoreJwsSigningAlgorithm; 7] = [
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha256,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha384,
    CoreJwsSigningAlgorithm::RsaSsaPkcs1V15Sha512,
    CoreJwsSigningAlgorithm::RsaSsaPssSha256,
    CoreJwsSigningAlgorithm::EcdsaP256Sha256,
    CoreJwsSigningAlgorithm::EcdsaP384Sha384,
    CoreJwsSigningAlgorithm::EdDsa,
];

/// A provider, as the settings name it.
pub(crate) struct Provider {
    /// What people call it.
    pub(crate) name: String,
    issuer: IssuerUrl,
    client: ClientId,
    secret: Option<ClientSecret>,
    claim: OidcClaim,
    http: reqwest::Client,
}

/// The state of a sign-in while somebody is at the provider. It is kept in a signed cookie.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct SignInState {
    /// What the provider sends back with them.
    pub(crate) state: String,
    /// What its token has to have.
    nonce: String,
    /// What shows that the code was asked for here.
    verifier: String,
    /// Milliseconds since 1970.
    pub(crate) until: i64,
}

type Client = CoreClient<
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointMaybeSet,
    EndpointMaybeSet,
>;

impl Provider {
    /// That of the settings, if they name one.
    ///
    /// # Errors
    /// The secret cannot be read.
    pub(crate) fn of(node: &Node) -> anyhow::Result<Option<Self>> {
        Self::new(&node.settings.oidc, node.oidc_secret()?)
    }

    fn new(settings: &Oidc, secret: Option<String>) -> anyhow::Result<Option<Self>> {
        let (Some(issuer), Some(client)) = (&settings.issuer, &settings.client_id) else {
            return Ok(None);
        };
        let of = |what: &str| BadInput(format!("{what} is no address (setting `oidc.issuer`)"));
        let issuer = IssuerUrl::new(issuer.clone()).with_context(|| of(issuer))?;
        let host = issuer.url().host_str().unwrap_or_default().to_owned();
        let http = reqwest::Client::builder()
            .timeout(PATIENCE)
            // Where it leads elsewhere, that is not the provider that was named.
            .redirect(Policy::none())
            .no_proxy()
            .build()?;
        Ok(Some(Self {
            name: settings.name.clone().unwrap_or(host),
            issuer,
            client: ClientId::new(client.clone()),
            secret: secret.map(ClientSecret::new),
            claim: settings.claim,
            http,
        }))
    }

    async fn client(&self, origin: &str) -> anyhow::Result<Client> {
        let metadata = CoreProviderMetadata::discover_async(self.issuer.clone(), &self.http);
        let metadata = metadata.await.context("reading its metadata")?;
        let (client, secret) = (self.client.clone(), self.secret.clone());
        let back = RedirectUrl::new(format!("{origin}{CALLBACK}"))?;
        Ok(CoreClient::from_provider_metadata(metadata, client, secret).set_redirect_uri(back))
    }

    /// The address of the provider to which a browser is sent, and the state to keep meanwhile. `origin` is the scheme
    /// and host at which the browser sees these pages.
    ///
    /// # Errors
    /// The provider does not answer, or not as one.
    pub(crate) async fn authorize(
        &self,
        origin: &str,
        now: Timestamp,
    ) -> anyhow::Result<(String, SignInState)> {
        let client = self.client(origin).await?;
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let code = CoreAuthenticationFlow::AuthorizationCode;
        let scope = match self.claim {
            OidcClaim::Email => "email",
            OidcClaim::PreferredUsername => "profile",
        };
        let (to, state, nonce) = client
            .authorize_url(code, CsrfToken::new_random, Nonce::new_random)
            .add_scope(Scope::new(scope.to_owned()))
            .set_pkce_challenge(challenge)
            .url();
        let state = SignInState {
            state: state.into_secret(),
            nonce: nonce.secret().clone(),
            verifier: verifier.into_secret(),
            until: now.plus(LASTS).as_millis(),
        };
        Ok((to.into(), state))
    }

    /// Exchanges the code for the name of the person, in small letters; `None` where the provider gives no name that
    /// counts.
    ///
    /// # Errors
    /// The provider does not answer, or its id token is not for this sign-in or cannot be trusted.
    pub(crate) async fn exchange(
        &self,
        origin: &str,
        state: SignInState,
        code: String,
    ) -> anyhow::Result<Option<String>> {
        let client = self.client(origin).await?;
        let tokens = client
            .exchange_code(AuthorizationCode::new(code))?
            .set_pkce_verifier(PkceCodeVerifier::new(state.verifier))
            .request_async(&self.http)
            .await
            .context("exchanging the code")?;
        let token = tokens.id_token().context("it sent no id token")?;
        let verifier = client.id_token_verifier().set_allowed_algs(SIGNATURES);
        let claims: &CoreIdTokenClaims = token
            .claims(&verifier, &Nonce::new(state.nonce))
            .context("its id token is refused")?;
        let email = (claims.email(), claims.email_verified());
        let username = claims.preferred_username();
        let named = self.named(
            email.0.map(|email| email.as_str()),
            email.1,
            username.map(|name| name.as_str()),
        );
        if named.is_some() {
            return Ok(named);
        }
        // Some say it there alone.
        let subject = Some(claims.subject().clone());
        let Ok(asked) = client.user_info(tokens.access_token().clone(), subject) else {
            return Ok(None);
        };
        let said: CoreUserInfoClaims = asked
            .request_async(&self.http)
            .await
            .context("asking who it is")?;
        Ok(self.named(
            said.email().map(|email| email.as_str()),
            said.email_verified(),
            said.preferred_username().map(|name| name.as_str()),
        ))
    }

    /// The name of the account. An address counts that the provider has verified: else anybody could say that of
    /// somebody else.
    fn named(
        &self,
        email: Option<&str>,
        is_verified: Option<bool>,
        username: Option<&str>,
    ) -> Option<String> {
        let name = match self.claim {
            OidcClaim::Email => email.filter(|_| is_verified == Some(true)),
            OidcClaim::PreferredUsername => username,
        };
        name.map(|name| name.trim().to_lowercase())
    }
}

#[cfg(test)]
mod tests;
