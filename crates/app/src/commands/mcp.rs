//! `threadlore mcp`: tools for an assistant that speaks the Model Context Protocol, over standard input
//! and output. A tool is a command line, run here or in the process that owns the data directory, so it
//! says what the command says.

use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use futures::StreamExt;
use futures::stream::FuturesUnordered;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, JsonObject,
    ListToolsResult, PaginatedRequestParams, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::{ErrorData, RoleServer, ServiceExt};
use threadlore_api::tools::{TOOLS, ToolSpec, about};
use threadlore_model::SpaceId;
use threadlore_node::{Environment, Host};
use threadlore_settings::Settings;
use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};
use tokio::runtime::Handle;
use tokio::sync::mpsc::{self, unbounded_channel};
use tokio::sync::oneshot;

use super::access;
use crate::admin::{self, Admin, wire::Said};
use crate::cli::Mcp;
use crate::exit;
use crate::output::Output;

/// Bytes of the protocol that are under way in each direction.
const UNDER_WAY: usize = 64 * 1024;

/// Calls of tools that wait to be run.
const JOBS: usize = 32;

/// The command line of a tool.
struct Line {
    tool: &'static str,
    /// The command, before the arguments.
    command: &'static [&'static str],
    /// How each argument is given: as an option of this name, or, without a name, in its place.
    options: &'static [Option<&'static str>],
}

const fn line(
    tool: &'static str,
    command: &'static [&'static str],
    options: &'static [Option<&'static str>],
) -> Line {
    Line {
        tool,
        command,
        options,
    }
}

const LINES: [Line; 13] = [
    line("ask", &["ask"], &[None]),
    line("search_cases", &["cases", "search"], &[None]),
    line("show_case", &["cases", "show"], &[None]),
    line(
        "unanswered_questions",
        &["answers", "list", "--unanswered"],
        &[Some("limit")],
    ),
    line("why", &["answers", "why"], &[None]),
    line("rate_answer", &["answers", "rate"], &[None, Some("rating")]),
    line("list_memories", &["memory", "list"], &[Some("limit")]),
    line("insights", &["memory", "graph"], &[None]),
    line("report", &["report"], &[Some("days")]),
    line("teach", &["answers", "teach"], &[None, Some("solution")]),
    line(
        "correct_case",
        &["cases", "correct"],
        &[None, Some("solution")],
    ),
    line("remember", &["memory", "add"], &[None, Some("channel")]),
    line("forget", &["memory", "forget"], &[None]),
];

pub(super) async fn run(
    options: &Mcp,
    settings: &Settings,
    environment: &Environment,
) -> anyhow::Result<u8> {
    let door =
        match access::wait((settings, None), environment, &Output::Here, admin::connect).await? {
            Ok(host) => Door::Here(host),
            Err(_) => Door::There(settings.data_dir.clone()),
        };
    let (jobs, todo) = mpsc::channel(JOBS);
    let assistant = Assistant {
        jobs,
        space: options.space.clone(),
        writes: options.write,
    };
    let (ours, theirs) = tokio::io::duplex(UNDER_WAY);
    let (answers, requests) = tokio::io::split(theirs);
    let spoken = tokio::spawn(speak(answers));
    listen(requests);
    let served = async {
        assistant.serve(ours).await?.waiting().await?;
        anyhow::Ok(())
    };
    tokio::select! {
        served = served => served?,
        () = door.work(todo) => {}
        () = door.guests() => {}
    }
    spoken.await?;
    Ok(0)
}

/// Standard input, to the server. A read of it cannot be interrupted, so it has a thread that nobody waits
/// for.
fn listen(mut to: tokio::io::WriteHalf<DuplexStream>) {
    let runtime = Handle::current();
    std::thread::spawn(move || {
        let mut bytes = [0; 8192];
        while let Ok(read @ 1..) = std::io::stdin().lock().read(&mut bytes) {
            if runtime.block_on(to.write_all(&bytes[..read])).is_err() {
                return;
            }
        }
        runtime.block_on(to.shutdown()).ok();
    });
}

