//! Chat for tests of processes: the bundled logs in parts, one channel each.

use std::sync::atomic::{AtomicBool, Ordering};

use threadlore_model::{ChannelId, SpaceId};
use threadlore_node::{ImportPlan, ImportRequest, Node};

use super::support::{Place, demo};

/// Lines of one part.
const LINES: usize = 300;

/// Path and log of each part.
pub(crate) fn parts() -> Vec<(String, Vec<u8>)> {
    let mut paths: Vec<_> = std::fs::read_dir(demo())
        .expect("the logs")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.sort();
    let mut parts = Vec::new();
    for path in paths {
        let log = std::fs::read(&path).expect("a log");
        let name = path.file_name().expect("a name").to_string_lossy();
        let lines: Vec<&[u8]> = log.split_inclusive(|b| *b == b'\n').collect();
        let chunks = lines.chunks(LINES).map(<[_]>::concat);
        parts.extend(chunks.enumerate().map(|(n, chunk)| {
            let path = format!("in/{n}/{name}");
            (path, chunk)
        }));
    }
    parts
}

/// So many parts: the bundled logs again and again, each time in channels of their own.
pub(crate) fn many_parts(count: usize) -> Vec<(String, Vec<u8>)> {
    let parts = parts();
    let again = parts.iter().cycle().take(count).enumerate();
    again
        .map(|(n, (path, log))| (format!("{n}/{path}"), log.clone()))
        .collect()
}

/// Imports one part after another until told to stop; returns how many.
pub(crate) fn import(place: &Place, parts: &[(String, Vec<u8>)], stop: &AtomicBool) -> usize {
    import_at(place, parts, 0, stop)
}

/// The same from a part on.
pub(crate) fn import_at(
    place: &Place,
    parts: &[(String, Vec<u8>)],
    first: usize,
    stop: &AtomicBool,
) -> usize {
    for (number, (path, log)) in parts.iter().enumerate().skip(first) {
        if stop.load(Ordering::SeqCst) {
            return number;
        }
        place.file(path, log);
        let channel = format!("irc:#u{number}");
        place.json(&["import", path, "--channel", &channel]);
    }
    parts.len()
}

/// Puts a part into the inbox of a channel, whether anybody takes it or not.
pub(crate) async fn append(
    node: &Node,
    place: &Place,
    (path, log): &(String, Vec<u8>),
    channel: &str,
) {
    let request = ImportRequest {
        space: SpaceId::parse("default").expect("a space"),
        channel: Some(ChannelId::parse(channel).expect("a channel")),
        bots: String::new(),
        date: None,
        timezone: None,
        format: None,
        again: false,
    };
    let plan = ImportPlan::read(&request, &place.file(path, log)).expect("a log");
    plan.take(node, |_, _| {}).await.expect("taken");
}
