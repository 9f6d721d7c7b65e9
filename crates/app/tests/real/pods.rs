//! The processes of the chart as a cluster starts them.

use std::fs;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use serde_json::Value;
use threadlore_testkit::not_run;

use super::accounts::{PASSWORD, chosen};
use super::browser::Browser;
use super::chart::{helm, of_kind};
use super::chat::{import, parts};
use super::cluster::{Cluster, key};
use super::pod::{Pod, Pods, SAME, has_sandbox};
use super::support::{Place, Running, signal};

#[test]
fn the_chart_as_processes_finds_what_one_process_finds() {
    let Some(helm) = helm() else { return };
    if !has_sandbox() {
        not_run("bubblewrap is not installed, or this machine has no user namespaces for it");
        return;
    }
    let Some(cluster) = Cluster::start(Place::new(), SAME) else {
        return;
    };
    let pods = Pods::of(&helm, &cluster);
    let topics = pods.pod("Job", "threadlore-topics");
    let applied = topics.run(&["topics", "apply", "--replicas", "1"]);
    assert_eq!(applied.code, Some(0), "{}", applied.err);

    let deployments = of_kind(&pods.objects, "Deployment").into_iter();
    let mut running: Vec<(Pod<'_>, Running)> = deployments
        .map(|deployment| {
            let pod = pods.pod("Deployment", super::chart::name(deployment));
            let process = pod.start();
            (pod, process)
        })
        .collect();
    assert_eq!(running.len(), 4, "as the small installation has them");
    for (pod, process) in &mut running {
        pod.becomes_ready(process);
    }

    // Commands in the pod for them, as `kubectl exec` runs them.
    let api = &running.iter().find(|(pod, _)| pod.name.ends_with("-api"));
    let (api, _) = api.expect("there is one");
    let checked = api.run(&["topics", "plan"]);
    assert_eq!(checked.code, Some(0), "{}", checked.err);
    let stop = AtomicBool::new(false);
    let parts = &parts()[..3];
    import(&cluster.place, parts, &stop);
    let asked = api.run(&["--json", "ask", "how do I mount an iso image?"]);
    assert_eq!(asked.code, Some(0), "{}", asked.err);
    let asked: Value = serde_json::from_str(&asked.out).expect("one JSON object");
    assert!(asked["outcome"].is_string(), "{asked}");
    // The pages, as by `kubectl port-forward`.
    let link = api.run(&["sign-in"]);
    let pages = Browser::signed_in(link.out.trim());
    let channels = pages.page("/s/default/channels");
    assert!(channels.contains("irc:#u0"), "{channels}");
    // A moderator, who chooses a password by a link.
    let link = api.run(&["user", "add", "anna"]);
    let anna = chosen(link.out.trim(), PASSWORD).1.expect("let in");
    let channels = anna.page("/s/default/channels");
    assert!(channels.contains("irc:#u0"), "{channels}");

    for (pod, process) in &running {
        println!(
            "{}: {} MB at most",
            pod.name,
            pod.most_memory(process) / 1024
        );
    }
    // What a process finds that has it all to itself, with the same key for people.
    let alone = Place::new();
    fs::write(alone.path().join("people.key"), key()).expect("written");
    alone.file("threadlore.toml", SAME);
    import(&alone, parts, &stop);
    cluster.place.verified().is_same_as(&alone.verified());

    for (pod, process) in running {
        #[expect(clippy::disallowed_methods, reason = "the test's own wall time")]
        let told = Instant::now();
        signal(pod.inside(&process), "TERM");
        let ended = process.end();
        assert_eq!(ended.code, Some(0), "{}: {}", pod.name, ended.err);
        println!("{}: stopped in {} ms", pod.name, told.elapsed().as_millis());
    }
}
