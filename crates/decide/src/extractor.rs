//! `extractor`: asks an engine for the cases in a window and turns its answer
//! into case events; decides confirmation and withdrawal by reactions.
//!
//! What is known of a case is folded from `knowledge.cases` only, in the order
//! of the log. A decision that was made on an older version is seen refused
//! there, and is decided again.

use std::collections::BTreeSet;

use threadlore_model::{
    Body, Case, CaseConfirmed, CaseId, CaseOpened, CaseSolved, ConfirmationWithdrawn, Decided,
    Decision, Draft, EffectOutcome, EffectRequest, Event, Evidence, Extraction, ExtractorParams,
    ExtractorState, Facts, Input, KnownCase, Line, MessageId, Offset, Part, PersonId, Private,
    Refusal, Resolved, Role, Status, Timestamp, Window,
};

use crate::signals::{hints, is_positive_emoji};
use crate::threads::link;

/// What follows from an input.
///
/// # Errors
/// A [`Refusal`] when an engine's answer points outside its window (C10).
pub fn decide(
    state: &ExtractorState,
    input: &Input<'_>,
    facts: &Facts,
    params: &ExtractorParams,
) -> Result<Decision, Refusal> {
    let mut decision = Decision::default();
    match input {
        Input::Record { event, .. } => {
            decision.events = by_record(state, event, facts);
        }
        Input::Outcome {
            request: EffectRequest::Extract { window, .. },
            outcome,
        } => {
            if let EffectOutcome::Extracted { engine, extraction } = outcome {
                check_range(window, extraction)?;
                decision.events = Answer {
                    state,
                    window,
                    engine,
                    facts,
                }
                .events(extraction);
            }
        }
        Input::Wake { .. } | Input::Resume => {}
    }
    if facts.pending_effects == 0
        && let Some((&up_to, cause)) = state.awaiting.first_key_value()
        && state.seen >= Some(up_to)
    {
        if let Some(channel) = facts.channel.clone() {
            let window = window_of(state, channel, up_to, &decision, params);
            decision
                .effects
                .push((cause.clone(), EffectRequest::Extract { up_to, window }));
        }
    }
    Ok(decision)
}

/// Whether more lines wait to be looked at than may.
#[must_use]
pub fn is_full(state: &ExtractorState, params: &ExtractorParams) -> bool {
    let waiting = state
        .window
        .iter()
        .rev()
        .take_while(|l| Some(l.offset) > state.looked)
        .count();
    waiting > params.backlog
}

fn window_of(
    state: &ExtractorState,
    channel: threadlore_model::ChannelId,
    up_to: Offset,
    decision: &Decision,
    params: &ExtractorParams,
) -> Window {
    let fresh: BTreeSet<MessageId> = decision
        .events
        .iter()
        .flat_map(|e| evidence_of(&e.body).iter().map(|e| e.message))
        .collect();
    let newest = state.clock.now(Timestamp::EARLIEST);
    let oldest = newest.minus(params.window_age);
    let kept: Vec<&Line> = state
        .window
        .iter()
        .filter(|l| l.offset <= up_to && l.line.at >= oldest)
        .map(|l| &l.line)
        .filter(|l| !state.claimed.contains(&l.message) && !fresh.contains(&l.message))
        .collect();
    let first = kept.len().saturating_sub(params.window_messages);
    let mut lines: Vec<Line> = kept[first..].iter().map(|l| (*l).clone()).collect();
    for line in &mut lines {
        line.positive = positive(state, line);
    }
    let (links, hints) = (link(&lines), hints(&lines));
    let open = state
        .cases
        .values()
        .filter(|c| c.status() == Status::Open)
        .map(|c| KnownCase {
            case: c.case,
            title: c.title.clone().unwrap_or_default(),
            problem: c.problem.clone().unwrap_or_default(),
            evidence: c.evidence.iter().map(|e| e.message).collect(),
        })
        .collect();
    Window {
        channel,
        lines,
        links,
        hints,
        open,
    }
}

