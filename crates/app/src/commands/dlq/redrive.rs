//! `threadlore dlq redrive`: another try for dead letters.

use threadlore_api::dead_letters::{LetterRefusal, RedriveResult};
use threadlore_node::WhichDeadLetters;

use super::Call;
use crate::cli::DlqRedrive;
use crate::commands::import::work;
use crate::exit::BAD_INPUT;
use crate::printable::counted;

pub(super) async fn run(options: &DlqRedrive, call: &Call<'_>) -> anyhow::Result<u8> {
    let which = match options.topic {
        Some(topic) => WhichDeadLetters::Of {
            topic,
            space: None,
            reason: options.reason.clone().unwrap_or_default(),
        },
        None => WhichDeadLetters::These(options.letters.clone()),
    };
    let done = call.host.node.redrive(&which, options.dry_run).await?;
    if done.redriven > 0 && !options.dry_run {
        work(call).await?;
    }
    let result = RedriveResult::of(done, options.dry_run);
    if call.json {
        call.out.json(&result)?;
    } else {
        print(&result, call);
    }
    Ok(if result.refused > 0 { BAD_INPUT } else { 0 })
}

fn print(result: &RedriveResult, call: &Call<'_>) {
    let verb = if result.dry_run { "can be" } else { "were" };
    call.out.print(format_args!(
        "{} {verb} redriven, {} were before, {} cannot be",
        counted(result.redriven, "dead letter"),
        result.already,
        result.refused
    ));
    for LetterRefusal { letter, reason } in &result.first_refused {
        call.out.print(format_args!("  {letter}: {reason}"));
    }
    let rest = result.refused - result.first_refused.len() as u64;
    if rest > 0 {
        call.out.print(format_args!("  and {rest} more"));
    }
}
