//! A deterministic simulation: the real loop of every processor and projector
//! on ports in memory, under a scheduler and a clock that follow from a seed.
//!
//! A run writes chat into the log while processes crash, are doubled, wait, and
//! lose answers; when all work is done it checks what was promised. What a run
//! does follows from its seed and nothing else, so a seed is a whole bug report.
//!
//! | module | holds |
//! |---|---|
//! | `rng` | numbers from a seed |
//! | `sched` | processes, points, virtual time |
//! | [`faults`](Kind) | what goes wrong and where, and what was met |
//! | `ports` | the twins in memory, with points around every call |
//! | `engine` | finds cases in the chat of a run |
//! | `models` | the engine and the model of vectors as ports |
//! | `workload` | the chat, and what must come of it |
//! | `gateway` | sends the chat |
//! | `requests` | asks for windows to be examined once more |
//! | `jobs` | the shards, by number |
//! | `world` | one run |
//! | `rest` | whether all work is done |
//! | [`check`](Violation) | what must hold |
//! | [`bugs`](Bug) | promises to break on purpose |

mod bugs;
mod check;
mod engine;
mod faults;
mod gateway;
mod jobs;
mod models;
mod platform;
mod ports;
mod requests;
mod rest;
mod rng;
mod sched;
mod workload;
mod world;

use std::collections::BTreeMap;

use threadlore_model::Topic;
use threadlore_ports::{Shard, StateRow};

pub use bugs::Bug;
pub use check::Violation;
pub use faults::{Boundary, Coverage, Kind};
pub use rng::Rng;

use world::World;

/// What a run is made of.
#[derive(Debug, Clone, Copy)]
pub struct Setup {
    /// Everything follows from it.
    pub seed: u64,
    /// A promise to break on purpose.
    pub bug: Option<Bug>,
    /// Whether to keep notes of what happens.
    pub trace: bool,
}

impl Setup {
    /// A run without a planted bug.
    #[must_use]
    pub const fn of_seed(seed: u64) -> Self {
        Self {
            seed,
            bug: None,
            trace: false,
        }
    }
}

/// What came of a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// The seed.
    pub seed: u64,
    /// What does not hold; empty for a good run.
    pub violations: Vec<Violation>,
    /// Faults that happened.
    pub coverage: Coverage,
    /// Inputs sent, repeats included.
    pub inputs: usize,
    /// Times the database was lost.
    pub databases_lost: u64,
    /// Records per topic at the end.
    pub records: BTreeMap<Topic, usize>,
    /// Calls of ports, counted before and after.
    pub points: u64,
    /// What the processors know at the end.
    pub states: BTreeMap<Shard, Vec<StateRow>>,
    /// What happened, when it was asked for.
    pub notes: Vec<String>,
}

impl Run {
    /// Whether users would notice the bug without watching the fence itself:
    /// in what readers, deciders or the next owner find.
    #[must_use]
    pub fn is_harmed(&self) -> bool {
        self.violations.iter().any(|v| v.rule != check::FENCE)
    }
}

/// Runs one seed to its end.
#[must_use]
pub fn run(setup: Setup) -> Run {
    let mut world = World::new(setup.seed, setup.bug, setup.trace);
    let violations = play(&mut world);
    let mut records = BTreeMap::new();
    for record in world.log.dump() {
        *records.entry(record.at.topic).or_default() += 1;
    }
    let shards = world.store.shards().into_iter();
    let states = shards.map(|shard| (shard.clone(), world.store.states_of(&shard)));
    let (notes, points) = {
        let mut inner = world.shared.lock();
        (std::mem::take(&mut inner.notes), inner.points)
    };
    Run {
        seed: setup.seed,
        violations,
        coverage: world.coverage(),
        inputs: world.workload.items.len(),
        databases_lost: world.lost,
        records,
        points,
        states: states.collect(),
        notes,
    }
}

fn play(world: &mut World) -> Vec<Violation> {
    if let Err(violation) = world.live() {
        return with_breaches(world, violation);
    }
    let found = check::all(world);
    if !found.is_empty() || !world.lose_at_rest {
        return found;
    }
    let before = check::Kept::of(world);
    if let Err(violation) = world.lose_database() {
        return with_breaches(world, violation);
    }
    let mut found = check::all(world);
    before.compare(world, &mut found);
    found
}

fn with_breaches(world: &World, violation: Violation) -> Vec<Violation> {
    let mut found = vec![violation];
    let breaches = world.take_breaches().into_iter().take(3);
    found.extend(breaches.map(|what| Violation::new(check::FENCE, what)));
    found
}
