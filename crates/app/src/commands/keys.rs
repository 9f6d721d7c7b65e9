//! `threadlore keys`: what wraps the keys that seal texts and names.

use super::Call;

pub(super) async fn rewrap(call: &Call<'_>) -> anyhow::Result<u8> {
    let node = &call.host.node;
    let rewrapped = node.keys.rewrap().await?;
    if call.json {
        call.out
            .json(&serde_json::json!({ "rewrapped": rewrapped }))?;
        return Ok(0);
    }
    let needed = match node.settings.keystore.second_master_key_file.is_some() {
        true => {
            "; `keystore.second_master_key_file` is needed no more once every process runs with these settings"
        }
        false => "",
    };
    call.out.say(format_args!(
        "{rewrapped} keys were wrapped again; all are under the master key{needed}"
    ));
    Ok(0)
}
