//! `threadlore space`: the spaces that there are.

use super::Call;
use crate::cli::Space;

pub(super) async fn run(command: &Space, call: &Call<'_>) -> anyhow::Result<u8> {
    let Space::List = command;
    let spaces = call.host.node.store.spaces().await?;
    let names: Vec<&str> = spaces.iter().map(|space| space.as_str()).collect();
    if call.json {
        call.out.json(&serde_json::json!({ "spaces": names }))?;
    } else if names.is_empty() {
        call.out.say("no space has anything yet");
    } else {
        names.iter().for_each(|name| call.out.print(name));
    }
    Ok(0)
}
