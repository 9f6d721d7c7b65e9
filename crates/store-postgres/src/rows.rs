//! Statements and rows of any table, made of its list of columns: the way from rows of PostgreSQL
//! to the rows that `threadlore-fold` folds, digests and compares.

use std::borrow::Cow;

use sqlx::postgres::PgRow;
use sqlx::{Error, Row as _};
use threadlore_fold::{Column, ColumnType, Kind, Table, Value};
use threadlore_ports::Generation;
use uuid::Uuid;

use crate::types::Moment;

/// Puts the schema of a build into a statement. Safe as text: a schema's name is
/// a projection's name and a number.
pub(crate) fn of(statement: &str, generation: Generation) -> String {
    statement.replace("{schema}", &generation.schema())
}

/// The names of columns as a list. They are constants of `threadlore-fold`, and so safe as text.
pub(crate) fn names(columns: &[Column]) -> String {
    list(columns, ", ", |column| column.name.to_owned())
}

/// Something of each column, with `between` in between.
pub(crate) fn list(
    columns: &[Column],
    between: &str,
    each: impl FnMut(&Column) -> String,
) -> String {
    columns.iter().map(each).collect::<Vec<_>>().join(between)
}

/// A select of all rows of a table, which is called `t`, with its columns in their order.
pub(crate) fn select(table: &Table) -> String {
    format!(
        "SELECT {} FROM {{schema}}.{} t",
        names(table.columns),
        table.name
    )
}

/// The values of a row that [`select`] selects.
pub(crate) fn values<'r>(row: &'r PgRow, table: &Table) -> Result<Vec<Value<'r>>, Error> {
    let columns = table.columns.iter().enumerate();
    columns.map(|(at, c)| value(row, at, c.kind)).collect()
}

/// A column of any row.
pub(crate) fn cell<T: ColumnType>(row: &PgRow, column: &'static str) -> Result<T, Error> {
    T::read(&value(row, column, T::KIND)?).ok_or_else(|| unexpected(column))
}

/// The error of a value that no row has.
pub(crate) fn unexpected(column: &str) -> Error {
    Error::ColumnDecode {
        index: column.to_owned(),
        source: "Threadlore writes no such value".into(),
    }
}

/// A value of a row, by its place or name.
pub(crate) fn value<'r, I>(row: &'r PgRow, at: I, kind: Kind) -> Result<Value<'r>, Error>
where
    I: sqlx::ColumnIndex<PgRow>,
{
    let value = match kind {
        Kind::Bool => row.try_get::<Option<bool>, _>(at)?.map(Value::Bool),
        Kind::Int => row.try_get::<Option<i64>, _>(at)?.map(Value::Int),
        Kind::Text => row.try_get::<Option<&'r str>, _>(at)?.map(Value::Text),
        Kind::Uuid => row.try_get::<Option<Uuid>, _>(at)?.map(Value::Uuid),
        Kind::Bytes => row.try_get::<Option<&'r [u8]>, _>(at)?.map(Value::Bytes),
        Kind::Uuids => row.try_get::<Option<Vec<Uuid>>, _>(at)?.map(Value::Uuids),
        Kind::Texts => {
            let texts = row.try_get::<Option<Vec<String>>, _>(at)?;
            texts.map(|texts| Value::Texts(texts.into_iter().map(Cow::from).collect()))
        }
        Kind::Time => {
            let at = row.try_get::<Option<Moment>, _>(at)?;
            at.map(|Moment(at)| Value::Time(at.as_millis()))
        }
    };
    Ok(value.unwrap_or(Value::Null))
}