/// What the server says, to standard output.
async fn speak(mut from: tokio::io::ReadHalf<DuplexStream>) {
    let mut bytes = [0; 8192];
    while let Ok(read @ 1..) = from.read(&mut bytes).await {
        let mut to = std::io::stdout().lock();
        if to
            .write_all(&bytes[..read])
            .and_then(|()| to.flush())
            .is_err()
        {
            return;
        }
    }
}

/// Where commands run.
enum Door {
    /// In this process, which owns the data directory.
    Here(Box<Host>),
    /// In the process that owns it.
    There(PathBuf),
}

/// A command line, and who waits for what it says.
struct Job {
    args: Vec<String>,
    answer: oneshot::Sender<Result<String, String>>,
}

impl Door {
    /// Lets other commands in meanwhile, where this process owns the data directory.
    async fn guests(&self) {
        if let Self::Here(host) = self
            && !host.node.is_shared()
            && let Ok(admin) = Admin::listen(&host.node.settings.data_dir)
        {
            admin.serve(host, std::future::pending()).await;
        }
        std::future::pending().await
    }

    /// Runs what is asked for, several lines side by side; ends when nobody can ask any more.
    async fn work(&self, mut todo: mpsc::Receiver<Job>) {
        let mut running = FuturesUnordered::new();
        loop {
            tokio::select! {
                Some(()) = running.next() => {}
                job = todo.recv() => match job {
                    Some(Job { args, answer }) => running.push(async move {
                        // Who does not wait any more needs no answer.
                        answer.send(self.answer(args).await).ok();
                    }),
                    None => return,
                },
            }
        }
    }

    /// What a command line says: its result, or why there is none.
    async fn answer(&self, args: Vec<String>) -> Result<String, String> {
        let (say, mut said) = unbounded_channel();
        let out = Output::Guest(say);
        let code = match self {
            Self::Here(host) => admin::perform(host, args, Path::new(""), &out).await,
            Self::There(dir) => match admin::connect(dir).await {
                Some(owner) => match admin::run(owner, args, &out).await {
                    Ok(code) => code,
                    Err(error) => return Err(exit::sentence(&error)),
                },
                None => {
                    return Err(format!(
                        "the process that owned the data directory {} does not listen any more: start the \
                         assistant's server again",
                        dir.display()
                    ));
                }
            },
        };
        drop(out);
        let (mut result, mut words) = (String::new(), Vec::new());
        while let Some(said) = said.recv().await {
            match said {
                Said::Out(text) => result.push_str(&text),
                Said::Err(text) => words.push(text),
                Said::Step(_) | Said::Exit(_) => {}
            }
        }
        match code {
            0 => Ok(result),
            _ => Err(words.join("\n")),
        }
    }
}

/// The server, as the protocol sees it. Commands run elsewhere: their futures stay on one task.
struct Assistant {
    jobs: mpsc::Sender<Job>,
    space: Option<SpaceId>,
    writes: bool,
}

impl Assistant {
    fn tools(&self) -> impl Iterator<Item = &'static ToolSpec> {
        let writes = self.writes;
        TOOLS.iter().filter(move |tool| writes || !tool.writes)
    }

    async fn answer(&self, args: Vec<String>) -> Result<String, String> {
        let (answer, answered) = oneshot::channel();
        let stopped = || "the server stops".to_owned();
        let sent = self.jobs.send(Job { args, answer }).await;
        sent.map_err(|_| stopped())?;
        answered.await.map_err(|_| stopped())?
    }
}

