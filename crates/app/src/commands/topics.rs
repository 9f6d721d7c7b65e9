//! `threadlore topics`: compares the topics of a cluster with `topics.yaml`.

use serde::Serialize;
use threadlore_log_kafka::{Plan, Planned};
use threadlore_node::{kafka, topics};
use threadlore_schema::Topics as Specs;
use threadlore_schema::render::{Cluster, acls, asyncapi, strimzi_topics, strimzi_users};
use threadlore_settings::{LogEngine, Settings};

use crate::cli::{Rendered, Topics};
use crate::exit::{BadInput, DIFFERENT};
use crate::output::Output;

/// One topic, for machines.
#[derive(Debug, Serialize)]
struct Row {
    topic: &'static str,
    state: &'static str,
    differences: Vec<String>,
}

pub(super) async fn run(command: &Topics, settings: &Settings, json: bool) -> anyhow::Result<u8> {
    if let Topics::Render {
        what,
        cluster,
        replicas,
    } = command
    {
        let text = render(*what, &topics(settings), cluster, *replicas);
        match json {
            true => Output::Here.json(&serde_json::json!({ "rendered": text }))?,
            false => Output::Here.print(text.trim_end()),
        }
        return Ok(0);
    }
    if settings.log.engine != LogEngine::Kafka {
        return Err(BadInput(
            "the settings name no cluster: set `log.engine` to \"kafka\" and \
             `kafka.bootstrap_servers` to its brokers"
                .to_owned(),
        )
        .into());
    }
    let options = kafka(settings)?;
    let specs = &topics(settings);
    let mut plan = Plan::look(&options, specs).await?;
    if let Topics::Apply { replicas } = command {
        for topic in plan.create_missing(&options, *replicas).await? {
            Output::Here.say(format_args!("made {topic}"));
        }
        plan = Plan::look(&options, specs).await?;
    }
    tell(&plan, json)
}

fn render(what: Rendered, specs: &Specs, cluster: &str, replicas: u16) -> String {
    let cluster = Cluster {
        name: cluster.to_owned(),
        replicas,
    };
    match what {
        Rendered::StrimziTopics => strimzi_topics(specs, &cluster),
        Rendered::StrimziUsers => strimzi_users(specs, &cluster),
        Rendered::Acls => acls(specs),
        Rendered::Asyncapi => asyncapi(specs),
    }
}

/// Prints the plan; the exit code says whether anything is left to do.
fn tell(plan: &Plan, json: bool) -> anyhow::Result<u8> {
    let out = &Output::Here;
    if json {
        let rows: Vec<Row> = plan.topics.iter().map(row).collect();
        out.json(&serde_json::json!({ "topics": rows }))?;
    } else {
        for (topic, planned) in &plan.topics {
            out.print(format_args!("{:<22} {planned}", topic.name()));
        }
    }
    let differs = |planned: &Planned| matches!(planned, Planned::Differs(_));
    if plan.topics.iter().any(|(_, planned)| differs(planned)) {
        out.say(format_args!(
            "Topics that differ are not touched. The count of partitions cannot be changed, because \
             records would no longer stand where their keys say: set `log.partitions` to what they have, or \
             bring every space into new topics that have more (docs/partitions.md). Other properties are safe to \
             set to what they must be, for example with kafka-configs.sh."
        ));
    }
    let fine = plan
        .topics
        .iter()
        .all(|(_, planned)| *planned == Planned::Nothing);
    Ok(if fine { 0 } else { DIFFERENT })
}

fn row((topic, planned): &(threadlore_model::Topic, Planned)) -> Row {
    let (state, differences) = match planned {
        Planned::Nothing => ("fine", Vec::new()),
        Planned::Create => ("missing", Vec::new()),
        Planned::Differs(all) => ("differs", all.clone()),
        Planned::Denied => ("denied", Vec::new()),
    };
    let differences = differences.into_iter();
    Row {
        topic: topic.name(),
        state,
        differences: differences
            .map(|d| format!("{}: {} -> {}", d.property, d.is, d.should))
            .collect(),
    }
}
