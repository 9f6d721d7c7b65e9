//! What was written once is read for ever: bytes of every version are kept.
//!
//! `schemas/fixtures/<Type>.v<n>.hex` holds a record's value, `<Type>.v<n>.json`
//! the body that it decodes to. On drift the test fails and writes what it found
//! beside them with `.proposed` at the end.

use std::fs;
use std::path::{Path, PathBuf};

use crate::samples::samples;
use threadlore_model::{Body, Event};
use threadlore_schema::{Codec, Fingerprint};

fn schemas() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../schemas")
}

/// Versions of a type that were ever written: those in the history, and the newest.
fn versions(type_name: &str) -> u32 {
    let mut count = 1;
    while schemas()
        .join(format!("history/{type_name}.v{count}.avsc"))
        .exists()
    {
        count += 1;
    }
    count
}

fn hex(bytes: &[u8]) -> String {
    let lines = bytes.chunks(32).map(|line| {
        let digits: String = line.iter().map(|byte| format!("{byte:02x}")).collect();
        digits + "\n"
    });
    lines.collect()
}

fn unhex(text: &str) -> Vec<u8> {
    let digits: String = text.split_whitespace().collect();
    let pairs = (0..digits.len()).step_by(2);
    pairs
        .map(|i| u8::from_str_radix(&digits[i..i + 2], 16).expect("hex digits"))
        .collect()
}

/// Compares with a kept file; writes a proposal when they differ.
fn same(file: &str, found: &str) -> Result<(), String> {
    let path = schemas().join("fixtures").join(file);
    if fs::read_to_string(&path).ok().as_deref() == Some(found) {
        return Ok(());
    }
    let proposal = path.with_file_name(format!("{file}.proposed"));
    fs::write(&proposal, found).expect("the proposal is written");
    Err(format!("{file} differs; see {}", proposal.display()))
}

/// Fails when the newest schema of a type is not the one that the kept bytes of this version were
/// written with: then the schema was changed without a new version.
fn same_schema(type_name: &str, version: u32) -> Result<(), String> {
    let file = format!("fixtures/{type_name}.v{version}.hex");
    let Ok(kept) = fs::read_to_string(schemas().join(file)) else {
        return Ok(());
    };
    let codec = Codec::new();
    let newest = codec.written().find(|one| one.type_name == type_name);
    let newest = newest.map(|one| one.fingerprint);
    let kept = unhex(&kept);
    if newest == Fingerprint::split(&kept).ok().map(|(kept, _)| kept) {
        return Ok(());
    }
    Err(format!(
        "schemas/{type_name}.avsc is not what version {version} was written with: keep what it was \
         as schemas/history/{type_name}.v{version}.avsc (see schemas/README.md)"
    ))
}

fn json(body: &Body) -> String {
    serde_json::to_string(body).expect("a body is JSON") + "\n"
}

fn decode(sample: &Event, value: &[u8]) -> Event {
    let topic = sample.body.topic().expect("a topic");
    let encoded = Codec::new().encode(topic, sample).expect("encodes");
    let headers: Vec<_> = encoded.headers.iter().map(|(n, v)| (*n, &v[..])).collect();
    let key = sample.envelope.key.as_str().as_bytes();
    Codec::new().decode(&headers, key, value).expect("decodes")
}

#[test]
fn every_type_has_a_sample() {
    let samples = samples();
    let types: Vec<&str> = samples.iter().map(|s| s.body.type_name()).collect();
    assert_eq!(types, Body::TYPES);
}

#[test]
fn the_newest_version_writes_the_kept_bytes() {
    let mut drift = Vec::new();
    for sample in samples() {
        let name = sample.body.type_name();
        let newest = versions(name);
        // No bytes are proposed for a version that was written with another schema.
        if same_schema(name, newest).is_err() {
            continue;
        }
        let topic = sample.body.topic().expect("a topic");
        let encoded = Codec::new().encode(topic, &sample).expect("encodes");
        drift.extend(same(&format!("{name}.v{newest}.hex"), &hex(&encoded.value)).err());
        drift.extend(same(&format!("{name}.v{newest}.json"), &json(&sample.body)).err());
    }
    assert!(drift.is_empty(), "{drift:#?}");
}

#[test]
fn a_schema_that_was_changed_must_be_a_new_version() {
    let changed = |name: &&str| same_schema(name, versions(name)).err();
    let changed: Vec<String> = Body::TYPES.iter().filter_map(changed).collect();
    assert!(changed.is_empty(), "{changed:#?}");
}

#[test]
fn every_kept_version_decodes_to_its_kept_event() {
    let mut drift = Vec::new();
    for sample in samples() {
        let name = sample.body.type_name();
        for version in 1..=versions(name) {
            let path = schemas().join(format!("fixtures/{name}.v{version}.hex"));
            let bytes = fs::read_to_string(path).expect("a fixture per version");
            let decoded = decode(&sample, &unhex(&bytes));
            drift.extend(same(&format!("{name}.v{version}.json"), &json(&decoded.body)).err());
        }
    }
    assert!(drift.is_empty(), "{drift:#?}");
}
