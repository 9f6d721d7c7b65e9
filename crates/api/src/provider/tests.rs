use std::sync::{Arc, Mutex};

use axum::extract::State;
use axum::routing::{get, post};
use axum::{Json, Router};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use hmac::{Hmac, Mac as _};
use openidconnect::core::{CoreEdDsaPrivateSigningKey, CoreIdToken};
use openidconnect::{JsonWebKeyId, PrivateSigningKey as _};
use serde_json::{Value, json};
use sha2::Sha256;

use super::*;

const NOW: Timestamp = Timestamp::from_millis(1_700_000_000_000);
const ORIGIN: &str = "http://localhost:8600";
const SECRET: &str = "the secret of the installation";

/// A key of Ed25519 from its seed, in the frame that PKCS #8 has around one.
fn key(seed: u8) -> CoreEdDsaPrivateSigningKey {
    let mut der = b"\x30\x2e\x02\x01\x00\x30\x05\x06\x03\x2b\x65\x70\x04\x22\x04\x20".to_vec();
    der.extend([seed; 32]);
    let text = STANDARD.encode(der);
    let pem = format!("-----BEGIN PRIVATE KEY-----\n{text}\n-----END PRIVATE KEY-----\n");
    let id = JsonWebKeyId::new("one".to_owned());
    CoreEdDsaPrivateSigningKey::from_ed25519_pem(&pem, Some(id)).expect("a key")
}

/// What the provider says next.
#[derive(Default)]
struct Says {
    issuer: String,
    /// In place of a token of its own.
    token: Option<String>,
    claims: Value,
    /// The seed of the key that signs.
    seed: u8,
    user_info: Value,
    /// The form that it was sent last.
    sent: String,
}

type Shared = Arc<Mutex<Says>>;

async fn itself(State(says): State<Shared>) -> Json<Value> {
    let issuer = says.lock().expect("whole").issuer.clone();
    Json(json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{issuer}/authorize"),
        "token_endpoint": format!("{issuer}/token"),
        "userinfo_endpoint": format!("{issuer}/me"),
        "jwks_uri": format!("{issuer}/keys"),
        "response_types_supported": ["code"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["EdDSA"],
    }))
}

async fn keys() -> Json<Value> {
    Json(json!({ "keys": [key(7).as_verification_key()] }))
}

async fn token(State(says): State<Shared>, sent: String) -> Json<Value> {
    let mut says = says.lock().expect("whole");
    says.sent = sent;
    let token = says.token.clone().unwrap_or_else(|| {
        let claims: CoreIdTokenClaims =
            serde_json::from_value(says.claims.clone()).expect("claims");
        let algorithm = CoreJwsSigningAlgorithm::EdDsa;
        let token = CoreIdToken::new(claims, &key(says.seed), algorithm, None, None);
        token.expect("signed").to_string()
    });
    Json(json!({ "access_token": "an access token", "token_type": "Bearer", "id_token": token }))
}

async fn me(State(says): State<Shared>) -> Json<Value> {
    Json(says.lock().expect("whole").user_info.clone())
}

/// A provider that says what it is told to, and the client of it.
async fn provider(claim: OidcClaim) -> (Shared, Provider) {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a port");
    let issuer = format!("http://{}", listener.local_addr().expect("bound"));
    let says = Shared::default();
    let router = Router::new()
        .route("/.well-known/openid-configuration", get(itself))
        .route("/keys", get(keys))
        .route("/token", post(token))
        .route("/me", get(me))
        .with_state(Arc::clone(&says));
    tokio::spawn(async move { axum::serve(listener, router).await });
    let settings = Oidc {
        issuer: Some(issuer.clone()),
        client_id: Some("threadlore".to_owned()),
        claim,
        ..Oidc::default()
    };
    let provider = Provider::new(&settings, Some(SECRET.to_owned())).expect("settings");
    let mut said = says.lock().expect("whole");
    said.issuer = issuer;
    said.seed = 7;
    drop(said);
    (says, provider.expect("one"))
}

/// Claims that are true for a sign-in.
fn claims(says: &Shared, state: &SignInState) -> Value {
    let issuer = says.lock().expect("whole").issuer.clone();
    json!({
        "iss": issuer, "aud": ["threadlore"], "sub": "4711", "nonce": state.nonce,
        "iat": 1_700_000_000, "exp": 4_000_000_000_u32,
        "email": "Anna@Example.org", "email_verified": true, "preferred_username": "anna",
    })
}

async fn signs_in(
    (says, provider): &(Shared, Provider),
    changed: impl FnOnce(&mut Says),
) -> anyhow::Result<Option<String>> {
    let (_, state) = provider.authorize(ORIGIN, NOW).await.expect("it answers");
    let claims = claims(says, &state);
    {
        let mut said = says.lock().expect("whole");
        let user_info = json!({ "sub": "4711" });
        (said.claims, said.token, said.seed, said.user_info) = (claims, None, 7, user_info);
        changed(&mut said);
    }
    provider.exchange(ORIGIN, state, "a code".to_owned()).await
}

