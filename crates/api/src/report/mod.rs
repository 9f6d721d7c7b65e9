//! A week of a space, or any other stretch of time, beside the same time before it.

mod page;
mod plain;

use std::time::Duration;
use utoipa::ToSchema;

use serde::Serialize;
use threadlore_model::{Timestamp, TurnOutcome};
use threadlore_node::Node;
use threadlore_ports::Scope;
use threadlore_store_postgres::{Activity, TurnFilter};

use crate::questions::{Question, list};
use crate::words::counted;

pub(crate) use page::part;

/// Days of a report, unless it is said.
pub(crate) const DAYS: u32 = 7;
/// The most days of a report.
pub(crate) const MOST_DAYS: u32 = 366;
/// Questions and cases that a report names.
const NAMED: u32 = 10;

/// What happened in a stretch of time. Times are channel time.
#[derive(Debug, Serialize, ToSchema)]
pub struct Report {
    /// The space.
    pub space: String,
    /// How many days it is about.
    pub days: u32,
    /// From when on.
    pub from: String,
    /// Until when, which is not part of it.
    pub until: String,
    /// Messages of people.
    pub messages: Change,
    /// People who wrote any of them.
    pub people: Change,
    /// Questions to the bot or to everybody that it saw live.
    pub asked: Change,
    /// Those that it answered, with a solution or a suggestion.
    pub answered: Change,
    /// Those that a person answered first.
    pub answered_by_person: Change,
    /// Those that memory had no answer to.
    pub unanswered: Change,
    /// Answers of which it became known that they worked.
    pub worked: Change,
    /// Those of which it became known that they failed.
    pub failed: Change,
    /// Tokens that the chat model was sent and said to read for answers, as far as its server tells.
    pub model_tokens: Change,
    /// Cases that were found.
    pub cases_opened: Change,
    /// Cases that became solved.
    pub cases_solved: Change,
    /// The middle one of the seconds from a problem to its solution; null where none became solved.
    pub median_seconds_to_solution: Option<u64>,
    /// The same of the time before.
    pub median_seconds_before: Option<u64>,
    /// What became of turns, those outcomes that occurred.
    pub outcomes: Vec<OutcomeCount>,
    /// The cases that answers of this time rest on or point at, the most frequent first.
    pub most_asked: Vec<TopCase>,
    /// The questions that nobody could answer, whenever they were asked, the latest first.
    pub waiting: Vec<Question>,
    /// How many of those there are.
    pub waiting_in_all: u64,
}

/// A number, and the same of the time before.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct Change {
    /// In this time.
    pub now: u64,
    /// In the time before.
    pub before: u64,
}

/// How often turns had an outcome.
#[derive(Debug, Serialize, ToSchema)]
pub struct OutcomeCount {
    /// Its name, such as `answered`.
    pub outcome: &'static str,
    /// What it means, in one sentence.
    pub because: &'static str,
    /// How often.
    #[serde(flatten)]
    pub count: Change,
}

/// A case that people asked about.
#[derive(Debug, Serialize, ToSchema)]
pub struct TopCase {
    /// Its id.
    pub case: String,
    /// Its link.
    pub link: String,
    /// Null when erased.
    pub title: Option<String>,
    /// Answers that rest on it or point at it.
    pub answers: u64,
}

/// The report of so many days that end at `until`.
///
/// # Errors
/// What the tables say.
pub async fn report(
    node: &Node,
    scope: &Scope,
    until: Timestamp,
    days: u32,
) -> anyhow::Result<Report> {
    let lasts = Duration::from_secs(u64::from(days) * DAY);
    let from = until.minus(lasts);
    let store = &node.store;
    let now = store.activity(scope, from..until).await?;
    let before = store.activity(scope, from.minus(lasts)..from).await?;
    let most_asked = store.most_asked(scope, from..until, NAMED).await?;
    let filter = TurnFilter {
        channel: None,
        outcomes: &TurnOutcome::UNANSWERED,
        after: None,
        named: None,
        limit: NAMED,
    };
    let waiting = list(node, scope, filter).await?;
    let change = |of: fn(&Activity) -> u64| Change {
        now: of(&now),
        before: of(&before),
    };
    let turns = |outcomes: &[TurnOutcome]| Change {
        now: count(&now, outcomes),
        before: count(&before, outcomes),
    };
    let outcomes = TurnOutcome::ALL.into_iter().map(|outcome| OutcomeCount {
        outcome: outcome.name(),
        because: outcome.sentence(),
        count: turns(&[outcome]),
    });
    let asked = most_asked.into_iter().map(|one| TopCase {
        case: one.case.to_string(),
        link: node.link(one.case),
        title: one.title,
        answers: one.answers,
    });
    Ok(Report {
        space: scope.space().to_string(),
        days,
        from: from.to_string(),
        until: until.to_string(),
        messages: change(|of| of.messages),
        people: change(|of| of.people),
        asked: turns(&TurnOutcome::ASKED),
        answered: turns(&[TurnOutcome::Answered, TurnOutcome::Suggested]),
        answered_by_person: turns(&[TurnOutcome::AnsweredByPerson]),
        unanswered: turns(&TurnOutcome::UNANSWERED),
        worked: change(|of| of.worked),
        failed: change(|of| of.failed),
        model_tokens: change(|of| of.model_tokens),
        cases_opened: change(|of| of.opened),
        cases_solved: change(|of| of.solved),
        median_seconds_to_solution: now.median_seconds,
        median_seconds_before: before.median_seconds,
        outcomes: outcomes
            .filter(|one| one.count != Change::default())
            .collect(),
        most_asked: asked.collect(),
        waiting: waiting.questions,
        waiting_in_all: waiting.fitting,
    })
}

