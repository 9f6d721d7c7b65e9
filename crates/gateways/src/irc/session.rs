//! What a connection knows and does: a state that lines change, without any I/O.

use std::collections::{BTreeMap, BTreeSet};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use threadlore_model::Audience;

use super::config::IrcConfig;
use super::line::{Command, Line};
use crate::format::fold;

/// Capabilities that are used where a server has them: accounts of people, the time of a message.
const WANTED: [&str; 5] = [
    "account-notify",
    "account-tag",
    "extended-join",
    "message-tags",
    "server-time",
];
/// Other nicks that are tried, each longer by one mark.
const OTHER_NICKS: usize = 3;
/// Bytes of one piece of an answer to a login.
const LOGIN_PIECE: usize = 400;

/// What is to be done after a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Act {
    /// A line is sent.
    Send(Command),
    /// Somebody wrote in a channel.
    Posted(Heard),
    /// The operators of a channel are known, by their ids, and who can read it.
    Operators {
        channel: String,
        people: Vec<String>,
        audience: Audience,
    },
    /// The bot is in a channel, or not any more.
    Joined(String),
    Left(String),
    /// Something that an operator should know; the connection goes on.
    Warn(String),
    /// The server does not let the bot in.
    Refused(String),
    /// The server ends the connection.
    Ended(String),
}

/// A message of a channel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Heard {
    pub(super) channel: String,
    /// The platform's id of it, where the server gives one.
    pub(super) id: Option<String>,
    /// The account of the writer, or else the nick.
    pub(super) author: String,
    pub(super) nick: String,
    pub(super) bot: bool,
    pub(super) text: String,
    /// The id of the message that it replies to, where clients say so.
    pub(super) reply_to: Option<String>,
    /// When the server got it, where it says so.
    pub(super) at: Option<String>,
    /// Whether it is addressed to the bot.
    pub(super) to_bot: bool,
}

/// Modes of a channel that is not for everybody: by invitation, with a key, secret, private.
const CLOSED: [char; 4] = ['i', 'k', 's', 'p'];

/// A channel that is joined.
#[derive(Debug, Clone, Default)]
struct Room {
    operators: BTreeSet<String>,
    /// Operators of a list of names that has not ended.
    listed: BTreeSet<String>,
    /// Whether not everybody can join it, or see that it is there.
    is_closed: bool,
}

/// The state of a connection.
pub(super) struct Session<'a> {
    config: &'a IrcConfig,
    nick: String,
    is_welcome: bool,
    offered: BTreeSet<String>,
    /// Channels by their folded names.
    rooms: BTreeMap<String, Room>,
    /// Accounts by folded nicks.
    accounts: BTreeMap<String, String>,
}

impl<'a> Session<'a> {
    /// A session, and the lines that begin it.
    pub(super) fn begin(config: &'a IrcConfig) -> (Self, Vec<Command>) {
        let session = Self {
            config,
            nick: config.nick.clone(),
            is_welcome: false,
            offered: BTreeSet::new(),
            rooms: BTreeMap::new(),
            accounts: BTreeMap::new(),
        };
        let mut first = vec![Command::new("CAP", &["LS", "302"], None)];
        if let Some(password) = &config.password {
            first.push(Command::new("PASS", &[], Some(password)));
        }
        first.push(Command::new("NICK", &[&config.nick], None));
        let user = ["threadlore", "0", "*"];
        first.push(Command::new(
            "USER",
            &user,
            Some("Threadlore, a bot that answers"),
        ));
        (session, first)
    }

