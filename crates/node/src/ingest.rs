//! Messages that programs send, to `chat.inbox`.

use threadlore_gateways::{Bots, Target, read_body};
use threadlore_model::{ChannelId, EventId, Topic};
use threadlore_ports::{Class, NewRecord, Scope};

use crate::error::BadInput;
use crate::node::Node;

impl Node {
    /// Takes the JSON lines of `docs/import-format.md` as what happened in a channel, all of them or
    /// none; they are durable when it returns. Gives the id of each event. The same event sent again has
    /// the same id, and counts once. History that ends with them is examined at once; without that, what
    /// is old is examined when something newer is said.
    ///
    /// # Errors
    /// [`BadInput`] for a line that is wrong, with its number; a space is being restored; what the log
    /// says.
    pub async fn ingest(
        &self,
        scope: &Scope,
        channel: &ChannelId,
        lines: &[u8],
        is_history: bool,
    ) -> anyhow::Result<Vec<EventId>> {
        self.check_not_restoring().await?;
        let target = Target {
            space: scope.space().clone(),
            channel: channel.clone(),
            bots: Bots::default(),
        };
        let batch = read_body(lines, target.clone(), self.clock.now());
        let mut batch = batch.map_err(|bad| BadInput(bad.to_string()))?;
        if batch.admins.is_some() {
            return Err(BadInput(
                "A line says who the admins of the channel are, which is not for who sends messages: \
                 set them on the page of the channel, or with `threadlore channel set`. Nothing of the \
                 body was taken."
                    .to_owned(),
            )
            .into());
        }
        let ids = batch.events.iter().map(|event| event.envelope.id).collect();
        if is_history {
            batch.end_history(&target);
        }
        let records = batch.events.into_iter().map(|event| NewRecord {
            topic: Topic::ChatInbox,
            event,
        });
        match self.log.publish(records.collect()).await {
            Ok(()) => Ok(ids),
            Err(error) if error.class() == Class::DeadLetter => {
                Err(BadInput(format!("Nothing of the body was taken: {error}.")).into())
            }
            Err(error) => Err(error.into()),
        }
    }
}
