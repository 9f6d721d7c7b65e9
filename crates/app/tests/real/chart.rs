//! The Helm chart of `k8s/chart`, rendered for each example of `k8s/values` as Helm does it.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use threadlore_testkit::not_run;

use super::support::{Place, Ran};

/// The examples, each an installation.
pub(crate) const SHAPES: [&str; 5] = ["small", "production", "restricted", "plain", "everything"];

pub(crate) fn k8s() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../k8s")
}

/// Helm, where `./dev` installed it; otherwise the test is reported as not run.
pub(crate) fn helm() -> Option<Helm> {
    #[expect(clippy::disallowed_methods, reason = "as ./dev sets it")]
    let program = std::env::var_os("THREADLORE_HELM");
    if program.is_none() {
        not_run("Helm is not installed (THREADLORE_HELM is not set)");
    }
    program.map(|program| Helm(program.into()))
}

pub(crate) struct Helm(PathBuf);

impl Helm {
    /// `helm template`, with these arguments after the chart.
    pub(crate) fn template(&self, arguments: &[&str]) -> Ran {
        let mut command = Command::new(&self.0);
        command
            .args(["template", "threadlore"])
            .arg(k8s().join("chart"));
        command.args(["--namespace", "lore"]).args(arguments);
        Ran::of(command.output().expect("Helm starts"))
    }

    /// The objects of an installation with these values.
    pub(crate) fn objects(&self, values: &Path, more: &[&str]) -> Vec<Value> {
        let values = values.to_str().expect("UTF-8");
        let ran = self.template(&[&["--values", values], more].concat());
        assert_eq!(ran.code, Some(0), "{}", ran.err);
        let objects = serde_yaml_ng::Deserializer::from_str(&ran.out);
        let objects = objects
            .map(|object| <Value as serde::Deserialize>::deserialize(object).expect("an object"));
        objects.filter(|object| !object.is_null()).collect()
    }

    pub(crate) fn shape(&self, shape: &str) -> Vec<Value> {
        self.objects(&k8s().join(format!("values/{shape}.yaml")), &[])
    }
}

/// The objects of a kind.
pub(crate) fn of_kind<'a>(objects: &'a [Value], kind: &str) -> Vec<&'a Value> {
    objects
        .iter()
        .filter(|object| object["kind"] == kind)
        .collect()
}

pub(crate) fn name(object: &Value) -> &str {
    object["metadata"]["name"].as_str().expect("a name")
}

/// The object of a kind with this name.
pub(crate) fn named<'a>(objects: &'a [Value], kind: &str, wanted: &str) -> &'a Value {
    let mut of_kind = of_kind(objects, kind).into_iter();
    let found = of_kind.find(|object| name(object) == wanted);
    found.unwrap_or_else(|| panic!("there is no {kind} {wanted}"))
}

/// Objects whose pods the cluster starts.
pub(crate) fn workloads(objects: &[Value]) -> Vec<&Value> {
    let has_pods = |object: &&Value| object["spec"]["template"]["spec"]["containers"].is_array();
    objects.iter().filter(has_pods).collect()
}

pub(crate) fn container(workload: &Value) -> &Value {
    &workload["spec"]["template"]["spec"]["containers"][0]
}

pub(crate) fn strings(list: &Value) -> Vec<&str> {
    let list = list.as_array().into_iter().flatten();
    list.filter_map(Value::as_str).collect()
}

