//! How far a mean could move with other data: whole logs (or dialogs) are drawn
//! anew, with replacement, because what stands in one log is not independent.

/// Draws.
const DRAWS: usize = 2000;

/// The scores of one log, summed.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Scores {
    sum: f64,
    count: f64,
}

impl Scores {
    /// A part of a ratio of sums, such as an F1.
    pub(crate) fn ratio(sum: f64, count: f64) -> Self {
        Self { sum, count }
    }

    pub(crate) fn add(&mut self, score: f64) {
        self.sum += score;
        self.count += 1.0;
    }
}

/// A mean and where 95 of 100 draws of it lie.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Interval {
    pub(crate) mean: f64,
    pub(crate) low: f64,
    pub(crate) high: f64,
}

/// The mean over all mentions of all logs. The draws are the same every time.
pub(crate) fn interval(logs: &[Scores]) -> Interval {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut draw = || {
        // Marsaglia's xorshift.
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        logs[usize::try_from(state >> 33).unwrap_or(0) % logs.len()]
    };
    let mut means: Vec<f64> = (0..DRAWS)
        .filter(|_| !logs.is_empty())
        .map(|_| mean((0..logs.len()).map(|_| draw())))
        .collect();
    means.sort_by(f64::total_cmp);
    let place = |share: usize| means.get(DRAWS * share / 1000).copied().unwrap_or(0.0);
    Interval {
        mean: mean(logs.iter().copied()),
        low: place(25),
        high: place(975),
    }
}

fn mean(logs: impl Iterator<Item = Scores>) -> f64 {
    let (sum, count) = logs.fold((0.0, 0.0), |(sum, count), log| {
        (sum + log.sum, count + log.count)
    });
    if count > 0.0 { sum / count } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_holds_the_mean_and_is_zero_wide_without_difference() {
        let log = |sum| Scores { sum, count: 2.0 };
        let logs = [log(20.0), log(60.0), log(40.0)];
        let found = interval(&logs);
        assert!((found.mean - 20.0).abs() < 1e-9);
        assert!(found.low < 20.0 && found.high > 20.0);
        let same = interval(&[log(40.0); 4]);
        assert!((same.low - 20.0).abs() < 1e-9 && (same.high - 20.0).abs() < 1e-9);
    }
}
