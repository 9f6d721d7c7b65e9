//! The chart on Kubernetes' own API server, with the operators' own definitions of their objects.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::{Value, json};
use threadlore_testkit::not_run;

use super::chart::{SHAPES, helm, k8s, name, of_kind};
use super::support::{Place, Ran, free_address, look};

#[test]
fn a_cluster_takes_every_installation_under_pod_security() {
    let Some(helm) = helm() else { return };
    let place = Place::new();
    let Some(cluster) = ApiServer::start(&place) else {
        return;
    };
    let defined = cluster.built.join("crds");
    cluster.kubectl(&["apply", "--server-side", "-f", text(&defined)]);
    cluster.kubectl(&[
        "wait",
        "--for=condition=Established",
        "crd",
        "--all",
        "--timeout=60s",
    ]);
    // Of the release, and of the Kafka cluster in one example: what names its namespace goes there.
    cluster.namespace("lore");
    cluster.namespace("messaging");
    for shape in SHAPES {
        let objects = helm.shape(shape);
        cluster.namespace(shape);
        let manifest = list(&objects);
        let applied = cluster.apply(shape, &manifest, &[]);
        assert_eq!(applied.code, Some(0), "{shape}: {}", applied.err);
        // It warns where the pods of a workload would be refused.
        assert_eq!(applied.err, "", "{shape}");
        let taken = applied.out.matches("serverside-applied").count();
        assert_eq!(taken, objects.len(), "{shape}: {}", applied.out);
        let pods: Vec<Value> = objects.iter().filter_map(pod_of).collect();
        assert!(pods.len() > 3, "{shape}");
        let started = cluster.apply(shape, &list(&pods), &["--dry-run=server"]);
        assert_eq!(started.code, Some(0), "{shape}: {}", started.err);
        // What a process could do with the rights of its pod: nothing.
        for account in of_kind(&objects, "ServiceAccount") {
            let user = format!("system:serviceaccount:{shape}:{}", name(account));
            for (verb, what) in [("get", "secrets"), ("list", "pods"), ("create", "pods")] {
                let may = cluster.run(&["auth", "can-i", verb, what, "-n", shape, "--as", &user]);
                assert_eq!(may.out.trim(), "no", "{user} may {verb} {what}");
            }
        }
    }
    // The server does refuse: a field that there is not, and a pod with rights.
    let mut objects = helm.shape("small");
    let workload = objects
        .iter_mut()
        .find(|object| object["kind"] == "Deployment");
    let workload = workload.expect("there is one");
    let container = &mut workload["spec"]["template"]["spec"]["containers"][0];
    container["securityContext"]["capabilities"]["add"] = json!(["NET_ADMIN"]);
    let pod = pod_of(workload).expect("it has one");
    let refused = cluster.apply("small", &list(&[pod]), &["--dry-run=server"]);
    assert!(
        refused.err.contains("violates PodSecurity"),
        "{}",
        refused.err
    );
    workload["spec"]["replica"] = json!(2);
    let refused = cluster.apply("small", &list(std::slice::from_ref(workload)), &[]);
    assert_ne!(refused.code, Some(0));
    assert!(refused.err.contains("replica"), "{}", refused.err);

    for base in ["small", "production"] {
        let base = k8s().join("base").join(base);
        let built = cluster.kubectl(&["kustomize", text(&base)]);
        assert!(built.matches("\nkind: ").count() > 15, "{built}");
    }
}

/// Not followed: images have a version for their tag, so they need not be pulled each time; a limit of
/// processors would slow down a role that catches up; pods are spread by topology constraints, which the
/// linter does not look at; a gateway is one process, of which the old one ends first, and a link to the pages is
/// followed in the process that made it.
const NOT_FOLLOWED: [&str; 6] = [
    "--ignore-container-cpu-limit",
    "--ignore-test=container-image-pull-policy",
    "--ignore-test=deployment-has-host-podantiaffinity",
    "--ignore-test=deployment-replicas",
    "--ignore-test=deployment-strategy",
    "--ignore-test=statefulset-has-host-podantiaffinity",
];

