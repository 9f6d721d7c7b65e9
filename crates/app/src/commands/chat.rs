//! `threadlore chat`: a channel in the terminal, in which several people talk and the bot answers.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, IsTerminal as _};
use std::path::Path;
use std::time::Duration;

use anyhow::Context;
use serde::Serialize;
use threadlore_gateways::{Decisions, LiveChannel, Platform, Posted, render};
use threadlore_model::{
    Actor, AnswerComposed, AnswerId, AnswerWithdrawn, Body, ChannelSettings, Event, MessageId,
    Topic, TurnConsidered,
};
use threadlore_node::{Environment, Host};
use threadlore_ports::{NewRecord, Right};
use threadlore_retrieval::CONSOLE;
use threadlore_settings::Settings;
use threadlore_stream::Vault;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::import::drained;
use super::{Call, access, interrupted};
use crate::admin;
use crate::cli::Chat;
use crate::exit::{BadInput, Interrupted, OwnerEnded};
use crate::output::Output;

/// Longest wait for news before the input is looked at again.
const WAIT: Duration = Duration::from_millis(500);
/// At the end of the input, a turn without an outcome after this long is given up on; so is other
/// work, which whoever runs next goes on with.
const PATIENCE: Duration = Duration::from_secs(60);

/// Talks in this process, or where another one owns the data directory, by way of that.
pub(super) async fn run(
    options: &Chat,
    settings: Settings,
    environment: &Environment,
    json: bool,
) -> anyhow::Result<u8> {
    let out = &Output::Here;
    check(options)?;
    let interrupted = interrupted()?;
    let own = access::wait((&settings, None), environment, out, admin::connect);
    let host = match own.await? {
        Ok(host) => host,
        Err(owner) => {
            drop(owner);
            return tokio::select! {
                done = beside(options, &settings, environment.arguments()?) => done,
                () = interrupted => Err(Interrupted.into()),
            };
        }
    };
    let call = Call {
        host: &host,
        out,
        dir: Path::new(""),
        json,
    };
    let ended = tokio::select! {
        done = async {
            talk(options, &call).await?;
            // What came of the talk, such as the thanks for an answer, is seen by the next command.
            match tokio::time::timeout(PATIENCE, host.node.drain(&|_| ())).await {
                Ok(drained) => Ok(drained?),
                Err(_) => Ok(()),
            }
        } => done,
        error = host.failed() => Err(error),
        () = interrupted => Err(Interrupted.into()),
    };
    let stopped = host.stop().await;
    ended?;
    stopped.map(|()| 0)
}

/// What can be checked before a node is opened.
pub(super) fn check(options: &Chat) -> anyhow::Result<()> {
    match options.name.trim().is_empty() {
        true => Err(BadInput("the name after --as is empty".to_owned()).into()),
        false => Ok(()),
    }
}

/// Talks in a process that owns the data directory.
pub(super) async fn talk(options: &Chat, call: &Call<'_>) -> anyhow::Result<u8> {
    call.host.start().await?;
    let mut room = Room::open(options, call).await?;
    let lines = match options.say.as_slice() {
        [] => {
            call.out.say(format_args!(
                "talking in {}: type a line, or `name: text` for another person; end with Ctrl-D",
                options.channel
            ));
            lines()
        }
        said => {
            let (to, from) = unbounded_channel();
            said.iter().for_each(|line| {
                // The receiver is here.
                to.send(Ok(line.clone())).ok();
            });
            from
        }
    };
    room.talk(lines).await?;
    Ok(0)
}

/// Talks by way of the owner of the data directory, which runs each line as a command of its own.
async fn beside(
    options: &Chat,
    settings: &Settings,
    mut arguments: Vec<String>,
) -> anyhow::Result<u8> {
    let (out, dir) = (&Output::Here, &settings.data_dir);
    if options.say.is_empty() && std::io::stdin().is_terminal() {
        arguments.push("--typed".to_owned());
    }
    let say = async |line: Option<&str>| {
        let owner = admin::connect(dir).await.ok_or(OwnerEnded)?;
        let said = line.map(|line| format!("--say={line}"));
        let arguments = arguments.iter().cloned().chain(said).collect();
        admin::run(owner, arguments, out).await
    };
    if !options.say.is_empty() {
        return say(None).await;
    }
    out.say(format_args!(
        "talking in {} by way of the process that runs: type a line, or `name: text` for another \
         person; end with Ctrl-D",
        options.channel
    ));
    let mut lines = lines();
    while let Some(line) = lines.recv().await {
        let line = line.context("reading standard input")?;
        if line.trim().is_empty() {
            continue;
        }
        let code = say(Some(&line)).await?;
        if code != 0 {
            return Ok(code);
        }
    }
    Ok(0)
}

