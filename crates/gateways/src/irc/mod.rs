//! The IRC gateway: the bot is in channels of one server, as `docs/irc.md` describes.
//!
//! IRC has no ids of messages and no history, so what is said while the bot is away is not heard.
//! What was heard is kept in memory until the log has it. Nothing from the server is trusted: lines
//! are bounded, and no text can become a command. No password and no text of a message is in an
//! error, in a log or in `Debug`.
//!
//! | module | holds |
//! |---|---|
//! | `config` | what is configured, checked once |
//! | `line` | lines of the protocol, and long texts in parts |
//! | `session` | what a connection knows and does, without I/O |
//! | `connection` | TCP or TLS, bounded lines, the pace of what is sent |

mod config;
mod connection;
mod line;
mod session;

use std::collections::{BTreeSet, VecDeque};
use std::convert::Infallible;
use std::fmt;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use async_trait::async_trait;
use threadlore_model::{
    Audience, Body, ChannelId, Delivery, DeliveryKind, Event, SpaceId, Timestamp,
};
use threadlore_ports::{Class, Clock, Gateway, Inbox, PortError, SentMessage};
use tokio::sync::{mpsc, oneshot};
use tokio_rustls::TlsConnector;

use crate::live::{GREETING, LiveChannel, Posted};
use crate::render::{Platform, render};

pub use config::{IrcConfig, IrcError, IrcSettings};
use connection::{Lines, Writer, connect, tls};
use line::{Command, parts};
use session::{Act, Heard, Session};

const DOING: &str = "being in channels of IRC";
const DELIVERING: &str = "sending to a channel of IRC";

/// Longest time to connect, the handshake of TLS with it.
const CONNECT: Duration = Duration::from_secs(20);
/// After so much silence the server is asked whether it is there, and after so much more it is not.
const SILENCE: Duration = Duration::from_secs(90);
/// Time before what the log did not take is handed to it again.
const AGAIN: Duration = Duration::from_secs(1);
/// Bytes of a text in one line: 512 less the end, the command and the longest sender that a server
/// puts before it.
const MOST_BYTES: usize = 350;
/// Lines of one answer at most.
const MOST_LINES: usize = 12;
/// Messages whose writer is remembered, to be named in the answer.
const REMEMBERED: usize = 1000;

/// A gateway for the channels of one server.
pub struct IrcGateway {
    config: IrcConfig,
    tls: Option<TlsConnector>,
    clock: Arc<dyn Clock>,
    /// Messages heard, so that two of one moment have two ids.
    heard: AtomicU64,
    state: Mutex<State>,
}

/// What both directions share.
#[derive(Default)]
struct State {
    /// Where lines are sent; `None` while there is no connection.
    sender: Option<mpsc::Sender<Outgoing>>,
    /// Channels that the bot is in.
    joined: BTreeSet<ChannelId>,
    /// Ids of the latest messages with the nicks of their writers.
    writers: VecDeque<(String, String)>,
}

/// Lines of one answer.
struct Outgoing {
    lines: Vec<Command>,
    /// Told once all are with the server.
    done: oneshot::Sender<()>,
}

/// What is handed over.
enum News {
    Message(Box<Event>),
    Channel {
        channel: ChannelId,
        admins: Vec<String>,
        audience: Audience,
    },
}

impl fmt::Debug for IrcGateway {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IrcGateway")
            .field("config", &self.config)
            .finish_non_exhaustive()
    }
}

