//! `embedder`: asks a model for the vectors of the texts by which cases are found.
//!
//! One call of a channel at a time, with the texts that were wanted first. What it
//! answers is decided for each text that is still wanted: of a case that was erased
//! meanwhile nothing is published.

use std::collections::BTreeSet;

use threadlore_model::{
    Offset, Private, Topic, VectorComputed, source_text, vector_source, vector_text,
};

use super::call::{EmbedAnswer, EmbedCall, WantedText};
use super::{Decision, Input};
use crate::{Decided, EmbedderParams, EmbedderState, Facts, Flow};

/// Vectors that were computed, and the next call.
#[must_use]
pub(super) fn decide(
    state: &EmbedderState,
    input: &Input<'_>,
    facts: &Facts,
    params: &EmbedderParams,
) -> Decision {
    let mut decision = Decision::default();
    let mut answered = BTreeSet::new();
    if let Input::Answered {
        call: EmbedCall { texts },
        answer: Ok(EmbedAnswer { model, vectors }),
    } = input
    {
        answered = texts.iter().map(|text| text.cause.offset).collect();
        let pairs = texts.iter().zip(vectors);
        let computed = pairs.filter_map(|pair| computed(state, model, pair, facts));
        decision.events = computed.collect();
    }
    if facts.pending_calls == 0 {
        let wanted = state.wanted.iter();
        let open = wanted.filter(|(offset, _)| !answered.contains(*offset));
        let texts: Vec<WantedText> = open
            .map(|(_, text)| text.clone())
            .take(params.batch)
            .collect();
        // The last of them: a recovery of a lost state needs all of them by then.
        if let Some(cause) = texts.last().map(|text| text.cause.clone()) {
            decision.calls.push((cause, EmbedCall { texts }));
        }
    }
    decision
}

fn computed(
    state: &EmbedderState,
    model: &str,
    (text, vector): (&WantedText, &Vec<f32>),
    facts: &Facts,
) -> Option<Decided> {
    let offset: Offset = text.cause.offset;
    let wanted = state.wanted.get(&offset)?;
    let id = VectorComputed::id(wanted.cause.event, model);
    let computed = VectorComputed {
        case: wanted.case,
        channel: facts.channel.clone()?,
        model: model.to_owned(),
        source: Private::open(source_text(&vector_source(&text.text))),
        vector: Private::open(vector_text(vector)),
        now: facts.now,
    };
    Some(Decided {
        id: Some(id),
        time: None,
        body: computed.into(),
    })
}

/// Cases are not read on while too many texts wait; the model makes room.
#[must_use]
pub(super) fn flow(state: &EmbedderState, params: &EmbedderParams) -> Flow {
    let full = state.wanted.len() > params.backlog;
    Flow {
        full: full.then_some(Topic::KnowledgeCases).into_iter().collect(),
        waiting: state.wanted.len(),
        needs: None,
    }
}
