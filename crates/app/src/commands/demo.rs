//! `threadlore demo`: the main job on real chat, on the embedded default.

use anyhow::Context;
use serde::Serialize;
use std::collections::BTreeSet;
use std::io::IsTerminal;
use std::net::SocketAddr;
use std::path::Path;
use threadlore_api::asking::{self, Reply};
use threadlore_api::cases::meaning;
use threadlore_embed_local::{Manifest, check, pull};
use threadlore_model::{Actor, Audience, Case, ChannelId, ChannelSettings, Mode, SpaceId};
use threadlore_node::{Environment, Node, make_models_dir, models_dir};
use threadlore_ports::{Projection, Right};
use threadlore_settings::{EmbedderEngine, Settings};

use super::chat::talk;
use super::import::{plan, take, work};
use super::rebuild::{Outcome, Progress};
use super::{Call, ask, interrupted, once, up};
use crate::cli::{Chat, Command, Demo, ImportTarget, Standalone, Up};
use crate::exit::{BadInput, DIFFERENT, Interrupted};
use crate::output::{Output, cut};

/// The excerpt of the Ubuntu channel (CC BY 4.0, see `demo/ATTRIBUTION.md`).
const LOGS: [(&str, &[u8]); 5] = [
    (
        "2008-03-01.txt",
        include_bytes!("../../demo/ubuntu/2008-03-01.txt"),
    ),
    (
        "2009-07-02.txt",
        include_bytes!("../../demo/ubuntu/2009-07-02.txt"),
    ),
    (
        "2010-05-30.txt",
        include_bytes!("../../demo/ubuntu/2010-05-30.txt"),
    ),
    (
        "2011-02-23.txt",
        include_bytes!("../../demo/ubuntu/2011-02-23.txt"),
    ),
    (
        "2014-08-14.txt",
        include_bytes!("../../demo/ubuntu/2014-08-14.txt"),
    ),
];
const BOTS: &str = "ubottu,ubotu,FloodBot*";
const CHANNEL: &str = "irc:#ubuntu";
const SPACE: &str = "demo";
/// Rows of the table of the best cases.
const SHOWN: usize = 15;

/// Cases among which the table's are chosen.
const LOOKED_AT: u32 = 200;
/// A solution up to this many characters is read at a glance.
const GLANCE: usize = 250;

/// Questions about the bundled chat. None is a quotation; the answers come from the database.
const QUESTIONS: [&str; 3] = [
    "How do I enable the universe repository from the command line?",
    "How can I install programs with apt-get without the yes/no prompt?",
    "Where is a good place for a custom iptables script?",
];
/// A question without a known answer, which must get silence.
const OFF_TOPIC: &str = "Which pizza is the best one in town?";

/// Where the talk takes place.
const ROOM: &str = "console:laptops";
/// A problem that somebody solves, and then others with the same. `--json` leaves it out.
const TALK: [&str; 6] = [
    "anna: my laptop wont suspend when i close the lid",
    "ben: anna: set HandleLidSwitch=suspend in /etc/systemd/logind.conf and restart logind",
    "anna: thanks ben, that works!",
    "dora: how do I make suspend on lid close work?",
    "carl: good morning everybody",
    "carl: @lore and why does my bread not rise?",
];

/// The output of `--json`.
#[derive(Debug, Serialize)]
struct Shown {
    messages: u64,
    imported: u64,
    cases: u64,
    solved: u64,
    open: u64,
    answers: Vec<Reply>,
    off_topic: Reply,
    replay: Replayed,
    seconds: f64,
}

#[derive(Debug, Serialize)]
struct Replayed {
    equal: bool,
    events: u64,
    events_per_s: f64,
}