impl IrcGateway {
    /// A gateway that is not connected yet.
    ///
    /// # Errors
    /// When what an encrypted connection trusts cannot be read.
    pub fn new(config: IrcConfig, clock: Arc<dyn Clock>) -> Result<Self, IrcError> {
        let authorities = config.authorities.as_deref();
        let tls = config.tls.then(|| tls(authorities)).transpose()?;
        Ok(Self {
            config,
            tls,
            clock,
            heard: AtomicU64::new(0),
            state: Mutex::default(),
        })
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn connected(&self) -> Result<(Lines, Writer), PortError> {
        tokio::select! {
            connected = connect(&self.config, self.tls.as_ref()) => connected.map_err(|error| {
                match (self.config.tls, error.kind()) {
                    // What rustls says of a certificate, or of bytes that are no TLS.
                    (true, io::ErrorKind::InvalidData) => PortError::Refused {
                        doing: DOING,
                        reason: format!(
                            "the connection cannot be encrypted ({error}): name the server's own \
                             authority with `irc.ca_file`, or look whether the port is one for TLS \
                             (`irc.tls`)"
                        ),
                    },
                    _ => lost(error),
                }
            }),
            () = self.clock.sleep(CONNECT) => Err(ended("the server does not answer")),
        }
    }

    /// Works on one connection until it ends.
    async fn work(
        &self,
        inbox: &dyn Inbox,
        (mut lines, mut writer): (Lines, Writer),
    ) -> Result<Infallible, PortError> {
        let (sender, mut outgoing) = mpsc::channel::<Outgoing>(1);
        self.lock().sender = Some(sender);
        let (mut session, first) = Session::begin(&self.config);
        for command in &first {
            writer.send(command).await.map_err(lost)?;
        }
        let mut sending: Option<oneshot::Sender<()>> = None;
        let mut was_asked = false;
        loop {
            let pause = writer.pause(self.clock.now());
            tokio::select! {
                line = lines.next() => {
                    let Some(line) = line.map_err(lost)? else {
                        return Err(ended("the server closed the connection"));
                    };
                    was_asked = false;
                    for act in session.take(&line) {
                        self.act(act, inbox, &mut writer).await?;
                    }
                }
                next = outgoing.recv(), if sending.is_none() => {
                    let Some(next) = next else {
                        return Err(ended("the gateway ended"));
                    };
                    next.lines.into_iter().for_each(|line| writer.push(line));
                    sending = Some(next.done);
                }
                () = self.clock.sleep(pause.unwrap_or_default()), if pause.is_some() => {
                    writer.send_next(self.clock.now()).await.map_err(lost)?;
                    if writer.is_idle() && let Some(done) = sending.take() {
                        // Who asked may have given up.
                        done.send(()).ok();
                    }
                }
                () = self.clock.sleep(SILENCE) => {
                    if was_asked {
                        return Err(ended("the server does not answer"));
                    }
                    was_asked = true;
                    let ping = Command::new("PING", &[], Some("threadlore"));
                    writer.send(&ping).await.map_err(lost)?;
                }
            }
        }
    }

    async fn act(&self, act: Act, inbox: &dyn Inbox, writer: &mut Writer) -> Result<(), PortError> {
        match act {
            Act::Send(command) => writer.send(&command).await.map_err(lost),
            Act::Posted(heard) => self.posted(heard, inbox).await,
            Act::Operators {
                channel: name,
                people,
                audience,
            } => {
                let Some(id) = self.config.channel(&name) else {
                    return Ok(());
                };
                let people = match self.config.admins.as_slice() {
                    [] => people,
                    chosen => chosen
                        .iter()
                        .map(|nick| crate::format::fold(nick))
                        .collect(),
                };
                // Where nobody but the bot is one, as after a split of the network, the last ones stay.
                if people.is_empty() {
                    return Ok(());
                }
                let channel = News::Channel {
                    channel: id,
                    admins: people,
                    audience,
                };
                if self.hand_over(inbox, channel).await? {
                    for line in parts(GREETING, MOST_BYTES) {
                        writer.push(Command::new("PRIVMSG", &[&name], Some(line)));
                    }
                }
                Ok(())
            }
            Act::Joined(channel) => {
                tracing::info!(channel, nick = self.config.nick, "in a channel of IRC");
                let id = self.config.channel(&channel);
                self.lock().joined.extend(id);
                Ok(())
            }
            Act::Left(channel) => {
                if let Some(id) = self.config.channel(&channel) {
                    self.lock().joined.remove(&id);
                }
                Ok(())
            }
            Act::Warn(reason) => {
                tracing::warn!(reason, "IRC");
                Ok(())
            }
            Act::Refused(reason) => Err(PortError::Refused {
                doing: DOING,
                reason,
            }),
            Act::Ended(reason) => {
                tracing::warn!(reason, "the IRC server ends the connection");
                Err(ended("the server ended the connection"))
            }
        }
    }

    async fn posted(&self, heard: Heard, inbox: &dyn Inbox) -> Result<(), PortError> {
        match self.event(&heard) {
            Some(event) => {
                let message = News::Message(Box::new(event));
                self.hand_over(inbox, message).await.map(drop)
            }
            None => Ok(()),
        }
    }

    /// The message as an event, whose writer is remembered.
    fn event(&self, heard: &Heard) -> Option<Event> {
        let now = self.clock.now();
        let count = self.heard.fetch_add(1, Ordering::Relaxed);
        let id = heard.id.clone();
        let id = id.unwrap_or_else(|| format!("{}-{count}", now.as_millis()));
        let channel = LiveChannel {
            space: self.config.space.clone(),
            channel: self.config.channel(&heard.channel)?,
        };
        let mut event = channel.message(Posted {
            native_id: &id,
            author: &heard.author,
            name: &heard.nick,
            bot: heard.bot,
            text: &heard.text,
            reply_to: heard.reply_to.as_deref(),
            at: heard.at.as_deref().and_then(time).unwrap_or(now),
        });
        if let Body::PlatformMessage(message) = &mut event.body {
            message.to_bot = heard.to_bot;
        }
        let mut state = self.lock();
        if state.writers.len() >= REMEMBERED {
            state.writers.pop_front();
        }
        state.writers.push_back((id, heard.nick.clone()));
        Some(event)
    }

    /// Hands something to the log until it is taken: nobody says it again. Returns whether it is about
    /// a channel that was never heard of before.
    async fn hand_over(&self, inbox: &dyn Inbox, what: News) -> Result<bool, PortError> {
        loop {
            let taken = match &what {
                News::Message(event) => {
                    let taken = inbox.take(vec![Event::clone(event)]).await;
                    taken.map(|()| false)
                }
                News::Channel {
                    channel,
                    admins,
                    audience,
                } => {
                    let space = &self.config.space;
                    inbox.channel(space, channel, admins, Some(*audience)).await
                }
            };
            match taken {
                Err(error) if error.class() == Class::Retry => self.clock.sleep(AGAIN).await,
                // One that can never be taken must not keep the others from it.
                Err(error) if error.class() == Class::DeadLetter => {
                    tracing::error!(%error, "what IRC said cannot be taken");
                    return Ok(false);
                }
                done => return done,
            }
        }
    }

    /// The lines of an answer. The first names who asked.
    fn lines(&self, channel: &ChannelId, text: &str, reply_to: &str) -> Vec<String> {
        let whole = Platform::Plain { limit: usize::MAX };
        let body: Vec<String> = render(text, whole)
            .into_iter()
            .map(|part| part.body)
            .collect();
        let asker = {
            let state = self.lock();
            let mut writers = state.writers.iter().rev();
            writers
                .find(|(id, _)| id == reply_to)
                .map(|(_, nick)| nick.clone())
        };
        let most = MOST_BYTES.saturating_sub(channel.native().len());
        let body = body.join("\n");
        let body = match asker {
            Some(nick) if !body.trim().is_empty() => format!("{nick}: {}", body.trim_start()),
            _ => body,
        };
        let mut lines: Vec<&str> = body.lines().flat_map(|line| parts(line, most)).collect();
        // The last line says where it comes from.
        if lines.len() > MOST_LINES {
            lines.drain(MOST_LINES - 1..lines.len() - 1);
        }
        lines.into_iter().map(str::to_owned).collect()
    }
}

/// The connection failed.
fn lost(error: io::Error) -> PortError {
    PortError::Unavailable {
        doing: DOING,
        what: "the IRC server",
        source: Some(Box::new(error)),
    }
}

fn ended(reason: &'static str) -> PortError {
    PortError::Busy {
        doing: DOING,
        reason,
        source: None,
    }
}

/// The time of a message as servers write it.
fn time(text: &str) -> Option<Timestamp> {
    let at: jiff::Timestamp = text.parse().ok()?;
    Some(Timestamp::from_millis(at.as_millisecond()))
}

/// The connection is gone when this is.
struct Gone<'a>(&'a IrcGateway);

