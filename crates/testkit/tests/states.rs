//! States that were stored are read as they were written. `tests/states` keeps some of each role, by
//! layout, from one run of the simulation: whoever changes a state so that they cannot be read any
//! more, or are written in another way, raises the role's layout.

use std::fs;
use std::path::Path;

use ciborium::Value;
use serde::Serialize;
use serde::de::DeserializeOwned;
use threadlore_ports::StateRow;
use threadlore_roles::{
    Buffer, Embedder, Extractor, Gateway, Intake, KeyState, Learner, Processor, Promoter, Responder,
};
use threadlore_testkit::sim::{Run, Setup, run};

/// The seed of the run.
const SEED: u64 = 1;
/// States of a role that are kept: the largest that are not larger than [`LARGEST`].
const KEPT: usize = 4;
/// In bytes, with parts.
const LARGEST: usize = 2048;

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(digits: &str) -> Vec<u8> {
    let pairs = (0..digits.len()).step_by(2);
    let byte = |i| u8::from_str_radix(&digits[i..i + 2], 16).expect("hex digits");
    pairs.map(byte).collect()
}

/// One line a state or part.
fn lines(mut states: Vec<&StateRow>) -> String {
    let size = |row: &StateRow| {
        let parts = row.parts.iter().filter_map(|part| part.body.as_ref());
        row.body.len() + parts.map(Vec::len).sum::<usize>()
    };
    states.retain(|row| size(row) <= LARGEST);
    states.sort_by_key(|row| (std::cmp::Reverse(size(row)), row.key.clone()));
    let lines = states.into_iter().take(KEPT).map(|row| {
        let parts = row.parts.iter().filter_map(|part| part.body.as_ref());
        let parts: String = parts.map(|part| format!("part {}\n", hex(part))).collect();
        format!("state {}\n{parts}", hex(&row.body))
    });
    lines.collect()
}

fn value(bytes: &[u8]) -> Value {
    ciborium::from_reader(bytes).expect("CBOR")
}

/// Reads a value as a type, and writes it again.
fn same<T: Serialize + DeserializeOwned>(kept: &Value) -> Result<(), String> {
    let read: T = kept.deserialized().map_err(|e| e.to_string())?;
    match Value::serialized(&read).map_err(|e| e.to_string())? == *kept {
        true => Ok(()),
        false => Err("it is written in another way".to_owned()),
    }
}

/// A role's state, as it is within what the loop stores.
fn state_of(stored: Value) -> Value {
    let fields = stored.into_map().expect("a map");
    let is_state = |(name, _): &(Value, Value)| name.as_text() == Some("state");
    fields.into_iter().find(is_state).expect("a state").1
}

fn check<P: Processor>(run: &Run, wrong: &mut Vec<String>) {
    let file = format!("{}.v{}.hex", P::ROLE, P::STATE_LAYOUT);
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/states");
    let Ok(kept) = fs::read_to_string(directory.join(&file)) else {
        let states = run.states.iter();
        let states = states.filter(|(shard, _)| shard.role() == P::ROLE.name());
        let states: Vec<&StateRow> = states.flat_map(|(_, rows)| rows).collect();
        let proposal = directory.join(format!("{file}.proposed"));
        fs::write(&proposal, lines(states)).expect("the proposal is written");
        wrong.push(format!("{file} is missing; see {}", proposal.display()));
        return;
    };
    assert!(kept.contains("state "), "{file} has no state");
    let mut same = kept.lines().map(|line| match line.split_once(' ') {
        Some(("state", digits)) => same::<P::State>(&state_of(value(&unhex(digits)))),
        Some(("part", digits)) => same::<<P::State as KeyState>::Part>(&value(&unhex(digits))),
        _ => panic!("{file}: {line}"),
    });
    if let Some(Err(reason)) = same.find(Result::is_err) {
        wrong.push(format!("{file}: {reason}: raise STATE_LAYOUT of this role"));
    }
}

#[test]
fn what_was_stored_is_read_as_it_was_written() {
    let run = run(Setup::of_seed(SEED));
    assert!(run.violations.is_empty(), "{:?}", run.violations);
    let mut wrong = Vec::new();
    check::<Intake>(&run, &mut wrong);
    check::<Buffer>(&run, &mut wrong);
    check::<Extractor>(&run, &mut wrong);
    check::<Embedder>(&run, &mut wrong);
    check::<Responder>(&run, &mut wrong);
    check::<Learner>(&run, &mut wrong);
    check::<Promoter>(&run, &mut wrong);
    check::<Gateway>(&run, &mut wrong);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
