//! Imports: which files or chats go to which channel, and appending them to the log.

use std::path::{Path, PathBuf};
use std::str::FromStr;

use jiff::tz::TimeZone;
use threadlore_gateways::{
    Bots, Export, ExportChat, Format, ImportError, ImportOptions, LogFile, Progress, Summary,
    Target, end_history, export, files, import, is_export,
};
use threadlore_model::{ChannelId, SpaceId, Timestamp};

use crate::error::BadInput;
use crate::node::Node;

/// What somebody wants to be imported, in their words.
#[derive(Debug, Clone)]
pub struct ImportRequest {
    /// The space.
    pub space: SpaceId,
    /// The channel; the chats of an export have their own.
    pub channel: Option<ChannelId>,
    /// Names of bots, separated by commas.
    pub bots: String,
    /// Day of an IRC log's first line, `YYYY-MM-DD`.
    pub date: Option<String>,
    /// Zone of moments that are written without one.
    pub timezone: Option<String>,
    /// The format; found out where it is not said.
    pub format: Option<String>,
    /// Append everything again, whatever was done before.
    pub again: bool,
}

/// What is imported.
#[derive(Debug)]
pub struct ImportPlan {
    path: PathBuf,
    /// Each channel with what comes into it.
    pub parts: Vec<(ImportOptions, ImportSource)>,
    /// What the export has, where it is one.
    pub export: Option<ExportContents>,
}

/// What comes into a channel.
#[derive(Debug)]
pub enum ImportSource {
    /// Logs of it.
    Logs(Vec<LogFile>),
    /// A chat of an export.
    Chat(ExportChat),
}

/// What an export has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportContents {
    /// The program or platform that wrote it.
    pub name: &'static str,
    /// Its chats, with how many messages each has.
    pub chats: Vec<(ChannelId, u64)>,
    /// Conversations among a few people that were left out.
    pub left_out: usize,
}

impl ImportRequest {
    /// Whether there is a place for it, and something at the path that can be read.
    ///
    /// # Errors
    /// [`BadInput`], and what the files say.
    pub fn check(&self, path: &Path) -> anyhow::Result<()> {
        // Of a format that is named there is no export.
        if self.format.is_none() && is_export(path)? {
            return Ok(());
        }
        self.options(self.named(path)?)?;
        for file in files(path)? {
            file.check()?;
        }
        Ok(())
    }

    /// Whether it has to be said which channel it goes to.
    ///
    /// # Errors
    /// What the files say.
    pub fn wants_channel(&self, path: &Path) -> anyhow::Result<bool> {
        let is_open = self.channel.is_none() && self.format.is_none();
        Ok(is_open && !is_export(path)?)
    }

    fn named(&self, path: &Path) -> anyhow::Result<ChannelId> {
        let unnamed = || {
            BadInput(format!(
                "{} is no export that is known (docs/import-format.md), so it is taken for logs of one channel: \
                 name the channel: --channel irc:#ubuntu",
                path.display()
            ))
        };
        Ok(self.channel.clone().ok_or_else(unnamed)?)
    }

    /// The options for the importer.
    fn options(&self, channel: ChannelId) -> anyhow::Result<ImportOptions> {
        let bad = |e: &dyn std::fmt::Display| BadInput(e.to_string());
        let format = self.format.as_deref().map(Format::from_str).transpose();
        let date = self.date.as_deref();
        let date = date.map(jiff::civil::Date::from_str).transpose();
        Ok(ImportOptions {
            target: Target {
                space: self.space.clone(),
                channel,
                bots: Bots::parse(&self.bots).map_err(|e| bad(&e))?,
            },
            format: format.map_err(|e| bad(&e))?,
            date: date.map_err(|e| bad(&format!("the date is not a day (YYYY-MM-DD): {e}")))?,
            timezone: self.timezone.as_deref().map(zone).transpose()?,
            again: self.again,
        })
    }

    /// The chats of an export that are imported, each with its channel: all, or the one that is named. Of an
    /// export of one chat, the channel that is named is where it goes.
    fn chosen(
        &self,
        mut chats: Vec<ExportChat>,
        known: &ExportContents,
    ) -> anyhow::Result<Vec<(ChannelId, ExportChat)>> {
        let Some(named) = &self.channel else {
            let own = |chat: ExportChat| (chat.channel.clone(), chat);
            return Ok(chats.into_iter().map(own).collect());
        };
        let at = chats.iter().position(|chat| chat.channel == *named);
        let chat = match (at, chats.len()) {
            (Some(at), _) => chats.swap_remove(at),
            (None, 1) => chats.swap_remove(0),
            (None, _) => {
                let counted = |count: u64, noun: &str| {
                    let plural = if count == 1 { "" } else { "s" };
                    format!("{count} {noun}{plural}")
                };
                let line = |(channel, messages): &(ChannelId, u64)| {
                    format!("\n  {channel}  {}", counted(*messages, "message"))
                };
                let mut listed: String = known.chats.iter().map(line).collect();
                if known.left_out > 0 {
                    let left_out = counted(known.left_out as u64, "conversation");
                    listed.push_str(&format!("\n  ({left_out} of a few people left out)"));
                }
                return Err(BadInput(format!(
                    "the export has no chat {named}: leave --channel out to import all of it, or name one of \
                     these:{listed}"
                ))
                .into());
            }
        };
        Ok(vec![(named.clone(), chat)])
    }
}

