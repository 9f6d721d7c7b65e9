//! What the disk alone takes for a message: two appends to the log, and two commits.

use std::time::Duration;

use sqlx::Connection as _;
use sqlx::postgres::PgConnection;
use threadlore_model::{ChannelId, SpaceId, Topic};
use threadlore_node::Node;
use threadlore_ports::NewRecord;

use super::{now, percentile, posted};

/// Milliseconds of two durable appends and two durable commits, one after the other, while no role
/// works.
pub(super) struct Floor {
    pub(super) p50: f64,
    pub(super) p99: f64,
}

impl Floor {
    pub(super) async fn measure(node: &Node, count: usize) -> anyhow::Result<Self> {
        let (space, channel) = (SpaceId::parse("bench")?, ChannelId::parse("bench:floor")?);
        let mut database = PgConnection::connect(node.database_url()).await?;
        sqlx::query("CREATE TABLE bench_commits (number int)")
            .execute(&mut database)
            .await?;
        let mut took: Vec<Duration> = Vec::new();
        for n in 0..count {
            let started = now();
            for part in ["first", "second"] {
                let native = format!("{n} {part}");
                let event = posted(node.clock.as_ref(), &space, &channel, &native);
                let record = NewRecord {
                    topic: Topic::ChatInbox,
                    event,
                };
                node.log.publish(vec![record]).await?;
                sqlx::query("INSERT INTO bench_commits VALUES (1)")
                    .execute(&mut database)
                    .await?;
            }
            took.push(started.elapsed());
        }
        sqlx::query("DROP TABLE bench_commits")
            .execute(&mut database)
            .await?;
        Ok(Self {
            p50: percentile(&took, 50),
            p99: percentile(&took, 99),
        })
    }
}