    /// Takes a line of the server.
    pub(super) fn take(&mut self, line: &Line) -> Vec<Act> {
        match line.command.as_str() {
            "PING" => vec![Act::Send(Command::new("PONG", &[], Some(line.last())))],
            "CAP" => self.capabilities(line),
            "AUTHENTICATE" => self.login(),
            "903" => vec![end_of_capabilities()],
            "902" | "904" | "905" | "906" | "908" => {
                vec![Act::Refused(format!(
                    "the login (SASL) was refused: {}",
                    line.last()
                ))]
            }
            "001" => self.welcome(line),
            "433" | "436" | "437" if !self.is_welcome => self.other_nick(),
            "432" => vec![Act::Refused(format!(
                "the nick {} is not valid there: choose another with `irc.nick`",
                self.nick
            ))],
            "464" | "465" => vec![Act::Refused(line.last().to_owned())],
            "403" | "405" | "471" | "473" | "474" | "475" | "476" | "477" | "489" => {
                vec![Act::Warn(format!(
                    "{} cannot be joined: {}",
                    line.parameter(1),
                    line.last()
                ))]
            }
            "353" => self.names(line),
            "366" => self.end_of_names(line),
            "324" => self.has_modes(line),
            "JOIN" => self.joined(line),
            "PART" => self.left(line.parameter(0), &line.from, None),
            "KICK" => self.left(line.parameter(0), line.parameter(1), Some(line.last())),
            "QUIT" => self.gone(&line.from),
            "NICK" => self.renamed(line),
            "ACCOUNT" => {
                self.account(&line.from, line.parameter(0));
                Vec::new()
            }
            "MODE" => self.modes(line),
            "PRIVMSG" => self.heard(line).into_iter().map(Act::Posted).collect(),
            "ERROR" => vec![Act::Ended(line.last().to_owned())],
            _ => Vec::new(),
        }
    }

    /// Whether a channel is joined.
    pub(super) fn is_in(&self, channel: &str) -> bool {
        self.rooms.contains_key(&fold(channel))
    }

    fn capabilities(&mut self, line: &Line) -> Vec<Act> {
        let names = line.last().split_whitespace();
        match line.parameter(1).to_ascii_uppercase().as_str() {
            "LS" => {
                let names = names.map(|name| name.split('=').next().unwrap_or_default());
                self.offered.extend(names.map(str::to_owned));
                // More lines follow.
                if line.parameter(2) == "*" {
                    return Vec::new();
                }
                self.requested()
            }
            "ACK" if names.clone().any(|name| name == "sasl") => {
                vec![Act::Send(Command::new("AUTHENTICATE", &["PLAIN"], None))]
            }
            "NAK" if self.config.login.is_some() => {
                vec![Act::Refused(
                    "it refuses to begin a login (SASL)".to_owned(),
                )]
            }
            "ACK" | "NAK" => vec![end_of_capabilities()],
            _ => Vec::new(),
        }
    }

    fn requested(&self) -> Vec<Act> {
        let mut wanted: Vec<&str> = WANTED
            .into_iter()
            .filter(|name| self.offered.contains(*name))
            .collect();
        if self.config.login.is_some() {
            if !self.offered.contains("sasl") {
                return vec![Act::Refused(
                    "it offers no login (SASL): leave out `irc.sasl_user`, or choose another server"
                        .to_owned(),
                )];
            }
            wanted.push("sasl");
        }
        match wanted.is_empty() {
            true => vec![end_of_capabilities()],
            false => {
                let wanted = wanted.join(" ");
                vec![Act::Send(Command::new("CAP", &["REQ"], Some(&wanted)))]
            }
        }
    }

    fn login(&self) -> Vec<Act> {
        let Some((user, password)) = &self.config.login else {
            return vec![Act::Send(Command::new("AUTHENTICATE", &["*"], None))];
        };
        let said = STANDARD.encode(format!("\0{user}\0{password}"));
        let mut pieces: Vec<&str> = Vec::new();
        let mut rest = said.as_str();
        while rest.len() > LOGIN_PIECE {
            let (piece, after) = rest.split_at(LOGIN_PIECE);
            pieces.push(piece);
            rest = after;
        }
        // A last piece of the full length is followed by an empty one.
        let ends_full = rest.len() == LOGIN_PIECE;
        pieces.push(rest);
        pieces.extend(ends_full.then_some("+"));
        let pieces = pieces.into_iter();
        pieces
            .map(|piece| Act::Send(Command::new("AUTHENTICATE", &[piece], None)))
            .collect()
    }

    fn welcome(&mut self, line: &Line) -> Vec<Act> {
        self.is_welcome = true;
        if !line.parameter(0).is_empty() {
            line.parameter(0).clone_into(&mut self.nick);
        }
        let channels = self.config.channels.iter();
        channels
            .map(|channel| Act::Send(Command::new("JOIN", &[channel], None)))
            .collect()
    }

