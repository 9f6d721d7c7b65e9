//! What was said in a channel, with the conversations that the rules see in it and the cases that came of it.

use std::collections::BTreeMap;

use serde::Serialize;
use threadlore_language::threads;
use threadlore_model::{CaseId, ChannelId, Line, MessageId, Part, PersonId};
use threadlore_node::Node;
use threadlore_ports::Scope;
use threadlore_store_postgres::{ChannelMessage, MessagesEnd};
use utoipa::ToSchema;

/// How many messages before those that are listed are looked at too. Chosen: twice as far as a message is compared with
/// others (`threads`).
const BEFORE: u32 = 200;

/// Some messages of a channel.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Messages {
    /// The latest first.
    pub(crate) messages: Vec<Message>,
    /// The last of these messages, where more follow: what `after` has to say to list those.
    pub(crate) next: Option<String>,
}

/// A message of a channel.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Message {
    /// The message.
    #[schema(value_type = String)]
    pub(crate) message: MessageId,
    /// The id that the platform gave it.
    pub(crate) native_id: String,
    /// When it was sent.
    pub(crate) at: String,
    /// Who wrote it.
    #[schema(value_type = String)]
    pub(crate) person: PersonId,
    /// The writer's name; null when erased or unknown.
    pub(crate) name: Option<String>,
    /// The text; null when erased or redacted.
    pub(crate) text: Option<String>,
    /// Whether a bot wrote it.
    pub(crate) bot: bool,
    /// The message that it replies to, where the platform says so.
    #[schema(value_type = Option<String>)]
    pub(crate) reply_to: Option<MessageId>,
    /// The message with which its thread begins, where the platform says that it is in one.
    #[schema(value_type = Option<String>)]
    pub(crate) thread: Option<MessageId>,
    /// The message that it answers or continues: the platform's reply, or what the rules see; null where it begins
    /// a conversation.
    #[schema(value_type = Option<String>)]
    pub(crate) answers: Option<MessageId>,
    /// The first message of its conversation, among those listed and the 200 before them.
    #[schema(value_type = String)]
    pub(crate) conversation: MessageId,
    /// The cases that it is evidence of.
    pub(crate) cases: Vec<CasePart>,
}

/// A case, and the part that a message has in it.
#[derive(Debug, Clone, Serialize, ToSchema)]
pub(crate) struct CasePart {
    /// The case.
    #[schema(value_type = String)]
    pub(crate) case: CaseId,
    /// The message's part in it.
    #[schema(value_type = String)]
    pub(crate) part: Part,
}

/// Messages of a channel, up to `limit`, the latest first.
///
/// # Errors
/// What the tables say.
pub(crate) async fn list(
    node: &Node,
    scope: &Scope,
    channel: &ChannelId,
    (end, limit): (MessagesEnd, u32),
) -> anyhow::Result<Messages> {
    let most = limit.saturating_add(BEFORE);
    let read = node.store.messages(scope, channel, (end, most)).await?;
    let (read, links) = tokio::task::spawn_blocking(move || {
        let lines: Vec<Line> = read.iter().rev().map(line).collect();
        let links = threads::link(&lines);
        (read, links)
    })
    .await?;
    let ids: Vec<MessageId> = read.iter().map(|one| one.message).collect();
    let shown = read.len().min(limit as usize);
    let mut cases: BTreeMap<MessageId, Vec<CasePart>> = BTreeMap::new();
    for (message, part, case) in node.store.cases_from(scope, &ids[..shown]).await? {
        cases
            .entry(message)
            .or_default()
            .push(CasePart { case, part });
    }
    // The links count from the oldest on, and point at older ones.
    let of = |from_oldest: usize| ids[ids.len() - 1 - from_oldest];
    let mut firsts: Vec<usize> = Vec::with_capacity(links.len());
    for (at, link) in links.iter().enumerate() {
        firsts.push(link.map_or(at, |earlier| firsts[earlier]));
    }
    let next = (read.len() > shown).then(|| ids[shown - 1].to_string());
    let one = |(at, one): (usize, ChannelMessage)| {
        let from_oldest = ids.len() - 1 - at;
        Message {
            message: one.message,
            native_id: one.native_id,
            at: one.sent_at.to_string(),
            person: one.person,
            name: one.name,
            text: one.text,
            bot: one.bot,
            reply_to: one.reply_to,
            thread: one.thread,
            answers: links[from_oldest].map(of),
            conversation: of(firsts[from_oldest]),
            cases: cases.remove(&one.message).unwrap_or_default(),
        }
    };
    let messages = read.into_iter().take(shown).enumerate().map(one).collect();
    Ok(Messages { messages, next })
}

/// A message as the rules read it; what is erased says nothing.
fn line(message: &ChannelMessage) -> Line {
    Line {
        message: message.message,
        person: message.person,
        name: message.name.clone(),
        text: message.text.clone().unwrap_or_default(),
        at: message.sent_at,
        reply_to: message.reply_to,
        thread: message.thread,
        mentions: message.mentions.clone(),
        bot: message.bot,
        // Who answers whom does not depend on it.
        positive: 0,
    }
}
