//! The log as an AsyncAPI document, for authors of gateways and readers.

use std::collections::BTreeSet;

use serde_yaml_ng::Value;
use threadlore_model::{Body, Role, Topic};

use super::{Cluster, GENERATED, TopicSpec, Topics, documents, map};
use crate::catalogue::SOURCES;
use crate::headers::HEADERS;

const AVRO: &str = "application/vnd.apache.avro+json;version=1.9.0";
const CONTENT: &str = "application/avro";
/// Of the bindings for Kafka.
const BINDING: &str = "0.5.0";

const ABOUT: &str = "\
Events of Threadlore on Apache Kafka. A value is Avro: either the single-object encoding (C3 01, \
fingerprint, datum) or Confluent's wire format (00, id, datum) where a schema registry is used; \
readers take both. A key's partition is Kafka's murmur2 of its bytes. Fields that hold what people \
wrote, or their names, are sealed bytes everywhere but on chat.inbox.";

/// AsyncAPI 3.0.0: a channel per topic, an operation per role and direction, a
/// message per event type with its Avro schema.
#[must_use]
pub fn asyncapi(topics: &Topics) -> String {
    let document = map([
        ("asyncapi", "3.0.0".into()),
        (
            "info",
            map([
                ("title", "Threadlore".into()),
                ("version", env!("CARGO_PKG_VERSION").into()),
                ("description", ABOUT.into()),
                (
                    "license",
                    map([
                        ("name", "Apache-2.0".into()),
                        ("url", "https://www.apache.org/licenses/LICENSE-2.0".into()),
                    ]),
                ),
            ]),
        ),
        ("defaultContentType", CONTENT.into()),
        (
            "channels",
            map(topics.iter().map(|spec| (spec.topic.name(), channel(spec)))),
        ),
        ("operations", operations(topics)),
        (
            "components",
            map([
                ("messages", messages(topics)),
                (
                    "schemas",
                    map([
                        ("headers", headers(true)),
                        ("headersFromGateways", headers(false)),
                    ]),
                ),
            ]),
        ),
    ]);
    documents(GENERATED, [document])
}

fn channel(spec: &TopicSpec) -> Value {
    let messages = types(spec).map(|name| (name, reference(&["components", "messages", name])));
    let replicas = Cluster::default().replicas;
    // The binding has no word for the others.
    let config = spec
        .configuration_of_new(replicas)
        .into_iter()
        .filter_map(|(name, value)| match name {
            "cleanup.policy" => Some((name, Value::Sequence(vec![value.into()]))),
            "max.message.bytes" | "retention.bytes" | "retention.ms" => {
                Some((name, value.parse::<i64>().ok()?.into()))
            }
            _ => None,
        });
    map([
        ("address", spec.topic.name().into()),
        ("description", spec.description.as_str().into()),
        ("messages", map(messages)),
        (
            "bindings",
            kafka([
                ("topic", spec.topic.name().into()),
                ("partitions", spec.partitions.into()),
                ("replicas", replicas.into()),
                ("topicConfiguration", map(config)),
            ]),
        ),
    ])
}

fn operations(topics: &Topics) -> Value {
    let mut all = Vec::new();
    for role in Role::ALL {
        for spec in topics.iter() {
            if spec.readers.contains(&role) {
                let group = map([
                    ("type", "string".into()),
                    ("pattern", format!("^{role}(\\.|$)").into()),
                ]);
                let mut receive = operation("receive", role, spec, types(spec));
                if let Value::Mapping(receive) = &mut receive {
                    receive.insert("bindings".into(), kafka([("groupId", group)]));
                }
                all.push((format!("{role}.receives.{}", spec.topic), receive));
            }
            let written = types(spec).filter(|name| spec.events[*name].contains(&role));
            let written: Vec<_> = written.collect();
            if !written.is_empty() {
                let send = operation("send", role, spec, written.into_iter());
                all.push((format!("{role}.sends.{}", spec.topic), send));
            }
        }
    }
    map(all
        .iter()
        .map(|(name, value)| (name.as_str(), value.clone())))
}

fn operation<'a>(
    action: &str,
    role: Role,
    spec: &TopicSpec,
    types: impl Iterator<Item = &'a str>,
) -> Value {
    let channel = spec.topic.name();
    let messages = types.map(|name| reference(&["channels", channel, "messages", name]));
    map([
        ("action", action.into()),
        ("title", format!("{role} {action}s on {channel}").into()),
        ("channel", reference(&["channels", channel])),
        ("messages", Value::Sequence(messages.collect())),
    ])
}

fn messages(topics: &Topics) -> Value {
    map(SOURCES.iter().map(|source| {
        let name = source.type_name;
        let on = topics.iter().find(|spec| spec.events.contains_key(name));
        let from_gateways = on.is_some_and(|spec| spec.topic == Topic::ChatInbox);
        let headers = match from_gateways {
            true => "headersFromGateways",
            false => "headers",
        };
        let key = map([
            ("type", "string".into()),
            (
                "description",
                on.map_or("", |spec| spec.key.as_str()).into(),
            ),
        ]);
        // JSON is YAML, and a test parses every schema.
        let schema: Value = serde_yaml_ng::from_str(source.current).unwrap_or_default();
        let about = schema["doc"].as_str().unwrap_or_default().to_owned();
        let message = map([
            ("name", name.into()),
            ("title", name.into()),
            ("summary", about.into()),
            ("contentType", CONTENT.into()),
            ("headers", reference(&["components", "schemas", headers])),
            (
                "payload",
                map([("schemaFormat", AVRO.into()), ("schema", schema)]),
            ),
            (
                "bindings",
                kafka([
                    ("key", key),
                    ("schemaIdLocation", "payload".into()),
                    ("schemaLookupStrategy", "TopicRecordNameStrategy".into()),
                ]),
            ),
        ]);
        (name, message)
    }))
}

/// The schema of the headers; gateways may leave out every one.
fn headers(required: bool) -> Value {
    let properties = HEADERS.iter().map(|header| {
        let schema = map([
            ("type", "string".into()),
            ("description", header.holds.into()),
        ]);
        (header.name, schema)
    });
    let mut schema = vec![("type", "object".into()), ("properties", map(properties))];
    if required {
        let names = HEADERS.iter().filter(|header| header.required);
        let names: BTreeSet<_> = names.map(|header| header.name).collect();
        let names = names.into_iter().map(Value::from).collect();
        schema.push(("required", Value::Sequence(names)));
    }
    map(schema)
}

/// Event types of a topic, in the order of the model.
fn types(spec: &TopicSpec) -> impl Iterator<Item = &'static str> {
    Body::TYPES
        .iter()
        .copied()
        .filter(|name| spec.events.contains_key(*name))
}

fn kafka<'a>(binding: impl IntoIterator<Item = (&'a str, Value)>) -> Value {
    let version = ("bindingVersion", BINDING.into());
    map([("kafka", map(binding.into_iter().chain([version])))])
}

fn reference(path: &[&str]) -> Value {
    map([("$ref", format!("#/{}", path.join("/")).into())])
}
