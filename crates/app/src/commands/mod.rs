//! Commands: one file each. A command works on a [`Host`] and prints through an [`Output`], so that
//! it is the same in a process of its own and for a client of the admin socket.

mod access;
mod analyst;
mod answers;
mod archive;
mod ask;
mod cases;
mod channel;
mod chat;
mod config;
mod copy;
mod demo;
mod destination;
mod dlq;
mod erase;
mod eval;
mod export;
mod import;
mod keys;
mod letters;
mod mcp;
mod memory;
mod migrate;
mod models;
mod rebuild;
mod redecide;
mod replay;
mod report;
mod restore;
mod run;
mod schema;
mod space;
mod sql;
mod standalone;
mod tables;
mod token;
mod topics;
mod up;
mod user;
mod verify;

pub(crate) use answers::TurnLink;
pub(crate) use cases::CaseName;

use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use clap::CommandFactory;
use futures::channel::oneshot;
use threadlore_api::words::DEFAULT_SPACE;
use threadlore_model::{ChannelId, SpaceId};
use threadlore_node::{Environment, Host, ROOM, is_full, is_made, read_urls};
use threadlore_ports::Scope;
use threadlore_settings::Settings;
use tokio::signal::unix::{SignalKind, signal};

use crate::admin::{self, Admin};
use crate::cli::{ChannelAction, Cli, Command, Global, Keys, Log, Token};
use crate::exit::{self, BadInput, CutOff, Full, Interrupted};
use crate::output::Output;

/// The context of a command.
pub(crate) struct Call<'a> {
    pub(crate) host: &'a Host,
    pub(crate) out: &'a Output,
    /// The directory for relative paths.
    pub(crate) dir: &'a Path,
    /// Whether results are for machines.
    pub(crate) json: bool,
}

impl Call<'_> {
    /// The space that a command reads: the one that is named, else `default`, or the only one that
    /// there is.
    ///
    /// # Errors
    /// `BadInput` where none is named and there are several others.
    async fn space(&self, named: Option<&SpaceId>) -> anyhow::Result<SpaceId> {
        if let Some(named) = named {
            return Ok(named.clone());
        }
        let default = SpaceId::parse(DEFAULT_SPACE)?;
        let space = self.host.node.default_space(&default).await?;
        if space != default {
            let said = format_args!("in the space {space}, the only one that has anything");
            self.out.say(said);
        }
        Ok(space)
    }

    /// Where a list is empty: whether the space and the channel that it is about exist.
    ///
    /// # Errors
    /// `BadInput` where one does not.
    async fn check_there(&self, scope: &Scope, channel: Option<&ChannelId>) -> anyhow::Result<()> {
        let (node, space) = (&self.host.node, scope.space());
        node.check_space(scope).await?;
        match channel {
            Some(channel) if node.store.channels(scope, Some(channel)).await?.is_empty() => {
                Err(BadInput(format!(
                    "there is no channel {channel} in the space {space}: `threadlore channel show \
                     --space {space}` lists those that are"
                ))
                .into())
            }
            _ => Ok(()),
        }
    }
}

/// Runs the command. The exit code of a success can be other than 0.
pub(crate) fn run(cli: Cli) -> anyhow::Result<u8> {
    let code = start(cli)?;
    match Output::refused() {
        None => Ok(code),
        Some(error) => {
            anyhow::bail!("the result could not be written to standard output ({error})")
        }
    }
}

