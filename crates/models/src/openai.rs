//! A client for chat models that speak OpenAI's protocol:
//! `POST {base_url}/chat/completions`, the answer as JSON of a given schema.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use threadlore_ports::{Clock, PortError, Tokens};

use crate::answer::Unusable;
use crate::server::{ClientError, Server, refused};

/// Longest answer that is read, in bytes.
const MOST_BYTES: usize = 1_000_000;

/// Characters of a broken answer that the model is shown again.
const SHOWN_AGAIN: usize = 4000;

/// The message to the model about an answer that cannot be used.
fn repair(wrong: &str) -> String {
    format!(
        "That answer cannot be used: {wrong}. Answer the question again, with JSON of the given schema \
         and nothing else."
    )
}

/// Which model, and how to reach it.
pub struct ChatSettings {
    /// The URL without `/chat/completions`, such as `http://127.0.0.1:8080/v1`.
    pub base_url: String,
    /// The model's name.
    pub model: String,
    /// The key, for servers that want one.
    pub api_key: Option<String>,
    /// Longest time for one call.
    pub timeout: Duration,
    /// Whether temperature 0 is asked for; some models refuse any.
    pub temperature_zero: bool,
    /// Counts what each call cost.
    pub meter: Option<Meter>,
}

/// Counts what each call of a model cost.
pub type Meter = Arc<dyn Fn(Tokens) + Send + Sync>;

/// One message of a conversation with a model.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Message {
    role: &'static str,
    content: String,
}

impl Message {
    pub(crate) fn system(content: impl Into<String>) -> Self {
        let (role, content) = ("system", content.into());
        Self { role, content }
    }
    pub(crate) fn user(content: impl Into<String>) -> Self {
        let (role, content) = ("user", content.into());
        Self { role, content }
    }
    pub(crate) fn assistant(content: impl Into<String>) -> Self {
        let (role, content) = ("assistant", content.into());
        Self { role, content }
    }
}

/// The JSON that is asked for.
#[derive(Debug)]
pub(crate) struct Format {
    pub(crate) name: &'static str,
    pub(crate) schema: Value,
}

/// Calls and tokens since the client was made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Spent {
    /// Requests.
    pub calls: u64,
    /// Those that showed the model an answer that could not be used.
    pub repairs: u64,
    /// Tokens sent, as far as the server says.
    pub prompt_tokens: u64,
    /// Tokens of the answers, as far as the server says.
    pub answer_tokens: u64,
}

#[derive(Default)]
struct Spending {
    calls: AtomicU64,
    repairs: AtomicU64,
    prompt_tokens: AtomicU64,
    answer_tokens: AtomicU64,
}

#[derive(Deserialize)]
struct Completion {
    choices: Vec<Choice>,
    // A server that reports tokens in another form is accepted.
    #[serde(default)]
    usage: Value,
}

#[derive(Deserialize)]
struct Choice {
    message: Said,
}

#[derive(Deserialize)]
struct Said {
    content: Option<String>,
}

/// A chat model behind HTTP, with a breaker.
pub(crate) struct Chat {
    server: Server,
    pub(crate) model: String,
    temperature_zero: bool,
    meter: Option<Meter>,
    spending: Spending,
}

impl Chat {
    pub(crate) fn new(settings: ChatSettings, clock: Arc<dyn Clock>) -> Result<Self, ClientError> {
        let server = Server::new(
            (&settings.base_url, "chat/completions"),
            settings.api_key.as_deref(),
            settings.timeout,
            clock,
        )?;
        Ok(Self {
            server,
            model: settings.model,
            temperature_zero: settings.temperature_zero,
            meter: settings.meter,
            spending: Spending::default(),
        })
    }

    /// The calls and tokens so far.
    pub(crate) fn spent(&self) -> Spent {
        let Spending {
            calls,
            repairs,
            prompt_tokens,
            answer_tokens,
        } = &self.spending;
        Spent {
            calls: calls.load(Ordering::Relaxed),
            repairs: repairs.load(Ordering::Relaxed),
            prompt_tokens: prompt_tokens.load(Ordering::Relaxed),
            answer_tokens: answer_tokens.load(Ordering::Relaxed),
        }
    }

    /// Sends a prompt, and once more if the answer cannot be used: the answer, and what it cost. `doing` is
    /// for errors.
    pub(crate) async fn ask_for<T>(
        &self,
        doing: &'static str,
        mut messages: Vec<Message>,
        format: &Format,
        read: impl Fn(&str) -> Result<T, Unusable>,
    ) -> Result<(T, Tokens), PortError> {
        let (said, mut tokens) = self.ask(&messages, format).await?;
        let wrong = match read(&said) {
            Ok(answer) => return Ok((answer, tokens)),
            Err(wrong) => wrong,
        };
        let said = match said.trim() {
            "" => "(nothing)".to_owned(),
            said => said.chars().take(SHOWN_AGAIN).collect(),
        };
        messages.push(Message::assistant(said));
        messages.push(Message::user(repair(&wrong.told)));
        self.spending.repairs.fetch_add(1, Ordering::Relaxed);
        let (said, again) = self.ask(&messages, format).await?;
        tokens += again;
        let answer = read(&said).map_err(|still| PortError::Refused {
            doing,
            reason: format!(
                "the model's answer `{}` cannot be used, also after it was told so: {}",
                format.name, still.reason
            ),
        })?;
        Ok((answer, tokens))
    }

    /// The model's answer to `messages`, which may be empty, and what it cost.
    async fn ask(
        &self,
        messages: &[Message],
        format: &Format,
    ) -> Result<(String, Tokens), PortError> {
        let mut body = json!({
            "model": self.model,
            "messages": messages,
            "response_format": {
                "type": "json_schema",
                "json_schema": { "name": format.name, "strict": true, "schema": format.schema },
            },
        });
        if self.temperature_zero {
            body["temperature"] = json!(0);
        }
        self.spending.calls.fetch_add(1, Ordering::Relaxed);
        let answer = self.server.ask(&body, MOST_BYTES, "no chat completion");
        let completion: Completion = answer.await?;
        let of_usage = |name: &str| completion.usage[name].as_u64().unwrap_or(0);
        let tokens = Tokens {
            prompt: of_usage("prompt_tokens"),
            answer: of_usage("completion_tokens"),
        };
        if let Some(meter) = &self.meter {
            meter(tokens);
        }
        let Spending {
            prompt_tokens,
            answer_tokens,
            ..
        } = &self.spending;
        prompt_tokens.fetch_add(tokens.prompt, Ordering::Relaxed);
        answer_tokens.fetch_add(tokens.answer, Ordering::Relaxed);
        let first = completion.choices.into_iter().next();
        let said = first.ok_or_else(|| refused("the model server answered without a choice"))?;
        Ok((said.message.content.unwrap_or_default(), tokens))
    }
}
