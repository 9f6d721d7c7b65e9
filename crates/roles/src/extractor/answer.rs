//! From an engine's answer to case events.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use threadlore_model::{
    Body, Case, CaseId, CaseOpened, CaseSolved, CaseSuggested, Draft, Evidence, Extraction,
    MessageId, Part, Private, Resolved, Signal, Suggested, Window,
};

use super::decide::{evidence_of, private};
use super::state::age;
use crate::{Decided, ExtractorState, Facts};

/// The events, or `None` when the answer points outside its window: then all of
/// it is worth nothing.
pub(super) fn decide(
    state: &ExtractorState,
    (window, engine, extraction): (&Window, &str, &Extraction),
    facts: &Facts,
) -> Option<Vec<Decided>> {
    let drafts = extraction.cases.iter().flat_map(lines_of);
    let resolved = extraction.resolved.iter();
    let resolved = resolved.flat_map(|r| r.solution_lines.iter().chain(&r.signal_line));
    let suggested = extraction.suggested.iter().flat_map(|s| &s.lines);
    if drafts
        .chain(resolved)
        .chain(suggested)
        .any(|i| *i >= window.lines.len())
    {
        return None;
    }
    let answer = Answer {
        state,
        window,
        engine,
        facts,
        here: unchanged(state, window),
        cases: cases_of(state, window),
    };
    Some(answer.events(extraction))
}

fn unchanged(state: &ExtractorState, window: &Window) -> BTreeSet<MessageId> {
    let now: BTreeMap<MessageId, &str> = state
        .lines()
        .map(|l| (l.line.message, l.line.text.as_str()))
        .collect();
    let lines = window.lines.iter();
    lines
        .filter(|line| now.get(&line.message) == Some(&line.text.as_str()))
        .map(|line| line.message)
        .collect()
}

/// Cases with evidence in the window, in their order.
fn cases_of<'a>(state: &'a ExtractorState, window: &Window) -> Vec<&'a Case> {
    let shown: HashSet<MessageId> = window.lines.iter().map(|line| line.message).collect();
    let shares = |case: &&Case| case.evidence.iter().any(|e| shown.contains(&e.message));
    state.cases.values().filter(shares).collect()
}

fn lines_of(draft: &Draft) -> impl Iterator<Item = &usize> {
    draft
        .problem_lines
        .iter()
        .chain(&draft.solution_lines)
        .chain(&draft.other_lines)
        .chain(&draft.signal_line)
}

struct Answer<'a> {
    state: &'a ExtractorState,
    window: &'a Window,
    engine: &'a str,
    facts: &'a Facts,
    /// Messages of the channel's window with the words that the engine saw. A look
    /// keeps the lines it covered, so what is missing was redacted or edited while
    /// the engine worked.
    here: BTreeSet<MessageId>,
    /// Known cases with evidence in the window.
    cases: Vec<&'a Case>,
}

