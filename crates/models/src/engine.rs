//! Cases by a chat model, in two steps: first which parts of the
//! window are about one problem each, and which open cases are solved; then, for
//! each part, its case.
//!
//! Chat is data. It is sent as quoted strings in a message of its own, and the prompt says that
//! nothing in it is an instruction. The guarantees do not depend on that. Whatever the model
//! answers:
//!
//! - an answer that names a line that was not shown, or a case that is not open, is refused;
//! - messages of bots are never a problem or a solution;
//! - nothing is solved without a line of a person that is not the problem itself;
//! - *why* it counts as solved is decided from the lines, not by the model.
//!
//! An answer that cannot be used is sent back to the model once, with the reason.
//!
//! | file | holds |
//! |---|---|
//! | `lines` | the text of a window for the model |
//! | `prompt` | the prompts |
//! | `spans` | the first answer |
//! | `case` | the second answer |
//! | `signal` | why a case counts as solved |

mod case;
mod lines;
mod prompt;
mod signal;
mod spans;

use std::sync::Arc;

use async_trait::async_trait;
use threadlore_model::{Extraction, Window};
use threadlore_ports::{Clock, ExtractEngine, PortError};

use crate::ClientError;
use crate::openai::{Chat, ChatSettings, Spent};
use lines::Shown;

/// Version of the prompts and of how answers are read.
const PROMPTS: &str = "p2";
const DOING: &str = "finding cases in a window";

/// Extraction by a chat model behind OpenAI's protocol.
pub struct ChatEngine {
    chat: Chat,
    version: String,
    window_chars: usize,
}

impl ChatEngine {
    /// An engine that shows the model at most `window_chars` characters of a
    /// window, its latest lines.
    ///
    /// # Errors
    /// When the settings cannot make a client.
    pub fn new(
        settings: ChatSettings,
        window_chars: usize,
        clock: Arc<dyn Clock>,
    ) -> Result<Self, ClientError> {
        let chat = Chat::new(settings, clock)?;
        Ok(Self {
            version: format!("openai/{}/{PROMPTS}", chat.model),
            chat,
            window_chars,
        })
    }

    /// The calls and tokens so far.
    #[must_use]
    pub fn spent(&self) -> Spent {
        self.chat.spent()
    }
}

#[async_trait]
impl ExtractEngine for ChatEngine {
    fn version(&self) -> &str {
        &self.version
    }

    async fn extract(&self, window: &Window) -> Result<Extraction, PortError> {
        let shown = Shown::of(window, self.window_chars);
        if shown.is_empty() {
            return Ok(Extraction::default());
        }
        let messages = prompt::for_spans(&shown);
        let read = |said: &str| spans::read(said, &shown);
        let (found, _) = self
            .chat
            .ask_for(DOING, messages, &spans::format(&shown), read)
            .await?;
        let mut cases = Vec::new();
        for span in found.spans {
            let messages = prompt::for_case(&shown, &span);
            let read = |said: &str| case::read(said, window, &span);
            let format = case::format(&span);
            let (read, _) = self.chat.ask_for(DOING, messages, &format, read).await?;
            cases.extend(read);
        }
        Ok(Extraction {
            cases,
            resolved: found.resolved,
            suggested: Vec::new(),
        })
    }
}

#[cfg(test)]
mod tests;
