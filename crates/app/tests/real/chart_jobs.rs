//! The jobs of the Helm chart: exports, old messages, and spaces that come back.

use serde_json::Value;

use super::chart::{container, helm, k8s, name, named, of_kind, strings, workloads};
use super::support::Place;

/// The command of a job, which the program takes, and which has the settings and the bucket's key of the api.
fn runs_as_the_api<'a>(job: &'a Value, place: &Place) -> Vec<&'a str> {
    let arguments = strings(&container(job)["args"]);
    let help = place.run(&[arguments.as_slice(), &["--help"]].concat());
    assert_eq!(help.code, Some(0), "{arguments:?}: {}", help.err);
    let pod = job["spec"]["template"]["spec"].to_string();
    for part in [
        "/etc/threadlore/secrets/threadlore-s3",
        "\"configMap\":{\"name\":\"threadlore-api\"}",
        "\"restartPolicy\":\"Never\"",
    ] {
        assert!(pod.contains(part), "{part}: {pod}");
    }
    arguments
}

#[test]
fn exports_are_jobs_of_the_clock_with_what_the_api_has() {
    let Some(helm) = helm() else { return };
    let place = Place::new();
    assert!(of_kind(&helm.shape("production"), "CronJob").is_empty());
    let objects = helm.shape("everything");
    let jobs = of_kind(&objects, "CronJob");
    let exports = |job: &&&Value| job["metadata"]["name"].to_string().contains("-export-");
    assert_eq!(jobs.iter().filter(exports).count(), 2);
    for job in jobs.iter().filter(exports) {
        let job = &job["spec"]["jobTemplate"];
        let arguments = runs_as_the_api(job, &place);
        assert_eq!(arguments[..3], ["export", "--space", "acme"]);
        let probes = &container(job)["livenessProbe"];
        assert_eq!(*probes, Value::Null, "nothing listens in it");
    }
    let policies = of_kind(&objects, "NetworkPolicy");
    let named = |policy: &&&Value| policy["metadata"]["name"] == "threadlore-exports";
    let policy = policies.iter().find(named).expect("a policy").to_string();
    assert!(
        policy.contains("8333") && policy.contains("9093"),
        "{policy}"
    );
}

#[test]
fn old_messages_are_redacted_by_a_job_of_the_clock() {
    let Some(helm) = helm() else { return };
    let place = Place::new();
    let objects = helm.shape("everything");
    let job = named(&objects, "CronJob", "threadlore-retention-acme");
    let arguments = runs_as_the_api(&job["spec"]["jobTemplate"], &place);
    let wanted = ["erase", "--space", "acme", "--older-than", "365"];
    assert_eq!(arguments, wanted);
    let policy = named(&objects, "NetworkPolicy", "threadlore-jobs");
    assert!(policy.to_string().contains("retention"), "{policy}");
    let values = k8s().join("values/everything.yaml");
    let days = r#"retention=[{"name":"acme","schedule":"41 2 * * *","days":0}]"#;
    let values = values.to_str().expect("UTF-8");
    let refused = helm.template(&["--values", values, "--set-json", days]);
    assert_ne!(refused.code, Some(0));
    assert!(refused.err.contains("days"), "{}", refused.err);
}

#[test]
fn tables_are_compared_with_the_log_by_a_job_of_the_clock() {
    let Some(helm) = helm() else { return };
    let place = Place::new();
    let objects = helm.shape("everything");
    let job = named(&objects, "CronJob", "threadlore-verify");
    let job = &job["spec"]["jobTemplate"];
    assert_eq!(runs_as_the_api(job, &place), ["verify"]);
    // A difference is said once, and who is busy is asked again.
    assert_eq!(job["spec"]["backoffLimit"], 0);
    let rules = job["spec"]["podFailurePolicy"].to_string();
    assert!(rules.contains("\"values\":[6]"), "{rules}");
    let policy = named(&objects, "NetworkPolicy", "threadlore-jobs");
    assert!(policy.to_string().contains("verify"), "{policy}");
    // It reads every topic that a table is made of.
    let user = named(&objects, "KafkaUser", "threadlore-api");
    let rights = user["spec"]["authorization"]["acls"].as_array();
    let reads = |topic: &str| {
        rights.into_iter().flatten().any(|right| {
            right["resource"]["name"] == topic && strings(&right["operations"]).contains(&"Read")
        })
    };
    for topic in [
        "chat.events",
        "chat.turns",
        "knowledge.cases",
        "knowledge.memories",
        "answers",
        "outcomes",
        "deliveries",
        "settings",
        "log.skips",
    ] {
        assert!(reads(topic), "{topic}");
    }
    // Without a schedule there is none.
    assert!(
        !helm
            .shape("small")
            .iter()
            .any(|object| name(object).contains("verify"))
    );
}

#[test]
fn spaces_come_back_by_jobs_before_any_gateway_runs() {
    let Some(helm) = helm() else { return };
    let place = Place::new();
    let values = k8s().join("values/everything.yaml");
    let restores = r#"restores=[{"name":"acme","from":"s3://backups/acme/{time}"}]"#;
    let objects = helm.objects(&values, &["--set-json", restores]);
    let job = named(&objects, "Job", "threadlore-restore-acme");
    let arguments = runs_as_the_api(job, &place);
    assert_eq!(arguments, ["restore", "s3://backups/acme/{time}"]);
    let job = job.to_string();
    assert!(
        job.contains("\"secretName\":\"threadlore-restore\""),
        "{job}"
    );
    assert!(job.contains("\"values\":[6]"), "busy is no failure: {job}");
    // It writes every topic that a role writes.
    let user = named(&objects, "KafkaUser", "threadlore-restore");
    let rights = user["spec"]["authorization"]["acls"].as_array();
    let writes = |topic: &str| {
        rights.into_iter().flatten().any(|right| {
            right["resource"]["name"] == topic && strings(&right["operations"]).contains(&"Write")
        })
    };
    for topic in of_kind(&objects, "KafkaTopic") {
        let topic = topic["spec"]["topicName"].as_str().expect("a name");
        assert!(writes(topic), "{topic}");
    }
    let running: Vec<&str> = workloads(&objects).into_iter().map(name).collect();
    assert!(running.contains(&"threadlore-intake"), "{running:?}");
    assert!(
        !running.iter().any(|name| name.contains("gateway")),
        "{running:?}"
    );
    for job in of_kind(&objects, "CronJob") {
        assert_eq!(job["spec"]["suspend"], true);
    }
    // Of none there is nothing, and the gateways run.
    let objects = helm.shape("everything");
    assert!(
        !objects
            .iter()
            .any(|object| name(object).contains("restore"))
    );
    assert!(
        workloads(&objects)
            .into_iter()
            .any(|one| name(one).contains("gateway"))
    );
}
