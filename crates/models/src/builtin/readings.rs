//! How texts read, remembered from window to window: a line is shown in several windows,
//! and read several times in each.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use hashlink::LruCache;

use super::prose::{self, Prose};
use super::words::Topic;

/// Lines remembered at most; a window shows 200 by default.
const LINES: usize = 4096;
/// Problems of open cases remembered at most; a channel knows 500 cases by default.
const TOPICS: usize = 2048;

/// The classification of a line without names. It depends on the text, and on whether it asks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Reading {
    /// It states a problem, and not about the talk itself.
    pub(super) states: bool,
    /// It asks about the talk itself.
    pub(super) about_the_talk: bool,
    /// It asks an asker back.
    pub(super) asks_back: bool,
    /// The writer speaks of himself.
    pub(super) of_self: bool,
    /// How many words it has.
    pub(super) words: usize,
    /// It adds to a problem, and does not speak of the talk itself.
    pub(super) carries: bool,
    /// The asker reports the outcome of the problem.
    pub(super) reports: bool,
    /// How well it reads as an instruction; zero when it does not.
    pub(super) instruction: usize,
    /// It gives an asker information.
    pub(super) tells: bool,
}

impl Reading {
    fn of(text: &str, asks: bool) -> Self {
        let text = &Prose::of(text);
        let about_the_talk = prose::is_about_the_talk(text);
        Self {
            states: !about_the_talk && prose::problem(text, asks) > 0,
            about_the_talk,
            asks_back: prose::asks_back(text),
            of_self: prose::is_of_self(text),
            words: prose::count(text),
            carries: !about_the_talk && prose::carries(text),
            reports: prose::reports(text),
            instruction: prose::instruction(text, asks),
            tells: prose::tells(text, asks),
        }
    }
}

/// Texts by their hashes, so that nothing of a text that was erased stays here.
type Known<T> = Mutex<LruCache<u128, T>>;

/// Readings of the lines and problems met last.
#[derive(Debug)]
pub(super) struct Readings {
    lines: Known<Reading>,
    topics: Known<Arc<Topic>>,
}

impl Default for Readings {
    fn default() -> Self {
        Self {
            lines: Mutex::new(LruCache::new(LINES)),
            topics: Mutex::new(LruCache::new(TOPICS)),
        }
    }
}

impl Readings {
    pub(super) fn of_line(&self, text: &str, asks: bool) -> Reading {
        known(&self.lines, hash(text, asks), || Reading::of(text, asks))
    }

    /// The topic of a problem.
    pub(super) fn topic(&self, problem: &str) -> Arc<Topic> {
        let topic = || Arc::new(Topic::of(problem));
        known(&self.topics, hash(problem, false), topic)
    }
}

/// Reads without the lock, so that windows of other channels need not wait.
fn known<T: Clone>(known: &Known<T>, key: u128, read: impl FnOnce() -> T) -> T {
    let lock = || known.lock().unwrap_or_else(PoisonError::into_inner);
    let found = lock().get(&key).cloned();
    found.unwrap_or_else(|| {
        let read = read();
        lock().insert(key, read.clone());
        read
    })
}

/// 128 bits, so that no two texts of a lifetime share them.
fn hash(text: &str, asks: bool) -> u128 {
    let half = |which: u8| {
        let mut hasher = DefaultHasher::new();
        (which, asks, text).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    half(0) << 64 | half(1)
}
