//! A pod of the chart as a cluster starts it: in a root of its own that has what the image has and what the pod mounts and
//! nothing else, read-only, as the user of the pod and without rights; and in a network of its own, where there is one.

use std::collections::BTreeMap;
use std::fs::{self, Permissions};
use std::net::Ipv4Addr;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::chart::{Helm, k8s, named};
use super::cluster::{Cluster, key};
use super::network::netns;
use super::support::{Ran, Running, free_address, look};

/// What makes runs comparable (see `kafka`).
pub(super) const SAME: &str = "[buffer]\nidle_ms = 86400000\n";
/// Whether this machine can give a pod a root of its own.
pub(super) fn has_sandbox() -> bool {
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

/// Where pods serve metrics and probes, as the chart says.
const METRICS: u16 = 9464;

/// The objects of an installation, the image, and what the cluster has beside them.
pub(super) struct Pods<'a> {
    pub(super) objects: Vec<Value>,
    cluster: &'a Cluster,
    image: PathBuf,
    /// Files of each secret.
    secrets: BTreeMap<&'static str, BTreeMap<&'static str, String>>,
    /// Where pages are, where pods share the network of this machine.
    pages: String,
}

impl<'a> Pods<'a> {
    pub(super) fn of(helm: &Helm, cluster: &'a Cluster) -> Self {
        let values = json!({ "settings": { "index": { "url": cluster.index.url() } } });
        Self::with(helm, cluster, &values, cluster.urls())
    }

    /// The same with other values, and with databases at these URLs.
    pub(super) fn with(
        helm: &Helm,
        cluster: &'a Cluster,
        more: &Value,
        (tables, keys): (String, String),
    ) -> Self {
        let place = &cluster.place;
        let image = place.path().join("image");
        let made = Command::new(k8s().join("../deploy/image"))
            .arg(env!("CARGO_BIN_EXE_threadlore"))
            .arg(&image)
            .status();
        assert!(made.expect("it starts").success(), "the image is made");
        let values = json!({ "settings": {
            "kafka": { "bootstrap_servers": cluster.kafka.bootstrap() },
            "buffer": { "idle_ms": 86_400_000 },
            "postgres": { "connections": 4 },
        } });
        let values = place.file("values.json", values.to_string());
        let more = place.file("more.json", more.to_string());
        let [values, more] = [&values, &more].map(|path| path.to_str().expect("UTF-8"));
        let values = ["--values", values, "--values", more];
        let one = |name, value| BTreeMap::from([(name, value)]);

        Self {
            objects: helm.objects(&k8s().join("values/small.yaml"), &values),
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

    pub(super) fn pod(&self, kind: &str, name: &str) -> Pod<'_> {
        self.at(kind, name, None)
    }

    /// A pod in a network of its own, at this address.
    pub(super) fn at(&self, kind: &str, name: &str, address: Option<Ipv4Addr>) -> Pod<'_> {
        let spec = &named(&self.objects, kind, name)["spec"]["template"]["spec"];
        let pod = Pod {
            name: name.to_owned(),
            pods: self,
            spec,
            metrics: address.map_or_else(
                || free_address().to_string(),
                |address| format!("{address}:{METRICS}"),
            ),
            has_network: address.is_some(),
            files: self.cluster.place.path().join("pods").join(name),
        };
        pod.write_volumes();
        pod
    }
}

pub(super) struct Pod<'a> {
    pub(super) name: String,
    pods: &'a Pods<'a>,
    spec: &'a Value,
    /// Where it is asked how it is.
    metrics: String,
    has_network: bool,
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
        let mut command = Command::new(if self.has_network { "ip" } else { "bwrap" });
        if self.has_network {
            command.args(["netns", "exec", &netns(&self.name), "bwrap"]);
        }
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
        if !self.has_network {
            // What is reached over the network in a cluster is a socket here.
            let sockets = self.pods.cluster.place.path().join("pg");
            command.arg("--bind").args([&sockets, &sockets]);
        }
        command.args(["--remount-ro", "/"]);
        command.args([
            "--chdir",
            self.container()["workingDir"].as_str().expect("one"),
        ]);
        // As the image says.
        command.args(["--setenv", "PATH", "/usr/local/bin"]);
        if !self.has_network {
            // What pods do not share in a cluster.
            for (name, value) in [
                ("THREADLORE__TELEMETRY__LISTEN", &self.metrics),
                ("THREADLORE__API__LISTEN", &self.pods.pages),
            ] {
                command.args(["--setenv", name, value]);
            }
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
    pub(super) fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(self.command(arguments).output().expect("it starts"))
    }

    /// What the pod runs.
    pub(super) fn start(&self) -> Running {
        let arguments = Self::list(&self.container()["args"]);
        let arguments: Vec<&str> = arguments.filter_map(Value::as_str).collect();
        self.pods.cluster.place.start(&mut self.command(&arguments))
    }

    /// Asks what the cluster asks, until it says yes.
    pub(super) fn becomes_ready(&self, process: &mut Running) {
        for probe in ["startupProbe", "readinessProbe", "livenessProbe"] {
            let path = self.container()[probe]["httpGet"]["path"].as_str();
            let url = format!("http://{}{}", self.metrics, path.expect("a path"));
            let asks =
                || reqwest::blocking::get(&url).is_ok_and(|answer| answer.status().is_success());
            for _ in 0..600 {
                if asks() {
                    break;
                }
                if !process.works() {
                    break;
                }
                look();
            }
            let is_ready = asks();
            let said = process.all_said();
            assert!(is_ready, "{} is not ready ({probe}): {said}", self.name);
        }
    }

    /// The process in the pod: the sandbox is the parent of it.
    pub(super) fn inside(&self, process: &Running) -> u32 {
        let pid = process.pid();
        let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
        let children = children.expect("it runs");
        children.trim().parse().expect("one child")
    }

    /// The most memory that the process had, in kilobytes.
    pub(super) fn most_memory(&self, process: &Running) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.inside(process)));
        let status = status.expect("it runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let number = line.and_then(|line| line.split_whitespace().next());
        number.expect("a number").parse().expect("a number")
    }
}