/// People other than the writer who reacted positively.
fn positive(state: &ExtractorState, line: &Line) -> u32 {
    let people: BTreeSet<PersonId> = state
        .reactions
        .iter()
        .filter(|r| {
            r.message == line.message && r.person != line.person && is_positive_emoji(&r.emoji)
        })
        .map(|r| r.person)
        .collect();
    u32::try_from(people.len()).unwrap_or(u32::MAX)
}

fn evidence_of(body: &Body) -> &[Evidence] {
    match body {
        Body::CaseOpened(c) => &c.evidence,
        Body::CaseSolved(c) => &c.evidence,
        _ => &[],
    }
}

/// Confirmations by reactions, and a refused decision made again.
fn by_record(state: &ExtractorState, event: &Event, facts: &Facts) -> Vec<Decided> {
    match &event.body {
        Body::ReactionAdded(r) if is_positive_emoji(&r.emoji) => cases_with(state, r.message)
            .map(|c| confirmed(c, r.message, r.person, &r.emoji, facts))
            .collect(),
        Body::ReactionRemoved(r) if is_positive_emoji(&r.emoji) => cases_with(state, r.message)
            .map(|c| {
                Body::from(ConfirmationWithdrawn {
                    case: c.case,
                    channel: c.channel.clone(),
                    message: r.message,
                    person: r.person,
                    emoji: r.emoji.clone(),
                    now: facts.now,
                })
                .into()
            })
            .collect(),
        Body::CaseSolved(solved) if is_ours(event) => match state.cases.get(&solved.case) {
            Some(case) if case.signal.is_none() => {
                let again = CaseSolved {
                    expected_version: Some(case.version),
                    ..solved.clone()
                };
                vec![Body::from(again).into()]
            }
            Some(case) => earlier_reactions(state, case, &solved.evidence, facts),
            None => Vec::new(),
        },
        Body::CaseOpened(opened) if is_ours(event) => match state.cases.get(&opened.case) {
            Some(case) => earlier_reactions(state, case, &opened.evidence, facts),
            None => Vec::new(),
        },
        _ => Vec::new(),
    }
}

fn is_ours(event: &Event) -> bool {
    event
        .envelope
        .producer
        .as_ref()
        .is_some_and(|p| p.group.as_str() == Role::Extractor.name())
}

fn cases_with(state: &ExtractorState, message: MessageId) -> impl Iterator<Item = &Case> {
    state.cases.values().filter(move |c| {
        c.status() != Status::Archived && c.evidence.iter().any(|e| e.message == message)
    })
}

/// Reactions that stood before the case was read back.
fn earlier_reactions(
    state: &ExtractorState,
    case: &Case,
    evidence: &[Evidence],
    facts: &Facts,
) -> Vec<Decided> {
    state
        .reactions
        .iter()
        .filter(|r| is_positive_emoji(&r.emoji) && !case.confirmations.contains(r))
        .filter(|r| evidence.iter().any(|e| e.message == r.message))
        .map(|r| confirmed(case, r.message, r.person, &r.emoji, facts))
        .collect()
}

fn confirmed(
    case: &Case,
    message: MessageId,
    person: PersonId,
    emoji: &str,
    facts: &Facts,
) -> Decided {
    Body::from(CaseConfirmed {
        case: case.case,
        channel: case.channel.clone(),
        message,
        person,
        emoji: emoji.to_owned(),
        now: facts.now,
    })
    .into()
}

fn check_range(window: &Window, extraction: &Extraction) -> Result<(), Refusal> {
    let drafts = extraction.cases.iter().flat_map(|d| {
        d.problem_lines
            .iter()
            .chain(&d.solution_lines)
            .chain(&d.other_lines)
    });
    let resolved = extraction.resolved.iter().flat_map(|r| &r.solution_lines);
    match drafts.chain(resolved).find(|&&i| i >= window.lines.len()) {
        Some(i) => Err(Refusal(format!(
            "the engine's answer names line {i} of a window of {} lines",
            window.lines.len()
        ))),
        None => Ok(()),
    }
}

struct Answer<'a> {
    state: &'a ExtractorState,
    window: &'a Window,
    engine: &'a str,
    facts: &'a Facts,
}

