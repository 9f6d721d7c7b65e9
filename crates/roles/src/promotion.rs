//! What is promoted, expires or is archived: the only place that says so. The role that
//! owns a row applies these rules to it, on its own channel time.
//!
//! An open case expires that nothing happened to for a week, unless somebody suggested something: that is
//! worth finding for as long as the chat is.
//!
//! An exchange is kept in one tier:
//!
//! | tier | leaves it | where to |
//! |---|---|---|
//! | `working` | two answers from it, a score of 700 | `history` |
//! | `working` | a day after it was given last; of those that worked or failed | `history` |
//! | `working` | the same; others | `expired` |
//! | `history` | three answers from it, a score of 900 | `patterns` |
//! | `history` | 30 days after it was given last | `expired` |
//! | `patterns` | a score below 700 | `history` |
//! | any | a score below 200 | `failed` |

use std::time::Duration;

use serde::{Deserialize, Serialize};
use threadlore_model::{Case, MemoryArchiveReason, MemoryTier, Status, Timestamp};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);
const MONTH: Duration = Duration::from_secs(30 * 24 * 60 * 60);

/// When a case expires; `None` where it does not. `age`: channel time without a change.
#[must_use]
pub(crate) fn expires_at(case: &Case, age: Duration) -> Option<Timestamp> {
    let waits = case.status() == Status::Open && case.suggestion.is_none();
    waits.then(|| case.changed_at.plus(age))
}

/// What the answers from an exchange were worth.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExchangeScore {
    /// How many worked.
    pub worked: u32,
    /// How many failed.
    pub failed: u32,
    /// Of how many as many people say the one as the other.
    pub partial: u32,
}

impl ExchangeScore {
    /// How many answers somebody said something of.
    #[must_use]
    pub const fn uses(self) -> u32 {
        let decided = self.worked.saturating_add(self.failed);
        decided.saturating_add(self.partial)
    }

    /// The chance that it works when it is given again, in thousandths: the share of the answers that
    /// worked, a partial one as half of one, with a third of an answer of either kind known
    /// beforehand (the neutral prior of Kerman, 2011). So two of two are 875 and three of three 909,
    /// where the lower bound of Wilson would ask for nine of nine before it says 700.
    #[must_use]
    pub const fn points(self) -> u32 {
        let worked = 6 * self.worked as u64 + 3 * self.partial as u64 + 2;
        let all = 6 * self.uses() as u64 + 4;
        ((1000 * worked + all / 2) / all) as u32
    }
}

/// Where an exchange is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Place {
    /// Its tier.
    pub tier: MemoryTier,
    /// When it leaves that; `None` where it does not.
    pub until: Option<Timestamp>,
    /// Why it is kept no more; `None` while it is.
    pub gone: Option<MemoryArchiveReason>,
}

