//! What people ask of the owners of cases and answers.

use threadlore_model::{
    Actor, ArchiveRequested, Body, Case, CaseId, CorrectionRequested, Envelope, ErasureRequested,
    Event, EventId, Key, MergeRequested, MessageId, PersonId, Private, Rating, RatingRequested,
    SpaceId, Status, Timestamp, Topic,
};
use threadlore_ports::{NewRecord, PortError, Right, Scope};
use threadlore_store_postgres::ListedTurn;

use crate::error::BadInput;
use crate::node::Node;
use crate::outside::Outside;

/// What is to become of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CaseChange {
    /// It has this solution from now on, as this message of its channel says, if one does.
    Solution(String, Option<MessageId>),
    /// It is outdated: no answer uses it any more.
    Archive,
    /// It is merged into this one, or without one stands by itself again.
    Merge(Option<CaseId>),
    /// Its texts are erased.
    Erasure,
}

impl CaseChange {
    /// That a case is merged into another one.
    ///
    /// # Errors
    /// They are one case, of two channels, or not both told to people.
    pub fn merge(case: &Case, into: &Case) -> Result<Self, BadInput> {
        let wrong = match (case.status(), into.status()) {
            _ if case.case == into.case => "A case cannot be merged into itself.".to_owned(),
            _ if case.channel != into.channel => format!(
                "The cases are of two channels, {} and {}, which may have other readers: only cases \
                 of one channel can be merged.",
                case.channel, into.channel
            ),
            (Status::Archived | Status::Erased, status)
            | (_, status @ (Status::Archived | Status::Erased | Status::Merged)) => {
                let (of, status) = match case.status() {
                    own @ (Status::Archived | Status::Erased) => ("the case", own),
                    _ => ("the case that should stay", status),
                };
                format!(
                    "A merge is of cases that stand by themselves, and {of} is {}.",
                    status.name()
                )
            }
            _ => return Ok(Self::Merge(Some(into.case))),
        };
        Err(BadInput(wrong))
    }

    /// That a case which was merged into another one stands by itself again.
    ///
    /// # Errors
    /// It was not.
    pub fn split(case: &Case) -> Result<Self, BadInput> {
        match case.status() {
            Status::Merged => Ok(Self::Merge(None)),
            status => Err(BadInput(format!(
                "The case is not merged into another one: it is {}.",
                status.name()
            ))),
        }
    }
}

impl Node {
    /// Asks the owner of a case to change it.
    ///
    /// # Errors
    /// The space is being restored; what log and keystore say; the right is not granted.
    pub async fn request(&self, case: &Case, change: CaseChange, by: &Actor) -> anyhow::Result<()> {
        self.scope(&case.space, Right::Admin)?;
        self.check_not_restoring().await?;
        let now = self.clock.now();
        let because = format!("{} {}", case.case, now.as_millis());
        let body = asked(case, change, now);
        let outside = self.outside();
        outside
            .request(&case.space, vec![(body, because)], (now, Some(by)))
            .await?;
        Ok(())
    }

    /// The person behind an actor, who rates answers on a page or by a command.
    #[must_use]
    pub fn person_behind(&self, space: &SpaceId, by: &Actor) -> PersonId {
        self.hasher.person(space, "threadlore", &by.to_string())
    }

    /// Takes what a person says of the answer to a turn: that it helped, or failed, or nothing any more. What they
    /// say already changes nothing.
    ///
    /// # Errors
    /// [`BadInput`] where the turn has no answer; the space is being restored; what log and tables say.
    pub async fn rate(
        &self,
        scope: &Scope,
        turn: &ListedTurn,
        (person, rating): (PersonId, Option<Rating>),
        by: &Actor,
    ) -> anyhow::Result<()> {
        let Some((answer, _)) = turn.answer else {
            return Err(BadInput(format!(
                "This question has no answer to rate: {}.",
                turn.outcome.sentence()
            ))
            .into());
        };
        if self.store.rating(scope, turn.turn, person).await? == rating {
            return Ok(());
        }
        self.check_not_restoring().await?;
        let now = self.clock.now();
        let body = RatingRequested {
            channel: turn.channel.clone(),
            answer,
            turn: turn.turn,
            person,
            rating,
            now,
        };
        let because = format!("{answer} {person} {}", now.as_millis());
        let requests = vec![(body.into(), because)];
        let outside = self.outside();
        outside
            .request(scope.space(), requests, (now, Some(by)))
            .await?;
        Ok(())
    }
}

impl Outside {
    /// Publishes requests of somebody, each with what it is because of: the same request because of the
    /// same has one id.
    pub(crate) async fn request(
        &self,
        space: &SpaceId,
        requests: Vec<(Body, String)>,
        (now, by): (Timestamp, Option<&Actor>),
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
                actor: by.cloned(),
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
        CaseChange::Merge(into) => MergeRequested {
            case: case.case,
            channel: case.channel.clone(),
            into,
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
