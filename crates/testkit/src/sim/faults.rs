//! What can go wrong, and where.

use std::collections::BTreeMap;
use std::fmt;

use crate::sim::rng::Rng;

macro_rules! named {
    ($(#[$doc:meta])* $name:ident { $($(#[$vdoc:meta])* $variant:ident = $text:literal),+ $(,)? }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$vdoc])* $variant),+ }

        impl $name {
            /// All of them.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The name in tables.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Self::$variant => $text),+ }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }
    };
}

named! {
    /// A call that leaves the process. Commits are named by what led to them.
    Boundary {
        /// Appending records.
        LogAppend = "log.append",
        /// Reading records.
        LogRead = "log.read",
        /// Waiting for records.
        LogWait = "log.wait",
        /// Asking for a partition's range.
        LogRange = "log.range",
        /// Becoming the owner.
        Acquire = "store.acquire",
        /// Loading states.
        Load = "store.load",
        /// Loading timers.
        Wakes = "store.wakes",
        /// Looking up accepted ids.
        Accepted = "store.accepted",
        /// Committing what records led to.
        CommitRecords = "store.commit (records)",
        /// Committing what a timer led to.
        CommitTimer = "store.commit (timer)",
        /// Committing what an answered effect led to.
        CommitAnswer = "store.commit (answer)",
        /// Committing folded rows.
        CommitFold = "store.commit (fold)",
        /// Loading the outbox.
        Outbox = "store.outbox",
        /// Marking events as published.
        Published = "store.published",
        /// Loading effects.
        Effects = "store.effects",
        /// Making keys.
        KeysEnsure = "keys.ensure",
        /// Loading keys.
        KeysGet = "keys.keys",
        /// Destroying a key.
        KeysDestroy = "keys.destroy",
        /// Calling the engine.
        Extract = "engine.extract",
        /// Calling the model of vectors.
        Embed = "engine.embed",
        /// Searching memory.
        Recall = "engine.recall",
        /// Sending to a platform.
        Deliver = "gateway.deliver",
        /// Sleeping.
        Sleep = "clock.sleep",
    }
}

named! {
    /// A fault.
    Kind {
        /// The process ends before the call.
        CrashBefore = "crash before",
        /// The process ends as soon as the call lets it.
        CrashDuring = "crash during",
        /// The process ends when the call was done, before it learns so.
        CrashAfter = "crash after",
        /// The call fails and does nothing.
        Error = "error",
        /// The call is done and reported as failed.
        LostAck = "lost ack",
        /// The call takes long.
        Delay = "delay",
        /// The call is done twice.
        Duplicate = "duplicate",
        /// A second owner starts; the first stops here, then goes on unaware.
        Zombie = "zombie",
        /// The call fails for good.
        ForGood = "fails for good",
    }
}

impl Kind {
    /// Whether the fault ends a process.
    #[must_use]
    pub const fn is_crash(self) -> bool {
        matches!(
            self,
            Self::CrashBefore | Self::CrashDuring | Self::CrashAfter
        )
    }

    /// Whether the fault can occur at a boundary.
    #[must_use]
    pub fn can_occur(self, at: Boundary) -> bool {
        match self {
            Self::CrashBefore | Self::CrashAfter | Self::Delay | Self::Zombie => true,
            Self::Error | Self::LostAck => at != Boundary::Sleep,
            Self::CrashDuring => at.is_commit(),
            Self::Duplicate => at == Boundary::LogAppend,
            Self::ForGood => {
                use Boundary::{Deliver, Embed, Extract, Recall};
                matches!(at, Extract | Embed | Recall | Deliver)
            }
        }
    }
}

impl Boundary {
    /// Whether it is one of the commits.
    #[must_use]
    pub const fn is_commit(self) -> bool {
        matches!(
            self,
            Self::CommitRecords | Self::CommitTimer | Self::CommitAnswer | Self::CommitFold
        )
    }

    /// Whether it is met in the work itself; the others only when an owner starts
    /// or after a failure.
    const fn is_frequent(self) -> bool {
        !matches!(
            self,
            Self::LogRange
                | Self::Acquire
                | Self::Wakes
                | Self::Outbox
                | Self::Effects
                | Self::KeysDestroy
                | Self::Sleep
        )
    }
}

/// How often each fault happened at each boundary.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Coverage(BTreeMap<(Boundary, Kind), u64>);

impl Coverage {
    pub(crate) fn count(&mut self, at: Boundary, kind: Kind) {
        *self.0.entry((at, kind)).or_default() += 1;
    }

    /// Adds what another run met.
    pub fn add(&mut self, other: &Self) {
        for (cell, n) in &other.0 {
            *self.0.entry(*cell).or_default() += n;
        }
    }

    /// How often a fault happened at a boundary.
    #[must_use]
    pub fn of(&self, at: Boundary, kind: Kind) -> u64 {
        self.0.get(&(at, kind)).copied().unwrap_or_default()
    }

    /// How often a fault of a sort happened.
    #[must_use]
    pub fn sum(&self, which: impl Fn(Kind) -> bool) -> u64 {
        self.0
            .iter()
            .filter(|((_, kind), _)| which(*kind))
            .map(|(_, n)| n)
            .sum()
    }

    /// Cells that can occur and did not.
    #[must_use]
    pub fn missing(&self) -> Vec<(Boundary, Kind)> {
        let cells = Boundary::ALL
            .iter()
            .flat_map(|at| Kind::ALL.iter().map(|kind| (*at, *kind)));
        cells
            .filter(|(at, kind)| kind.can_occur(*at) && self.of(*at, *kind) == 0)
            .collect()
    }
}

impl fmt::Display for Coverage {
    /// A Markdown table.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "| boundary |")?;
        Kind::ALL
            .iter()
            .try_for_each(|kind| write!(f, " {kind} |"))?;
        write!(f, "\n|---|{}", "---:|".repeat(Kind::ALL.len()))?;
        for at in Boundary::ALL {
            write!(f, "\n| {at} |")?;
            for kind in Kind::ALL {
                match kind.can_occur(*at) {
                    true => write!(f, " {} |", self.of(*at, *kind))?,
                    false => write!(f, " |")?,
                }
            }
        }
        Ok(())
    }
}

/// Whom a fault may meet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Whom {
    /// Any process that meets it.
    Anyone,
    /// The newest owner of a shard, by the shard's number.
    Owner(usize),
}

