//! Suite `latency`: from one message in `chat.inbox` to its row, in an idle system and beside
//! replays, and what the disk alone takes for it.

mod floor;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context;
use futures::FutureExt as _;
use futures::future::ready;
use sqlx::Connection as _;
use sqlx::postgres::PgConnection;
use threadlore_model::{
    ChannelId, Envelope, Event, Key, MessageId, PlatformEvent, PlatformMessage, SpaceId, Topic,
};
use threadlore_node::{Environment, Node, Roles};
use threadlore_ports::{Clock, Generations, NewRecord, Projection};
use threadlore_replay::{Resources, ends, fill};
use threadlore_store_postgres::PostgresStore;
use threadlore_stream::FoldPorts;
use tokio::runtime::Handle;
use tokio::task::yield_now;
use tokio::time::{Interval, MissedTickBehavior, interval};

use crate::{Row, fresh, ingest, logs};
use floor::Floor;

/// Messages of a row.
const MESSAGES: usize = 300;
/// How often the database is asked for a row, which is as exact as the result is.
const ASK: Duration = Duration::from_millis(1);
/// Between a row and the next message, so that the system is idle.
const PAUSE: Duration = Duration::from_millis(30);

/// Rows for an empty system, for one with the IRC logs in it, and for that one beside replays of
/// its messages, one after the other.
///
/// # Errors
/// When the data cannot be read or a part does not work.
pub(crate) fn run(data: &Path) -> anyhow::Result<Vec<Row>> {
    let runtime = fresh::runtime()?;
    runtime.block_on(measure(data))
}

async fn measure(data: &Path) -> anyhow::Result<Vec<Row>> {
    let logs = logs::find(data)?;
    let dir = tempfile::tempdir().context("making a directory to work in")?;
    let settings = fresh::settings(dir.path())?;
    let node = Node::open(settings, &Environment::read()).await?;
    let floor = Floor::measure(&node, MESSAGES).await?;
    let mut roles = Roles::start(&node, &Roles::all(&node)).await?;
    let work = async {
        let mut sender = Sender::connect(&node).await?;
        let empty = sender.send(MESSAGES).await?;
        ingest::import_logs(&node, &logs, 4).await?;
        node.drain(&|_| {}).await?;
        eprintln!("latency: {} logs imported", logs.len());
        let filled = sender.send(MESSAGES).await?;
        let enough = Arc::new(AtomicBool::new(false));
        let replaying = {
            let (ports, store) = (node.fold_ports(), Arc::clone(&node.store));
            let (runtime, enough) = (Handle::current(), Arc::clone(&enough));
            let resources = node.replay_resources();
            tokio::task::spawn_blocking(move || {
                runtime.block_on(replay(&ports, store.as_ref(), resources, &enough))
            })
        };
        let replayed = sender.send(MESSAGES).await;
        enough.store(true, Ordering::Relaxed);
        let (replays, replayed) = (replaying.await??, replayed?);
        let count = replays as f64;
        let idle = percentile(&filled, 99);
        anyhow::Ok([
            row("empty", &empty, &floor, (idle, 0.0)),
            row("with the logs", &filled, &floor, (idle, 0.0)),
            row("beside replays", &replayed, &floor, (idle, count)),
        ])
    };
    let rows = tokio::select! {
        rows = work => rows?,
        error = roles.failed() => return Err(error),
    };
    roles.stop().await?;
    Ok(rows.into())
}

fn row(name: &str, took: &[Duration], floor: &Floor, (idle, replays): (f64, f64)) -> Row {
    let (p50, p99) = (percentile(took, 50), percentile(took, 99));
    Row {
        name: name.to_owned(),
        metrics: vec![
            ("messages", took.len() as f64),
            ("p50_ms", p50),
            ("p99_ms", p99),
            ("floor_p50_ms", floor.p50),
            ("floor_p99_ms", floor.p99),
            ("p50_to_floor", p50 / floor.p50),
            ("p99_to_floor", p99 / floor.p99),
            ("p99_to_idle", p99 / idle),
            ("replays", replays),
        ],
    }
}

/// For what takes a few milliseconds, the ports' clock is too coarse.
#[expect(clippy::disallowed_methods, reason = "what is measured is real time")]
fn now() -> Instant {
    Instant::now()
}

/// Milliseconds that so many in a hundred took at most.
fn percentile(took: &[Duration], percent: usize) -> f64 {
    let mut sorted = took.to_vec();
    sorted.sort_unstable();
    let at = (sorted.len() * percent).div_ceil(100).saturating_sub(1);
    sorted
        .get(at)
        .map_or(0.0, |took| took.as_secs_f64() * 1000.0)
}

