//! Opening files that may be damaged, and what panics say.

use std::any::Any;
use std::panic::{AssertUnwindSafe, Location, catch_unwind, set_hook, take_hook};
use std::path::Path;
use std::sync::Once;

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

/// The engine of the index panics where it cannot write, for example on a full disk.
/// The adapter catches that and makes an error of it, which is printed; so the panic
/// itself is not, while all others are as before.
pub(crate) fn quiet_engine() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |panic| {
            let of_engine = |at: &Location<'_>| at.file().contains("/qdrant-edge-");
            if !panic.location().is_some_and(of_engine) {
                before(panic);
            }
        }));
    });
}

/// What a panic said, on one line.
fn said(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
    let words = text.unwrap_or("no reason is given").split_whitespace();
    words.collect::<Vec<_>>().join(" ")
}
