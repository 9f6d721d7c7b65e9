//! Calls to the homeserver.

use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use reqwest::Client as Http;
use reqwest::redirect::Policy;
use ruma::api::auth_scheme::{AuthScheme, SendAccessToken};
use ruma::api::error::{Error, ErrorKind, FromHttpResponseError, RetryAfter};
use ruma::api::path_builder::PathBuilder;
use ruma::api::{
    IncomingResponseExt as _, MatrixVersion, OutgoingRequest, OutgoingRequestExt as _,
    SupportedVersions,
};
use threadlore_model::Timestamp;
use threadlore_ports::{Clock, PortError};

use super::config::{MatrixConfig, MatrixError};

/// Longest answer that is read, in bytes: the first sync of an account in many rooms is long.
const MOST: usize = 64 << 20;
/// Longest pause that a server may ask for.
const PAUSE_MAX: Duration = Duration::from_secs(60);
/// The pause where a server asks for one and does not say how long.
const PAUSE: Duration = Duration::from_secs(2);

/// Calls with the token of one account.
pub(super) struct Client {
    http: Http,
    homeserver: String,
    token: String,
    clock: Arc<dyn Clock>,
    /// The server asked to be left alone until then.
    paused: Mutex<Option<Timestamp>>,
}

/// Why a call failed. None has the token or a text of a message.
#[derive(Debug)]
pub(super) enum Failure {
    /// The server cannot be reached, breaks off, or says that it failed.
    Away(Option<reqwest::Error>),
    /// Something else answers there.
    NoMatrix,
    /// The server wants fewer calls.
    TooMany,
    /// The token is not, or no longer, one of an account.
    Token,
    /// It is not allowed, or not there: what the server says, such as `M_FORBIDDEN`.
    Refused(String),
}

impl Failure {
    /// What it means for receiving.
    pub(super) fn receiving(self) -> PortError {
        self.doing("being in rooms of Matrix")
    }

    /// What it means for a delivery. A token or an address can be mended before its time is over, so
    /// it waits for that.
    pub(super) fn delivering(self) -> PortError {
        const DOING: &str = "sending to a room of Matrix";
        let reason = match self {
            Self::Token => "the homeserver does not know the access token",
            Self::NoMatrix => "what answers at `matrix.homeserver` is no Matrix server",
            other => return other.doing(DOING),
        };
        PortError::Busy {
            doing: DOING,
            reason,
            source: None,
        }
    }

    fn doing(self, doing: &'static str) -> PortError {
        let reason = match self {
            Self::Away(source) => {
                return PortError::Unavailable {
                    doing,
                    what: "the Matrix server",
                    source: source.map(|error| Box::new(error) as _),
                };
            }
            Self::TooMany => {
                return PortError::Busy {
                    doing,
                    reason: "the homeserver wants fewer calls",
                    source: None,
                };
            }
            Self::Token => {
                "the homeserver does not know the access token, or the account was logged out: get a \
                 new one as docs/matrix.md says, and set `matrix.access_token`"
                    .to_owned()
            }
            Self::NoMatrix => {
                "what answers at `matrix.homeserver` is no Matrix server: look at the address"
                    .to_owned()
            }
            Self::Refused(said) => format!("the homeserver answered {said}"),
        };
        PortError::Refused { doing, reason }
    }
}

impl Client {
    pub(super) fn new(config: &MatrixConfig, clock: Arc<dyn Clock>) -> Result<Self, MatrixError> {
        let http = Http::builder()
            .connect_timeout(Duration::from_secs(10))
            // The token goes to the configured server alone.
            .redirect(Policy::none())
            .user_agent("threadlore")
            .build();
        Ok(Self {
            http: http.map_err(|error| MatrixError::Client(error.without_url()))?,
            homeserver: config.homeserver.clone(),
            token: config.token.clone(),
            clock,
            paused: Mutex::default(),
        })
    }

    /// Makes a call that is answered within this time.
    pub(super) async fn call<R>(
        &self,
        request: R,
        within: Duration,
    ) -> Result<R::IncomingResponse, Failure>
    where
        R: OutgoingRequest<EndpointError = Error>,
        for<'a> R::Authentication: AuthScheme<Input<'a> = SendAccessToken<'a>>,
        for<'a> R::PathBuilder: PathBuilder<Input<'a> = Cow<'a, SupportedVersions>>,
    {
        self.wait().await;
        // What is called has stood in the specification since its version 1.1.
        let versions = SupportedVersions {
            versions: [MatrixVersion::V1_1].into(),
            features: Default::default(),
        };
        let token = SendAccessToken::IfRequired(&self.token);
        let request = request
            .try_into_http_request::<Vec<u8>>(&self.homeserver, token, Cow::Owned(versions))
            .map_err(|error| {
                Failure::Refused(format!("nothing, for it cannot be asked: {error}"))
            })?;
        let mut request = reqwest::Request::try_from(request)
            .map_err(|error| Failure::Away(Some(error.without_url())))?;
        *request.timeout_mut() = Some(within);
        let away = |error: reqwest::Error| Failure::Away(Some(error.without_url()));
        let mut response = self.http.execute(request).await.map_err(away)?;
        let mut answer = http_response(&response);
        let mut bytes = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(away)? {
            if bytes.len() + chunk.len() > MOST {
                return Err(Failure::Refused(format!("more than {MOST} bytes")));
            }
            bytes.extend_from_slice(&chunk);
        }
        let status = answer.status();
        if status.is_redirection() {
            return Err(Failure::NoMatrix);
        }
        *answer.body_mut() = &bytes[..];
        R::IncomingResponse::try_from_http_response(answer).map_err(|error| match error {
            FromHttpResponseError::Server(error) => self.failure(&error),
            _ => Failure::NoMatrix,
        })
    }

    fn failure(&self, error: &Error) -> Failure {
        match error.error_kind() {
            Some(ErrorKind::LimitExceeded(limit)) => {
                let pause = match limit.retry_after {
                    Some(RetryAfter::Delay(delay)) => delay,
                    _ => PAUSE,
                };
                let until = self.clock.now().plus(pause.min(PAUSE_MAX));
                *self.paused.lock().unwrap_or_else(PoisonError::into_inner) = Some(until);
                Failure::TooMany
            }
            Some(ErrorKind::UnknownToken(_) | ErrorKind::MissingToken) => Failure::Token,
            _ if error.status_code.is_server_error() => Failure::Away(None),
            Some(kind) => Failure::Refused(format!("{} ({})", kind.errcode(), error.status_code)),
            None => Failure::NoMatrix,
        }
    }

    /// Waits for as long as the server asked for.
    async fn wait(&self) {
        let paused = *self.paused.lock().unwrap_or_else(PoisonError::into_inner);
        let pause = paused.map(|until| until.since(self.clock.now()));
        if let Some(pause) = pause.filter(|pause| !pause.is_zero()) {
            self.clock.sleep(pause).await;
        }
    }
}

/// Status and headers, without a body.
fn http_response<'b>(response: &reqwest::Response) -> ruma::exports::http::Response<&'b [u8]> {
    let mut answer = ruma::exports::http::Response::new(&[][..]);
    *answer.status_mut() = response.status();
    *answer.headers_mut() = response.headers().clone();
    answer
}
