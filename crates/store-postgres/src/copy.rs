//! New rows in bulk, by PostgreSQL's `COPY … FROM STDIN (FORMAT binary)`.
//!
//! The format is documented in PostgreSQL's manual under COPY, "Binary Format"; the fields are
//! what the types' `send` functions write.

use std::borrow::Borrow;

use sqlx::PgConnection;
use threadlore_fold::{TableRow, Value};
use threadlore_ports::Generation;

use crate::rows::of;
use crate::types::micros;

/// What a binary stream begins with: the signature, no flags, no extension.
const HEADER: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";

/// What it ends with.
const TRAILER: [u8; 2] = (-1_i16).to_be_bytes();

/// Types of the elements of arrays, by their numbers in `pg_type`.
const INT8: u32 = 20;
const TEXT: u32 = 25;
const UUID: u32 = 2950;

/// Rows of one table as they are sent.
pub(crate) struct Copied {
    table: &'static str,
    columns: Vec<&'static str>,
    bytes: Vec<u8>,
}

impl Copied {
    /// `None` where there are no rows.
    pub(crate) fn of<R: TableRow>(rows: impl IntoIterator<Item = impl Borrow<R>>) -> Option<Self> {
        let (mut names, mut bytes) = (Vec::new(), HEADER.to_vec());
        for row in rows {
            let columns = row.borrow().columns();
            if names.is_empty() {
                names.extend(columns.iter().map(|(name, _)| *name));
            }
            put_row(&mut bytes, columns.iter().map(|(_, value)| value));
        }
        bytes.extend(TRAILER);
        (!names.is_empty()).then_some(Self {
            table: R::TABLE,
            columns: names,
            bytes,
        })
    }
}

/// Adds rows to their table of a build. None of them is there yet: a row whose key is taken is
/// an error, and the transaction has failed then.
pub(crate) async fn copy(
    tx: &mut PgConnection,
    generation: Generation,
    rows: Option<Copied>,
) -> Result<(), sqlx::Error> {
    let Some(Copied {
        table,
        columns,
        bytes,
    }) = rows
    else {
        return Ok(());
    };
    let columns = columns.join(", ");
    let statement = format!("COPY {{schema}}.{table} ({columns}) FROM STDIN (FORMAT binary)");
    let mut sink = tx.copy_in_raw(&of(&statement, generation)).await?;
    sink.send(bytes).await?;
    sink.finish().await?;
    Ok(())
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
        Value::Ints(values) => put_array(out, INT8, values.iter().map(|v| v.to_be_bytes())),
        Value::Uuids(ids) => put_array(out, UUID, ids.iter().map(|id| *id.as_bytes())),
        Value::Texts(texts) => put_array(out, TEXT, texts.iter().map(|text| text.as_bytes())),
    }
}

fn put_field(out: &mut Vec<u8>, bytes: &[u8]) {
    // A text is bounded by a megabyte, a vector by a few kilobytes.
    out.extend((bytes.len() as u32).to_be_bytes());
    out.extend(bytes);
}

/// An array: dimensions, no nulls, the type of its elements; length and first index of its one
/// dimension; the elements. An empty one has no dimension.
fn put_array(
    out: &mut Vec<u8>,
    of_type: u32,
    elements: impl ExactSizeIterator<Item = impl AsRef<[u8]>>,
) {
    let mut array = Vec::new();
    let count = elements.len() as u32;
    for number in [u32::from(count > 0), 0, of_type] {
        array.extend(number.to_be_bytes());
    }
    if count > 0 {
        array.extend(count.to_be_bytes());
        array.extend(1_u32.to_be_bytes());
    }
    for element in elements {
        put_field(&mut array, element.as_ref());
    }
    put_field(out, &array);
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
