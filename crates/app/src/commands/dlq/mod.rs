//! `threadlore dlq`: what readers of the log put aside, why, and another try.
//!
//! | file | says |
//! |---|---|
//! | `letter` | letters as they stand in the log |
//! | `list`, `show` | which there are; all about one |
//! | `redrive` | tries again what can be tried again |

mod letter;
mod list;
mod redrive;
mod show;

use threadlore_model::{Partition, Topic, TopicPartition};
use threadlore_ports::EventLog;

pub(super) use letter::{Letter, page};
pub(crate) use letter::{Place, letters};

use super::Call;
use crate::cli::Dlq;

pub(super) async fn run(command: &Dlq, call: &Call<'_>) -> anyhow::Result<u8> {
    // A dead letter names an offset of the inbox, which is read.
    let _inbox = call.host.node.store.hold_inbox().await?;
    match command {
        Dlq::List(options) => list::run(options, call).await,
        Dlq::Show { letter, value } => show::run(*letter, *value, call).await,
        Dlq::Redrive(options) => redrive::run(options, call).await,
    }
}

/// The partitions of a topic.
fn partitions(log: &dyn EventLog, topic: Topic) -> impl Iterator<Item = TopicPartition> + use<> {
    let count = i32::try_from(log.partitions(topic)).unwrap_or(i32::MAX);
    (0..count).map(move |number| TopicPartition {
        topic,
        partition: Partition(number),
    })
}
