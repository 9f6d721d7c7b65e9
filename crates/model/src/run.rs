//! Decision runs: everything that was ever decided about cases, once by each run.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{Group, Producer, Role};

/// A decision run: a history of cases, decided from the first message on. The first run decides
/// what comes in; `threadlore redecide` makes others, by the rules and the engine of that time.
/// Each run has cases and case events of its own, and every build of cases is of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(from = "u32", into = "u32")]
pub struct Run(u32);

impl Run {
    /// The run that an installation begins with.
    pub const FIRST: Self = Self(1);

    /// The run of a number; runs count from 1.
    #[must_use]
    pub const fn new(number: u32) -> Self {
        match number {
            0 => Self::FIRST,
            number => Self(number),
        }
    }

    /// Its number.
    #[must_use]
    pub const fn number(self) -> u32 {
        self.0
    }

    /// The run after this one.
    #[must_use]
    pub const fn next(self) -> Self {
        Self(self.0.saturating_add(1))
    }

    /// The group of those who decide it. Its name is part of the ids that they make.
    #[must_use]
    pub fn group(self) -> Group {
        let role = Role::Extractor;
        match self {
            Self::FIRST => Group::of_role(role),
            Self(number) => Group::from_name(format!("{role}.r{number}")),
        }
    }

    /// The run in which an event about cases was decided. What other roles wrote in logs of earlier
    /// versions belongs to the first.
    #[must_use]
    pub fn of(producer: &Producer) -> Self {
        Self::of_group(&producer.group)
    }

    /// The run that a group decides; groups of other roles are of the first.
    #[must_use]
    pub fn of_group(group: &Group) -> Self {
        let group = group.as_str().strip_prefix(Role::Extractor.name());
        let number = group.and_then(|rest| rest.strip_prefix(".r"));
        let number = number.and_then(|number| number.parse().ok());
        number.map_or(Self::FIRST, Self::new)
    }
}

impl From<u32> for Run {
    fn from(number: u32) -> Self {
        Self::new(number)
    }
}

impl From<Run> for u32 {
    fn from(run: Run) -> Self {
        run.0
    }
}

impl fmt::Display for Run {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Partition;

    fn of(group: &str) -> Run {
        Run::of(&Producer {
            group: Group::from_name(group),
            partition: Partition(0),
            sequence: 1,
        })
    }

    #[test]
    fn an_event_is_of_the_run_of_its_group() {
        for run in [1, 2, 22].map(Run::new) {
            assert_eq!(of(run.group().as_str()), run);
        }
        for group in ["extractor", "extractor.rx", "buffer.r2"] {
            assert_eq!(of(group), Run::FIRST, "{group}");
        }
        assert_eq!(Run::new(0), Run::FIRST);
    }
}
