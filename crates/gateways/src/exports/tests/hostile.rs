//! Exports that something changed, by chance or on purpose.

use std::time::{Duration, Instant};

use proptest::test_runner::{RngAlgorithm, TestRng};

use super::*;

/// Changed copies of each export in the short form.
const COPIES: usize = 1_500;
/// How long the long form goes on.
const LONG: Duration = Duration::from_secs(3600);
/// What parsers stumble over.
const TOKENS: [&[u8]; 14] = [
    b"\"",
    b"\\",
    b"{",
    b"]",
    b"\0",
    b"\n",
    b"\xff",
    b"null",
    b"-1",
    b"1e999",
    b"\\ud83d",
    b"From x Mon Jan  5 10:00:00 2009\n",
    b"[[[[[[[[[[[[[[[[",
    b"99999999999999999999",
];

/// An export of each platform in one file.
fn exports() -> Vec<(&'static str, Vec<u8>)> {
    let dir = tempfile::tempdir().expect("a directory");
    let archive = dir.path().join("export.zip");
    zipped(&archive, &slack::slack());
    vec![
        ("result.json", written(&group()).into_bytes()),
        (
            "discord.json",
            discord("7", "GuildTextChat", "iso")
                .to_string()
                .into_bytes(),
        ),
        ("_chat.txt", whatsapp::IPHONE.as_bytes().to_vec()),
        ("export.zip", fs::read(&archive).expect("read")),
        ("matrix.json", matrix::room().into_bytes()),
        ("zulip.tar.gz", zulip::packed()),
        ("issues.json", github::issues().to_string().into_bytes()),
        ("gh.json", github::by_gh().to_string().into_bytes()),
        (
            "discussions.json",
            github::discussions().to_string().into_bytes(),
        ),
        (
            "users.mbox",
            format!("{}{}", mail::JANUARY, mail::APRIL).into_bytes(),
        ),
    ]
}

/// How many messages it has for an import; `None` where it is refused or is no export.
fn taken(path: &Path, bytes: &[u8]) -> Option<usize> {
    fs::write(path, bytes).expect("written");
    let export = export(path).ok()??;
    let messages = |chat: &ExportChat| content(chat).messages.len();
    Some(export.chats.iter().map(messages).sum())
}

/// The bytes with a few changes.
fn changed(bytes: &[u8], rng: &mut TestRng) -> Vec<u8> {
    use proptest::prelude::Rng as _;
    let mut below = |most: usize| usize::try_from(rng.next_u64()).unwrap_or_default() % most.max(1);
    let mut bytes = bytes.to_vec();
    for _ in 0..=below(3) {
        let at = below(bytes.len());
        let end = (at + 1 + below(64)).min(bytes.len());
        match below(6) {
            0 if at < bytes.len() => bytes[at] ^= 1 << below(8),
            1 => bytes.truncate(at),
            2 => drop(bytes.drain(at.min(end)..end)),
            3 => {
                let copy = bytes[at.min(end)..end].to_vec();
                bytes.splice(at..at, copy);
            }
            4 => {
                let many = TOKENS[below(TOKENS.len())].repeat(1 + below(40));
                bytes.splice(at..at, many);
            }
            _ => drop(bytes.splice(at..at, TOKENS[below(TOKENS.len())].iter().copied())),
        }
    }
    bytes
}

/// Reads changed copies for as long as it is told.
fn read_changed(more: impl Fn(usize) -> bool) -> (usize, usize) {
    let dir = tempfile::tempdir().expect("a directory");
    let mut rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let (mut copies, mut read) = (0, 0);
    while more(copies) {
        for (name, bytes) in exports() {
            let path = dir.path().join(name);
            // Neither ends the program.
            read += usize::from(taken(&path, &changed(&bytes, &mut rng)).is_some());
            fs::remove_file(&path).expect("removed");
        }
        copies += 1;
    }
    (copies, read)
}

#[test]
fn what_was_changed_is_read_or_refused() {
    let (copies, read) = read_changed(|copies| copies < COPIES);
    let all = copies * exports().len();
    assert!(
        read > all / 10 && read < all,
        "{read} of {all} were read: the changes are none"
    );
}

#[test]
#[ignore = "an hour"]
#[expect(
    clippy::disallowed_methods,
    reason = "it goes on for an hour of this machine"
)]
fn soak_exports() {
    let start = Instant::now();
    let (copies, read) = read_changed(|_| start.elapsed() < LONG);
    println!("{copies} copies of each export, {read} of all read");
}

#[test]
fn what_is_cut_off_is_never_taken_in_part() {
    let dir = tempfile::tempdir().expect("a directory");
    for (name, bytes) in exports() {
        // A text has no end that could be missing.
        if name.ends_with(".txt") || name.ends_with(".mbox") {
            continue;
        }
        let path = dir.path().join(name);
        assert!(
            taken(&path, &bytes).is_some_and(|messages| messages > 0),
            "{name}"
        );
        for at in (0..bytes.len()).step_by(bytes.len() / 150 + 1) {
            assert_eq!(
                taken(&path, &bytes[..at]),
                None,
                "{name}: the first {at} bytes"
            );
        }
        fs::remove_file(&path).expect("removed");
    }
}

/// Found by the long form.
#[test]
fn a_moment_without_bounds_is_none() {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("result.json");
    let mut group = group();
    for unix in [
        "-99999999999999999999",
        "-9223372036854775808",
        "9223372036854775807",
    ] {
        group["messages"][2]["date_unixtime"] = json!(unix);
        let whole = written(&group).into_bytes();
        assert!(
            taken(&path, &whole).is_some_and(|messages| messages > 0),
            "{unix}"
        );
    }
}
