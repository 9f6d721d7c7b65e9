//! Many rows as parameters: an array per column, which statements read by `unnest`.

use sqlx::postgres::PgArguments;
use sqlx::query::Query;
use sqlx::{PgConnection, Postgres};
use threadlore_fold::{Column, Kind, Table, Value};
use threadlore_model::{CaseId, SpaceId};
use threadlore_ports::Generation;
use uuid::Uuid;

use crate::binary::ColumnArray;
use crate::rows::{list, names, of};

/// Values of some columns for many rows.
pub(crate) struct Arrays {
    columns: &'static [Column],
    arrays: Vec<ColumnArray>,
}

impl Arrays {
    pub(crate) fn of(columns: &'static [Column]) -> Self {
        let arrays = columns.iter().map(|c| ColumnArray::new(c.kind)).collect();
        Self { columns, arrays }
    }

    /// Adds a row. Values of further columns are left out.
    pub(crate) fn push(&mut self, values: &[Value<'_>]) {
        for (array, value) in self.arrays.iter_mut().zip(values) {
            array.push(value);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.arrays.first().is_none_or(ColumnArray::is_empty)
    }

    /// The rows as a table in a FROM clause; its columns are named `<name>_<column>`. So many
    /// parameters of the statement come before these.
    pub(crate) fn unnest(&self, name: &str, before: usize) -> String {
        let mut at = before;
        let parameters = list(self.columns, ", ", |column| {
            at += 1;
            format!("${at}::{}", array_type(column.kind))
        });
        let columns = list(self.columns, ", ", |column| {
            format!("{name}_{}", column.name)
        });
        format!("unnest({parameters}) AS {name} ({columns})")
    }

    /// That the columns of table `t` equal those of [`Arrays::unnest`].
    pub(crate) fn equal(&self, name: &str) -> String {
        list(self.columns, " AND ", |column| {
            let column = column.name;
            format!("t.{column} = {name}.{name}_{column}")
        })
    }

    /// Binds the arrays, after those that the query has.
    pub(crate) fn bind<'q>(
        &'q self,
        query: Query<'q, Postgres, PgArguments>,
    ) -> Query<'q, Postgres, PgArguments> {
        self.arrays.iter().fold(query, Query::bind)
    }
}

const fn array_type(kind: Kind) -> &'static str {
    match kind {
        Kind::Bool => "boolean[]",
        Kind::Int => "bigint[]",
        Kind::Uuid => "uuid[]",
        Kind::Time => "timestamptz[]",
        Kind::Bytes => "bytea[]",
        // Arrays come as literals, see [`ColumnArray`].
        Kind::Text | Kind::Texts | Kind::Uuids => "text[]",
    }
}

/// The column of [`Arrays::unnest`] as the table has it.
fn selected(name: &str, column: &Column) -> String {
    let cast = match column.kind {
        Kind::Uuids => "::uuid[]",
        Kind::Texts => "::text[]",
        _ => "",
    };
    format!("{name}_{}{cast}", column.name)
}

/// Inserts rows, or updates those whose key is there. `rows` has all columns.
pub(crate) async fn upsert(
    tx: &mut PgConnection,
    generation: Generation,
    table: &Table,
    rows: &Arrays,
) -> Result<(), sqlx::Error> {
    if rows.is_empty() {
        return Ok(());
    }
    let statement = insert(table, rows);
    rows.bind(sqlx::query(&of(&statement, generation)))
        .execute(tx)
        .await?;
    Ok(())
}

