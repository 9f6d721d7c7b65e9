//! Rows by PostgreSQL's own bulk protocol.

use anyhow::Context;
use futures::TryStreamExt as _;
use sqlx::Connection as _;
use sqlx::postgres::PgConnection;

/// The rows of one table in COPY's binary form.
pub(crate) struct Copied {
    table: String,
    columns: String,
    bytes: Vec<u8>,
}

/// One connection to a database.
pub(crate) struct Tables(PgConnection);

impl Tables {
    /// Connects.
    pub(crate) async fn connect(url: &str) -> anyhow::Result<Self> {
        let connection = PgConnection::connect(url).await;
        Ok(Self(connection.context("connecting to copy rows")?))
    }

    /// Bytes of one column of a table.
    pub(crate) async fn bytes(
        &mut self,
        schema: &str,
        table: &str,
        column: &str,
    ) -> anyhow::Result<f64> {
        let statement = format!("SELECT sum(octet_length({column}))::float8 FROM {schema}.{table}");
        let bytes: Option<f64> = sqlx::query_scalar(&statement)
            .fetch_one(&mut self.0)
            .await?;
        Ok(bytes.unwrap_or_default())
    }

    /// Reads a table whole, but for what the database derives by itself.
    pub(crate) async fn read(&mut self, schema: &str, table: &str) -> anyhow::Result<Copied> {
        let columns: String = sqlx::query_scalar(
            "SELECT string_agg(column_name, ', ' ORDER BY ordinal_position) \
             FROM information_schema.columns \
             WHERE table_schema = $1 AND table_name = $2 AND is_generated = 'NEVER'",
        )
        .bind(schema)
        .bind(table)
        .fetch_one(&mut self.0)
        .await?;
        let statement = format!("COPY {schema}.{table} ({columns}) TO STDOUT (FORMAT binary)");
        let mut bytes = Vec::new();
        let mut parts = self.0.copy_out_raw(&statement).await?;
        while let Some(part) = parts.try_next().await? {
            bytes.extend_from_slice(&part);
        }
        drop(parts);
        Ok(Copied {
            table: table.to_owned(),
            columns,
            bytes,
        })
    }

    /// Writes rows into the table of that name in another schema; their number.
    pub(crate) async fn write(&mut self, schema: &str, rows: &Copied) -> anyhow::Result<u64> {
        let Copied {
            table,
            columns,
            bytes,
        } = rows;
        let statement = format!("COPY {schema}.{table} ({columns}) FROM STDIN (FORMAT binary)");
        let mut sink = self.0.copy_in_raw(&statement).await?;
        sink.send(bytes.as_slice()).await?;
        Ok(sink.finish().await?)
    }
}
