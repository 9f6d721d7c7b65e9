//! Opening files that may be damaged.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::path::Path;

use threadlore_ports::PortError;

/// Opens a database in a directory. The library panics on some damage (a length
/// that cannot be), where a sentence is due. It happens at start only, so nobody
/// else's panic is silenced meanwhile.
pub(crate) fn opened<T>(
    dir: &Path,
    open: impl FnOnce(&Path) -> Result<T, PortError>,
) -> anyhow::Result<T> {
    let hook = take_hook();
    set_hook(Box::new(|_| {}));
    let opened = catch_unwind(AssertUnwindSafe(|| open(dir)));
    set_hook(hook);
    match opened {
        Ok(opened) => Ok(opened?),
        Err(panic) => Err(anyhow::anyhow!(
            "the files in {} are damaged: restore them from a backup ({})",
            dir.display(),
            said(panic.as_ref())
        )),
    }
}

/// What a panic said, on one line.
fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    let words = text.unwrap_or("no reason is given").split_whitespace();
    words.collect::<Vec<_>>().join(" ")
}
