use threadlore_model::{
    ArchiveReason, Body, Case, Draft, EraseReason, Event, Evidence, Extraction, MessageRedacted,
    Offset, Part, ReadyReason, Resolved, Signal, Status, Suggested, Window, WindowReady,
};

use super::decide::{decide, flow, wake};
use super::fold::{fold, fold_decided};
use super::{Decision, ExtractAnswer, ExtractCall, Input};
use crate::testing::{
    at, bot_posted, case, channel, event, facts, message, posted, reacted, record, unreacted,
};
use crate::{ExtractorParams, ExtractorState, Facts};

/// An extractor, worked by hand as the runtime works it.
#[derive(Default)]
struct Desk {
    state: ExtractorState,
    params: ExtractorParams,
    offset: i64,
    busy: usize,
    asked_at: threadlore_model::Timestamp,
}

impl Desk {
    /// Reads a record and folds what it leads to.
    fn read(&mut self, event: &Event) -> Decision {
        let offset = match &event.body {
            Body::MessagePosted(m) => m.sent_at.as_millis() / 1000,
            _ => self.offset + 1,
        };
        self.offset = self.offset.max(offset);
        self.take(&record(offset, event, 0))
    }

    fn take(&mut self, input: &Input<'_>) -> Decision {
        let mut all = self.decide(input);
        while let Some(record) = self.state.queue.take(self.busy > 0, false) {
            let input = Input::Queued {
                record: &record,
                decided: false,
            };
            let decision = self.decide(&input);
            self.busy += decision.calls.len();
            all.events.extend(decision.events);
            all.calls.extend(decision.calls);
            all.dropped = all.dropped.or(decision.dropped);
        }
        all
    }

    /// Folds an input and all that follows from it.
    fn decide(&mut self, input: &Input<'_>) -> Decision {
        fold(&mut self.state, input, &self.params);
        let facts = Facts {
            group: self.params.run.group(),
            ..facts("extractor", at(self.offset))
        };
        let mut all = decide(&self.state, input, &facts, &self.params).expect("never refuses");
        let mut next = 0;
        while let Some(decided) = all.events.get(next) {
            let time = decided.time.expect("has a time");
            let event = event(decided.body.clone(), time);
            fold_decided(&mut self.state, &event, &self.params);
            let input = Input::Decided(&event);
            let follows = decide(&self.state, &input, &facts, &self.params).expect("never refuses");
            all.events.extend(follows.events);
            next += 1;
        }
        all
    }

    fn given(events: impl IntoIterator<Item = Event>) -> Self {
        let mut desk = Self::default();
        for event in events {
            desk.read(&event);
        }
        desk
    }

    /// The window that an engine is asked about, up to the offset.
    fn asked(&mut self, up_to: i64) -> Window {
        self.asked_at = at(self.offset + 1);
        let (_, call) = self.read(&ready(up_to)).calls.pop().expect("a call");
        call.window
    }

    fn answered(&mut self, up_to: i64, window: &Window, extraction: Extraction) -> Decision {
        self.busy = 0;
        let call = ExtractCall {
            up_to: Offset(up_to),
            now: self.asked_at,
            window: window.clone(),
        };
        let engine = "test-1".to_owned();
        self.take(&Input::Answered {
            call: &call,
            answer: Ok(&ExtractAnswer { engine, extraction }),
        })
    }

    /// Asks and answers.
    fn looked(&mut self, up_to: i64, extraction: Extraction) -> Vec<Body> {
        let window = self.asked(up_to);
        bodies(self.answered(up_to, &window, extraction))
    }

    fn only_case(&self) -> &Case {
        assert_eq!(self.state.cases.len(), 1);
        self.state.cases.values().next().expect("one case")
    }
}

fn bodies(decision: Decision) -> Vec<Body> {
    decision.events.into_iter().map(|e| e.body).collect()
}

fn ready(up_to: i64) -> Event {
    let ready = WindowReady {
        channel: channel(),
        reason: ReadyReason::Pause,
        messages: 1,
        up_to: Offset(up_to),
        now: at(up_to),
    };
    event(ready, at(up_to))
}

fn redacted(n: u32) -> Event {
    let redacted = MessageRedacted {
        message: message(n),
        channel: channel(),
        redacted_at: at(100),
    };
    event(redacted, at(100))
}

/// Question 1, answer 2, thanks 3, chatter 4.
fn chat() -> Vec<Event> {
    vec![
        posted(1, 1, "how do I get sound?"),
        posted(2, 2, "install alsa-base"),
        posted(3, 1, "thanks"),
        posted(4, 3, "nice weather"),
    ]
}

fn open_draft(lines: &[usize]) -> Draft {
    Draft {
        title: "no sound".into(),
        problem: "how do I get sound?".into(),
        solution: None,
        suggestion: None,
        tags: vec!["sound".into()],
        problem_lines: lines.to_vec(),
        solution_lines: Vec::new(),
        other_lines: Vec::new(),
        signal: None,
        signal_line: None,
    }
}

fn suggested_draft(problem: usize, answer: usize) -> Draft {
    Draft {
        suggestion: Some("install alsa-base".into()),
        solution_lines: vec![answer],
        ..open_draft(&[problem])
    }
}

fn solved_draft(problem: usize, solution: usize) -> Draft {
    Draft {
        solution: Some("install alsa-base".into()),
        solution_lines: vec![solution],
        signal: Some(Signal::Thanks),
        signal_line: None,
        ..open_draft(&[problem])
    }
}

fn cases(drafts: impl IntoIterator<Item = Draft>) -> Extraction {
    Extraction {
        cases: drafts.into_iter().collect(),
        ..Extraction::default()
    }
}

fn resolves(case: threadlore_model::CaseId, line: usize) -> Extraction {
    let resolved = Resolved {
        case,
        solution: "install alsa-base".into(),
        solution_lines: vec![line],
        signal: Signal::Thanks,
        signal_line: None,
    };
    Extraction {
        resolved: vec![resolved],
        ..Extraction::default()
    }
}

fn suggests(case: threadlore_model::CaseId, text: &str, lines: &[usize]) -> Extraction {
    let suggested = Suggested {
        case,
        suggestion: text.into(),
        lines: lines.to_vec(),
    };
    Extraction {
        suggested: vec![suggested],
        ..Extraction::default()
    }
}

fn texts(window: &Window) -> Vec<&str> {
    window.lines.iter().map(|l| l.text.as_str()).collect()
}

fn numbers(evidence: &[Evidence]) -> Vec<(u128, Part)> {
    let number = |e: &Evidence| (e.message.as_uuid().as_u128(), e.part);
    evidence.iter().map(number).collect()
}

mod answers;
mod expiry;
mod looks;
mod merges;
mod reactions;
mod redactions;
mod requests;
mod runs;
mod suggestions;
