//! A message, followed through every role.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, Mutex};

use futures::executor::block_on;
use threadlore_model::{Event, EventId};
use threadlore_ports::{Observer, Span, Work};

use crate::roles::{Cases, in_one_go, watched};

/// Remembers what it is told.
struct Listener {
    share: f64,
    told: Mutex<Vec<Span>>,
}

impl Observer for Listener {
    fn follows(&self) -> Option<f64> {
        Some(self.share)
    }
    fn done(&self, spans: Vec<Span>) {
        self.told.lock().expect("not poisoned").extend(spans);
    }
}

fn chat() -> [(String, String); 1] {
    let text = include_str!("../../../app/demo/ubuntu/2008-03-01.txt");
    let text: Vec<&str> = text.lines().take(400).collect();
    [("2008-03-01.txt".to_owned(), text.join("\n"))]
}

fn run(quick: bool, share: f64) -> (Cases, Vec<Event>, Vec<Span>) {
    let told = Mutex::default();
    let listener = Arc::new(Listener { share, told });
    let observer = Arc::clone(&listener) as Arc<dyn Observer>;
    let (cases, events) = block_on(watched(&chat(), quick, observer));
    let told = listener.told.lock().expect("not poisoned").clone();
    (cases, events, told)
}

/// Who did what, in a few words.
fn words(span: &Span) -> String {
    let role = span.group.as_str().split('.').next().expect("a role");
    match span.work {
        Work::Event(name) => format!("{role} {name}"),
        Work::Timer => format!("{role} timer"),
        Work::Call => format!("{role} call"),
    }
}

#[test]
fn a_row_leads_back_to_the_message_that_brought_it_about() {
    for quick in [true, false] {
        let (_, _, spans) = run(quick, 1.0);
        let name = |span: &Span| (span.context.trace(), span.context.span());
        let by_name: HashMap<_, &Span> = spans.iter().map(|span| (name(span), span)).collect();
        assert_eq!(by_name.len(), spans.len(), "each has a name of its own");
        let mut ways = BTreeSet::new();
        for span in &spans {
            assert!(span.ended >= span.started, "{span:?}");
            let (mut way, mut at) = (vec![words(span)], span);
            while let Some(parent) = at.parent {
                at = by_name
                    .get(&(parent.trace(), parent.span()))
                    .unwrap_or_else(|| panic!("{way:?}: what led to {at:?} was told too"));
                way.push(words(at));
            }
            let root = way.last().expect("a root").as_str();
            assert!(
                ["intake PlatformMessage", "intake PlatformHistoryEnded"].contains(&root),
                "{way:?}"
            );
            way.reverse();
            ways.insert(way.join(" > "));
        }
        for way in &ways {
            println!("{way}");
        }
        let whole = "intake PlatformMessage > buffer MessagePosted > extractor WindowReady > \
                     extractor call > projector CaseSolved";
        assert!(ways.contains(whole), "quick {quick}: {ways:#?}");
        let timed = "intake PlatformHistoryEnded > buffer HistoryEnded > extractor WindowReady > \
                     extractor call > projector CaseOpened";
        assert!(ways.contains(timed), "quick {quick}: {ways:#?}");
        assert!(ways.contains("intake PlatformMessage > projector MessagePosted"));
    }
}

/// Following changes nothing that is decided, and does so the same way each time.
#[test]
fn what_is_decided_does_not_depend_on_who_listens() {
    let silent = block_on(in_one_go(&chat(), Default::default(), true));
    let (all, events, spans) = run(true, 1.0);
    let (again, repeated, spans_again) = run(true, 1.0);
    let (none, unfollowed, no_spans) = run(true, 0.0);
    for cases in [&all, &again, &none] {
        assert_eq!(cases, &silent);
    }
    let traces = |events: &[Event]| -> BTreeMap<EventId, Option<String>> {
        let all = events.iter();
        all.map(|event| (event.envelope.id, event.envelope.traceparent.clone()))
            .collect()
    };
    assert_eq!(traces(&events), traces(&repeated));
    assert_eq!(spans, spans_again);
    assert!(no_spans.is_empty());
    let unfollowed = traces(&unfollowed);
    assert!(unfollowed.values().all(Option::is_none));
    assert!(unfollowed.keys().eq(traces(&events).keys()));
    let (_, _, some) = run(true, 0.25);
    let begun = |spans: &[Span]| spans.iter().filter(|span| span.parent.is_none()).count();
    let (some, all) = (begun(&some), begun(&spans));
    assert!((all / 8..all / 2).contains(&some), "{some} of {all}");
}