impl Drop for Gone<'_> {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        state.sender = None;
        state.joined.clear();
    }
}

#[async_trait]
impl Gateway for IrcGateway {
    fn name(&self) -> &'static str {
        "irc"
    }

    fn platforms(&self) -> &[String] {
        &self.config.platforms
    }

    fn is_exclusive(&self) -> bool {
        true
    }

    async fn receive(&self, inbox: &dyn Inbox) -> Result<Infallible, PortError> {
        let _gone = Gone(self);
        let connection = self.connected().await?;
        self.work(inbox, connection).await
    }

    async fn deliver(
        &self,
        _space: &SpaceId,
        delivery: &Delivery,
    ) -> Result<Vec<SentMessage>, PortError> {
        let DeliveryKind::Answer { text, reply_to, .. } = &delivery.what else {
            return Err(PortError::Refused {
                doing: DELIVERING,
                reason: "IRC has no way to take back what was said".to_owned(),
            });
        };
        let busy = |reason| PortError::Busy {
            doing: DELIVERING,
            reason,
            source: None,
        };
        let sender = {
            let state = self.lock();
            match state.joined.contains(&delivery.channel) {
                true => state.sender.clone(),
                false => None,
            }
        };
        let sender = sender.ok_or_else(|| busy("the bot is not in the channel"))?;
        let said = self.lines(&delivery.channel, text, reply_to);
        // Without a line nothing would tell that all of it was sent.
        if said.is_empty() {
            return Err(PortError::Refused {
                doing: DELIVERING,
                reason: "the answer has no text that can be seen".to_owned(),
            });
        }
        let native = delivery.channel.native().replace("%2F", "/");
        let lines = said
            .iter()
            .map(|line| Command::new("PRIVMSG", &[&native], Some(line)));
        let (done, told) = oneshot::channel();
        let outgoing = Outgoing {
            lines: lines.collect(),
            done,
        };
        const CUT: &str = "the connection ended before all of it was sent";
        sender.send(outgoing).await.map_err(|_| busy(CUT))?;
        told.await.map_err(|_| busy(CUT))?;
        Ok(vec![SentMessage {
            native_id: delivery.key(),
            text: said.join("\n"),
        }])
    }
}
