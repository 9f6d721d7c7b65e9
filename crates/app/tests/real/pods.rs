//! The processes of the chart as a cluster starts them: each in a root of its own that has what the
//! image has and what its pod mounts and nothing else, read-only, as the user of the pod and without rights.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use serde_json::{Value, json};
use threadlore_testkit::not_run;

use super::browser::Browser;
use super::chart::{Helm, helm, k8s, named, of_kind};
use super::chat::{import, parts};
use super::cluster::{Cluster, key};
use super::support::{Place, Ran, Running, free_address, look, signal};

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
    let running: Vec<(Pod<'_>, Running)> = deployments
        .map(|deployment| {
            let pod = pods.pod("Deployment", super::chart::name(deployment));
            let process = pod.start();
            (pod, process)
        })
        .collect();
    assert_eq!(running.len(), 4, "as the small installation has them");
    for (pod, process) in &running {
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

/// What makes runs comparable (see `kafka`).
const SAME: &str = "[buffer]\nidle_ms = 86400000\n";
fn has_sandbox() -> bool {
    let tried = Command::new("bwrap")
        .args([
            "--ro-bind",
            "/",
            "/",
            "--unshare-user",
            "--unshare-pid",
            "true",
        ])
        .stderr(Stdio::null())
        .status();
    tried.is_ok_and(|status| status.success())
}

/// The objects of an installation, the image, and what the cluster has beside them.
struct Pods<'a> {
    objects: Vec<Value>,
    cluster: &'a Cluster,
    image: PathBuf,
    /// Files of each secret.
    secrets: BTreeMap<&'static str, BTreeMap<&'static str, String>>,
    /// Where pages are.
    pages: String,
}

impl<'a> Pods<'a> {
    fn of(helm: &Helm, cluster: &'a Cluster) -> Self {
        let place = &cluster.place;
        let image = place.path().join("image");
        let made = Command::new(k8s().join("../deploy/image"))
            .arg(env!("CARGO_BIN_EXE_threadlore"))
            .arg(&image)
            .status();
        assert!(made.expect("it starts").success(), "the image is made");
        let values = json!({ "settings": {
            "kafka": { "bootstrap_servers": cluster.kafka.bootstrap() },
            "index": { "url": cluster.index.url() },
            "buffer": { "idle_ms": 86_400_000 },
            "postgres": { "connections": 4 },
        } });
        let values = place.file("values.json", values.to_string());
        let values = values.to_str().expect("UTF-8");
        let (tables, keys) = cluster.urls();
        let one = |name, value| BTreeMap::from([(name, value)]);

        Self {
            objects: helm.objects(&k8s().join("values/small.yaml"), &["--values", values]),
            cluster,
            image,
            secrets: BTreeMap::from([
                ("threadlore-tables-app", one("uri", tables)),
                ("threadlore-keys-app", one("uri", keys)),
                (
                    "threadlore-secrets",
                    BTreeMap::from([
                        ("master.key", key()),
                        ("people.key", key()),
                        ("session.key", key()),
                    ]),
                ),
            ]),
            pages: free_address().to_string(),
        }
    }

    fn pod(&self, kind: &str, name: &str) -> Pod<'_> {
        let spec = &named(&self.objects, kind, name)["spec"]["template"]["spec"];
        let pod = Pod {
            name: name.to_owned(),
            pods: self,
            spec,
            metrics: free_address().to_string(),
            files: self.cluster.place.path().join("pods").join(name),
        };
        pod.write_volumes();
        pod
    }
}

struct Pod<'a> {
    name: String,
    pods: &'a Pods<'a>,
    spec: &'a Value,
    metrics: String,
    /// Where the files of its volumes are.
    files: PathBuf,
}

