//! Two builds side by side: both tables read in the order of their keys, a page
//! at a time, within one snapshot.

use std::cmp::Ordering;
use std::collections::VecDeque;

use sqlx::PgConnection;
use threadlore_fold::{
    ChannelRow, ConfirmationRow, EvidenceRow, MessageRow, ReactionRow, VectorRow, by_key,
    differences,
};
use threadlore_model::Case;
use threadlore_ports::{Cell, Generation, Projection};

use crate::PostgresStore;
use crate::rows::{Stored, of};

pub(crate) async fn between(
    store: &PostgresStore,
    a: Generation,
    b: Generation,
    max: usize,
) -> Result<Vec<Cell>, sqlx::Error> {
    let mut tx = store.snapshot().await?;
    let mut found = Vec::new();
    match a.projection {
        Projection::Messages => {
            table::<MessageRow>(&mut tx, a, b, max, &mut found).await?;
            table::<ReactionRow>(&mut tx, a, b, max, &mut found).await?;
        }
        Projection::Cases => {
            table::<Case>(&mut tx, a, b, max, &mut found).await?;
            table::<EvidenceRow>(&mut tx, a, b, max, &mut found).await?;
            table::<ConfirmationRow>(&mut tx, a, b, max, &mut found).await?;
        }
        Projection::Channels => table::<ChannelRow>(&mut tx, a, b, max, &mut found).await?,
        Projection::Vectors => table::<VectorRow>(&mut tx, a, b, max, &mut found).await?,
    }
    Ok(found)
}

/// A table read through a cursor of the transaction.
struct Pages<R> {
    rows: VecDeque<R>,
    fetch: String,
    ended: bool,
}

impl<R: Stored> Pages<R> {
    async fn open(
        tx: &mut PgConnection,
        generation: Generation,
        side: &str,
    ) -> Result<Self, sqlx::Error> {
        let cursor = format!("{}_{side}", R::TABLE);
        let declare = format!(
            "DECLARE {cursor} NO SCROLL CURSOR FOR {} ORDER BY {}",
            R::SELECT,
            R::ORDER
        );
        sqlx::query(&of(&declare, generation))
            .execute(&mut *tx)
            .await?;
        Ok(Self {
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
            self.rows = page.iter().map(R::read).collect::<Result<_, _>>()?;
        }
        Ok(())
    }
}

async fn table<R: Stored>(
    tx: &mut PgConnection,
    a: Generation,
    b: Generation,
    max: usize,
    found: &mut Vec<Cell>,
) -> Result<(), sqlx::Error> {
    let mut left = Pages::<R>::open(tx, a, "a").await?;
    let mut right = Pages::<R>::open(tx, b, "b").await?;
    while found.len() < max {
        left.fill(tx).await?;
        right.fill(tx).await?;
        let order = match (left.rows.front(), right.rows.front()) {
            (None, None) => break,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(a), Some(b)) => by_key(a, b),
        };
        let a = order.is_le().then(|| left.rows.pop_front()).flatten();
        let b = order.is_ge().then(|| right.rows.pop_front()).flatten();
        found.extend(
            differences(a.as_ref(), b.as_ref())
                .into_iter()
                .map(|d| Cell {
                    table: d.table.to_owned(),
                    row: d.row,
                    column: d.column.to_owned(),
                }),
        );
    }
    found.truncate(max);
    Ok(())
}
