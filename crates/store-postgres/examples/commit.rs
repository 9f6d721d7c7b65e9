//! Measures batches of 500 on a private server with fsync:
//! `cargo run --release -p threadlore-store-postgres --example commit`.

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use threadlore_model::{
    CaseId, CaseSolved, ChannelId, Envelope, Event, EventId, Evidence, Group, Key, MessageId,
    MessagePosted, Part, Partition, PersonId, Private, Signal, SpaceId, Timestamp, Topic,
};
use threadlore_pg_local::{Binaries, Mode, Search, Server};
use threadlore_ports::{
    Changes, EncodedRecord, FoldBatch, Generations as _, OutboxRow, Projection, Shard, StateRow,
    Store as _,
};
use threadlore_store_postgres::PostgresStore;

const BATCHES: u64 = 60;
const BATCH: u64 = 500;

fn event(n: u64, private: impl Fn(&str) -> Private) -> Result<Event, Box<dyn Error>> {
    let (space, channel) = (SpaceId::parse("acme")?, ChannelId::parse("irc:#ubuntu")?);
    let id = EventId::of_content("message", &[&n.to_string()]);
    let text = format!("the sound of card {n} crackles after the last upgrade of package {n}");
    Ok(Event {
        envelope: Envelope {
            id,
            key: Key::of_channel(&space, &channel),
            space,
            time: Timestamp::from_millis(1_000),
            producer: None,
            cause: None,
            actor: None,
            traceparent: None,
        },
        body: MessagePosted {
            message: MessageId::from_uuid(id.as_uuid()),
            channel,
            person: PersonId::from_uuid(id.as_uuid()),
            native_id: n.to_string(),
            author_native: private("ann"),
            author_name: Some(private("Ann")),
            text: private(&text),
            bot: false,
            reply_to: None,
            mentions: Vec::new(),
            sent_at: Timestamp::from_millis(1_000),
            thread_root: None,
            to_bot: false,
        }
        .into(),
    })
}

fn solved(n: u64) -> Result<Event, Box<dyn Error>> {
    let mut event = event(n, |text| Private::open(text))?;
    let id = event.envelope.id.as_uuid();
    let text = format!("the sound of card {n} crackles after the last upgrade");
    event.body = CaseSolved {
        case: CaseId::from_uuid(id),
        channel: ChannelId::parse("irc:#ubuntu")?,
        title: Private::open(&text),
        problem: Private::open(text.repeat(4)),
        solution: Private::open(format!("install package {n} again")),
        tags: vec![Private::open("sound")],
        evidence: vec![Evidence {
            message: MessageId::from_uuid(id),
            part: Part::Problem,
            revision: 0,
        }],
        signal: Signal::Thanks,
        signal_message: None,
        engine: "builtin-1".to_owned(),
        now: Timestamp::from_millis(1_000),
    }
    .into();
    Ok(event)
}

fn report(what: &str, seconds: &mut [f64]) {
    seconds.sort_by(f64::total_cmp);
    let all: f64 = seconds.iter().sum();
    let at = |share: usize| seconds[(seconds.len() - 1) * share / 100] * 1000.0;
    let rate = (BATCH as f64) * (seconds.len() as f64) / all;
    println!(
        "{what}: p50 {:.1} ms, p99 {:.1} ms, {rate:.0} rows/s",
        at(50),
        at(99)
    );
}

#[expect(clippy::disallowed_methods, reason = "a measurement reads the clock")]
fn now() -> Instant {
    Instant::now()
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let directory = tempfile::tempdir()?;
    let server = Server::start(
        &Binaries::find(&Search::default())?,
        directory.path(),
        Mode::Durable,
    )?;
    let store = PostgresStore::connect(&server.url("postgres"), 8).await?;
    store.migrate().await?;

    let shard = Shard {
        group: Group::from_name("intake"),
        partition: Partition(0),
    };
    let epoch = store.acquire(&shard).await?.epoch;
    let (mut commits, mut drains) = (Vec::new(), Vec::new());
    for batch in 0..BATCHES {
        let mut changes = Changes {
            sequence: (batch + 1) * BATCH,
            ..Changes::default()
        };
        for n in batch * BATCH..(batch + 1) * BATCH {
            let event = event(n, |text| Private::Sealed(vec![7; text.len() + 40]))?;
            changes.accepted.push(event.envelope.id);
            changes.outbox.push(OutboxRow {
                sequence: n + 1,
                ends_decision: true,
                record: Arc::new(EncodedRecord {
                    topic: Topic::ChatEvents,
                    key: event.envelope.key,
                    headers: Vec::new(),
                    value: vec![7; 600],
                }),
                erases: None,
            });
        }
        changes.states.push(StateRow {
            key: Key::parse("acme/irc:#ubuntu")?,
            body: vec![1; 200],
            wake: None,
            parts: Vec::new(),
        });
        let start = now();
        store.commit(&shard, epoch, changes).await?;
        commits.push(start.elapsed().as_secs_f64());
        let start = now();
        let rows = store.outbox(&shard, batch * BATCH, 500).await?;
        assert_eq!(rows.len() as u64, BATCH);
        store.published(&shard, epoch, (batch + 1) * BATCH).await?;
        drains.push(start.elapsed().as_secs_f64());
    }
    report("commit of 500 accepted ids and outbox rows", &mut commits);
    report("read and forget 500 outbox rows", &mut drains);

    for (projection, make) in [
        (
            Projection::Messages,
            (|n| event(n, |text| Private::open(text))) as fn(u64) -> _,
        ),
        (Projection::Cases, solved),
    ] {
        let generation = store.live(projection).await?;
        let shard = Shard {
            group: generation.group(),
            partition: Partition(0),
        };
        let epoch = store.acquire(&shard).await?.epoch;
        let mut folds = Vec::new();
        for batch in 0..BATCHES {
            let events = (batch * BATCH..(batch + 1) * BATCH)
                .map(make)
                .collect::<Result<_, _>>()?;
            let changes = Changes {
                fold: Some(FoldBatch::new(generation, events)),
                ..Changes::default()
            };
            let start = now();
            store.commit(&shard, epoch, changes).await?;
            folds.push(start.elapsed().as_secs_f64());
        }
        report(&format!("fold of 500 {}", projection.name()), &mut folds);
        let start = now();
        let digest = store.digest(generation).await?;
        let rows: u64 = digest.values().map(|(rows, _)| rows).sum();
        let seconds = start.elapsed().as_secs_f64();
        println!("digest of {rows} rows: {:.0} rows/s", rows as f64 / seconds);
    }
    server.stop()?;
    Ok(())
}