impl Answer<'_> {
    fn events(&self, extraction: &Extraction) -> Vec<Decided> {
        let mut taken: BTreeSet<MessageId> = BTreeSet::new();
        let mut events: Vec<Decided> = Vec::new();
        let mut solved_now = BTreeSet::new();
        for resolved in &extraction.resolved {
            if let Some(event) = self.resolve(resolved)
                && solved_now.insert(resolved.case)
            {
                let carries = evidence_of(&event.body).iter();
                let carries = carries.filter(|one| one.part != Part::Context);
                taken.extend(carries.map(|one| one.message));
                events.push(event);
            }
        }
        for suggested in &extraction.suggested {
            if !solved_now.contains(&suggested.case) {
                events.extend(self.suggest(suggested));
            }
        }
        for draft in &extraction.cases {
            let Some(evidence) = self.evidence(draft) else {
                continue;
            };
            if evidence.iter().any(|e| taken.contains(&e.message)) {
                continue;
            }
            let event = match (self.known(&evidence), self.solution(draft)) {
                (Some(case), Some(solution))
                    if case.signal.is_none() && solved_now.insert(case.case) =>
                {
                    self.solved(case.case, draft, solution, &evidence)
                }
                (Some(_), _) => continue,
                (None, solution) => {
                    let id = CaseId::first_carried_by(self.facts.event_id(events.len()));
                    match solution {
                        Some(solution) => self.solved(id, draft, solution, &evidence),
                        None => self.unsolved(id, draft, &evidence),
                    }
                }
            };
            taken.extend(evidence.iter().map(|e| e.message));
            events.push(event);
        }
        events
    }

    /// Evidence in the order of the window; what bots wrote is left out. `None` when no line states
    /// a problem, or when a text was redacted or edited meanwhile.
    fn evidence(&self, draft: &Draft) -> Option<Vec<Evidence>> {
        let answering = match (self.solution(draft), &draft.suggestion) {
            (Some(_), _) => Part::Solution,
            (None, Some(_)) => Part::Suggestion,
            (None, None) => Part::Context,
        };
        let parts = [
            (&draft.problem_lines, Part::Problem),
            (&draft.solution_lines, answering),
            (&draft.other_lines, Part::Context),
        ];
        let mut found: Vec<(usize, Part)> = Vec::new();
        for (lines, part) in parts {
            for &i in lines {
                if !self.window.lines[i].bot && !found.iter().any(|(j, _)| *j == i) {
                    found.push((i, part));
                }
            }
        }
        // What says that it helped belongs to the case.
        if let Some(at) = draft.signal_line
            && !found.iter().any(|(known, _)| *known == at)
        {
            found.push((at, Part::Context));
        }
        found.sort_unstable();
        let evidence: Vec<Evidence> = found
            .into_iter()
            .map(|(i, part)| self.evidence_at(i, part))
            .collect();
        let stated = evidence.iter().any(|e| e.part == Part::Problem);
        (stated && !draft.problem.trim().is_empty() && self.are_here(&evidence)).then_some(evidence)
    }

    fn message_at(&self, line: Option<usize>) -> Option<MessageId> {
        line.map(|at| self.window.lines[at].message)
    }

    fn evidence_at(&self, line: usize, part: Part) -> Evidence {
        let message = self.window.lines[line].message;
        let here = self.state.line_of(message);
        Evidence {
            message,
            part,
            revision: here.map_or(0, |l| l.revision),
        }
    }

    fn are_here(&self, evidence: &[Evidence]) -> bool {
        evidence.iter().all(|e| self.here.contains(&e.message))
    }

    /// The solution, if a person's line carries it: what only bots said is none.
    fn solution<'d>(&self, draft: &'d Draft) -> Option<&'d str> {
        let mut lines = draft.solution_lines.iter();
        let said = lines.any(|&i| !self.window.lines[i].bot);
        let solution = draft.solution.as_deref();
        solution.filter(|text| said && !text.trim().is_empty())
    }

    /// The case that already has some of the evidence; one without a solution first.
    fn known(&self, evidence: &[Evidence]) -> Option<&Case> {
        let shares = |case: &&&Case| {
            let mut own = case.evidence.iter();
            own.any(|e| evidence.iter().any(|n| n.message == e.message))
        };
        let cases = self.cases.iter().filter(shares);
        cases
            .copied()
            .min_by_key(|case| (case.signal.is_some(), age(case)))
    }

    /// A new case without a solution.
    fn unsolved(&self, case: CaseId, draft: &Draft, evidence: &[Evidence]) -> Decided {
        let suggests = evidence.iter().any(|e| e.part == Part::Suggestion);
        match draft.suggestion.as_deref().filter(|_| suggests) {
            Some(suggestion) => Body::from(CaseSuggested {
                case,
                channel: self.window.channel.clone(),
                title: Private::open(draft.title.clone()),
                problem: Private::open(draft.problem.clone()),
                suggestion: Private::open(suggestion),
                tags: draft.tags.iter().map(Private::open).collect(),
                evidence: evidence.to_vec(),
                engine: self.engine.to_owned(),
                now: self.facts.now,
            })
            .into(),
            None => self.opened(case, draft, evidence),
        }
    }

    /// What is suggested to an open case now, if that is not what was suggested before.
    fn suggest(&self, suggested: &Suggested) -> Option<Decided> {
        let case = self.state.cases.get(&suggested.case)?;
        let lines = suggested.lines.iter();
        let evidence: Vec<Evidence> = lines
            .filter(|at| !self.window.lines[**at].bot)
            .map(|&at| self.evidence_at(at, Part::Suggestion))
            .collect();
        let text = suggested.suggestion.trim();
        let text = if evidence.is_empty() { "" } else { text };
        let known = case.suggestion.as_deref().unwrap_or_default();
        if case.signal.is_some()
            || case.merged_into.is_some()
            || text == known
            || !self.are_here(&evidence)
        {
            return None;
        }
        Some(
            Body::from(CaseSuggested {
                case: case.case,
                channel: case.channel.clone(),
                title: private(case.title.as_deref()),
                problem: private(case.problem.as_deref()),
                suggestion: Private::open(text),
                tags: case.tags.iter().map(Private::open).collect(),
                evidence,
                engine: self.engine.to_owned(),
                now: self.facts.now,
            })
            .into(),
        )
    }

    fn opened(&self, case: CaseId, draft: &Draft, evidence: &[Evidence]) -> Decided {
        Body::from(CaseOpened {
            case,
            channel: self.window.channel.clone(),
            title: Private::open(draft.title.clone()),
            problem: Private::open(draft.problem.clone()),
            tags: draft.tags.iter().map(Private::open).collect(),
            evidence: evidence.to_vec(),
            engine: self.engine.to_owned(),
            now: self.facts.now,
        })
        .into()
    }

    fn solved(
        &self,
        case: CaseId,
        draft: &Draft,
        solution: &str,
        evidence: &[Evidence],
    ) -> Decided {
        Body::from(CaseSolved {
            case,
            channel: self.window.channel.clone(),
            title: Private::open(draft.title.clone()),
            problem: Private::open(draft.problem.clone()),
            solution: Private::open(solution),
            tags: draft.tags.iter().map(Private::open).collect(),
            evidence: evidence.to_vec(),
            signal: draft.signal.unwrap_or(Signal::ThreadEnd),
            signal_message: self.message_at(draft.signal_line),
            engine: self.engine.to_owned(),
            now: self.facts.now,
        })
        .into()
    }

    /// A case without a solution that the window resolves, even if it expired while the
    /// engine worked.
    fn resolve(&self, resolved: &Resolved) -> Option<Decided> {
        let case = self.state.cases.get(&resolved.case)?;
        let mut evidence: Vec<Evidence> = resolved
            .solution_lines
            .iter()
            .filter(|i| !self.window.lines[**i].bot)
            .map(|&i| self.evidence_at(i, Part::Solution))
            .collect();
        if case.signal.is_some()
            || resolved.solution.trim().is_empty()
            || evidence.is_empty()
            || !self.are_here(&evidence)
        {
            return None;
        }
        // What says that it helped belongs to the case, unless it is gone meanwhile.
        let sign = resolved.signal_line;
        let sign = sign.filter(|at| !resolved.solution_lines.contains(at));
        evidence.extend(
            sign.map(|at| self.evidence_at(at, Part::Context))
                .filter(|one| self.here.contains(&one.message)),
        );
        Some(
            Body::from(CaseSolved {
                case: case.case,
                channel: case.channel.clone(),
                title: private(case.title.as_deref()),
                problem: private(case.problem.as_deref()),
                solution: Private::open(resolved.solution.clone()),
                tags: case.tags.iter().map(Private::open).collect(),
                evidence,
                signal: resolved.signal,
                signal_message: self.message_at(resolved.signal_line),
                engine: self.engine.to_owned(),
                now: self.facts.now,
            })
            .into(),
        )
    }
}
