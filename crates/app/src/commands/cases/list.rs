//! `threadlore cases list`.

use threadlore_api::cases::{self, Item};
use threadlore_ports::Right;
use threadlore_store_postgres::{COUNTED, CaseFilter};

use super::Call;
use crate::cli::{CasesList, Order};
use crate::output::cut;
use crate::printable::counted;

pub(super) async fn run(options: &CasesList, call: &Call<'_>) -> anyhow::Result<u8> {
    let CasesList { space, channel, .. } = options;
    let node = &call.host.node;
    let space = call.space(space.as_ref()).await?;
    let scope = node.scope(&space, Right::Read)?;
    let filter = CaseFilter {
        status: options.state,
        channel: channel.as_ref(),
        oldest: options.order == Order::Oldest,
        after: None,
        limit: options.limit.into(),
    };
    let listed = cases::list(node, &scope, filter).await?;
    if listed.cases.is_empty() {
        call.check_there(&scope, channel.as_ref()).await?;
    }
    if call.json {
        call.out.json(&listed)?;
        return Ok(0);
    }
    if listed.cases.is_empty() {
        call.out.say("there are no such cases");
    }
    listed.cases.iter().for_each(|case| print(case, call));
    if listed.fitting > listed.cases.len() as u64 {
        call.out.say(format_args!(
            "{} of {}{}; --limit shows more",
            listed.cases.len(),
            counted(listed.fitting, "case"),
            if listed.fitting < COUNTED {
                ""
            } else {
                " or more"
            }
        ));
    }
    Ok(0)
}

/// A case as a line.
pub(super) fn print(case: &Item, call: &Call<'_>) {
    let suggested = if case.suggested { ", suggested" } else { "" };
    call.out.print(format_args!(
        "{}  {:<15}  {}  {}",
        case.opened_at.split('T').next().unwrap_or_default(),
        format!("{}{suggested}", case.status),
        case.link,
        cut(case.title.as_deref().unwrap_or("(erased)"), 70)
    ));
}
