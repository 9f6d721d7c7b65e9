//! The key that wraps all others is replaced by another one, as docs/keys.md says.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use super::chart::{helm, k8s, named};
use super::chat::parts;
use super::cluster::{Cluster, ROLES};
use super::desk::{ISO, desk};
use super::processes::{SAME, stopped};
use super::support::{PATIENCE, Place, all_work, messages};
use super::throughput::now;

/// A key for a file that only its owner reads.
fn key(place: &Place, name: &str, digits: &str) {
    let path = place.file(name, digits.repeat(16));
    fs::set_permissions(path, Permissions::from_mode(0o600)).expect("closed");
}

fn rewrapped(place: &Place) -> u64 {
    let said = place.json(&["keys", "rewrap"]);
    said["rewrapped"].as_u64().expect("a count")
}

#[test]
fn a_master_key_takes_the_place_of_another() {
    let place = desk();
    let before = place.verified();
    assert_eq!(rewrapped(&place), 0, "there is one key");
    key(&place, "new.key", "0e11");
    let with = |settings: &str| {
        place.file("threadlore.toml", format!("[keystore]\n{settings}"));
    };
    let refused = |why: &str| {
        let ran = place.run(&["ask", ISO]);
        assert_ne!(ran.code, Some(0), "{}", ran.out);
        assert!(ran.err.contains(why), "{}", ran.err);
    };
    let answers = || {
        let said = place.json(&["ask", ISO]);
        assert_eq!(said["outcome"], "answered", "{said}");
    };
    with("master_key_file = \"new.key\"\n");
    refused("master key is not the one");
    with("master_key_file = \"new.key\"\nsecond_master_key_file = \"new.key\"\n");
    refused("it must be another file");
    with("master_key_file = \"new.key\"\nsecond_master_key_file = \"none.key\"\n");
    refused("none.key");
    with("second_master_key_file = \"new.key\"\n");
    answers();
    assert_eq!(rewrapped(&place), 0, "no key is under the second one yet");
    with("master_key_file = \"new.key\"\nsecond_master_key_file = \"d/secrets/master.key\"\n");
    answers();
    let said = place.run(&["keys", "rewrap"]);
    assert!(said.err.contains("is needed no more"), "{}", said.err);
    assert_eq!(rewrapped(&place), 0);
    with("master_key_file = \"new.key\"\n");
    answers();
    place.verified().is_same_as(&before);
    with("");
    refused("master key is not the one");
}

/// Processes learn of the other key one after the other, while others work.
#[test]
fn a_master_key_is_replaced_while_processes_work() {
    let Some(cluster) = Cluster::start(Place::new(), SAME) else {
        return;
    };
    let place = &cluster.place;
    key(place, "next.key", "0e11");
    let settings = fs::read_to_string(place.path().join("threadlore.toml")).expect("settings");
    let old = "master_key_file = \"master.key\"";
    assert!(settings.contains(old), "{settings}");
    let parts = parts();
    let start = || {
        let mut process = cluster.run(&ROLES);
        assert!(process.wait_for("running "), "{}", process.said());
        Some(process)
    };
    let mut processes = [start(), start()];
    let phases = [
        (old.to_owned(), 0),
        (format!("{old}\nsecond_master_key_file = \"next.key\""), 0),
        (
            "master_key_file = \"next.key\"\nsecond_master_key_file = \"master.key\"".to_owned(),
            1,
        ),
        ("master_key_file = \"next.key\"".to_owned(), 0),
    ];
    let (mut sent, mut number) = (0, 0);
    for (keys, least) in &phases {
        place.file("threadlore.toml", settings.replace(old, keys));
        if *keys == phases[3].0 {
            fs::remove_file(place.path().join("master.key")).expect("it is there");
        }
        for slot in 0..processes.len() {
            // Something is said while one process knows more than the other.
            let (path, log) = &parts[number];
            place.file(path, log);
            let channel = format!("irc:#u{number}");
            let args = ["import", path, "--channel", &channel];
            let during = place.start(&mut place.command(&args));
            if let Some(process) = processes[slot].take() {
                stopped(process);
            }
            processes[slot] = start();
            let during = during.end();
            assert!(matches!(during.code, Some(0 | 6)), "{}", during.err);
            let began = now();
            while place.run(&args).code != Some(0) {
                all_work(&mut processes);
                assert!(began.elapsed() < PATIENCE, "{}", during.err);
            }
            all_work(&mut processes);
            sent += messages(log).len();
            number += 1;
        }
        let count = rewrapped(place);
        assert!(count >= *least, "{keys}: {count}");
        println!("{count} keys were wrapped again with {keys:?}");
        assert_eq!(rewrapped(place), 0);
    }
    for process in processes.into_iter().flatten() {
        stopped(process);
    }
    let here = place.verified();
    assert_eq!(here.table("messages").0, sent as u64, "lost or doubled");
}

/// The chart says which key of the secret is the master key, and which is read too.
#[test]
fn the_chart_mounts_both_keys_meanwhile() {
    let Some(helm) = helm() else { return };
    let values = k8s().join("values/small.yaml");
    let keys = |more: &[&str]| {
        let objects = helm.objects(&values, more);
        let pod = &named(&objects, "Deployment", "threadlore-api")["spec"]["template"]["spec"];
        let mut volumes = pod["volumes"].as_array().expect("a list").iter();
        let keys = volumes.find(|volume| volume["name"] == "keys");
        let items = keys.expect("it is there")["secret"]["items"].as_array();
        let items = items.expect("a list").iter().map(|item| {
            let part = |name: &str| item[name].as_str().expect("a name").to_owned();
            format!("{} as {}", part("key"), part("path"))
        });
        let map = named(&objects, "ConfigMap", "threadlore-api");
        let settings = map["data"]["threadlore.toml"].as_str().expect("settings");
        (
            items.collect::<Vec<_>>(),
            settings.contains("second_master_key_file"),
        )
    };
    let (usual, has_second) = keys(&[]);
    assert!(
        usual.contains(&"master.key as master.key".to_owned()),
        "{usual:?}"
    );
    assert!(
        !has_second && !usual.iter().any(|item| item.contains("second")),
        "{usual:?}"
    );
    let swap = [
        "--set",
        "keys.master=next.key",
        "--set",
        "keys.second=master.key",
    ];
    let (meanwhile, has_second) = keys(&swap);
    assert!(has_second);
    for item in ["next.key as master.key", "master.key as second.key"] {
        assert!(meanwhile.contains(&item.to_owned()), "{meanwhile:?}");
    }
}
