//! `threadlore answers rate`: what the operator says of an answer, as a request to the owner of answers.

use threadlore_api::questions::{self, Ratings};
use threadlore_model::Actor;
use threadlore_store_postgres::TurnName;

use super::{Call, find};
use crate::cli::AnswersRate;
use crate::commands::import::work;

pub(super) async fn run(options: &AnswersRate, call: &Call<'_>) -> anyhow::Result<u8> {
    let (scope, turn) = find(&options.one, call).await?;
    let node = &call.host.node;
    let (by, rating) = (Actor::Operator, options.rating.0);
    let person = node.person_behind(scope.space(), &by);
    node.rate(&scope, &turn, (person, rating), &by).await?;
    work(call).await?;
    anyhow::ensure!(
        node.store.rating(&scope, turn.turn, person).await? == rating,
        "the request is in the log, and nothing came of it yet: look at `threadlore dlq list`, and whether a \
         responder runs"
    );
    let rated = questions::find(node, &scope, &TurnName::Turn(turn.turn)).await?;
    let (turn, _) = rated.unwrap_or((turn, 1));
    let ratings = Ratings::of(&turn);
    if call.json {
        call.out.json(&ratings)?;
    } else {
        let Ratings { helped, failed, .. } = ratings;
        call.out.print(format_args!(
            "{helped} say that it helped, {failed} that it failed"
        ));
    }
    Ok(0)
}
