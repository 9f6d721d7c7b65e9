//! A command that asks for windows to be examined once more: those whose extraction failed, as
//! `threadlore dlq redrive` does, and the last one of each partition.

use std::collections::BTreeMap;

use threadlore_model::{Body, Cause, DeadLetter, Event, Offset, Topic, TopicPartition};
use threadlore_ports::{NewRecord, Record};
use threadlore_roles::redrive::{redrive, source};

use crate::MemoryLog;

/// Requests about what is in the log now. The same dead letter gives the same request each time.
pub(crate) fn requests(log: &MemoryLog) -> Vec<NewRecord> {
    let dump = log.dump();
    let mut windows: BTreeMap<(TopicPartition, Offset), &Event> = BTreeMap::new();
    let mut letters: Vec<(Cause, DeadLetter)> = Vec::new();
    let mut last: BTreeMap<TopicPartition, &Record> = BTreeMap::new();
    for record in &dump {
        let Ok(event) = &record.body else { continue };
        match &event.body {
            Body::WindowReady(_) => {
                windows.insert((record.at, record.offset), event);
                last.insert(record.at, record);
            }
            Body::DeadLetter(dead) if dead.topic == Topic::ChatTurns => {
                letters.push((cause(record, event), dead.clone()));
            }
            _ => {}
        }
    }
    // It did not fail; a request is answered all the same.
    for record in last.values() {
        let Ok(event) = &record.body else { continue };
        letters.push((cause(record, event), letter_about(record)));
    }
    let events = letters.iter().filter_map(|(letter, dead)| {
        let window = windows.get(&(source(dead), dead.offset))?;
        redrive(letter, dead, Ok(window)).ok()
    });
    let records = events.map(|event| NewRecord {
        topic: Topic::KnowledgeRequests,
        event,
    });
    records.collect()
}

fn cause(record: &Record, event: &Event) -> Cause {
    Cause {
        event: event.envelope.id,
        at: record.at,
        offset: record.offset,
    }
}

/// What a dead letter about a window would say.
fn letter_about(record: &Record) -> DeadLetter {
    DeadLetter {
        role: "extractor".to_owned(),
        topic: Topic::ChatTurns,
        partition: record.at.partition.0,
        offset: record.offset,
        reason: "somebody asked".to_owned(),
        value: Vec::new(),
        now: record.appended,
    }
}
