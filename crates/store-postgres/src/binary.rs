//! Rows as PostgreSQL reads them in binary: as fields of `COPY … FROM STDIN (FORMAT binary)`, and
//! as one array per column.
//!
//! The formats are documented in PostgreSQL's manual under COPY, "Binary Format"; the fields and
//! the elements of arrays are what the types' `send` functions write.

use sqlx::encode::IsNull;
use sqlx::error::BoxDynError;
use sqlx::postgres::types::Oid;
use sqlx::postgres::{PgArgumentBuffer, PgTypeInfo};
use sqlx::{Encode, PgConnection, Postgres, Type};
use threadlore_fold::{Kind, Table, Value};
use threadlore_ports::Generation;

use crate::rows::{names, of};
use crate::types::{array_literal, micros};

/// What a binary stream begins with: the signature, no flags, no extension.
const HEADER: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";

/// What it ends with.
const TRAILER: [u8; 2] = (-1_i16).to_be_bytes();

/// Types of the elements of arrays, by their numbers in `pg_type`.
const INT8: u32 = 20;
const TEXT: u32 = 25;
const UUID: u32 = 2950;

/// New rows of one table, to be copied.
pub(crate) struct Copied {
    table: &'static Table,
    bytes: Vec<u8>,
}

impl Copied {
    pub(crate) fn new(table: &'static Table) -> Self {
        let bytes = HEADER.to_vec();
        Self { table, bytes }
    }

    pub(crate) fn push(&mut self, values: &[Value<'_>]) {
        put_row(&mut self.bytes, values.iter());
    }

    /// Adds the rows to their table of a build. None of them is there yet: a row whose key is
    /// taken is an error, and the transaction has failed then.
    pub(crate) async fn copy(
        mut self,
        tx: &mut PgConnection,
        generation: Generation,
    ) -> Result<(), sqlx::Error> {
        if self.bytes.len() == HEADER.len() {
            return Ok(());
        }
        self.bytes.extend(TRAILER);
        let statement = format!(
            "COPY {{schema}}.{} ({}) FROM STDIN (FORMAT binary)",
            self.table.name,
            names(self.table.columns)
        );
        let mut sink = tx.copy_in_raw(&of(&statement, generation)).await?;
        sink.send(self.bytes).await?;
        sink.finish().await?;
        Ok(())
    }
}

/// One column of many rows, as a parameter. Values that are arrays are literals: an array of
/// arrays would have to be as wide in every row.
pub(crate) struct ColumnArray {
    kind: Kind,
    count: u32,
    elements: Vec<u8>,
}

impl ColumnArray {
    pub(crate) const fn new(kind: Kind) -> Self {
        Self {
            kind,
            count: 0,
            elements: Vec::new(),
        }
    }

    pub(crate) fn push(&mut self, value: &Value<'_>) {
        self.count += 1;
        match value {
            Value::Uuids(ids) => put_field(&mut self.elements, array_literal(ids).as_bytes()),
            Value::Texts(texts) => put_field(&mut self.elements, array_literal(texts).as_bytes()),
            value => put_value(&mut self.elements, value),
        }
    }

    pub(crate) const fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The types of the parameter and of its elements, by their numbers in `pg_type`.
    const fn types(&self) -> (u32, u32) {
        match self.kind {
            Kind::Bool => (1000, 16),
            Kind::Bytes => (1001, 17),
            Kind::Int => (1016, INT8),
            Kind::Text | Kind::Texts | Kind::Uuids => (1009, TEXT),
            Kind::Uuid => (2951, UUID),
            Kind::Time => (1185, 1184),
        }
    }
}

impl Type<Postgres> for ColumnArray {
    /// Of texts, but [`Encode::produces`] knows better.
    fn type_info() -> PgTypeInfo {
        PgTypeInfo::with_oid(Oid(1009))
    }
}

impl Encode<'_, Postgres> for ColumnArray {
    fn encode_by_ref(&self, buffer: &mut PgArgumentBuffer) -> Result<IsNull, BoxDynError> {
        let mut head = Vec::with_capacity(20);
        put_array_head(&mut head, self.types().1, self.count, true);
        buffer.extend_from_slice(&head);
        buffer.extend_from_slice(&self.elements);
        Ok(IsNull::No)
    }

