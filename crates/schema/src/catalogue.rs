//! The embedded schemas, by type and by fingerprint.

use std::collections::HashMap;
use std::sync::OnceLock;

use apache_avro::types::Value;
use apache_avro::{AvroResult, Schema, from_value, write_avro_datum_ref};
use threadlore_model::{Body, events};

use crate::Fingerprint;
use crate::direct::{self, Unfit};

/// The namespace of all records.
pub(crate) const NAMESPACE: &str = "io.threadlore.v1";

/// One event type with all versions of its schema.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Source {
    pub(crate) type_name: &'static str,
    /// `schemas/<Type>.avsc`: the newest version.
    pub(crate) current: &'static str,
    /// `schemas/history/<Type>.v<n>.avsc`: the versions before it, oldest first.
    pub(crate) history: &'static [(u32, &'static str)],
}

impl Source {
    /// The number of the newest version.
    pub(crate) const fn newest(&self) -> u32 {
        self.history.len() as u32 + 1
    }

    /// Every version that was ever written, oldest first.
    pub(crate) fn versions(&self) -> impl Iterator<Item = (u32, &'static str)> {
        let newest = (self.newest(), self.current);
        self.history.iter().copied().chain([newest])
    }
}

macro_rules! types {
    ($($name:ident $([$($older:literal),+])? { $($entry:tt)* })+) => {
        /// Every event type with the versions that were ever written; see `schemas/README.md`.
        pub(crate) const SOURCES: &[Source] = &[$(Source {
            type_name: stringify!($name),
            current: include_str!(concat!("../../../schemas/", stringify!($name), ".avsc")),
            history: &[$($((
                $older,
                include_str!(concat!(
                    "../../../schemas/history/", stringify!($name), ".v", $older, ".avsc"
                )),
            )),+)?],
        }),+];

        fn write(schema: &Schema, body: &Body, out: &mut Vec<u8>) -> AvroResult<usize> {
            match body {
                $(Body::$name(body) => write_avro_datum_ref(schema, body, out)),+
            }
        }

        fn read(type_name: &str, value: &Value) -> Option<Body> {
            match type_name {
                $(stringify!($name) => {
                    from_value::<threadlore_model::$name>(value).ok().map(Body::from)
                }),+
                _ => None,
            }
        }

        /// Reads what was written with the newest schema of the type.
        fn read_newest(type_name: &str, schema: &Schema, datum: &[u8]) -> Result<Body, Unfit> {
            match type_name {
                $(stringify!($name) => {
                    direct::read::<threadlore_model::$name>(schema, datum).map(Body::from)
                }),+
                _ => Err(Unfit::Field),
            }
        }
    };
}

events!(types);

/// A schema that some record may have been written with.
struct Writer {
    type_name: &'static str,
    schema: Schema,
}

struct Newest {
    fingerprint: Fingerprint,
    schema: Schema,
    text: &'static str,
}

/// A schema that events are written with, for a registry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Written {
    /// The event type, which is the record's name.
    pub type_name: &'static str,
    /// The fingerprint before the datum, without a registry.
    pub fingerprint: Fingerprint,
    /// The schema as JSON.
    pub text: &'static str,
}

impl Written {
    /// The record's name with its namespace.
    #[must_use]
    pub fn full_name(&self) -> String {
        format!("{NAMESPACE}.{}", self.type_name)
    }
}

/// Parsed schemas.
pub(crate) struct Catalogue {
    writers: HashMap<Fingerprint, Writer>,
    newest: HashMap<&'static str, Newest>,
}