fn start(cli: Cli) -> anyhow::Result<u8> {
    let environment = Environment::read();
    if let Command::Completions { shell } = cli.command {
        let (mut command, mut script) = (Cli::command(), Vec::new());
        clap_complete::generate(shell, &mut command, "threadlore", &mut script);
        let script = String::from_utf8_lossy(&script);
        match cli.global.json {
            true => Output::Here.json(&serde_json::json!({ "script": script }))?,
            false => Output::Here.print(script.trim_end()),
        }
        return Ok(0);
    }
    let mut settings = settings(&cli.global, &environment)?;
    match cli.command {
        Command::Config(command) => return config::run(&command, &settings, cli.global.json),
        Command::Schema(command) => return schema::run(&command, cli.global.json),
        // They open no database, and may run where its URL is not there.
        Command::Topics(_) | Command::Models(_) => {}
        _ => read_urls(&mut settings)?,
    }
    threadlore_telemetry::init(&settings.telemetry.level, settings.telemetry.json)
        .map_err(|e| BadInput(e.to_string()))?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()
        .context("starting the async runtime")?;
    let (json, data_dir) = (cli.global.json, settings.data_dir.clone());
    let ended = runtime.block_on(async {
        if let Command::Standalone(options) = cli.command {
            return Box::pin(standalone::run(
                options,
                false,
                settings,
                &environment,
                json,
            ))
            .await;
        }
        if let Command::Up(options) = cli.command {
            return Box::pin(up::run(options, settings, &environment, json)).await;
        }
        if let Command::Run(options) = cli.command {
            return Box::pin(run::run(options, settings, &environment, json)).await;
        }
        if let Command::Chat(options) = cli.command {
            return chat::run(&options, settings, &environment, json).await;
        }
        if let Command::Topics(command) = cli.command {
            return topics::run(&command, &settings, json).await;
        }
        if let Command::Migrate = cli.command {
            let interrupted = interrupted()?;
            return tokio::select! {
                done = Box::pin(migrate::run(settings, &environment, json)) => done,
                () = interrupted => Err(Interrupted.into()),
            };
        }
        if let Command::Sql(options) = cli.command {
            return sql::run(options, settings, &environment, json).await;
        }
        if let Command::Demo(options) = cli.command {
            return Box::pin(demo::start(options, settings, &environment, json)).await;
        }
        let interrupted = interrupted()?;
        if let Command::Mcp(options) = &cli.command {
            return tokio::select! {
                done = Box::pin(mcp::run(options, &settings, &environment)) => done,
                () = interrupted => Ok(0),
            };
        }
        if let Command::Models(command) = &cli.command {
            return tokio::select! {
                done = models::run(command, &settings, json) => done,
                () = interrupted => Err(Interrupted.into()),
            };
        }
        if let Command::Log(Log::Copy { to, dry_run }) = &cli.command {
            return tokio::select! {
                done = copy::run((to, *dry_run), &settings, json) => done,
                () = interrupted => Err(CutOff.into()),
            };
        }
        tokio::select! {
            done = once(cli.command, settings, &environment, json) => done,
            () = interrupted => Err(Interrupted.into()),
        }
    });
    if ended.is_err() {
        runtime.block_on(aborted_tasks_end());
    }
    ended.map_err(|error| match exit::code(&error) {
        _ if error.is::<Full>() => error,
        exit::FAILED | exit::NOT_AVAILABLE if is_full(&data_dir, ROOM) => {
            error.context(Full(data_dir))
        }
        _ => error,
    })
}

/// Longest time for tasks that were aborted to be gone.
const GONE: Duration = Duration::from_secs(1);

/// Returns when the tasks that a failed command left are gone. They were aborted with their owners,
/// but one that runs just then goes on to its next pause, and a pause on a runtime that is shut down
/// panics.
async fn aborted_tasks_end() {
    let metrics = tokio::runtime::Handle::current().metrics();
    let gone = async {
        while metrics.num_alive_tasks() > 0 {
            tokio::task::yield_now().await;
        }
    };
    // A detached task may stay.
    tokio::time::timeout(GONE, gone).await.ok();
}

/// Runs a command that ends by itself: here, or in the process that owns the data directory. If it
/// is dropped midway, it leaves the same as a crash.
async fn once(
    command: Command,
    settings: Settings,
    environment: &Environment,
    json: bool,
) -> anyhow::Result<u8> {
    let out = &Output::Here;
    let dir = Path::new("");
    let (command, _held) = destination::fetched(command, &settings).await?;
    check(&command, dir)?;
    let host = if let Command::Demo(_) = &command {
        Box::new(Host::open(settings, environment, None).await?)
    } else {
        if !makes_data_directory(&command) {
            check_data_directory(&settings)?;
        }
        let people = match &command {
            Command::Restore(options) => restore::people_key(options, &settings, dir)?,
            _ => None,
        };
        match access::wait((&settings, people), environment, out, admin::connect).await? {
            Ok(host) => host,
            Err(owner) => return admin::run(owner, environment.arguments()?, out).await,
        }
    };
    let call = Call {
        host: &host,
        out,
        dir,
        json,
    };
    let takes_long = matches!(
        command,
        Command::Demo(_)
            | Command::Import(_)
            | Command::Replay(_)
            | Command::Redecide(_)
            | Command::Verify(_)
            | Command::Export(_)
            | Command::Restore(_)
    );
    let (close, closed) = oneshot::channel::<()>();
    let work = async {
        let done = perform(command, &call).await;
        drop(close);
        done
    };
    let guests = async {
        if takes_long
            && !host.node.is_shared()
            && let Ok(admin) = Admin::listen(&host.node.settings.data_dir)
        {
            let closed = async { closed.await.unwrap_or_default() };
            admin.serve(&host, closed).await;
        }
    };
    let ended = tokio::select! {
        (done, ()) = futures::future::join(work, guests) => done,
        error = host.failed() => Err(error),
    };
    let stopped = host.stop().await;
    // The error that ended the work is more useful than those that followed.
    let code = ended?;
    stopped.map(|()| code)
}

/// Whether a command creates a missing data directory.
fn makes_data_directory(command: &Command) -> bool {
    match command {
        Command::Import(_) | Command::Restore(_) => true,
        Command::Channel(options) => matches!(options.action, ChannelAction::Set(_)),
        _ => false,
    }
}

