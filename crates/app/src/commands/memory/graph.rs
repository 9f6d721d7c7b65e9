//! `threadlore memory graph`: what people ask about.

use threadlore_api::graph::{Act, Graph, Graphs, Subject, Which};
use threadlore_ports::Right;

use super::Call;
use crate::cli::MemoryGraph;
use crate::output::cut;

/// Acts that are shown to people.
const ACTS: usize = 10;

pub(super) async fn run(options: &MemoryGraph, call: &Call<'_>) -> anyhow::Result<u8> {
    let node = &call.host.node;
    let space = call.space(options.space.as_ref()).await?;
    let scope = node.scope(&space, Right::Read)?;
    node.check_space(&scope).await?;
    let about = options.about.join(" ");
    let which = Which {
        days: options.days,
        until: options.until.unwrap_or_else(|| node.clock.now()),
        about: (!about.is_empty()).then_some(about.as_str()),
        to: options.to.as_deref(),
    };
    let found = Graphs::default().graph(node, &scope, which).await?;
    if call.json {
        call.out.json(&found)?;
        return Ok(0);
    }
    if let Some(subject) = &found.subject {
        print_subject(subject, call);
    }
    print_path(&found, call);
    if found.words.is_empty() {
        call.out.say(
            "no word: questions that are asked live are counted, of the last 30 days unless --days says \
             otherwise; imported history has none",
        );
    }
    for word in &found.words {
        let asked = word.tally.asked;
        let became = word.tally.in_words();
        call.out.print(format_args!(
            "{asked:>6}  {:<16}  {became}",
            cut(&word.word, 16)
        ));
    }
    if !found.acts.is_empty() {
        call.out.print("what it did:");
    }
    for act in found.acts.iter().take(ACTS) {
        call.out
            .print(format_args!("{:>6}  {}", act.times, said(act)));
    }
    if found.asked > found.read {
        call.out.say(format_args!(
            "counted are the latest {} of {} questions",
            found.read, found.asked
        ));
    }
    Ok(0)
}

fn print_subject(subject: &Subject, call: &Call<'_>) {
    let out = call.out;
    let tally = &subject.tally;
    let (asked, became) = (tally.asked, tally.in_words());
    let last = subject.last.as_ref().map(|at| format!("; last at {at}"));
    out.print(format_args!(
        "about {:?}: asked {asked} times{}{}",
        subject.about,
        if asked > 0 {
            format!(" ({became})")
        } else {
            String::new()
        },
        last.unwrap_or_default()
    ));
    for one in &subject.answered_by {
        let title = cut(one.title.as_deref().unwrap_or("(erased)"), 60);
        out.print(format_args!(
            "  answered {} times, {} worked, {} failed: {title}  {}",
            one.answers, one.worked, one.failed, one.link
        ));
    }
    for one in &subject.waiting {
        out.print(format_args!(
            "  nobody could answer: {}  `threadlore answers why {}`",
            cut(&one.question, 60),
            one.turn
        ));
    }
}

fn print_path(found: &Graph, call: &Call<'_>) {
    match found.path.as_deref() {
        None => {}
        Some([]) => call
            .out
            .print("no questions lead from the one to the other"),
        Some(steps) => {
            for step in steps {
                call.out.print(format_args!(
                    "  {} – {}: {} questions have both",
                    step.from, step.to, step.together
                ));
            }
        }
    }
}

fn said(act: &Act) -> String {
    let how = match act.tag {
        Some("mention") => "asked by name",
        Some(_) => "everybody was asked",
        None => "not looked at",
    };
    let outcome = act.outcome.replace('_', " ");
    match act.worked + act.failed + act.partial {
        0 => format!("{outcome}, {how}"),
        tried => format!("{outcome}, {how}: worked {} of {tried}", act.worked),
    }
}
