//! A model that reads asks tools before it decides.

use serde::Serialize;
use threadlore_model::SpaceId;
use threadlore_ports::{Passage, PassageOf, Reading, Tokens, ToolCall, Verdict};

use super::{Reader, is_grounded};
use crate::ask::Reply;
use crate::record::Degraded;
use crate::search::Retrieval;

/// Calls of tools for one question at most.
const CALLS: usize = 3;

/// A call of a tool, as it is stored with the answer. What the tool was given is not: it may have words of
/// whoever spoke before, and the record is sealed under the key of who asks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ToolRecord {
    /// The tool.
    pub tool: String,
    /// The host that was asked.
    pub host: String,
    /// Whether it answered.
    pub answered: bool,
    /// Milliseconds of the call.
    pub took_ms: u64,
}

/// What a reading came to.
pub(super) struct Decision {
    /// What answers; never a call.
    pub(super) verdict: Verdict,
    /// What all calls of the model cost.
    pub(super) tokens: Tokens,
    /// The tools that were asked.
    pub(super) asked: Vec<ToolRecord>,
}

impl Retrieval {
    /// Has the model read until it asks no tool any more; what these answer is read with the rest. An error
    /// where the model fails, or asks what was not shown.
    pub(super) async fn decided(
        &self,
        reader: &Reader,
        space: &SpaceId,
        reading: &mut Reading,
        degraded: &mut Vec<Degraded>,
    ) -> Result<Decision, Degraded> {
        let mut tokens = Tokens::default();
        let mut asked: Vec<ToolRecord> = Vec::new();
        loop {
            let read = reader.engine.read(reading);
            let (verdict, cost) = self.call(reader, space, Degraded::Reader, read).await?;
            tokens += cost;
            let Verdict::Call(call) = verdict else {
                return Ok(Decision {
                    verdict,
                    tokens,
                    asked,
                });
            };
            let shown = reading.tools.iter().find(|tool| tool.name == call.tool);
            let (Some(tools), Some(tool)) = (&reader.tools, shown) else {
                return Err(Degraded::Reader);
            };
            let (host, started) = (tool.host.clone(), self.ports.clock.now());
            let answer = tools.call(space, &call).await;
            asked.push(ToolRecord {
                tool: call.tool.clone(),
                host,
                answered: answer.is_ok(),
                took_ms: self.ports.clock.now().since(started).as_millis() as u64,
            });
            match answer {
                Ok(lines) => reading.passages.push(Passage {
                    of: PassageOf::Tool(call),
                    lines,
                }),
                Err(error) => {
                    tracing::warn!(%error, tool = call.tool, "a tool does not answer");
                    reading.tools.retain(|tool| tool.name != call.tool);
                    if !degraded.contains(&Degraded::Tool) {
                        degraded.push(Degraded::Tool);
                    }
                }
            }
            if asked.len() == CALLS {
                reading.tools.clear();
            }
        }
    }
}

/// The reply from what a tool answered, and whether it is in the model's words. `None` for lines that were
/// not shown.
pub(super) fn looked_up(
    (call, answer): (&ToolCall, &[String]),
    host: &str,
    (lines, text): (&[usize], Option<&str>),
) -> Option<(Reply, bool)> {
    let said = lines.iter().map(|at| answer.get(*at).map(String::as_str));
    let quoted = said.collect::<Option<Vec<&str>>>()?.join("\n");
    if quoted.is_empty() {
        return None;
    }
    let composed = text
        .map(str::trim)
        .filter(|text| is_grounded(text, &quoted));
    let reply = Reply::LookedUp {
        text: composed.unwrap_or(&quoted).to_owned(),
        tool: call.tool.clone(),
        host: host.to_owned(),
    };
    Some((reply, composed.is_some()))
}
