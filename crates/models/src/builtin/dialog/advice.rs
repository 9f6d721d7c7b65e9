//! Lines that may hold the answer although nobody confirmed it.

use std::time::Duration;

use threadlore_model::{Hint, Outcome};

use super::Dialog;
use crate::builtin::prose::{self, Prose};

/// Lines of the same person within this time after a piece of advice belong to it.
const SHOWN_WITHIN: Duration = Duration::from_secs(5 * 60);

impl Dialog<'_> {
    /// Lines of others with advice for the asker, ascending. Advice that failed according to the
    /// asker, and talk after the asker's last thanks, are left out.
    pub(in super::super) fn advice(&self) -> Vec<usize> {
        let outcome = |at: usize| self.window.hints[at].outcome;
        let stated = self.problem_lines[0];
        let own = || self.own_after(stated).rev();
        let failed = own().find(|at| self.fails(*at)).unwrap_or(stated);
        let content = own().find(|at| {
            matches!(outcome(*at), Some(Outcome::Thanks | Outcome::Works))
                && !self.window.hints[*at].question
        });
        let asks_again =
            |after: usize| own().any(|at| at > after && self.window.hints[at].question);
        let end = content.filter(|at| !asks_again(*at)).unwrap_or(usize::MAX);
        let reported = |at: &usize| {
            let text = &self.window.lines[*at].text;
            let asks = self.window.hints[*at].question;
            !asks && outcome(*at) != Some(Outcome::Fails) && prose::reports(&Prose::of(text))
        };
        let mut lines: Vec<usize> = Vec::new();
        for (at, text) in self
            .answers
            .range(failed + 1..)
            .take_while(|(at, _)| **at < end)
        {
            let goes_on = |last: &usize| {
                let (last, now) = (&self.window.lines[*last], &self.window.lines[*at]);
                last.person == now.person && now.at.since(last.at) <= SHOWN_WITHIN
            };
            let tells = self.said[*at].reads.tells;
            let given = || self.addressing.contains(at) || lines.last().is_some_and(goes_on);
            if tells || (prose::only_shows(text) && given()) || self.names(*at) {
                lines.push(*at);
            }
        }
        lines.extend(self.own_after(stated).filter(reported));
        lines.sort_unstable();
        lines
    }

    /// Whether a line answers a question of the asker with no more than a name: "asker: rsync".
    fn names(&self, at: usize) -> bool {
        let (said, hint) = (&self.said[at], &self.window.hints[at]);
        let answers = self.window.links[at].is_some_and(|link| self.problem_lines.contains(&link));
        said.to == Some(self.asker)
            && answers
            && self.asks()
            && *hint == Hint::default()
            && prose::is_a_name(said.text)
    }
}