/// Where an exchange is kept from now on that was in this tier.
#[must_use]
pub(crate) fn place(
    from: MemoryTier,
    score: ExchangeScore,
    (used_at, now): (Timestamp, Timestamp),
) -> Place {
    let (points, uses) = (score.points(), score.uses());
    let until = |tier| match tier {
        MemoryTier::Working => Some(used_at.plus(DAY)),
        MemoryTier::History => Some(used_at.plus(MONTH)),
        MemoryTier::Patterns | MemoryTier::MemoryBank => None,
    };
    let is_over = |tier| until(tier).is_some_and(|until| until <= now);
    let is_decided = points >= 700 || points <= 300;
    let mut tier = from;
    if tier == MemoryTier::Working {
        let is_proven = uses >= 2 && points >= 700;
        if is_proven || (is_decided && is_over(tier)) {
            tier = MemoryTier::History;
        }
    }
    if tier == MemoryTier::History && uses >= 3 && points >= 900 {
        tier = MemoryTier::Patterns;
    }
    if tier == MemoryTier::Patterns && points < 700 {
        tier = MemoryTier::History;
    }
    let gone = match () {
        () if points < 200 => Some(MemoryArchiveReason::Failed),
        () if is_over(tier) => Some(MemoryArchiveReason::Expired),
        () => None,
    };
    Place {
        tier,
        until: until(tier),
        gone,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HOUR: i64 = 60 * 60 * 1000;

    fn score(worked: u32, failed: u32, partial: u32) -> ExchangeScore {
        ExchangeScore {
            worked,
            failed,
            partial,
        }
    }

    /// `from` with these answers, so many hours after the last one.
    fn after(
        from: MemoryTier,
        score: ExchangeScore,
        hours: i64,
    ) -> (MemoryTier, Option<&'static str>) {
        let used_at = Timestamp::from_millis(0);
        let place = place(from, score, (used_at, Timestamp::from_millis(hours * HOUR)));
        (place.tier, place.gone.map(MemoryArchiveReason::name))
    }

    #[test]
    fn an_exchange_rises_by_answers_that_worked_and_goes_by_those_that_failed() {
        use MemoryTier::{History, Patterns, Working};
        let expired = Some("expired");
        for (from, score, hours, to) in [
            (Working, score(1, 0, 0), 1, (Working, None)),
            (Working, score(2, 0, 0), 1, (History, None)),
            (Working, score(3, 0, 0), 1, (Patterns, None)),
            (Working, score(2, 1, 0), 1, (Working, None)),
            (Working, score(0, 1, 0), 1, (Working, None)),
            (Working, score(0, 2, 0), 1, (Working, Some("failed"))),
            // A day later.
            (Working, score(1, 0, 0), 24, (History, None)),
            (Working, score(0, 1, 0), 24, (History, None)),
            (Working, score(1, 1, 0), 24, (Working, expired)),
            (Working, score(0, 0, 1), 24, (Working, expired)),
            (Working, score(0, 0, 0), 24, (Working, expired)),
            // A month later.
            (Working, score(1, 0, 0), 30 * 24, (History, expired)),
            (History, score(2, 0, 0), 30 * 24 - 1, (History, None)),
            (History, score(2, 0, 0), 30 * 24, (History, expired)),
            (Patterns, score(3, 0, 0), 1000 * 24, (Patterns, None)),
            (Patterns, score(5, 1, 0), 1, (Patterns, None)),
            (Patterns, score(3, 2, 0), 1, (History, None)),
            (Patterns, score(3, 30, 0), 1, (History, Some("failed"))),
            (History, score(5, 1, 0), 1, (History, None)),
        ] {
            assert_eq!(after(from, score, hours), to, "{from:?} {score:?} {hours}");
        }
    }

    #[test]
    fn a_score_is_the_share_that_worked() {
        let all = [
            (1, 0, 0),
            (2, 0, 0),
            (3, 0, 0),
            (0, 1, 0),
            (0, 2, 0),
            (1, 1, 0),
            (0, 0, 1),
        ];
        let points = all.map(|(worked, failed, partial)| score(worked, failed, partial).points());
        assert_eq!(points, [800, 875, 909, 200, 125, 500, 500]);
        assert_eq!(ExchangeScore::default().points(), 500);
    }

    proptest! {
        /// Whatever happened: what is decided once is decided so again, more that worked never moves an
        /// exchange down of which it is not known that it fails, and all but patterns have a time.
        #[test]
        fn a_place_is_decided_once(
            from in prop::sample::select(vec![MemoryTier::Working, MemoryTier::History, MemoryTier::Patterns]),
            worked in 0_u32..9, failed in 0_u32..9, partial in 0_u32..9, hours in 0_i64..1000,
        ) {
            let times = (Timestamp::from_millis(0), Timestamp::from_millis(hours * HOUR));
            let first = place(from, score(worked, failed, partial), times);
            prop_assert_eq!(place(first.tier, score(worked, failed, partial), times), first);
            let better = place(from, score(worked + 1, failed, partial), times);
            prop_assert!(better.tier >= first.tier || score(worked, failed, partial).points() <= 300);
            prop_assert_eq!(first.until.is_none(), first.tier == MemoryTier::Patterns);
        }
    }
}
