//! `threadlore cases search`.

use threadlore_api::asking;
use threadlore_api::cases;
use threadlore_ports::Right;

use super::{Call, list};
use crate::cli::CasesSearch;
use crate::commands::ask::index_ready;

pub(super) async fn run(options: &CasesSearch, call: &Call<'_>) -> anyhow::Result<u8> {
    asking::check(&options.words)?;
    index_ready(call).await;
    let node = &call.host.node;
    let space = call.space(options.space.as_ref()).await?;
    let scope = node.scope(&space, Right::Read)?;
    let cases = cases::search(node, &scope, &options.words).await;
    if cases.is_empty() {
        call.check_there(&scope, None).await?;
    }
    if call.json {
        call.out.json(&serde_json::json!({ "cases": cases }))?;
        return Ok(0);
    }
    if cases.is_empty() {
        call.out.say("no case has anything to do with it");
    }
    cases.iter().for_each(|case| list::print(case, call));
    Ok(0)
}
