//! Dashboards for Grafana, from the tables below: one for who runs it, one for who looks after a
//! community.

use serde_json::{Value, json};

/// What a panel shows: a line for each series of its queries.
struct Panel {
    title: &'static str,
    /// What the reader learns from it.
    about: &'static str,
    /// As Grafana names units.
    unit: &'static str,
    /// Whether series are added up on each other.
    stacked: bool,
    /// Queries, each with the name of its series.
    queries: &'static [(&'static str, &'static str)],
}

/// Every process reports what every group is behind, so that each partition counts once.
const LAG: &str = "sum by (consumergroup) (max by (consumergroup, topic, partition) (kafka_consumergroup_lag{namespace=\"$namespace\"}))";

const OPERATIONS: [Panel; 14] = [
    lines(
        "Behind",
        "Records that each consumer group has yet to take.",
        "short",
        &[(LAG, "{{consumergroup}}")],
    ),
    lines(
        "Records read",
        "Records a second, by role.",
        "ops",
        &[(
            "sum by (role) (rate(threadlore_records_read_total{namespace=\"$namespace\"}[5m]))",
            "{{role}}",
        )],
    ),
    lines(
        "A batch, from its start to its commit",
        "99 of 100 take less.",
        "s",
        &[(
            "histogram_quantile(0.99, sum by (role, le) (rate(threadlore_fold_seconds_bucket{namespace=\"$namespace\"}[5m])))",
            "{{role}}",
        )],
    ),
    lines(
        "Steps",
        "95 of 100 take less: models, searches, deliveries.",
        "s",
        &[(
            "histogram_quantile(0.95, sum by (step, le) (rate(threadlore_step_seconds_bucket{namespace=\"$namespace\"}[5m])))",
            "{{step}}",
        )],
    ),
    lines(
        "Decided and not on the log",
        "Waits for Kafka.",
        "short",
        &[(
            "max by (role) (threadlore_outbox_pending{namespace=\"$namespace\"})",
            "{{role}}",
        )],
    ),
    lines(
        "Calls that wait or run",
        "Slow or outside calls.",
        "short",
        &[(
            "max by (role) (threadlore_effects_pending{namespace=\"$namespace\"})",
            "{{role}}",
        )],
    ),
    lines(
        "Cases whose points have to be updated",
        "What the index lacks.",
        "short",
        &[(
            "max(threadlore_index_pending{namespace=\"$namespace\"})",
            "cases",
        )],
    ),
    lines(
        "Dead letters",
        "In each hour, by their topic.",
        "short",
        &[(
            "sum by (topic) (increase(threadlore_dead_letters_total{namespace=\"$namespace\"}[1h]))",
            "{{topic}}",
        )],
    ),
    lines(
        "Calls that failed for good",
        "In each hour.",
        "short",
        &[(
            "sum by (role, reason) (increase(threadlore_effects_failed_total{namespace=\"$namespace\"}[1h]))",
            "{{role}}: {{reason}}",
        )],
    ),
    lines(
        "Dropped on purpose",
        "Repeats and their like, a second.",
        "ops",
        &[(
            "sum by (role, reason) (rate(threadlore_records_dropped_total{namespace=\"$namespace\"}[5m]))",
            "{{role}}: {{reason}}",
        )],
    ),
    lines(
        "Partitions that moved",
        "In five minutes; each change of processes moves some.",
        "short",
        &[
            (
                "sum by (consumergroup) (increase(threadlore_partitions_moved_total{namespace=\"$namespace\"}[5m]))",
                "{{consumergroup}}",
            ),
            (
                "sum by (role) (increase(threadlore_fenced_total{namespace=\"$namespace\"}[5m]))",
                "{{role}} was refused",
            ),
        ],
    ),
    lines(
        "Brokers that are down",
        "As each process sees them.",
        "short",
        &[(
            "max by (pod) (threadlore_kafka_brokers{namespace=\"$namespace\", state=\"down\"})",
            "{{pod}}",
        )],
    ),
    lines(
        "To a broker and back",
        "The slowest broker, by kind of client.",
        "s",
        &[(
            "max by (client) (threadlore_kafka_round_trip_seconds{namespace=\"$namespace\", quantile=\"0.99\"})",
            "{{client}}",
        )],
    ),
    lines(
        "Pages",
        "95 of 100 are there in less.",
        "s",
        &[(
            "histogram_quantile(0.95, sum by (page, le) (rate(threadlore_page_seconds_bucket{namespace=\"$namespace\"}[5m])))",
            "{{page}}",
        )],
    ),
];

const COMMUNITY: [Panel; 5] = [
    stacked(
        "Questions and what became of them",
        "In each hour: answered, a suggestion, tracked, or not known.",
        &[(
            "sum by (outcome) (increase(threadlore_outcomes_total{namespace=\"$namespace\", role=\"responder\", outcome=~\"answered|suggested|tracked|pointed|unknown|nothing_found|nothing_close\"}[1h]))",
            "{{outcome}}",
        )],
    ),
    lines(
        "Of the questions, how many were answered",
        "In each day, with suggestions.",
        "percentunit",
        &[(
            "sum(increase(threadlore_outcomes_total{namespace=\"$namespace\", role=\"responder\", outcome=~\"answered|suggested\"}[1d])) / sum(increase(threadlore_outcomes_total{namespace=\"$namespace\", role=\"responder\", outcome=~\"answered|suggested|tracked|pointed|unknown|nothing_found|nothing_close\"}[1d]))",
            "answered",
        )],
    ),
    stacked(
        "What answers were worth",
        "In each hour, by what people said of them.",
        &[(
            "sum by (outcome) (increase(threadlore_outcomes_total{namespace=\"$namespace\", role=\"learner\"}[1h]))",
            "{{outcome}}",
        )],
    ),
    stacked(
        "Why it was silent",
        "In each hour; docs/outcomes.md has what each word means.",
        &[(
            "sum by (outcome) (increase(threadlore_outcomes_total{namespace=\"$namespace\", role=\"responder\", outcome=~\"statement|noise|nothing_close|nothing_found|answered_by_person|repeated|too_many|too_late|muted|not_configured\"}[1h]))",
            "{{outcome}}",
        )],
    ),
    stacked(
        "Answers on their way to the chat",
        "In each hour, as platforms took them.",
        &[(
            "sum by (outcome) (increase(threadlore_outcomes_total{namespace=\"$namespace\", role=\"gateway\"}[1h]))",
            "{{outcome}}",
        )],
    ),
];