impl Pod<'_> {
    fn container(&self) -> &Value {
        &self.spec["containers"][0]
    }

    fn list(value: &Value) -> impl Iterator<Item = &Value> {
        value.as_array().into_iter().flatten()
    }

    fn write_volumes(&self) {
        for volume in Self::list(&self.spec["volumes"]) {
            let dir = self.files.join(volume["name"].as_str().expect("a name"));
            fs::create_dir_all(&dir).expect("made");
            let files: BTreeMap<&str, &str> =
                if let Some(name) = volume["secret"]["secretName"].as_str() {
                    let files = self.pods.secrets.get(name);
                    let files = files.unwrap_or_else(|| panic!("there is no secret {name}"));
                    files
                        .iter()
                        .map(|(key, value)| (*key, value.as_str()))
                        .collect()
                } else if let Some(name) = volume["configMap"]["name"].as_str() {
                    let map = named(&self.pods.objects, "ConfigMap", name);
                    let data = map["data"].as_object().expect("it has files");
                    data.iter()
                        .map(|(key, value)| (key.as_str(), value.as_str().expect("a text")))
                        .collect()
                } else {
                    continue;
                };
            let secret = &volume["secret"];
            let items: Vec<&str> = Self::list(&secret["items"])
                .map(|item| item["key"].as_str().expect("a key"))
                .collect();
            for (key, value) in files {
                if items.is_empty() || items.contains(&key) {
                    let path = dir.join(key);
                    fs::write(&path, value).expect("written");
                    let mode = secret["defaultMode"].as_u64().unwrap_or(0o644);
                    let mode = u32::try_from(mode).expect("a mode");
                    fs::set_permissions(path, Permissions::from_mode(mode)).expect("set");
                }
            }
        }
    }

    /// The program in this pod, with arguments.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new("bwrap");
        let user = self.spec["securityContext"]["runAsUser"].to_string();
        command
            .args([
                "--unshare-user",
                "--unshare-pid",
                "--unshare-ipc",
                "--as-pid-1",
            ])
            .args([
                "--new-session",
                "--die-with-parent",
                "--cap-drop",
                "ALL",
                "--clearenv",
            ])
            .args(["--uid", &user, "--gid", &user, "--tmpfs", "/"]);
        self.mount_image(&mut command, &self.pods.image, Path::new("/"));
        command.args(["--proc", "/proc", "--dev", "/dev"]);
        for host in ["/etc/hosts", "/etc/resolv.conf"] {
            command.args(["--ro-bind-try", host, host]);
        }
        for mount in Self::list(&self.container()["volumeMounts"]) {
            let name = mount["name"].as_str().expect("a name");
            let path = mount["mountPath"].as_str().expect("a path");
            let volumes = || Self::list(&self.spec["volumes"]);
            let volume = volumes().find(|volume| volume["name"] == name);
            let volume = volume.unwrap_or_else(|| panic!("there is no volume {name}"));
            if volume["emptyDir"].is_object() {
                command.args(["--tmpfs", path]);
                continue;
            }
            let from = match mount["subPath"].as_str() {
                Some(file) => self.files.join(name).join(file),
                None => self.files.join(name),
            };
            command.arg("--ro-bind").arg(from).arg(path);
        }
        // What is reached over the network in a cluster is a socket here.
        let sockets = self.pods.cluster.place.path().join("pg");
        command.arg("--bind").args([&sockets, &sockets]);
        command.args(["--remount-ro", "/"]);
        command.args([
            "--chdir",
            self.container()["workingDir"].as_str().expect("one"),
        ]);
        // As the image says, and what pods do not share in a cluster.
        for (name, value) in [
            ("PATH", "/usr/local/bin"),
            ("THREADLORE__TELEMETRY__LISTEN", &self.metrics),
            ("THREADLORE__API__LISTEN", &self.pods.pages),
        ] {
            command.args(["--setenv", name, value]);
        }
        command
            .arg("threadlore")
            .args(arguments)
            .stdin(Stdio::null());
        command
    }

    /// Files of the image, each by itself: a root of its own is what other mounts are made in.
    fn mount_image(&self, command: &mut Command, dir: &Path, inside: &Path) {
        for entry in fs::read_dir(dir).expect("it is there") {
            let entry = entry.expect("it can be read");
            let inside = inside.join(entry.file_name());
            if entry.file_type().expect("it has one").is_dir() {
                command.arg("--dir").arg(&inside);
                self.mount_image(command, &entry.path(), &inside);
            } else {
                command.arg("--ro-bind").arg(entry.path()).arg(&inside);
            }
        }
    }

    /// A command in this pod, to its end.
    fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(self.command(arguments).output().expect("it starts"))
    }

    /// What the pod runs.
    fn start(&self) -> Running {
        let arguments = Self::list(&self.container()["args"]);
        let arguments: Vec<&str> = arguments.filter_map(Value::as_str).collect();
        self.pods.cluster.place.start(&mut self.command(&arguments))
    }

    /// Asks what the cluster asks, until it says yes.
    fn becomes_ready(&self, process: &Running) {
        for probe in ["startupProbe", "readinessProbe", "livenessProbe"] {
            let path = self.container()[probe]["httpGet"]["path"].as_str();
            let url = format!("http://{}{}", self.metrics, path.expect("a path"));
            let asks =
                || reqwest::blocking::get(&url).is_ok_and(|answer| answer.status().is_success());
            for _ in 0..600 {
                if asks() {
                    break;
                }
                assert!(
                    self.is_there(process),
                    "{} ended before it was ready",
                    self.name
                );
                look();
            }
            assert!(asks(), "{} is not ready: {probe}", self.name);
        }
    }

    fn is_there(&self, process: &Running) -> bool {
        Path::new("/proc")
            .join(process.pid().to_string())
            .join("task")
            .exists()
    }

    /// The process in the pod: the sandbox is the parent of it.
    fn inside(&self, process: &Running) -> u32 {
        let pid = process.pid();
        let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
        let children = children.expect("it runs");
        children.trim().parse().expect("one child")
    }

    /// The most memory that the process had, in kilobytes.
    fn most_memory(&self, process: &Running) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.inside(process)));
        let status = status.expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let number = line.and_then(|line| line.split_whitespace().next());
        number.expect("a number").parse().expect("a number")
    }
}