/// Lines of standard input, read on a thread of its own, since a terminal cannot be asked whether
/// it has a line.
fn lines() -> UnboundedReceiver<std::io::Result<String>> {
    let (to, from) = unbounded_channel();
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            if to.send(line).is_err() {
                return;
            }
        }
    });
    from
}

/// The channel, and what was said in it.
struct Room<'a> {
    host: &'a Host,
    out: &'a Output,
    json: bool,
    live: LiveChannel,
    decisions: Decisions,
    /// Who speaks where a line names no speaker.
    speaker: String,
    /// Names of those who spoke.
    people: Vec<String>,
    /// Native ids and speakers of messages whose turn has no outcome yet.
    open: BTreeMap<MessageId, (String, String)>,
    /// How many messages were posted.
    count: u64,
    /// Outcomes that speak, whose answer is still to come.
    awaited: usize,
    /// Whether lines come from a person at this terminal.
    by_hand: bool,
}

impl<'a> Room<'a> {
    async fn open(options: &Chat, call: &'a Call<'_>) -> anyhow::Result<Self> {
        let Call {
            host, out, json, ..
        } = *call;
        let node = &host.node;
        let live = LiveChannel {
            space: options.space.clone(),
            channel: options.channel.clone(),
        };
        let scope = node.scope(&live.space, Right::Admin)?;
        let configured = node.reader().configured(&scope).await?;
        let own = configured.get(&live.channel).cloned().unwrap_or_default();
        if own.admins.is_empty() {
            let (channel, name) = (&live.channel, options.name.trim());
            if channel.platform() != CONSOLE {
                return Err(BadInput(format!(
                    "{channel} has no admin, so the bot would say nothing in it: name one with \
                     `threadlore channel set --channel {channel} --admin {name}`"
                ))
                .into());
            }
            let person = node.hasher.person(&live.space, channel.platform(), name);
            let settings = ChannelSettings {
                admins: BTreeSet::from([person]),
                ..own
            };
            node.configure((&live.space, channel), settings, &Actor::Operator)
                .await?;
            drained(node, out).await?;
            out.say(format_args!(
                "{name} is the admin of the new channel {channel}"
            ));
        }
        let decisions = live.decisions(node.log.as_ref()).await?;
        Ok(Self {
            host,
            out,
            json,
            live,
            decisions,
            speaker: options.name.trim().to_owned(),
            people: vec![options.name.trim().to_owned()],
            open: BTreeMap::new(),
            count: 0,
            awaited: 0,
            by_hand: options.typed || options.say.is_empty() && std::io::stdin().is_terminal(),
        })
    }

    /// Posts lines and prints what becomes of them, until the input ends and all have an outcome. A
    /// script's next line is read once the line before it has its outcome.
    async fn talk(
        &mut self,
        mut lines: UnboundedReceiver<std::io::Result<String>>,
    ) -> anyhow::Result<()> {
        let by_hand = self.by_hand;
        let (mut ended, mut waited) = (false, Duration::ZERO);
        loop {
            let is_waiting = !self.open.is_empty() || self.awaited > 0;
            if ended && !is_waiting {
                return Ok(());
            }
            if is_waiting && waited >= PATIENCE && (ended || !by_hand) {
                anyhow::bail!(
                    "the bot decided nothing for {} s: where the roles run in other processes, see \
                     whether a responder is among them",
                    PATIENCE.as_secs()
                );
            }
            let reads = !ended && (by_hand || !is_waiting);
            let log = self.host.node.log.as_ref();
            tokio::select! {
                line = lines.recv(), if reads => match line {
                    Some(line) => {
                        let line = line.context("reading standard input")?;
                        self.say(&line).await?;
                        waited = Duration::ZERO;
                    }
                    None => ended = true,
                },
                events = self.decisions.next(log, WAIT) => {
                    let events = events?;
                    waited = if events.is_empty() { waited + WAIT } else { Duration::ZERO };
                    self.show(events).await?;
                }
            }
        }
    }

    /// Posts a line.
    async fn say(&mut self, line: &str) -> anyhow::Result<()> {
        let (name, text) = self.split(line);
        if text.is_empty() {
            return Ok(());
        }
        let node = &self.host.node;
        let at = node.clock.now();
        self.count += 1;
        let native = format!("{}-{}", at.as_millis(), self.count);
        let posted = Posted {
            native_id: &native,
            author: &name,
            name: &name,
            bot: false,
            text: &text,
            reply_to: None,
            at,
        };
        self.live.post(node.log.as_ref(), posted).await?;
        let message = MessageId::of_native(&self.live.space, &self.live.channel, &native);
        if !self.json && !self.by_hand {
            self.out.print(format_args!("<{name}> {text}"));
        }
        self.open.insert(message, (native, name));
        Ok(())
    }

