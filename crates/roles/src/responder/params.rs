//! Settings of `responder`.

use std::sync::Arc;
use std::time::Duration;

use threadlore_language::wording::Wordings;

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
    /// Whether a model says what a turn is, where the rules are not sure. Default no.
    pub gate_by_model: bool,
    /// Whether a model says what a turn tells of an answer, where the rules see nothing. Default no.
    pub judge_by_model: bool,
    /// Whether a model finds what people say of themselves, to be remembered. Default no.
    pub facts_by_model: bool,
    /// What the bot says in its own words. Default the built-in ones.
    pub wordings: Arc<Wordings>,
}

impl ResponderParams {
    /// The default names, as they are written in the settings.
    pub const NAMES: &str = "lore, threadlore";

    /// The default of `answer_within`.
    pub const ANSWER_WITHIN: Duration = Duration::from_secs(5 * 60);
    /// The default of `repeat_after`.
    pub const REPEAT_AFTER: Duration = Duration::from_secs(10 * 60);
    /// The default of `per_minute`.
    pub const PER_MINUTE: usize = 6;
    /// The default of `per_day`.
    pub const PER_DAY: usize = 200;
}

impl Default for ResponderParams {
    fn default() -> Self {
        Self {
            names: Self::NAMES.split(", ").map(str::to_owned).collect(),
            answer_within: Self::ANSWER_WITHIN,
            repeat_after: Self::REPEAT_AFTER,
            per_minute: Self::PER_MINUTE,
            per_day: Self::PER_DAY,
            gate_by_model: false,
            judge_by_model: false,
            facts_by_model: false,
            wordings: Arc::default(),
        }
    }
}
