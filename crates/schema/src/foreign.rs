//! Schemas that others registered: a gateway in another language may leave out fields
//! that have a default, and have fields of its own.

use std::sync::Arc;

use apache_avro::Schema;
use apache_avro::schema_compatibility::SchemaCompatibility;
use threadlore_model::Body;

use crate::Fingerprint;
use crate::catalogue::{Catalogue, NAMESPACE, Unreadable};
use crate::datum;

/// Longest part of a library's explanation that is repeated.
const EXPLANATION: usize = 200;

/// A schema out of a registry that values were written with.
#[derive(Debug, Clone)]
pub struct WriterSchema {
    fingerprint: Fingerprint,
    /// `None` if the schema is one of ours.
    foreign: Option<Arc<Foreign>>,
}

#[derive(Debug)]
pub(crate) struct Foreign {
    type_name: &'static str,
    schema: Schema,
}

impl WriterSchema {
    /// Resolves a schema to one of ours.
    pub(crate) fn of(catalogue: &Catalogue, text: &str) -> Result<Self, String> {
        let schema = Schema::parse_str(text).map_err(|_| "it is no Avro schema".to_owned())?;
        let fingerprint = Fingerprint::of(&schema);
        if catalogue.knows(fingerprint) {
            let foreign = None;
            return Ok(Self {
                fingerprint,
                foreign,
            });
        }
        let Schema::Record(record) = &schema else {
            return Err("it is no record".to_owned());
        };
        let Some((type_name, reader)) = catalogue.reader(&record.name.fullname(None)) else {
            return Err(format!(
                "it is a record of no event type of {NAMESPACE} that is known here"
            ));
        };
        if !datum::reads(&schema) {
            return Err(format!(
                "it is a {type_name} with a type that cannot be read here: a decimal, a \
                 duration, a recursive or empty record, or a reference to a named type"
            ));
        }
        SchemaCompatibility::can_read(&schema, reader).map_err(|e| {
            let why: String = e.to_string().chars().take(EXPLANATION).collect();
            format!("it cannot be read as {type_name}: {why}")
        })?;
        Ok(Self {
            fingerprint,
            foreign: Some(Arc::new(Foreign { type_name, schema })),
        })
    }

    /// The fingerprint at the beginning of values of this schema.
    #[must_use]
    pub const fn fingerprint(&self) -> Fingerprint {
        self.fingerprint
    }

    /// Whether it is a foreign schema, which a codec does not know by itself.
    #[must_use]
    pub const fn is_foreign(&self) -> bool {
        self.foreign.is_some()
    }

    /// Reads a datum, when it was written by this schema and that is none of ours.
    pub(crate) fn read(
        &self,
        catalogue: &Catalogue,
        fingerprint: Fingerprint,
        datum: &[u8],
    ) -> Option<Result<Body, Unreadable>> {
        let foreign = self.foreign.as_ref()?;
        let read = || catalogue.read_as(foreign.type_name, (&foreign.schema, true), datum);
        (fingerprint == self.fingerprint).then(read)
    }
}
