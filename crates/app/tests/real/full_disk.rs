//! The disk fills up in the middle of an import: a small file system of its own,
//! where this user may mount one.

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use threadlore_testkit::not_run;

use super::support::{Place, demo};

const CHANNEL: &str = "irc:#u";

/// A file system in memory; it goes when this does.
struct Disk(PathBuf);

impl Disk {
    fn mount(at: PathBuf, size: &str) -> Option<Self> {
        fs::create_dir_all(&at).expect("made");
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", &format!("size={size}"), "none"]);
        let mounted = mount.arg(&at).output();
        mounted
            .is_ok_and(|ran| ran.status.success())
            .then_some(Self(at))
    }

    /// Leaves this many bytes.
    fn fill(&self, leave: u64) {
        let output = Command::new("df")
            .args(["--output=avail", "-k"])
            .arg(&self.0)
            .output();
        let text = String::from_utf8(output.expect("df starts").stdout).expect("UTF-8");
        let free: u64 = text
            .lines()
            .nth(1)
            .expect("a line")
            .trim()
            .parse()
            .expect("a number");
        let size = usize::try_from((free * 1024).saturating_sub(leave)).expect("it fits");
        fs::write(self.0.join("ballast"), vec![1; size]).expect("room for it");
    }

    fn free(&self) {
        fs::remove_file(self.0.join("ballast")).expect("removed");
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        Command::new("umount").arg(&self.0).status().ok();
    }
}

#[test]
fn a_disk_that_fills_up_in_the_middle_of_an_import() {
    let place = Place::new();
    let Some(disk) = Disk::mount(place.path().join("m"), "1500m") else {
        return not_run("this user may not mount a file system (tmpfs)");
    };
    let (log, data) = (demo(), "m/d");
    let import = ["import", log.to_str().expect("UTF-8"), "--channel", CHANNEL];
    let run = |args: &[&str]| place.start(&mut place.command_in(data, args)).end();
    // The data directory is made while there is room.
    let empty = place.file("2020-01-01.txt", "");
    let empty = empty.to_str().expect("UTF-8");
    assert_eq!(run(&["import", empty, "--channel", CHANNEL]).code, Some(0));
    disk.fill(4 << 20);
    for attempt in ["in the middle", "still full"] {
        let ended = run(&import);
        println!("{attempt}: {}", ended.err);
        assert_eq!(ended.code, Some(1), "{}", ended.err);
        for words in ["the data directory m/d is full", "goes on from there"] {
            assert!(ended.err.contains(words), "{words:?}: {}", ended.err);
        }
        assert!(!ended.err.contains("panicked"), "{}", ended.err);
    }
    disk.free();
    assert_eq!(run(&import).code, Some(0));
    let verified = place.verified_in(data);
    let other = Place::beside(&place);
    other.json(&import);
    // As if there had been room all the time: every table and the points.
    verified.is_same_as(&other.verified());
    drop(disk);
}
