//! `threadlore-broker DIR [PORT]`: a broker of Kafka's protocol on the loopback interface, which
//! keeps its records in the directory. It prints the address it serves, and ends when its
//! standard input does, so that none is left behind by a test that was killed.

use std::error::Error;
use std::net::TcpListener;
use std::path::Path;

use tansu_broker::broker::Broker;
use tansu_broker::coordinator::group::administrator::Controller;
use tansu_storage::StorageContainer;
use tokio::time::Instant;
use url::Url;
use uuid::Uuid;

const FILE: &str = "log.db";

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let dir = arguments
        .next()
        .ok_or("usage: threadlore-broker DIR [PORT]")?;
    let port: u16 = match arguments.next() {
        Some(port) => port.parse()?,
        None => TcpListener::bind("127.0.0.1:0")?.local_addr()?.port(),
    };
    let dir = std::path::absolute(dir)?;
    std::fs::create_dir_all(&dir)?;
    let url = Url::parse(&format!("tcp://127.0.0.1:{port}"))?;
    // Four slashes: an absolute path.
    let database = Url::parse(&format!("sqlite:///{}/{FILE}", dir.display()))?;
    // Silent, because nobody reads on what it prints.
    let mut broker = Broker::<Controller<StorageContainer>, StorageContainer>::builder()
        .node_id(1)
        .cluster_id("threadlore")
        .incarnation_id(Uuid::new_v4())
        .advertised_listener(url.clone())
        .listener(url)
        .storage(database)
        .silent(true)
        .build()
        .await?;
    mend(&dir).await?;
    std::thread::spawn(|| {
        // Whatever is said to it is of no interest; that it ends is.
        let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
        std::process::exit(0);
    });
    println!("127.0.0.1:{port}");
    broker.serve(Instant::now()).await?;
    Ok(())
}

/// Mends two faults of the broker, in its database. It looks headers up record by record, in
/// a table without an index: with a few thousand records no fetch ever ended. And it takes a
/// retention of -1, which is for ever, for a time that is over, and drops all such records
/// when it starts; so nothing is dropped but with its topic, whose watermarks go first.
async fn mend(dir: &Path) -> Result<(), Box<dyn Error>> {
    let database = libsql::Builder::new_local(dir.join(FILE)).build().await?;
    let connection = database.connect()?;
    for (name, columns) in [("header", "topition, offset_id"), ("watermark", "topition")] {
        let sql = format!("create index if not exists {name}_at on {name} ({columns})");
        connection.execute(&sql, ()).await?;
    }
    let sql = "create trigger if not exists keep before delete on record \
               when exists (select 1 from watermark where topition = old.topition) \
               begin select raise(ignore); end";
    connection.execute(sql, ()).await?;
    Ok(())
}