    /// The speaker and the text. A name is one word before a colon with a space after it, which is
    /// not the bot's: "bob: hello" is said by bob, "lore: hello" is said to the bot.
    fn split(&mut self, line: &str) -> (String, String) {
        let line = line.trim();
        let bots = self.host.node.settings.responder.names();
        let named = line.split_once(": ").filter(|(name, _)| {
            let is_word = name
                .chars()
                .all(|c| c.is_alphanumeric() || matches!(c, '_' | '-'));
            !name.is_empty() && is_word && !bots.contains(&name.to_lowercase())
        });
        match named {
            Some((name, text)) => {
                if !self.people.iter().any(|known| known == name) {
                    self.people.push(name.to_owned());
                }
                (name.to_owned(), text.trim().to_owned())
            }
            None => (self.speaker.clone(), line.to_owned()),
        }
    }

    async fn show(&mut self, events: Vec<Event>) -> anyhow::Result<()> {
        let vault = Vault::new(self.host.node.keys.clone());
        // What cannot be opened is a dead letter of the projector.
        for event in vault.open(events).await?.into_iter().flatten() {
            match event.body {
                Body::TurnConsidered(turn) => self.considered(&turn)?,
                Body::AnswerComposed(answer) => self.answered(&answer).await?,
                Body::AnswerWithdrawn(withdrawn) => self.withdrawn(&withdrawn).await?,
                _ => {}
            }
        }
        Ok(())
    }

    fn considered(&mut self, turn: &TurnConsidered) -> anyhow::Result<()> {
        let is_own = turn
            .messages
            .iter()
            .any(|message| self.open.contains_key(message));
        if !is_own {
            return Ok(());
        }
        if turn.outcome.speaks() {
            self.awaited += 1;
            // The answer names the message that it replies to.
            let last = turn.messages.last();
            self.open
                .retain(|message, _| !turn.messages.contains(message) || Some(message) == last);
            return Ok(());
        }
        self.open
            .retain(|message, _| !turn.messages.contains(message));
        let silent = Silent {
            outcome: turn.outcome.name(),
            reason: turn.outcome.sentence(),
        };
        match self.json {
            true => self.out.json(&silent)?,
            false => self
                .out
                .print(format_args!("       (silent: {})", silent.reason)),
        }
        Ok(())
    }

    /// Says that an answer is taken back, and deletes it.
    async fn withdrawn(&mut self, withdrawn: &AnswerWithdrawn) -> anyhow::Result<()> {
        let reason = withdrawn.reason.sentence();
        match self.json {
            true => self.out.json(&TakenBack {
                outcome: "taken_back",
                answer: withdrawn.answer,
                reason,
            })?,
            false => self
                .out
                .print(format_args!("       (takes back what it said: {reason})")),
        }
        let node = &self.host.node;
        let native = format!("answer-{}", withdrawn.answer);
        let event = self.live.redaction(&native, node.clock.now());
        let topic = Topic::ChatInbox;
        node.log.publish(vec![NewRecord { topic, event }]).await?;
        Ok(())
    }

    /// Prints an answer, and posts it: what the bot says is a message of the channel.
    async fn answered(&mut self, answer: &AnswerComposed) -> anyhow::Result<()> {
        let Some((native, name)) = self.open.remove(&answer.reply_to) else {
            return Ok(());
        };
        self.awaited = self.awaited.saturating_sub(1);
        let node = &self.host.node;
        let bots = node.settings.responder.names();
        let bot = bots.first().map_or("threadlore", String::as_str);
        let text = answer.text.text().unwrap_or("(erased)");
        if self.json {
            self.out.json(&Spoken {
                outcome: "answered",
                answer: answer.answer,
                to: &name,
                text,
            })?;
        } else {
            let whole = Platform::Plain { limit: usize::MAX };
            let parts = render(text, whole).into_iter().map(|part| part.body);
            let shown = parts
                .collect::<Vec<_>>()
                .join("\n")
                .replace('\n', "\n       ");
            self.out.print(format_args!("<{bot}> {name}: {shown}"));
        }
        let posted = Posted {
            native_id: &format!("answer-{}", answer.answer),
            author: bot,
            name: bot,
            bot: true,
            text,
            reply_to: Some(&native),
            at: node.clock.now(),
        };
        self.live.post(node.log.as_ref(), posted).await?;
        Ok(())
    }
}

/// A turn that is not answered, for machines.
#[derive(Serialize)]
struct Silent {
    /// One of docs/outcomes.md.
    outcome: &'static str,
    /// Why, in one sentence.
    reason: &'static str,
}

/// An answer that is taken back, for machines.
#[derive(Serialize)]
struct TakenBack {
    outcome: &'static str,
    answer: AnswerId,
    /// Why, in one sentence.
    reason: &'static str,
}

/// An answer, for machines.
#[derive(Serialize)]
struct Spoken<'a> {
    outcome: &'static str,
    answer: AnswerId,
    /// Whom it answers.
    to: &'a str,
    /// The text, in Markdown.
    text: &'a str,
}
