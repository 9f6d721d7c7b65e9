//! The order of messages whose times a chat writes without fractions.

/// The most milliseconds by which a message is later than its time says: no message comes into the next second.
const MOST: i64 = 999;

/// Times of messages, in the order of their lines. Where several have the same one, each is a millisecond later than the
/// one before, so that whoever sorts by time has them in the order in which they were said.
#[derive(Debug, Default)]
pub(crate) struct Moments {
    last: Option<i64>,
    same: i64,
}

impl Moments {
    /// How many milliseconds later a message is than its written time, which is in milliseconds.
    pub(crate) fn later(&mut self, written: i64) -> i64 {
        self.same = match self.last == Some(written) {
            true => (self.same + 1).min(MOST),
            false => 0,
        };
        self.last = Some(written);
        self.same
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_one_moment_follow_each_other_and_stay_within_its_second() {
        let mut moments = Moments::default();
        let later: Vec<i64> = [0, 0, 0, 60_000, 60_000, 0]
            .into_iter()
            .map(|written| moments.later(written))
            .collect();
        assert_eq!(later, [0, 1, 2, 0, 1, 0]);
        let many = (0..5000).map(|_| moments.later(7));
        assert_eq!(many.max(), Some(MOST));
    }
}
