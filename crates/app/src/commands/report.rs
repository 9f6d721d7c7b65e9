//! `threadlore report`: the week for who looks after a community, as Markdown.

use std::time::Duration;

use threadlore_api::report::{Change, Report, report};
use threadlore_ports::Right;

use super::Call;
use crate::cli::ReportOptions;
use crate::output::{Output, cut};
use crate::printable::counted;

/// A day.
const DAY: u64 = 24 * 3600;

pub(super) async fn run(options: &ReportOptions, call: &Call<'_>) -> anyhow::Result<u8> {
    let node = &call.host.node;
    let space = call.space(options.space.as_ref()).await?;
    let scope = node.scope(&space, Right::Read)?;
    node.check_space(&scope).await?;
    let until = options.until.unwrap_or_else(|| node.clock.now());
    let lasts = Duration::from_secs(u64::from(options.days) * DAY);
    let report = report(node, &scope, until, lasts).await?;
    match call.json {
        true => call.out.json(&report)?,
        false => print(&report, options.days, call.out),
    }
    Ok(0)
}

fn print(report: &Report, days: u32, out: &Output) {
    let day = |at: &str| at.get(..10).unwrap_or(at).to_owned();
    out.print(format_args!(
        "# {}: {} to {}\n",
        report.space,
        day(&report.from),
        day(&report.until)
    ));
    out.print(format_args!(
        "| | {} | before |\n|---|---:|---:|",
        counted(days.into(), "day")
    ));
    let row = |name: &str, Change { now, before }: Change| {
        out.print(format_args!("| {name} | {now} | {before} |"));
    };
    row("messages", report.messages);
    row("people who wrote", report.people);
    row("questions", report.asked);
    row("answered", report.answered);
    row("answered by a person first", report.answered_by_person);
    row("nothing known", report.unanswered);
    row("answers that worked", report.worked);
    row("answers that failed", report.failed);
    row("cases found", report.cases_opened);
    row("cases solved", report.cases_solved);
    out.print(format_args!(
        "| middle time to a solution | {} | {} |",
        lasted(report.median_seconds_to_solution),
        lasted(report.median_seconds_before)
    ));
    if !report.outcomes.is_empty() {
        out.print("\n## What became of what was said\n");
        for one in &report.outcomes {
            out.print(format_args!(
                "- {} {} (before {}): {}",
                one.count.now, one.outcome, one.count.before, one.because
            ));
        }
    }
    if !report.most_asked.is_empty() {
        out.print("\n## What was asked most\n");
        for one in &report.most_asked {
            out.print(format_args!(
                "- {} × {} ({})",
                one.answers,
                cut(one.title.as_deref().unwrap_or("(erased)"), 100),
                one.link
            ));
        }
    }
    if !report.waiting.is_empty() {
        out.print("\n## What nobody could answer\n");
        for one in &report.waiting {
            let question = one.question.as_deref().unwrap_or("(erased)");
            out.print(format_args!(
                "- {} {}: {} (`threadlore answers teach {}`)",
                day(&one.at),
                one.channel,
                cut(question, 100),
                one.turn
            ));
        }
        let more = report.waiting_in_all - report.waiting.len() as u64;
        if more > 0 {
            out.print(format_args!("- and {more} more"));
        }
    }
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
