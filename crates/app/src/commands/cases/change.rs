//! `threadlore cases correct`, `archive`, `merge`, `split` and `erase`: requests to the owner of the case. The case is shown
//! as it is afterwards.

use threadlore_api::words::worth_saying;
use threadlore_model::{Actor, Case, Signal, Status};
use threadlore_node::CaseChange;

use super::{Call, find, show, unknown};
use crate::cli::{CasesCorrect, CasesMerge, OneCase};
use crate::commands::import::work;
use crate::exit::BadInput;

pub(super) async fn correct(options: &CasesCorrect, call: &Call<'_>) -> anyhow::Result<u8> {
    let solution = worth_saying(&options.solution)?;
    let (_, case) = find(&options.one, call).await?;
    if case.status() == Status::Erased {
        return Err(BadInput(format!(
            "the case {} is erased: its texts are gone for good, so there is nothing to correct",
            case.case
        ))
        .into());
    }
    let change = CaseChange::Solution(solution, None);
    let is_done = |case: &Case| case.signal == Some(Signal::Admin);
    changed(&options.one, (&case, change), is_done, call).await
}

pub(super) async fn archive(options: &OneCase, call: &Call<'_>) -> anyhow::Result<u8> {
    let (_, case) = find(options, call).await?;
    let is_done = |case: &Case| case.archived_at.is_some();
    changed(options, (&case, CaseChange::Archive), is_done, call).await
}

pub(super) async fn merge(options: &CasesMerge, call: &Call<'_>) -> anyhow::Result<u8> {
    let (scope, case) = find(&options.one, call).await?;
    let into = call.host.node.store.case(&scope, options.into.0).await?;
    let into = into.ok_or_else(|| unknown(options.into, scope.space()))?;
    let is_done = |case: &Case| case.merged_into == Some(into.case);
    if is_done(&case) {
        return show::run(&options.one, call).await;
    }
    let change = CaseChange::merge(&case, &into)?;
    changed(&options.one, (&case, change), is_done, call).await
}

pub(super) async fn split(options: &OneCase, call: &Call<'_>) -> anyhow::Result<u8> {
    let (_, case) = find(options, call).await?;
    let is_done = |case: &Case| case.merged_into.is_none();
    changed(options, (&case, CaseChange::split(&case)?), is_done, call).await
}

pub(super) async fn erase(options: &OneCase, call: &Call<'_>) -> anyhow::Result<u8> {
    let (_, case) = find(options, call).await?;
    let is_done = |case: &Case| case.status() == Status::Erased;
    changed(options, (&case, CaseChange::Erasure), is_done, call).await
}

async fn changed(
    options: &OneCase,
    (case, change): (&Case, CaseChange),
    is_done: impl Fn(&Case) -> bool,
    call: &Call<'_>,
) -> anyhow::Result<u8> {
    call.host
        .node
        .request(case, change, &Actor::Operator)
        .await?;
    work(call).await?;
    let (_, case) = find(options, call).await?;
    anyhow::ensure!(
        is_done(&case),
        "the request is in the log, and the case is as it was: look at `threadlore dlq list`, and \
         whether an extractor runs"
    );
    show::run(options, call).await
}
