//! What became of the chat: its messages and cases, read from the tables.

use std::collections::{BTreeMap, BTreeSet};

use sqlx::postgres::PgConnection;
use sqlx::{Connection as _, Row as _};
use threadlore_model::CaseId;
use threadlore_node::Node;
use threadlore_ports::{Generations as _, Layer, Projection, Scope};
use threadlore_retrieval::judge::one_line;
use uuid::Uuid;

/// A case that is not part of another one.
#[derive(Debug, Default)]
pub(crate) struct Known {
    pub(crate) is_solved: bool,
    pub(crate) channel: String,
    /// Its problem as one line.
    pub(crate) problem: String,
    /// Its solution or what was suggested, as one line; empty where there is neither.
    pub(crate) answer: String,
    /// The messages that it rests on, by their part.
    pub(crate) evidence: BTreeMap<String, BTreeSet<Uuid>>,
}

impl Known {
    /// Whether a message is evidence of this part.
    pub(crate) fn has(&self, part: &str, message: &Uuid) -> bool {
        let of_part = self.evidence.get(part);
        of_part.is_some_and(|messages| messages.contains(message))
    }

    /// Whether a message is evidence of any part.
    pub(crate) fn has_any(&self, message: &Uuid) -> bool {
        self.evidence.keys().any(|part| self.has(part, message))
    }
}

/// Messages and cases.
pub(crate) struct Memory {
    /// Ids by channel and text as one line.
    messages: BTreeMap<(String, String), Vec<Uuid>>,
    pub(crate) cases: BTreeMap<Uuid, Known>,
}

impl Memory {
    /// Reads the live builds.
    ///
    /// # Errors
    /// What the database says.
    pub(crate) async fn read(node: &Node, scope: &Scope) -> anyhow::Result<Self> {
        let mut database = PgConnection::connect(node.database_url()).await?;
        let live = node.store.live(Projection::Messages).await?.schema();
        let statement = format!("SELECT channel, text, message FROM {live}.messages");
        let mut messages = BTreeMap::<(String, String), Vec<Uuid>>::new();
        for row in sqlx::query(&statement).fetch_all(&mut database).await? {
            let text: Option<String> = row.try_get("text")?;
            let of = (row.try_get("channel")?, one_line(&text.unwrap_or_default()));
            messages
                .entry(of)
                .or_default()
                .push(row.try_get("message")?);
        }
        let build = node.store.live(Projection::Cases).await?;
        let live = build.schema();
        let statement = format!("SELECT case_id FROM {live}.cases WHERE merged_into IS NULL");
        let ids = sqlx::query_scalar::<_, Uuid>(&statement);
        let ids = ids.fetch_all(&mut database).await?;
        let mut cases: BTreeMap<Uuid, Known> =
            ids.iter().map(|id| (*id, Known::default())).collect();
        let ids: Vec<CaseId> = ids.into_iter().map(CaseId::from_uuid).collect();
        // Archived and erased ones are in no layer: nothing is answered with them.
        for (case, layer) in node.reader().placed(scope, build, &ids).await? {
            let known = cases.entry(case.case.as_uuid()).or_default();
            known.is_solved = layer == Layer::Solved;
            known.channel = case.channel.as_str().to_owned();
            known.problem = one_line(case.problem.as_deref().unwrap_or_default());
            let answer = case.solution.as_deref().or(case.suggestion.as_deref());
            known.answer = one_line(answer.unwrap_or_default());
        }
        let statement = format!("SELECT case_id, part, message FROM {live}.case_evidence");
        for row in sqlx::query(&statement).fetch_all(&mut database).await? {
            let case: Uuid = row.try_get("case_id")?;
            let Some(known) = cases.get_mut(&case) else {
                continue;
            };
            let of_part = known.evidence.entry(row.try_get("part")?).or_default();
            of_part.insert(row.try_get("message")?);
        }
        Ok(Self { messages, cases })
    }

    /// The messages with a text in a channel.
    pub(crate) fn saying(&self, channel: &str, text: &str) -> &[Uuid] {
        let of = (channel.to_owned(), one_line(text));
        self.messages.get(&of).map_or(&[], Vec::as_slice)
    }
}

/// Solved cases of a channel by the first message that states the problem, drawn by its id: that is
/// a hash of where the message is from, so the draw is settled before any rule finds the cases.
pub(crate) fn drawn<'m>(memory: &'m Memory, channel: &str, count: usize) -> Vec<(Uuid, &'m Known)> {
    let of_channel = memory.cases.values();
    let of_channel = of_channel.filter(|known| known.is_solved && known.channel == channel);
    let stated = |known: &'m Known| Some((*known.evidence.get("problem")?.first()?, known));
    let drawn: BTreeMap<Uuid, &Known> = of_channel.filter_map(stated).collect();
    drawn.into_iter().take(count).collect()
}
