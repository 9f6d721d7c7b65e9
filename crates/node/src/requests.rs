//! What admins and operators ask of the owner of cases.

use threadlore_model::{
    ArchiveRequested, Body, Case, CorrectionRequested, Envelope, ErasureRequested, Event, EventId,
    Key, MessageId, Private, SpaceId, Timestamp, Topic,
};
use threadlore_ports::{NewRecord, PortError, Right};

use crate::node::Node;
use crate::outside::Outside;

/// What is to become of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CaseChange {
    /// It has this solution from now on, as this message of its channel says, if one does.
    Solution(String, Option<MessageId>),
    /// It is outdated: no answer uses it any more.
    Archive,
    /// Its texts are erased.
    Erasure,
}

impl Node {
    /// Asks the owner of a case to change it.
    ///
    /// # Errors
    /// The space is being restored; what log and keystore say; the right is not granted.
    pub async fn request(&self, case: &Case, change: CaseChange) -> anyhow::Result<()> {
        self.scope(&case.space, Right::Admin)?;
        self.check_not_restoring().await?;
        let now = self.clock.now();
        let because = format!("{} {}", case.case, now.as_millis());
        let body = asked(case, change, now);
        let outside = self.outside();
        outside
            .request(&case.space, vec![(body, because)], now)
            .await?;
        Ok(())
    }
}

impl Outside {
    /// Publishes requests, each with what it is because of: the same request because of the same has
    /// one id.
    pub(crate) async fn request(
        &self,
        space: &SpaceId,
        requests: Vec<(Body, String)>,
        now: Timestamp,
    ) -> Result<(), PortError> {
        let event = |(body, because): (Body, String)| {
            let key = body.key(space).unwrap_or_else(|| Key::of_space(space));
            let about = [body.type_name(), key.as_str(), &because];
            let envelope = Envelope {
                id: EventId::of_content("request", &about),
                space: space.clone(),
                key,
                time: now,
                producer: None,
                cause: None,
                traceparent: None,
            };
            Event { envelope, body }
        };
        let mut events: Vec<Event> = requests.into_iter().map(event).collect();
        self.vault.seal(&mut events).await?;
        let topic = Topic::KnowledgeRequests;
        let records = events.into_iter().map(|event| NewRecord { topic, event });
        self.log.publish(records.collect()).await
    }
}

/// The request for a change of a case.
pub(crate) fn asked(case: &Case, change: CaseChange, now: Timestamp) -> Body {
    let text = |text: &Option<String>| text.as_deref().map_or(Private::Erased, Private::open);
    match change {
        CaseChange::Solution(solution, message) => CorrectionRequested {
            case: case.case,
            channel: case.channel.clone(),
            title: text(&case.title),
            problem: text(&case.problem),
            solution: Private::open(solution),
            tags: case.tags.iter().map(Private::open).collect(),
            message,
            asked: Vec::new(),
            now,
        }
        .into(),
        CaseChange::Archive => ArchiveRequested {
            case: case.case,
            channel: case.channel.clone(),
            now,
        }
        .into(),
        CaseChange::Erasure => ErasureRequested {
            case: case.case,
            channel: case.channel.clone(),
            now,
        }
        .into(),
    }
}
