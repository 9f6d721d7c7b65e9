//! Beginning a transaction.

use sqlx::{PgPool, Postgres, Transaction};

/// A transaction; dropped before it is committed, it is rolled back.
pub(crate) type Begun = Transaction<'static, Postgres>;

/// Begins a transaction that writes.
pub(crate) async fn begin(pool: &PgPool) -> Result<Begun, sqlx::Error> {
    begin_with(pool, "BEGIN").await
}

/// Begins a transaction with a statement.
///
/// It begins in a task of its own: the future that waits for it may be dropped (a time limit, a
/// client that goes away), and a `BEGIN` that is cut off leaves its connection in a
/// transaction that sqlx 0.8 does not know of.
pub(crate) async fn begin_with(
    pool: &PgPool,
    statement: &'static str,
) -> Result<Begun, sqlx::Error> {
    let pool = pool.clone();
    let begun = tokio::spawn(async move { pool.begin_with(statement).await });
    begun.await.unwrap_or(Err(sqlx::Error::WorkerCrashed))
}
