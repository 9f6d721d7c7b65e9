//! Full transitive compatibility: every version of a schema reads every other.

use std::collections::BTreeSet;
use std::fmt;

use apache_avro::Schema;
use apache_avro::schema_compatibility::SchemaCompatibility;
use threadlore_model::Body;

use crate::catalogue::{NAMESPACE, SOURCES, Source};
use crate::datum;

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Report {
    /// Event types.
    pub types: usize,
    /// Versions of all types together.
    pub versions: usize,
    /// Pairs of versions, each compared in both directions.
    pub pairs: usize,
}

/// One thing that is wrong with a schema.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The file, from the root of the repository.
    pub file: String,
    /// The problem, and what to do.
    pub reason: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.file, self.reason)
    }
}

/// Checks the embedded schemas: each parses, is documented, and every version reads every other.
/// That a changed schema is a new version is for the tests, by the bytes in `schemas/fixtures/`.
///
/// # Errors
/// Everything that is wrong.
pub fn check() -> Result<Report, Vec<Problem>> {
    let mut problems = Vec::new();
    let known: Vec<_> = SOURCES.iter().map(|source| source.type_name).collect();
    if known != Body::TYPES {
        problems.push(Problem {
            file: "schemas".to_owned(),
            reason: "there is not exactly one schema per event type, in the order of the model"
                .to_owned(),
        });
    }
    check_sources(SOURCES, problems)
}

fn check_sources(sources: &[Source], problems: Vec<Problem>) -> Result<Report, Vec<Problem>> {
    let mut checker = Checker { problems, pairs: 0 };
    for source in sources {
        checker.source(source);
    }
    if !checker.problems.is_empty() {
        return Err(checker.problems);
    }
    Ok(Report {
        types: sources.len(),
        versions: sources.iter().map(|source| source.versions().count()).sum(),
        pairs: checker.pairs,
    })
}

struct Checker {
    problems: Vec<Problem>,
    pairs: usize,
}

impl Checker {
    fn problem(&mut self, file: &str, reason: impl Into<String>) {
        self.problems.push(Problem {
            file: file.to_owned(),
            reason: reason.into(),
        });
    }

    fn source(&mut self, source: &Source) {
        let name = source.type_name;
        let mut versions = Vec::new();
        for (position, (number, text)) in source.versions().enumerate() {
            let file = file_of(source, number);
            if number as usize != position + 1 {
                self.problem(&file, "versions count from 1 without gaps");
            }
            if let Some(schema) = self.parse(&file, text) {
                versions.push((number, schema));
            }
        }
        let file = file_of(source, source.newest());
        if let Some((number, schema)) = versions.last()
            && *number == source.newest()
        {
            self.form(&file, name, schema);
            self.private(&file, name, schema);
        }
        for (i, (a_number, a)) in versions.iter().enumerate() {
            for (b_number, b) in &versions[i + 1..] {
                self.pairs += 1;
                self.reads(source, (*a_number, a), (*b_number, b));
                self.reads(source, (*b_number, b), (*a_number, a));
            }
        }
    }

    fn parse(&mut self, file: &str, text: &str) -> Option<Schema> {
        match Schema::parse_str(text) {
            Ok(schema) => Some(schema),
            Err(e) => {
                self.problem(file, format!("it is no Avro schema: {e}"));
                None
            }
        }
    }

    fn reads(&mut self, source: &Source, writer: (u32, &Schema), reader: (u32, &Schema)) {
        if let Err(e) = SchemaCompatibility::can_read(writer.1, reader.1) {
            let file = file_of(source, reader.0);
            self.problem(
                &file,
                format!("version {} cannot read version {}: {e}", reader.0, writer.0),
            );
        }
    }

    fn form(&mut self, file: &str, type_name: &str, schema: &Schema) {
        let Schema::Record(record) = schema else {
            return self.problem(file, "it is no record");
        };
        if record.name.fullname(None) != format!("{NAMESPACE}.{type_name}") {
            self.problem(file, format!("its name is not {NAMESPACE}.{type_name}"));
        }
        if !datum::supports(schema) {
            self.problem(
                file,
                "it uses a type that the codec does not support: use boolean, int, long, \
                 timestamp-millis, bytes, string, uuid, enum, array, union or a record with fields",
            );
        }
        self.documented(file, schema);
    }