/// The demo, and then its pages, where somebody sits in front of it.
pub(super) async fn start(
    options: Demo,
    mut settings: Settings,
    environment: &Environment,
    json: bool,
) -> anyhow::Result<u8> {
    let serves = !options.no_serve && !json && std::io::stderr().is_terminal();
    let interrupted = interrupted()?;
    let shown = async {
        prepare(&options, &mut settings).await?;
        once(Command::Demo(options), settings.clone(), environment, json).await
    };
    let code = tokio::select! {
        shown = shown => shown?,
        () = interrupted => return Err(Interrupted.into()),
    };
    if !serves || code != 0 {
        return Ok(code);
    }
    Output::Here.print("\nThe same in a browser, until Ctrl-C:\n");
    let work = Standalone {
        import: None,
        target: target(&SpaceId::parse(SPACE)?, None),
        until_drained: false,
    };
    // Whatever else is served on this machine, a port of the system's choice is free.
    let free = SocketAddr::from(([127, 0, 0, 1], 0));
    let listen = settings.api.listen.or(Some(free));
    let up = Up { listen, work };
    Box::pin(up::run(up, settings, environment, json)).await
}

/// Sets the demo's data directory, with `--fresh` without its content, and the model.
async fn prepare(options: &Demo, settings: &mut Settings) -> anyhow::Result<()> {
    if settings.in_data_dir().is_empty() {
        let sentence = "the demo runs every role by itself, and these settings are for several \
                        processes: run it without them";
        return Err(BadInput(sentence.to_owned()).into());
    }
    settings.data_dir = settings.data_dir.join("demo");
    if options.fresh && settings.data_dir.join("FORMAT").exists() {
        remove_all_but_models(&settings.data_dir).context("removing the demo's data")?;
    }
    Output::Here.say(format_args!(
        "demo: five days of the Ubuntu channel, in {}",
        settings.data_dir.display()
    ));
    match &options.model {
        Some(name) => use_model(name, settings).await,
        None => Ok(()),
    }
}

fn remove_all_but_models(data_dir: &Path) -> std::io::Result<()> {
    let models = models_dir(data_dir);
    for entry in std::fs::read_dir(data_dir)? {
        let entry = entry?;
        if entry.path() == models {
            continue;
        }
        match entry.file_type()?.is_dir() {
            true => std::fs::remove_dir_all(entry.path())?,
            false => std::fs::remove_file(entry.path())?,
        }
    }
    Ok(())
}

/// Has a model make vectors, if it can be had.
async fn use_model(name: &str, settings: &mut Settings) -> anyhow::Result<()> {
    check(name, None)?;
    let models = make_models_dir(&settings.data_dir)?;
    let out = &Output::Here;
    if Manifest::read(&models.join(name)).is_err() {
        out.say(format_args!("demo: getting the model {name}"));
        if let Err(error) = pull(&models, name, None, &mut |_| ()).await {
            out.say(format_args!(
                "demo: by words alone, because the model {name} cannot be had: {error}"
            ));
            return Ok(());
        }
    }
    settings.embedder.engine = EmbedderEngine::Local;
    settings.embedder.model = Some(name.to_owned());
    out.say(format_args!("demo: by words and by the model {name}"));
    Ok(())
}

