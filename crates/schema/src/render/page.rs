//! The reference page of all topics.

use std::collections::BTreeSet;

use threadlore_model::{Body, Role};

use super::{GENERATED, TopicSpec, Topics};
use crate::catalogue::SOURCES;

const HEAD: &str = "\
# Topics

What stands on the log, and who may put it there. [`topics.yaml`](../topics.yaml) is the source; \
[`schemas/`](../schemas/README.md) holds the event types, [`asyncapi.yaml`](asyncapi.yaml) both \
together for other tools, `k8s/chart/files/` what a cluster needs.

A record's partition is Kafka's murmur2 of its key (`partitioner=murmur2_random` in librdkafka); a \
record in another one is a dead letter. Its value is Avro in either of two encodings, and readers \
take both at any time:

| encoding | bytes | written |
|---|---|---|
| single object | `C3 01`, CRC-64-AVRO of the schema (8 bytes, little endian), the datum | without a schema registry |
| Confluent | `00`, the schema's id (4 bytes, big endian), the datum | with one |

In a registry a schema's subject is `<topic>-<full name of the record>`, for example \
`chat.inbox-io.threadlore.v1.PlatformMessage` (`TopicRecordNameStrategy`), because a topic carries \
several types.
";

/// The page `docs/topics.md`.
#[must_use]
pub fn page(topics: &Topics) -> String {
    let mut page = format!("<!-- {GENERATED} -->\n{HEAD}");
    page.push_str("\n| topic | key | partitions | kept | read by |\n|---|---|---|---|---|\n");
    for spec in topics.iter() {
        page.push_str(&format!(
            "| [`{0}`](#{1}) | {2} | {3} | {4} | {5} |\n",
            spec.topic,
            anchor(spec),
            spec.key,
            spec.partitions,
            kept(spec),
            names(&spec.readers),
        ));
    }
    for spec in topics.iter() {
        page.push_str(&section(spec));
    }
    page
}

fn section(spec: &TopicSpec) -> String {
    let mut text = format!(
        "\n## {}\n\n{}\n\n| event | what it says | written by |\n|---|---|---|\n",
        spec.topic, spec.description
    );
    // In the order of the model, which is that of a message's way.
    for name in Body::TYPES {
        if let Some(writers) = spec.events.get(*name) {
            text.push_str(&format!(
                "| [`{name}`](../schemas/{name}.avsc) | {} | {} |\n",
                about(name),
                names(writers)
            ));
        }
    }
    text
}

/// The documentation of a type, without the sentences that this page has elsewhere.
fn about(type_name: &str) -> String {
    let doc = SOURCES
        .iter()
        .find(|source| source.type_name == type_name)
        .and_then(|source| apache_avro::Schema::parse_str(source.current).ok())
        .and_then(|schema| schema.doc().cloned())
        .unwrap_or_default();
    let sentences = doc.split_inclusive(". ");
    sentences
        .filter(|sentence| !sentence.starts_with("Topic "))
        .collect::<String>()
        .trim_end()
        .to_owned()
}

/// How long records stay.
fn kept(spec: &TopicSpec) -> String {
    const DAY: i64 = 24 * 60 * 60 * 1000;
    let time = match spec.retention_ms {
        -1 => "for ever".to_owned(),
        ms if ms % DAY == 0 => format!("{} days", ms / DAY),
        ms => format!("{ms} ms"),
    };
    match spec.retention_bytes {
        -1 => time,
        bytes => format!("{time}, at most {bytes} bytes a partition"),
    }
}

fn names(roles: &BTreeSet<Role>) -> String {
    let names: Vec<_> = roles.iter().map(ToString::to_string).collect();
    names.join(", ")
}

/// The heading's anchor, as forges make it.
fn anchor(spec: &TopicSpec) -> String {
    spec.topic.name().replace('.', "")
}