/// What a process is started with is what the program takes: the settings are valid, and there is
/// such a command.
#[test]
fn the_program_takes_what_the_chart_gives_it() {
    let Some(helm) = helm() else { return };
    let place = Place::new();
    for shape in SHAPES {
        let objects = helm.shape(shape);
        let workloads = workloads(&objects);
        assert!(workloads.len() > 3, "{shape}");
        for workload in workloads {
            let pod = &workload["spec"]["template"]["spec"];
            let volumes = pod["volumes"].as_array().expect("a list");
            let settings = volumes.iter().find(|volume| volume["name"] == "settings");
            let map = settings.expect("it has settings")["configMap"]["name"].as_str();
            let map = named(&objects, "ConfigMap", map.expect("a name"));
            let toml = map["data"]["threadlore.toml"].as_str().expect("a text");
            place.file("threadlore.toml", toml);
            let checked = place.run(&["config", "check"]);
            assert_eq!(checked.code, Some(0), "{shape}: {toml}\n{}", checked.err);
            let arguments = strings(&container(workload)["args"]);
            let help = place.run(&[arguments.as_slice(), &["--help"]].concat());
            assert_eq!(help.code, Some(0), "{arguments:?}: {}", help.err);
            // Files that the settings name are where the pod has them.
            let mounts = container(workload)["volumeMounts"]
                .as_array()
                .expect("a list");
            let mounts: Vec<&str> = mounts
                .iter()
                .filter_map(|mount| mount["mountPath"].as_str())
                .collect();
            for line in toml.lines().filter(|line| line.contains("_file = ")) {
                let path = line.split('"').nth(1).expect("a path");
                let dir = path.rsplit_once('/').expect("a directory").0;
                assert!(mounts.contains(&dir), "{shape}, {}: {line}", name(workload));
            }
        }
    }
}

#[test]
fn tables_are_made_before_processes_of_another_version_start() {
    let Some(helm) = helm() else { return };
    let place = Place::new();
    let objects = helm.shape("everything");
    let job = named(&objects, "Job", "threadlore-tables");
    assert_eq!(
        job["metadata"]["annotations"]["helm.sh/hook"],
        "pre-upgrade,pre-rollback"
    );
    let arguments = strings(&container(job)["args"]);
    assert_eq!(arguments, ["migrate"]);
    let help = place.run(&["migrate", "--help"]);
    assert_eq!(help.code, Some(0), "{}", help.err);
    let map = named(&objects, "ConfigMap", "threadlore-tables");
    assert_eq!(
        map["metadata"]["annotations"]["helm.sh/hook"],
        "pre-upgrade,pre-rollback"
    );
    place.file(
        "threadlore.toml",
        map["data"]["threadlore.toml"].as_str().expect("a text"),
    );
    let checked = place.run(&["config", "check"]);
    assert_eq!(checked.code, Some(0), "{}", checked.err);
    let pod = job["spec"]["template"]["spec"].to_string();
    for part in [
        "\"secretName\":\"threadlore-projector\"",
        "\"configMap\":{\"name\":\"threadlore-tables\"}",
    ] {
        assert!(pod.contains(part), "{part}: {pod}");
    }
    let policy = named(&objects, "NetworkPolicy", "threadlore-jobs").to_string();
    assert!(policy.contains("\"tables\""), "{policy}");
}

#[test]
fn values_that_cannot_be_used_are_named() {
    let Some(helm) = helm() else { return };
    let small = k8s().join("values/small.yaml");
    let small = ["--values", small.to_str().expect("UTF-8")];
    let cases: [(&[&str], &str); 12] = [
        (&["--set", "replicaCount=2"], "replicaCount"),
        (&["--set", "settings.bufer.pause_seconds=9"], "bufer"),
        (&["--set", "settings.buffer.pause=9"], "pause"),
        (
            &["--set", "settings.buffer.pause_seconds=0"],
            "settings.buffer.pause_seconds",
        ),
        (
            &["--set-string", "settings.buffer.pause_seconds=9"],
            "settings.buffer.pause_seconds",
        ),
        (
            &["--set", "settings.postgres.url=postgres://u:hunter2@h/d"],
            "url",
        ),
        (
            &["--set", "workloads.projector.roles={projektor}"],
            "workloads.projector.roles.0",
        ),
        (
            &["--set", "workloads.projector.replicas=-1"],
            "workloads.projector.replicas",
        ),
        (&["--set", "strimzi.enabled=true"], "strimzi.cluster"),
        (&["--set", "keda.enabled=true"], "keda.prometheus"),
        (
            &["--set", "keystore.secret=threadlore-tables-app"],
            "a database of its own",
        ),
        (&["--set", "settings.embedder.engine=local"], "models.claim"),
    ];
    let bare: &[&str] = &[];
    let kafka: &[&str] = &["--set", "settings.kafka.bootstrap_servers=k:9092"];
    for (values, missing) in [
        (bare, "kafka.bootstrap_servers is missing"),
        (kafka, "index.url is missing"),
    ] {
        let ran = helm.template(values);
        assert!(ran.err.contains(missing), "{}", ran.err);
    }
    for (wrong, named) in cases {
        let ran = helm.template(&[&small, wrong].concat());
        assert_ne!(ran.code, Some(0), "{wrong:?}");
        assert!(ran.err.contains(named), "{wrong:?}: {}", ran.err);
        assert!(
            !ran.err.contains("hunter2"),
            "a secret is shown: {}",
            ran.err
        );
    }
}

