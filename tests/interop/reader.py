"""A reader in Python: prints the structure of what is on knowledge.cases as JSON lines."""

import argparse
import io
import json
import sys
import time
from pathlib import Path

import fastavro
from confluent_kafka import OFFSET_BEGINNING, Consumer, KafkaError, TopicPartition
from confluent_kafka.schema_registry import SchemaRegistryClient
from confluent_kafka.schema_registry.avro import AvroDeserializer
from confluent_kafka.serialization import MessageField, SerializationContext

TOPIC = "knowledge.cases"
SCHEMAS = Path(__file__).parents[2] / "schemas"


def known():
    """Every schema that was ever written, by what single objects begin with."""
    schemas = {}
    for path in SCHEMAS.rglob("*.avsc"):
        schema = json.loads(path.read_text())
        form = fastavro.schema.to_parsing_canonical_form(schema)
        fingerprint = bytes.fromhex(fastavro.schema.fingerprint(form, "CRC-64-AVRO"))
        schemas[b"\xc3\x01" + fingerprint] = fastavro.parse_schema(schema)
    return schemas


class Decoder:
    """By Confluent's own deserialiser what is in its wire format; single objects by fastavro."""

    def __init__(self, registry):
        self.known = known()
        self.registry = SchemaRegistryClient({"url": registry}) if registry else None
        self.confluent = AvroDeserializer(self.registry) if registry else None

    def decode(self, value):
        """The name of an event's type, and its fields."""
        if value[:2] == b"\xc3\x01":
            schema, rest = self.known[value[:10]], io.BytesIO(value[10:])
            event = fastavro.schemaless_reader(rest, schema, None)
            if rest.read(1):
                raise ValueError("a value goes on after its last field")
            return schema["name"].rsplit(".", 1)[-1], event
        if value[:1] == b"\x00" and self.confluent:
            event = self.confluent(value, SerializationContext(TOPIC, MessageField.VALUE))
            schema = self.registry.get_schema(int.from_bytes(value[1:5], "big"))
            return json.loads(schema.schema_str)["name"], event
        raise ValueError("a value in no encoding that can be read here")


def structure(value):
    """A value without what is sealed in it."""
    if isinstance(value, bytes):
        return {"sealed": len(value)}
    if isinstance(value, list):
        return [structure(item) for item in value]
    if isinstance(value, dict):
        return {name: structure(item) for name, item in value.items()}
    return value if isinstance(value, (str, int, bool, type(None))) else str(value)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--bootstrap", required=True)
    parser.add_argument("--registry", help="URL, for values in Confluent's wire format")
    parser.add_argument("--cases", type=int, default=0, help="wait until so many cases were seen")
    parser.add_argument("--timeout", type=float, default=60)
    arguments = parser.parse_args()

    consumer = Consumer(
        {
            "bootstrap.servers": arguments.bootstrap,
            "group.id": "interop-reader",
            "enable.auto.commit": False,
            "enable.partition.eof": True,
        }
    )
    partitions = consumer.list_topics(TOPIC, timeout=10).topics[TOPIC].partitions
    if not partitions:
        sys.exit(f"there is no topic {TOPIC}")
    consumer.assign([TopicPartition(TOPIC, number, OFFSET_BEGINNING) for number in partitions])
    decoder = Decoder(arguments.registry)
    cases, ended = set(), set()
    deadline = time.monotonic() + arguments.timeout
    while len(ended) < len(partitions) or len(cases) < arguments.cases:
        if time.monotonic() > deadline:
            sys.exit(f"{len(cases)} cases after {arguments.timeout} s, not {arguments.cases}")
        record = consumer.poll(1.0)
        if record is None:
            continue
        if record.error():
            if record.error().code() != KafkaError._PARTITION_EOF:
                sys.exit(str(record.error()))
            ended.add(record.partition())
            continue
        name, event = decoder.decode(record.value())
        headers = {name: value.decode() for name, value in record.headers() or []}
        line = {
            "partition": record.partition(),
            "offset": record.offset(),
            "type": name,
            "case": str(event["case"]),
            "id": headers.get("ce_id"),
            "trace": headers.get("traceparent"),
            "fields": structure(event),
        }
        if headers.get("ce_type") != name:
            sys.exit(f"header ce_type is not {name}: {json.dumps(line)}")
        cases.add(line["case"])
        print(json.dumps(line), flush=True)
    consumer.close()


if __name__ == "__main__":
    main()
