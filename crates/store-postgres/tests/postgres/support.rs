//! A server for a test, and empty databases on it.

use sqlx::{Connection as _, Executor as _, PgConnection};
use threadlore_pg_local::{Binaries, Mode, Search};
use threadlore_store_postgres::PostgresStore;

/// Connections of a store at most.
pub(crate) const CONNECTIONS: u32 = 8;

/// A server that ends with the test.
pub(crate) struct Server {
    server: threadlore_pg_local::Server,
    _directory: tempfile::TempDir,
}

impl Server {
    pub(crate) fn start() -> Self {
        let directory = tempfile::tempdir().expect("a directory for the server");
        let binaries = Binaries::find(&Search::default()).expect("PostgreSQL is installed");
        let server = threadlore_pg_local::Server::start(&binaries, directory.path(), Mode::Test);
        Self {
            server: server.expect("it starts"),
            _directory: directory,
        }
    }

    pub(crate) fn url(&self, database: &str) -> String {
        self.server.url(database)
    }

    pub(crate) fn stop(self) {
        self.server.stop().expect("it stops");
    }

    /// A new, migrated database.
    pub(crate) async fn database(&self, name: &str) -> PostgresStore {
        self.run("postgres", &format!("CREATE DATABASE {name}"))
            .await;
        let store = connect(&self.url(name)).await;
        store.migrate().await.expect("it migrates");
        store
    }

    /// A connection of its own, beside any store, as the superuser.
    pub(crate) async fn connection(&self, database: &str) -> PgConnection {
        PgConnection::connect(&self.url(database))
            .await
            .expect("it connects")
    }

    /// Runs statements as the superuser.
    pub(crate) async fn run(&self, database: &str, statements: &str) {
        for statement in statements.split(';') {
            let mut connection = self.connection(database).await;
            connection
                .execute(statement)
                .await
                .expect("the statement runs");
        }
    }
}

pub(crate) async fn connect(url: &str) -> PostgresStore {
    let store = PostgresStore::connect(url, CONNECTIONS).await;
    store.expect("it connects")
}
