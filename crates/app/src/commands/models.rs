//! `threadlore models`: gets and lists the models that make vectors in this process.

use serde::Serialize;
use threadlore_embed_local::{Listed, Manifest, Progress, check, languages, list, pull};
use threadlore_node::{make_models_dir, models_dir};
use threadlore_settings::Settings;

use crate::cli::Models;
use crate::output::Output;
use crate::steps::Bar;

/// One model, for machines.
#[derive(Debug, Serialize)]
struct Row {
    name: String,
    dimensions: Option<u32>,
    /// The languages in which it finds what is meant; null where that is not known.
    languages: Option<&'static str>,
    bytes: Option<u64>,
    /// Why it cannot be used.
    problem: Option<String>,
}

pub(super) async fn run(command: &Models, settings: &Settings, json: bool) -> anyhow::Result<u8> {
    match command {
        Models::Pull { name, from } => get(name, from.as_deref(), settings, json).await,
        Models::List => tell(settings, json),
    }
}

async fn get(
    name: &str,
    from: Option<&str>,
    settings: &Settings,
    json: bool,
) -> anyhow::Result<u8> {
    check(name, from)?;
    let models = make_models_dir(&settings.data_dir)?;
    let mut bar: Option<(String, Bar)> = None;
    let mut show = |progress: Progress<'_>| {
        let total = progress.of.unwrap_or(progress.bytes);
        if bar.as_ref().is_none_or(|(file, _)| file != progress.file) {
            let of_file = Bar::start(progress.file, total, true);
            let before = bar.replace((progress.file.to_owned(), of_file));
            before.into_iter().for_each(|(_, bar)| bar.done("fetched"));
        }
        if let Some((_, bar)) = &bar {
            bar.at(progress.bytes, total);
        }
    };
    let pulled = pull(&models, name, from, &mut show).await;
    if let (Some((_, bar)), true) = (bar, pulled.is_ok()) {
        bar.done("fetched");
    }
    let manifest = pulled?;
    let out = &Output::Here;
    if json {
        out.json(&manifest)?;
        return Ok(0);
    }
    out.print(format_args!(
        "{name}: {} dimensions, {}, in {}",
        manifest.dimensions,
        megabytes(&manifest),
        models.join(name).display()
    ));
    for file in &manifest.files {
        out.print(format_args!("  {}  {}", file.sha256, file.name));
    }
    out.say(format_args!(
        "To use it, set `embedder.engine` to \"local\" and `embedder.model` to {name:?}."
    ));
    Ok(0)
}

fn tell(settings: &Settings, json: bool) -> anyhow::Result<u8> {
    let models = list(&models_dir(&settings.data_dir))?;
    let out = &Output::Here;
    if json {
        let rows: Vec<Row> = models.into_iter().map(row).collect();
        out.json(&serde_json::json!({ "models": rows }))?;
        return Ok(0);
    }
    if models.is_empty() {
        out.say("There are no models: get one with `threadlore models pull`.");
    }
    for model in models {
        let name = name(&model);
        match &model.manifest {
            Ok(manifest) => out.print(format_args!(
                "{name:<30} {:>5} dimensions  {:>7}  {}",
                manifest.dimensions,
                megabytes(manifest),
                languages(&name).unwrap_or("its languages are not known here")
            )),
            Err(problem) => out.print(format_args!("{name:<30} cannot be used: {problem}")),
        }
    }
    Ok(0)
}

fn name(model: &Listed) -> String {
    let name = model.dir.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

fn bytes(manifest: &Manifest) -> u64 {
    manifest.files.iter().map(|file| file.bytes).sum()
}

fn megabytes(manifest: &Manifest) -> String {
    format!("{} MB", bytes(manifest).div_ceil(1_000_000))
}

fn row(model: Listed) -> Row {
    let name = name(&model);
    let manifest = model.manifest.as_ref();
    Row {
        languages: languages(&name),
        name,
        dimensions: manifest.ok().map(|manifest| manifest.dimensions),
        bytes: manifest.ok().map(bytes),
        problem: manifest.err().map(ToString::to_string),
    }
}