/// One fault that is to happen.
#[derive(Debug, Clone)]
pub(crate) struct Fault {
    pub(crate) kind: Kind,
    /// Where; `None` for the next boundary at which it can occur.
    pub(crate) at: Option<Boundary>,
    pub(crate) whom: Whom,
    /// Not before this many inputs were sent.
    pub(crate) after_inputs: usize,
    /// Not before this time, in milliseconds.
    pub(crate) after_ms: i64,
    /// Chances to pass over first.
    pub(crate) skip: usize,
    /// How long a delay or a standstill takes, in milliseconds.
    pub(crate) ms: i64,
    /// A run is not complete without it.
    pub(crate) must: bool,
}

/// Faults of one run: at least three crashes and one rebalance, and some of the rest.
pub(crate) fn plan(rng: &mut Rng, inputs: usize) -> Vec<Fault> {
    let crashes = rng.between(3, 5);
    let zombies = rng.between(1, 2);
    let others = rng.between(3, 8);
    let mut kinds = Vec::new();
    for _ in 0..crashes {
        let kind = *rng.pick(&[Kind::CrashBefore, Kind::CrashDuring, Kind::CrashAfter]);
        kinds.push((kind, true));
    }
    kinds.extend((0..zombies).map(|_| (Kind::Zombie, true)));
    let rest = [
        Kind::Error,
        Kind::Error,
        Kind::LostAck,
        Kind::LostAck,
        Kind::Delay,
        Kind::Duplicate,
        Kind::ForGood,
    ];
    kinds.extend((0..others).map(|_| (*rng.pick(&rest), false)));
    kinds
        .into_iter()
        .map(|(kind, must)| draw(rng, inputs, kind, must))
        .collect()
}

fn draw(rng: &mut Rng, inputs: usize, kind: Kind, must: bool) -> Fault {
    let places: Vec<Boundary> = Boundary::ALL
        .iter()
        .copied()
        .filter(|at| kind.can_occur(*at))
        .collect();
    let at = *rng.pick(&places);
    let frequent = at.is_frequent();
    let after_inputs = if frequent || rng.chance(1, 2) {
        rng.below(inputs * 9 / 10)
    } else {
        0
    };
    let ms = match kind {
        Kind::Zombie if rng.chance(1, 4) => 0,
        Kind::Zombie => rng.between(300, 3000),
        _ => rng.between(1, 1500),
    };
    Fault {
        kind,
        at: Some(at),
        whom: Whom::Anyone,
        after_inputs,
        after_ms: 0,
        skip: if frequent { rng.below(6) } else { rng.below(2) },
        ms,
        must,
    }
}