    /// Bytes in an event are private text; only a dead letter has bytes of a record.
    fn private(&mut self, file: &str, type_name: &str, schema: &Schema) {
        let Schema::Record(record) = schema else {
            return;
        };
        let fields = record.fields.iter().filter(|f| holds_bytes(&f.schema));
        let fields: BTreeSet<&str> = fields.map(|field| field.name.as_str()).collect();
        let entry = Body::PRIVATE.iter().find(|(name, _)| *name == type_name);
        let named: BTreeSet<&str> = entry.into_iter().flat_map(|(_, f)| *f).copied().collect();
        if type_name != "DeadLetter" && fields != named {
            self.problem(
                file,
                format!(
                    "its fields of bytes are {fields:?}, and the private fields in the table of \
                     events (crates/model/src/events/mod.rs) are {named:?}"
                ),
            );
        }
    }

    fn documented(&mut self, file: &str, schema: &Schema) {
        match schema {
            Schema::Record(record) => {
                if record.doc.is_none() {
                    self.problem(file, format!("record {} has no doc", record.name.name));
                }
                for field in &record.fields {
                    if field.doc.is_none() {
                        self.problem(file, format!("field {} has no doc", field.name));
                    }
                    self.documented(file, &field.schema);
                }
            }
            Schema::Array(array) => self.documented(file, &array.items),
            Schema::Union(union) => {
                for variant in union.variants() {
                    self.documented(file, variant);
                }
            }
            Schema::Enum(choice) if choice.doc.is_none() => {
                self.problem(file, format!("enum {} has no doc", choice.name.name));
            }
            _ => {}
        }
    }
}

/// Whether a value of the schema has bytes in it.
fn holds_bytes(schema: &Schema) -> bool {
    match schema {
        Schema::Bytes => true,
        Schema::Array(array) => holds_bytes(&array.items),
        Schema::Union(union) => union.variants().iter().any(holds_bytes),
        Schema::Record(record) => record.fields.iter().any(|f| holds_bytes(&f.schema)),
        _ => false,
    }
}

fn file_of(source: &Source, version: u32) -> String {
    let name = source.type_name;
    if version == source.newest() {
        format!("schemas/{name}.avsc")
    } else {
        format!("schemas/history/{name}.v{version}.avsc")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const V1: &str = r#"{"type":"record","name":"T","namespace":"io.threadlore.v1","doc":"d",
        "fields":[{"name":"a","type":"long","doc":"d"}]}"#;
    const WITH_DEFAULT: &str = r#"{"type":"record","name":"T","namespace":"io.threadlore.v1","doc":"d",
        "fields":[{"name":"a","type":"long","doc":"d"},
                  {"name":"b","type":["null","string"],"default":null,"doc":"d"}]}"#;
    const WITHOUT_DEFAULT: &str = r#"{"type":"record","name":"T","namespace":"io.threadlore.v1","doc":"d",
        "fields":[{"name":"a","type":"long","doc":"d"},{"name":"b","type":"string","doc":"d"}]}"#;
    const UNDOCUMENTED: &str = r#"{"type":"record","name":"T","namespace":"io.threadlore.v1",
        "fields":[{"name":"a","type":"double"}]}"#;

    fn reasons(current: &'static str, history: &'static [(u32, &'static str)]) -> Vec<String> {
        let source = Source {
            type_name: "T",
            current,
            history,
        };
        match check_sources(&[source], Vec::new()) {
            Ok(_) => Vec::new(),
            Err(problems) => problems.iter().map(ToString::to_string).collect(),
        }
    }

    #[test]
    fn the_embedded_schemas_are_in_order() {
        let report = check().expect("no problem");
        assert_eq!(report.types, Body::TYPES.len());
    }

    #[test]
    fn a_private_field_must_be_in_the_table_of_events() {
        const SEALED: &str = r#"{"type":"record","name":"T","namespace":"io.threadlore.v1",
            "doc":"d","fields":[{"name":"a","type":["null","bytes"],"default":null,"doc":"d"}]}"#;
        let found = reasons(SEALED, &[]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("its fields of bytes are {\"a\"}"));
    }

    #[test]
    fn a_field_with_a_default_may_be_added() {
        assert_eq!(reasons(WITH_DEFAULT, &[(1, V1)]), Vec::<String>::new());
    }

    #[test]
    fn a_field_without_a_default_may_not_be_added() {
        let found = reasons(WITHOUT_DEFAULT, &[(1, V1)]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("schemas/T.avsc: version 2 cannot read version 1"));
    }

    #[test]
    fn versions_count_from_1_and_the_newest_is_documented() {
        let found = reasons(V1, &[(2, V1)]);
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("versions count from 1"), "{found:?}");
        let found = reasons(UNDOCUMENTED, &[]);
        assert_eq!(found.len(), 3, "{found:?}");
    }
}