/// Folds the messages into new builds, one after the other, each of which is dropped, until there
/// are enough; how many.
async fn replay(
    ports: &FoldPorts,
    store: &PostgresStore,
    resources: Resources,
    enough: &AtomicBool,
) -> anyhow::Result<usize> {
    let mut replays = 0;
    // As `threadlore replay` does: nothing else feeds a build that is filled meanwhile.
    let _lock = loop {
        match store.lock_builds(Projection::Messages).await? {
            Some(turn) => break turn,
            None => yield_now().await,
        }
    };
    while !enough.load(Ordering::Relaxed) {
        let ends = ends(ports.log.as_ref(), Projection::Messages, None).await?;
        let build = store.create(Projection::Messages).await?;
        let never = || ready(Ok(false)).boxed();
        fill(ports, store, (build, &ends), resources, &never, &|_, _| {}).await?;
        store.drop_generation(build).await?;
        replays += 1;
    }
    Ok(replays)
}

/// Writes messages into one channel, one after the other.
struct Sender<'a> {
    node: &'a Node,
    database: PgConnection,
    /// Asks for the row of a message.
    statement: String,
    space: SpaceId,
    channel: ChannelId,
    sent: usize,
    pause: Interval,
    ask: Interval,
}

impl<'a> Sender<'a> {
    async fn connect(node: &'a Node) -> anyhow::Result<Self> {
        let live = node.store.live(Projection::Messages).await?;
        let each = |period| {
            let mut interval = interval(period);
            interval.set_missed_tick_behavior(MissedTickBehavior::Delay);
            interval
        };
        let mut database = PgConnection::connect(node.database_url()).await?;
        // A plan made while the table is empty would read all of it for ever.
        sqlx::query("SET enable_seqscan = off")
            .execute(&mut database)
            .await?;
        Ok(Self {
            node,
            database,
            statement: format!(
                "SELECT EXISTS (SELECT FROM {}.messages WHERE space = $1 AND message = $2)",
                live.schema()
            ),
            space: SpaceId::parse("bench")?,
            channel: ChannelId::parse("bench:idle")?,
            sent: 0,
            pause: each(PAUSE),
            ask: each(ASK),
        })
    }

    /// Time from the call that appends each message until its row is read.
    async fn send(&mut self, count: usize) -> anyhow::Result<Vec<Duration>> {
        let mut took = Vec::new();
        for _ in 0..count {
            self.pause.reset();
            self.pause.tick().await;
            self.sent += 1;
            let native = self.sent.to_string();
            let clock = Arc::clone(&self.node.clock);
            let started = now();
            let event = posted(clock.as_ref(), &self.space, &self.channel, &native);
            let record = NewRecord {
                topic: Topic::ChatInbox,
                event,
            };
            self.node.log.publish(vec![record]).await?;
            let message = MessageId::of_native(&self.space, &self.channel, &native);
            while !self.has_row(message).await? {
                self.ask.tick().await;
            }
            took.push(started.elapsed());
        }
        Ok(took)
    }

    async fn has_row(&mut self, message: MessageId) -> anyhow::Result<bool> {
        let found = sqlx::query_scalar(&self.statement)
            .bind(self.space.as_str())
            .bind(message.as_uuid())
            .fetch_one(&mut self.database)
            .await?;
        Ok(found)
    }
}

/// A short message of one person.
fn posted(clock: &dyn Clock, space: &SpaceId, channel: &ChannelId, native: &str) -> Event {
    let now = clock.now();
    let body = PlatformMessage {
        channel: channel.clone(),
        native_id: native.to_owned(),
        author_id: "ann".to_owned(),
        author_name: Some("ann".to_owned()),
        author_is_bot: false,
        text: format!("does anybody know what number {native} means?"),
        sent_at: now,
        reply_to: None,
        mentions: Vec::new(),
        thread_root: None,
        to_bot: false,
    };
    Event {
        envelope: Envelope {
            id: PlatformEvent::Message(native).id(space, channel),
            space: space.clone(),
            key: Key::of_channel(space, channel),
            time: now,
            producer: None,
            cause: None,
            actor: None,
            traceparent: None,
        },
        body: body.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_percentile_is_one_of_the_values() {
        let took: Vec<Duration> = (1..=200).rev().map(Duration::from_millis).collect();
        assert_eq!(
            (percentile(&took, 50), percentile(&took, 99)),
            (100.0, 198.0)
        );
        assert_eq!(percentile(&[], 99), 0.0);
    }
}