/// Makes `rows` all that a table of children holds for `parents`. What is there already is not
/// written again: of a case with a long conversation little changes at a time.
pub(crate) async fn replace(
    tx: &mut PgConnection,
    generation: Generation,
    table: &Table,
    rows: &Arrays,
    parents: &Arrays,
) -> Result<(), sqlx::Error> {
    if parents.is_empty() {
        return Ok(());
    }
    let others = &table.columns[table.key..];
    let unchanged = format!(
        "WHERE ({}) IS DISTINCT FROM ({})",
        list(others, ", ", |column| format!("t.{}", column.name)),
        list(others, ", ", |column| format!("excluded.{}", column.name))
    );
    let statement = format!(
        "WITH gone AS (DELETE FROM {{schema}}.{} t USING {} WHERE {} \
             AND NOT EXISTS (SELECT FROM {} WHERE {})) {} {}",
        table.name,
        parents.unnest("p", rows.columns.len()),
        parents.equal("p"),
        rows.unnest("n", 0),
        list(table.key_columns(), " AND ", |column| {
            format!("n.n_{0} = t.{0}", column.name)
        }),
        insert(table, rows),
        if others.is_empty() { "" } else { &unchanged },
    );
    let statement = of(&statement, generation);
    let query = rows.bind(sqlx::query(&statement));
    parents.bind(query).execute(tx).await?;
    Ok(())
}

fn insert(table: &Table, rows: &Arrays) -> String {
    let others = &table.columns[table.key..];
    let update = format!(
        "UPDATE SET {}",
        list(others, ", ", |column| format!(
            "{0} = excluded.{0}",
            column.name
        ))
    );
    format!(
        "INSERT INTO {{schema}}.{} AS t ({}) SELECT {} FROM {} ON CONFLICT ({}) DO {}",
        table.name,
        names(table.columns),
        list(table.columns, ", ", |column| selected("n", column)),
        rows.unnest("n", 0),
        names(table.key_columns()),
        if others.is_empty() {
            "NOTHING"
        } else {
            &update
        },
    )
}

/// Deletes the rows of a table whose first columns are these.
pub(crate) async fn delete(
    tx: &mut PgConnection,
    generation: Generation,
    table: &Table,
    keys: &Arrays,
) -> Result<(), sqlx::Error> {
    if keys.is_empty() {
        return Ok(());
    }
    let statement = format!(
        "DELETE FROM {{schema}}.{} t USING {} WHERE {}",
        table.name,
        keys.unnest("k", 0),
        keys.equal("k")
    );
    keys.bind(sqlx::query(&of(&statement, generation)))
        .execute(tx)
        .await?;
    Ok(())
}

/// Keys of cases as columns.
#[derive(Default)]
pub(crate) struct CaseKeys {
    pub(crate) spaces: Vec<String>,
    pub(crate) ids: Vec<Uuid>,
}

impl CaseKeys {
    pub(crate) fn of<'a>(cases: impl IntoIterator<Item = (&'a SpaceId, CaseId)>) -> Self {
        let mut keys = Self::default();
        for (space, case) in cases {
            keys.spaces.push(space.to_string());
            keys.ids.push(case.as_uuid());
        }
        keys
    }
}

#[cfg(test)]
mod tests {
    use threadlore_fold::tables;
    use threadlore_ports::Projection;

    use super::*;

    #[test]
    fn a_statement_names_each_column_with_its_type() {
        let table = tables(Projection::Channels).next().expect("a table");
        let rows = Arrays::of(table.columns);
        assert_eq!(
            insert(table, &rows),
            "INSERT INTO {schema}.channels AS t (space, channel, admins, audience, mode, docs, published, configured_at, configured_by) \
             SELECT n_space, n_channel, n_admins::uuid[], n_audience, n_mode, n_docs::text[], n_published, n_configured_at, n_configured_by \
             FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], \
             $7::boolean[], $8::timestamptz[], $9::text[]) \
             AS n (n_space, n_channel, n_admins, n_audience, n_mode, n_docs, n_published, n_configured_at, n_configured_by) \
             ON CONFLICT (space, channel) DO UPDATE SET admins = excluded.admins, \
             audience = excluded.audience, mode = excluded.mode, docs = excluded.docs, published = excluded.published, \
             configured_at = excluded.configured_at, configured_by = excluded.configured_by"
        );
        let keys = Arrays::of(table.key_columns());
        let unnest = "unnest($10::text[], $11::text[]) AS p (p_space, p_channel)";
        assert_eq!(keys.unnest("p", 9), unnest);
        assert_eq!(
            keys.equal("p"),
            "t.space = p.p_space AND t.channel = p.p_channel"
        );
    }
}