const fn lines(
    title: &'static str,
    about: &'static str,
    unit: &'static str,
    queries: &'static [(&'static str, &'static str)],
) -> Panel {
    Panel {
        title,
        about,
        unit,
        stacked: false,
        queries,
    }
}

const fn stacked(
    title: &'static str,
    about: &'static str,
    queries: &'static [(&'static str, &'static str)],
) -> Panel {
    Panel {
        title,
        about,
        unit: "short",
        stacked: true,
        queries,
    }
}

/// The dashboard for who runs it.
pub(crate) fn operations() -> String {
    dashboard(
        "threadlore-operations",
        "Threadlore: operations",
        "now-6h",
        &OPERATIONS,
    )
}

/// The dashboard for who looks after a community.
pub(crate) fn community() -> String {
    dashboard(
        "threadlore-community",
        "Threadlore: community",
        "now-7d",
        &COMMUNITY,
    )
}

fn dashboard(uid: &str, title: &str, from: &str, panels: &[Panel]) -> String {
    // Two beside each other, of the 24 columns that there are.
    const WIDTH: usize = 12;
    const HEIGHT: usize = 8;
    let panels = panels.iter().enumerate().map(|(n, panel)| {
        let place = json!({ "x": n % 2 * WIDTH, "y": n / 2 * HEIGHT, "w": WIDTH, "h": HEIGHT });
        panel_json(n + 1, place, panel)
    });
    let variables = json!([
        { "name": "datasource", "label": "Data source", "type": "datasource", "query": "prometheus" },
        {
            "name": "namespace",
            "label": "Namespace",
            "type": "query",
            "datasource": source(),
            "query": "label_values(kafka_consumergroup_lag, namespace)",
            "refresh": 2,
        },
    ]);
    let dashboard = json!({
        "uid": uid,
        "title": title,
        "tags": ["threadlore"],
        "schemaVersion": 39,
        "editable": true,
        "time": { "from": from, "to": "now" },
        "refresh": "1m",
        "templating": { "list": variables },
        "panels": panels.collect::<Vec<_>>(),
    });
    let text = serde_json::to_string_pretty(&dashboard).expect("JSON can be written");
    text + "\n"
}

fn source() -> Value {
    json!({ "type": "prometheus", "uid": "$datasource" })
}

fn panel_json(id: usize, place: Value, panel: &Panel) -> Value {
    let letters = ["A", "B", "C", "D"];
    let queries = panel.queries.iter().zip(letters);
    let queries = queries.map(|((query, series), letter)| {
        json!({ "refId": letter, "expr": query, "legendFormat": series, "datasource": source() })
    });
    let stacking = if panel.stacked { "normal" } else { "none" };
    json!({
        "id": id,
        "type": "timeseries",
        "title": panel.title,
        "description": panel.about,
        "datasource": source(),
        "gridPos": place,
        "fieldConfig": {
            "defaults": {
                "unit": panel.unit,
                "min": 0,
                "custom": {
                    "drawStyle": "line",
                    "fillOpacity": if panel.stacked { 40 } else { 0 },
                    "stacking": { "mode": stacking },
                },
            },
            "overrides": [],
        },
        "options": {
            "legend": { "displayMode": "list", "placement": "bottom" },
            "tooltip": { "mode": "multi" },
        },
        "targets": queries.collect::<Vec<_>>(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A panel of a metric that nothing writes would stay empty for ever.
    #[test]
    fn every_metric_of_dashboards_and_alerts_is_one_that_there_is() {
        let known = threadlore_telemetry::reference();
        let alerts = include_str!("../../../k8s/chart/files/alerts.yaml");
        let mut seen = 0;
        for text in [operations(), community(), alerts.to_owned()] {
            let words = text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let is_metric = |word: &&str| {
                word.starts_with("kafka_consumergroup_") || word.starts_with("threadlore_")
            };
            for metric in words.filter(is_metric) {
                let metric = metric.strip_suffix("_bucket").unwrap_or(metric);
                assert!(known.contains(&format!("| `{metric}` |")), "{metric}");
                seen += 1;
            }
        }
        assert!(seen > 30, "{seen}");
    }

    /// Each alert has a section of the page that says what to do.
    #[test]
    fn every_alert_has_its_page() {
        let alerts = include_str!("../../../k8s/chart/files/alerts.yaml");
        let page = include_str!("../../../docs/alerts.md");
        let names = alerts
            .lines()
            .filter_map(|line| line.trim().strip_prefix("- alert: "));
        let names: Vec<&str> = names.collect();
        assert!(names.len() > 5, "{names:?}");
        for name in names {
            assert!(page.contains(&format!("\n### {name}\n")), "{name}");
            let anchor = format!("docs/alerts.md#{}", name.to_lowercase());
            assert!(alerts.contains(&anchor), "{anchor}");
        }
    }
}