    fn other_nick(&mut self) -> Vec<Act> {
        if self.nick.len() >= self.config.nick.len() + OTHER_NICKS {
            return vec![Act::Refused(format!(
                "the nick {} is taken, and so are {OTHER_NICKS} like it: choose another with \
                 `irc.nick`",
                self.config.nick
            ))];
        }
        self.nick.push('_');
        vec![Act::Send(Command::new("NICK", &[&self.nick], None))]
    }

    fn names(&mut self, line: &Line) -> Vec<Act> {
        let names: Vec<String> = line
            .last()
            .split_whitespace()
            .filter(|name| name.starts_with(['~', '&', '@', '!']))
            .map(|name| fold(name.trim_start_matches(['~', '&', '@', '!', '%', '+'])))
            .collect();
        if let Some(room) = self.rooms.get_mut(&fold(line.parameter(2))) {
            // `=` is open; `@` and `*` are hidden.
            room.is_closed |= line.parameter(1) != "=";
            room.listed.extend(names);
        }
        Vec::new()
    }

    fn end_of_names(&mut self, line: &Line) -> Vec<Act> {
        let channel = line.parameter(1).to_owned();
        let Some(room) = self.rooms.get_mut(&fold(&channel)) else {
            return Vec::new();
        };
        room.operators = std::mem::take(&mut room.listed);
        // The list does not say whether a key or an invitation is needed.
        let modes = Command::new("MODE", &[&channel], None);
        vec![Act::Send(modes), self.operators(&channel)]
    }

    /// The modes of a channel: one that needs an invitation or a key, or is hidden, is not for
    /// everybody.
    fn has_modes(&mut self, line: &Line) -> Vec<Act> {
        let channel = line.parameter(1).to_owned();
        let Some(room) = self.rooms.get_mut(&fold(&channel)) else {
            return Vec::new();
        };
        let was_closed = room.is_closed;
        room.is_closed = line.parameter(2).contains(CLOSED);
        match room.is_closed == was_closed {
            true => Vec::new(),
            false => vec![self.operators(&channel)],
        }
    }

    /// The operators of a channel but the bot, by their ids.
    fn operators(&self, channel: &str) -> Act {
        let room = self.rooms.get(&fold(channel));
        let own = fold(&self.nick);
        let nicks = room.into_iter().flat_map(|room| &room.operators);
        let nicks = nicks.filter(|nick| **nick != own);
        Act::Operators {
            channel: channel.to_owned(),
            people: nicks.map(|nick| self.author(nick)).collect(),
            audience: match room.is_some_and(|room| !room.is_closed) {
                true => Audience::Public,
                false => Audience::Members,
            },
        }
    }

    fn joined(&mut self, line: &Line) -> Vec<Act> {
        let channel = line.parameter(0);
        if fold(&line.from) == fold(&self.nick) {
            self.rooms.insert(fold(channel), Room::default());
            return vec![Act::Joined(channel.to_owned())];
        }
        // With `extended-join`, the account follows.
        if line.parameters.len() > 2 {
            self.account(&line.from, line.parameter(1));
        }
        Vec::new()
    }

    fn left(&mut self, channel: &str, nick: &str, kicked: Option<&str>) -> Vec<Act> {
        if fold(nick) == fold(&self.nick) {
            self.rooms.remove(&fold(channel));
            let why = kicked.map(|why| format!("the bot was put out of {channel}: {why}"));
            let left = Act::Left(channel.to_owned());
            return why.map(Act::Warn).into_iter().chain([left]).collect();
        }
        let was_operator = self
            .rooms
            .get_mut(&fold(channel))
            .is_some_and(|room| room.operators.remove(&fold(nick)));
        match was_operator {
            true => vec![self.operators(channel)],
            false => Vec::new(),
        }
    }

    fn gone(&mut self, nick: &str) -> Vec<Act> {
        let nick = fold(nick);
        self.accounts.remove(&nick);
        let mut changed = Vec::new();
        for (channel, room) in &mut self.rooms {
            if room.operators.remove(&nick) {
                changed.push(channel.clone());
            }
        }
        changed
            .iter()
            .map(|channel| self.operators(channel))
            .collect()
    }

