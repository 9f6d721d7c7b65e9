//! A question that a program asks for somebody, as a message of a channel.

use std::time::Duration;

use serde::Serialize;
use serde_json::json;
use threadlore_model::{Body, CaseId, ChannelId, CitedCase, MessageId, PersonId, Timestamp, Topic};
use threadlore_node::{BadInput, Node};
use threadlore_ports::Scope;
use threadlore_store_postgres::{KeptMessage, ListedTurn};
use utoipa::ToSchema;

use crate::asking::{Cited, EvidenceMessage, check};
use crate::refused::Refused;
use crate::site::Visit;

/// The longest id of a platform, in bytes.
const ID: usize = 256;
/// Clocks of processes differ by less than this.
const CLOCKS: Duration = Duration::from_secs(60);

/// A question of somebody, as a program has it.
pub(crate) struct ChannelQuestion<'a> {
    /// The channel that it is asked in.
    pub(crate) channel: ChannelId,
    /// The program's id of who asks.
    pub(crate) author: &'a str,
    /// Their name.
    pub(crate) name: Option<&'a str>,
    /// The program's id of the question.
    pub(crate) id: &'a str,
    /// What is asked.
    pub(crate) text: &'a str,
}

/// A question with what became of it, as who asked it sees it.
pub(crate) struct OwnQuestion {
    pub(crate) turn: ListedTurn,
    /// Who asked.
    pub(crate) person: PersonId,
    /// What was asked, unless it is erased.
    pub(crate) text: Option<String>,
}

/// What became of a question.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ChannelReply {
    /// Its id, as lists have it in `turn`.
    turn: String,
    /// What became of it: `answered`, `suggested` and `tracked` are from memory; `pointed` names the nearest cases, and
    /// `unknown` says that nothing is known; for what else there is, `because` says it.
    pub(crate) outcome: &'static str,
    /// That in one sentence.
    pub(crate) because: &'static str,
    /// What is said to who asked, without the link of the case that it is from; null for silence, and once it is erased.
    pub(crate) answer: Option<String>,
    /// The cases that the answer rests on or points at, the first one first.
    pub(crate) citations: Vec<Cited>,
}

impl ChannelReply {
    /// The ids of the cases that the answer rests on or points at.
    pub(crate) fn cases(&self) -> Vec<CaseId> {
        let cases = self.citations.iter();
        cases.filter_map(|cited| cited.case.parse().ok()).collect()
    }
}

impl Visit {
    /// Asks a question in its channel, for somebody; how it was decided on, `None` where that takes longer. The same id
    /// again is the same question, which is asked once.
    pub(crate) async fn ask_for(
        &self,
        question: &ChannelQuestion<'_>,
    ) -> Result<Option<ListedTurn>, Refused> {
        check(question.text)?;
        check_id("author", question.author)?;
        check_id("id", question.id)?;
        let (node, channel) = (self.node(), &question.channel);
        let author = self.person_of(channel.platform(), question.author);
        let message = MessageId::of_native(self.space(), channel, question.id);
        let kept = node.store.kept(&self.scope, &[message]).await?;
        let asked_at = match kept.get(&message) {
            Some(kept) => {
                check_same(kept, author, question)?;
                kept.sent_at
            }
            None => {
                let now = node.clock.now();
                let message = json!({
                    "type": "message",
                    "id": question.id,
                    "author": question.author,
                    "name": question.name,
                    "text": question.text,
                    "at": now.to_string(),
                    // Each visitor is a thread: they read nothing of others.
                    "thread": author.to_string(),
                    "to_bot": true,
                });
                let line = message.to_string().into_bytes();
                node.ingest(&self.scope, channel, &line, false).await?;
                now
            }
        };
        self.until(async || self.turn_with((channel, message), asked_at).await)
            .await
    }

    /// The turn with a message of a moment, once it is decided on.
    async fn turn_with(
        &self,
        message: (&ChannelId, MessageId),
        sent_at: Timestamp,
    ) -> Result<Option<ListedTurn>, Refused> {
        let since = sent_at.minus(CLOCKS);
        let store = &self.node().store;
        match store.turn_with(&self.scope, message, since).await? {
            Some(turn) => Ok(Some(self.turn(&turn.to_string()).await?)),
            None => Ok(None),
        }
    }

    /// What was asked with this id by this author, once it is decided on; `None` also where somebody else asked it.
    pub(crate) async fn asked_by(
        &self,
        channel: &ChannelId,
        author: &str,
        id: &str,
    ) -> Result<Option<OwnQuestion>, Refused> {
        let person = self.person_of(channel.platform(), author);
        let message = MessageId::of_native(self.space(), channel, id);
        let mut kept = self.node().store.kept(&self.scope, &[message]).await?;
        let Some(kept) = kept.remove(&message).filter(|kept| kept.person == person) else {
            return Ok(None);
        };
        let turn = self.turn_with((channel, message), kept.sent_at).await?;
        Ok(turn.map(|turn| OwnQuestion {
            turn,
            person,
            text: kept.text,
        }))
    }

