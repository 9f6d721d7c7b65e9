//! A Prometheus that scrapes processes on this machine, each as a pod of a cluster.

use std::net::SocketAddr;
use std::process::Command;

use reqwest::Client;
use serde_json::{Value, json};
use threadlore_testkit::not_run;

use super::support::{Place, Running, free_address};

/// The namespace of all that is scraped.
pub(crate) const NAMESPACE: &str = "lore";
/// The file with what is scraped.
const TARGETS: &str = "targets.json";

pub(crate) struct Prometheus {
    server: Running,
    address: SocketAddr,
    client: Client,
}

impl Prometheus {
    /// One with these rules that scrapes nothing yet. None where it is not installed: then the test is reported as
    /// not run.
    pub(crate) fn start(place: &Place, rules: &str) -> Option<Self> {
        let version = Command::new("prometheus").arg("--version").output();
        if version.is_err() {
            not_run("Prometheus is not installed (Debian: package prometheus)");
            return None;
        }
        place.file("rules.yaml", rules);
        place.file(TARGETS, "[]");
        let config = json!({
            "global": { "scrape_interval": "1s", "evaluation_interval": "1s" },
            "rule_files": ["rules.yaml"],
            "scrape_configs": [{
                "job_name": "threadlore",
                "file_sd_configs": [{ "files": [TARGETS], "refresh_interval": "1s" }],
            }],
        });
        // JSON is YAML.
        place.file("prometheus.yaml", config.to_string());
        let address = free_address();
        let mut command = Command::new("prometheus");
        command.current_dir(place.path()).args([
            "--config.file=prometheus.yaml",
            "--storage.tsdb.path=prometheus",
            &format!("--web.listen-address={address}"),
        ]);
        let mut server = place.start(&mut command);
        assert!(server.wait_for("ready to receive"), "{}", server.said());
        Some(Self {
            server,
            address,
            client: Client::builder().no_proxy().build().expect("a client"),
        })
    }

    /// Scrapes these pods from now on, and no others.
    pub(crate) fn scrape<'a>(
        &self,
        place: &Place,
        pods: impl Iterator<Item = (&'a str, SocketAddr)>,
    ) {
        let target = |(pod, address): (&str, SocketAddr)| {
            let labels = json!({ "namespace": NAMESPACE, "pod": pod, "container": "threadlore" });
            json!({ "targets": [address.to_string()], "labels": labels })
        };
        let targets: Vec<Value> = pods.map(target).collect();
        // Renamed, so that half of it is never read.
        let written = place.file("targets.new", json!(targets).to_string());
        std::fs::rename(written, place.path().join(TARGETS)).expect("it is there");
    }

    async fn data(&self, path: &str, query: &[(&str, &str)]) -> Value {
        let url = format!("http://{}/api/v1/{path}", self.address);
        let answer = self.client.get(url).query(query).send().await;
        let answer = answer.expect("an answer").text().await.expect("text");
        let answer: Value = serde_json::from_str(&answer).expect("JSON");
        assert_eq!(answer["status"], "success", "{answer}");
        answer["data"].clone()
    }

    /// The labels of those of an alert that fire.
    pub(crate) async fn firing(&self, alert: &str) -> Vec<Value> {
        let data = self.data("alerts", &[]).await;
        let alerts = data["alerts"].as_array().expect("a list");
        let is_one = |one: &&Value| one["state"] == "firing" && one["labels"]["alertname"] == alert;
        let firing = alerts.iter().filter(is_one);
        firing.map(|one| one["labels"].clone()).collect()
    }

    /// The value of a query that has one; none where nothing says it.
    pub(crate) async fn value(&self, query: &str) -> Option<f64> {
        let data = self.data("query", &[("query", query)]).await;
        let value = data["result"].as_array()?.first()?["value"][1].as_str()?;
        value.parse().ok()
    }

    pub(crate) fn stop(self) {
        self.server.stop();
    }
}