    fn renamed(&mut self, line: &Line) -> Vec<Act> {
        let (old, new) = (fold(&line.from), line.parameter(0));
        if old == fold(&self.nick) {
            new.clone_into(&mut self.nick);
        }
        if let Some(account) = self.accounts.remove(&old) {
            self.accounts.insert(fold(new), account);
        }
        let mut changed = Vec::new();
        for (channel, room) in &mut self.rooms {
            if room.operators.remove(&old) {
                room.operators.insert(fold(new));
                changed.push(channel.clone());
            }
        }
        changed
            .iter()
            .map(|channel| self.operators(channel))
            .collect()
    }

    fn account(&mut self, nick: &str, account: &str) {
        match account {
            "" | "*" => self.accounts.remove(&fold(nick)),
            account => self.accounts.insert(fold(nick), account.to_owned()),
        };
    }

    /// A change of operators has the names listed once more.
    fn modes(&self, line: &Line) -> Vec<Act> {
        let channel = line.parameter(0);
        let changed = line.parameter(1);
        let asked = match self.is_in(channel) {
            true if changed.contains(['o', 'a', 'q']) => "NAMES",
            true if changed.contains(CLOSED) => "MODE",
            _ => return Vec::new(),
        };
        vec![Act::Send(Command::new(asked, &[channel], None))]
    }

    fn heard(&mut self, line: &Line) -> Option<Heard> {
        let (channel, text) = (line.parameter(0), line.last());
        if !self.is_in(channel) || fold(&line.from) == fold(&self.nick) {
            return None;
        }
        let text = match text.strip_prefix('\u{1}') {
            Some(action) => action.trim_end_matches('\u{1}').strip_prefix("ACTION ")?,
            None => text,
        };
        let text: String = plain(text);
        if text.trim().is_empty() {
            return None;
        }
        if let Some(account) = line.tag("account") {
            self.account(&line.from, account);
        }
        Some(Heard {
            channel: channel.to_owned(),
            id: line.tag("msgid").map(str::to_owned),
            author: self.author(&line.from),
            nick: line.from.clone(),
            bot: self.config.bots.has(&line.from) || line.tags.iter().any(|(tag, _)| tag == "bot"),
            to_bot: self.is_to_bot(&text),
            text,
            reply_to: line
                .tag("+draft/reply")
                .or(line.tag("+reply"))
                .map(str::to_owned),
            at: line.tag("time").map(str::to_owned),
        })
    }

    /// The account of a nick, or else the nick, folded.
    fn author(&self, nick: &str) -> String {
        let nick = fold(nick);
        self.accounts.get(&nick).cloned().unwrap_or(nick)
    }

    /// Whether a text begins with the bot's nick, or has it behind an `@`.
    fn is_to_bot(&self, text: &str) -> bool {
        let own = fold(&self.nick);
        let mut words = text.split_whitespace();
        let first = words.clone().next().unwrap_or_default();
        let is_first =
            first.ends_with([':', ',']) && fold(first.trim_end_matches([':', ','])) == own;
        is_first
            || words.any(|word| {
                let bare = word.trim_end_matches(|c: char| c.is_ascii_punctuation() && c != '_');
                bare.strip_prefix('@').is_some_and(|name| fold(name) == own)
            })
    }
}

fn end_of_capabilities() -> Act {
    Act::Send(Command::new("CAP", &["END"], None))
}

/// The text without the codes for colours and styles.
fn plain(text: &str) -> String {
    let (mut out, mut rest) = (String::with_capacity(text.len()), text.chars().peekable());
    while let Some(c) = rest.next() {
        match c {
            // A colour: up to two digits, and behind a comma two more.
            '\u{3}' => {
                for part in 0..2 {
                    let mut digits = 0;
                    while digits < 2 && rest.next_if(char::is_ascii_digit).is_some() {
                        digits += 1;
                    }
                    let goes_on = part == 0 && digits > 0 && {
                        let mut ahead = rest.clone();
                        ahead.next() == Some(',')
                            && ahead.next().is_some_and(|c| c.is_ascii_digit())
                    };
                    if !goes_on {
                        break;
                    }
                    rest.next();
                }
            }
            c if c.is_control() => {}
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests;
