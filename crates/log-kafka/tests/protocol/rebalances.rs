//! What a rebalance costs under each protocol of groups: a measurement, run by hand
//! (docs/kafka.md).

use std::collections::{BTreeSet, HashMap};
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use threadlore_model::{Group, Partition, Role, Topic};
use threadlore_ports::{Change, EventLog, Membership};

use crate::cluster::{Cluster, variable};
use crate::groups::{PROTOCOLS, all};
use crate::support::connect_by;

/// Times that each change is measured.
const ROUNDS: usize = 5;
/// Where the member of another process finds the cluster, and its protocol.
const MEMBER: &str = "THREADLORE_TEST_MEMBER";

/// How long partitions had no owner, in one change of the group each.
#[derive(Default)]
struct Gaps(Vec<Duration>);

impl Gaps {
    fn say(mut self, protocol: &str, change: &str) {
        self.0.sort_unstable();
        let seconds = |at: usize| self.0[at].as_secs_f64();
        println!(
            "group.protocol={protocol}, a member {change}: median {:.2} s, longest {:.2} s of {} \
             without an owner",
            seconds(self.0.len() / 2),
            seconds(self.0.len() - 1),
            self.0.len(),
        );
    }
}

fn buffer() -> (Group, Topic) {
    (Group::of_role(Role::Buffer), Topic::ChatEvents)
}

#[expect(clippy::disallowed_methods, reason = "the measurement's own time")]
fn now() -> Instant {
    Instant::now()
}

/// A member and what it has.
struct Side {
    member: Box<dyn Membership>,
    has: BTreeSet<Partition>,
}

impl Side {
    async fn join(bootstrap: &str, protocol: &str) -> Self {
        let (group, topic) = buffer();
        let log = connect_by(bootstrap, protocol).await;
        let member = log.join(&group, topic).await.expect("joins");
        let has = BTreeSet::new();
        Self { member, has }
    }

    /// The next change; what it has no more it gives up at once.
    async fn next(&mut self, lost: &mut HashMap<Partition, Instant>, gaps: &mut Gaps) {
        match self.member.change().await.expect("a member") {
            Change::Assigned(new) => {
                for partition in new {
                    let since = lost.remove(&partition);
                    gaps.0.extend(since.map(|since| since.elapsed()));
                    self.has.insert(partition);
                }
            }
            Change::Revoked(gone, _released) => {
                for partition in gone {
                    lost.insert(partition, now());
                    self.has.remove(&partition);
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "a measurement"]
async fn what_a_rebalance_costs() {
    for protocol in PROTOCOLS {
        let Some(cluster) = Cluster::start().await else {
            return;
        };
        measure(&cluster.bootstrap(), protocol).await;
    }
}

async fn measure(bootstrap: &str, protocol: &str) {
    let mut first = Side::join(bootstrap, protocol).await;
    let (mut joined, mut left, mut killed) = (Gaps::default(), Gaps::default(), Gaps::default());
    let mut none = (HashMap::new(), Gaps::default());
    while first.has != all() {
        first.next(&mut none.0, &mut none.1).await;
    }
    for _ in 0..ROUNDS {
        let mut lost = HashMap::new();
        let mut second = Side::join(bootstrap, protocol).await;
        while second.has.len() != 2 {
            let mut own = Gaps::default();
            let mut theirs = HashMap::new();
            tokio::select! {
                () = first.next(&mut lost, &mut own) => {}
                change = second.member.change() => match change.expect("a member") {
                    Change::Assigned(new) => for partition in new {
                        joined.0.extend(lost.remove(&partition).map(|since| since.elapsed()));
                        second.has.insert(partition);
                    },
                    Change::Revoked(gone, _released) => for partition in gone {
                        theirs.insert(partition, now());
                        second.has.remove(&partition);
                    },
                },
            }
        }
        let gone = now();
        let mut lost: HashMap<_, _> = second.has.iter().map(|p| (*p, gone)).collect();
        drop(second);
        while first.has != all() {
            first.next(&mut lost, &mut left).await;
        }
        let mut other = Other::start(bootstrap, protocol);
        let mut lost = HashMap::new();
        while first.has.len() != 2 {
            first.next(&mut lost, &mut Gaps::default()).await;
        }
        other.wait();
        let gone = now();
        let mut lost: HashMap<_, _> = all().difference(&first.has).map(|p| (*p, gone)).collect();
        drop(other);
        while first.has != all() {
            first.next(&mut lost, &mut killed).await;
        }
    }
    joined.say(protocol, "joins");
    left.say(protocol, "leaves");
    killed.say(protocol, "is killed");
}

/// A member in a process of its own, which is killed when this is dropped.
struct Other(Child);

impl Other {
    fn start(bootstrap: &str, protocol: &str) -> Self {
        let test = std::env::current_exe().expect("the test's own path");
        let name = "rebalances::a_member_for_the_measurement";
        let mut command = Command::new(test);
        command.args(["--exact", name, "--ignored", "--nocapture"]);
        command.env(MEMBER, format!("{bootstrap} {protocol}"));
        Self(command.stdout(Stdio::piped()).spawn().expect("it starts"))
    }

    /// Until it has its two partitions.
    fn wait(&mut self) {
        let lines = BufReader::new(self.0.stdout.take().expect("piped")).lines();
        let mut lines = lines.map_while(Result::ok);
        assert!(lines.any(|line| line.contains("has 2")), "it ended");
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        self.0.kill().expect("killed");
        self.0.wait().expect("ended");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "a part of the measurement, in a process of its own"]
async fn a_member_for_the_measurement() {
    let Some(named) = variable(MEMBER) else {
        return;
    };
    let (bootstrap, protocol) = named.split_once(' ').expect("two words");
    let mut side = Side::join(bootstrap, protocol).await;
    let mut none = (HashMap::new(), Gaps::default());
    loop {
        side.next(&mut none.0, &mut none.1).await;
        println!("has {}", side.has.len());
    }
}
