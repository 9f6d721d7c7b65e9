//! The JSON of a delivery, and of its answer.

use serde::{Deserialize, Serialize};
use threadlore_model::{Delivery, DeliveryKind, SpaceId};

use super::config::WebhookFormat;
use crate::render::render;

/// Longest id of a platform, in bytes.
const ID_MAX: usize = 256;

/// A delivery as it is sent.
pub(super) struct Payload {
    /// JSON.
    pub(super) body: Vec<u8>,
    /// The texts of its messages as people see them; each message gets an id.
    pub(super) texts: Vec<String>,
}

#[derive(Serialize)]
struct Call<'a> {
    key: String,
    space: &'a str,
    channel: &'a str,
    #[serde(flatten)]
    what: What<'a>,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum What<'a> {
    Answer {
        format: &'static str,
        messages: Vec<String>,
        reply_to: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        thread: Option<&'a str>,
    },
    Withdrawal {
        native_ids: &'a [String],
    },
}

#[derive(Deserialize)]
struct Reply {
    native_ids: Vec<String>,
}

/// What is sent of a delivery; `None` where there is nothing to be seen.
pub(super) fn of(space: &SpaceId, delivery: &Delivery, format: WebhookFormat) -> Option<Payload> {
    let (what, texts) = match &delivery.what {
        DeliveryKind::Answer {
            text,
            reply_to,
            thread,
        } => {
            let (messages, texts): (Vec<_>, Vec<_>) = messages(text, format).into_iter().unzip();
            if messages.is_empty() {
                return None;
            }
            let answer = What::Answer {
                format: format.name(),
                messages,
                reply_to,
                thread: thread.as_deref(),
            };
            (answer, texts)
        }
        DeliveryKind::Withdrawal { native_ids } => (What::Withdrawal { native_ids }, Vec::new()),
    };
    let call = Call {
        key: delivery.key(),
        space: space.as_str(),
        channel: delivery.channel.as_str(),
        what,
    };
    // Texts and lists of them are always JSON.
    let body = serde_json::to_vec(&call).ok()?;
    Some(Payload { body, texts })
}

/// The messages of a text, as they are sent and as people see them.
fn messages(text: &str, format: WebhookFormat) -> Vec<(String, String)> {
    let Some(platform) = format.platform() else {
        let is_blank = text.trim().is_empty();
        let whole = (!is_blank).then(|| (text.to_owned(), text.to_owned()));
        return whole.into_iter().collect();
    };
    let parts = render(text, platform).into_iter();
    let both = parts.map(|part| {
        let sent = part.formatted.unwrap_or_else(|| part.body.clone());
        (sent, part.body)
    });
    both.collect()
}

/// The ids in the answer to a delivery of so many messages, or why there are none; nothing of the
/// answer is repeated.
pub(super) fn native_ids(answer: &[u8], messages: usize) -> Result<Vec<String>, String> {
    let reply: Reply = serde_json::from_slice(answer).map_err(|e| {
        format!(
            "the receiver's answer is not JSON such as {{\"native_ids\": [\"1\"]}} (line {}, \
             column {}): whether the answer was posted is not known",
            e.line(),
            e.column()
        )
    })?;
    let ids = reply.native_ids;
    if ids.len() != messages {
        return Err(format!(
            "the receiver answered {} ids for {messages} messages: it must answer one id for each, \
             in their order",
            ids.len()
        ));
    }
    let is_bad =
        |id: &String| id.trim().is_empty() || id.len() > ID_MAX || id.contains(char::is_control);
    if ids.iter().any(is_bad) {
        return Err(
            "an id that the receiver answered is empty, longer than 256 bytes or has control \
             characters"
                .to_owned(),
        );
    }
    Ok(ids)
}

#[cfg(test)]
mod tests;