/// A process has the secrets and the rights of its own roles.
#[test]
fn each_workload_has_the_secrets_and_rights_of_its_roles() {
    let Some(helm) = helm() else { return };
    let objects = helm.shape("everything");
    let secrets = |workload: &str| -> Vec<String> {
        let pod = &named(&objects, "Deployment", workload)["spec"]["template"]["spec"];
        let volumes = pod["volumes"].as_array().expect("a list");
        let secrets = volumes
            .iter()
            .filter_map(|volume| volume["secret"]["secretName"].as_str());
        secrets.map(str::to_owned).collect()
    };
    let common = [
        "threadlore-tables-app",
        "threadlore-keys-app",
        "threadlore-secrets",
    ];
    let extractor = secrets("threadlore-extractor");
    for secret in common {
        assert!(extractor.contains(&secret.to_owned()), "{extractor:?}");
    }
    assert!(extractor.contains(&"threadlore-openai".to_owned()));
    for other in ["threadlore-irc", "threadlore-matrix", "threadlore-webhook"] {
        assert!(!extractor.contains(&other.to_owned()), "{extractor:?}");
    }
    assert!(secrets("threadlore-gateway-irc").contains(&"threadlore-irc".to_owned()));

    let acls =
        |user: &str| named(&objects, "KafkaUser", user)["spec"]["authorization"]["acls"].clone();
    let may = |user: &str, topic: &str, operation: &str| {
        let acls = acls(user);
        let mut acls = acls.as_array().expect("a list").iter();
        acls.any(|acl| {
            acl["resource"]["name"] == topic && strings(&acl["operations"]).contains(&operation)
        })
    };
    assert!(may("threadlore-intake", "chat.events", "Write"), "intake");
    assert!(may("threadlore-intake", "chat.turns", "Write"), "buffer");
    assert!(!may("threadlore-intake", "knowledge.cases", "Write"));
    assert!(may("threadlore-extractor", "knowledge.cases", "Write"));
    assert!(!may("threadlore-gateway-irc", "knowledge.cases", "Write"));
    assert!(may("threadlore-gateway-irc", "chat.inbox", "Write"));

    let policy = |workload: &str| named(&objects, "NetworkPolicy", workload)["spec"].to_string();
    assert!(policy("threadlore-extractor").contains("6334"));
    assert!(
        !policy("threadlore-gateway-irc").contains("6334"),
        "the index"
    );
    assert!(policy("threadlore-gateway-irc").contains("6697"));
    assert!(!policy("threadlore-extractor").contains("6697"));
    let intake = policy("threadlore-intake");
    assert!(!intake.contains("6697"), "no chat: {intake}");
}

#[test]
fn the_provider_is_reached_by_who_serves_pages_where_there_is_one() {
    let Some(helm) = helm() else { return };
    let production = k8s().join("values/production.yaml");
    let with = [
        "--set",
        "settings.oidc.issuer=https://id.example.org,settings.oidc.client_id=lore",
        "--set",
        "networkPolicy.provider[0].ports[0].port=8443",
    ];
    let objects = helm.objects(&production, &with);
    let reaches = |objects: &[Value], workload: &str| {
        let policy = named(objects, "NetworkPolicy", workload);
        policy["spec"]["egress"].to_string().contains("8443")
    };
    assert!(reaches(&objects, "threadlore-api"));
    assert!(!reaches(&objects, "threadlore-responder"));
    let without = helm.objects(&production, &with[2..]);
    assert!(!reaches(&without, "threadlore-api"));
}

