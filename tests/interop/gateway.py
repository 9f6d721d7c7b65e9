"""A gateway in Python: sends PlatformMessage records to chat.inbox."""

import argparse
import io
import json
import secrets
import sys
import time
import uuid
from datetime import datetime, timezone
from pathlib import Path

import fastavro
from confluent_kafka import Producer
from confluent_kafka.schema_registry import SchemaRegistryClient, topic_record_subject_name_strategy
from confluent_kafka.schema_registry.avro import AvroSerializer
from confluent_kafka.serialization import MessageField, SerializationContext

TOPIC = "chat.inbox"
SCHEMA = Path(__file__).parents[2] / "schemas" / "PlatformMessage.avsc"

CHAT = [
    ("ann", None, "how do I get the wifi of my laptop to work after the update? it finds no network"),
    ("bob", 0, "ann: install the package linux-firmware and restart, the driver needs it"),
    ("ann", 1, "bob: thanks, that solved it"),
]


def messages(channel, run):
    """The chat, with ids of its own for each run."""
    start = int(time.time() * 1000)
    for number, (author, answers, text) in enumerate(CHAT):
        yield {
            "channel": channel,
            "native_id": f"{run}-{number}",
            "author_id": author,
            "author_name": author.title(),
            "author_is_bot": False,
            "text": text,
            "sent_at": start + number * 1000,
            "reply_to": None if answers is None else f"{run}-{answers}",
            "mentions": [],
        }


def headers(space, message, trace):
    """CloudEvents in binary mode, and a trace that this message begins or goes on with."""
    sent_at = datetime.fromtimestamp(message["sent_at"] / 1000, timezone.utc)
    return {
        "ce_specversion": "1.0",
        "ce_id": str(uuid.uuid4()),
        "ce_type": "PlatformMessage",
        "ce_source": "/interop/gateway.py",
        "ce_time": sent_at.isoformat(),
        "ce_space": space,
        "content-type": "application/avro",
        "traceparent": f"00-{trace}-{secrets.token_hex(8)}-01",
    }


def own(schema):
    """What a gateway may make of the schema: fields with a default left out, one added."""
    fields = [field for field in schema["fields"] if "default" not in field]
    extra = {"name": "client", "type": ["null", "string"], "default": None}
    return {**schema, "fields": [extra, *fields]}


def single_object(schema):
    """Avro's single-object encoding: C3 01, the schema's fingerprint, the datum."""
    form = fastavro.schema.to_parsing_canonical_form(schema)
    # The eight bytes in the order in which they stand in a value.
    start = b"\xc3\x01" + bytes.fromhex(fastavro.schema.fingerprint(form, "CRC-64-AVRO"))
    parsed = fastavro.parse_schema(schema)

    def encode(message):
        datum = io.BytesIO()
        fastavro.schemaless_writer(datum, parsed, message)
        return start + datum.getvalue()

    return encode


def confluent(schema, registry):
    """Confluent's wire format: 00, the id of the schema in the registry, the datum."""
    settings = {
        "auto.register.schemas": True,
        "subject.name.strategy": topic_record_subject_name_strategy,
    }
    client = SchemaRegistryClient({"url": registry})
    serialise = AvroSerializer(client, json.dumps(schema), conf=settings)
    context = SerializationContext(TOPIC, MessageField.VALUE)
    return lambda message: serialise(message, context)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bootstrap", required=True)
    parser.add_argument("--registry", help="URL; without it single objects are sent")
    parser.add_argument("--own-schema", action="store_true")
    parser.add_argument("--space", default="interop")
    parser.add_argument("--channel", default="irc:#interop")
    parser.add_argument("--run", default=str(time.time_ns()), help="start of the native ids")
    arguments = parser.parse_args()
    if arguments.own_schema and not arguments.registry:
        parser.error("--own-schema needs --registry: nobody else could find the schema")

    schema = json.loads(SCHEMA.read_text())
    if arguments.own_schema:
        schema = own(schema)
    encode = confluent(schema, arguments.registry) if arguments.registry else single_object(schema)
    producer = Producer(
        {
            "bootstrap.servers": arguments.bootstrap,
            "partitioner": "murmur2_random",
            "acks": "all",
            "enable.idempotence": True,
        }
    )
    failed = []

    def delivered(error, record, sent):
        if error:
            failed.append(error)
            print(f"not delivered: {error}", file=sys.stderr)
            return
        place = {"partition": record.partition(), "offset": record.offset()}
        print(json.dumps({"topic": TOPIC, **place, "key": record.key().decode(), **sent}))

    names = {field["name"] for field in schema["fields"]}
    for message in messages(arguments.channel, arguments.run):
        kept = {name: value for name, value in message.items() if name in names}
        sent = {"native_id": message["native_id"], "trace": secrets.token_hex(16)}
        producer.produce(
            TOPIC,
            key=f"{arguments.space}/{arguments.channel}",
            value=encode(kept),
            headers=headers(arguments.space, message, sent["trace"]),
            on_delivery=lambda error, record, sent=sent: delivered(error, record, sent),
        )
    waiting = producer.flush(30)
    if waiting or failed:
        sys.exit(f"{waiting + len(failed)} records were not delivered")


if __name__ == "__main__":
    main()
