//! How far gateways have handed over what their platforms sent.

use threadlore_ports::PortError;

use crate::PostgresStore;
use crate::error::failed;

impl PostgresStore {
    /// The cursor that a gateway kept last; `None` before the first.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn gateway_cursor(&self, gateway: &str) -> Result<Option<String>, PortError> {
        const READ: &str = "SELECT cursor FROM lore_state.gateway_cursors WHERE gateway = $1";
        sqlx::query_scalar(READ)
            .bind(gateway)
            .fetch_optional(&self.pool)
            .await
            .map_err(failed("reading a gateway's cursor"))
    }

    /// Keeps the cursor of a gateway.
    ///
    /// # Errors
    /// The database cannot be reached.
    pub async fn keep_gateway_cursor(&self, gateway: &str, cursor: &str) -> Result<(), PortError> {
        const WRITE: &str = "INSERT INTO lore_state.gateway_cursors (gateway, cursor) \
             VALUES ($1, $2) ON CONFLICT (gateway) \
             DO UPDATE SET cursor = excluded.cursor, kept_at = now()";
        let written = sqlx::query(WRITE).bind(gateway).bind(cursor);
        let written = written.execute(&self.pool).await;
        written
            .map(|_| ())
            .map_err(failed("keeping a gateway's cursor"))
    }
}