/// Refuses a data directory that does not exist: its name may be mistyped.
fn check_data_directory(settings: &Settings) -> anyhow::Result<()> {
    let dir = &settings.data_dir;
    if settings.in_data_dir().is_empty() || is_made(dir) {
        return Ok(());
    }
    let is = match dir.is_dir() {
        true => "has nothing of threadlore in it",
        false => "does not exist",
    };
    Err(BadInput(format!(
        "the data directory {} {is}, so there is nothing to read, and nothing was made: name \
         another with --data-dir, or begin with `threadlore import`",
        dir.display()
    ))
    .into())
}

/// Checks what can be checked before a node is opened.
fn check(command: &Command, dir: &Path) -> anyhow::Result<()> {
    match command {
        Command::Ask(options) => ask::check(options),
        Command::Chat(options) => chat::check(options),
        Command::Import(options) => import::check(&options.target, &dir.join(&options.path)),
        Command::Export(options) => export::check(options, dir),
        Command::Restore(options) if destination::is_directory(&options.from) => {
            restore::check(options, dir)
        }
        _ => Ok(()),
    }
}

/// Runs a command on a node that is open.
pub(crate) async fn perform(command: Command, call: &Call<'_>) -> anyhow::Result<u8> {
    let (command, _held) = destination::fetched(command, &call.host.node.settings).await?;
    check(&command, call.dir)?;
    match command {
        Command::Demo(_) => demo::run(call).await,
        Command::Import(options) => import::run(&options, call).await,
        Command::Ask(options) => ask::run(&options, call).await,
        // Of a line that is typed elsewhere, standard input is not here.
        Command::Chat(options) if !options.say.is_empty() => chat::talk(&options, call).await,
        Command::Chat(_) => Err(BadInput("name a line with --say".to_owned()).into()),
        Command::Cases(command) => cases::run(&command, call).await,
        Command::Memory(command) => memory::run(&command, call).await,
        Command::Answers(command) => answers::run(&command, call).await,
        Command::Eval(options) => eval::run(&options, call).await,
        Command::Replay(options) => replay::run(&options, call).await,
        Command::Redecide(options) => redecide::run(&options, call).await,
        Command::Verify(options) => verify::run(&options, call).await,
        Command::Channel(options) => channel::run(&options, call).await,
        Command::Erase(options) => erase::run(&options, call).await,
        Command::Report(options) => report::run(&options, call).await,
        Command::SignIn => up::sign_in(call),
        Command::Analyst(command) => analyst::run(&command, call).await,
        Command::Keys(Keys::Rewrap) => keys::rewrap(call).await,
        Command::User(command) => user::run(&command, call).await,
        Command::Token(Token::Create(options)) => token::create(&options, call).await,
        Command::Token(Token::List { space }) => token::list(&space, call).await,
        Command::Token(Token::Revoke { id, space }) => token::revoke(&id, &space, call).await,
        Command::Space(command) => space::run(&command, call).await,
        Command::Dlq(command) => dlq::run(&command, call).await,
        Command::Export(options) if options.tables => tables::run(&options, call).await,
        Command::Export(options) => export::run(&options, call).await,
        Command::Restore(options) => restore::run(&options, call).await,
        Command::Standalone(_)
        | Command::Up(_)
        | Command::Run(_)
        | Command::Migrate
        | Command::Sql(_)
        | Command::Config(_)
        | Command::Schema(_)
        | Command::Topics(_)
        | Command::Models(_)
        | Command::Mcp(_)
        | Command::Log(_)
        | Command::Completions { .. } => Err(BadInput(
            "this command needs no data directory: run it by itself".to_owned(),
        )
        .into()),
    }
}

/// Listens for SIGINT and SIGTERM from now on; what it returns waits for one.
fn interrupted() -> anyhow::Result<impl Future<Output = ()>> {
    let mut interrupt = signal(SignalKind::interrupt()).context("listening for SIGINT")?;
    let mut terminate = signal(SignalKind::terminate()).context("listening for SIGTERM")?;
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => {}
            _ = terminate.recv() => {}
        }
    })
}

fn settings(global: &Global, environment: &Environment) -> anyhow::Result<Settings> {
    let default = Path::new("threadlore.toml");
    let path = match &global.config {
        Some(path) => Some(path.as_path()),
        None => default.exists().then_some(default),
    };
    let text = match path {
        Some(path) => Some(std::fs::read_to_string(path).map_err(|e| {
            BadInput(format!(
                "the settings file {} cannot be read: {e}",
                path.display()
            ))
        })?),
        None => None,
    };
    let mut settings = Settings::load(text.as_deref(), &environment.variables)?;
    if let Some(dir) = &global.data_dir {
        settings.data_dir.clone_from(dir);
    }
    Ok(settings)
}
