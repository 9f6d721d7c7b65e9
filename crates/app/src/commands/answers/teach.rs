//! `threadlore answers teach`: a request to the owner of cases. The case is shown as it is afterwards.

use threadlore_api::words::worth_saying;
use threadlore_model::{Actor, CaseId, Signal};
use threadlore_node::Lesson;

use super::{Call, find};
use crate::cli::{AnswersTeach, OneCase};
use crate::commands::cases::{self, CaseName};
use crate::commands::import::work;
use crate::exit::BadInput;

pub(super) async fn run(options: &AnswersTeach, call: &Call<'_>) -> anyhow::Result<u8> {
    let solution = worth_saying(&options.solution)?;
    let (scope, turn) = find(&options.one, call).await?;
    let node = &call.host.node;
    let because = format!("{} {}", turn.turn, node.clock.now().as_millis());
    let lesson = Lesson::of_turn(&turn, solution, None, because);
    let taught = node.teach(scope.space(), &lesson, &Actor::Operator).await?;
    let case: CaseId = taught.ok_or_else(|| {
        BadInput(format!(
            "the words of the question {} are erased, so nobody can be told what it asked",
            turn.turn
        ))
    })?;
    work(call).await?;
    let learned = node.store.case(&scope, case).await?;
    anyhow::ensure!(
        learned.is_some_and(|case| case.signal == Some(Signal::Admin)),
        "the request is in the log, and there is no such case: look at `threadlore dlq list`, and \
         whether an extractor runs"
    );
    let shown = OneCase {
        case: CaseName(case),
        space: Some(scope.space().clone()),
    };
    cases::show(&shown, call).await
}
