use std::io::Cursor;
use std::sync::Mutex;

use async_trait::async_trait;
use futures::executor::block_on;

use super::*;
use crate::bots::Bots;

mod laws;
mod outcomes;

use double::Double;

/// A log and a blob store in memory that stop taking anything on demand.
mod double {
    use std::collections::BTreeMap;
    use std::ops::Range;
    use std::time::Duration;

    use threadlore_model::{EventId, Offset, Partition, TopicPartition};
    use threadlore_ports::{EncodedRecord, Record, check_name};

    use super::*;

    #[derive(Default)]
    pub(super) struct Double {
        pub(super) state: Mutex<State>,
    }

    #[derive(Default)]
    pub(super) struct State {
        pub(super) events: Vec<Event>,
        pub(super) batches: Vec<usize>,
        pub(super) blobs: BTreeMap<String, Vec<u8>>,
        /// Calls of `append` and `put` that still succeed.
        pub(super) calls_left: Option<usize>,
    }

    impl Double {
        pub(super) fn stop_after(&self, calls: usize) {
            self.state.lock().expect("lock").calls_left = Some(calls);
        }

        pub(super) fn ids(&self) -> Vec<EventId> {
            let state = self.state.lock().expect("lock");
            state.events.iter().map(|e| e.envelope.id).collect()
        }

        fn call(&self) -> Result<std::sync::MutexGuard<'_, State>, PortError> {
            let mut state = self.state.lock().expect("lock");
            match &mut state.calls_left {
                Some(0) => Err(PortError::Unavailable {
                    doing: "testing",
                    what: "the double",
                    source: None,
                }),
                Some(left) => {
                    *left -= 1;
                    Ok(state)
                }
                None => Ok(state),
            }
        }
    }

    #[async_trait]
    impl EventLog for Double {
        fn partitions(&self, _: Topic) -> u32 {
            1
        }

        fn encode(&self, _: Topic, _: &Event) -> Result<EncodedRecord, PortError> {
            panic!("an import publishes events");
        }

        async fn append(&self, _: Vec<EncodedRecord>) -> Result<(), PortError> {
            panic!("an import publishes events");
        }

        async fn publish(&self, records: Vec<NewRecord>) -> Result<(), PortError> {
            let mut state = self.call()?;
            assert!(records.iter().all(|r| r.topic == Topic::ChatInbox));
            state.batches.push(records.len());
            state.events.extend(records.into_iter().map(|r| r.event));
            Ok(())
        }

        async fn read(
            &self,
            _: TopicPartition,
            _: Offset,
            _: usize,
        ) -> Result<Vec<Record>, PortError> {
            panic!("an import reads nothing");
        }

        async fn wait(&self, _: &[(TopicPartition, Offset)], _: Duration) -> Result<(), PortError> {
            panic!("an import waits for nothing");
        }

        async fn range(&self, _: TopicPartition) -> Result<Range<Offset>, PortError> {
            panic!("an import asks for no range in {:?}", Partition(0));
        }
    }

    #[async_trait]
    impl BlobStore for Double {
        async fn put(&self, name: &str, bytes: &[u8]) -> Result<(), PortError> {
            check_name(name)?;
            self.call()?.blobs.insert(name.to_owned(), bytes.to_vec());
            Ok(())
        }

        async fn get(&self, name: &str) -> Result<Option<Vec<u8>>, PortError> {
            check_name(name)?;
            Ok(self.state.lock().expect("lock").blobs.get(name).cloned())
        }

        async fn delete(&self, _: &str) -> Result<(), PortError> {
            panic!("an import deletes nothing");
        }

        async fn names(&self, _: Option<&str>, _: usize) -> Result<Vec<String>, PortError> {
            panic!("an import knows its blob");
        }
    }
}

/// 2030-01-01
const NOW: Timestamp = Timestamp::from_millis(1_893_456_000_000);

fn options() -> ImportOptions {
    ImportOptions {
        target: Target {
            space: threadlore_model::SpaceId::parse("s").expect("a space"),
            channel: threadlore_model::ChannelId::parse("irc:#x").expect("a channel"),
            bots: Bots::default(),
        },
        format: None,
        date: None,
        timezone: None,
        again: false,
    }
}

fn run(
    to: &Double,
    options: &ImportOptions,
    name: &str,
    content: &[u8],
) -> Result<Summary, ImportError> {
    let input = Input {
        name: name.to_owned(),
        size: content.len() as u64,
        reader: Cursor::new(content),
    };
    // Spawned on a runtime of many threads, the import may move between them.
    fn movable<T: Send>(future: T) -> T {
        future
    }
    block_on(movable(import(to, to, NOW, options, input, |_| ())))
}
