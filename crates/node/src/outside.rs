//! What answers the responder: memory, and who carries out the instructions of a room.

use std::sync::Arc;

use async_trait::async_trait;
use threadlore_model::{Key, MessageId, Recalled, SpaceId};
use threadlore_ports::{Authority, CaseReader as _, Clock, EventLog, PortError, Right, Scope};
use threadlore_retrieval::{AskedIn, Memory, Remark};
use threadlore_roles::{RecallCall, RemarkCall, Responder, ResponderCall};
use threadlore_runtime::{Caller, Patience};
use threadlore_store_postgres::PostgresStore;
use threadlore_stream::Vault;
use threadlore_telemetry::{Metrics, catalogue::STEP};

/// What is outside of the responder.
pub(crate) struct Outside {
    pub(crate) memory: Arc<Memory>,
    pub(crate) authority: Authority,
    pub(crate) metrics: Metrics,
    pub(crate) store: Arc<PostgresStore>,
    pub(crate) log: Arc<dyn EventLog>,
    pub(crate) vault: Vault,
    pub(crate) clock: Arc<dyn Clock>,
    /// Names by which people ask the bot.
    pub(crate) names: Vec<String>,
}

#[async_trait]
impl Caller<Responder> for Outside {
    fn step(&self) -> &'static str {
        "recall"
    }

    /// Who wants to be forgotten need not ask twice.
    fn patience(&self, call: &ResponderCall) -> Patience {
        match call {
            ResponderCall::Forget(_) => Patience::Endless,
            _ => Patience::Attempts,
        }
    }

    async fn answer(&self, key: &Key, call: &ResponderCall) -> Result<Option<Recalled>, PortError> {
        let space = key.space().map_err(|error| refused(error.to_string()))?;
        match call {
            ResponderCall::Recall(call) => self.recall(&space, call).await.map(Some),
            ResponderCall::Steer(call) => self.steer(&space, call).await.map(Some),
            ResponderCall::TakeBack(call) => self.take_back(&space, call).await.map(|()| None),
            ResponderCall::Note(call) => self.note(&space, call).await.map(|()| None),
            ResponderCall::Unsay(call) => self.unsay(&space, call).await.map(|()| None),
            ResponderCall::Forget(call) => self.forget(&space, call).await.map(|()| None),
        }
    }
}

impl Outside {
    pub(crate) fn scope(&self, space: &SpaceId, right: Right) -> Result<Scope, PortError> {
        let scope = self.authority.authorise(space, right);
        scope.map_err(|denied| refused(denied.to_string()))
    }

    /// Messages in their order, each with the name of its writer.
    async fn lines(&self, scope: &Scope, ids: &[MessageId]) -> Result<Vec<String>, PortError> {
        let kept = self.store.kept(scope, ids).await?;
        let lines = ids.iter().filter_map(|id| {
            let one = kept.get(id)?;
            let (name, text) = (one.name.as_deref(), one.text.as_deref()?);
            Some(format!("{}: {text}", name.unwrap_or("somebody")))
        });
        Ok(lines.collect())
    }

    /// The question, the answer, and what was said since. Where one of the first two is gone, there are no
    /// lines, and no model is asked about the answer.
    async fn before(&self, scope: &Scope, remark: &RemarkCall) -> Result<Vec<String>, PortError> {
        let (both, since) = remark.before.split_at(remark.before.len().min(2));
        let mut lines = self.lines(scope, both).await?;
        match lines.len() == both.len() {
            true => lines.extend(self.lines(scope, since).await?),
            false => lines.clear(),
        }
        Ok(lines)
    }

    /// Answers from what everybody may see in the channel where it is asked.
    async fn recall(&self, space: &SpaceId, call: &RecallCall) -> Result<Recalled, PortError> {
        let scope = self.scope(space, Right::Ask)?;
        let are_read = self.memory.retrieval.rewrites() || call.gate.is_some();
        let earlier = match are_read {
            // Without them the question is taken as it stands.
            true => self.lines(&scope, &call.earlier).await.unwrap_or_default(),
            false => Vec::new(),
        };
        let before = match &call.remark {
            Some(remark) => self.before(&scope, remark).await.unwrap_or_default(),
            None => Vec::new(),
        };
        let remark = call.remark.as_ref().map(|remark| Remark {
            text: &remark.text,
            before: &before,
            asks: remark.asks,
        });
        let asked_in = AskedIn {
            remark,
            earlier: &earlier,
            gate: call.gate,
            had: call.had,
            channel: &call.channel,
            person: Some(call.person),
            is_named: call.is_named,
            language: call.language,
        };
        let memory = &self.memory;
        let said = memory
            .answer(&scope, &call.question, Some(asked_in))
            .await?;
        let read = said.record.read.as_ref();
        let read = read.map(|read| read.took_ms as f64 / 1000.0);
        let searched = (said.seconds - read.unwrap_or_default()).max(0.0);
        if said.record.build.is_some() || said.seconds > 0.0 {
            self.metrics
                .record(&STEP, &["search", said.result()], searched);
        }
        if let Some(seconds) = read {
            self.metrics.record(&STEP, &["read", "ok"], seconds);
        }
        if let Some(gate) = &said.record.gate {
            let seconds = gate.took_ms as f64 / 1000.0;
            self.metrics.record(&STEP, &["gate", "ok"], seconds);
        }
        if let Some(remark) = &said.record.remark {
            let seconds = remark.took_ms as f64 / 1000.0;
            self.metrics.record(&STEP, &["judge", "ok"], seconds);
        }
        if let Some(rewritten) = &said.record.rewritten {
            let seconds = rewritten.took_ms as f64 / 1000.0;
            self.metrics.record(&STEP, &["rewrite", "ok"], seconds);
        }
        let record = serde_json::to_string(&said.record);
        let record = record.map_err(|error| refused(error.to_string()))?;
        let mut recalled = said.recalled(record, |case| self.memory.link(case));
        if recalled.answer.is_none() && call.is_named {
            let configured = self.store.configured(&scope).await?;
            let own = configured.get(&call.channel);
            recalled.docs = own.map(|own| own.docs.clone()).unwrap_or_default();
        }
        Ok(recalled)
    }
}

pub(crate) fn refused(reason: String) -> PortError {
    PortError::Refused {
        doing: "searching memory, or carrying out an instruction",
        reason,
    }
}