    /// What is said to who asked, as the log has it.
    pub(crate) async fn reply_to(&self, turn: &ListedTurn) -> anyhow::Result<ChannelReply> {
        let (node, scope) = (self.node(), &self.scope);
        let (channel, turn_id) = ((scope.space(), &turn.channel), [turn.turn.as_uuid()]);
        let events = node.events_about(
            Topic::Answers,
            channel,
            &turn_id,
            |event| matches!(&event.body, Body::AnswerComposed(composed) if composed.turn == turn.turn),
        );
        let events = events.await?;
        let composed = events.iter().find_map(|(event, _)| match &event.body {
            Body::AnswerComposed(composed) => Some(composed),
            _ => None,
        });
        let citations = match composed {
            Some(composed) => cited(node, scope, &composed.cited).await?,
            None => Vec::new(),
        };
        Ok(ChannelReply {
            turn: turn.turn.to_string(),
            outcome: turn.outcome.name(),
            because: turn.outcome.sentence(),
            answer: composed.and_then(|composed| {
                let text = composed.text.text()?;
                Some(without_source(text, citations.first()).to_owned())
            }),
            citations,
        })
    }
}

/// Whether a program can name something so.
pub(super) fn check_id(field: &str, id: &str) -> Result<(), BadInput> {
    if (1..=ID).contains(&id.len()) && !id.chars().any(char::is_control) {
        return Ok(());
    }
    Err(BadInput(format!(
        "`{field}` is empty, longer than {ID} bytes or has control characters."
    )))
}

/// An id that was used names the same question of the same person.
fn check_same(
    kept: &KeptMessage,
    author: PersonId,
    question: &ChannelQuestion<'_>,
) -> Result<(), BadInput> {
    // A stored text lacks control characters.
    let plain = |text: &str| -> String {
        let signs = text.chars();
        let signs = signs.filter(|c| !c.is_control() && !c.is_whitespace());
        signs.collect()
    };
    let is_same = |text: &String| plain(question.text) == plain(text);
    if kept.person == author && kept.text.as_ref().is_none_or(is_same) {
        return Ok(());
    }
    Err(BadInput(format!(
        "`id` is “{}”, and something else has that id in this channel: another question needs another one.",
        question.id
    )))
}

/// An answer without its last paragraph where that names the case it is from, as it does in a chat: the citations say it.
fn without_source<'a>(text: &'a str, first: Option<&Cited>) -> &'a str {
    let parts = text.rsplit_once("\n\n").zip(first);
    let named = parts.filter(|((_, last), cited)| last.contains(&cited.link));
    named.map_or(text, |((words, _), _)| words)
}

/// The cases behind an answer, as they are now; those that are erased are left out.
async fn cited(node: &Node, scope: &Scope, cited: &[CitedCase]) -> anyhow::Result<Vec<Cited>> {
    let cases: Vec<_> = cited.iter().map(|one| one.case).collect();
    let messages: Vec<MessageId> = cited.iter().flat_map(|one| one.evidence.clone()).collect();
    let cases = node.store.cases_of(scope, &cases).await?;
    let kept = node.store.kept(scope, &messages).await?;
    let said = |message: &MessageId| {
        let line = kept.get(message)?;
        Some(EvidenceMessage {
            message: message.to_string(),
            at: line.sent_at.to_string(),
            name: line.name.clone(),
            text: line.text.clone(),
        })
    };
    let cited = cited.iter().filter_map(|one| {
        let case = cases.iter().find(|case| case.case == one.case)?;
        Some(Cited {
            case: one.case.to_string(),
            link: node.link(one.case),
            title: case.title.clone()?,
            close: one.close,
            evidence: one.evidence.iter().filter_map(said).collect(),
        })
    });
    Ok(cited.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_paragraph_goes_where_it_names_the_case() {
        let cited = Cited {
            case: "7".to_owned(),
            link: "https://lore.example.org/case/7".to_owned(),
            title: "iso".to_owned(),
            close: 900,
            evidence: Vec::new(),
        };
        for (text, wanted) in [
            (
                "run it\n\nthen again\n\nFrom: https://lore.example.org/case/7",
                "run it\n\nthen again",
            ),
            (
                "run it\n\nFrom: https://lore.example.org/case/8",
                "run it\n\nFrom: https://lore.example.org/case/8",
            ),
            (
                "near: https://lore.example.org/case/7",
                "near: https://lore.example.org/case/7",
            ),
        ] {
            assert_eq!(without_source(text, Some(&cited)), wanted);
            assert_eq!(without_source(text, None), text);
        }
    }
}
