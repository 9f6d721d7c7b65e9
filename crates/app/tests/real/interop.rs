//! A gateway and a reader in Python (`tests/interop`), with none of our code, on the
//! cluster that the binary works on.

use std::ffi::OsString;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use threadlore_model::{ChannelId, MessageId, SpaceId};
use threadlore_testkit::{Kafka, SchemaRegistry, not_run};

use super::kafka::{made, node, on};
use super::support::{Place, Ran};

/// Three messages are a conversation.
const SHORT: &str = "[buffer]\nmin_for_resolution = 3\n";

#[test]
fn python_sends_single_objects_and_reads_the_case() {
    let Some(packages) = packages() else { return };
    let place = Place::new();
    let Some(kafka) = node(&place) else {
        return;
    };
    talk((&place, &kafka), &packages, SHORT, &[]);
}

#[test]
fn python_does_so_with_schemas_of_a_registry() {
    let Some(packages) = packages() else { return };
    let place = Place::new();
    let Some(kafka) = node(&place) else {
        return;
    };
    let Some(registry) = SchemaRegistry::start(&place.path().join("registry")) else {
        return;
    };
    registry.set_compatibility("FULL_TRANSITIVE");
    let url = registry.url();
    let settings = format!("{SHORT}[registry]\nurl = \"{url}\"\n");
    talk(
        (&place, &kafka),
        &packages,
        &settings,
        &["--registry", &url],
    );
    // The gateway's schema is the one that the binary registered, with one id.
    let ids = registry.ids();
    let gateway = "chat.inbox-io.threadlore.v1.PlatformMessage";
    assert!(ids.contains_key(gateway), "{ids:?}");
    assert!(ids.len() > 20, "{ids:?}");
}

/// A conversation goes in, and the case that it is comes out.
fn talk((place, kafka): (&Place, &Kafka), packages: &OsString, settings: &str, registry: &[&str]) {
    let bootstrap = kafka.bootstrap();
    on(place, &bootstrap, settings);
    made(place);
    let owner = place.standalone();
    let python = |name: &str, more: &[&str]| {
        let arguments = [&["--bootstrap", &bootstrap], registry, more].concat();
        run(packages, name, &arguments)
    };

    let sent = python("gateway.py", &[]);
    assert_eq!(sent.len(), 3, "{sent:?}");
    let read = python("reader.py", &["--cases", "1"]);
    println!("{read:#?}");

    let (space, channel) = (SpaceId::parse("interop"), ChannelId::parse("irc:#interop"));
    let (space, channel) = (space.expect("a space"), channel.expect("a channel"));
    let ids: Vec<String> = sent
        .iter()
        .map(|line| line["native_id"].as_str().expect("text"))
        .map(|native| MessageId::of_native(&space, &channel, native).to_string())
        .collect();
    let solved = &read[0];
    // The thanks brought it about.
    let traces = [&solved["trace"], &sent[2]["trace"]].map(|t| t.as_str().expect("text"));
    assert!(traces[0].contains(traces[1]), "{traces:?}");
    assert_eq!(solved["type"], "CaseSolved", "{solved}");
    let fields = &solved["fields"];
    assert_eq!(fields["channel"], "irc:#interop");
    let evidence = |part: &str| -> Vec<&Value> {
        let all = fields["evidence"].as_array().expect("a list").iter();
        let of = all.filter(|one| one["part"] == part);
        of.map(|one| &one["message"]).collect()
    };
    assert_eq!(evidence("problem"), [&json!(ids[0])], "{fields}");
    assert_eq!(evidence("solution"), [&json!(ids[1])], "{fields}");
    for private in ["title", "problem", "solution"] {
        let sealed = fields[private]["sealed"].as_u64();
        assert!(sealed.is_some_and(|bytes| bytes > 0), "{private}: {fields}");
    }

    owner.signal("TERM");
    let ended = owner.end();
    assert_eq!(ended.code, Some(0), "{}", ended.err);
}

/// The JSON lines that a script prints.
pub(crate) fn run(packages: &OsString, name: &str, arguments: &[&str]) -> Vec<Value> {
    let scripts = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/interop");
    let mut python = Command::new("python3");
    python.arg(scripts.join(name)).args(arguments);
    python.env("PYTHONPATH", packages);
    let ran = Ran::of(python.output().expect("python3 starts"));
    assert_eq!(ran.code, Some(0), "{name}: {}{}", ran.out, ran.err);
    let line = |line| serde_json::from_str(line).expect("a JSON object");
    ran.out.lines().map(line).collect()
}

/// Where the scripts find what they import; `./dev test` puts it there.
#[expect(
    clippy::disallowed_methods,
    reason = "as ./dev sets it; it is not a setting of what is tested"
)]
pub(crate) fn packages() -> Option<OsString> {
    let found = std::env::var_os("THREADLORE_INTEROP");
    if found.is_none() {
        not_run("THREADLORE_INTEROP names no packages of Python; `./dev test` installs them");
    }
    found
}
