//! Settings of `responder`.

use std::time::Duration;

/// Settings of `responder`.
#[derive(Debug, Clone)]
pub struct ResponderParams {
    /// Names by which people ask the bot, lower case, without `@`. Default `lore` and `threadlore`.
    pub names: Vec<String>,
    /// A turn is not answered later than this. Default 5 minutes.
    pub answer_within: Duration,
    /// The same answer is given once in this time, unless the bot is asked by name. Default 10
    /// minutes.
    pub repeat_after: Duration,
    /// Answers of a channel in any minute. Default 6.
    pub per_minute: usize,
    /// Answers of a channel in any 24 hours. Default 200.
    pub per_day: usize,
}

impl ResponderParams {
    /// The default names, as they are written in the settings.
    pub const NAMES: &str = "lore, threadlore";

    /// The defaults, which are those of the settings too, but for the names.
    pub const NAMELESS: Self = Self {
        names: Vec::new(),
        answer_within: Duration::from_secs(5 * 60),
        repeat_after: Duration::from_secs(10 * 60),
        per_minute: 6,
        per_day: 200,
    };
}

impl Default for ResponderParams {
    fn default() -> Self {
        Self {
            names: Self::NAMES.split(", ").map(str::to_owned).collect(),
            ..Self::NAMELESS
        }
    }
}
