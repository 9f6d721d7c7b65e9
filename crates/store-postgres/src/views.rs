//! The views for analysts, row by row.

use futures::TryStreamExt as _;
use sqlx::Executor as _;
use threadlore_fold::{Kind, Value, tables};
use threadlore_ports::{PortError, Projection, Scope};

use crate::PostgresStore;
use crate::error::failed;
use crate::rollups;
use crate::rows::value;

/// A column of a view.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewColumn {
    /// Its name.
    pub name: String,
    /// What its values are.
    pub kind: ViewKind,
}

/// What the values of a column are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ViewKind {
    /// A day, as a whole number: how many there are from 1970-01-01 to it.
    Day,
    /// Anything else.
    Of(Kind),
}

/// Takes the rows of views, one view after the other.
pub trait ViewSink {
    /// Why it takes no more.
    type Error: From<PortError>;

    /// A view begins; the one before it has ended.
    ///
    /// # Errors
    /// It cannot be taken.
    fn begin(&mut self, view: &str, columns: &[ViewColumn]) -> Result<(), Self::Error>;

    /// A row of it: a value for each column.
    ///
    /// # Errors
    /// As [`ViewSink::begin`].
    fn row(&mut self, values: &[Value<'_>]) -> Result<(), Self::Error>;
}

impl PostgresStore {
    /// Hands over every view for analysts but that of vectors, all of one moment, as a reader of the space
    /// sees them, with days in UTC.
    ///
    /// # Errors
    /// The database cannot be reached; or what the sink says.
    pub async fn views<S: ViewSink>(&self, scope: &Scope, sink: &mut S) -> Result<(), S::Error> {
        const DOING: &str = "reading the views for analysts";
        let (mut tx, live) = self.reading(scope.space()).await.map_err(failed(DOING))?;
        tx.execute("SET LOCAL timezone = 'UTC'")
            .await
            .map_err(failed(DOING))?;
        let built = Projection::ALL
            .into_iter()
            .filter(|one| live.of(*one).is_some());
        let built = built.filter(|one| *one != Projection::Vectors);
        let views: Vec<&str> = built.flat_map(tables).map(|table| table.name).collect();
        for view in views
            .into_iter()
            .chain(rollups::NAMES.map(|(name, _)| name))
        {
            let columns: Vec<(String, String)> = sqlx::query_as(
                "SELECT attname::text, format_type(atttypid, NULL) FROM pg_attribute \
                 WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped ORDER BY attnum",
            )
            .bind(format!("lore.{view}"))
            .fetch_all(&mut *tx)
            .await
            .map_err(failed(DOING))?;
            let columns = columns.into_iter().map(|(name, kind)| {
                let kind = kind_of(&kind).ok_or_else(|| unknown(view, &name, &kind))?;
                Ok(ViewColumn { name, kind })
            });
            let columns = columns.collect::<Result<Vec<ViewColumn>, PortError>>()?;
            if columns.is_empty() {
                continue;
            }
            sink.begin(view, &columns)?;
            let selected = columns.iter().map(|column| match column.kind {
                ViewKind::Day => format!("({} - DATE '1970-01-01')::bigint", column.name),
                ViewKind::Of(_) => column.name.clone(),
            });
            let selected = selected.collect::<Vec<_>>().join(", ");
            // In an order that is the same whenever nothing has changed.
            let statement = format!("SELECT {selected} FROM lore.{view} v ORDER BY v");
            let mut rows = sqlx::query(&statement).fetch(&mut *tx);
            while let Some(row) = rows.try_next().await.map_err(failed(DOING))? {
                let values = columns.iter().enumerate().map(|(at, column)| {
                    let kind = match column.kind {
                        ViewKind::Day => Kind::Int,
                        ViewKind::Of(kind) => kind,
                    };
                    value(&row, at, kind)
                });
                let values = values.collect::<Result<Vec<_>, _>>();
                sink.row(&values.map_err(failed(DOING))?)?;
            }
        }
        Ok(())
    }
}

fn kind_of(name: &str) -> Option<ViewKind> {
    let kind = match name {
        "date" => return Some(ViewKind::Day),
        "boolean" => Kind::Bool,
        "bigint" => Kind::Int,
        "text" => Kind::Text,
        "uuid" => Kind::Uuid,
        "timestamp with time zone" => Kind::Time,
        "uuid[]" => Kind::Uuids,
        "text[]" => Kind::Texts,
        _ => return None,
    };
    Some(ViewKind::Of(kind))
}

fn unknown(view: &str, column: &str, kind: &str) -> PortError {
    PortError::broken(
        "reading the views for analysts",
        format!("lore.{view}.{column} is of type {kind}, which is not written to files"),
    )
}