/// Why a value is no event.
pub(crate) enum Unreadable {
    /// No known schema has the fingerprint.
    Unknown,
    /// The bytes do not follow their schema.
    Datum(&'static str, crate::datum::Bad),
    /// An older version could not be resolved, or a field breaks the rule of its type.
    Field(&'static str),
}

impl Catalogue {
    /// The embedded schemas, parsed once.
    pub(crate) fn embedded() -> &'static Self {
        static CATALOGUE: OnceLock<Catalogue> = OnceLock::new();
        CATALOGUE.get_or_init(|| Self::parse(SOURCES))
    }

    /// Parses sources that are compiled in; [`crate::check`] reports those that do not parse.
    pub(crate) fn parse(sources: &[Source]) -> Self {
        // Ids are texts in the schemas; the setting is global to the process and
        // only this crate uses Avro.
        apache_avro::util::set_serde_human_readable(true);
        let mut writers = HashMap::new();
        let mut newest = HashMap::new();
        for source in sources {
            for (_, text) in source.versions() {
                let Ok(schema) = Schema::parse_str(text) else {
                    continue;
                };
                let fingerprint = Fingerprint::of(&schema);
                let type_name = source.type_name;
                let last = schema.clone();
                writers.insert(fingerprint, Writer { type_name, schema });
                newest.insert(
                    type_name,
                    Newest {
                        fingerprint,
                        schema: last,
                        text,
                    },
                );
            }
        }
        Self { writers, newest }
    }

    /// A body as a single object; `None` when it does not fit its schema.
    pub(crate) fn write(&self, body: &Body) -> Option<Vec<u8>> {
        let newest = self.newest.get(body.type_name())?;
        let mut value = newest.fingerprint.join(&[]);
        write(&newest.schema, body, &mut value).ok()?;
        Some(value)
    }

    /// The schemas that events are written with, in no order.
    pub(crate) fn written(&self) -> impl Iterator<Item = Written> {
        self.newest.iter().map(|(type_name, newest)| Written {
            type_name,
            fingerprint: newest.fingerprint,
            text: newest.text,
        })
    }

    /// Whether records may have been written with the schema of this fingerprint here.
    pub(crate) fn knows(&self, fingerprint: Fingerprint) -> bool {
        self.writers.contains_key(&fingerprint)
    }

    /// The type and schema that a schema of this full name is read as.
    pub(crate) fn reader(&self, full_name: &str) -> Option<(&'static str, &Schema)> {
        let name = full_name.strip_prefix(NAMESPACE)?.strip_prefix('.')?;
        let (type_name, newest) = self.newest.get_key_value(name)?;
        Some((type_name, &newest.schema))
    }

    /// Reads a datum that was written with the schema of this fingerprint.
    pub(crate) fn read(&self, fingerprint: Fingerprint, datum: &[u8]) -> Result<Body, Unreadable> {
        let writer = self.writers.get(&fingerprint).ok_or(Unreadable::Unknown)?;
        let newest = self.newest.get(writer.type_name);
        let resolve = newest.is_none_or(|newest| newest.fingerprint != fingerprint);
        self.read_as(writer.type_name, (&writer.schema, resolve), datum)
    }

    /// Reads a datum that was written with a schema which is the newest of its type, or
    /// else has to be resolved to that.
    pub(crate) fn read_as(
        &self,
        type_name: &'static str,
        (schema, resolve): (&Schema, bool),
        datum: &[u8],
    ) -> Result<Body, Unreadable> {
        let field = || Unreadable::Field(type_name);
        if !resolve {
            return read_newest(type_name, schema, datum).map_err(|unfit| match unfit {
                Unfit::Bad(bad) => Unreadable::Datum(type_name, bad),
                Unfit::Field => field(),
            });
        }
        let mut value =
            crate::datum::decode(schema, datum).map_err(|bad| Unreadable::Datum(type_name, bad))?;
        if let Some(newest) = self.newest.get(type_name) {
            value = value.resolve(&newest.schema).map_err(|_| field())?;
        }
        read(type_name, &value).ok_or_else(field)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(path: &std::path::Path) -> Vec<u8> {
        let text = std::fs::read_to_string(path).expect("a fixture");
        let digits: Vec<u8> = text.bytes().filter(u8::is_ascii_hexdigit).collect();
        let pairs = digits
            .chunks(2)
            .map(|pair| std::str::from_utf8(pair).expect("digits"));
        pairs
            .map(|pair| u8::from_str_radix(pair, 16).expect("a byte"))
            .collect()
    }

    /// The two ways to read a datum of the newest schema.
    fn both(newest: &Newest, type_name: &str, datum: &[u8]) -> (Option<Body>, Option<Body>) {
        let value = crate::datum::decode(&newest.schema, datum).ok();
        (
            read_newest(type_name, &newest.schema, datum).ok(),
            value.and_then(|value| read(type_name, &value)),
        )
    }

    #[test]
    fn data_read_directly_are_those_read_by_way_of_values_hostile_ones_too() {
        let fixtures =
            std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas/fixtures");
        let catalogue = Catalogue::embedded();
        let mut compared = 0;
        for source in SOURCES {
            let newest = &catalogue.newest[source.type_name];
            let file = format!("{}.v{}.hex", source.type_name, source.newest());
            let bytes = kept(&fixtures.join(file));
            let (_, datum) = Fingerprint::split(&bytes).expect("a single object");
            let (direct, by_value) = both(newest, source.type_name, datum);
            assert!(direct.is_some(), "{}", source.type_name);
            assert_eq!(direct, by_value);
            for at in 0..datum.len() {
                let (direct, by_value) = both(newest, source.type_name, &datum[..at]);
                assert_eq!(direct, by_value, "{} cut at {at}", source.type_name);
                for other in [0, 1, 2, 3, 0x40, 0x7f, 0x80, 0xfe, 0xff] {
                    let mut damaged = datum.to_vec();
                    damaged[at] = other;
                    let (direct, by_value) = both(newest, source.type_name, &damaged);
                    assert_eq!(
                        direct, by_value,
                        "{} with {other} at {at}",
                        source.type_name
                    );
                    compared += 1;
                }
            }
            let longer = [datum, &[0]].concat();
            assert_eq!(both(newest, source.type_name, &longer), (None, None));
        }
        assert!(compared > 1000);
    }

    #[test]
    fn an_older_version_is_read_as_the_newest() {
        const OLD: &str = r#"{"type":"record","name":"PlatformReaction",
            "namespace":"io.threadlore.v1","doc":"d","fields":[
            {"name":"channel","type":"string"},{"name":"native_id","type":"string"},
            {"name":"author_id","type":"string"},{"name":"emoji","type":"string"},
            {"name":"added","type":"boolean"},
            {"name":"at","type":{"type":"long","logicalType":"timestamp-millis"}}]}"#;
        const NEW: &str = include_str!("../../../schemas/PlatformReaction.avsc");
        let catalogue = Catalogue::parse(&[Source {
            type_name: "PlatformReaction",
            current: NEW,
            history: &[(1, OLD)],
        }]);
        let old = Schema::parse_str(OLD).expect("a schema");
        let datum = [&b"\x0airc:x\x02m\x02a\x02+\x01"[..], &[0x54]].concat();
        let body = catalogue.read(Fingerprint::of(&old), &datum).ok();
        let Some(Body::PlatformReaction(reaction)) = body else {
            panic!("no reaction: {body:?}");
        };
        assert_eq!(reaction.at.as_millis(), 42);
        assert_eq!(reaction.update_id, None);
    }
}