#[test]
fn a_linter_finds_nothing_in_any_installation() {
    let Some(helm) = helm() else { return };
    let Some(built) = built() else { return };
    let place = Place::new();
    let score = |objects: &[Value]| {
        let documents = objects.iter().map(Value::to_string);
        let documents: Vec<String> = documents.collect();
        let path = place.file("objects.yaml", documents.join("\n---\n"));
        let mut command = Command::new(built.join("bin/kube-score"));
        command
            .args(["score", "--output-format", "ci"])
            .args(NOT_FOLLOWED);
        Ran::of(command.arg(path).output().expect("it starts"))
    };
    for shape in SHAPES {
        let scored = score(&helm.shape(shape));
        let lines = scored.out.lines();
        let found: Vec<&str> = lines
            .filter(|line| line.starts_with("[WARNING]") || line.starts_with("[CRITICAL]"))
            .collect();
        assert!(found.is_empty(), "{shape}: {found:#?}");
        assert!(
            scored.out.contains("[OK]"),
            "{shape}: {}{}",
            scored.out,
            scored.err
        );
    }
    // It does find something.
    let mut objects = helm.shape("small");
    let workload = objects
        .iter_mut()
        .find(|object| object["kind"] == "Deployment");
    let pod = &mut workload.expect("there is one")["spec"]["template"]["spec"];
    pod["containers"][0]["resources"] = json!({});
    assert!(score(&objects).out.contains("[CRITICAL]"));
}

/// The pod that a workload would have started.
fn pod_of(object: &Value) -> Option<Value> {
    let template = object["spec"].get("template")?;
    let mut metadata = template["metadata"].clone();
    metadata["name"] = object["metadata"]["name"].clone();
    // No controller makes service accounts here; those of the chart are there.
    let pod = json!({
        "apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": template["spec"],
    });
    Some(pod)
}

fn list(objects: &[Value]) -> Value {
    json!({ "apiVersion": "v1", "kind": "List", "items": objects })
}