/// Seconds of a day.
const DAY: u64 = 24 * 3600;
/// In place of words that are gone.
const NONE: &str = "(erased)";

/// In which form a report is written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ReportForm {
    /// Text for a terminal or a mail.
    Text,
    /// Markdown.
    #[default]
    Markdown,
    /// A document of HTML that loads nothing.
    Html,
}

impl ReportForm {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Text, Self::Markdown, Self::Html];

    /// Its name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Markdown => "markdown",
            Self::Html => "html",
        }
    }
}

impl Report {
    /// The report for people.
    #[must_use]
    pub fn written(&self, form: ReportForm) -> String {
        match form {
            ReportForm::Text => plain::text(self),
            ReportForm::Markdown => plain::markdown(self),
            ReportForm::Html => page::document(self).into_string(),
        }
    }

    /// Which space, and which time.
    pub(crate) fn title(&self) -> String {
        let (from, until) = (day(&self.from), day(&self.until));
        format!("{}: {from} to {until}", self.space)
    }

    /// Its numbers: what each counts, now, and in the time before.
    fn rows(&self) -> Vec<(&'static str, String, String)> {
        let counts = [
            ("messages", self.messages),
            ("people who wrote", self.people),
            ("questions", self.asked),
            ("answered", self.answered),
            ("answered by a person first", self.answered_by_person),
            ("nothing known", self.unanswered),
            ("answers that worked", self.worked),
            ("answers that failed", self.failed),
            ("cases found", self.cases_opened),
            ("cases solved", self.cases_solved),
        ];
        let counts = counts.map(|(name, of)| (name, of.now.to_string(), of.before.to_string()));
        let mut rows = Vec::from(counts);
        rows.push((
            "middle time to a solution",
            lasted(self.median_seconds_to_solution),
            lasted(self.median_seconds_before),
        ));
        if self.model_tokens != Change::default() {
            let Change { now, before } = self.model_tokens;
            rows.push(("tokens of the model", now.to_string(), before.to_string()));
        }
        rows
    }

    /// How many questions wait that are not named.
    fn more_waiting(&self) -> Option<u64> {
        let more = self.waiting_in_all - self.waiting.len() as u64;
        (more > 0).then_some(more)
    }
}

/// The headings of the columns with numbers.
fn columns(report: &Report) -> [String; 2] {
    [counted(report.days.into(), "day"), "before".to_owned()]
}

/// The day of a moment.
fn day(at: &str) -> &str {
    at.get(..10).unwrap_or(at)
}

/// A time in its largest unit.
fn lasted(seconds: Option<u64>) -> String {
    match seconds {
        None => "–".to_owned(),
        Some(seconds @ ..120) => format!("{seconds} s"),
        Some(seconds @ ..7200) => format!("{} min", seconds / 60),
        Some(seconds) if seconds < 2 * DAY => format!("{} h", seconds / 3600),
        Some(seconds) => format!("{} d", seconds / DAY),
    }
}

fn count(activity: &Activity, outcomes: &[TurnOutcome]) -> u64 {
    let turns = activity.turns.iter();
    let turns = turns.filter(|(outcome, _)| outcomes.contains(outcome));
    turns.map(|(_, count)| count).sum()
}

#[cfg(test)]
mod tests {
    use super::lasted;

    #[test]
    fn a_time_is_said_in_its_largest_unit() {
        for (seconds, expect) in [
            (None, "–"),
            (Some(0), "0 s"),
            (Some(119), "119 s"),
            (Some(120), "2 min"),
            (Some(7200), "2 h"),
            (Some(3 * 24 * 3600 - 1), "2 d"),
        ] {
            assert_eq!(lasted(seconds), expect);
        }
    }
}
