//! What calls of the model that reads cost, of each space on each day.

use std::collections::BTreeMap;
use std::sync::PoisonError;

use threadlore_model::{SpaceId, Timestamp};
use threadlore_ports::{PortError, Tokens};

use crate::read::Reader;
use crate::record::Degraded;
use crate::search::Retrieval;

/// Milliseconds of a day.
const DAY: i64 = 24 * 60 * 60 * 1000;

/// The tokens of a day.
#[derive(Debug, Default)]
pub(crate) struct Spent {
    /// Days since 1970.
    day: i64,
    of: BTreeMap<SpaceId, u64>,
}

impl Spent {
    /// What a space has spent on the day of this time.
    fn of(&mut self, space: &SpaceId, now: Timestamp) -> &mut u64 {
        let day = now.as_millis().div_euclid(DAY);
        if day != self.day {
            *self = Self {
                day,
                of: BTreeMap::new(),
            };
        }
        self.of.entry(space.clone()).or_default()
    }
}

impl Retrieval {
    /// A call of the model, unless the space has spent its tokens of the day: what it says, and what that
    /// cost. The error is what is noted where it fails.
    pub(crate) async fn call<T>(
        &self,
        reader: &Reader,
        space: &SpaceId,
        failed: Degraded,
        call: impl Future<Output = Result<(T, Tokens), PortError>>,
    ) -> Result<(T, Tokens), Degraded> {
        let (now, spent) = (self.ports.clock.now(), &self.spent);
        if *spent
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .of(space, now)
            >= reader.tokens_per_day
        {
            return Err(Degraded::Budget);
        }
        let before = reader.engine.tokens();
        let said = self.stage(&self.reader, reader.limit, call).await;
        let cost = match &said {
            Ok((_, tokens)) => tokens.all(),
            // Those of other spaces at the same time count too, where a call fails.
            Err(()) => reader.engine.tokens().saturating_sub(before),
        };
        *spent
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .of(space, now) += cost;
        said.map_err(|()| failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_space_has_so_many_tokens_and_the_next_day_as_many() {
        let mut spent = Spent::default();
        let at = Timestamp::from_millis;
        let space = |name: &str| SpaceId::parse(name).expect("a space");
        *spent.of(&space("a"), at(5 * DAY)) += 700;
        *spent.of(&space("a"), at(6 * DAY - 1)) += 100;
        assert_eq!(*spent.of(&space("a"), at(6 * DAY - 1)), 800);
        assert_eq!(*spent.of(&space("b"), at(6 * DAY - 1)), 0);
        assert_eq!(*spent.of(&space("a"), at(6 * DAY)), 0);
    }
}
