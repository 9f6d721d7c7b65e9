//! The simulation over many seeds, and what it would notice.
//!
//! `THREADLORE_SIM_SEED=1234` runs one seed and prints what happens in it;
//! `THREADLORE_SIM_SEEDS` and `THREADLORE_SIM_FROM` change how many and from where.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use threadlore_testkit::sim::{Bug, Coverage, Run, Setup, run};

#[expect(
    clippy::disallowed_methods,
    reason = "a person says here which seed to run again"
)]
fn number(name: &str) -> Option<u64> {
    std::env::var(name)
        .ok()
        .map(|n| n.parse().expect("write a whole number"))
}

#[expect(
    clippy::disallowed_methods,
    reason = "the speed of the simulation is a figure of its own"
)]
fn clock() -> std::time::Instant {
    std::time::Instant::now()
}

fn again(run: &Run) -> String {
    let violations: Vec<String> = run.violations.iter().map(ToString::to_string).collect();
    format!(
        "seed {} breaks:\n  {}\nrun it again: THREADLORE_SIM_SEED={} \
         cargo nextest run -p threadlore-testkit --test simulation seeds --no-capture",
        run.seed,
        violations.join("\n  "),
        run.seed
    )
}

#[derive(Default)]
struct Total {
    coverage: Coverage,
    bad: Vec<Run>,
    inputs: usize,
    fewest: Option<usize>,
    lost: u64,
    points: u64,
    records: usize,
}

impl Total {
    fn take(&mut self, run: Run) {
        let crashes = run.coverage.sum(|kind| kind.is_crash());
        let zombies = run
            .coverage
            .sum(|kind| kind == threadlore_testkit::sim::Kind::Zombie);
        if run.violations.is_empty() {
            assert!(crashes >= 3, "seed {} had {crashes} crashes", run.seed);
            assert!(zombies >= 1, "seed {} had no rebalance", run.seed);
            assert!(
                run.inputs >= 200,
                "seed {} had {} inputs",
                run.seed,
                run.inputs
            );
        }
        self.coverage.add(&run.coverage);
        self.inputs += run.inputs;
        self.fewest = Some(self.fewest.map_or(run.inputs, |n| n.min(run.inputs)));
        self.lost += run.databases_lost;
        self.points += run.points;
        self.records += run.records.values().sum::<usize>();
        if !run.violations.is_empty() {
            self.bad.push(run);
        }
    }
}

fn many(from: u64, count: u64) -> Total {
    let (next, total) = (AtomicU64::new(from), Mutex::new(Total::default()));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= from + count {
                        return;
                    }
                    let run = run(Setup::of_seed(seed));
                    total
                        .lock()
                        .unwrap_or_else(PoisonError::into_inner)
                        .take(run);
                }
            });
        }
    });
    total.into_inner().unwrap_or_else(PoisonError::into_inner)
}

#[test]
fn seeds() {
    if let Some(seed) = number("THREADLORE_SIM_SEED") {
        let run = run(Setup {
            trace: true,
            ..Setup::of_seed(seed)
        });
        run.notes.iter().for_each(|note| println!("{note}"));
        println!("{:?}", run.records);
        assert!(run.violations.is_empty(), "{}", again(&run));
        return;
    }
    let count = number("THREADLORE_SIM_SEEDS").unwrap_or(500);
    let from = number("THREADLORE_SIM_FROM").unwrap_or(0);
    let started = clock();
    let total = many(from, count);
    let seconds = started.elapsed().as_secs_f64();
    println!("{}", total.coverage);
    println!(
        "{count} seeds in {seconds:.1} s, {:.0} seeds/s; {} inputs (at least {} in a run), {} records, {} points, \
         {} databases lost",
        count as f64 / seconds,
        total.inputs,
        total.fewest.unwrap_or(0),
        total.records,
        total.points,
        total.lost
    );
    let mut bad = total.bad;
    bad.sort_by_key(|run| run.seed);
    let rules: std::collections::BTreeMap<&str, usize> = bad
        .iter()
        .flat_map(|run| &run.violations)
        .fold(Default::default(), |mut all, v| {
            *all.entry(v.rule).or_default() += 1;
            all
        });
    let first: Vec<String> = bad.iter().take(5).map(again).collect();
    assert!(
        bad.is_empty(),
        "{} seeds break {rules:?}:\n{}",
        bad.len(),
        first.join("\n")
    );
    if count >= 2000 {
        let missing = total.coverage.missing();
        assert!(
            missing.is_empty(),
            "faults that never happened: {missing:?}"
        );
    }
}

#[test]
fn a_seed_is_a_whole_report() {
    for seed in [3, 77] {
        let setup = Setup {
            trace: true,
            ..Setup::of_seed(seed)
        };
        assert_eq!(run(setup), run(setup));
    }
}

/// Seeds in which the harm of a bug that was noticed is looked for.
const FOR_HARM: u64 = 60;

/// Seeds until a planted bug is noticed at all, and until its harm is: what
/// readers, deciders or a next owner find, and not only the watch on the fence.
fn seeds_to_find(bug: Bug, most: u64) -> (Option<u64>, Option<u64>) {
    let (mut noticed, mut harmed) = (None, None);
    for seed in 0..most {
        let run = run(Setup {
            bug: Some(bug),
            ..Setup::of_seed(seed)
        });
        if !run.violations.is_empty() && noticed.is_none() {
            noticed = Some(seed + 1);
            println!("{}: {}", bug.name(), run.violations[0]);
        }
        if run.is_harmed() {
            harmed = Some(seed + 1);
        }
        if harmed.is_some() || (noticed.is_some() && seed + 1 >= FOR_HARM) {
            break;
        }
    }
    (noticed, harmed)
}

#[test]
fn planted_bugs_are_found() {
    let found = Mutex::new(Vec::new());
    let late = AtomicBool::new(false);
    let next = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                loop {
                    let i = next.fetch_add(1, Ordering::Relaxed) as usize;
                    let Some(bug) = Bug::ALL.get(i) else { return };
                    let (noticed, harmed) = seeds_to_find(*bug, 200);
                    late.fetch_or(noticed.is_none(), Ordering::Relaxed);
                    let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                    found.push((i, bug.name(), noticed, harmed));
                }
            });
        }
    });
    let mut found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
    found.sort_unstable();
    println!(
        "| planted bug | seeds until noticed | seeds until its harm is seen |\n|---|---:|---:|"
    );
    for (_, name, noticed, harmed) in &found {
        let number =
            |n: &Option<u64>, most: u64| n.map_or(format!("more than {most}"), |n| n.to_string());
        println!(
            "| {name} | {} | {} |",
            number(noticed, 200),
            number(harmed, FOR_HARM)
        );
    }
    assert!(
        !late.into_inner(),
        "a planted bug was not found within 200 seeds: {found:?}"
    );
}