/// A zone by its name, or by how far it is from UTC.
fn zone(text: &str) -> Result<TimeZone, BadInput> {
    let offset = jiff::fmt::temporal::DateTimeParser::new().parse_time_zone(text);
    offset.or_else(|_| TimeZone::get(text)).map_err(|_| {
        BadInput(format!(
            "the timezone is {text:?}, and has to be a zone such as Europe/Berlin, or an offset such as +02:00"
        ))
    })
}

impl ImportPlan {
    /// Finds out what there is to import at a path, and reads an export. It reads as long as the files are.
    ///
    /// # Errors
    /// [`BadInput`], and what the files say.
    pub fn read(request: &ImportRequest, path: &Path) -> anyhow::Result<Self> {
        let found = match request.format {
            Some(_) => None,
            None => export(path)?,
        };
        let path = path.to_owned();
        let Some(Export {
            name,
            chats,
            left_out,
        }) = found
        else {
            let into = request.options(request.named(&path)?)?;
            let parts = vec![(into, ImportSource::Logs(files(&path)?))];
            return Ok(Self {
                path,
                parts,
                export: None,
            });
        };
        let known = chats
            .iter()
            .map(|chat| (chat.channel.clone(), chat.messages));
        let known = ExportContents {
            name,
            chats: known.collect(),
            left_out: left_out.len(),
        };
        let chosen = request.chosen(chats, &known)?;
        let parts = chosen.into_iter().map(|(channel, chat)| {
            let mut into = request.options(channel)?;
            into.timezone.get_or_insert(TimeZone::UTC);
            Ok((into, ImportSource::Chat(chat)))
        });
        Ok(Self {
            path,
            parts: parts.collect::<anyhow::Result<_>>()?,
            export: Some(known),
        })
    }

    /// Where it comes to.
    #[must_use]
    pub fn channels(&self) -> Vec<ChannelId> {
        let channels = self.parts.iter().map(|(into, _)| &into.target.channel);
        channels.cloned().collect()
    }

    /// How many files or chats it has.
    #[must_use]
    pub fn count(&self) -> usize {
        let parts = self.parts.iter().map(|(_, source)| match source {
            ImportSource::Logs(files) => files.len(),
            ImportSource::Chat(_) => 1,
        });
        parts.sum()
    }

    /// Appends it to `chat.inbox`. `at` is called with the bytes that are read, and with all of them.
    ///
    /// # Errors
    /// What the files and the log say; somebody imports the same already.
    pub async fn take(&self, node: &Node, at: impl Fn(u64, u64) + Sync) -> anyhow::Result<Summary> {
        let mut importing = Vec::new();
        let mut total = 0;
        for (options, source) in &self.parts {
            let Target { space, channel, .. } = &options.target;
            let paths: Vec<(&Path, u64)> = match source {
                ImportSource::Logs(files) => {
                    let files = files.iter();
                    files.map(|file| (file.path.as_path(), file.size)).collect()
                }
                ImportSource::Chat(chat) => vec![(&self.path, chat.input().size)],
            };
            for (path, size) in paths {
                importing.push(node.imports.begin(space, channel, path)?);
                total += size;
            }
        }
        let (mut all, mut before) = (Summary::default(), 0);
        let (log, blobs, clock) = (node.log.as_ref(), node.blobs(), &node.clock);
        for (options, source) in &self.parts {
            let mut part = Summary::default();
            match source {
                ImportSource::Logs(files) => {
                    for file in files {
                        let at = |now: Progress| at(before + now.read.bytes, total);
                        let imported = match file.open() {
                            Ok(input) => import(log, blobs, clock.now(), options, input, at).await,
                            Err(error) => Err(error),
                        };
                        before += file.size;
                        merge(&mut part, &file.path, files.len(), imported)?;
                    }
                }
                ImportSource::Chat(chat) => {
                    let input = chat.input();
                    let size = input.size;
                    let at = |now: Progress| at(before + now.read.bytes, total);
                    part = import(log, blobs, clock.now(), options, input, at).await?;
                    before += size;
                }
            }
            end_history(log, &options.target, &part).await?;
            all.merge(part);
        }
        Ok(all)
    }

    /// What it would take, channel by channel; nothing is taken. It reads as long as the files are.
    ///
    /// # Errors
    /// What the files say.
    pub fn survey(&self, now: Timestamp) -> anyhow::Result<Vec<(ChannelId, Summary)>> {
        let part = |(options, source): &(ImportOptions, ImportSource)| {
            let mut summary = Summary::default();
            match source {
                ImportSource::Logs(files) => {
                    for file in files {
                        let read = file
                            .open()
                            .and_then(|input| threadlore_gateways::survey(now, options, input));
                        merge(&mut summary, &file.path, files.len(), read)?;
                    }
                }
                ImportSource::Chat(chat) => {
                    summary = threadlore_gateways::survey(now, options, chat.input())?;
                }
            }
            Ok((options.target.channel.clone(), summary))
        };
        self.parts.iter().map(part).collect()
    }
}

/// Adds the result of one file. A file of an unknown format is passed over, unless it is the only
/// one.
fn merge(
    all: &mut Summary,
    path: &Path,
    files: usize,
    imported: Result<Summary, ImportError>,
) -> anyhow::Result<()> {
    match imported {
        Ok(summary) => all.merge(summary),
        Err(error) if files > 1 && error.is_about_content() => {
            let path = path.display().to_string();
            let why = error.to_string();
            let why = why.strip_prefix(&format!("{path}: ")).unwrap_or(&why);
            all.pass_over(&path, why.to_owned());
        }
        Err(error) => return Err(error.into()),
    }
    Ok(())
}
