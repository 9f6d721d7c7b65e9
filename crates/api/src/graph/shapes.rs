//! What is said of what people ask about.

use serde::Serialize;
use threadlore_model::{AnswerOutcome, TurnOutcome};
use threadlore_store_postgres::AskedTurn;
use utoipa::ToSchema;

use crate::wording::text;

/// What people ask about.
#[derive(Debug, Serialize, ToSchema)]
pub struct Graph {
    /// The space.
    pub space: String,
    /// From when on, by channel time.
    pub from: String,
    /// Until when, which is not part of it.
    pub until: String,
    /// Questions of this time.
    pub asked: u64,
    /// How many of them are counted: the latest 20,000.
    pub read: u64,
    /// The words that most questions have; of a subject, those that they have beside it.
    pub words: Vec<Word>,
    /// What is known of the subject that was named.
    pub subject: Option<Subject>,
    /// How one word leads to another, by questions that have two of them; null where none was asked for.
    pub path: Option<Vec<Step>>,
    /// What the bot did where it was asked so, and how that went.
    pub acts: Vec<Act>,
}

/// A word, with the questions that have it.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Word {
    /// In its most frequent form.
    pub word: String,
    /// What became of these questions.
    #[serde(flatten)]
    pub tally: Tally,
    /// In how many of a thousand questions that have the one or the other of word and subject both are; 1000
    /// without a subject.
    pub strength: u64,
}

/// What became of questions.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct Tally {
    /// How many there are.
    pub asked: u64,
    /// Those answered from a case.
    pub cases: u64,
    /// Those answered with what the bot was told to remember.
    pub memories: u64,
    /// Those answered with what a tool said.
    pub tools: u64,
    /// Those that a person answered first.
    pub people: u64,
    /// Those that nobody could answer.
    pub nobody: u64,
    /// The others: the bot was not to speak, or could not.
    pub silent: u64,
    /// Answers that worked.
    pub worked: u64,
    /// Answers that failed.
    pub failed: u64,
    /// Answers of which as many people say the one as the other.
    pub partial: u64,
}

/// A subject: the questions that have most of its words.
#[derive(Debug, Serialize, ToSchema)]
pub struct Subject {
    /// As it was named.
    pub about: String,
    /// The words of it that count.
    pub words: Vec<String>,
    /// What became of these questions.
    #[serde(flatten)]
    pub tally: Tally,
    /// When it was asked last; null where it was not.
    pub last: Option<String>,
    /// The cases that answered them, the most frequent first.
    pub answered_by: Vec<AnsweredBy>,
    /// Those that nobody could answer, the latest first.
    pub waiting: Vec<Waiting>,
}

/// A case that answered questions on a subject.
#[derive(Debug, Serialize, ToSchema)]
pub struct AnsweredBy {
    /// Its id.
    pub case: String,
    /// Its link.
    pub link: String,
    /// Null when erased.
    pub title: Option<String>,
    /// How many it answered.
    pub answers: u64,
    /// How many of these answers worked.
    pub worked: u64,
    /// How many failed.
    pub failed: u64,
}

/// A question on a subject that nobody could answer.
#[derive(Debug, Serialize, ToSchema)]
pub struct Waiting {
    /// The event that closed its turn.
    pub turn: String,
    /// What it asks.
    pub question: String,
    /// Channel time of it.
    pub at: String,
}

/// A step from a word to the next.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Step {
    /// From this word.
    pub from: String,
    /// To this one.
    pub to: String,
    /// Questions that have both.
    pub together: u64,
}

/// What the bot did where it was asked so.
#[derive(Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Act {
    /// `mention`: it was asked by name; `new_question`, `ongoing_discussion`: everybody was; null where that
    /// was not looked at.
    pub tag: Option<&'static str>,
    /// What became of it, such as `answered`.
    pub outcome: &'static str,
    /// How often.
    pub times: u64,
    /// How many of these answers worked.
    pub worked: u64,
    /// How many failed.
    pub failed: u64,
    /// Of how many as many people say the one as the other.
    pub partial: u64,
}

impl Tally {
    pub(super) fn add(&mut self, turn: &AskedTurn) {
        self.asked += 1;
        let by = match turn.outcome {
            TurnOutcome::Answered | TurnOutcome::Suggested if turn.memory.is_some() => {
                &mut self.memories
            }
            TurnOutcome::Answered | TurnOutcome::Suggested if turn.case.is_some() => {
                &mut self.cases
            }
            TurnOutcome::Answered | TurnOutcome::Suggested => &mut self.tools,
            TurnOutcome::AnsweredByPerson => &mut self.people,
            other if TurnOutcome::UNANSWERED.contains(&other) => &mut self.nobody,
            _ => &mut self.silent,
        };
        *by += 1;
        match turn.worth {
            Some(AnswerOutcome::Worked) => self.worked += 1,
            Some(AnswerOutcome::Failed) => self.failed += 1,
            Some(AnswerOutcome::Partial) => self.partial += 1,
            Some(AnswerOutcome::Unknown) | None => {}
        }
    }

    pub(super) fn of<'a>(turns: impl IntoIterator<Item = &'a AskedTurn>) -> Self {
        let mut tally = Self::default();
        turns.into_iter().for_each(|turn| tally.add(turn));
        tally
    }
}

impl Tally {
    /// What became of them, in words.
    #[must_use]
    pub fn in_words(&self) -> String {
        let parts = [
            (self.cases, text!("answered-by-cases")),
            (self.memories, text!("answered-by-memories")),
            (self.tools, text!("answered-by-tools")),
            (self.people, text!("answered-by-people")),
            (self.nobody, text!("answered-by-nobody")),
            (self.silent, text!("answered-by-silent")),
        ];
        let parts = parts.into_iter().filter(|(count, _)| *count > 0);
        let mut parts: Vec<String> = parts.map(|(count, how)| format!("{count} {how}")).collect();
        if self.worked + self.failed + self.partial > 0 {
            let (worked, failed) = (self.worked, self.failed);
            parts.push(text!("worked-failed", worked = worked, failed = failed));
        }
        parts.join(", ")
    }
}