/// What Pod Security calls restricted, in every pod.
#[test]
fn pods_have_no_more_rights_than_they_need() {
    let Some(helm) = helm() else { return };
    for shape in SHAPES {
        let objects = helm.shape(shape);
        let mut pods: Vec<&Value> = workloads(&objects)
            .into_iter()
            .map(|workload| &workload["spec"]["template"]["spec"])
            .collect();
        pods.extend(of_kind(&objects, "Pod").into_iter().map(|pod| &pod["spec"]));
        for pod in pods {
            assert_eq!(pod["automountServiceAccountToken"], false, "{shape}");
            assert_eq!(pod["securityContext"]["runAsNonRoot"], true, "{shape}");
            assert_eq!(
                pod["securityContext"]["seccompProfile"]["type"],
                "RuntimeDefault"
            );
            for container in pod["containers"].as_array().expect("a list") {
                let context = &container["securityContext"];
                assert_eq!(context["allowPrivilegeEscalation"], false, "{shape}");
                assert_eq!(context["readOnlyRootFilesystem"], true, "{shape}");
                assert_eq!(strings(&context["capabilities"]["drop"]), ["ALL"]);
                assert!(container["resources"]["limits"]["memory"].is_string());
            }
        }
    }
}

/// The bases for kustomize are what the chart renders.
#[test]
fn the_bases_for_kustomize_are_the_chart() {
    let Some(helm) = helm() else { return };
    for shape in ["small", "production"] {
        let values = k8s().join(format!("values/{shape}.yaml"));
        let values = values.to_str().expect("UTF-8");
        let rendered = helm.template(&["--values", values, "--skip-tests"]);
        assert_eq!(rendered.code, Some(0), "{}", rendered.err);
        let base = k8s().join(format!("base/{shape}/threadlore.yaml"));
        let base = std::fs::read_to_string(base).expect("there is a base");
        assert!(
            base == rendered.out,
            "run `./dev chart`: the base {shape} is another"
        );
    }
}

/// Each alert fires by what it is about, and stops.
#[test]
fn each_alert_fires_and_stops() {
    let promtool = |arguments: &[&str]| {
        let mut command = Command::new("promtool");
        command.args(arguments).current_dir(k8s()).output()
    };
    if promtool(&["--version"]).is_err() {
        not_run("promtool is not installed (Debian: package prometheus)");
        return;
    }
    for arguments in [
        ["check", "rules", "chart/files/alerts.yaml"],
        ["test", "rules", "tests/alerts.yaml"],
    ] {
        let ran = Ran::of(promtool(&arguments).expect("it starts"));
        assert_eq!(ran.code, Some(0), "{}{}", ran.out, ran.err);
    }
    // The tests are about all of them.
    let read = |path: &str| std::fs::read_to_string(k8s().join(path)).expect("it is there");
    let (rules, tests) = (read("chart/files/alerts.yaml"), read("tests/alerts.yaml"));
    let alerts = rules
        .lines()
        .filter_map(|line| line.trim().strip_prefix("- alert: "));
    for alert in alerts {
        let named = format!("alertname: {alert}");
        assert!(
            tests.matches(&named).count() > 1,
            "{alert} is not tested both ways"
        );
    }
}

/// Topics are made with the partitions that the program is told.
#[test]
fn topics_have_the_partitions_of_the_settings() {
    let Some(helm) = helm() else { return };
    let values = k8s().join("values/everything.yaml");
    let counts = |more: &[&str]| -> Vec<(String, u64)> {
        let objects = helm.objects(&values, more);
        let count = |topic: &Value| {
            let count = topic["spec"]["partitions"].as_u64().expect("a count");
            (name(topic).to_owned(), count)
        };
        of_kind(&objects, "KafkaTopic")
            .into_iter()
            .map(count)
            .collect()
    };
    let usual = counts(&[]);
    assert!(usual.len() > 20, "{usual:?}");
    for (topic, count) in counts(&["--set", "settings.log.partitions=34"]) {
        let expected = if topic.ends_with("log-skips") { 1 } else { 34 };
        assert_eq!(count, expected, "{topic}");
        let before = if topic.ends_with("log-skips") { 1 } else { 4 };
        assert!(usual.contains(&(topic.clone(), before)), "{topic}");
    }
}