/// The command line of a tool; what is given stands behind `--` or `=`, so that none of it is an option.
fn words(
    tool: &ToolSpec,
    space: Option<&SpaceId>,
    given: &JsonObject,
) -> Result<Vec<String>, String> {
    let given = tool.given(given)?;
    let line = LINES.iter().find(|line| line.tool == tool.name);
    let Line {
        command, options, ..
    } = line.ok_or("this tool is not served here")?;
    let mut words: Vec<String> = vec!["--json".to_owned()];
    words.extend(command.iter().map(|word| (*word).to_owned()));
    if let Some(space) = space {
        words.push(format!("--space={space}"));
    }
    let mut in_place = Vec::new();
    for (text, option) in given.into_iter().zip(*options) {
        match (text, option) {
            (None, _) => {}
            (Some(text), Some(option)) => words.push(format!("--{option}={text}")),
            (Some(text), None) => in_place.push(text),
        }
    }
    if !in_place.is_empty() {
        words.push("--".to_owned());
        words.extend(in_place);
    }
    Ok(words)
}

impl ServerHandler for Assistant {
    fn get_info(&self) -> ServerConfig {
        about()
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self.tools().map(ToolSpec::tool).collect();
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.tools().find(|tool| tool.name == request.name) else {
            let sentence = format!("there is no tool {:?}", request.name);
            return Err(ErrorData::invalid_params(sentence, None));
        };
        let given = request.arguments.unwrap_or_default();
        let words = words(tool, self.space.as_ref(), &given);
        let said = match words {
            Ok(words) => self.answer(words).await,
            Err(sentence) => Err(sentence),
        };
        let result = match said {
            Ok(result) => CallToolResult::success(vec![ContentBlock::text(result)]),
            Err(sentence) => CallToolResult::error(vec![ContentBlock::text(sentence)]),
        };
        Ok(result.into())
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;
    use serde_json::{Value, json};

    use super::*;
    use crate::cli::Cli;

    fn spec(name: &str) -> &'static ToolSpec {
        TOOLS.iter().find(|tool| tool.name == name).expect("a tool")
    }

    fn given(fields: Value) -> JsonObject {
        fields.as_object().cloned().expect("an object")
    }

    #[test]
    fn every_tool_is_a_command_line_that_is_understood() {
        let space = SpaceId::parse("acme").expect("a space");
        for tool in &TOOLS {
            let lines = LINES.iter().filter(|line| line.tool == tool.name);
            let options: Vec<usize> = lines.map(|line| line.options.len()).collect();
            assert_eq!(options, [tool.takes.len()], "{}", tool.name);
            let id = "0736391e-46af-58f2-8c90-46757a90b90c";
            let field = |name: &str| match name {
                "limit" | "days" => json!(3),
                "channel" => json!("irc:#help"),
                "rating" => json!("failed"),
                "case" | "memory" => json!(id),
                _ => json!("--space=other \"x\"\n$(id)"),
            };
            let fields = tool
                .takes
                .iter()
                .map(|argument| (argument.name.to_owned(), field(argument.name)));
            let line = words(tool, Some(&space), &fields.collect()).expect("a line");
            let program = std::iter::once("threadlore".to_owned());
            let parsed = Cli::try_parse_from(program.chain(line.clone()));
            assert!(parsed.is_ok(), "{}: {:?}", tool.name, parsed.err());
            // The space is the server's, whatever a text says.
            let spaces = line.iter().take_while(|word| *word != "--");
            let spaces = spaces.filter(|word| word.starts_with("--space"));
            assert_eq!(
                spaces.collect::<Vec<_>>(),
                ["--space=acme"],
                "{}",
                tool.name
            );
        }
    }

    #[test]
    fn what_a_tool_does_not_take_is_refused() {
        let ask = spec("ask");
        for (fields, sentence) in [
            (json!({}), "needs \"question\""),
            (json!({ "question": null }), "needs \"question\""),
            (json!({ "question": ["a"] }), "is a text"),
            (
                json!({ "question": "a", "space": "other" }),
                "takes no \"space\"",
            ),
        ] {
            let refused = words(ask, None, &given(fields)).expect_err("refused");
            assert!(refused.contains(sentence), "{refused}");
        }
        let list = spec("unanswered_questions");
        let line = words(list, None, &given(json!({}))).expect("nothing is needed");
        assert_eq!(line, ["--json", "answers", "list", "--unanswered"]);
    }
}
