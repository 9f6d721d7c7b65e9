//! `threadlore cases show`.

use threadlore_api::cases::{self, CaseDetail};
use threadlore_model::Case;

use super::{Call, find, title};
use crate::cli::OneCase;
use crate::output::Output;

pub(in crate::commands) async fn run(options: &OneCase, call: &Call<'_>) -> anyhow::Result<u8> {
    let (scope, case) = find(options, call).await?;
    let shown = cases::show(&call.host.node, &scope, &case).await?;
    if call.json {
        call.out.json(&shown)?;
    } else {
        print(&shown, &case, call.out);
    }
    Ok(0)
}

fn print(shown: &CaseDetail, case: &Case, out: &Output) {
    out.print(format_args!("{}  {}", shown.link, title(case)));
    let into = shown
        .merged_into
        .as_ref()
        .map(|into| format!(" into {into}"));
    out.print(format_args!(
        "{}{}, in {}, found {} by {}, changed {}, version {}",
        shown.status,
        into.unwrap_or_default(),
        shown.channel,
        shown.opened_at,
        shown.engine,
        shown.changed_at,
        shown.version
    ));
    for (name, text) in [
        ("problem", &shown.problem),
        ("solution", &shown.solution),
        ("suggestion, which nobody confirmed", &shown.suggestion),
    ] {
        if let Some(text) = text {
            let text = text.lines().collect::<Vec<_>>().join("\n  ");
            out.print(format_args!("{name}:\n  {text}"));
        }
    }
    if shown.worked + shown.failed > 0 {
        out.print(format_args!(
            "answers from it: {} worked, {} failed",
            shown.worked, shown.failed
        ));
    }
    if !shown.evidence.is_empty() {
        out.print("messages that it comes from:");
    }
    for line in &shown.evidence {
        let merged = line.merged_from.map(|_| " (of a case merged into it)");
        out.print(format_args!(
            "  {:<10} {}{}",
            line.part_shown(),
            line.shown(),
            merged.unwrap_or_default()
        ));
    }
    out.print("history:");
    for step in &shown.history {
        out.print(format_args!("  {}", step.shown()));
    }
}
