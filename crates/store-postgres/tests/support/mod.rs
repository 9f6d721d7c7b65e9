//! A server for the tests, and an empty migrated database on it.

use sqlx::{Connection as _, Executor as _, PgConnection};
use threadlore_pg_local::{Binaries, Mode, Search, Server};
use threadlore_store_postgres::PostgresStore;

/// A database that goes with its server.
pub(crate) struct Database {
    pub(crate) store: PostgresStore,
    pub(crate) url: String,
    _server: Server,
    _directory: tempfile::TempDir,
}

/// Starts a server; blocks, as a test may.
pub(crate) async fn database() -> Database {
    let directory = tempfile::tempdir().expect("a directory for the server");
    let binaries = Binaries::find(&Search::default()).expect("PostgreSQL is installed");
    let server = Server::start(&binaries, directory.path(), Mode::Test).expect("it starts");
    let url = server.url("postgres");
    let store = PostgresStore::connect(&url, 8).await.expect("it connects");
    store.migrate().await.expect("it migrates");
    Database {
        store,
        url,
        _server: server,
        _directory: directory,
    }
}

impl Database {
    /// A connection of its own, beside the store.
    pub(crate) async fn connect(&self) -> PgConnection {
        PgConnection::connect(&self.url).await.expect("it connects")
    }

    /// Runs statements as the superuser.
    pub(crate) async fn run(&self, statements: &str) {
        let mut connection = self.connect().await;
        connection
            .execute(statements)
            .await
            .expect("the statements run");
    }
}
