//! A report as text and as Markdown.

use std::fmt::Write as _;

use super::{NONE, Report, columns, day};
use crate::words::cut;

/// Characters of a title or a question in a line.
const LINE: usize = 100;

/// For a terminal, or a mail without a form.
pub(super) fn text(report: &Report) -> String {
    let (title, rows) = (report.title(), report.rows());
    let mut out = format!("{title}\n\n");
    let names = rows.iter().map(|(name, ..)| name.chars().count());
    let width = names.max().unwrap_or_default();
    let [now, before] = columns(report);
    line(&mut out, &format!("{:width$}  {now:>10}  {before:>10}", ""));
    for (name, now, before) in &rows {
        line(&mut out, &format!("{name:width$}  {now:>10}  {before:>10}"));
    }
    for (heading, items) in sections(report, &|words| words.to_owned()) {
        line(&mut out, &format!("\n{heading}"));
        for item in items {
            line(&mut out, &format!("  {item}"));
        }
    }
    out
}

/// For a page of a wiki, or a room that shows Markdown.
pub(super) fn markdown(report: &Report) -> String {
    let mut out = format!("# {}\n\n", escaped(&report.title()));
    let [now, before] = columns(report);
    line(
        &mut out,
        &format!("| | {now} | {before} |\n|---|---:|---:|"),
    );
    for (name, now, before) in report.rows() {
        line(&mut out, &format!("| {name} | {now} | {before} |"));
    }
    for (heading, items) in sections(report, &escaped) {
        line(&mut out, &format!("\n## {heading}\n"));
        for item in items {
            line(&mut out, &format!("- {item}"));
        }
    }
    out
}

/// The lists below the numbers: headings with their lines. `of_people` writes what people wrote.
fn sections(
    report: &Report,
    of_people: &dyn Fn(&str) -> String,
) -> Vec<(&'static str, Vec<String>)> {
    let words = |words: Option<&str>| of_people(&cut(words.unwrap_or(NONE), LINE));
    let outcomes = report.outcomes.iter().map(|one| {
        let (now, before) = (one.count.now, one.count.before);
        format!("{now} {} (before {before}): {}", one.outcome, one.because)
    });
    let asked = report.most_asked.iter().map(|one| {
        let title = words(one.title.as_deref());
        format!("{} × {title} ({})", one.answers, one.link)
    });
    let waiting = report.waiting.iter().map(|one| {
        let question = words(one.question.as_deref());
        let (at, channel) = (day(&one.at), of_people(&one.channel));
        format!(
            "{at} {channel}: {question} (`threadlore answers teach {}`)",
            one.turn
        )
    });
    let mut waiting: Vec<String> = waiting.collect();
    if let Some(more) = report.more_waiting() {
        waiting.push(format!("and {more} more"));
    }
    let sections = [
        ("What became of what was said", outcomes.collect()),
        ("What was asked most", asked.collect()),
        ("What nobody could answer", waiting),
    ];
    let sections = sections.into_iter();
    sections
        .filter(|(_, items): &(_, Vec<String>)| !items.is_empty())
        .collect()
}

fn line(out: &mut String, text: &str) {
    // Writing to a text does not fail.
    writeln!(out, "{}", text.trim_end()).ok();
}

/// Words of people as Markdown that shows them as they are.
fn escaped(words: &str) -> String {
    let mut out = String::with_capacity(words.len());
    for sign in words.chars() {
        if "\\`*_[]<>|#~!".contains(sign) {
            out.push('\\');
        }
        out.push(sign);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_people_are_no_markdown() {
        assert_eq!(
            escaped("[x](https://example.org) | *a* <b>"),
            "\\[x\\](https://example.org) \\| \\*a\\* \\<b\\>"
        );
    }
}
