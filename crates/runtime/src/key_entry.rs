//! One key's state with its last input, and how both are stored.

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use threadlore_model::{Cause, EventId, Key, Offset, Timestamp, TopicPartition};
use threadlore_ports::{PartRow, PortError, StateRow};
use threadlore_roles::KeyState;

/// Where and what a key's last input was: the cause of what a timer decides.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LastInput {
    pub(crate) at: TopicPartition,
    pub(crate) offset: Offset,
    pub(crate) event: EventId,
    /// The trace context that what follows carries on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) traceparent: Option<String>,
}

/// What is stored of one key.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct KeyEntry<S> {
    pub(crate) state: S,
    pub(crate) last: Option<LastInput>,
    /// Inputs that a call is still to be asked for, and the trace contexts that what
    /// follows from them carries on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) traces: Vec<(Cause, String)>,
}

impl<S> KeyEntry<S> {
    /// What follows from an input carries this on.
    pub(crate) fn trace_of(&self, cause: &Cause) -> Option<String> {
        let mut traces = self.traces.iter();
        let (_, trace) = traces.find(|(of, _)| of == cause)?;
        Some(trace.clone())
    }
}

impl<S: KeyState + Serialize + DeserializeOwned> KeyEntry<S> {
    /// The row to store, with the parts that changed since the last one.
    pub(crate) fn row(
        &mut self,
        key: &Key,
        wake: Option<Timestamp>,
    ) -> Result<StateRow, PortError> {
        let changed = self.state.take_changed().into_iter();
        let parts = changed.map(|(name, part)| {
            let body = part.as_ref().map(cbor).transpose()?;
            Ok(PartRow { name, body })
        });
        let parts = parts.collect::<Result<_, PortError>>()?;
        Ok(StateRow {
            key: key.clone(),
            body: cbor(self)?,
            wake,
            parts,
        })
    }

    pub(crate) fn of_row(row: &StateRow) -> Result<Self, PortError> {
        let mut entry: Self = read(&row.key, &row.body)?;
        for part in row.parts.iter().filter_map(|part| part.body.as_ref()) {
            entry.state.put_part(read(&row.key, part)?);
        }
        Ok(entry)
    }
}

/// CBOR: self-describing, so that a newer binary reads what an older one left.
pub(crate) fn cbor(value: &impl Serialize) -> Result<Vec<u8>, PortError> {
    let mut bytes = Vec::new();
    ciborium::into_writer(value, &mut bytes)
        .map_err(|e| PortError::broken("encoding a state", e.to_string()))?;
    Ok(bytes)
}

pub(crate) fn read<T: DeserializeOwned>(key: &Key, bytes: &[u8]) -> Result<T, PortError> {
    ciborium::from_reader(bytes).map_err(|e| {
        PortError::broken(
            "reading a state",
            format!(
                "the state of key {key} cannot be read ({e}): start the version that wrote it, or set \
                 layout = -1 in lore_state.shards where consumer_group is that of the role, \
                 which then rebuilds its state from the log"
            ),
        )
    })
}