#[tokio::test]
async fn who_the_provider_knows_comes_back_with_their_name() {
    let with = provider(OidcClaim::Email).await;
    let (to, state) = with.1.authorize(ORIGIN, NOW).await.expect("it answers");
    let to: reqwest::Url = to.parse().expect("an address");
    let asked: std::collections::BTreeMap<_, _> = to.query_pairs().into_owned().collect();
    assert_eq!(to.path(), "/authorize");
    assert_eq!(asked["redirect_uri"], format!("{ORIGIN}{CALLBACK}"));
    assert_eq!(
        (&asked["state"], &asked["nonce"]),
        (&state.state, &state.nonce)
    );
    assert_eq!(asked["scope"], "openid email");
    assert_eq!(asked["code_challenge_method"], "S256");
    let name = signs_in(&with, |_| {}).await.expect("let in");
    assert_eq!(name.as_deref(), Some("anna@example.org"));
    let sent = with.0.lock().expect("whole").sent.clone();
    assert!(
        sent.contains("code=a+code") && sent.contains("code_verifier="),
        "{sent}"
    );
    let with = provider(OidcClaim::PreferredUsername).await;
    let name = signs_in(&with, |_| {}).await.expect("let in");
    assert_eq!(name.as_deref(), Some("anna"));
}

#[tokio::test]
async fn an_address_counts_that_the_provider_has_verified() {
    let with = provider(OidcClaim::Email).await;
    for verified in [json!(false), Value::Null] {
        let name = signs_in(&with, |says| says.claims["email_verified"] = verified).await;
        assert_eq!(name.expect("an answer"), None);
    }
    // What its token has not may be said where one asks who it is.
    let (email, other) = ("bob@example.org", "4712");
    let known = |subject| json!({ "sub": subject, "email": email, "email_verified": true });
    let name = signs_in(&with, |says| {
        says.claims["email"] = Value::Null;
        says.user_info = known("4711");
    });
    assert_eq!(name.await.expect("an answer").as_deref(), Some(email));
    let name = signs_in(&with, |says| {
        says.claims["email"] = Value::Null;
        says.user_info = known(other);
    });
    assert!(name.await.is_err(), "of somebody else");
}

/// A token that is signed in another way than the provider does.
fn forged(algorithm: &str, claims: &Value) -> String {
    let encoded = |part: &Value| URL_SAFE_NO_PAD.encode(part.to_string());
    let said = format!(
        "{}.{}",
        encoded(&json!({ "alg": algorithm })),
        encoded(claims)
    );
    let mut mac = <Hmac<Sha256> as hmac::Mac>::new_from_slice(SECRET.as_bytes()).expect("a key");
    mac.update(said.as_bytes());
    let signature = match algorithm {
        "none" => String::new(),
        _ => URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes()),
    };
    format!("{said}.{signature}")
}

#[tokio::test]
async fn a_token_that_is_not_for_this_sign_in_lets_nobody_in() {
    let with = provider(OidcClaim::Email).await;
    type Change = fn(&mut Says);
    let changes: [(&str, Change); 9] = [
        ("another nonce", |says| {
            says.claims["nonce"] = json!("other")
        }),
        ("no nonce", |says| says.claims["nonce"] = Value::Null),
        ("another audience", |says| {
            says.claims["aud"] = json!(["other"])
        }),
        ("several audiences", |says| {
            says.claims["aud"] = json!(["threadlore", "other"])
        }),
        ("another issuer", |says| {
            says.claims["iss"] = json!("http://127.0.0.1:1")
        }),
        ("it ran out", |says| {
            says.claims["exp"] = json!(1_700_000_001)
        }),
        ("another key", |says| says.seed = 8),
        ("no signature", |says| {
            says.token = Some(forged("none", &says.claims))
        }),
        // Whoever knows the secret of the installation is not the provider.
        ("signed with the secret", |says| {
            says.token = Some(forged("HS256", &says.claims))
        }),
    ];
    for (what, change) in changes {
        let signed_in = signs_in(&with, change).await;
        let refused = signed_in
            .map_err(|error| format!("{error:#}"))
            .expect_err(what);
        assert!(
            refused.contains("its id token is refused"),
            "{what}: {refused}"
        );
        assert!(!refused.contains("Anna"), "{refused}");
    }
    let garbled = signs_in(&with, |says| says.token = Some("x.y".to_owned())).await;
    assert!(garbled.is_err());
}

#[tokio::test]
async fn who_is_not_the_provider_that_was_named_is_not_asked() {
    let (says, provider) = provider(OidcClaim::Email).await;
    says.lock().expect("whole").issuer = "http://127.0.0.1:1".to_owned();
    let said = provider
        .authorize(ORIGIN, NOW)
        .await
        .expect_err("another issuer");
    assert!(
        format!("{said:#}").contains("reading its metadata"),
        "{said:#}"
    );
    let nobody = Oidc {
        issuer: Some("http://127.0.0.1:1".to_owned()),
        client_id: Some("threadlore".to_owned()),
        ..Oidc::default()
    };
    let provider = Provider::new(&nobody, None)
        .expect("settings")
        .expect("one");
    assert!(provider.authorize(ORIGIN, NOW).await.is_err());
}
