//! Redriving dead letters: another try, once the cause of the failure is fixed.
//!
//! A redrive is a new event with the dead letter as its cause: the log keeps what happened, and a
//! replay folds the new event at its own offset. The event is a copy of the failed record in the
//! same topic or, where only a role writes to that topic, a request to that role. A redrive is
//! possible only where a second copy of the record changes nothing for readers that took the
//! first one:
//!
//! | dead letter about | redriven as |
//! |---|---|
//! | `chat.inbox` | the same platform event; `intake` takes a platform event once |
//! | a failed extraction, `chat.turns` | a request; `buffer` announces the window again |
//! | anything else | refused, with what to do instead |

use threadlore_model::{
    Body, Cause, DeadLetter, Envelope, Event, EventId, ExtractionRequested, Partition, Role, Topic,
    TopicPartition,
};

use crate::Refusal;

/// The event that redrives a dead letter. `letter` is its id and place, `dead` its content,
/// `record` the source record, or why there is none.
///
/// Every failed attempt has a dead letter of its own, so an id made from that of the dead letter
/// names the record and the attempt. The times of the record stay, because a redrive must not move
/// channel time on.
///
/// # Errors
/// One sentence that says why not, and what to do instead.
pub fn redrive(
    letter: &Cause,
    dead: &DeadLetter,
    record: Result<&Event, &str>,
) -> Result<Event, Refusal> {
    may_be(dead).map_err(|why| Refusal(why.to_owned()))?;
    let record = record.map_err(|why| Refusal(why.to_owned()))?;
    if matches!(record.body, Body::DeadLetter(_)) || record.body.topic() != Some(dead.topic) {
        return Err(Refusal(
            "another record is at its offset: it cannot be redriven".to_owned(),
        ));
    }
    let envelope = Envelope {
        id: EventId::of_content("redrive", &[&letter.event.to_string()]),
        producer: None,
        cause: Some(letter.clone()),
        ..record.envelope.clone()
    };
    let body = match &record.body {
        Body::WindowReady(ready) => ExtractionRequested {
            channel: ready.channel.clone(),
            reason: ready.reason,
            messages: ready.messages,
            up_to: ready.up_to,
            announced_at: ready.now,
        }
        .into(),
        body => body.clone(),
    };
    Ok(Event { envelope, body })
}

/// Whether dead letters of this kind can be redriven at all.
fn may_be(dead: &DeadLetter) -> Result<(), &'static str> {
    match dead.topic {
        Topic::ChatInbox => Ok(()),
        Topic::ChatTurns if is_failed_extraction(dead) => Ok(()),
        Topic::KnowledgeCases if is_failed_call(dead, Role::Embedder) => Err(
            "a call for vectors cannot be redriven, because only a case's own events ask for \
                 one: the cases get their vectors when they change, or all get new ones from \
                 another `embedder.model`",
        ),
        Topic::KnowledgeRequests => Err(
            "a request is not redriven, because nothing was lost: the next window of its channel \
             covers what is left of the one that it asked for",
        ),
        Topic::Settings => Err(
            "settings are not redriven, because a later one may apply by now: run `threadlore \
             channel set` again",
        ),
        _ => Err(
            "only its role writes to that topic, and the topic's other readers took the record: \
             it stays skipped, and every replay skips it too",
        ),
    }
}

/// Whether a dead letter is about a failed extraction. One about a refused record has
/// a value; the window of a failed extraction is in its topic.
#[must_use]
pub fn is_failed_extraction(dead: &DeadLetter) -> bool {
    dead.topic == Topic::ChatTurns && is_failed_call(dead, Role::Extractor)
}

/// A dead letter about a refused record has its bytes.
fn is_failed_call(dead: &DeadLetter, role: Role) -> bool {
    dead.value.is_empty() && dead.role.parse() == Ok(role)
}

/// The partition of the record that a dead letter is about.
#[must_use]
pub fn source(dead: &DeadLetter) -> TopicPartition {
    TopicPartition {
        topic: dead.topic,
        partition: Partition(dead.partition),
    }
}

#[cfg(test)]
mod tests;
