//! Filters of points.
//!
//! **Invariant:** there is no filter without a space.

use std::collections::BTreeMap;

use threadlore_model::{CaseId, SpaceId};
use threadlore_ports::Within;

use crate::point::{CHANNEL, SOLVED, SPACE, Value};

/// Points of one space that meet every condition.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Filter(Vec<Condition>);

/// A condition of a filter.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Condition {
    /// A field of its payload has this value.
    Is(&'static str, Value),
    /// A field of its payload has one of these values.
    AnyOf(&'static str, Vec<String>),
    /// It is of one of these cases.
    OneOf(Vec<CaseId>),
}

impl Filter {
    fn of_space(space: &SpaceId) -> Self {
        Self(vec![Condition::Is(SPACE, space.as_str().into())])
    }

    /// The points of a space within channels and a status.
    pub(crate) fn within(space: &SpaceId, within: &Within) -> Self {
        let mut filter = Self::of_space(space);
        if let Some(channels) = &within.channels {
            let channels = channels.iter().map(|channel| channel.as_str().to_owned());
            filter.0.push(Condition::AnyOf(CHANNEL, channels.collect()));
        }
        if let Some(solved) = within.solved {
            filter.0.push(Condition::Is(SOLVED, Value::Flag(solved)));
        }
        filter
    }

    /// The points of these cases, if they belong to this space.
    pub(crate) fn those(space: &SpaceId, cases: Vec<CaseId>) -> Self {
        let mut filter = Self::of_space(space);
        filter.0.push(Condition::OneOf(cases));
        filter
    }

    pub(crate) fn conditions(&self) -> &[Condition] {
        &self.0
    }
}

/// The cases of each space.
pub(crate) fn by_space(points: &[(SpaceId, CaseId)]) -> BTreeMap<SpaceId, Vec<CaseId>> {
    let mut by_space: BTreeMap<SpaceId, Vec<CaseId>> = BTreeMap::new();
    for (space, case) in points {
        by_space.entry(space.clone()).or_default().push(*case);
    }
    by_space
}
