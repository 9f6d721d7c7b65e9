//! Settings of `extractor`.

use std::time::Duration;

use threadlore_model::Run;

/// Settings of `extractor`.
#[derive(Debug, Clone)]
pub struct ExtractorParams {
    /// The run that it decides.
    pub run: Run,
    /// Age above which looked-at lines leave the window. Default 72 h.
    pub window_age: Duration,
    /// Count above which the oldest looked-at lines leave it. Default 200.
    pub window_messages: usize,
    /// Lines of one channel that may wait for an extraction before its shard stops
    /// reading messages, and windows that may before it stops reading those.
    /// Default 1,000.
    pub backlog: usize,
    /// Lines and windows that may wait in one shard while calls about their channels are not
    /// answered, before the shard stops reading. Up to that, other channels go on beside a
    /// channel with a slow call. Default 20,000, in memory some 10 MB of short messages.
    pub held_at_most: usize,
    /// Cases of a channel that are known at most. Default 500.
    pub known_cases: usize,
    /// How alike two problems must be to be taken for one, in thousandths; nothing is
    /// alike above 1,000.
    ///
    /// Default 650: on the questions of BANKING77's train.csv, each against all others,
    /// 3.9 % of the merges are of two intents then, and 36 % of the questions are merged
    /// rightly. At 600 it is 5.9 % and 53 %, at 700 2.0 % and 19 %. On test.csv 4.9 % and
    /// 37 % (suites `dedup-merges` and `dedup`).
    pub merge_at: i64,
    /// Channel time without a change after which an open case expires. Default 7 days.
    pub open_case_age: Duration,
}

impl ExtractorParams {
    /// The defaults, which are those of the settings too.
    pub const DEFAULT: Self = Self {
        run: Run::FIRST,
        window_age: Duration::from_secs(72 * 3600),
        window_messages: 200,
        backlog: 1000,
        held_at_most: 20_000,
        known_cases: 500,
        merge_at: 650,
        open_case_age: Duration::from_secs(7 * 24 * 3600),
    };
}

impl Default for ExtractorParams {
    fn default() -> Self {
        Self::DEFAULT
    }
}
