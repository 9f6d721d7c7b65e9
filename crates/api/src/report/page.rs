//! A report as HTML: part of a page, and a document of its own that can be sent.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::{NONE, Report, day};
use crate::wording::{called, say, translated};
use crate::words::cut;

/// Characters of a title or a question in a line.
const LINE: usize = 140;

/// What a document has in place of the style of the pages: readers of mail load nothing.
const STYLE: &str = "\
:root{color-scheme:light dark}\
body{font:1rem/1.5 system-ui,sans-serif;max-width:48rem;margin:1rem auto;padding:0 1rem;overflow-wrap:anywhere}\
table{border-collapse:collapse;width:100%}\
th,td{padding:.35rem .6rem;border-bottom:1px solid #8888;text-align:start;vertical-align:top;font-weight:normal}\
.number{text-align:end;white-space:nowrap}\
h1{font-size:1.5rem}h2{font-size:1.15rem;margin-top:2rem}";

/// A document of its own.
pub(super) fn document(report: &Report) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                title { (report.title()) }
                style { (PreEscaped(STYLE)) }
            }
            body { main { h1 { (report.title()) } (part(report)) } }
        }
    }
}

/// The report below its title.
pub(crate) fn part(report: &Report) -> Markup {
    html! {
        table {
            thead { tr {
                th scope="col" { (say!("report-what")) }
                th scope="col" class="number" { (say!("days", count = report.days)) }
                th scope="col" class="number" { (say!("report-earlier")) }
            } }
            tbody { @for (name, now, before) in report.rows() { tr {
                th scope="row" { (translated(name)) }
                td class="number" { (now) }
                td class="number" { (before) }
            } } }
        }
        @if !report.outcomes.is_empty() {
            h2 { (say!("report-became")) }
            ul { @for one in &report.outcomes {
                li {
                    b { (one.count.now) " " (called("outcome", one.outcome)) }
                    " (" (say!("report-before", count = one.count.before)) "): " (translated(one.because))
                }
            } }
        }
        @if !report.most_asked.is_empty() {
            h2 { (say!("report-most-asked")) }
            ul { @for one in &report.most_asked {
                li { (one.answers) " × " (linked(&one.link, one.title.as_deref())) }
            } }
        }
        @if !report.waiting.is_empty() {
            h2 { (say!("unanswered-title")) }
            ul { @for one in &report.waiting {
                li { (day(&one.at)) " " (one.channel) ": " (words(one.question.as_deref())) }
            } }
            @if let Some(more) = report.more_waiting() { p { (say!("report-more", count = more)) } }
        }
    }
}

fn words(words: Option<&str>) -> Markup {
    html! { bdi { (cut(words.unwrap_or(NONE), LINE)) } }
}

/// A link that a browser follows, or the words alone.
fn linked(link: &str, title: Option<&str>) -> Markup {
    html! {
        @if link.starts_with("https://") || link.starts_with("http://") {
            a href=(link) { (words(title)) }
        } @else { (words(title)) }
    }
}
