//! The schema of the values of the Helm chart: what is written by hand, and the settings.

use serde_json::Value;
use threadlore_settings::json_schema;

const BY_HAND: &str = include_str!("values.schema.json");

/// Settings that the chart writes itself, because they say where a pod has its files, ports and
/// engines: whole tables, or single keys.
const OF_THE_CHART: [&str; 12] = [
    "log.engine",
    "log.fsync",
    "keystore.",
    "people.",
    "postgres.url_file",
    "postgres.bin",
    "kafka.properties_file",
    "kafka.instance_id",
    "index.engine",
    "telemetry.listen",
    "api.listen",
    "api.session_key_file",
];

/// The file `k8s/chart/values.schema.json`.
///
/// # Panics
/// When the part that is written by hand is not JSON.
pub(crate) fn values_schema() -> String {
    let mut schema: Value = serde_json::from_str(BY_HAND).expect("values.schema.json is JSON");
    let is_the_charts = |key: &str| {
        let mut ours = OF_THE_CHART.iter();
        ours.any(|ours| key == *ours || (ours.ends_with('.') && key.starts_with(ours)))
    };
    schema["properties"]["settings"] = json_schema(is_the_charts);
    let text = serde_json::to_string_pretty(&schema).expect("JSON can be written");
    text + "\n"
}
