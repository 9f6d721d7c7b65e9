//! Texts of real chat.

use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use anyhow::ensure;

use crate::logs;

/// What people wrote in the IRC logs of a folder with data sets, a text each.
pub(crate) fn of_logs(data: &Path) -> anyhow::Result<Arc<Vec<String>>> {
    let mut texts = Vec::new();
    for log in logs::find(data)? {
        let mut bytes = Vec::new();
        log.open()?.reader.read_to_end(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes);
        let said = text.lines().filter_map(|line| line.split_once("> "));
        texts.extend(said.map(|(_, text)| text.to_owned()));
    }
    ensure!(
        !texts.is_empty(),
        "the logs of {} hold no texts",
        data.display()
    );
    Ok(Arc::new(texts))
}