impl Answer<'_> {
    fn events(&self, extraction: &Extraction) -> Vec<Decided> {
        let mut taken: BTreeSet<MessageId> = self.state.claimed.clone();
        let mut events: Vec<Decided> = Vec::new();
        let mut solved_now = BTreeSet::new();
        for resolved in &extraction.resolved {
            if let Some(event) = self.resolve(resolved)
                && solved_now.insert(resolved.case)
            {
                taken.extend(evidence_of(&event.body).iter().map(|e| e.message));
                events.push(event);
            }
        }
        for draft in &extraction.cases {
            let evidence = self.evidence(draft);
            let stated = evidence.iter().any(|e| e.part == Part::Problem);
            if !stated || evidence.iter().any(|e| taken.contains(&e.message)) {
                continue;
            }
            let known = self.known_open(&evidence);
            let event = match (known, &draft.solution) {
                (Some(case), Some(_)) if solved_now.insert(case.case) => {
                    self.solved(case.case, Some(case.version), draft, &evidence)
                }
                (Some(_), _) => continue,
                (None, _) => {
                    let id = CaseId::first_carried_by(self.facts.event_id(events.len()));
                    self.new_case(id, draft, &evidence)
                }
            };
            taken.extend(evidence.iter().map(|e| e.message));
            events.push(event);
        }
        events
    }

    /// Evidence in the order of the window; what bots wrote is left out (C9).
    fn evidence(&self, draft: &Draft) -> Vec<Evidence> {
        let parts = [
            (&draft.problem_lines, Part::Problem),
            (&draft.solution_lines, Part::Solution),
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
        found.sort_unstable();
        found
            .into_iter()
            .map(|(i, part)| Evidence {
                message: self.window.lines[i].message,
                part,
            })
            .collect()
    }

    fn known_open(&self, evidence: &[Evidence]) -> Option<&Case> {
        self.state.cases.values().find(|c| {
            c.status() == Status::Open
                && c.evidence
                    .iter()
                    .any(|e| evidence.iter().any(|n| n.message == e.message))
        })
    }

    fn new_case(&self, id: CaseId, draft: &Draft, evidence: &[Evidence]) -> Decided {
        if draft.solution.is_some() {
            return self.solved(id, None, draft, evidence);
        }
        Body::from(CaseOpened {
            case: id,
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
        expected_version: Option<i64>,
        draft: &Draft,
        evidence: &[Evidence],
    ) -> Decided {
        Body::from(CaseSolved {
            case,
            expected_version,
            channel: self.window.channel.clone(),
            title: Private::open(draft.title.clone()),
            problem: Private::open(draft.problem.clone()),
            solution: Private::open(draft.solution.clone().unwrap_or_default()),
            tags: draft.tags.iter().map(Private::open).collect(),
            evidence: evidence.to_vec(),
            signal: draft.signal.unwrap_or(threadlore_model::Signal::ThreadEnd),
            engine: self.engine.to_owned(),
            now: self.facts.now,
        })
        .into()
    }

    /// An open case that the window resolves (C15).
    fn resolve(&self, resolved: &Resolved) -> Option<Decided> {
        let case = self.state.cases.get(&resolved.case)?;
        if case.status() != Status::Open {
            return None;
        }
        let evidence: Vec<Evidence> = resolved
            .solution_lines
            .iter()
            .map(|&i| &self.window.lines[i])
            .filter(|line| !line.bot)
            .map(|line| Evidence {
                message: line.message,
                part: Part::Solution,
            })
            .collect();
        if evidence.is_empty()
            || evidence
                .iter()
                .any(|e| self.state.claimed.contains(&e.message))
        {
            return None;
        }
        let open = |text: &Option<String>| Private::open(text.clone().unwrap_or_default());
        Some(
            Body::from(CaseSolved {
                case: case.case,
                expected_version: Some(case.version),
                channel: case.channel.clone(),
                title: open(&case.title),
                problem: open(&case.problem),
                solution: Private::open(resolved.solution.clone()),
                tags: case.tags.iter().map(Private::open).collect(),
                evidence,
                signal: resolved.signal,
                engine: self.engine.to_owned(),
                now: self.facts.now,
            })
            .into(),
        )
    }
}
