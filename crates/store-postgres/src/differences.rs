//! Two builds side by side: both tables read in the order of their keys, a page
//! at a time, within one snapshot.

use std::cmp::Ordering;
use std::collections::VecDeque;

use sqlx::PgConnection;
use sqlx::postgres::PgRow;
use threadlore_fold::{Table, Value, by_key, differences, tables};
use threadlore_ports::{Cell, Generation};

use crate::PostgresStore;
use crate::rows::{names, of, select, values};

pub(crate) async fn between(
    store: &PostgresStore,
    a: Generation,
    b: Generation,
    max: usize,
) -> Result<Vec<Cell>, sqlx::Error> {
    let mut tx = store.snapshot().await?;
    let mut found = Vec::new();
    for table in tables(a.projection) {
        compare(&mut tx, table, (a, b), max, &mut found).await?;
    }
    Ok(found)
}

/// A table read through a cursor of the transaction.
struct Pages {
    table: &'static Table,
    rows: VecDeque<PgRow>,
    fetch: String,
    ended: bool,
}

impl Pages {
    async fn open(
        tx: &mut PgConnection,
        table: &'static Table,
        generation: Generation,
        side: &str,
    ) -> Result<Self, sqlx::Error> {
        let cursor = format!("{}_{side}", table.name);
        let declare = format!(
            "DECLARE {cursor} NO SCROLL CURSOR FOR {} ORDER BY {}",
            select(table),
            names(table.key_columns())
        );
        sqlx::query(&of(&declare, generation))
            .execute(&mut *tx)
            .await?;
        Ok(Self {
            table,
            rows: VecDeque::new(),
            fetch: format!("FETCH 1000 FROM {cursor}"),
            ended: false,
        })
    }

    /// Makes sure that the next row is at hand, if there is one.
    async fn fill(&mut self, tx: &mut PgConnection) -> Result<(), sqlx::Error> {
        if self.rows.is_empty() && !self.ended {
            let page = sqlx::query(&self.fetch).fetch_all(tx).await?;
            self.ended = page.is_empty();
            self.rows = page.into();
        }
        Ok(())
    }

    /// The next row, which stays.
    fn next(&self) -> Result<Option<Vec<Value<'_>>>, sqlx::Error> {
        let row = self.rows.front().map(|row| values(row, self.table));
        row.transpose()
    }
}

async fn compare(
    tx: &mut PgConnection,
    table: &'static Table,
    (a, b): (Generation, Generation),
    max: usize,
    found: &mut Vec<Cell>,
) -> Result<(), sqlx::Error> {
    let mut left = Pages::open(tx, table, a, "a").await?;
    let mut right = Pages::open(tx, table, b, "b").await?;
    while found.len() < max {
        left.fill(tx).await?;
        right.fill(tx).await?;
        let (a, b) = (left.next()?, right.next()?);
        let order = match (&a, &b) {
            (None, None) => break,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(a), Some(b)) => by_key(table, a, b),
        };
        let (a, b) = (a.filter(|_| order.is_le()), b.filter(|_| order.is_ge()));
        let cells = differences(table, a.as_deref(), b.as_deref()).into_iter();
        found.extend(cells.map(|d| Cell {
            table: d.table.to_owned(),
            row: d.row,
            column: d.column.to_owned(),
        }));
        if order.is_le() {
            left.rows.pop_front();
        }
        if order.is_ge() {
            right.rows.pop_front();
        }
    }
    found.truncate(max);
    Ok(())
}
