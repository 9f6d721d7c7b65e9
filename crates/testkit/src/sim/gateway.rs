//! The gateway: sends the chat of a run, and what a command asks for.

use std::sync::Arc;

use threadlore_model::{Topic, TopicPartition};
use threadlore_ports::{EventLog, NewRecord, PortError, Undecodable};
use threadlore_stream::Vault;

use crate::MemoryLog;
use crate::sim::ports::SimLog;
use crate::sim::requests::requests;
use crate::sim::sched::Ctx;
use crate::sim::workload::{Item, Workload};

/// Sends the chat in its time. After a crash it sends again what it does not
/// know to have arrived.
pub(crate) async fn gateway(
    ctx: Ctx,
    log: SimLog,
    (raw, vault): (Arc<MemoryLog>, Vault),
    workload: Arc<Workload>,
) -> Result<(), PortError> {
    let items = &workload.items;
    loop {
        let (sent, now, most) = {
            let mut inner = ctx.shared.lock();
            (inner.sent, inner.now, inner.rng.between(1, 6) as usize)
        };
        let Some((at, _)) = items.get(sent) else {
            return Ok(());
        };
        if *at > now {
            ctx.shared.sleep(*at - now).await;
            continue;
        }
        let due = items[sent..]
            .iter()
            .take(most)
            .take_while(|(at, _)| *at <= now);
        let batch: Vec<Item> = due.map(|(_, item)| item.clone()).collect();
        let mut records = Vec::new();
        for item in &batch {
            match item {
                Item::Event(event) => {
                    let topic = event.body.topic();
                    let mut events = [event.as_ref().clone()];
                    vault.seal(&mut events).await?;
                    let new = |event| {
                        Some(NewRecord {
                            topic: topic?,
                            event,
                        })
                    };
                    records.extend(events.into_iter().filter_map(new));
                }
                Item::Requests => records.extend(requests(&raw)),
                Item::Garbage(partition) => {
                    let at = TopicPartition {
                        topic: Topic::ChatInbox,
                        partition: *partition,
                    };
                    let reason = "these bytes are no event".to_owned();
                    raw.push_raw(
                        at,
                        Undecodable {
                            reason,
                            value: vec![0xff],
                            key: None,
                            is_newer: false,
                        },
                    )?;
                }
            }
        }
        match log.publish(records).await {
            Ok(()) => ctx.shared.lock().sent += batch.len(),
            Err(_) => ctx.shared.sleep(100).await,
        }
    }
}
