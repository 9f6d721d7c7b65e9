//! Questions and dialogs, part of the program: `labels/answers`.

use anyhow::{Context, ensure};
use serde::Deserialize;
use serde::de::DeserializeOwned;

const DIALOGS: &str = include_str!("../../labels/answers/dialogs.jsonl");
const QUESTIONS: &str = include_str!("../../labels/answers/questions.jsonl");

/// Which part of the material.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Half {
    /// Rules are made with it.
    Tune,
    /// Looked at once, when they are made.
    Final,
}

/// A dialog that was written for the suite.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Dialog {
    pub(crate) id: String,
    pub(crate) language: String,
    /// What is difficult about it.
    pub(crate) kind: String,
    pub(crate) half: Half,
    pub(crate) lines: Vec<Said>,
    /// Whether the dialog shows that a suggestion worked.
    pub(crate) solved: bool,
    /// Lines that state the problem.
    pub(crate) problem: Vec<usize>,
    /// Lines of helpers that hold what worked.
    pub(crate) solution: Vec<usize>,
    /// Suggestions that the dialog shows to be wrong.
    #[serde(default)]
    pub(crate) wrong: Vec<usize>,
    /// Suggestions that nobody confirmed.
    #[serde(default)]
    pub(crate) suggested: Vec<usize>,
}

/// A line of a dialog.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Said {
    pub(crate) by: String,
    pub(crate) at: String,
    pub(crate) text: String,
    #[serde(default)]
    pub(crate) reply_to: Option<usize>,
    #[serde(default)]
    pub(crate) reactions: Vec<Reaction>,
}

/// A reaction on a line.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Reaction {
    pub(crate) by: String,
    pub(crate) emoji: String,
    pub(crate) at: String,
}

/// A question, and the lines of chat that answer it; none where nothing there does.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Question {
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) language: String,
    pub(crate) half: Half,
    /// A dialog (`dialog:<id>`), or the folder and file of the data set.
    pub(crate) source: String,
    pub(crate) question: String,
    pub(crate) answer: Vec<String>,
    /// Whether the answer is a suggestion that nobody confirmed.
    #[serde(default)]
    pub(crate) suggested: bool,
    /// Whether the chat shows that the answer worked.
    #[serde(default)]
    #[expect(dead_code, reason = "for those who read the file")]
    confirmed: Option<bool>,
    /// The line of chat that a question without an answer is like.
    #[serde(default)]
    #[expect(dead_code, reason = "for those who read the file")]
    near: Vec<String>,
}

/// The dialogs of all languages.
///
/// # Errors
/// When the file is none of dialogs.
pub(crate) fn dialogs() -> anyhow::Result<Vec<Dialog>> {
    let dialogs: Vec<Dialog> = lines(DIALOGS)?;
    for dialog in &dialogs {
        let Dialog {
            problem,
            solution,
            wrong,
            suggested,
            ..
        } = dialog;
        let named = [problem, solution, wrong, suggested].into_iter().flatten();
        let replies = dialog
            .lines
            .iter()
            .filter_map(|line| line.reply_to.as_ref());
        let mut all = named.chain(replies);
        ensure!(
            all.all(|at| *at < dialog.lines.len()),
            "{} names a line that it does not have",
            dialog.id
        );
    }
    Ok(dialogs)
}

/// All questions.
///
/// # Errors
/// When the file is none of questions.
pub(crate) fn questions() -> anyhow::Result<Vec<Question>> {
    lines(QUESTIONS)
}

pub(super) fn lines<T: DeserializeOwned>(text: &str) -> anyhow::Result<Vec<T>> {
    let lines = text.lines().enumerate();
    let parsed = lines.map(|(at, line)| {
        serde_json::from_str(line).with_context(|| format!("line {} of the material", at + 1))
    });
    parsed.collect()
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;

    /// Of each kind there are as many as an issue asks for, half of them put away.
    #[test]
    fn there_is_enough_of_each_kind_and_half_of_it_is_put_away() {
        let questions = questions().expect("questions");
        let mut kinds = BTreeMap::<&str, [usize; 2]>::new();
        for question in &questions {
            kinds.entry(&question.kind).or_default()[question.half as usize] += 1;
        }
        for kind in ["own", "verbatim", "related", "offtopic", "cross"] {
            let [tune, last] = kinds[kind];
            assert!(tune + last >= 50, "{kind}: {tune} and {last}");
            assert!(
                tune.abs_diff(last) * 4 <= tune + last,
                "{kind}: {tune} and {last}"
            );
        }
        let dialogs = dialogs().expect("dialogs");
        assert!(dialogs.len() >= 80);
        assert!(dialogs.iter().filter(|dialog| !dialog.solved).count() >= 20);
    }

    #[test]
    fn a_dialog_is_solved_where_it_has_a_solution() {
        for dialog in dialogs().expect("dialogs") {
            assert_eq!(dialog.solved, !dialog.solution.is_empty(), "{}", dialog.id);
        }
    }

    #[test]
    fn a_question_on_a_dialog_is_answered_by_its_lines() {
        let dialogs = dialogs().expect("dialogs");
        let mut ids = BTreeSet::new();
        for question in questions().expect("questions") {
            assert!(ids.insert(question.id.clone()), "{} twice", question.id);
            let Some(id) = question.source.strip_prefix("dialog:") else {
                continue;
            };
            let dialog = dialogs.iter().find(|dialog| dialog.id == id);
            let dialog = dialog.expect("a dialog of this id");
            assert_eq!(question.half, dialog.half, "{}", question.id);
            let said = |text: &String| dialog.lines.iter().any(|line| line.text == *text);
            assert!(question.answer.iter().all(said), "{}", question.id);
        }
    }
}