pub(super) async fn run(call: &Call<'_>) -> anyhow::Result<u8> {
    let (node, out, json) = (&call.host.node, call.out, call.json);
    let started = node.clock.now();
    let (space, channel) = (SpaceId::parse(SPACE)?, ChannelId::parse(CHANNEL)?);
    call.host.start().await?;
    let admin = node
        .hasher
        .person(&space, channel.platform(), "ubuntu-admin");
    let settings = ChannelSettings {
        admins: BTreeSet::from([admin]),
        audience: Audience::Public,
        mode: Mode::Questions,
        docs: Vec::new(),
        published: false,
    };
    node.configure((&space, &channel), settings, &Actor::Operator)
        .await?;
    let imported = import_excerpt(node, out, &space, &channel).await?;
    work(call).await?;
    let scope = node.scope(&space, Right::Read)?;
    let counts = node.reader().counts(&scope).await?;
    let mut best = node.reader().best(&scope, LOOKED_AT).await?;
    // Of equal length those that are surest stay first, as they are read.
    best.sort_by_key(|case| !is_short(case));
    best.truncate(SHOWN);
    if !json {
        out.print(format_args!(
            "{} messages, {} cases: {} solved, {} open. The best of them:\n",
            counts.messages, counts.cases, counts.solved, counts.open
        ));
        best.iter().for_each(|case| print_case(out, case));
        out.print("");
    }
    let mut answers = Vec::new();
    for question in QUESTIONS {
        let told = asking::ask(node, &space, Some(&channel), question).await?;
        if !json {
            ask::print(&told, out);
            out.print("");
        }
        answers.push(told);
    }
    let off_topic = asking::ask(node, &space, Some(&channel), OFF_TOPIC).await?;
    if !json {
        ask::print(&off_topic, out);
        out.print("");
    }
    let replays = replay_all(call).await?;
    let (events, seconds) = replays
        .iter()
        .map(|outcome| (outcome.compared.events, outcome.compared.seconds))
        .fold((0, 0.0), |(events, seconds), (more, longer)| {
            (events + more, seconds + longer)
        });
    let equal = replays.iter().all(|outcome| outcome.compared.equal);
    let shown = Shown {
        messages: counts.messages,
        imported,
        cases: counts.cases,
        solved: counts.solved,
        open: counts.open,
        answers,
        off_topic,
        replay: Replayed {
            equal,
            events,
            events_per_s: if seconds > 0.0 {
                events as f64 / seconds
            } else {
                0.0
            },
        },
        seconds: node.clock.now().since(started).as_secs_f64(),
    };
    if json {
        out.json(&shown)?;
    } else {
        out.print(format_args!(
            "\n{} new messages this time; {:.1} s of work",
            imported, shown.seconds
        ));
        out.print(
            "\nA room, as `threadlore chat` shows it. What helps one person answers the next:\n",
        );
        let room = Chat {
            channel: ChannelId::parse(ROOM)?,
            space,
            name: "anna".to_owned(),
            say: TALK.map(str::to_owned).to_vec(),
            typed: false,
        };
        talk(&room, call).await?;
    }
    Ok(if equal { 0 } else { DIFFERENT })
}

fn target(space: &SpaceId, channel: Option<&ChannelId>) -> ImportTarget {
    ImportTarget {
        space: space.clone(),
        channel: channel.cloned(),
        bots: BOTS.to_owned(),
        date: None,
        timezone: None,
        format: None,
    }
}

/// Writes the bundled logs to files and imports those that were not imported before.
async fn import_excerpt(
    node: &Node,
    out: &Output,
    space: &SpaceId,
    channel: &ChannelId,
) -> anyhow::Result<u64> {
    let dir = node.settings.data_dir.join("ubuntu");
    std::fs::create_dir_all(&dir).context("writing the bundled logs")?;
    for (name, bytes) in LOGS {
        std::fs::write(dir.join(name), bytes).context("writing the bundled logs")?;
    }
    let target = target(space, Some(channel));
    let plan = plan(&target, false, &dir, out).await?;
    Ok(take(node, out, &plan).await?.taken())
}

/// Replays every projection, and drops the new builds: the demo only shows that they are equal.
async fn replay_all(call: &Call<'_>) -> anyhow::Result<Vec<Outcome>> {
    let mut replays = Vec::new();
    for projection in Projection::ALL {
        let progress = Progress::on(call.out);
        let watcher = |stage| progress.at(stage);
        let compared = call.host.verify(projection, &watcher).await?;
        let outcome = Outcome::of(compared);
        if !call.json {
            outcome.print(call.out);
        }
        replays.push(outcome);
    }
    Ok(replays)
}

/// Whether the whole solution can be read at a glance.
fn is_short(case: &Case) -> bool {
    let solution = case.solution.as_deref().unwrap_or_default().chars().count();
    (1..=GLANCE).contains(&solution)
}

fn print_case(out: &Output, case: &Case) {
    let text = |text: &Option<String>| cut(text.as_deref().unwrap_or("(erased)"), 100);
    out.print(format_args!("* {}", text(&case.title)));
    out.print(format_args!("    problem:  {}", text(&case.problem)));
    out.print(format_args!("    solution: {}", text(&case.solution)));
    let sign = case.signal.map_or_else(|| "a reaction".to_owned(), meaning);
    out.print(format_args!(
        "    solved by {sign}; {} messages of evidence; tags: {}",
        case.evidence.len(),
        cut(&case.tags.join(", "), 60)
    ));
}
