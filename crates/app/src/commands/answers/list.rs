//! `threadlore answers list`.

use threadlore_api::questions;
use threadlore_model::TurnOutcome;
use threadlore_ports::Right;
use threadlore_store_postgres::TurnFilter;

use super::Call;
use crate::cli::AnswersList;
use crate::output::cut;
use crate::printable::counted;

pub(super) async fn run(options: &AnswersList, call: &Call<'_>) -> anyhow::Result<u8> {
    let node = &call.host.node;
    let space = call.space(options.space.as_ref()).await?;
    let scope = node.scope(&space, Right::Read)?;
    let channel = options.channel.as_ref();
    let outcomes: &[TurnOutcome] = match (options.unanswered, options.outcome.as_slice()) {
        (true, _) => &TurnOutcome::UNANSWERED,
        (false, []) => &TurnOutcome::ASKED,
        (false, outcomes) => outcomes,
    };
    let filter = TurnFilter {
        channel,
        outcomes,
        after: None,
        named: None,
        limit: options.limit.into(),
    };
    let listed = questions::list(node, &scope, filter).await?;
    let questions = &listed.questions;
    if questions.is_empty() {
        call.check_there(&scope, channel).await?;
    }
    if call.json {
        call.out.json(&listed)?;
        return Ok(0);
    }
    if questions.is_empty() {
        call.out.say("there are no such questions");
    }
    for row in questions {
        let rated = match (row.helped, row.failed) {
            (0, 0) => String::new(),
            (helped, failed) => format!("  [{helped} helped, {failed} failed]"),
        };
        let minute = row.at.get(..16).unwrap_or(&row.at).replace('T', " ");
        call.out.print(format_args!(
            "{minute}  {:<18}  {}  {}{rated}",
            row.outcome,
            row.turn,
            cut(row.question.as_deref().unwrap_or("(erased)"), 70)
        ));
    }
    if listed.fitting > questions.len() as u64 {
        call.out.say(format_args!(
            "{} of {}; --limit shows more",
            questions.len(),
            counted(listed.fitting, "question")
        ));
    }
    Ok(0)
}
