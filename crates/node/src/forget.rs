//! Forgetting a person: their key is destroyed, their messages are redacted one by one, and the
//! cases that have words of theirs are erased. All of it is asked for by events, so tables, index
//! and answers follow, and a rebuilt table is the same. Old messages of a space are redacted likewise.

use std::collections::BTreeSet;
use std::time::Duration;

use threadlore_gateways::LiveChannel;
use threadlore_model::{
    Actor, ChannelId, ErasureRequested, MessageId, PersonId, SpaceId, Subject, Timestamp, Topic,
};
use threadlore_ports::{NewRecord, PortError, Right, Scope};
use threadlore_roles::ForgetCall;
use threadlore_store_postgres::{MessagePlace, OldMessages, PersonSummary};

use crate::node::{Node, check_not_restoring};
use crate::outside::Outside;

/// Messages redacted at once.
const PAGE: u32 = 1000;
/// Old messages redacted at once. Each page reads anew which messages are needed, so pages are large.
const OLD: u32 = 10_000;
/// How long the last words to a person are waited for.
const LAST_WORDS: Duration = Duration::from_secs(15);

impl Node {
    /// What there is of a person in a space.
    ///
    /// # Errors
    /// The database cannot be reached; the right is not granted.
    pub async fn of_person(
        &self,
        space: &SpaceId,
        person: PersonId,
    ) -> anyhow::Result<PersonSummary> {
        let scope = self.scope(space, Right::Admin)?;
        Ok(self.store.of_person(&scope, person).await?)
    }

    /// Asks that everything that is left of a person is erased. Called again, once that was done, it
    /// finds what came meanwhile.
    ///
    /// Returns how many things were left: 0 where all is done.
    ///
    /// # Errors
    /// The space is being restored; what log, keystore and store say; the right is not granted.
    pub async fn forget(
        &self,
        space: &SpaceId,
        person: PersonId,
        by: &Actor,
    ) -> anyhow::Result<u64> {
        let scope = self.scope(space, Right::Admin)?;
        Ok(self.outside().erase(&scope, (person, by), None).await?)
    }

    /// How many messages of a space were sent before a time and can still be read, by channel.
    ///
    /// # Errors
    /// The database cannot be reached; the right is not granted.
    pub async fn old_messages(
        &self,
        space: &SpaceId,
        before: Timestamp,
    ) -> anyhow::Result<Vec<OldMessages>> {
        let scope = self.scope(space, Right::Admin)?;
        Ok(self.store.old_messages(&scope, before).await?)
    }

    /// Asks that the messages of a space are redacted that were sent before a time and that nothing rests on. Called
    /// again, once that was done, it finds what came meanwhile.
    ///
    /// Returns how many there were: 0 where all is done.
    ///
    /// # Errors
    /// The space is being restored; what log and store say; the right is not granted.
    pub async fn redact_old(&self, space: &SpaceId, before: Timestamp) -> anyhow::Result<u64> {
        let scope = self.scope(space, Right::Admin)?;
        self.check_not_restoring().await?;
        let outside = self.outside();
        let (mut found, mut after) = (0, None);
        loop {
            let page = (after, OLD);
            let page = self.store.unneeded_messages(&scope, before, page).await?;
            let Some(last) = page.last() else {
                return Ok(found);
            };
            after = Some(last.message);
            found += page.len() as u64;
            outside.redact(space, &page).await?;
        }
    }
}

impl Outside {
    /// Forgets who asked for it in a room, after the last words to them.
    pub(crate) async fn forget(&self, space: &SpaceId, call: &ForgetCall) -> Result<(), PortError> {
        let scope = self.scope(space, Right::Admin)?;
        let now = self.clock.now();
        let busy = |reason| {
            Err(PortError::Busy {
                doing: "forgetting a person",
                reason,
                source: None,
            })
        };
        if let Some(answer) = call.answer
            && now < call.asked_at.plus(LAST_WORDS)
            && !self.store.is_sent(&scope, answer).await?
        {
            return busy("the last words to them are not sent yet");
        }
        let by = Actor::Person(call.person);
        let asked_in = Some(&call.channel);
        match self.erase(&scope, (call.person, &by), asked_in).await? {
            0 => Ok(()),
            _ => busy("what was asked for is not done yet"),
        }
    }

    /// Asks for the erasure of everything that is left of a person; returns how many things that is.
    async fn erase(
        &self,
        scope: &Scope,
        (person, by): (PersonId, &Actor),
        asked_in: Option<&ChannelId>,
    ) -> Result<u64, PortError> {
        check_not_restoring(&self.store).await?;
        let now = self.clock.now();
        let place = |channel: &ChannelId| LiveChannel {
            space: scope.space().clone(),
            channel: channel.clone(),
        };
        let found = self.store.of_person(scope, person).await?;
        let mut left = 0;
        let mut records: Vec<NewRecord> = Vec::new();
        let subject = Subject::Person(scope.space().clone(), person);
        if self.vault.has(&subject).await? {
            // The process that takes in the messages of a channel may have the key in memory, and drops
            // it when it publishes the erasure there.
            let wrote_in = found.channels.iter().map(|(channel, _)| channel);
            let channels: BTreeSet<&ChannelId> = wrote_in.chain(asked_in).collect();
            left += channels.len() as u64;
            records.extend(channels.into_iter().map(|channel| NewRecord {
                topic: Topic::ChatInbox,
                event: place(channel).person_erasure(person, now),
            }));
        }
        self.log.publish(records).await?;
        left += found.cases.len() as u64;
        let requests = found.cases.into_iter().map(|(channel, case)| {
            let request = ErasureRequested { case, channel, now };
            (request.into(), format!("{case} {person}"))
        });
        let requests = requests.collect();
        self.request(scope.space(), requests, (now, Some(by)))
            .await?;
        left += found.memories.len() as u64;
        let memories = found.memories.iter();
        let memories: Vec<_> = memories
            .map(|(home, memory)| (*home, person, *memory))
            .collect();
        self.forget_memories(scope, &memories, by).await?;
        let mut after: Option<MessageId> = None;
        loop {
            let page = self.store.messages_of(scope, person, (after, PAGE)).await?;
            let Some(last) = page.last() else {
                return Ok(left);
            };
            after = Some(last.message);
            left += page.len() as u64;
            self.redact(scope.space(), &page).await?;
        }
    }

    /// Asks for the redaction of messages.
    async fn redact(&self, space: &SpaceId, messages: &[MessagePlace]) -> Result<(), PortError> {
        let now = self.clock.now();
        let record = |message: &MessagePlace| {
            let place = LiveChannel {
                space: space.clone(),
                channel: message.channel.clone(),
            };
            NewRecord {
                topic: Topic::ChatInbox,
                event: place.redaction(&message.native_id, now),
            }
        };
        self.log
            .publish(messages.iter().map(record).collect())
            .await
    }
}
