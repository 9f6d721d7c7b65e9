//! `threadlore answers rate`: what the operator says of an answer, as a request to the owner of answers.

use threadlore_api::questions::Ratings;
use threadlore_model::Actor;
use threadlore_store_postgres::TurnName;

use super::{Call, find};
use crate::cli::AnswersRate;
use crate::commands::TurnLink;
use crate::commands::import::work;

pub(super) async fn run(options: &AnswersRate, call: &Call<'_>) -> anyhow::Result<u8> {
    let (scope, turn) = find(&options.one, call).await?;
    let node = &call.host.node;
    let (by, space) = (Actor::Operator, scope.space().clone());
    let person = node.person_behind(&space, &by);
    let rating = options.rating.0;
    if turn.answer.is_none() || node.store.rating(&scope, turn.turn, person).await? != rating {
        node.rate(&scope, &turn, (person, rating), &by).await?;
        work(call).await?;
    }
    anyhow::ensure!(
        node.store.rating(&scope, turn.turn, person).await? == rating,
        "the request is in the log, and nothing came of it yet: look at `threadlore dlq list`, and whether a \
         responder runs"
    );
    let mut one = options.one.clone();
    one.turn = TurnLink(TurnName::Id(turn.turn.as_uuid()));
    let (_, turn) = find(&one, call).await?;
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
