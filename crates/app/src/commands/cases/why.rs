//! `threadlore cases why`: what made a case solved, as its events say it, with the lines and
//! reactions that they rest on.

use threadlore_api::cases::{self, Why};

use super::{Call, find, title};
use crate::cli::OneCase;
use crate::output::Output;

pub(super) async fn run(options: &OneCase, call: &Call<'_>) -> anyhow::Result<u8> {
    let (scope, case) = find(options, call).await?;
    let why = cases::why(&call.host.node, &scope, &case).await?;
    if call.json {
        call.out.json(&why)?;
    } else {
        print(&why, title(&case), call.out);
    }
    Ok(0)
}

fn print(why: &Why, title: &str, out: &Output) {
    out.print(format_args!("{}  {title}", why.link));
    out.print(format_args!("{}: {}", why.status, why.because));
    for one in &why.signals {
        let past = if one.counts { "" } else { " (counts no more)" };
        out.print(format_args!("  {} {}{past}", one.at, one.what));
        for rests in &one.lines {
            out.print(format_args!("    {:<10} {}", rests.is, rests.line.shown()));
        }
        if let Some(note) = one.note {
            out.print(format_args!("    ({note})"));
        }
        let rules = one.rules.as_ref().map(|rules| format!("rules {rules}, "));
        let on = one
            .decided_on
            .as_ref()
            .map(|on| format!(", decided on {on}"));
        out.print(format_args!(
            "    {}event {} at {}{}",
            rules.unwrap_or_default(),
            one.event,
            one.record,
            on.unwrap_or_default()
        ));
    }
}