fn text(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

/// What `tools/k8s/prepare` made; without it the test is reported as not run.
fn built() -> Option<PathBuf> {
    #[expect(clippy::disallowed_methods, reason = "as ./dev sets it")]
    let built = std::env::var_os("THREADLORE_KUBERNETES").map(PathBuf::from);
    if built.is_none() {
        not_run("no API server of Kubernetes was built (THREADLORE_KUBERNETES is not set)");
    }
    built
}

/// An API server with its own etcd; both end when this is dropped.
struct ApiServer {
    /// What `tools/k8s/prepare` made.
    built: PathBuf,
    config: PathBuf,
    processes: Vec<Child>,
}

impl ApiServer {
    /// None where they cannot be had: then the test is reported as not run.
    fn start(place: &Place) -> Option<Self> {
        let built = built()?;
        let has_etcd = Command::new("etcd").arg("--version").output().is_ok();
        if !has_etcd {
            not_run("etcd is not installed (Debian: package etcd-server)");
            return None;
        }
        let dir = place.path();
        let url = |port: u16| format!("http://127.0.0.1:{port}");
        let port = || free_address().port();
        let (clients, peers, port) = (port(), port(), port());
        let quiet = |command: &mut Command, log: &str| {
            let log = fs::File::create(dir.join(log)).expect("made");
            let both = log.try_clone().expect("cloned");
            let child = command
                .stdin(Stdio::null())
                .stdout(log)
                .stderr(both)
                .spawn();
            child.expect("it starts")
        };
        let etcd = quiet(
            Command::new("etcd")
                .arg("--data-dir")
                .arg(dir.join("etcd"))
                .args(["--listen-client-urls", &url(clients)])
                .args(["--advertise-client-urls", &url(clients)])
                .args(["--listen-peer-urls", &url(peers)]),
            "etcd.log",
        );
        let key = dir.join("accounts.key");
        let made = Command::new("openssl")
            .args(["genrsa", "-out"])
            .arg(&key)
            .output();
        assert!(made.expect("openssl starts").status.success());
        let tokens = place.file("tokens.csv", "of-the-test,admin,admin,\"system:masters\"\n");
        let argument = |name: &str, value: &Path| format!("--{name}={}", value.display());
        let api = quiet(
            Command::new(built.join("bin/kube-apiserver"))
                .arg(format!("--etcd-servers={}", url(clients)))
                .args(["--bind-address=127.0.0.1", "--authorization-mode=RBAC"])
                .arg(format!("--secure-port={port}"))
                .arg(argument("cert-dir", &dir.join("certificates")))
                .arg(argument("token-auth-file", &tokens))
                .arg(argument("service-account-key-file", &key))
                .arg(argument("service-account-signing-key-file", &key))
                .arg("--service-account-issuer=https://threadlore.test")
                .arg("--service-cluster-ip-range=10.0.0.0/24"),
            "apiserver.log",
        );
        let config = json!({
            "apiVersion": "v1", "kind": "Config", "current-context": "test",
            "clusters": [{ "name": "test", "cluster": {
                "server": format!("https://127.0.0.1:{port}"), "insecure-skip-tls-verify": true,
            } }],
            "users": [{ "name": "test", "user": { "token": "of-the-test" } }],
            "contexts": [{ "name": "test", "context": { "cluster": "test", "user": "test" } }],
        });
        let server = Self {
            built,
            config: place.file("kubeconfig", config.to_string()),
            processes: vec![etcd, api],
        };
        for _ in 0..600 {
            if server.run(&["get", "--raw", "/readyz"]).out == "ok" {
                return Some(server);
            }
            look();
        }
        let log = fs::read_to_string(dir.join("apiserver.log")).expect("it wrote one");
        panic!("the API server does not get ready: {log}");
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(self.built.join("bin/kubectl"));
        command
            .arg("--kubeconfig")
            .arg(&self.config)
            .args(arguments);
        command
    }

    fn run(&self, arguments: &[&str]) -> Ran {
        Ran::of(self.command(arguments).output().expect("kubectl starts"))
    }

    /// A command that must end well; what it printed.
    fn kubectl(&self, arguments: &[&str]) -> String {
        let ran = self.run(arguments);
        assert_eq!(ran.code, Some(0), "{arguments:?}: {}", ran.err);
        ran.out
    }

    /// A namespace whose pods must be restricted.
    fn namespace(&self, name: &str) {
        self.kubectl(&["create", "namespace", name]);
        let label = |mode: &str| format!("pod-security.kubernetes.io/{mode}=restricted");
        let (enforce, warn) = (label("enforce"), label("warn"));
        self.kubectl(&["label", "namespace", name, &enforce, &warn]);
        let context = ["config", "set-context", "test", "--namespace", name];
        self.kubectl(&context);
        // A controller that is not here makes it.
        let _ = self.run(&["create", "serviceaccount", "default"]);
    }

    /// Applies objects, those without a namespace in this one.
    fn apply(&self, namespace: &str, objects: &Value, more: &[&str]) -> Ran {
        let context = ["config", "set-context", "test", "--namespace", namespace];
        self.kubectl(&context);
        let apply = [&["apply", "--server-side", "-f", "-"], more].concat();
        let mut child = self
            .command(&apply)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("kubectl starts");
        let mut input = child.stdin.take().expect("piped");
        input
            .write_all(objects.to_string().as_bytes())
            .expect("kubectl reads");
        drop(input);
        Ran::of(child.wait_with_output().expect("it ends"))
    }
}

impl Drop for ApiServer {
    fn drop(&mut self) {
        // The server before what it stores in.
        for process in self.processes.iter_mut().rev() {
            process.kill().ok();
            process.wait().ok();
        }
    }
}