    fn produces(&self) -> Option<PgTypeInfo> {
        Some(PgTypeInfo::with_oid(Oid(self.types().0)))
    }
}

fn put_row<'a>(out: &mut Vec<u8>, columns: impl ExactSizeIterator<Item = &'a Value<'a>>) {
    // A table has a few columns, never thousands.
    out.extend((columns.len() as u16).to_be_bytes());
    columns.for_each(|value| put_value(out, value));
}

/// A field: its length, and what it holds.
fn put_value(out: &mut Vec<u8>, value: &Value<'_>) {
    match value {
        Value::Null => out.extend((-1_i32).to_be_bytes()),
        Value::Bool(value) => put_field(out, &[u8::from(*value)]),
        Value::Int(value) => put_field(out, &value.to_be_bytes()),
        Value::Text(text) => put_field(out, text.as_bytes()),
        Value::Uuid(id) => put_field(out, id.as_bytes()),
        Value::Time(ms) => put_field(out, &micros(*ms).to_be_bytes()),
        Value::Bytes(bytes) => put_field(out, bytes),
        Value::Uuids(ids) => put_array(out, UUID, ids.iter().map(|id| *id.as_bytes())),
        Value::Texts(texts) => put_array(out, TEXT, texts.iter().map(|text| text.as_bytes())),
    }
}

fn put_field(out: &mut Vec<u8>, bytes: &[u8]) {
    // A text is bounded by a megabyte, a vector by a few kilobytes.
    out.extend((bytes.len() as u32).to_be_bytes());
    out.extend(bytes);
}

/// An array of values none of which is null.
fn put_array(
    out: &mut Vec<u8>,
    of_type: u32,
    elements: impl ExactSizeIterator<Item = impl AsRef<[u8]>>,
) {
    let mut array = Vec::new();
    put_array_head(&mut array, of_type, elements.len() as u32, false);
    for element in elements {
        put_field(&mut array, element.as_ref());
    }
    put_field(out, &array);
}

/// What an array begins with: dimensions, whether an element may be null, the type of its
/// elements; length and first index of its one dimension. An empty one has no dimension.
fn put_array_head(out: &mut Vec<u8>, of_type: u32, count: u32, has_nulls: bool) {
    for number in [u32::from(count > 0), u32::from(has_nulls), of_type] {
        out.extend(number.to_be_bytes());
    }
    if count > 0 {
        out.extend(count.to_be_bytes());
        out.extend(1_u32.to_be_bytes());
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;

    fn written(value: &Value<'_>) -> Vec<u8> {
        let mut out = Vec::new();
        put_value(&mut out, value);
        out
    }

    #[test]
    fn nothing_has_the_length_minus_one_and_an_empty_text_the_length_zero() {
        assert_eq!(written(&Value::Null), [0xff; 4]);
        assert_eq!(written(&Value::Text("")), [0; 4]);
    }

    #[test]
    fn an_empty_array_has_a_type_and_no_dimension() {
        let expected = [0, 0, 0, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 25];
        assert_eq!(written(&Value::Texts(Vec::new())), expected);
    }

    #[test]
    fn an_array_says_how_many_elements_it_has_and_how_long_each_is() {
        let bytes = written(&Value::Uuids(vec![Uuid::from_u128(7); 2]));
        assert_eq!(bytes.len(), 4 + 5 * 4 + 2 * (4 + 16));
        assert_eq!(&bytes[4..8], 1_u32.to_be_bytes());
        assert_eq!(&bytes[16..20], 2_u32.to_be_bytes());
        assert_eq!(&bytes[24..28], 16_u32.to_be_bytes());
    }
}
