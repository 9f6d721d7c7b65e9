//! Suite `roles`: what each role costs, alone, one after the other on the same chat.

use anyhow::{Context, ensure};
use threadlore_model::{Role, SpaceId, Timestamp};
use threadlore_node::{Environment, Node, Roles};
use threadlore_ports::{Authority, CaseReader as _, Right};

use crate::ingest::import_logs;
use crate::ingest::spent::Spent;
use crate::{Args, Row, fresh, logs};

/// Channels, on as many partitions.
const CHANNELS: usize = 4;
/// Those that take what is imported, in the order in which one feeds the next.
const ROLES: [Role; 5] = [
    Role::Intake,
    Role::Buffer,
    Role::Extractor,
    Role::Projector,
    Role::Indexer,
];

/// A row for the importer and for each role.
///
/// # Errors
/// When the data cannot be read or a part does not work.
pub(crate) fn run(args: &Args) -> anyhow::Result<Vec<Row>> {
    let logs = logs::find(&args.data)?;
    fresh::runtime()?.block_on(async {
        let dir = tempfile::tempdir().context("making a directory to work in")?;
        let node = Node::open(fresh::settings(dir.path())?, &Environment::read()).await?;
        let mut costs = Vec::new();
        let begin = before(&node).await?;
        import_logs(&node, &logs, CHANNELS).await?;
        costs.push(("import", Cost::since(&node, begin).await?));
        for role in ROLES {
            let begin = before(&node).await?;
            let mut roles = Roles::start(&node, &[role]).await?;
            tokio::select! {
                done = fresh::through(&node, role) => done?,
                error = roles.failed() => return Err(error),
            }
            let cost = Cost::since(&node, begin).await?;
            roles.stop().await?;
            eprintln!("roles: {role} took {:.1} s", cost.seconds);
            costs.push((role.name(), cost));
        }
        let scope = Authority::of_operator().authorise(&SpaceId::parse("bench")?, Right::Read)?;
        let messages = node.store.counts(&scope).await?.messages;
        ensure!(messages > 0, "the logs hold no messages");
        let rows = costs.into_iter();
        Ok(rows
            .map(|(name, cost)| cost.row(name, messages as f64))
            .collect())
    })
}

/// What one of them cost.
struct Cost {
    seconds: f64,
    spent: Spent,
}

/// What was spent before, and when.
type Before = (Spent, Timestamp);

async fn before(node: &Node) -> anyhow::Result<Before> {
    let spent = Spent::now(node.database_url()).await?;
    Ok((spent, node.clock.now()))
}

impl Cost {
    async fn since(node: &Node, before: Before) -> anyhow::Result<Self> {
        let (spent, started) = before;
        Ok(Self {
            seconds: node.clock.now().since(started).as_secs_f64(),
            spent: Spent::now(node.database_url()).await?.since(spent),
        })
    }

    fn row(self, name: &str, messages: f64) -> Row {
        let of_1000 = |value: f64| value / messages * 1000.0;
        Row {
            name: name.to_owned(),
            metrics: vec![
                ("messages_per_s", messages / self.seconds),
                ("cpu_s_per_1000", of_1000(self.spent.cpu)),
                ("database_cpu_s_per_1000", of_1000(self.spent.database_cpu)),
                ("wal_bytes_per_message", self.spent.wal / messages),
            ],
        }
    }
}
