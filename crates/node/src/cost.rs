//! What it would cost to decide history anew.

use std::collections::HashSet;
use std::time::Duration;

use threadlore_language::hint;
use threadlore_model::{Body, ChannelId, Line, Offset, Private, Topic, Window};
use threadlore_ports::{PortError, all_partitions};

use crate::node::Node;

/// Records read at a time.
const PAGE: usize = 1000;
/// Lines of the window that is examined to see how long it takes.
const LINES: usize = 100;
/// Bytes of a sealed text beside the text itself.
const SEAL: usize = 40;
/// Bytes of text in a token, about; less in languages that are not written in Latin letters.
const PER_TOKEN: u64 = 4;
/// Tokens of the instructions of a call, and of its answer, about.
const PER_CALL: u64 = 1500;

/// What a run would cost; all but the calls is an estimate.
#[derive(Debug, Clone)]
pub struct Cost {
    /// The engine that would be asked.
    pub engine: String,
    /// Whether a model outside is asked, which may cost money.
    pub asks_a_model: bool,
    /// Messages that are read.
    pub messages: u64,
    /// Windows that are examined: one call each, and with a model one more for each conversation
    /// that it finds.
    pub calls: u64,
    /// Tokens of a model.
    pub tokens: u64,
    /// How long it takes.
    pub minutes: f64,
}

impl Node {
    /// What it would cost to decide everything anew with the engine of the settings. It examines
    /// one window to see how long that takes: with a model that is one call.
    ///
    /// # Errors
    /// What log and keys say; why the engine cannot be asked.
    pub async fn cost_of_run(&self) -> Result<Cost, PortError> {
        let (mut messages, mut bytes, mut calls) = (0_u64, 0_u64, 0_u64);
        let (mut sample, mut channels) = (Vec::new(), HashSet::new());
        for topic in [Topic::ChatEvents, Topic::ChatTurns] {
            for at in all_partitions(self.log.as_ref(), topic) {
                let mut next = Offset(0);
                loop {
                    let records = self.log.read(at, next, PAGE).await?;
                    let Some(last) = records.last() else { break };
                    next = last.offset.next();
                    for event in records.into_iter().filter_map(|record| record.body.ok()) {
                        match &event.body {
                            Body::MessagePosted(posted) => {
                                messages += 1;
                                bytes += length(&posted.text);
                                if sample.len() < LINES {
                                    sample.push(*event);
                                }
                            }
                            Body::WindowReady(ready) => {
                                calls += 1;
                                channels
                                    .insert((event.envelope.key.clone(), ready.channel.clone()));
                            }
                            _ => {}
                        }
                    }
                }
            }
        }
        let asks_a_model = !self.engine.is_quick();
        let seconds = match self.window_of(sample).await? {
            Some(window) if calls > 0 => self.seconds_of(&window).await?,
            _ => 0.0,
        };
        // Calls of one channel are asked one after the other.
        let effects = self.settings.effects.concurrency.max(1);
        let side_by_side = match asks_a_model {
            true => channels.len().clamp(1, effects),
            false => 1,
        };
        // A window shows what is new in it, and of what was shown before about as much again.
        let tokens = 2 * bytes / PER_TOKEN + calls * PER_CALL;
        Ok(Cost {
            engine: self.engine.version().to_owned(),
            asks_a_model,
            messages,
            calls,
            tokens: if asks_a_model { tokens } else { 0 },
            minutes: seconds * calls as f64 / side_by_side as f64 / 60.0,
        })
    }

    async fn seconds_of(&self, window: &Window) -> Result<f64, PortError> {
        let started = self.clock.now();
        self.engine.extract(window).await?;
        let took: Duration = self.clock.now().since(started);
        Ok(took.as_secs_f64())
    }

    /// A window of messages, as far as their texts can be opened.
    async fn window_of(
        &self,
        sample: Vec<threadlore_model::Event>,
    ) -> Result<Option<Window>, PortError> {
        let opened = self.vault.open(sample).await?;
        let mut channel: Option<ChannelId> = None;
        let (mut lines, mut hints) = (Vec::new(), Vec::new());
        for event in opened.into_iter().flatten() {
            let Body::MessagePosted(posted) = event.body else {
                continue;
            };
            channel.get_or_insert_with(|| posted.channel.clone());
            let text = posted.text.text().unwrap_or_default().to_owned();
            hints.push(hint(&text));
            lines.push(Line {
                message: posted.message,
                person: posted.person,
                name: None,
                text,
                at: posted.sent_at,
                reply_to: posted.reply_to,
                thread: None,
                mentions: posted.mentions,
                bot: posted.bot,
                positive: 0,
            });
        }
        Ok(channel.map(|channel| Window {
            channel,
            links: vec![None; lines.len()],
            lines,
            hints,
            open: Vec::new(),
        }))
    }
}

/// Bytes of a text, about, also where it is sealed.
fn length(text: &Private) -> u64 {
    let bytes = match text {
        Private::Sealed(sealed) => sealed.len().saturating_sub(SEAL),
        text => text.text().map_or(0, str::len),
    };
    bytes as u64
}
