//! Eraser a person: their key is destroyed, their messages are redacted one by one, and the
//! cases that have words of theirs are erased. All of it is asked for by events, so tables, index
//! and answers follow, and a rebuilt table is the same.

use std::collections::BTreeSet;
use std::time::Duration;

use threadlore_gateways::LiveChannel;
use threadlore_model::{
    ChannelId, ErasureRequested, MessageId, PersonId, SpaceId, Subject, Timestamp, Topic,
};
use threadlore_ports::{EventLog, NewRecord, PortError, Right, Scope};
use threadlore_roles::ForgetCall;
use threadlore_store_postgres::{PersonSummary, PostgresStore};
use threadlore_stream::Vault;

use crate::node::{Node, check_not_restoring};
use crate::outside::Outside;
use crate::requests::Requests;

/// Messages redacted at once.
const PAGE: u32 = 1000;
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
    pub async fn forget(&self, space: &SpaceId, person: PersonId) -> anyhow::Result<u64> {
        let scope = self.scope(space, Right::Admin)?;
        let now = self.clock.now();
        let eraser = Eraser {
            log: self.log.as_ref(),
            store: &self.store,
            vault: &self.vault,
            scope: &scope,
            now,
        };
        Ok(eraser.forget(person, None).await?)
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
        let eraser = Eraser {
            log: self.log.as_ref(),
            store: &self.store,
            vault: &self.vault,
            scope: &scope,
            now,
        };
        match eraser.forget(call.person, Some(&call.channel)).await? {
            0 => Ok(()),
            _ => busy("what was asked for is not done yet"),
        }
    }
}

/// What it works on.
struct Eraser<'a> {
    log: &'a dyn EventLog,
    store: &'a PostgresStore,
    vault: &'a Vault,
    scope: &'a Scope,
    now: Timestamp,
}

impl Eraser<'_> {
    fn place(&self, channel: &ChannelId) -> LiveChannel {
        LiveChannel {
            space: self.scope.space().clone(),
            channel: channel.clone(),
        }
    }

    async fn forget(
        &self,
        person: PersonId,
        asked_in: Option<&ChannelId>,
    ) -> Result<u64, PortError> {
        check_not_restoring(self.store).await?;
        let found = self.store.of_person(self.scope, person).await?;
        let mut left = 0;
        let mut records: Vec<NewRecord> = Vec::new();
        let subject = Subject::Person(self.scope.space().clone(), person);
        if self.vault.has(&subject).await? {
            // In each channel: whoever takes its messages in may have the key in memory, and drops it.
            let wrote_in = found.channels.iter().map(|(channel, _)| channel);
            let channels: BTreeSet<&ChannelId> = wrote_in.chain(asked_in).collect();
            left += channels.len() as u64;
            records.extend(channels.into_iter().map(|channel| NewRecord {
                topic: Topic::ChatInbox,
                event: self.place(channel).person_erasure(person, self.now),
            }));
        }
        self.log.publish(records).await?;
        let requests = Requests {
            log: self.log,
            vault: self.vault,
        };
        for (channel, case) in found.cases {
            left += 1;
            let body = ErasureRequested {
                case,
                channel,
                now: self.now,
            };
            let because = format!("{case} {person}");
            requests
                .publish(self.scope.space(), body.into(), &because, self.now)
                .await?;
        }
        let mut after: Option<MessageId> = None;
        loop {
            let page = self
                .store
                .messages_of(self.scope, person, (after, PAGE))
                .await?;
            let Some(last) = page.last() else {
                return Ok(left);
            };
            after = Some(last.message);
            left += page.len() as u64;
            let records = page.iter().map(|message| NewRecord {
                topic: Topic::ChatInbox,
                event: self
                    .place(&message.channel)
                    .redaction(&message.native_id, self.now),
            });
            self.log.publish(records.collect()).await?;
        }
    }
}
