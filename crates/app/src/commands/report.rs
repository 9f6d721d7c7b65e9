//! `threadlore report`: the week for who looks after a community, in one page.

use threadlore_api::report::report;
use threadlore_ports::Right;

use super::Call;
use crate::cli::ReportOptions;

pub(super) async fn run(options: &ReportOptions, call: &Call<'_>) -> anyhow::Result<u8> {
    let node = &call.host.node;
    let space = call.space(options.space.as_ref()).await?;
    let scope = node.scope(&space, Right::Read)?;
    node.check_space(&scope).await?;
    let until = options.until.unwrap_or_else(|| node.clock.now());
    let report = report(node, &scope, until, options.days).await?;
    match call.json {
        true => call.out.json(&report)?,
        false => call.out.print(report.written(options.format).trim_end()),
    }
    Ok(0)
}
